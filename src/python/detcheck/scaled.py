"""Scaled arrays (detcheck-scaled(7)), for numpy: data in a narrow format or fp32, and scales; a pair stands for data * scale.

    x = scaled.Scaled(data, numpy.float32(0.25))
    y = scaled.matmul(x, w, to="fp16")          # Scaled(data=..., scale=...)

An operand is such a pair, or an array alone, whose scale is 1. Scales are fp32, or int32 for powers of two (n stands for 2^n). There is
one scale, or an array of them, whose dimensions match those of the data from the last one backwards. Along each dimension there is
one scale for all elements, one for each, or one for each block. Operands broadcast.

Results have the format of the first operand or of to=. profile= selects the rules for values that are not in this format
(detcheck-casts(7)). out= is a pair of arrays, data and scales. Arrays of any strides are used without a copy. threads= does not change
the bits.
"""

from __future__ import annotations

import builtins
import ctypes
import math
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Protocol, Sequence, Tuple, Union

import numpy as np

from ._functions import SHARE, cast_of, conversion_between, dtype_of, format_name, shared, shared_library, whole_number
from ._scaled_sides import MOST, Cut, Shape, Side, Status, Tensor, bare, scale_type

WHOLE_ARRAY = -(1 << 31)  # DETMATH_WHOLE_ARRAY of strided.h
# enum detmath_scaled_operation of scaled_arrays.h, in its order.
OPERATIONS: Sequence[str] = ("add sub mul div max min relu_gradient sigmoid_gradient tanh_gradient relu gelu exp log sigmoid tanh apply "
              "gelu_gradient exp_gradient exp_f16 sigmoid_f16 log_f16 tanh_f16 gelu_f16 step div_gradient mul_data").split()
COMPUTES = ("fp32", "fp16", "auto")
STRATEGIES = ("one", "unit", "power", "mean", "measured", "power-down")
TARGETS = ("maximum", "squares")
OPERANDS = ("first", "second")


class Scaled(NamedTuple):
    """Data, and their scales; None stands for 1."""

    data: Any
    scale: Any = None


Operand = Union[Scaled, Tuple[Any, Any], Any]
Static = Union[str, float]


class Windows(ctypes.Structure):
    """struct detmath_scaled_windows."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("stride", "padding", "dilation")]


def operand(name: str, x: Operand) -> Side:
    pair = x if isinstance(x, tuple) else (x, None)
    if len(pair) != 2:
        raise TypeError(f"scaled.{name} takes arrays, or pairs of data and scale")
    return Side(name, *pair)


def result(name: str, sides: Sequence[Side], shape: Sequence[int], scales: Sequence[int], to: Any, out: Optional[Tuple[Any, Any]],
           kind: Any = None, in_place: bool = True) -> Side:
    """Arrays for a result, or those of out=, whose shapes have to be these. Operands that it would overwrite are copied."""
    wanted, of_scales = dtype_of(format_name(to if to is not None else sides[0].data.dtype)), kind or scale_type(sides)
    if out is None:
        made = Side(name, np.empty(tuple(shape), wanted), np.empty(bare(scales), of_scales))
        made.status = _watching.get()
        return made
    data, places = out
    for one, what, extents, dtype in ((data, "data", tuple(shape), wanted), (places, "scales", bare(scales), of_scales)):
        if not isinstance(one, np.ndarray) or one.dtype != dtype or not one.flags.writeable or bare(one.shape) != bare(extents):
            raise TypeError(f"out= of scaled.{name} has to have {what} of {dtype} in the shape {extents}")
    if np.shares_memory(data, places):
        raise TypeError(f"out= of scaled.{name} has to be two arrays that do not overlap")
    made = Side(name, data, places)
    if made.data is not data or made.scale is not places:
        raise TypeError(f"out= of scaled.{name} has strides that are not whole elements")
    made.status = _watching.get()
    for side in sides:
        side.keep_from(made, in_place)
    return made


def given(made: Side, out: Optional[Tuple[Any, Any]]) -> Scaled:
    if out is not None:
        return Scaled(*out)
    return Scaled(*(one if one.ndim else one[()] for one in (made.data, made.scale)))


_watching: ContextVar[Optional[Status]] = ContextVar("detcheck.scaled.watch", default=None)


@contextmanager
def watch() -> Iterator[Status]:
    """Watches whether results of the scaled operations in its block overflow, in all threads of a call:

        with scaled.watch() as seen:
            y = scaled.cast(x, to="fp8_e4m3fn", profile="saturate")
        if seen.overflowed: ...
    """
    status = Status()
    token = _watching.set(status)
    try:
        yield status
    finally:
        _watching.reset(token)


def call(name: str, symbol: str, *words: Any) -> None:
    """Calls the library, with arrays among the arguments as tensors, and with a word for the status of the result."""
    bits, watched = ctypes.c_uint(), [one.status for one in words if isinstance(one, Side) and one.status]

    def given_as(word: Any) -> Any:
        if not isinstance(word, Side):
            return word
        return ctypes.byref(Tensor(word.tensor.data, word.tensor.scales, ctypes.pointer(bits)) if word.status else word.tensor)
    trouble = getattr(shared_library(), f"detmath_scaled_{symbol}")(*map(given_as, words))
    if trouble:
        raise ValueError(f"scaled.{name}: {shared_library().detmath_trouble_text(trouble).decode()}")
    for one in watched:
        one.add(bits.value)


def cast_for(made: Side, profile: str) -> Any:
    return cast_of(conversion_between("fp32", made.data.dtype, profile, "nearest-even"))


def pick(names: Sequence[str], name: str, what: str) -> int:
    if name not in names:
        raise ValueError(f"there is no {what} '{name}'; there are: {', '.join(names)}")
    return names.index(name)


def strategy_of(static: Static) -> int:
    """A strategy by its name, or a number by its bits, as detmath_scaled_own_static() makes it."""
    if isinstance(static, str):
        return pick(STRATEGIES, static, "strategy")
    number = np.float32(static)
    if float(number) != float(static) or not np.finfo(np.float32).tiny <= number <= np.finfo(np.float32).max:
        raise ValueError(f"static= is a name or a normal number above 0 that fp32 has exactly, not {static!r}")
    return int(number.view(np.int32))


def axis_of(name: str, x: Side, axis: Optional[int]) -> int:
    if axis is not None and not -x.data.ndim <= axis < x.data.ndim:
        raise ValueError(f"scaled.{name}: there is no axis {axis} in the shape {x.data.shape}")
    return WHOLE_ARRAY if axis is None else axis


def each(name: str, sides: List[Side], to: Any, profile: str, compute: str, out: Optional[Tuple[Any, Any]],
         threads: Optional[int]) -> Scaled:
    count, data, places = ctypes.c_int(), (ctypes.c_size_t * MOST)(), (ctypes.c_size_t * MOST)()
    tensors = [*sides] + [None] * (2 - len(sides))
    call(name, "extents", *tensors, ctypes.byref(count), data, places)
    made = result(name, sides, data[:count.value], places[:count.value], to, out)
    words, cast = (OPERATIONS.index("apply" if name == "cast" else name), pick(COMPUTES, compute, "arithmetic")), cast_for(made, profile)
    cut = Cut(made, sides)

    def some(first: int, last: int) -> None:
        is_whole = last - first == cut.count
        parts = [one if is_whole else cut.part(name, one, first, last) for one in (made, *sides)]
        call(name, "each_in", *words, *parts, *[None] * (2 - len(sides)), cast)

    shared(cut.count, threads, some, builtins.max(1, SHARE * cut.count // builtins.max(1, made.data.size)))
    return given(made, out)


class OfOne(Protocol):
    def __call__(self, x: Operand, *, to: Any = None, profile: str = "ieee", compute: str = "fp32",
                 out: Optional[Tuple[Any, Any]] = None, threads: Optional[int] = None) -> Scaled: ...


class OfTwo(Protocol):
    def __call__(self, x: Operand, y: Operand, *, to: Any = None, profile: str = "ieee", out: Optional[Tuple[Any, Any]] = None,
                 threads: Optional[int] = None) -> Scaled: ...


def named(function: Any, name: str, text: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def of_one(name: str, text: str) -> OfOne:
    def function(x: Operand, *, to: Any = None, profile: str = "ieee", compute: str = "fp32",
                 out: Optional[Tuple[Any, Any]] = None, threads: Optional[int] = None) -> Scaled:
        return each(name, [operand(name, x)], to, profile, compute, out, threads)
    return named(function, name, text)


def of_two(name: str, text: str) -> OfTwo:
    def function(x: Operand, y: Operand, *, to: Any = None, profile: str = "ieee", out: Optional[Tuple[Any, Any]] = None,
                 threads: Optional[int] = None) -> Scaled:
        return each(name, [operand(name, x), operand(name, y)], to, profile, "fp32", out, threads)
    return named(function, name, text)


add, sub = of_two("add", "x + y"), of_two("sub", "x - y")
div = of_two("div", "x / y")
max, min = of_two("max", "The larger of x and y."), of_two("min", "The smaller of x and y.")
div_gradient = of_two("div_gradient", "The derivative of a quotient by its divisor y, where x is the dividend times the gradient of the result: -x / y^2")
step = of_two("step", "1 where x > y, 1/2 where x = y, else 0")
relu, gelu = of_one("relu", "max(x, 0)"), of_one("gelu", "x Phi(x)")
exp, log = of_one("exp", "e^x"), of_one("log", "ln(x)")
sigmoid, tanh = of_one("sigmoid", "1 / (1 + e^-x)"), of_one("tanh", "tanh(x)")
cast = of_one("cast", "x in the format to=, at its scales.")
relu_gradient = of_two("relu_gradient", "y where x > 0, else 0")
sigmoid_gradient, tanh_gradient = of_two("sigmoid_gradient", "y sigmoid'(x)"), of_two("tanh_gradient", "y tanh'(x)")
gelu_gradient, exp_gradient = of_two("gelu_gradient", "y gelu'(x)"), of_two("exp_gradient", "y e^x")


def mul(x: Operand, y: Operand, *, scalar: str = "scale", to: Any = None, profile: str = "ieee", out: Optional[Tuple[Any, Any]] = None,
        threads: Optional[int] = None) -> Scaled:
    """x y. If one operand is a scalar (an operand without dimensions, or one element beside more), it is multiplied into the scale, and the
    data of the other operand stay; with scalar="data" it is multiplied into the data."""
    name = ("mul", "mul_data")[pick(("scale", "data"), scalar, "place for a scalar")]
    return each(name, [operand("mul", x), operand("mul", y)], to, profile, "fp32", out, threads)


def rescale(x: Operand, scale: Any, *, to: Any = None, profile: str = "ieee", out: Optional[Any] = None) -> Scaled:
    """x at other scales, which broadcast with x. out= is an array for the data."""
    side, places = operand("rescale", x), np.asarray(scale, None if hasattr(scale, "dtype") else np.float32)
    made = result("rescale", [side], side.data.shape, places.shape, to, None if out is None else (out, places.copy()), places.dtype)
    made.scale[...] = places.reshape(made.scale.shape)
    call("rescale", "rescale", made, side, cast_for(made, profile))
    return given(made, None if out is None else (out, made.scale))


def rebalance(x: Operand, *, by: str = "maximum", margin: int = 0, scales: Optional[Shape] = None, to: Any = None, profile: str = "ieee",
              out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """x at scales that fit the data: by their maximum, or by the least squared error. margin= leaves room for more powers of two,
    unless all data are 0. scales= is the shape of the scales; each extent is that of the scales of x, or a multiple of it."""
    side = operand("rebalance", x)
    made = result("rebalance", [side], side.data.shape, side.places(side.data.ndim) if scales is None else scales, to, out)
    call("rebalance", "rebalance_by", made, side, pick(TARGETS, by, "target"),
         ctypes.c_int(whole_number("margin=", margin, -(1 << 31), (1 << 31) - 1)),
         cast_for(made, profile))
    return given(made, out)


def laid(array: Any, extents: Sequence[int]) -> Any:
    """The same array with the missing dimensions of extent 1, if this needs no copy."""
    good = isinstance(array, np.ndarray) and array.flags.c_contiguous and array.size == math.prod(extents)
    return array.reshape(extents) if good else array


def along(name: str, x: Operand, axis: Optional[int], keepdims: bool, more: Sequence[Any], to: Any, profile: str,
          out: Optional[Tuple[Any, Any]]) -> Scaled:
    """The result for a line of data: one number."""
    side = operand(name, x)
    count, place = side.data.ndim, axis_of(name, side, axis)
    cut = [place == WHOLE_ARRAY or at == place % count for at in range(count)]
    shape = [1 if gone else extent for gone, extent in zip(cut, side.data.shape)]
    scales = [1 if gone else extent for gone, extent in zip(cut, side.places(count))]
    into = None if out is None else (laid(out[0], shape), laid(out[1], bare(scales)))
    made = result(name, [side], shape, scales, to, into, in_place=False)
    symbol = {"reduce_max": "max_along"}.get(name, name)
    call(name, symbol, made, side, place, *more, cast_for(made, profile))
    if out is not None or keepdims:
        return given(made, out)
    data = made.data.reshape([extent for gone, extent in zip(cut, shape) if not gone])
    places = made.scale.reshape(bare([extent for gone, extent in zip(cut, scales) if not gone]))
    return Scaled(*(one if one.ndim else one[()] for one in (data, places)))


def sum(x: Operand, *, axis: Optional[int] = None, static: Static = "unit", keepdims: bool = False, to: Any = None, profile: str = "ieee",
        out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """The sum along an axis, or of all elements. static= says by how much the data are divided and the scale is multiplied: by 1
    (one), by the root of the number of terms (unit), by the power of two nearest to the root in its logarithm (power), by the largest
    power of two not above the root (power-down), by the number of terms (mean), by the power of two that the results need
    (measured), or by a number; if scales are powers of two, it has to be one."""
    return along("sum", x, axis, keepdims, [strategy_of(static)], to, profile, out)


def mean(x: Operand, *, axis: Optional[int] = None, keepdims: bool = False, to: Any = None, profile: str = "ieee",
         out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """The mean along an axis, or of all elements, at the scale of x."""
    return along("mean", x, axis, keepdims, [], to, profile, out)


def reduce_max(x: Operand, *, axis: Optional[int] = None, keepdims: bool = False, to: Any = None, profile: str = "ieee",
               out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """The largest value along an axis, or of all elements."""
    return along("reduce_max", x, axis, keepdims, [], to, profile, out)


def softmax(x: Operand, *, axis: int = -1, compute: str = "fp32", to: Any = None, profile: str = "ieee",
            out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """softmax along an axis, along which x has one scale; the result has a scale for each line."""
    side = operand("softmax", x)
    place = axis_of("softmax", side, axis) % side.data.ndim
    scales = [1 if at == place else extent for at, extent in enumerate(side.data.shape)]
    made = result("softmax", [side], side.data.shape, scales, to, out, np.dtype(np.float32))
    call("softmax", "softmax_along", made, side, place, pick(COMPUTES, compute, "arithmetic"),
         cast_for(made, profile))
    return given(made, out)


def line_gradient(name: str, symbol: str, x: Operand, g: Operand, axis: Optional[int], to: Any, profile: str,
                  out: Optional[Tuple[Any, Any]]) -> Scaled:
    sides = [operand(name, x), operand(name, g)]
    made = result(name, sides, sides[0].data.shape, sides[1].places(sides[0].data.ndim), to, out, scale_type(sides[1:]))
    call(name, symbol, made, *sides, axis_of(name, sides[0], axis),
         cast_for(made, profile))
    return given(made, out)


def softmax_gradient(x: Operand, g: Operand, *, axis: int = -1, to: Any = None, profile: str = "ieee",
                     out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """The gradient of x, where g is the gradient of softmax(x)."""
    return line_gradient("softmax_gradient", "softmax_gradient", x, g, axis, to, profile, out)


def reduce_max_gradient(x: Operand, g: Operand, *, axis: Optional[int] = None, to: Any = None, profile: str = "ieee",
                        out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """The gradient of x, where g, whose extent along the axis is 1, is the gradient of the largest value."""
    return line_gradient("reduce_max_gradient", "max_gradient", x, g, axis, to, profile, out)


def products(name: str, symbol: str, sides: List[Side], shape: Sequence[int], scales: Sequence[int], rows: Optional[int], before: Sequence[Any],
             static: Static, to: Any, profile: str, out: Optional[Tuple[Any, Any]], threads: Optional[int]) -> Scaled:
    """Sums of products, whose rows threads share."""
    made = result(name, sides, shape, scales, to, out, in_place=False)
    strategy, tensors = strategy_of(static), [made, *sides]
    cast = cast_for(made, profile)
    compute: Callable[[int, int], None] = lambda first, last: call(
        name, symbol, *tensors, *before, strategy, cast, ctypes.c_size_t(first), ctypes.c_size_t(last))
    work = sides[0].data.size * (made.data.shape[-1] if made.data.ndim else 1)
    compute(0, 0)  # what is wrong is told before a thread begins
    if rows is None:  # all, in one part
        call(name, symbol, *tensors, *before, strategy, cast, ctypes.c_size_t(0), ctypes.c_size_t(-1))
    else:
        shared(rows, threads, compute, builtins.max(1, rows * (1 << 18) // builtins.max(1, work)))
    return given(made, out)


def matmul(x: Operand, y: Operand, *, static: Static = "unit", to: Any = None, profile: str = "ieee", out: Optional[Tuple[Any, Any]] = None,
           threads: Optional[int] = None) -> Scaled:
    """The product of matrices in the last two dimensions; the others broadcast. static= has the values that it has for sum."""
    sides = [operand("matmul", one) for one in (x, y)]
    a, b = (one.data.shape for one in sides)
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        raise ValueError(f"scaled.matmul needs matrices of ROWSxINNER and INNERxCOLUMNS, not {a} and {b}")
    shape = (*np.broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1])
    left, right = (one.places(len(shape)) for one in sides)
    scales = (*(math.lcm(*pair) for pair in zip(left[:-2], right[:-2])), left[-2], right[-1])
    return products("matmul", "matmul", sides, shape, scales, math.prod(shape[:-1]), [], static, to, profile, out, threads)


def matmul_gradient(other: Operand, g: Operand, *, of: str = "first", shape: Optional[Shape] = None, static: Static = "unit", to: Any = None,
                    profile: str = "ieee", out: Optional[Tuple[Any, Any]] = None, threads: Optional[int] = None) -> Scaled:
    """The gradient of the first or the second factor of matmul, where `other` is the other factor and g the gradient of the product.
    shape= is the shape of the factor, if dimensions before the last two broadcast."""
    name, first = "matmul_gradient", pick(OPERANDS, of, "operand") == 0
    sides = [operand(name, one) for one in (other, g)]
    a, b = (one.data.shape for one in sides)
    if len(a) < 2 or len(b) < 2 or a[-1 if first else -2] != b[-1 if first else -2]:
        raise ValueError(f"scaled.{name} needs the other factor and the gradient of the product, not {a} and {b}")
    ends = (b[-2], a[-2]) if first else (a[-1], b[-1])
    shape = (*np.broadcast_shapes(a[:-2], b[:-2]), *ends) if shape is None else tuple(shape)
    left, right = (one.places(builtins.max(len(shape), one.data.ndim))[-len(shape):] for one in sides)
    kept = (math.lcm(*pair) if extent > 1 else 1 for extent, *pair in zip(shape[:-2], left[:-2], right[:-2]))
    scales = (*kept, *((right[-2], left[-2]) if first else (left[-1], right[-1])))
    return products(name, name, sides, shape, scales, math.prod(shape[:-1]), [OPERANDS.index(of)], static, to, profile, out, threads)


def mul_gradient(other: Operand, g: Operand, *, shape: Optional[Shape] = None, static: Static = "unit", to: Any = None, profile: str = "ieee",
                 out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """The gradient of a factor of mul in the shape of that factor, where `other` is the other factor and g the gradient of the product:
    products, summed along the dimensions in which the factor broadcast."""
    sides = [operand("mul_gradient", one) for one in (other, g)]
    shape = np.broadcast_shapes(*(one.data.shape for one in sides)) if shape is None else tuple(shape)
    scales = [math.lcm(*pair) if extent > 1 else 1 for extent, *pair in zip(shape, *(
        one.places(builtins.max(len(shape), one.data.ndim))[-len(shape):] if shape else () for one in sides))]
    return products("mul_gradient", "contract", sides, shape, scales, None, [], static, to, profile, out, 1)


def windows_of(spatial: int, stride: Any, padding: Any, dilation: Any) -> Any:
    """A struct for each axis; numbers are for all of them."""
    each = []
    for what, given_as, least in (("stride=", stride, 1), ("padding=", padding, 0), ("dilation=", dilation, 1)):
        numbers = tuple(given_as) if isinstance(given_as, (tuple, list)) else (given_as,) * spatial
        if len(numbers) != spatial:
            raise ValueError(f"{what} is a number, or has one for each of {spatial} axes, not {given_as}")
        each.append([whole_number(what, one, least, sys.maxsize) for one in numbers])
    return (Windows * spatial)(*(Windows(*one) for one in zip(*each)))


def convolution(x: Operand, w: Operand, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1, static: Static = "unit",
                to: Any = None, profile: str = "ieee", out: Optional[Tuple[Any, Any]] = None, threads: Optional[int] = None) -> Scaled:
    """x (images, channels, axes) convolved with w (outputs, channels in a group, taps), as in neural networks; stride, padding and dilation
    are numbers, or tuples with one for each axis."""
    name = "convolution"
    sides = [operand(name, one) for one in (x, w)]
    a, b = (one.data.shape for one in sides)
    if len(a) < 3 or len(a) != len(b) or b[1] * groups != a[1]:
        raise ValueError(f"scaled.{name} needs images, channels and axes, and outputs, channels in a group and taps, not {a} and {b}")
    windows, groups = windows_of(len(a) - 2, stride, padding, dilation), whole_number("groups=", groups, 1, sys.maxsize)
    count = shared_library().detmath_scaled_window_count
    count.restype = ctypes.c_size_t
    axes = [count(ctypes.c_size_t(extent), ctypes.c_size_t(taps), ctypes.byref(one)) for extent, taps, one in zip(a[2:], b[2:], windows)]
    left, right = (one.places(len(a)) for one in sides)
    scales = (left[0], math.lcm(right[0], 1 if left[1] == 1 else groups), *(1 for _ in axes))
    return products(name, name, sides, (a[0], b[0], *axes), scales, a[0] * math.prod(axes) * groups, [windows, ctypes.c_size_t(groups)],
                    static, to, profile, out, threads)


def convolution_gradient(other: Operand, g: Operand, shape: Shape, *, of: str = "first", stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                         groups: int = 1, static: Static = "unit", to: Any = None, profile: str = "ieee",
                         out: Optional[Tuple[Any, Any]] = None) -> Scaled:
    """The gradient of x (of="first") or of w (of="second") of a convolution, where shape= is its shape and g the gradient of the result."""
    name, first = "convolution_gradient", pick(OPERANDS, of, "operand") == 0
    sides = [operand(name, one) for one in (other, g)]
    left, right = (one.places(len(shape)) for one in sides)
    scales = (right[0] if first else right[1], left[1], *(1 for _ in shape[2:]))
    if len(shape) < 3:
        raise ValueError(f"shape= of scaled.{name} has three dimensions or more, not {tuple(shape)}")
    windows, groups = windows_of(len(shape) - 2, stride, padding, dilation), whole_number("groups=", groups, 1, sys.maxsize)
    return products(name, name, sides, shape, scales, None, [windows, ctypes.c_size_t(groups), OPERANDS.index(of)], static, to,
                    profile, out, 1)
