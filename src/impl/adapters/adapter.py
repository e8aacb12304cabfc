"""The worker's side of the protocol of detcheck-exec(7), for adapters in Python.

Calls `start`, which gets the request and returns (compute, text): a function from one array of codes per
operand to a list of one array of codes per result, and what the adapter is; or (None, reason). With
serve(start, arrays=True) it is asked for operations on arrays too, whose operands and results have shapes.
serve(..., conditions=CONDITIONS) says which conditions of a call `compute` obeys: adapter_conditions.py.
Where the request has flags=1, compute may have the attribute tells_flags; it then returns behind its results two arrays of
bytes: the flags that the calls raise and clear. Where compute has the attribute takes_shapes, it is called for operations on
arrays with shapes=, those of the results. Where it has the attribute takes_first, which is for casts that round
stochastically, it is called with first=, the number of the first input in the run.
serve(..., stream=Stream(source, sink)) speaks over other descriptors than standard input and output: the package
detcheck serves functions of a running process so, from threads.
serve(..., without_numpy=True) is for a Python that may lack numpy: compute then gets bytes and returns bytes, those of each array, and
has shapes= of operands and results.
need(package) imports a package, or tells detcheck that it is missing. type_of finds the types of casts.
"""

import importlib
import inspect
import math
import os
import struct
import sys
from collections import namedtuple

__tracebackhide__ = True  # of a test under pytest
Request = namedtuple("Request", "version operands results operand_bytes result_bytes length "
                                "operation format result_format rounding parameters tells_gaps")


class Stream:
    """Two descriptors: what detcheck writes, and what it reads."""

    def __init__(self, source, sink):
        self.source, self.sink = source, sink

    @classmethod
    def standard(cls):
        """Standard input and output; what a library prints goes to standard error then, lest it be taken for an answer."""
        sink = os.dup(1)
        os.dup2(2, 1)
        return cls(0, sink)

    def fill(self, buffer):
        view = memoryview(buffer).cast("B")
        while view:
            count = os.readv(self.source, [view])
            if not count:
                raise EOFError  # detcheck has seen enough
            view = view[count:]
        return buffer

    def take(self, count):
        return bytes(self.fill(bytearray(count))) if count else b""

    def array(self, count, code):
        np = numpy()
        return self.fill(np.empty(count, code)) if count else np.empty(0, code)

    def give(self, *parts):
        parts = [memoryview(part).cast("B") for part in parts if len(part)]
        while parts:
            count = os.writev(self.sink, parts)
            while parts and count >= len(parts[0]):
                count -= len(parts.pop(0))
            if parts:
                parts[0] = parts[0][count:]

    def shaped(self, operands, results):
        """The operands of a call, and the shapes of its results."""
        shapes = [struct.unpack("<2I8Q", self.take(72)) for _ in range(operands + results)]
        codes = [self.array(math.prod(extents[:count]), f"<u{each}").reshape(extents[:count])
                 for count, each, *extents in shapes[:operands]]
        return codes, [(f"<u{each}", extents[:count]) for count, each, *extents in shapes[operands:]]

    def shaped_bytes(self, operands, results):
        """The same as bytes, and the shapes of all."""
        shapes = [struct.unpack("<2I8Q", self.take(72)) for _ in range(operands + results)]
        extents = [tuple(more[:count]) for count, _, *more in shapes]
        return [self.take(math.prod(one) * each) for one, (_, each, *_) in zip(extents, shapes[:operands])], extents


# What an exclusive scan begins with.
NOTHING = {"cumsum": 0.0, "logcumsumexp": -math.inf}


# Operations that take an array as it is where no axis is named, and those that have none.
WITHOUT_AXIS = ("group_norm", "batch_norm", "silu_mul", "gelu_mul", "attention", "rope", "rope_gradient",
                "embedding_bag", "embedding_bag_offsets", "average_pool", "convolution", "sgd", "adam", "adamw",
                *(f"{of}_gradient" for of in "embedding_bag embedding_bag_offsets embedding_bag_weight embedding_bag_offsets_weight "
                  "average_pool convolution attention silu_mul gelu_mul group_norm batch_norm group_norm_weight batch_norm_weight".split()))
KERNELS = (*"rms_norm layer_norm l2_norm swiglu geglu sort top_k argmax cross_entropy".split(),
           *(f"{of}_gradient" for of in "cross_entropy rms_norm layer_norm l2_norm rms_norm_weight layer_norm_weight l2_norm_weight "
             "swiglu geglu softmax".split()), *WITHOUT_AXIS)
SHAPED = ("matmul", "softmax", "log_softmax", *KERNELS)


# Parameters of kernels, which functions may name among their own, with _ for -.
KERNEL_PARAMETERS = ("epsilon approximate groups base factor rotary interleaved causal window bias soft-cap k reverse smoothing ignore-index reduction "
                     "mode weighted padding-index stride padding dilation count-include-pad ceil-mode learning-rate momentum dampening nesterov "
                     "weight-decay beta1 beta2 step page split").split()


def value_of(text):
    """A parameter's: a number in decimal or hexadecimal, true of one that is given without a value, or a word."""
    if text == "true":
        return True
    for kind in (int, float, float.fromhex):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def kernel_parameters(function, request, shapes=None):
    """Those of the request that a function of a kernel names; what is none is left out, but an epsilon is 0. Where it names shape,
    it gets that of the first result."""
    given = {name: text for name, text in request.parameters.items() if name in KERNEL_PARAMETERS and text != "none"}
    if request.parameters.get("epsilon") == "none":
        given["epsilon"] = "0"
    if request.operation not in KERNELS or not (given or shapes):
        return {}
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of a library's own, written in C
        return {}
    names = {one.name for one in taken if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)}
    for name in {"page", "split"} & given.keys() - names:  # which change no result, so that nobody would see it
        raise ValueError(f"the function is not told of --{name}")
    taken = {name.replace("-", "_"): value_of(text) for name, text in given.items() if name.replace("-", "_") in names}
    return {**taken, "shape": tuple(shapes[0])} if shapes and "shape" in names else taken


def takes_c_alone(request):
    """Whether c comes into sums that libraries add to nothing: only a product of matrices has one (addmm, beta of BLAS)."""
    return "addend" in request.parameters and request.operation != "matmul"


def is_made_flat(request):
    """Whether an operation along an axis takes its array as one line."""
    return request.parameters.get("axis") is None and request.operation not in SHAPED


def along(request, function, numbers, package, axis="axis", shapes=None):
    """A function of arrays along the request's axis, of arrays that are made flat where none is asked for; `shapes` are those of
    the results. A reversed scan is one of the array turned round; an exclusive one has the results of the elements before, and first what the
    sum of nothing is."""
    given, more = request.parameters.get("axis"), kernel_parameters(function, request, shapes)
    if request.operation in WITHOUT_AXIS:
        return function(*numbers, **more)
    if is_made_flat(request):
        numbers = [x.reshape(-1) for x in numbers]
    place = (-1 if given is None else int(given)) % numbers[0].ndim
    turn = (lambda x: package.flip(x, (place,))) if "reverse" in request.parameters and request.operation not in SHAPED else (lambda x: x)
    result = function(*map(turn, numbers), **{axis: place}, **more)
    if "exclusive" in request.parameters:
        before = (slice(None),) * place
        first = package.full_like(result[(*before, slice(0, 1))], NOTHING[request.operation])
        result = package.concatenate([first, result[(*before, slice(0, -1))]], **{axis: place})
    return turn(result)


def numbers_format(request):
    """Of the results of an operation on arrays, that of what they are made of where they are indices."""
    return request.format if request.result_format == "int64" else request.result_format


def codes_of(result, kind):
    """Of numbers of that type of numpy, or of indices."""
    np = numpy()
    result = np.asarray(result)
    result = result.astype(np.int64 if result.dtype.kind in "iu" else kind, copy=False)
    return result.view(f"u{result.itemsize}")


# Formats of elements of blocks, by those of the same codes.
ELEMENTS = {"mxfp8_e5m2": "fp8_e5m2", "mxfp8_e4m3": "fp8_e4m3fn", "mxfp6_e3m2": "fp6_e3m2fn", "mxfp6_e2m3": "fp6_e2m3fn",
            "mxfp4_e2m1": "fp4_e2m1fn", "mxint8": "int8"}


def type_of(format_, *packages):
    """The type that the first of the packages has for a format of a cast: fp8_e4m3fn is float8_e4m3fn. None: none has it."""
    format_ = ELEMENTS.get(format_, format_)
    name = "bfloat16" if format_ == "bf16" else format_.replace("fp", "float", 1)
    return next((getattr(package, name) for package in packages if hasattr(package, name)), None)


def greet(stream):
    """What detcheck asks for."""
    magic, *numbers = struct.unpack("<8s6I", stream.take(32))
    if magic != b"detcheck" or numbers[0] != 1:
        sys.exit("this program is for 'detcheck sweep ... --impl exec:COMMAND'")
    names = [name.rstrip(b"\0").decode() for name in struct.unpack("32s32s32s32s", stream.take(128))]
    lines = stream.take(numbers[5]).decode().splitlines()
    parameters = dict(line.split("=", 1) for line in lines)
    names[0] = parameters.pop("operation", names[0])  # whole, where it is longer than the header has room for
    names[1] = parameters.pop("format", names[1])
    return Request(*numbers, *names, parameters, parameters.pop("gaps", None) == "1")


def answer(stream, request, compute, conditions):
    """One request."""
    np = numpy()
    kind, count, first = struct.unpack("<2IQ", stream.take(16))
    codes, results = f"<u{request.operand_bytes}", [(f"<u{request.result_bytes}", ())] * request.results
    head = struct.pack("<I", first % 2**32 if kind == 5 else count)
    asked = conditions.asked(stream.take(40)) if kind == 5 else None
    if kind == 4:
        operands, results = stream.shaped(request.operands, request.results)
    elif kind == 1:
        operands = [np.arange(count, dtype=codes) + np.array(first, codes)]
    else:
        operands = [stream.array(count, codes) for _ in range(request.operands)]
    shapes = {"shapes": [tuple(extents) for _, extents in results]} if kind == 4 and getattr(compute, "takes_shapes", False) else {}
    numbers = {"first": first} if kind == 2 and getattr(compute, "takes_first", False) else {}
    outputs = conditions.compute(compute, request, asked, operands) if asked else compute(*operands, **shapes, **numbers)
    results += [("<u1", ())] * (len(outputs) - len(results))  # flags
    for output, (_, extents) in zip(outputs, results):  # fewer would be waited for, more be taken for the next answer
        wanted = math.prod(extents) if kind == 4 else count
        if np.size(output) != wanted:
            sys.exit(f"a result of {request.operation} has {np.size(output):,} numbers where {wanted:,} are wanted")
    gaps = getattr(outputs, "gaps", None)  # inputs of which a result was not written
    behind = (gaps, b"done") if request.tells_gaps and gaps is not None and gaps.any() else ()
    stream.give(b"gaps" if behind else b"answ", head, *(np.ascontiguousarray(output).astype(code, copy=False).reshape(-1)
                                                        for output, (code, _) in zip(outputs, results)), b"done", *behind)


def answer_bytes(stream, request, compute):
    """One call on arrays, without numpy."""
    _, count, _ = struct.unpack("<2IQ", stream.take(16))
    operands, shapes = stream.shaped_bytes(request.operands, request.results)
    stream.give(b"answ", struct.pack("<I", count), *compute(*operands, shapes=shapes), b"done")


def serve(start, arrays=False, conditions=None, stream=None, without_numpy=False):
    stream = stream or Stream.standard()
    if not without_numpy:
        numpy()
    request = greet(stream)
    is_array = "arrays" in request.parameters  # its value is the version of their part of the protocol
    compute, text = None, "this adapter has no operations on arrays"
    if not is_array or arrays and request.parameters["arrays"] == "1":
        compute, text = start(request)
    text, status = text.encode()[:512], (3 if is_array else 0) if compute else 1
    if compute and conditions and request.parameters.get("conditions") == "1":
        text, status = (text + conditions.lines(is_array, request.operand_bytes == request.result_bytes).encode())[:4096], 7
    elif getattr(compute, "tells_flags", False):
        status = 4
    stream.give(b"detreply", struct.pack("<2I", status, len(text)), text)
    try:
        while compute:
            if without_numpy:
                answer_bytes(stream, request, compute)
            else:
                answer(stream, request, compute, conditions)
    except EOFError:
        pass


def need(package):
    try:
        return importlib.import_module(package)
    except ImportError as error:
        reason = f"{sys.executable} cannot import {package}: {error}".splitlines()[0]
        serve(lambda request: (None, reason), arrays=True, without_numpy=True)
        return sys.exit()


def numpy():
    return sys.modules.get("numpy") or need("numpy")


def __getattr__(name):
    """np, which is numpy, for adapters that import it from here."""
    if name == "np":
        return numpy()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
