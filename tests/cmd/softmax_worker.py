"""A worker for exec: whose softmax in fp32 is right, but for what DEPENDS names: rows after the first of a batch, calls
after the first of a process, the variable NARROW of the environment, OMP_NUM_THREADS. It doubles results there."""

import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "impl", "remote"))
sys.dont_write_bytecode = True
from worker import give, take  # noqa: E402

DEPENDS = os.environ.get("DEPENDS", "")


def softmax(row):
    if any(math.isnan(x) for x in row) or math.inf in row:
        return [math.nan] * len(row)
    most = max(row)
    powers = [math.exp(x - most) if most > -math.inf else math.nan for x in row]
    total = math.fsum(powers)
    return [x / total for x in powers]


def is_wrong(row, call):
    return {"batch": row > 0, "repetition": call > 0, "processor": "NARROW" in os.environ,
            "thread-count": "OMP_NUM_THREADS" in os.environ}.get(DEPENDS, False)


header = struct.unpack("<8s6I32s32s32s32s", take(160))
lines = dict(line.split("=", 1) for line in take(header[6]).decode().splitlines())
give(b"detreply", struct.pack("<2I", 3, 4), b"test")
call = 0
while True:
    take(16)
    (dimensions, _, *extents), _ = [struct.unpack("<2I8Q", take(72)) for _ in range(2)]
    extents = extents[:dimensions]
    x = struct.unpack(f"<{math.prod(extents)}f", take(4 * math.prod(extents)))
    axis = int(lines.get("axis", "-1")) % dimensions
    length, inner = extents[axis], math.prod(extents[axis + 1:])
    y = [0.0] * len(x)
    for number in range(len(x) // length if length else 0):
        first = number // inner * inner * length + number % inner
        places = range(first, first + length * inner, inner)
        for place, value in zip(places, softmax([x[place] for place in places])):
            y[place] = 2 * value if is_wrong(number, call) else value
    give(b"answ", struct.pack("<I", 1), struct.pack(f"<{len(y)}f", *y), b"done")
    call += 1
