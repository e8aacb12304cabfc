"""The worker's side of the protocol of detcheck-exec(7), for adapters in Python.

Calls `start`, which gets the request and returns (compute, text): a function from one array of codes per
operand to a list of one array of codes per result, and what the adapter is; or (None, reason).
"""

import struct
import sys
from collections import namedtuple

import numpy as np

Request = namedtuple("Request", "version operands results operand_bytes result_bytes length "
                                "operation format result_format rounding parameters")


def take(count):
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        sys.exit()  # detcheck has seen enough
    return data


def give(*parts):
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


def serve(start):
    magic, *numbers = struct.unpack("<8s6I", take(32))
    if magic != b"detcheck" or numbers[0] != 1:
        sys.exit("this program is for 'detcheck sweep ... --impl exec:COMMAND'")
    names = [name.rstrip(b"\0").decode() for name in struct.unpack("32s32s32s32s", take(128))]
    lines = take(numbers[5]).decode().splitlines()
    request = Request(*numbers, *names, dict(line.split("=", 1) for line in lines))
    compute, text = start(request)
    text = text.encode()[:512]
    give(b"detreply", struct.pack("<2I", 0 if compute else 1, len(text)), text)
    codes, results = f"<u{request.operand_bytes}", f"<u{request.result_bytes}"
    while compute:
        kind, count, first = struct.unpack("<2IQ", take(16))
        if kind == 1:
            operands = [np.arange(first, first + count, dtype=np.uint64).astype(codes)]
        else:
            operands = [np.frombuffer(take(request.operand_bytes * count), codes)
                        for _ in range(request.operands)]
        outputs = compute(*operands)
        give(b"answ", struct.pack("<I", count),
             *(np.ascontiguousarray(output).astype(results, copy=False).tobytes()
               for output in outputs), b"done")
