"""Data and scales of detcheck.scaled as detmath has them, and parts of them for threads."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._functions import apart, number_of

MOST = 8  # dimensions
POWERS = -1  # DETMATH_POWERS of scaled_tensors.h
Shape = Tuple[int, ...]


class Strided(ctypes.Structure):
    """struct detmath_strided of strided.h."""

    _fields_ = [("codes", ctypes.c_void_p), ("format", ctypes.c_int), ("dimensions", ctypes.c_int),
                ("extents", ctypes.POINTER(ctypes.c_size_t)), ("strides", ctypes.POINTER(ctypes.c_ssize_t))]


class Tensor(ctypes.Structure):
    """struct detmath_scaled_tensor of scaled_tensors.h."""

    _fields_ = [("data", Strided), ("scales", Strided), ("status", ctypes.POINTER(ctypes.c_uint))]


class Status:
    """What became of the results of scaled operations (enum detmath_scaled_status): whether one was finite and rounded beyond the
    largest number of its format, and whether one was infinite before that. It stays until it is set to False."""

    def __init__(self) -> None:
        self.overflowed = self.infinite = False

    def add(self, bits: int) -> None:
        if bits & 1:  # threads may be here at once
            self.overflowed = True
        if bits & 2:
            self.infinite = True

    def __repr__(self) -> str:
        return f"Status(overflowed={self.overflowed}, infinite={self.infinite})"


def strided(array: Any, format_: int) -> Strided:
    count = array.ndim
    return Strided(array.ctypes.data, format_, count, (ctypes.c_size_t * (count or 1))(*array.shape),
                   (ctypes.c_ssize_t * (count or 1))(*(step // array.itemsize for step in array.strides)))


def in_elements(array: Any) -> Any:
    """The array itself where its strides are whole elements; else a copy."""
    return array if all(step % array.itemsize == 0 for step in array.strides) else array.copy()


class Side:
    """An operand or a result: arrays, and how they lie for detmath; of a result, who wants to know what became of it."""

    status: Optional[Status] = None

    def __init__(self, name: str, data: Any, scale: Any) -> None:
        self.data = in_elements(np.asarray(data))
        self.scale: Any = None if scale is None else in_elements(np.asarray(scale, None if hasattr(scale, "dtype") else np.float32))
        if isinstance(scale, int) and not isinstance(scale, bool):
            raise TypeError(f"scaled.{name}: a scale is fp32, or an exponent of 2 as numpy.int32; {scale} could be either")
        if self.scale is not None and self.scale.dtype not in (np.float32, np.int32):
            raise TypeError(f"scaled.{name}: scales are fp32, or int32 for powers of two, not {self.scale.dtype}")
        self.format = number_of(self.data.dtype)
        if self.data.ndim > MOST or (self.scale is not None and self.scale.ndim > self.data.ndim):
            raise ValueError(f"scaled.{name}: data have at most {MOST} dimensions, and scales at most those of the data")
        self.lay()

    def lay(self) -> None:
        scales = strided(self.scale, POWERS if self.scale.dtype == np.int32 else number_of(np.float32)) if self.scale is not None else Strided()
        self.tensor = Tensor(strided(self.data, self.format), scales)

    def keep_from(self, made: Side, in_place: bool) -> None:
        """Copies what the result overwrites: scales in any case, which its parts share; data but where it may lie in their place."""
        self.data, = apart(apart([self.data], [made.data], in_place), [made.scale], in_place=False)
        self.scale, = apart([self.scale], [made.data, made.scale], in_place=False)
        self.lay()

    def places(self, dimensions: int) -> Shape:
        """The extents of the scales in so many dimensions."""
        own = () if self.scale is None else self.scale.shape
        return (1,) * (dimensions - len(own)) + own


def bare(shape: Sequence[int]) -> Shape:
    """Without the first dimensions of extent 1, which arrays may lack."""
    found = tuple(shape)
    while found and found[0] == 1:
        found = found[1:]
    return found


def scale_type(sides: Sequence[Side]) -> Any:
    return next((one.scale.dtype for one in sides if one.scale is not None), np.dtype(np.float32))


class Cut:
    """The axis of a result along which threads share it, and how many elements of that axis stay together for their scale."""

    def __init__(self, made: Side, sides: Sequence[Side]) -> None:
        self.made, self.sides, self.dimensions = made, sides, made.data.ndim
        steps = [math.lcm(*(self.block(side, axis) for side in (made, *sides))) for axis in range(self.dimensions)]
        counts = [extent // step for extent, step in zip(made.data.shape, steps)]
        self.count = max(counts, default=1)
        self.axis = counts.index(self.count) if counts else 0
        self.step = steps[self.axis] if counts else 1

    def block(self, side: Side, axis: int) -> int:
        """Elements along an axis that have one scale; 1 where there is one scale for the whole axis."""
        own, places = axis - self.dimensions + side.data.ndim, side.places(self.dimensions)[axis]
        return 1 if own < 0 or places <= 1 else side.data.shape[own] // places

    def part(self, name: str, side: Side, first: int, last: int) -> Side:
        """The elements from step `first` to step `last`, as views. One scale of a result is written by the first part alone."""
        at = self.axis - self.dimensions
        data, scale = side.data, side.scale
        if -at <= data.ndim and data.shape[at] > 1:
            data = data[(..., slice(first * self.step, last * self.step), *(slice(None),) * (-at - 1))]
        if scale is not None and -at <= scale.ndim and scale.shape[at] > 1:
            block = self.block(side, self.axis)
            scale = scale[(..., slice(first * self.step // block, last * self.step // block), *(slice(None),) * (-at - 1))]
        elif scale is not None and side is self.made and first:
            scale = scale.copy()
        found = Side(name, data, scale)
        found.status = side.status
        return found
