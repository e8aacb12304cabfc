"""A worker for exec: that knows sum, dot and cumsum in fp32, from the left, with the standard library alone,
without axes; the results of all else are 0. It misbehaves where FAULTS=KIND@COUNT,... says, at
calls whose first operand has that many elements:

  crash, exit, hang    instead of an answer
  short, stall         half of the answer, then the end, or nothing
  junk, count          other letters first; another count
  wrong                the last bit of the first result is another

STARTS=numbers: it replies that it is ready as it would for numbers. RECORD=FILE: what it was asked.
"""

import math
import os
import signal
import struct
import sys
import time

from worker import faults, give, record, take

FAULTS = faults(int)


def fp32(x):
    """Rounded; a sum or product of two such numbers in double and then so is rounded rightly."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def running(numbers):
    total, totals = None, []
    for number in numbers:
        total = number if total is None else fp32(total + number)
        totals.append(total)
    return totals


COMPUTE = {"sum": lambda x: running(x)[-1:], "cumsum": running,
           "dot": lambda x, y: running([fp32(a * b) for a, b in zip(x, y)])[-1:]}

header = struct.unpack("<8s6I32s32s32s32s", take(160))
operation, form, result_format, _ = (name.rstrip(b"\0").decode() for name in header[7:])
lines = take(header[6]).decode().splitlines()
record(*header[1:6], operation, form, result_format, *lines)
give(b"detreply", struct.pack("<2I", 0 if os.environ.get("STARTS") == "numbers" else 3, 4), b"test")
while True:
    kind, count, length = struct.unpack("<2IQ", take(16))
    shapes = [struct.unpack("<2I8Q", take(72)) for _ in range(header[2] + header[3])]
    sizes = [math.prod(extents[:dimensions]) for dimensions, _, *extents in shapes]
    codes = [take(size * shape[1]) for size, shape in zip(sizes[:header[2]], shapes)]
    record(kind, count, length == 72 * len(shapes) + sum(map(len, codes)), *(
        "x".join(map(str, extents[:dimensions])) + f":{width}" for dimensions, width, *extents in shapes))
    here = {fault for fault, at in FAULTS if at == sizes[0]}
    if "crash" in here:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "exit" in here:
        sys.exit(3)
    if "hang" in here:
        time.sleep(3600)
    if operation in COMPUTE and not any(line.startswith("axis=") for line in lines):
        numbers = COMPUTE[operation](*(struct.unpack(f"<{size}f", code) for size, code in zip(sizes, codes)))
        results = bytearray(struct.pack(f"<{len(numbers)}f", *numbers))
    else:
        results = bytearray(sum(size * shape[1] for size, shape in zip(sizes[header[2]:], shapes[header[2]:])))
    results[0] ^= "wrong" in here
    answer = (b"oops" if "junk" in here else b"answ") + struct.pack("<I", 2 if "count" in here else 1) + results
    if "short" in here or "stall" in here:
        give(answer[:len(answer) // 2])
        if "short" in here:
            sys.exit()
        time.sleep(3600)
    give(answer, b"done")
