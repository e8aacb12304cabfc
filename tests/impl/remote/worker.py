"""What the workers for exec: of the tests have in common: reading, writing, the faults asked for, and a record."""

import os
import sys


def faults(number):
    """FAULTS=KIND@NUMBER,...: pairs of the kind and what `number` makes of the text."""
    asked = (fault.split("@") for fault in os.environ.get("FAULTS", "").split(",") if fault)
    return [(kind, number(at)) for kind, at in asked]


def take(count):
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        sys.exit()
    return data


def give(*parts):
    sys.stdout.buffer.write(b"".join(parts))
    sys.stdout.buffer.flush()


def record(*words):
    if os.environ.get("RECORD"):
        with open(os.environ["RECORD"], "a", encoding="ascii") as stream:
            print(*words, file=stream)
