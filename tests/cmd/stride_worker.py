"""A worker for exec: whose relu in fp16 is right but where numbers stand apart in their arrays: there its results have
another last bit. It can be asked for length and stride (detcheck-exec(7))."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "impl", "remote"))
sys.dont_write_bytecode = True
from worker import give, take  # noqa: E402

RANGE, CONDITIONED = 1, 5

header = struct.unpack("<8s6I32s32s32s32s", take(160))
is_asked = b"conditions=1" in take(header[6])
text = b"test\nconditions=length stride\nwhy=it is a test" if is_asked else b"test"
give(b"detreply", struct.pack("<2I", 7 if is_asked else 0, len(text)), text)
while True:
    kind, count, first = struct.unpack("<2IQ", take(16))
    stride = struct.unpack("<8IQ", take(40))[3] if kind == CONDITIONED else 1
    codes = range(first, first + count) if kind == RANGE else struct.unpack(f"<{count}H", take(2 * count))
    results = [(0 if code >> 15 else code) ^ (stride > 1) for code in codes]
    answered = first & 0xFFFFFFFF if kind == CONDITIONED else count
    give(b"answ", struct.pack("<I", answered), struct.pack(f"<{count}H", *results), b"done")
