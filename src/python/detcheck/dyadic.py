"""Dyadic numbers (detcheck-dyadic(7)), for numpy: integer mantissas v that share a scale s and mean v * 2^-s.

    x = dyadic.from_real(numpy.float32([0.5, 1.25]), 8, bits=16)
    y = dyadic.mul(x, x, 8)             # Dyadic(mantissas=array([64, 400], dtype=int32), scale=8)

Operands are pairs of an array and a scale. Results are as wide as the accumulator (accumulator=32 or 64). Every option of
the program has the same name here. Arrays of the accumulator's width that lie in one piece are not copied.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._functions import address, apart, place_for, shared, shared_library, whole_number

PLAN_ROOM = 256  # DETMATH_DYADIC_PLAN_ROOM of dyadic_plans.h
OVERFLOWS = ("wrap", "saturate", "report")
ROUNDINGS = ("down", "up", "toward-zero", "nearest-even", "nearest-away", "stochastic", "nearest-up")
ALIGNMENTS = ("coarser", "finer")
# Bits of a status, and what they say.
TROUBLE = ((8, ZeroDivisionError, "a division by zero"), (32, ValueError, "a NaN is not a dyadic number"),
           (2, ValueError, "a scale, given or of the result, is beyond -65535 to 65535"),
           (4, ValueError, "lr_shift= or momentum_shift= is not from 0 to 63"), (16, ValueError, "bits= is from 1 to 64, unsigned from 1 to 63"),
           (64, ValueError, "a result overlaps another array"),
           (1, OverflowError, 'the accumulator overflows; on_overflow="wrap" or "saturate" goes on'))


class Dyadic(NamedTuple):
    """Mantissas, and the scale that they share."""

    mantissas: Any
    scale: int


class Rules(ctypes.Structure):
    """struct detmath_dyadic_rules of dyadic_steps.h."""

    _fields_ = [(name, ctypes.c_int32) for name in ("bits", "overflow", "rounding", "alignment")]


def place_in(names: Sequence[str], name: str, what: str) -> int:
    if name not in names:
        raise ValueError(f"there is no {what} '{name}'; there are: {', '.join(names)}")
    return names.index(name)


def words(*numbers: int) -> Any:
    """Integers for detmath, limited to 32 bits. The limits themselves are refused, too."""
    return (ctypes.c_int32 * len(numbers))(*(min(max(int(one), -(1 << 31)), (1 << 31) - 1) for one in numbers))


class Call:
    """The options of a call: its rules, and the source of its random bits. Element i draws number first + i of the
    stream that the seed names, so that parts of an array have the bits of the whole."""

    def __init__(self, name: str, accumulator: int = 32, on_overflow: str = "wrap", rounding: str = "nearest-even", align: str = "coarser",
                 seed: Optional[int] = None, first: int = 0, threads: Optional[int] = None) -> None:
        if accumulator not in (32, 64):
            raise ValueError(f"accumulator= is 32 or 64, not {accumulator}")
        self.name, self.width, self.threads = name, accumulator, threads
        self.dtype = np.dtype(f"int{accumulator}")
        self.rules = Rules(accumulator, place_in(OVERFLOWS, on_overflow, "overflow"),
                           place_in(ROUNDINGS, "stochastic" if seed is not None else rounding, "rounding"),
                           place_in(ALIGNMENTS, align, "alignment"))
        if rounding == "stochastic" and seed is None:
            raise ValueError("stochastic rounding needs seed=")
        self.seed, self.first = seed or 0, first

    def check(self, status: int) -> None:
        for bit, kind, text in TROUBLE:
            if status & bit:
                raise kind(f"dyadic.{self.name}: {text}")

    def plan(self, kind: str, *numbers: int) -> Tuple[Any, int]:
        """A plan of detmath, and the scale of the results."""
        made, scale = ctypes.create_string_buffer(PLAN_ROOM), ctypes.c_int32()
        given = words(*numbers)
        make = getattr(shared_library(), f"detmath_dyadic_make_{kind}")
        self.check(make(made, given, ctypes.byref(self.rules), ctypes.byref(scale)))
        return made, scale.value

    def mantissas(self, x: Any) -> Any:
        found = np.asarray(x)
        if found.dtype.kind not in "iu" or found.dtype.itemsize > self.dtype.itemsize - (found.dtype.kind == "u"):
            raise TypeError(f"dyadic.{self.name} has mantissas of integers that {self.width} bits hold, not {found.dtype}")
        return np.ascontiguousarray(found, self.dtype).reshape(found.shape)

    def each(self, form: str, plan: Any, operands: Sequence[Any], out: Any, dtype: Any = None) -> Any:
        """The array form over arrays of one shape."""
        shape = np.broadcast_shapes(*(one.shape for one in operands))
        lying = [np.ascontiguousarray(np.broadcast_to(one, shape)).reshape(shape) for one in operands]
        place = place_for(f"dyadic.{self.name}", out, shape, dtype or self.dtype)
        lying = apart(lying, [place])
        compute = getattr(shared_library(), f"detmath_dyadic_{form}_i{self.width}")
        statuses: List[int] = []
        compute.restype = ctypes.c_uint32
        shared(place.size, self.threads, lambda first, last: statuses.append(compute(
            address(place, first), *(address(one, first) for one in lying), ctypes.c_size_t(last - first), plan,
            ctypes.c_uint64(self.seed), ctypes.c_uint64(self.first + first))))
        self.check(int(np.bitwise_or.reduce(statuses)) if statuses else 0)
        return place


Number = Tuple[Any, int]


def of_one(name: str, x: Number, plan: str, numbers: Sequence[int], out: Any, options: Any) -> Dyadic:
    call = Call(name, **options)
    made, scale = call.plan(plan, x[1], *numbers)
    return Dyadic(call.each(name, made, [call.mantissas(x[0])], out), scale)


def of_two(name: str, x: Number, y: Number, numbers: Sequence[int], out: Any, options: Any) -> Dyadic:
    call = Call(name, **options)
    made, scale = call.plan({"sub": "add"}.get(name, name), x[1], y[1], *numbers)
    return Dyadic(call.each(name, made, [call.mantissas(x[0]), call.mantissas(y[0])], out), scale)


def add(x: Number, y: Number, *, out: Any = None, **options: Any) -> Dyadic:
    """x + y, at the coarser of the two scales, or with align="finer" at the finer one."""
    return of_two("add", x, y, (), out, options)


def sub(x: Number, y: Number, *, out: Any = None, **options: Any) -> Dyadic:
    """x - y, at the coarser of the two scales, or with align="finer" at the finer one."""
    return of_two("sub", x, y, (), out, options)


def mul(x: Number, y: Number, q: int = 0, *, out: Any = None, **options: Any) -> Dyadic:
    """x y, shifted to the right by q, or to the left if q is negative. The scale is the sum of the scales less q."""
    return of_two("mul", x, y, (q,), out, options)


def div(x: Number, y: Number, p: int = 0, *, out: Any = None, **options: Any) -> Dyadic:
    """x / y, truncated toward zero. x is first shifted to the left by p, or to the right if p is negative. The scale is the scale of x less
    that of y, plus p."""
    return of_two("div", x, y, (p,), out, options)


def equal(x: Number, y: Number, *, out: Any = None, **options: Any) -> Dyadic:
    """1 if the numbers are equal, otherwise 0."""
    return of_two("equal", x, y, (), out, options)


def align(x: Number, target: int, *, out: Any = None, **options: Any) -> Dyadic:
    """The numbers at another scale."""
    return of_one("align", x, "align", (target,), out, options)


def relu(x: Number, *, out: Any = None, **options: Any) -> Dyadic:
    """The larger of each number and 0."""
    return of_one("relu", x, "align", (x[1],), out, options)


def relu_gradient(g: Number, x: Number, *, out: Any = None, **options: Any) -> Dyadic:
    """The gradient of the result of relu(x) where x is above 0; otherwise 0."""
    return of_two("relu_gradient", g, x, (), out, options)


def requantise(x: Number, target: int, *, bits: int = 8, unsigned: bool = False, out: Any = None, **options: Any) -> Dyadic:
    """The numbers at another scale, clipped to a number of bits."""
    return of_one("requantise", x, "requantise", (target, bits, not unsigned), out, options)


def gradient(g: Number, x: Number, target: int, *, bits: int = 8, unsigned: bool = False, out: Any = None, **options: Any) -> Dyadic:
    """The gradient of the result of requantise(x, ...) where x was not clipped; otherwise 0."""
    call = Call("gradient", **options)
    plan, _ = call.plan("requantise", x[1], target, bits, not unsigned)
    return Dyadic(call.each("gradient", plan, [call.mantissas(g[0]), call.mantissas(x[0])], out), g[1])


def from_real(x: Any, target: int, *, bits: Optional[int] = None, unsigned: bool = False, out: Any = None, **options: Any) -> Dyadic:
    """Numbers in fp32 or fp64 at a scale, rounded and clipped to a number of bits (by default those of the accumulator)."""
    call, numbers = Call("from_real", **options), np.asarray(x)
    if numbers.dtype not in (np.float32, np.float64):
        raise TypeError(f"dyadic.from_real takes fp32 or fp64, not {numbers.dtype}")
    plan, scale = call.plan("from_real", target, bits or call.width - unsigned, not unsigned)
    return Dyadic(call.each(f"from_f{8 * numbers.dtype.itemsize}", plan, [numbers], out), scale)


def to_real(x: Number, to: Any = "float32", *, out: Any = None, **options: Any) -> Any:
    """The numbers in fp32 or fp64, rounded once."""
    wanted = np.dtype(to)
    if wanted not in (np.float32, np.float64):
        raise TypeError(f"dyadic.to_real returns float32 or float64, not {wanted}")
    wide = np.asarray(x[0]).dtype.itemsize > 4
    call = Call("to_real", **{"accumulator": 64 if wide else 32, **options})
    plan, _ = call.plan("to_real", x[1])
    return call.each(f"to_f{8 * wanted.itemsize}", plan, [call.mantissas(x[0])], out, wanted)


class Matrices(ctypes.Structure):
    """struct detmath_dyadic_matrices of dyadic_linear_arrays.h."""

    _fields_ = [(name, ctypes.c_size_t) for name in "rows inner columns x_row x_column y_row y_column b_row b_column".split()]


def in_steps(array: Any) -> Any:
    """The array itself where its strides are whole elements and go forward; else a copy."""
    good = all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
    return array if good else np.ascontiguousarray(array)


def product(name: str, w: Number, x: Number, b: Optional[Number], q: int, out: Any, options: Any) -> Dyadic:
    call, factors = Call(name, **options), [np.asarray(one[0]) for one in (w, x)]
    if len({one.dtype for one in factors}) > 1 or factors[0].dtype.kind != "i" or factors[0].dtype.itemsize > call.dtype.itemsize:
        raise TypeError(f"dyadic.{name} needs factors of one type of integers that {call.width} bits hold, not "
                        f"{factors[0].dtype} and {factors[1].dtype}")
    left = factors[0].reshape(1, -1) if factors[0].ndim == 1 else factors[0]
    right = factors[1].reshape(-1, 1) if factors[1].ndim == 1 else factors[1]
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
        raise ValueError(f"dyadic.{name} needs matrices of ROWSxINNER and INNERxCOLUMNS, or vectors, not {factors[0].shape} and {factors[1].shape}")
    shape = (*factors[0].shape[:-1], *factors[1].shape[1:])
    whole, bias = (left.shape[0], right.shape[1]), None
    left, right = in_steps(left), in_steps(right)
    if b is not None:
        given = call.mantissas(b[0])
        bias = in_steps(np.broadcast_to(given.reshape(-1, 1) if given.ndim == 1 else given, whole))
    plan, scale = call.plan("affine", w[1], x[1], b[1] if b is not None else w[1] + x[1], q)
    place = place_for(f"dyadic.{name}", out, shape, call.dtype)
    left, right, bias = apart([left, right, bias], [place], in_place=False)
    columns = (0, 0) if bias is None else tuple(step // bias.itemsize for step in bias.strides)
    compute = getattr(shared_library(), f"detmath_dyadic_affine_i{8 * left.itemsize}_i{call.width}")
    compute.restype = ctypes.c_uint32
    statuses: List[int] = []
    steps = [one.strides[at] // one.itemsize for one in (left, right) for at in (0, 1)]

    def rows(first: int, last: int) -> None:
        matrices = Matrices(last - first, left.shape[1], whole[1], *steps, *columns)
        statuses.append(compute(address(place, first * whole[1]), address(left, first * steps[0]), address(right),
                                address(bias, first * columns[0]) if bias is not None else None, ctypes.byref(matrices), plan,
                                ctypes.c_uint64(call.seed), ctypes.c_uint64(call.first + first * whole[1])))

    shared(whole[0], call.threads, rows, max(1, (1 << 16) // max(1, left.shape[1] * whole[1])))
    call.check(int(np.bitwise_or.reduce(statuses)) if statuses else 0)
    return Dyadic(place, scale)


def onto(x: Number, y: Number, c: Any) -> Optional[Number]:
    """The addends of the sums: mantissas at the scale of the products."""
    return None if c is None else (c, x[1] + y[1])


def matmul(x: Number, y: Number, q: int = 0, *, c: Any = None, out: Any = None, **options: Any) -> Dyadic:
    """The product of two matrices of int8, int16, int32 or int64, shifted to the right by q; for vectors it is dot. c contains mantissas of
    the accumulator's type at the scale of the products, which are added before the shift."""
    return product("matmul", x, y, onto(x, y, c), q, out, options)


def dot(x: Number, y: Number, q: int = 0, *, c: Any = None, **options: Any) -> Dyadic:
    """The sum of products of two vectors, shifted to the right by q; c is added before the shift."""
    return product("dot", x, y, onto(x, y, c), q, None, options)


def affine(w: Number, x: Number, b: Number, q: int = 0, *, out: Any = None, **options: Any) -> Dyadic:
    """w x + b, shifted to the right by q; b has a number for each row of w, or broadcasts as a matrix."""
    return product("affine", w, x, b, q, out, options)


def mse(x: Number, y: Number, p: int = 0, **options: Any) -> Dyadic:
    """The mean of squared differences, with p more bits."""
    call = Call("mse", **options)
    left, right = (call.mantissas(one[0]).reshape(-1) for one in (x, y))
    if left.size != right.size or not left.size:
        raise ValueError(f"dyadic.mse needs two arrays of one length above 0, not {left.size} and {right.size}")
    plan, _ = call.plan("add", x[1], y[1])
    compute, scale, status = getattr(shared_library(), f"detmath_dyadic_mse_i{call.width}"), ctypes.c_int32(), ctypes.c_uint32()
    compute.restype = ctypes.c_int32 if call.width == 32 else ctypes.c_int64
    found = compute(address(left), address(right), ctypes.c_size_t(left.size), plan, words(p)[0], ctypes.c_uint64(call.seed),
                    ctypes.c_uint64(call.first), ctypes.byref(scale), ctypes.byref(status))
    call.check(status.value)
    return Dyadic(call.dtype.type(found), scale.value)


def step(weights: Number, velocities: Any, gradients: Number, *, lr_shift: int = 0, momentum_shift: int = 0, clip: Optional[int] = None,
         **options: Any) -> None:
    """Makes a step of training, in place. Velocities, which have the scale of the gradients, decay by 2^-momentum_shift (with 0 they
    become 0). Then the gradients, clipped to -clip to clip, are added to them, and 2^-lr_shift of the velocities is subtracted from
    the weights."""
    call = Call("step", **options)
    lying = [place_for("dyadic.step", one, np.shape(weights[0]), call.dtype) for one in (weights[0], velocities, gradients[0])]
    made, most = ctypes.create_string_buffer(PLAN_ROOM), (1 << (call.width - 1)) - 1
    numbers = words(weights[1], gradients[1], lr_shift, momentum_shift)
    bound = most if clip is None else whole_number("clip=", clip, -(1 << 63), (1 << 63) - 1)
    call.check(shared_library().detmath_dyadic_make_step(made, numbers, ctypes.c_int64(bound), ctypes.byref(call.rules)))
    compute: Callable[..., int] = getattr(shared_library(), f"detmath_dyadic_step_i{call.width}")
    call.check(compute(*(address(one) for one in lying), ctypes.c_size_t(lying[0].size), made, ctypes.c_uint64(call.seed),
                       ctypes.c_uint64(call.first)))
