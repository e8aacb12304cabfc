"""The results of matrix units of GPUs and processors (detcheck-units(7)), for numpy: units.matmul(a, b, unit="h100").

The functions of libdetmath_order.so compute; their bits are those of --impl mma:UNIT. Factors in fp16, bf16, fp8, fp6 and fp4 are arrays
of numpy or ml_dtypes, or codes as unsigned integers with format=. tf32 is an array of float32 with format="tf32"; its last 13 bits are
ignored, as by the hardware.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import adapter
from ._functions import dtype_of, format_name, order_library, place_for, shared, whole_number

CUTS = ("split_k", "promote")
SHARE = 1 << 14  # products for a thread, at least


class Unit(NamedTuple):
    """The row of a unit: formats of factors and of the accumulator; for blocks also the format of the scales, and the number of products that
    share one."""

    name: str
    format: str
    accumulator: str
    scales: Optional[str]
    block: int
    source: str


class Error(ctypes.Structure):
    """struct detmath_error."""

    _fields_ = [("text", ctypes.c_char * 768)]

    def said(self) -> str:
        return self.text.decode(errors="replace")


class Product(ctypes.Structure):
    """struct detmath_unit_product of units.h."""

    _fields_ = [("unit", ctypes.c_void_p), ("rows", ctypes.c_size_t), ("inner", ctypes.c_size_t), ("columns", ctypes.c_size_t),
                ("a", ctypes.c_void_p), ("b", ctypes.c_void_p),
                ("a_row", ctypes.c_size_t), ("a_step", ctypes.c_size_t), ("b_step", ctypes.c_size_t), ("b_column", ctypes.c_size_t),
                ("a_scales", ctypes.c_void_p), ("b_scales", ctypes.c_void_p),
                ("c", ctypes.c_void_p), ("c_row", ctypes.c_size_t), ("d", ctypes.c_void_p), ("d_row", ctypes.c_size_t),
                ("cut", ctypes.c_int), ("cut_number", ctypes.c_size_t), ("tile", ctypes.c_size_t), ("saturate", ctypes.c_int)]


def library() -> Any:
    found = order_library()
    for name in ("at", "find"):
        getattr(found, f"detmath_unit_{name}").restype = ctypes.c_void_p
    for name in ("name", "format", "accumulator", "source", "scales"):
        getattr(found, f"detmath_unit_{name}").restype = ctypes.c_char_p
    found.detmath_unit_parameters.restype = ctypes.c_size_t
    return found


def _row(found: Any, handle: int) -> Unit:
    def text(name: str) -> Any:
        said = getattr(found, f"detmath_unit_{name}")(ctypes.c_void_p(handle))
        return said and said.decode()
    return Unit(text("name"), text("format"), text("accumulator"), text("scales"), found.detmath_unit_block(ctypes.c_void_p(handle)),
                text("source"))


def list() -> List[Unit]:
    """All rows: a unit has one for each combination of formats."""
    found, rows = library(), []
    while True:
        handle = found.detmath_unit_at(ctypes.c_size_t(len(rows)))
        if not handle:
            return rows
        rows.append(_row(found, handle))


def _find(unit: str, format: str, accumulate: Optional[str], scales: Optional[str], block: int) -> int:
    error = Error()
    usual = {"int8": "int32", "fp64": "fp64"}.get(format, "fp32")
    words = [word.encode() if word else None for word in (unit, format, accumulate or usual, scales)]
    handle: Optional[int] = library().detmath_unit_find(*words, ctypes.c_uint(block), ctypes.byref(error))
    if not handle:
        raise ValueError(error.said())
    return handle


def _name_of(format: Any) -> str:
    return format if isinstance(format, str) and format.startswith(("mx", "int")) else format_name(format)


def parameters(unit: str, format: Any = "fp16", *, accumulate: Any = None, scales: Any = None, block: int = 0) -> Dict[str, Any]:
    """The parameters of a row as a mapping: "call", "shape", "node" (as in detcheck-order(7)), "source" and others."""
    scales, block = _scales_of(scales, block) if scales is not None else (None, 0)
    handle = _find(unit, _name_of(format), accumulate and _name_of(accumulate), scales, block)
    text = ctypes.create_string_buffer(4096)
    length = library().detmath_unit_parameters(ctypes.c_void_p(handle), text, ctypes.c_size_t(len(text)))
    if not 0 < length < len(text):
        raise MemoryError("out of memory")
    made: Dict[str, Any] = json.loads(text.value)
    return made


def _scales_of(format: Any, block: int) -> Tuple[str, int]:
    """The format of scales and the products of one of them: 32 where scales are powers of two, as MX has them, else 16."""
    name = format_name(format)
    return name, whole_number("block=", block, 0, 1 << 20) or (32 if name == "fp8_e8m0fnu" else 16)


def _codes(x: Any, format: Optional[str], block: bool) -> Tuple[Any, str]:
    """An array whose elements are codes, and their format; blocks make an array of blocks."""
    array = np.asarray(x)
    own, name = format_name(array.dtype), _name_of(format or array.dtype)
    if name == "tf32" and array.dtype == np.float32:
        array = (array if array.flags.c_contiguous else np.ascontiguousarray(array)).view(np.uint32) >> np.uint32(13)
    if block and not name.startswith("mx"):
        name = next((mx for mx, of in adapter.ELEMENTS.items() if of == name), name)
    if format is None and array.dtype.kind == "u":
        raise TypeError(f"format= has to name the format of the codes in {array.dtype}")
    if array.dtype.kind != "u" and own not in (name, adapter.ELEMENTS.get(name)):
        raise TypeError(f"an array of {array.dtype} has no codes of {name}: those are unsigned integers")
    bits = int("".join(one for one in name.split("_")[0] if one.isdigit()) or 0)
    if array.dtype.itemsize != {32: 4, 64: 8, 16: 2}.get(bits, 1) and bits:
        raise TypeError(f"{name} does not fit an array of {array.dtype}")
    return array, name


def _step(array: Any, axis: int) -> int:
    return int(array.strides[axis] // array.itemsize)


def _straight(array: Any) -> Any:
    """The array, or a copy, without strides that run backward or lie between elements."""
    good = all(stride >= 0 and stride % array.itemsize == 0 for stride in array.strides)
    return array if good and array.flags.aligned else np.ascontiguousarray(array)


def _lines_of_scales(scales: Any, shape: Tuple[int, int], name: str) -> Any:
    if scales.shape != shape or scales.dtype.itemsize != 1:
        raise ValueError(f"scales of {name} are bytes in the shape {shape}, not {scales.dtype} in {scales.shape}")
    return np.ascontiguousarray(scales)


def matmul(a: Any, b: Any, unit: str, *, c: Any = None, format: Optional[str] = None, accumulate: Any = None, a_scales: Any = None,
           b_scales: Any = None, scales: Any = None, block: int = 0, split_k: Optional[int] = None, promote: Optional[int] = None,
           tile: Optional[int] = None, saturate: bool = False, out: Any = None, threads: Optional[int] = None) -> Any:
    """c + a b as the unit computes it, in the format of its accumulator (accumulate=, fp32 for most). a is ROWSxINNER, b is INNERxCOLUMNS.
    split_k= and promote= divide the inner dimension into sums from zero; tile= is the number of products of a call, if an instruction
    has shorter forms. Sums of int8 wrap, or with saturate= are limited to int32 after each call. Blocks need a_scales= (ROWS x INNER /
    block) and b_scales= (INNER / block x COLUMNS); scales= names their format, if the arrays do not have it. c may be out."""
    scaled = a_scales is not None or b_scales is not None
    if scaled and (a_scales is None or b_scales is None):
        raise TypeError("a_scales= and b_scales= need each other")
    if split_k is not None and promote is not None:
        raise TypeError("split_k= and promote= cannot be combined")
    x, name = _codes(a, format, scaled)
    y, other = _codes(b, format, scaled)
    if name != other:
        raise TypeError(f"units multiply factors of one format, not {name} and {other}")
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[0]:
        raise TypeError(f"matmul needs matrices of ROWSxINNER and INNERxCOLUMNS, not {x.shape} and {y.shape}")
    by: Optional[str] = None
    if scaled:
        sides = [np.asarray(one) for one in (a_scales, b_scales)]
        by, block = _scales_of(scales if scales is not None else sides[0].dtype, block)
    handle = _find(unit, name, accumulate and _name_of(accumulate), by, block if scaled else 0)
    result = library().detmath_unit_accumulator(ctypes.c_void_p(handle)).decode()
    place = place_for("matmul", out, (x.shape[0], y.shape[1]), np.dtype(np.int32) if result == "int32" else dtype_of(result))
    x, y = (_straight(one) for one in (x, y))
    x, y = (one.copy() if np.may_share_memory(one, place) else one for one in (x, y))
    if c is not None:
        place[...] = np.asarray(c, place.dtype) if np.ndim(c) == 0 else _same_type(c, place)
    product = Product(handle, x.shape[0], x.shape[1], y.shape[1], None, y.ctypes.data, _step(x, 0), _step(x, 1), _step(y, 0), _step(y, 1))
    product.c_row = product.d_row = y.shape[1]
    for at, given in enumerate((split_k, promote)):
        if given is not None:
            product.cut, product.cut_number = at + 1, whole_number(f"{CUTS[at]}=", given, 1, sys.maxsize)
    product.saturate = bool(saturate)
    if tile is not None:
        product.tile = whole_number("tile=", tile, 1, sys.maxsize)
    if scaled:
        blocks = -(-x.shape[1] // block)
        rows = _lines_of_scales(sides[0], (x.shape[0], blocks), "a")
        columns = np.ascontiguousarray(_lines_of_scales(sides[1], (blocks, y.shape[1]), "b").T)
        product.b_scales = columns.ctypes.data

    def compute(first: int, last: int) -> None:
        part, error = Product.from_buffer_copy(product), Error()
        part.rows = last - first
        part.a = x.ctypes.data + first * x.strides[0]
        part.d = place.ctypes.data + first * product.d_row * place.itemsize
        part.c = part.d if c is not None else None
        if scaled:
            part.a_scales = rows.ctypes.data + first * blocks
        if library().detmath_unit_matmul(ctypes.byref(part), ctypes.byref(error)):
            raise ValueError(error.said())

    shared(x.shape[0], threads, compute, max(1, SHARE // max(1, x.shape[1] * y.shape[1])))
    return place


def _same_type(c: Any, place: Any) -> Any:
    array = np.asarray(c)
    if array.dtype != place.dtype or array.shape != place.shape:
        raise TypeError(f"c= has to be an array of {place.dtype} in the shape {place.shape}, not of {array.dtype} in {array.shape}")
    return array


def dot(a: Any, b: Any, unit: str, *, c: Any = None, **options: Any) -> Any:
    """c + the sum of a[k] b[k], for two vectors, as the unit computes it: a number of the accumulator's type. The options are those of
    matmul; a_scales= and b_scales= are vectors, too."""
    x, y = (np.asarray(one) for one in (a, b))
    if x.ndim != 1 or x.shape != y.shape:
        raise TypeError(f"dot needs two vectors of one length, not {x.shape} and {y.shape}")
    for name, shape in (("a_scales", (1, -1)), ("b_scales", (-1, 1))):
        if options.get(name) is not None:
            options[name] = np.asarray(options[name]).reshape(shape)
    return matmul(x.reshape(1, -1), y.reshape(-1, 1), unit, c=c, **options)[0, 0]
