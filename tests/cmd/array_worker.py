"""A worker for exec: whose softmax and dot in fp32 are right, but for what DEPENDS names: rows after the first of a batch,
lines that lie across, calls after the first of a process, the variable NARROW of the environment, OMP_NUM_THREADS. It doubles
results there. Of scaled.mul it gives back the first operand and a scale, and doubles the scale alone: the invariance of calls
that have no lines is all that is asked of it."""

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


def dot(x, y):
    return [sum(a * b for a, b in zip(x, y))]


def is_wrong(row, call, is_across):
    return {"batch": row > 0, "blocking": is_across, "repetition": call > 0, "processor": "NARROW" in os.environ,
            "thread-count": "OMP_NUM_THREADS" in os.environ}.get(DEPENDS, False)


def answer_whole(call):
    """One call of scaled.mul: two operands of data and scale, and two results."""
    shapes = [struct.unpack("<2I8Q", take(72)) for _ in range(6)]
    counts = [math.prod(extents[:dimensions]) for dimensions, _, *extents in shapes]
    data, *_ = [take(4 * count) for count in counts[:4]]
    scale = struct.pack("<f", 2.0 if is_wrong(0, call, False) else 1.0) * counts[5]
    give(b"answ", struct.pack("<I", 1), data[:4 * counts[4]], scale, b"done")


header = struct.unpack("<8s6I32s32s32s32s", take(160))
lines = dict(line.split("=", 1) for line in take(header[6]).decode().splitlines())
operands, function = (2, dot) if header[7].rstrip(b"\0") == b"dot" else (1, softmax)
give(b"detreply", struct.pack("<2I", 3, 4), b"test")
call = 0
while True:
    take(16)
    if header[7].rstrip(b"\0") == b"scaled.mul":
        answer_whole(call)
        call += 1
        continue
    (dimensions, _, *extents), *_ = [struct.unpack("<2I8Q", take(72)) for _ in range(operands + 1)]
    extents = extents[:dimensions]
    numbers = [struct.unpack(f"<{math.prod(extents)}f", take(4 * math.prod(extents))) for _ in range(operands)]
    axis = int(lines.get("axis", "-1")) % dimensions
    length, inner = extents[axis], math.prod(extents[axis + 1:])
    count = math.prod(extents) // length if length else 0
    y = [0.0] * (count if operands > 1 else count * length)
    for number in range(count):
        first = number // inner * inner * length + number % inner
        places = range(first, first + length * inner, inner)
        results = function(*([x[place] for place in places] for x in numbers))
        for place, value in zip(places if operands == 1 else [number], results):
            y[place] = value * (2 if is_wrong(number, call, inner > 1) else 1)
    give(b"answ", struct.pack("<I", 1), struct.pack(f"<{len(y)}f", *y), b"done")
    call += 1
