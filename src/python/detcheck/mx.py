"""Blocks of 32 numbers that share a scale (detcheck-mx(7)), for numpy: mx.quantise(x), mx.dequantise(blocks).

Elements and scales are arrays of ml_dtypes, or codes as unsigned bytes if ml_dtypes is not installed. Contiguous arrays whose blocks
lie along the last axis are not copied.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from . import adapter
from ._functions import (address, apart, cast_of, conversion_between, dtype_of, format_name, number_of, place_for, profiles as names_of,
                         random_of, rounding_number, shared, shared_library, whole_number)

BLOCK = 32
FORMATS = adapter.ELEMENTS
SCALES = "fp8_e8m0fnu"


class Blocks(NamedTuple):
    """Elements, and the scales of their blocks: one for 32 elements along the axis."""

    elements: Any
    scales: Any


def profiles() -> Any:
    """The names of the rules for scales."""
    return names_of("detmath_mx_profile_name")


def type_of(format_: str) -> Any:
    """The type of an array of elements, or of scales, in a format."""
    try:
        return dtype_of(format_)
    except TypeError:
        return np.dtype(np.uint8)


def conversion(to: str, profile: str, rounding: str, random_bits: int) -> Any:
    """detmath's struct for a conversion to blocks."""
    random_bits = whole_number("random_bits=", random_bits, 0, 32)
    if to not in FORMATS:
        raise TypeError(f"'{to}' is not a format of blocks; there are: {', '.join(FORMATS)}")
    if profile not in profiles():
        raise ValueError(f"there is no profile '{profile}' for blocks; there are: {', '.join(profiles())}")
    made, library = ctypes.create_string_buffer(512), shared_library()
    if not library.detmath_mx_profile(made, profile.encode(), library.detmath_mx_find(to.encode()), rounding_number(rounding), random_bits):
        raise ValueError(f"the profile {profile} has no conversion to {to}, {rounding}" +
                         (" with 1 to 31 random bits" if rounding == "stochastic" else ""))
    return made


def lines(array: Any, axis: int) -> Any:
    """The array with its axis last, contiguous."""
    return np.ascontiguousarray(np.moveaxis(array, axis, -1))


def along(count: int, length: int, threads: Optional[int], compute: Any) -> None:
    """Calls compute(first line or element, first scale, elements) for all lines: for all at once, and in threads, if no line ends
    within a block."""
    each = -(-length // BLOCK)
    if length % BLOCK == 0:
        shared(count * each, threads, lambda first, last: compute(first * BLOCK, first, (last - first) * BLOCK), 1 << 11)
        return
    shared(count, threads, lambda first, last: [compute(line * length, line * each, length) for line in range(first, last)],
           max(1, (1 << 16) // length))


def shapes(x: Any, axis: int) -> Tuple[int, Tuple[int, ...]]:
    """The axis, and the shape of the scales along it."""
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"there is no axis {axis} in the shape {x.shape}")
    place = axis % x.ndim
    return place, (*x.shape[:place], -(-x.shape[place] // BLOCK), *x.shape[place + 1:])


def quantise(x: Any, to: str = "mxfp8_e4m3", *, axis: int = -1, profile: str = "ocp", rounding: str = "nearest-even",
             random: Any = None, random_bits: int = 0, out: Optional[Tuple[Any, Any]] = None, threads: Optional[int] = None) -> Blocks:
    """Converts numbers in fp32, fp16 or bf16 to blocks along an axis. Stochastic rounding needs random= (unsigned 32-bit integers, of
    random_bits bits each). out= is a pair of arrays, for elements and scales."""
    source = np.asarray(x)
    if format_name(source.dtype) not in ("fp32", "fp16", "bf16"):
        raise TypeError(f"mx.quantise takes fp32, fp16 or bf16, not {source.dtype}")
    made, (place, shape) = conversion(to, profile, rounding, random_bits), shapes(source, axis)
    given = out or (None, None)
    elements = place_for("mx.quantise", given[0], source.shape, type_of(to))
    scales = place_for("mx.quantise", given[1], shape, type_of(SCALES))
    if np.shares_memory(elements, scales):
        raise TypeError("out= of mx.quantise has to be two arrays that do not overlap")
    straight = place == source.ndim - 1
    numbers, bits = lines(source, place), random_of(random, rounding, source.shape)
    bits = lines(bits, place) if bits is not None else None
    into = [elements, scales] if straight else [np.empty_like(lines(one, place)) for one in (elements, scales)]
    numbers, bits = apart([numbers, bits], into, in_place=False)
    kind, library = number_of(source.dtype), shared_library()
    along(numbers.size // max(numbers.shape[-1], 1), numbers.shape[-1], threads, lambda at, scale, count: library.detmath_mx_quantise(
        made, address(into[0], at), address(into[1], scale), kind, address(numbers, at), ctypes.c_size_t(count),
        address(bits, at) if bits is not None else None))
    if not straight:
        for one, result in zip((elements, scales), into):
            one[...] = np.moveaxis(result, -1, place)
    return Blocks(elements, scales)


def format_of(elements: Any) -> str:
    """The format of blocks whose elements have a type."""
    for name in FORMATS:
        if type_of(name) == elements.dtype and elements.dtype != np.uint8:
            return name
    raise TypeError(f"{elements.dtype} is no type of elements of blocks; format= names the format of codes: {', '.join(FORMATS)}")


def dequantise(blocks: Tuple[Any, Any], to: Any = "fp32", *, format: Optional[str] = None, axis: int = -1, rounding: str = "nearest-even",
               random: Any = None, random_bits: int = 0, out: Any = None, threads: Optional[int] = None) -> Any:
    """Converts blocks to numbers in fp32, fp16 or bf16; an overflow becomes infinity. format= names the format of codes in plain bytes."""
    elements, scales = (np.asarray(one) for one in blocks)
    if format_name(to) not in ("fp32", "fp16", "bf16"):
        raise TypeError(f"mx.dequantise returns fp32, fp16 or bf16, not {to}")
    made, (place, shape) = conversion(format or format_of(elements), "ocp", "nearest-even", 0), shapes(elements, axis)
    if scales.shape != shape or scales.dtype.itemsize != 1 or elements.dtype.itemsize != 1:
        raise ValueError(f"scales of {elements.shape} are bytes in the shape {shape}, not {scales.dtype} in {scales.shape}")
    wanted = dtype_of(format_name(to))
    result = place_for("mx.dequantise", out, elements.shape, wanted)
    cast = conversion_between("fp32", to, "ieee", rounding, random_bits)
    straight, bits = place == elements.ndim - 1, random_of(random, rounding, elements.shape)
    bits = lines(bits, place) if bits is not None else None
    codes, powers = lines(elements, place), lines(scales, place)
    into = result if straight else np.empty_like(codes, wanted)
    codes, powers, bits = apart([codes, powers, bits], [into], in_place=False)
    kind, library = number_of(wanted), shared_library()
    along(codes.size // max(codes.shape[-1], 1), codes.shape[-1], threads, lambda at, scale, count: library.detmath_mx_dequantise(
        made, kind, cast_of(cast), address(into, at), address(codes, at), address(powers, scale), ctypes.c_size_t(count),
        address(bits, at) if bits is not None else None))
    if not straight:
        result[...] = np.moveaxis(into, -1, place)
    return result
