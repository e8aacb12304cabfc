"""Functions for numpy with the same bits on every machine: det.exp(x), cr.exp(x), det.softmax(x), convert(x, "fp8_e4m3fn").

They are detmath's array functions in libdetmath.so: their operands and results are arrays, and out= names the array for the result.
Contiguous arrays are not copied. Threads share large arrays, which does not change the bits.
"""

from __future__ import annotations

import ctypes
import functools
import operator
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ._program import FOLDER, Error
from . import adapter

# What detmath calls the formats in the names of its array forms.
SUFFIXES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "e4m3fn",
            "float8_e4m3fnuz": "e4m3fnuz", "float8_e5m2": "e5m2", "float8_e5m2fnuz": "e5m2fnuz"}
MOST_INT = (1 << 31) - 1
SHARE = 1 << 16  # elements for a thread, at least
OF_TWO, PAIRS = ("atan2", "atan2pi", "compoundn", "hypot", "logaddexp", "pow", "pown", "powr", "rootn"), ("sincos",)
TO_ONE, TO_ALL = ("sum", "mean", "logsumexp"), ("cumsum", "logcumsumexp", "softmax", "log_softmax")
PRODUCTS = ("dot", "matmul")
# Along an axis, of arrays of any strides: det's, rounded once but within what detcheck-arrays(7) says.
GRADIENTS = ("logcumsumexp_gradient", "logsumexp_gradient", "log_softmax_gradient")


@functools.lru_cache(maxsize=None)
def shared_library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(FOLDER / "lib" / "libdetmath.so"))
    except OSError as error:
        raise Error(f"libdetmath.so is not in the package: {error}") from None
    library.detmath_profile_find.restype = ctypes.c_void_p
    for name in ("detmath_profile_name", "detmath_mx_profile_name", "detmath_trouble_text", "detmath_self_check_arrays"):
        getattr(library, name).restype = ctypes.c_char_p
    wrong = library.detmath_self_check_arrays()
    if wrong:
        raise Error(f"{wrong.decode()} has wrong bits in the package's libdetmath.so; build it without options that change values")
    return library


@functools.lru_cache(maxsize=None)
def order_library() -> ctypes.CDLL:
    """The library that is built from src/order: units and orders."""
    try:
        return ctypes.CDLL(str(FOLDER / "lib" / "libdetmath_order.so"))
    except OSError as error:
        raise Error(f"libdetmath_order.so is not in the package: {error}") from None


@functools.lru_cache(maxsize=None)
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="detmath")


def shared(count: int, threads: Optional[int], compute: Callable[[int, int], Any], least: int = SHARE) -> None:
    """compute(from, to) for parts of count elements, in threads."""
    parts = max(1, min(threads or os.cpu_count() or 1, count // least))
    edges = [count * part // parts for part in range(parts + 1)]
    if parts == 1:
        compute(0, count)
    else:
        list(pool().map(compute, edges[:-1], edges[1:]))


def arrays_of(name: str, operands: Sequence[Any], count: int) -> List[Any]:
    if len(operands) != count:
        raise TypeError(f"{name} takes {count} {'array' if count == 1 else 'arrays'}, not {len(operands)}")
    found = [np.asarray(one) for one in operands]
    wanted = found[0].dtype if type_name(found[0].dtype) in SUFFIXES else np.dtype(np.float32)
    for one in found:
        if one.dtype != wanted and not (one.dtype.kind in "if" and one.ndim == 0):
            raise TypeError(f"{name} needs arrays of one type of floating point, not {', '.join(str(each.dtype) for each in found)}")
    found = [one.astype(wanted, copy=False) for one in found]
    shape = np.broadcast_shapes(*(one.shape for one in found))
    return [np.ascontiguousarray(np.broadcast_to(one, shape)).reshape(shape) for one in found]


def place_for(name: str, out: Any, shape: Tuple[int, ...], dtype: Any) -> Any:
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous or not out.flags.writeable:
        raise TypeError(f"out= of {name} has to be a contiguous array of {dtype} in the shape {shape}")
    return out


def apart(operands: Sequence[Any], places: Sequence[Any], in_place: bool = True) -> List[Any]:
    """Operands, and copies of those that a result overlaps, but where it may lie in place of one: a call in parts would read what
    another part has written."""
    def clashes(one: Any, place: Any) -> bool:
        same = (one.ctypes.data, one.strides, one.shape, one.itemsize) == (place.ctypes.data, place.strides, place.shape, place.itemsize)
        return np.may_share_memory(one, place) and not (in_place and same)
    return [one.copy() if one is not None and any(clashes(one, place) for place in places if place is not None) else one
            for one in operands]


def address(array: Any, at: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data + at * array.itemsize)


class Functions:
    """The functions of one kind: det, which follows a fixed algorithm in fp32, or cr, which is correctly rounded in each format."""

    def __init__(self, kind: str, what: str) -> None:
        self._kind, self.__doc__ = kind, what

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not self._symbol(name, "f32"):
            raise AttributeError(f"{self._kind} has no {name}; it has: {', '.join(self.__dir__())}")
        family = (self._to_one if name in TO_ONE else self._to_all if name in TO_ALL else self._product if name in PRODUCTS
                  else self._gradient if name in GRADIENTS else self._each)

        def function(*operands: Any, **options: Any) -> Any:
            return family(name, *operands, **options)

        function.__name__ = function.__qualname__ = name
        function.__module__ = f"detcheck.{self._kind}"
        function.__doc__ = f"{name}, {self.__doc__}. Arrays of numpy in and out; out= and threads= as for all."
        setattr(self, name, function)
        return function

    def __dir__(self) -> List[str]:
        from ._commands import list as list_command
        names = [one["name"] for one in list_command("operations").to_dict()["operations"]]
        return [name for name in names if self._symbol(name, "f32")]

    def _symbol(self, name: str, suffix: str) -> Any:
        if name in GRADIENTS:
            return getattr(shared_library(), f"detmath_{name}_along") if self._kind == "det" else None
        prefix = "detmath_cr" if self._kind == "cr" else "detmath"
        return getattr(shared_library(), f"{prefix}_{name}_{suffix}", None)

    def _form(self, name: str, dtype: Any) -> Any:
        form = self._symbol(name, SUFFIXES.get(dtype.name, "?"))
        if not form:
            has = ", ".join(each for each, suffix in SUFFIXES.items() if self._symbol(name, suffix))
            raise TypeError(f"{self._kind}.{name} takes {has}, not {dtype}")
        return form

    def _each(self, name: str, *operands: Any, out: Any = None, threads: Optional[int] = None) -> Any:
        found = arrays_of(name, operands, 2 if name in OF_TWO else 1)
        if self._kind == "det" and found[0].dtype.name in ("float16", "bfloat16"):
            return self._by_fp32(name, found, out, threads)
        form, results = self._form(name, found[0].dtype), 2 if name in PAIRS else 1
        outs = out if results == 2 and out is not None else [out] * results
        places = [place_for(name, one, found[0].shape, found[0].dtype) for one in outs]
        if results == 2 and np.shares_memory(*places):
            raise TypeError(f"out= of {name} has to be two arrays that do not overlap")
        found = apart(found, places)
        shared(found[0].size, threads, lambda first, last: form(*(address(one, first) for one in [*places, *found]),
                                                                ctypes.c_size_t(last - first)))
        given = [one if one.ndim or out is not None else one[()] for one in places]
        return given[0] if results == 1 else tuple(given)

    def _by_fp32(self, name: str, found: List[Any], out: Any, threads: Optional[int]) -> Any:
        """det in a narrow format: computed in fp32, and rounded to the format."""
        dtype = found[0].dtype
        wide = self._each(name, *(one.astype(np.float32) for one in found), threads=threads)
        if isinstance(wide, tuple):
            return tuple(convert(one, dtype, out=into, threads=threads) for one, into in zip(wide, out or (None, None)))
        return convert(wide, dtype, out=out, threads=threads)

    def _lines(self, name: str, x: Any, axis: Optional[int]) -> Tuple[Any, Any, int]:
        """Rows of the elements along an axis, in one piece."""
        array, = arrays_of(name, [x], 1)
        array = array.reshape(-1) if axis is None else np.moveaxis(array, axis, -1)
        return np.ascontiguousarray(array), self._form(name, array.dtype), array.shape[-1] if array.ndim else 1

    def _to_one(self, name: str, x: Any, *, axis: Optional[int] = None, out: Any = None, threads: Optional[int] = None) -> Any:
        rows, form, length = self._lines(name, x, axis)
        real = ctypes.c_float if rows.dtype == np.float32 else ctypes.c_double
        form.restype = real
        place = place_for(name, out, rows.shape[:-1], rows.dtype)
        rows, = apart([rows], [place], in_place=False)
        flat, many = rows.reshape(-1, length) if length else rows, place.reshape(-1)

        def compute(first: int, last: int) -> None:
            for row in range(first, last):
                many[row] = form(address(flat, row * length), ctypes.c_size_t(length))

        shared(many.size, threads, compute, max(1, SHARE // max(length, 1)))
        return place if place.ndim or out is not None else place[()]

    def _to_all(self, name: str, x: Any, *, axis: Optional[int] = -1, out: Any = None, threads: Optional[int] = None) -> Any:
        rows, form, length = self._lines(name, x, axis)
        straight = axis is None or rows.ndim < 2 or axis in (-1, rows.ndim - 1)
        place = place_for(name, out, rows.shape, rows.dtype) if straight else np.empty_like(rows)
        rows, = apart([rows], [place])

        def compute(first: int, last: int) -> None:
            for row in range(first, last):
                form(address(place, row * length), address(rows, row * length), ctypes.c_size_t(length))

        shared(rows.size // max(length, 1), threads, compute, max(1, SHARE // max(length, 1)))
        if straight:
            return place
        turned = np.moveaxis(place, -1, axis if axis is not None else -1)
        if out is None:
            return turned
        place_for(name, out, turned.shape, turned.dtype)[...] = turned
        return out

    def _gradient(self, name: str, x: Any, g: Any, *, axis: Optional[int] = None, exclusive: bool = False, reverse: bool = False,
                  out: Any = None) -> Any:
        """g is the gradient of the result: for logsumexp an element for each line, otherwise an array of x's shape."""
        from ._scaled_sides import strided
        scans, to_one = name == "logcumsumexp_gradient", name == "logsumexp_gradient"
        if (exclusive or reverse) and not scans:
            raise TypeError(f"only logcumsumexp_gradient takes exclusive= and reverse=, and not {name}")
        axis = -1 if axis is None and name == "log_softmax_gradient" else axis
        found, back = (np.ascontiguousarray(one).reshape(np.shape(one)) for one in (x, g))
        if back.dtype != found.dtype:
            raise TypeError(f"{name} needs arrays of one type of floating point, not {found.dtype} and {back.dtype}")
        if axis is not None and not -found.ndim <= axis < found.ndim:
            raise ValueError(f"there is no axis {axis} in the shape {found.shape}")
        kept = () if axis is None else tuple(extent for at, extent in enumerate(found.shape) if at != axis % found.ndim)
        wanted = kept if to_one else found.shape
        if back.shape != wanted:
            raise TypeError(f"{name} needs the gradient of the result in the shape {wanted}, not {back.shape}")
        number = number_of(found.dtype)
        place = np.empty(found.shape, found.dtype) if out is None else place_for(name, out, found.shape, found.dtype)
        if np.shares_memory(place, back) and to_one:
            raise TypeError(f"out= of {name} must not overlap the gradient of the result")
        sides = [ctypes.byref(strided(one, number)) for one in (place, *apart([found, back], [place]))]
        options = [ctypes.c_uint(bool(exclusive) + 2 * bool(reverse))] if scans else []
        status = self._symbol(name, "")(*sides, ctypes.c_int(-(1 << 31) if axis is None else axis), *options)
        if status:
            raise ValueError(f"{name}: {shared_library().detmath_trouble_text(status).decode()}")
        return place if place.ndim or out is not None else place[()]

    def _product(self, name: str, x: Any, y: Any, *, c: Any = None, out: Any = None) -> Any:
        """c is added to each sum of det by one addition more; that of cr is rounded once with it."""
        a, b = (np.ascontiguousarray(one) for one in (x, y))
        form = self._form(name, a.dtype)
        if a.dtype != b.dtype:
            raise TypeError(f"{name} needs arrays of one type, not {a.dtype} and {b.dtype}")
        if name == "dot":
            if a.ndim != 1 or a.shape != b.shape:
                raise TypeError(f"dot needs two vectors of one length, not {a.shape} and {b.shape}")
            form.restype = ctypes.c_float if a.dtype == np.float32 else ctypes.c_double
            if c is not None and self._kind == "cr":
                a, b, c = np.append(a, a.dtype.type(c)), np.append(b, b.dtype.type(1)), None
            found = a.dtype.type(form(address(a), address(b), ctypes.c_size_t(a.size)))
            return found if c is None else found + a.dtype.type(c)
        if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
            raise TypeError(f"matmul needs matrices of ROWSxINNER and INNERxCOLUMNS, not {a.shape} and {b.shape}")
        place = place_for(name, out, (a.shape[0], b.shape[1]), a.dtype)
        form(address(place), address(a), address(b), *(ctypes.c_size_t(one) for one in (*a.shape, b.shape[1])))
        if c is not None:
            place += np.asarray(c, a.dtype)
        return place


det = Functions("det", "a written algorithm in fp32, whose bits are the same on every machine")
cr = Functions("cr", "correctly rounded to nearest-even")

ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away", "stochastic", "nearest-up")


def type_name(dtype: Any) -> str:
    """numpy's name of a type; codes are numbers of this machine's byte order."""
    found = np.dtype(dtype)
    if not found.isnative:
        raise TypeError(f"{found.str} has the bytes of numbers in the other order: x.astype('{found.name}') has this machine's")
    return str(found.name)


def format_name(dtype: Any) -> str:
    """detcheck's name for a type of numpy or ml_dtypes: float8_e4m3fn is fp8_e4m3fn."""
    if isinstance(dtype, str) and dtype.startswith(("fp", "bf", "tf")):
        return {"bfloat16": "bf16"}.get(dtype, dtype)
    name = type_name(dtype)
    return {"bfloat16": "bf16"}.get(name, name.replace("float", "fp", 1))


def dtype_of(name: str) -> Any:
    small: Optional[Any] = None
    try:
        import ml_dtypes
        small = ml_dtypes
    except ImportError:
        pass
    found = adapter.type_of(name, np, small)
    if not found:
        raise TypeError(f"neither numpy nor ml_dtypes has a type for {name}")
    return np.dtype(found)


def profiles(name_at: str = "detmath_profile_name") -> List[str]:
    """The names of the rules for values that are not in the target format: detcheck-casts(7)."""
    names: List[str] = []
    while True:
        name = getattr(shared_library(), name_at)(len(names))
        if not name:
            return names
        names.append(name.decode())


def conversion_between(source: Any, to: Any, profile: str, rounding: Optional[str], random_bits: int = 0) -> Any:
    """detmath's struct for a conversion by a profile; what it fills in is its own business. Without a rounding: the profile's."""
    library = shared_library()
    numbers = [library.detmath_format_find(format_name(one).encode()) for one in (source, to)]
    for number, one in zip(numbers, (source, to)):
        if number < 0:
            raise TypeError(f"detmath has no format for {one}")
    rules = library.detmath_profile_find(profile.encode())
    if not rules:
        raise ValueError(f"there is no profile '{profile}'; there are: {', '.join(profiles())}")
    made, random_bits = ctypes.create_string_buffer(512), whole_number("random_bits=", random_bits, 0, 32)
    if rounding is None:
        rounding = ROUNDINGS[library.detmath_profile_rounding(ctypes.c_void_p(rules), numbers[1])]
    if not library.detmath_profile_conversion(made, ctypes.c_void_p(rules), *numbers, rounding_number(rounding), random_bits):
        raise ValueError(f"the profile {profile} has no conversion from {source} to {to}, {rounding}")
    return made


def cast_of(conversion: Any) -> Any:
    """The struct detmath_cast of a conversion, which comes behind the numbers of the two formats."""
    return ctypes.byref(conversion, 2 * ctypes.sizeof(ctypes.c_int))


def whole_number(what: str, value: Any, least: int, most: int) -> int:
    """A whole number for a member of a struct, which would take others modulo 2^32 or 2^64."""
    number = operator.index(value)
    if not least <= number <= most:
        raise ValueError(f"{what} is a whole number from {least} to {most}, not {value}")
    return number


def rounding_number(rounding: str) -> int:
    if rounding not in ROUNDINGS:
        raise ValueError(f"there is no rounding '{rounding}'; there are: {', '.join(ROUNDINGS)}")
    return ROUNDINGS.index(rounding)


def random_of(random: Any, rounding: Optional[str], shape: Tuple[int, ...]) -> Any:
    """Random bits for each element, where the rounding wants any."""
    return np.ascontiguousarray(np.broadcast_to(np.asarray(random, np.uint32), shape)) if rounding == "stochastic" else None


def convert(x: Any, to: Any, *, profile: str = "ieee", rounding: Optional[str] = None, random: Any = None,
            random_bits: int = 0, format: Optional[str] = None, saturation: Optional[str] = None, out: Any = None,
            threads: Optional[int] = None) -> Any:
    """Converts an array to a format ("fp8_e4m3fn", or a type of numpy or ml_dtypes), by a profile's rules for overflow, infinity and NaN.
    The default rounding is that of the profile: up for onnx-24 to "fp8_e8m0fnu", otherwise to nearest-even. Stochastic rounding needs
    random= (unsigned 32-bit integers, of random_bits bits each).

    Numbers of a format of IEEE P3109 ("binary8p4se") are codes in uint8 or uint16; format= names the format of codes in x. Conversions of
    such numbers have saturation= instead of a profile, and the additional roundings to-odd and stochastic-a, -b and -c. The latter need
    random= of random_bits bits, too, with at most 256 different numbers."""
    from . import _p3109
    if format is not None or saturation is not None or _p3109.is_draft(to):
        if profile != "ieee" or (format is not None and not _p3109.is_draft(format)):
            raise TypeError("format= names a format of P3109, whose conversions take no profile=")
        return _p3109.convert(x, to, format, rounding, saturation, out, random, random_bits)
    source = np.ascontiguousarray(x).reshape(np.shape(x))
    conversion = conversion_between(source.dtype, to, profile, rounding, random_bits)
    bits = random_of(random, rounding, source.shape)
    place = place_for("convert", out, source.shape, dtype_of(format_name(to)))
    (source,), (bits,) = apart([source], [place]), apart([bits], [place], in_place=False)
    shared(source.size, threads, lambda first, last: shared_library().detmath_cast_array(
        conversion, address(place, first), address(source, first), ctypes.c_size_t(last - first),
        address(bits, first) if bits is not None else None))
    return place


class Linear(ctypes.Structure):
    """struct detmath_linear of quantise.h."""

    _fields_ = [("opset", ctypes.c_int), ("dimensions", ctypes.c_int), ("extents", ctypes.POINTER(ctypes.c_size_t)),
                ("granularity", ctypes.c_int), ("axis", ctypes.c_int), ("block", ctypes.c_size_t), ("unsaturated", ctypes.c_int),
                ("precision", ctypes.c_int)]


INTEGERS = ("int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32")  # from number 64 on


def number_of(dtype: Any) -> int:
    """detmath's number for a type of a quantised or a real array."""
    name = type_name(dtype)
    if name in INTEGERS:
        return 64 + INTEGERS.index(name)
    number: int = shared_library().detmath_format_find(format_name(dtype).encode())
    if number < 0:
        raise TypeError(f"detmath has no format for {dtype}")
    return number


def linear(name: str, x: Any, scale: Any, zero_point: Any, to: Any, opset: int, axis: int, block: int, saturate: bool,
           precision: Any, out: Any) -> Any:
    source = np.ascontiguousarray(x).reshape(np.shape(x))
    scales = np.ascontiguousarray(scale, None if isinstance(scale, (np.ndarray, np.generic)) else np.float32)
    wanted, block = np.dtype(to), whole_number("block=", block, 0, sys.maxsize)
    opset, axis = whole_number("opset=", opset, 0, MOST_INT), whole_number("axis=", axis, -MOST_INT, MOST_INT)
    per_axis = scales.size > 1 or (scales.ndim == 1 and source.ndim > 0 and not block and scales.size == source.shape[axis])
    if block or per_axis:
        shape = list(source.shape)
        if not -source.ndim <= axis < source.ndim:
            raise ValueError(f"there is no axis {axis} in the shape {source.shape}")
        shape[axis] = -(-shape[axis] // block) if block else shape[axis]
        expected = tuple(shape) if block else (shape[axis],)
        if tuple(scales.shape) != expected:
            raise ValueError(f"scale has the shape {scales.shape} where {expected} is wanted")
    zeros = None if zero_point is None else np.ascontiguousarray(np.broadcast_to(np.asarray(zero_point), scales.shape).astype(
        wanted if name == "quantise" else source.dtype, copy=False))
    extents = (ctypes.c_size_t * max(source.ndim, 1))(*source.shape)
    rule = Linear(opset, source.ndim, extents, 2 if block else int(per_axis), axis, block or 1, not saturate,
                  -1 if precision is None else number_of(precision))
    place = place_for(name, out, source.shape, wanted)
    source, scales, zeros = apart([source, scales, zeros], [place], in_place=False)
    status = getattr(shared_library(), f"detmath_{name}_linear")(
        ctypes.byref(rule), address(place), number_of(wanted), address(source), number_of(source.dtype), address(scales),
        number_of(scales.dtype), address(zeros) if zeros is not None else None)
    if status:
        said = shared_library().detmath_trouble_text(status).decode()
        raise ValueError(f"{name} from {source.dtype} to {wanted} by a scale of {scales.dtype} in operator set {opset}: {said}")
    return place


def quantise(x: Any, scale: Any, zero_point: Any = None, *, to: Any = "int8", opset: int = 25, axis: int = -1, block: int = 0,
             saturate: bool = True, precision: Any = None, out: Any = None) -> Any:
    """ONNX's QuantizeLinear: saturate(round(x / scale) + zero point) for integers, and a cast of x / scale for floating point. There is one
    scale, or one for each index along the axis, or one for each block of elements along it."""
    return linear("quantise", x, scale, zero_point, to, opset, axis, block, saturate, precision, out)


def dequantise(x: Any, scale: Any, zero_point: Any = None, *, to: Any = "float32", opset: int = 25, axis: int = -1,
               block: int = 0, out: Any = None) -> Any:
    """ONNX's DequantizeLinear: (x - zero point) * scale."""
    return linear("dequantise", x, scale, zero_point, to, opset, axis, block, True, None, out)


class Requantise(ctypes.Structure):
    """struct detmath_requantise_call of quantise.h."""

    _fields_ = [("form", ctypes.c_int), ("rounding", ctypes.c_int), ("multiplier", ctypes.c_int32), ("shift", ctypes.c_int32),
                ("zero_point", ctypes.c_int32), ("y_format", ctypes.c_int)]


FORMS = ("once", "gemmlowp", "tosa", "tosa-double", "fp32")
WHOLE = ("down", "up", "toward-zero", "nearest-even", "nearest-away", "stochastic", "nearest-up")  # enum detmath_dyadic_rounding


def requantise(x: Any, multiplier: int, shift: int, zero_point: int = 0, *, to: Any = "int8", form: str = "once",
               rounding: str = "nearest-even", out: Any = None) -> Any:
    """clip(round(x multiplier / 2^shift) + zero point) for sums in int32. `form` says where it rounds; `rounding` is for the form once."""
    source, wanted = np.ascontiguousarray(x).reshape(np.shape(x)), np.dtype(to)
    if source.dtype != np.int32:
        raise TypeError(f"requantise needs sums of int32, not {source.dtype}")
    if form not in FORMS or rounding not in WHOLE or rounding == "stochastic":
        raise ValueError(f"requantise has no form {form} with the rounding {rounding}; forms: {', '.join(FORMS)}")
    if form != "once" and rounding != "nearest-even":
        raise ValueError("requantise: form= says how it rounds; rounding= is of once")
    place = place_for("requantise", out, source.shape, wanted)
    source, = apart([source], [place])
    rule = Requantise(FORMS.index(form), WHOLE.index(rounding), whole_number("multiplier", multiplier, -(1 << 31), MOST_INT),
                      whole_number("shift", shift, 0, 62), whole_number("zero_point", zero_point, -(1 << 31), MOST_INT), number_of(wanted))
    status = shared_library().detmath_requantise(ctypes.byref(rule), address(place), address(source), ctypes.c_size_t(source.size))
    if status:
        raise ValueError(f"requantise to {wanted}: {shared_library().detmath_trouble_text(status).decode()}")
    return place
