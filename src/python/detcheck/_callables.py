"""A function of Python as an implementation: codes in, numbers of the library that it wants to the function, codes out."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import math
import re
import sys
import threading
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import _texts, adapter, library_names
from ._program import CallableError
from ._scaled_sides import bare
from .adapter_conditions import HAS_MXCSR, Conditions, Flags

__tracebackhide__ = True  # pytest shows the line that called, not these
BLOCK = 32768  # inputs of a request, at most
OF_NUMBERS = ("math",)  # modules whose functions take no arrays


def library_of(function: Any) -> str:
    """The library whose arrays a function wants, as far as it says so itself: numpy's where it does not."""
    owner = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__ or ""
    root = owner.split(".")[0]
    return {"jaxlib": "jax"}.get(root, root) if root in ("torch", "jax", "jaxlib", "cupy", "tensorflow") else "numpy"


def home_of(ufunc: Any) -> str:
    """The module that has a ufunc, which does not name it itself: numpy, scipy.special or any other."""
    name = ufunc.__name__
    homes = ("numpy", "scipy.special", *(one for one in [*sys.modules] if "." not in one))
    return next((one for one in homes if getattr(sys.modules.get(one), "__dict__", {}).get(name) is ufunc), "numpy")


def name_of(function: Any) -> str:
    """Its name in reports: the module and the name."""
    # Some libraries have their functions in a class that nobody names.
    names = [function.__name__] if isinstance(function, types.BuiltinFunctionType) and library_of(function) != "numpy" else []
    names += [getattr(one, attribute, "") for one in (function, type(function)) for attribute in ("__qualname__", "__name__")]
    module = getattr(function, "__module__", None) or (home_of(function) if isinstance(function, np.ufunc) else library_of(function))
    text = f"{module}:{next(name for name in names if name)}"
    return "".join(letter if letter.isalnum() and letter.isascii() or letter in "_./:+-,<>#=@" else "_" for letter in text)[:200]


def rounded_by(method: str, format_: str) -> str:
    """A hint for a function that computes in a wider type than its operands, as scipy's do."""
    return f"; a function of yours that returns f(x).{method}(x.dtype) rounds its results to {format_}"


class Numpy:
    """Arrays of numpy and of whatever takes and gives them; types that numpy lacks are those of ml_dtypes."""

    name = "numpy"

    def __init__(self) -> None:
        self.types: Dict[str, Any] = {}
        self.of_codes: Dict[str, str] = {}  # for formats that have no type

    def type_of(self, format_: str) -> Any:
        if format_ not in self.types:
            small = None
            if not adapter.type_of(format_, np):
                with contextlib.suppress(ImportError):
                    small = importlib.import_module("ml_dtypes")
            found = adapter.type_of(format_, np, small)
            found = found or self.of_codes.get(format_)
            if not found:
                raise CallableError(f"numpy has no type for {format_}" + ("" if small else "; ml_dtypes may: pip install ml_dtypes"))
            self.types[format_] = np.dtype(found)
        return self.types[format_]

    def numbers(self, codes: Any, format_: str) -> Any:
        return codes.view(self.type_of(format_))

    def integers(self, numbers: Any) -> Any:
        """Random integers of less than 32 bits, for a function that rounds by them."""
        return numbers.astype(np.uint32)

    def array(self, result: Any) -> Any:
        if isinstance(result, np.ndarray):
            return result
        if isinstance(result, np.generic):
            return np.asarray(result)
        if hasattr(result, "__dlpack__") and not hasattr(result, "__array__"):
            return np.from_dlpack(result)
        return np.asarray(result)

    def codes(self, result: Any, format_: str, shape: Tuple[int, ...], name: str) -> Any:
        if not hasattr(result, "shape"):
            raise CallableError(f"{name} returned {type(result).__name__}, which is not an array" +
                                ("; of a function f of one number py: needs numpy.array([f(one) for one in x], x.dtype), and Python "
                                 "needs scalar=True" if isinstance(result, (int, float, complex)) else ""))
        if tuple(result.shape) != shape:
            raise CallableError(f"{name} returned the shape {tuple(result.shape)} where the inputs have {shape}")
        found, wanted = self.array(result), self.type_of(format_)
        if wanted.kind == found.dtype.kind == "i":
            found = found.astype(wanted)  # indices, which JAX has in 32 bits
        if found.dtype != wanted:
            raise CallableError(f"{name} returned {found.dtype}; for {format_} it has to return {wanted}" +
                                rounded_by("astype", format_) * (found.dtype.kind == "f" and found.dtype.itemsize > wanted.itemsize))
        return np.ascontiguousarray(found).view(f"<u{wanted.itemsize}")

    def surroundings(self, format_: str) -> Any:
        return np.errstate(all="ignore")


class Torch(Numpy):
    """Tensors of PyTorch on the CPU; they share the memory of the codes."""

    name = "torch"

    def __init__(self) -> None:
        super().__init__()
        self.torch = importlib.import_module("torch")

    def type_of(self, format_: str) -> Any:
        found = adapter.type_of(format_, self.torch)
        if not found:
            raise CallableError(f"PyTorch {self.torch.__version__} has no type for {format_}")
        return found

    def integers(self, numbers: Any) -> Any:
        return self.torch.from_numpy(numbers.astype(np.int64))

    def numbers(self, codes: Any, format_: str) -> Any:
        return self.torch.from_numpy(codes.view(f"<i{codes.itemsize}")).view(self.type_of(format_))

    def codes(self, result: Any, format_: str, shape: Tuple[int, ...], name: str) -> Any:
        if not isinstance(result, self.torch.Tensor):
            raise CallableError(f"{name} returned {type(result).__name__} instead of a tensor of PyTorch")
        if tuple(result.shape) != shape:
            raise CallableError(f"{name} returned the shape {tuple(result.shape)} where the inputs have {shape}")
        if result.dtype != self.type_of(format_):
            raise CallableError(f"{name} returned {result.dtype}; for {format_} it has to return {self.type_of(format_)}" +
                                rounded_by("to", format_) * (result.is_floating_point() and result.itemsize > self.type_of(format_).itemsize))
        size = result.element_size()
        signed = {1: self.torch.int8, 2: self.torch.int16, 4: self.torch.int32, 8: self.torch.int64}[size]
        return result.detach().cpu().contiguous().view(signed).numpy().view(f"<u{size}")

    def surroundings(self, format_: str) -> Any:
        return self.torch.no_grad()


class Jax(Numpy):
    """Arrays of JAX, always of one length, since JAX compiles anew for each."""

    name = "jax"

    def __init__(self) -> None:
        super().__init__()
        self.jax = importlib.import_module("jax")
        self.is_filled_up = True  # not the arrays of an operation on arrays

    def numbers(self, codes: Any, format_: str) -> Any:
        flat = codes.view(self.type_of(format_))
        if self.is_filled_up and len(codes) < BLOCK:
            flat = np.concatenate([flat, np.zeros(BLOCK - len(flat), flat.dtype)])
        return self.jax.numpy.asarray(flat)

    def codes(self, result: Any, format_: str, shape: Tuple[int, ...], name: str) -> Any:
        if self.is_filled_up and getattr(result, "shape", None) == (BLOCK,):
            result = np.asarray(result)[:shape[0]]
        return super().codes(result, format_, shape, name)

    def surroundings(self, format_: str) -> Any:
        if format_ != "fp64":
            return contextlib.nullcontext()
        enable = getattr(self.jax, "enable_x64", None)
        return (importlib.import_module("jax.experimental").enable_x64 if enable is None else enable)(True)


class OfArrayApi(Numpy):
    """Arrays of any library that speaks DLPack or the array API."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        try:
            self.module = importlib.import_module(name)
        except ImportError as error:
            raise CallableError(f"library='{name}' cannot be loaded: {error}") from None

    def numbers(self, codes: Any, format_: str) -> Any:
        numbers = codes.view(self.type_of(format_))
        return (getattr(self.module, "from_dlpack", None) or self.module.asarray)(numbers)

    def array(self, result: Any) -> Any:
        try:
            return np.from_dlpack(result)
        except (BufferError, TypeError, AttributeError, RuntimeError):
            return np.asarray(result.get() if hasattr(result, "get") else result)


def library(name: str) -> Numpy:
    known: Dict[str, Callable[[], Numpy]] = {"numpy": Numpy, "scipy": Numpy, "onnxruntime": Numpy, "torch": Torch, "jax": Jax}
    return known.get(name, lambda: OfArrayApi(name))()


def pole(name: str, numbers: Sequence[float]) -> float:
    """The value that C returns if a function of the module math raises ValueError: an infinity at a pole, NaN elsewhere."""
    x, y = numbers[0], numbers[-1]
    if name == "pow" and x == 0 and y < 0:
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
    at = {"log": (0.0, -math.inf), "log2": (0.0, -math.inf), "log10": (0.0, -math.inf), "log1p": (-1.0, -math.inf),
          "atanh": (math.copysign(1.0, x), math.copysign(math.inf, x)), "gamma": (0.0, math.copysign(math.inf, x)),
          "lgamma": (x if x <= 0 and x % 1 == 0 else math.nan, math.inf)}.get(name)
    return at[1] if at and x == at[0] else math.nan


def overflow(name: str, numbers: Sequence[float]) -> float:
    """The same where it raises OverflowError."""
    x, y = numbers[0], numbers[-1]
    is_negative = x < 0 and (name == "sinh" or (name == "pow" and y % 2 == 1) or (name == "gamma" and x // 1 % 2 == 1))
    return -math.inf if is_negative else math.inf


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers as one of arrays, in the format of its operands."""
    is_math = getattr(function, "__module__", None) == "math"
    name = getattr(function, "__name__", "")

    def of_one(*numbers: float) -> float:
        try:
            return function(*numbers)
        except ValueError:
            if not is_math:
                raise
            return pole(name, numbers)
        except OverflowError:
            if not is_math:
                raise
            return overflow(name, numbers)

    def of_arrays(*operands: Any) -> Any:
        results = [of_one(*numbers) for numbers in zip(*(operand.astype(np.float64).tolist() for operand in operands))]
        if results and isinstance(results[0], tuple):
            return tuple(np.array(column, np.float64).astype(operands[0].dtype) for column in zip(*results))
        try:  # None would be a NaN
            return np.array([float(one) for one in results], np.float64).astype(operands[0].dtype)
        except (TypeError, ValueError):
            raise CallableError(f"{name_of(function)} returned {type(results[0]).__name__}, which is not a number") from None

    return of_arrays


def recoded(codes: Any, source: str, target: str) -> Any:
    """Codes of one format as those of another, rounded to nearest-even."""
    own = Numpy()
    cast = codes.view(own.type_of(source)).astype(own.type_of(target))
    return cast.view(f"<u{cast.itemsize}")


def value_of(text: str) -> Any:
    """A parameter as Python has it: a number, extents of a shape, or text."""
    for kind in (int, lambda given: tuple(map(int, given.split("x")))):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def random_bits(seed: int, count: int, first: int = 0) -> Any:
    """64 bits for each element: Philox4x32-10, its counter the element's place and its key the seed (detcheck-dyadic(7))."""
    place, low = np.arange(count, dtype=np.uint64) + np.uint64(first), np.uint64(0xffffffff)
    shift, zero = np.uint64(32), np.zeros(count, np.uint64)
    x, key = [place & low, place >> shift, zero, zero], [seed & 0xffffffff, seed >> 32]
    for _ in range(10):
        a, b = x[0] * np.uint64(0xd2511f53), x[2] * np.uint64(0xcd9e8d57)
        x = [b >> shift ^ x[1] ^ np.uint64(key[0]), b & low, a >> shift ^ x[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9e3779b9) & 0xffffffff, (key[1] + 0xbb67ae85) & 0xffffffff]
    return x[1] << shift | x[0]


# The formats of P3109, for which no library has a type, and what is made of them: scaled ones and lists.
P3109 = re.compile(r"binary\d+p\d+[su][ef]|.*[*:].*")

# Of the protocol, and what is applied around a function.
NOT_HANDED = re.compile(r"arrays|conditions|flags|errno|lengths|operand\d+|result\d+")


def wanted_of(function: Any, request: Any) -> Dict[str, Any]:
    """The parameters of a call that a function names among its own, or all where it takes any: s1 and q, axis, rounding."""
    handed = {name.replace("-", "_"): value_of(text) for name, text in request.parameters.items() if not NOT_HANDED.fullmatch(name)}
    handed["rounding"] = request.rounding
    if "arrays" not in request.parameters:
        handed.setdefault("random", None)
    try:
        taken = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):  # of a library's own, written in C
        return {}
    operands = {one.name for one in taken[:request.operands] if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)}
    names = {one.name for one in taken if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)}
    if any(one.kind == one.VAR_KEYWORD for one in taken):
        names |= {*handed, "random_bits"}
    names -= operands  # whatever they are called
    found = {name: value for name, value in handed.items() if name in names}
    return {**found, "random_bits": None} if "random_bits" in names and "arrays" in request.parameters else found


def with_parameters(function: Callable[..., Any], request: Any, calls: Numpy, wanted: Dict[str, Any]) -> Callable[..., Any]:
    """A function of numbers that is handed the parameters that it names: as `random`, where rounding is
    stochastic, an array of the random bits of each input (detcheck-parameters(7)), `random_bits` of them."""
    fixed, seed = request.parameters.get("random"), int(request.parameters.get("random-seed", 1))
    mask = np.uint64(2 ** int(request.parameters.get("random-bits", 16)) - 1)

    def given(*numbers: Any, first: int = 0) -> Any:
        with_bits = wanted
        if "random" in wanted:
            count = len(numbers[0])
            drawn = random_bits(seed, count, first) & mask if fixed is None else np.full(count, int(fixed, 0), np.uint64)
            with_bits = {**wanted, "random": calls.integers(drawn) if request.rounding.startswith("stochastic") else None}
        return function(*numbers, **with_bits)

    return given


def operation_on_arrays(function: Callable[..., Any], request: Any, package: Any, axis: str,
                        wanted: Dict[str, Any]) -> Callable[..., Any]:
    if "." not in request.operation and request.operation != "requantise":
        return lambda *numbers, shapes=None: adapter.along(request, function, list(numbers), package, axis, shapes)

    def given(*numbers: Any, shapes: Any = None) -> Any:  # scaled, dyadic and of blocks: arrays beside scales, as they are; requantise
        with_bits = wanted
        if "random_bits" in wanted:
            seed, first = request.parameters.get("stochastic"), numbers[0]
            bits = None if seed is None else random_bits(int(seed), math.prod(first.shape)).reshape(tuple(first.shape))
            with_bits = {**wanted, "random_bits": bits}
        return function(*numbers, **with_bits)

    return given


# Shapes of operands of one call of operations whose operands differ in shape.
PROBES: Dict[str, Tuple[Tuple[int, ...], ...]] = {
    "matmul": ((2, 3), (3, 2), (2, 2)), "dot": ((2, 4), (2, 4)), "silu_mul": ((4,), (4,)), "gelu_mul": ((4,), (4,)),
    **{name: ((2, 4),) for name in ("softmax", "log_softmax", "swiglu", "geglu")},
    **{name: ((2, 4), (4,), (4,)) for name in ("rms_norm", "layer_norm", "l2_norm")}}


class Served:
    """One function under test. `start` is what adapter.serve wants of it."""

    def __init__(self, function: Any, name: str = "", scalar: bool = False, of: Optional[str] = None) -> None:
        if not callable(function) and not isinstance(function, str):
            raise TypeError(f"{function!r} is not a function")
        self.function: Any = function
        self.name = name or name_of(function)
        self.scalar, self.of = scalar, of or ("numpy" if scalar else library_of(function))
        self.busy: Dict[int, str] = {}  # by thread, what it is being called for
        self.has_number = False  # some result was no NaN
        self.has_result = False

    def takes_codes(self) -> bool:
        """Whether a function may be meant for codes: those of libraries would take them for integers."""
        return not self.scalar and not isinstance(self.function, np.ufunc)

    def conditions(self, variants: Callable[[], List[str]] = list) -> Optional[Conditions]:
        if self.of not in ("numpy", "scipy"):
            return Conditions("length threads rounding flushing precision flags left",
                              f"{self.of} itself decides where its arrays are in memory, and what is beside them", variants)
        is_ufunc = isinstance(self.function, np.ufunc)
        return Conditions("length offset stride threads rounding flushing precision flags around left" + " in-place by-number" * is_ufunc,
                          "a function of Python is not asked for them", variants)

    def told(self, request: Any, operands: Sequence[Any]) -> str:
        first = int(operands[0].reshape(-1)[0]) if operands[0].size else 0
        digits = -(-int(operands[0].itemsize) * 2)
        shape = "x".join(map(str, operands[0].shape))
        count = f"{len(operands[0]):,} inputs" if operands[0].ndim == 1 else f"an array of {shape}"
        return f"{count} of {request.format} from 0x{first:0{digits}x}"

    @contextlib.contextmanager
    def called_for(self, what: str) -> Iterator[None]:
        """Around a call of the function: whatever it raises becomes a line about it."""
        me = threading.get_ident()
        self.busy[me] = what
        try:
            yield
        except CallableError:
            raise
        except BaseException as error:  # sys.exit() too: it is the function's, and no wish to end this process
            said = ": ".join(filter(None, [type(error).__name__, first_line(error)]))
            raise CallableError(f"{self.name} raised {said} for {what}{self.hint(error)}") from error
        finally:
            del self.busy[me]

    def start_texts(self, request: Any) -> Tuple[Optional[Callable[..., List[Any]]], str]:
        """Starts a function that reads or writes texts, one at a time."""
        reads, wanted = request.operation == "from_decimal", _texts.wanted(wanted_of(self.function, request))
        if request.rounding != "nearest-even" and "rounding" not in wanted:
            return None, f"{self.name} computes only in nearest-even, as it has no parameter rounding"
        try:
            kind = Numpy().type_of(request.result_format if reads else request.format)
            found = _texts.of_arrays(self.function, self.name, request, kind, wanted)
        except CallableError as error:
            return None, str(error)

        def compute(operand: Any, shapes: Sequence[Any]) -> List[Any]:
            with self.called_for(f"{math.prod(operand.shape[:-1] if reads else operand.shape):,} {'texts' if reads else 'numbers'}"):
                with np.errstate(all="ignore"):
                    codes = found(operand, shapes)
            self.has_number = self.has_result = True
            return codes

        setattr(compute, "takes_shapes", True)
        _texts.trial(request, compute)
        return compute, self.detail()

    def start(self, request: Any) -> Tuple[Optional[Callable[..., List[Any]]], str]:
        if _texts.are_asked_for(request):
            return self.start_texts(request)
        arrays, calls = "arrays" in request.parameters, library(self.of)
        is_cast = request.operation == "cast"
        bytes_of = {request.format: request.operand_bytes, request.result_format: request.result_bytes}
        draft = [] if arrays else [format_ for format_ in bytes_of if P3109.fullmatch(format_)]
        if draft and not is_cast and not self.takes_codes():
            return None, f"{self.name} is called with numbers, and {calls.name} has no type for {draft[0]}; a function of arrays gets its codes"
        is_handed = is_cast or draft or arrays and ("." in request.operation or request.operation == "requantise")
        wanted = wanted_of(self.function, request) if is_handed else {}
        is_drawn = not arrays and request.rounding.startswith("stochastic")
        if request.rounding != "nearest-even" and "rounding" not in wanted and not (is_drawn and "random" in wanted):
            name = "random, nor rounding" if is_drawn else "rounding"
            return None, f"{self.name} computes only in nearest-even" + f", as it has no parameter {name}" * is_handed
        taken = getattr(self.function, "nin", request.operands) if isinstance(self.function, np.ufunc) else request.operands
        if taken != request.operands and not arrays:
            return None, f"{self.name} takes {taken} operand{'s' * (taken != 1)} where {request.operation} has {request.operands}"
        calls.of_codes = {format_: f"<u{bytes_of[format_]}" for format_ in (bytes_of if is_cast else draft)}
        formats = [request.parameters.get(f"operand{i + 1}", request.format) for i in range(request.operands)]
        results = [request.parameters.get(f"result{i + 1}", request.result_format) for i in range(request.results)]
        for format_ in formats + results:
            calls.type_of(format_)
        function = elementwise(self.function) if self.scalar else self.function
        if arrays:
            if isinstance(calls, Jax):
                calls.is_filled_up = False
            package = calls.torch if isinstance(calls, Torch) else calls.jax.numpy if isinstance(calls, Jax) else np
            function = operation_on_arrays(function, request, package, "dim" if self.of == "torch" else "axis", wanted)
        elif wanted:
            function = with_parameters(function, request, calls, wanted)
        is_bare = "." in request.operation  # leading dimensions of 1 say nothing, as operands broadcast
        is_flat = not is_bare and adapter.is_made_flat(request)
        # Operands are cast before, as --dtype says.
        sources, formats = formats, [results[0]] * len(formats) if "dtype" in request.parameters else formats

        def compute(*operands: Any, out: Optional[List[Any]] = None, by_number: bool = False,
                    shapes: Optional[List[Tuple[int, ...]]] = None, first: int = 0) -> List[Any]:
            with self.called_for(self.told(request, operands)):
                with calls.surroundings(request.format):
                    numbers = [calls.numbers(one if source == format_ else recoded(one, source, format_), format_)
                               for one, source, format_ in zip(operands, sources, formats)]
                    if by_number:
                        found: Any = np.array([function(*one) for one in zip(*numbers)], calls.type_of(results[0]))
                    elif out and isinstance(function, np.ufunc):
                        found = function(*numbers, out=tuple(one.view(calls.type_of(results[0])) for one in out))
                    else:
                        found = function(*numbers, **({"first": first} if is_drawn else {"shapes": shapes} if arrays else {}))
                given = list(found) if isinstance(found, (tuple, list)) and len(results) > 1 else [found]
                if len(given) != len(results):
                    raise CallableError(f"{self.name} returned {len(given)} {'result' if len(given) == 1 else 'results'} where {request.operation} has {len(results)}")
                laid = (lambda shape: (math.prod(shape),)) if is_flat else bare if is_bare else tuple
                places = shapes or [operands[0].shape] * len(results)
                codes = [self.checked(calls, one, format_, shape, operands[0].shape, laid if arrays else None)
                         for one, format_, shape in zip(given, results, places)]
            if not out:
                return codes
            for into, one in zip(out, codes):
                if not np.shares_memory(into, one):
                    into[:] = one
            return out

        setattr(compute, "takes_shapes", arrays)
        setattr(compute, "takes_first", is_drawn)
        if not arrays and request.parameters.get("flags") == "1" and self.tells_flags(request):
            return self.with_flags(compute, request, formats, calls), self.detail()
        return compute, self.detail()

    def tells_flags(self, request: Any) -> bool:
        """Numbers that are converted on the way to the function and back would raise flags of their own."""
        return HAS_MXCSR and self.of in ("numpy", "scipy") and (not self.scalar or request.format == "fp64")

    def with_flags(self, compute: Callable[..., List[Any]], request: Any, formats: List[str], calls: Numpy) -> Callable[..., List[Any]]:
        """The same, and behind it the flags of calls on one number each."""
        flags = Flags()

        def tell(*operands: Any) -> List[Any]:
            codes, told = compute(*operands), np.zeros((2, operands[0].size), np.uint8)
            with calls.surroundings(request.format):
                numbers = [calls.numbers(one, format_) for one, format_ in zip(operands, formats)]
                for at in range(told.shape[1]):
                    told[:, at] = flags.of(self.function, [float(one[at]) if self.scalar else one[at:at + 1] for one in numbers])
            return [*codes, *told]

        setattr(tell, "tells_flags", True)
        return tell

    def hint(self, error: BaseException) -> str:
        """A hint that the function may take something other than arrays: one number, or arrays of another library."""
        if not self.scalar and re.search("only (length-1|size-1|0-dimensional) arrays|must be real number", str(error)):
            return "; a function of one number needs scalar=True"
        place = re.search("unexpected keyword argument '(axis|dim)'", str(error)) if isinstance(error, TypeError) else None
        if place:
            return f"; an operation on arrays hands its function the axis that it goes along: def f(x, {place[1]})"
        others = [name for name in ("torch", "jax", "cupy") if name in sys.modules and name != self.of]
        named = "".join(f'; library="{name}" would give it arrays of {name}' for name in others[:1])
        return named if isinstance(error, (TypeError, AttributeError)) and self.of == "numpy" else ""

    def checked(self, calls: Numpy, result: Any, format_: str, shape: Tuple[int, ...], inputs: Tuple[int, ...],
                laid: Optional[Callable[[Sequence[int]], Tuple[int, ...]]]) -> Any:
        """Codes of a result, of operations on arrays with its shape as `laid` has shapes."""
        if laid:
            result = result if hasattr(result, "shape") else np.asarray(result)
            found, wanted = tuple(result.shape), laid(shape)
            if (bare(found) if laid is bare else found) != wanted and (found or math.prod(shape) != 1):  # of one number there may be none
                of = "the inputs have" if wanted == laid(inputs) else "the result has"
                raise CallableError(f"{self.name} returned the shape {found} where {of} {wanted}")
            shape = found
        codes = calls.codes(result, format_, shape, self.name)
        if not self.has_number and codes.size:
            self.has_result = True
            self.has_number = not bool(is_nan(result).all())
        return codes

    def probe(self, request: Any) -> Optional[str]:
        """Why it cannot be asked for what the request wants, where that shows at once."""
        compute, text = self.start(request)
        if not compute:
            return text
        if _texts.are_asked_for(request):  # start has called it
            return None
        if "arrays" in request.parameters:
            return self.misfit(request) or self.refusal(request, compute)
        try:
            compute(*[np.zeros(4, f"<u{request.operand_bytes}") for _ in range(request.operands)])
        except CallableError as error:
            return str(error)
        return None

    def misfit(self, request: Any) -> Optional[str]:
        """Why the function cannot compute an operation on arrays by the parameters that it names; None where it can."""
        if "." in request.operation or request.operation == "requantise":
            return None
        axis = {} if request.operation in adapter.WITHOUT_AXIS else {"dim" if self.of == "torch" else "axis": -1}
        try:
            signature = inspect.signature(self.function, follow_wrapped=False)
        except (TypeError, ValueError):  # of a library's own, written in C
            return None
        try:
            signature.bind_partial(*[None] * request.operands, **axis)
        except TypeError as error:
            return f"{self.name}{signature} cannot be called for {request.operation}: {error}"
        return None

    def refusal(self, request: Any, compute: Callable[..., List[Any]]) -> Optional[str]:
        """The TypeError that a function raises for any arrays; it would raise it for each shape."""
        if "." in request.operation or request.operation == "requantise":
            return None
        is_known = request.operands != 1 or request.operation in adapter.SHAPED
        shapes = PROBES.get(request.operation, ())[:request.operands] if is_known else ((2, 4),)
        if len(shapes) < request.operands:
            return None
        try:
            compute(*[np.zeros(shape, f"<u{request.operand_bytes}") for shape in shapes])
        except CallableError as error:  # another shape than the result has is none, as nobody has said which one
            return str(error) if isinstance(error.__cause__, TypeError) else None
        return None

    def detail(self) -> str:
        module = sys.modules.get(self.name.split(":")[0].split(".")[0])
        version = getattr(module, "__version__", "")
        library_version = getattr(sys.modules.get(self.of), "__version__", "")
        return f"{module.__name__} {version}" if module and version else f"Python {sys.version.split()[0]}, {self.of} {library_version}".strip()


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


def is_nan(result: Any) -> Any:
    """A mask of the elements that are NaN, in any library."""
    with np.errstate(invalid="ignore"):
        return np.asarray(result != result)


def by_name(text: str) -> Served:
    """The function that a name behind "py:" stands for: MODULE:PATH, or MODULE alone for the functions of the library's table."""
    module_name, colon, path = text.partition(":")
    module = library_names.load_module(module_name)
    if not colon:
        if module_name not in library_names.NAMES:
            raise CallableError(f"there is no table of the names in {module_name}; say {module_name}:FUNCTION")
        return ByTable(module, module_name)
    function = library_names.resolve(module, path)
    return Served(function, text, scalar=module_name in OF_NUMBERS, of=module_name if module_name in library_names.NAMES else library_of(function))


class ByTable(Served):
    """A whole library: the function is that of the operation."""

    def __init__(self, module: Any, name: str) -> None:
        super().__init__(lambda *_: None, name, of=name)
        self.module = module

    def takes_codes(self) -> bool:
        return False

    def start(self, request: Any) -> Tuple[Optional[Callable[..., List[Any]]], str]:
        found = library_names.function_of(self.module, self.name, request.operation)
        if not found:
            return None, f"{self.name} has no {request.operation} in the table of names"
        self.function = found
        return super().start(request)
