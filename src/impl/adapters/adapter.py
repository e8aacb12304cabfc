"""The worker's side of the protocol of detcheck-exec(7), for adapters in Python.

Calls `start`, which gets the request and returns (compute, text): a function from one array of codes per
operand to a list of one array of codes per result, and what the adapter is; or (None, reason). With
serve(start, arrays=True) it is asked for operations on arrays too, whose operands and results have shapes.
serve(..., conditions=CONDITIONS) says which conditions of a call `compute` obeys: adapter_conditions.py.
need(package) imports a package, or tells detcheck that it is missing. type_of finds the types of casts.
"""

import importlib
import math
import struct
import sys
from collections import namedtuple

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


def shaped(operands, results):
    """The operands of a call, and the shapes of its results."""
    shapes = [struct.unpack("<2I8Q", take(72)) for _ in range(operands + results)]
    codes = [np.frombuffer(take(each * math.prod(extents[:count])), f"<u{each}").reshape(extents[:count])
             for count, each, *extents in shapes[:operands]]
    return codes, [(f"<u{each}", extents[:count]) for count, each, *extents in shapes[operands:]]


# What an exclusive scan begins with.
NOTHING = {"cumsum": 0.0, "logcumsumexp": -math.inf}


def along(request, function, numbers, package, axis="axis"):
    """A function of arrays along the request's axis, of arrays that are made flat where none is asked for. A reversed
    scan is one of the array turned round; an exclusive one has the results of the elements before, and first what the
    sum of nothing is."""
    given = request.parameters.get("axis")
    if given is None and request.operation not in ("matmul", "softmax", "log_softmax"):
        numbers = [x.reshape(-1) for x in numbers]
    place = (-1 if given is None else int(given)) % numbers[0].ndim
    turn = (lambda x: package.flip(x, (place,))) if "reverse" in request.parameters else (lambda x: x)
    result = function(*map(turn, numbers), **{axis: place})
    if "exclusive" in request.parameters:
        before = (slice(None),) * place
        first = package.full_like(result[(*before, slice(0, 1))], NOTHING[request.operation])
        result = package.concatenate([first, result[(*before, slice(0, -1))]], **{axis: place})
    return turn(result)


def type_of(format_, *packages):
    """The type that the first of the packages has for a format of a cast: fp8_e4m3fn is float8_e4m3fn. None: none has it."""
    name = "bfloat16" if format_ == "bf16" else format_.replace("fp", "float", 1)
    return next((getattr(package, name) for package in packages if hasattr(package, name)), None)


def serve(start, arrays=False, conditions=None):
    magic, *numbers = struct.unpack("<8s6I", take(32))
    if magic != b"detcheck" or numbers[0] != 1:
        sys.exit("this program is for 'detcheck sweep ... --impl exec:COMMAND'")
    names = [name.rstrip(b"\0").decode() for name in struct.unpack("32s32s32s32s", take(128))]
    lines = take(numbers[5]).decode().splitlines()
    request = Request(*numbers, *names, dict(line.split("=", 1) for line in lines))
    is_array = "arrays" in request.parameters  # its value is the version of their part of the protocol
    compute, text = None, "this adapter has no operations on arrays"
    if not is_array or arrays and request.parameters["arrays"] == "1":
        compute, text = start(request)
    text, status = text.encode()[:512], (3 if is_array else 0) if compute else 1
    if compute and conditions and request.parameters.get("conditions") == "1":
        text, status = (text + conditions.lines(is_array, request.operand_bytes == request.result_bytes).encode())[:4096], 7
    give(b"detreply", struct.pack("<2I", status, len(text)), text)
    codes, results = f"<u{request.operand_bytes}", [(f"<u{request.result_bytes}", -1)] * request.results
    while compute:
        kind, count, first = struct.unpack("<2IQ", take(16))
        head = struct.pack("<I", first % 2**32 if kind == 5 else count)
        asked = conditions.asked(take(40)) if kind == 5 else None
        if kind == 4:
            operands, results = shaped(request.operands, request.results)
        elif kind == 1:
            operands = [np.arange(first, first + count, dtype=np.uint64).astype(codes)]
        else:
            operands = [np.frombuffer(take(request.operand_bytes * count), codes)
                        for _ in range(request.operands)]
        outputs = conditions.compute(compute, request, asked, operands) if asked else compute(*operands)
        give(b"answ", head,
             *(np.ascontiguousarray(output).astype(code, copy=False).reshape(shape).tobytes()
               for output, (code, shape) in zip(outputs, results)), b"done")


def need(package):
    try:
        return importlib.import_module(package)
    except ImportError as error:
        reason = f"{sys.executable} cannot import {package}: {error}".splitlines()[0]
        serve(lambda request: (None, reason), arrays=True)
        return sys.exit()


np = need("numpy")
