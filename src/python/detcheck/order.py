"""Orders of additions (detcheck-order(7)) for numpy: order.load("numpy.order").sum(x) returns the bits of the library in which the
order was found.

    from detcheck import order
    pairwise = order.reveal("sum", numpy.sum, lengths="1:300")
    print(pairwise)                      # in words
    pairwise.sum(x, axis=0)              # numpy's bits, on any machine

The functions of libdetmath_order.so compute; their bits are those of --impl order:FILE.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._functions import dtype_of, format_name, order_library, place_for, shared
from ._program import Error
from .units import Error as Said

WHOLE = -(1 << 31)
SHARE = 1 << 14  # terms for a thread, at least


class Array(ctypes.Structure):
    """struct detmath_order_array of sums.h."""

    _fields_ = [("codes", ctypes.c_void_p), ("dimensions", ctypes.c_int), ("extents", ctypes.c_void_p), ("strides", ctypes.c_void_p)]


def _library() -> Any:
    found = order_library()
    for name in ("read", "parse"):
        getattr(found, f"detmath_order_{name}").restype = ctypes.c_void_p
    for name in ("name", "operation", "format", "result", "hash"):
        getattr(found, f"detmath_order_{name}").restype = ctypes.c_char_p
    for name in ("words", "compare"):
        getattr(found, f"detmath_order_{name}").restype = ctypes.c_size_t
    return found


def _array(x: Any) -> Tuple[Array, Any]:
    """The address of an array, and the object to keep alive until it is used. The strides of axes are in elements."""
    extents, strides = (ctypes.c_size_t * max(x.ndim, 1))(*x.shape), (ctypes.c_ssize_t * max(x.ndim, 1))(
        *(stride // x.itemsize for stride in x.strides))
    places = [ctypes.cast(one, ctypes.c_void_p).value for one in (extents, strides)]
    return Array(x.ctypes.data, x.ndim, *places), (extents, strides, x)


class Comparison(NamedTuple):
    """The differences of two orders, in words, and whether they are the same at all lengths that both know."""

    words: str
    same: bool

    def __str__(self) -> str:
        return self.words.rstrip() or ("the same" if self.same else "no length that was looked at tells them apart")


class Order:
    """The order and the arithmetic in which a sum is computed. `document` is described in detcheck-order(7)."""

    def __init__(self, document: Dict[str, Any], report: Optional[Dict[str, Any]] = None) -> None:
        text, error = json.dumps(document).encode(), Said()
        self.document, self.report = document, report
        self._handle = _library().detmath_order_parse(text, ctypes.c_size_t(len(text)), ctypes.byref(error))
        if not self._handle:
            raise ValueError(error.said())

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            _library().detmath_order_free(ctypes.c_void_p(handle))

    def _text(self, name: str) -> str:
        return str(getattr(_library(), f"detmath_order_{name}")(ctypes.c_void_p(self._handle)).decode())

    @property
    def name(self) -> str:
        return self._text("name")

    @property
    def operation(self) -> str:
        """The operation in which the order was found; the order can compute all others, too."""
        return self._text("operation")

    @property
    def format(self) -> str:
        return self._text("format")

    @property
    def result(self) -> str:
        """The format of the results."""
        return self._text("result")

    @property
    def hash(self) -> str:
        """The order_hash, by which policies and reports name the order."""
        return self._text("hash")

    @property
    def revealed(self) -> Optional[bool]:
        """For a result of reveal(): whether the order returned the same bits as the function for all random arrays, at each length. Not
        known for a document."""
        return None if self.report is None else self.report["revealed"] == self.report["inputs"]["count"]

    def knows(self, terms: int) -> bool:
        """Whether the order is known for this number of terms."""
        return 0 <= terms <= sys.maxsize and bool(_library().detmath_order_knows(ctypes.c_void_p(self._handle), ctypes.c_size_t(terms)))

    def words(self) -> str:
        """The rule, the arithmetic of its nodes and open questions, with a drawing of a short sum."""
        length = _library().detmath_order_words(ctypes.c_void_p(self._handle), None, ctypes.c_size_t(0))
        text = ctypes.create_string_buffer(length + 1)
        _library().detmath_order_words(ctypes.c_void_p(self._handle), text, ctypes.c_size_t(length + 1))
        return text.value.decode(errors="replace")

    __str__ = words

    def __repr__(self) -> str:
        return f"<order {self.hash} of {self.operation} in {self.format}>"

    def compare(self, other: "Order") -> Comparison:
        """The differences between this order (A) and another one (B): nodes, and the first addition that only one of them has."""
        error, same, text = Said(), ctypes.c_int(), ctypes.create_string_buffer(1 << 16)
        _library().detmath_order_compare(ctypes.c_void_p(self._handle), ctypes.c_void_p(other._handle), text,
                                         ctypes.c_size_t(len(text)), ctypes.byref(same), ctypes.byref(error))
        if same.value < 0:
            raise ValueError(error.said())
        return Comparison(text.value.decode(errors="replace"), bool(same.value))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the document, for --impl order:FILE."""
        Path(path).write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")

    def _taken(self, x: Any) -> Any:
        array = np.asarray(x)
        if format_name(array.dtype) != self.format:
            raise TypeError(f"the order is for {self.format}, not for {array.dtype}")
        if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
            array = array.copy()
        return array

    def _compute(self, name: str, arrays: Sequence[Any], place: Any, *axis: int) -> None:
        error, sides = Said(), [_array(one) for one in arrays]
        status = getattr(_library(), f"detmath_{name}_by_order")(
            ctypes.c_void_p(self._handle), *(ctypes.byref(array) for array, _ in sides), *(ctypes.c_int(one) for one in axis),
            ctypes.c_void_p(place.ctypes.data), ctypes.c_size_t(place.size), ctypes.byref(error))
        if status:
            raise ValueError(error.said())

    def _along(self, name: str, arrays: Sequence[Any], axis: Optional[int], out: Any, threads: Optional[int]) -> Any:
        sides = [self._taken(one) for one in arrays]
        if any(one.shape != sides[0].shape for one in sides):
            raise TypeError(f"{name} needs arrays of one shape, not {' and '.join(str(one.shape) for one in sides)}")
        if axis is not None:
            if not -sides[0].ndim <= axis < sides[0].ndim:
                raise ValueError(f"there is no axis {axis} in the shape {sides[0].shape}")
            sides = [np.moveaxis(one, axis, -1) for one in sides]
        shape = () if axis is None else sides[0].shape[:-1]
        place = place_for(name, out, shape, dtype_of(self.result))
        sides = [one.copy() if np.may_share_memory(one, place) else one for one in sides]
        if not shape:
            self._compute(name, sides, place, WHOLE if axis is None else -1)
        else:
            def compute(first: int, last: int) -> None:
                self._compute(name, [one[first:last] for one in sides], place[first:last], -1)
            shared(shape[0], threads, compute, max(1, SHARE * shape[0] // max(1, sides[0].size)))
        return place if place.ndim or out is not None else place[()]

    def sum(self, x: Any, *, axis: Optional[int] = None, out: Any = None, threads: Optional[int] = None) -> Any:
        """The sum of all elements row by row, or along an axis."""
        return self._along("sum", [x], axis, out, threads)

    def mean(self, x: Any, *, axis: Optional[int] = None, out: Any = None, threads: Optional[int] = None) -> Any:
        """The mean, scaled as the order says; if it does not say how, the sum is divided by the number of terms."""
        return self._along("mean", [x], axis, out, threads)

    def dot(self, x: Any, y: Any, *, axis: int = -1, out: Any = None, threads: Optional[int] = None) -> Any:
        """The dot product of two vectors, or along an axis of two arrays of one shape."""
        return self._along("dot", [x, y], axis, out, threads)

    def matmul(self, a: Any, b: Any, *, out: Any = None, threads: Optional[int] = None) -> Any:
        """The product of ROWSxINNER and INNERxCOLUMNS."""
        x, y = self._taken(a), self._taken(b)
        if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[0]:
            raise TypeError(f"matmul needs matrices of ROWSxINNER and INNERxCOLUMNS, not {x.shape} and {y.shape}")
        place = place_for("matmul", out, (x.shape[0], y.shape[1]), dtype_of(self.result))
        x, y = (one.copy() if np.may_share_memory(one, place) else one for one in (x, y))
        shared(x.shape[0], threads, lambda first, last: self._compute("matmul", [x[first:last], y], place[first:last]),
               max(1, SHARE // max(1, x.shape[1] * y.shape[1])))
        return place


def load(source: Any) -> Order:
    """Reads an order from a file, or from a document as a mapping."""
    if isinstance(source, Order):
        return source
    document = source if isinstance(source, dict) else json.loads(Path(source).read_text(encoding="utf-8"))
    return Order(document)


def compare(a: Any, b: Any) -> Comparison:
    """The differences between two orders: files, documents, or results of load() and reveal()."""
    return load(a).compare(load(b))


def reveal(operation: str, implementation: Union[str, Callable[..., Any]], **given: Any) -> Order:
    """Finds the order of a function of Python, or of an implementation that the program knows by name: detcheck-reveal(1). Keywords are
    its options: lengths="1:300", format="fp64", arrays=1000, shape=(4, 64, 4). Raises ValueError if no order was found. .revealed is
    whether each length was confirmed, and .report is the full report."""
    from ._commands import call
    if "output" in given or "json" in given:
        raise TypeError("reveal has no output=: call save() of the order that it returns")
    _, text = call("reveal", [operation], [implementation], **given)
    if not text:
        raise Error("reveal wrote no document")
    result: Dict[str, Any] = json.loads(text)["results"][0]
    if "order" not in result:
        lengths = result["lengths"]
        said = next((one for one in lengths if one["state"] != "revealed"), lengths[0])
        raise ValueError(f"no order was found: {said['terms']} terms are {said['state']}" + (f": {said['why']}" if said.get("why") else ""))
    return Order(result["order"], result)
