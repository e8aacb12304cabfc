"""A function of Python that reads a number from a text, or writes one as a text: float, numpy.float32, repr, f"{x:.17g}"."""

from __future__ import annotations

import math
import struct
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

from . import decimal_texts
from ._program import CallableError

__tracebackhide__ = True  # pytest shows the line that called, not these


def are_asked_for(request: Any) -> bool:
    return request.operation in decimal_texts.OPERATIONS


def wanted(handed: Dict[str, Any]) -> Dict[str, Any]:
    """The parameters that a function of texts may name: style, digits and rounding, and not those of how inputs are drawn."""
    return {name: value for name, value in handed.items() if name in ("style", "digits", "rounding")}


def reader(function: Callable[..., Any], name: str, format_: str, kind: Any) -> Callable[[bytes], Any]:
    """From a text to the number that the function reads: NaN where it refuses the text by a ValueError."""
    wanted = np.dtype(kind)

    def read(text: bytes) -> Any:
        try:
            number = function(text.decode("latin-1"))
        except ValueError:
            return math.nan
        except Exception as error:
            shown = text[:60].decode("latin-1") + "..." * (len(text) > 60)
            raise CallableError(f"{name} raised {type(error).__name__}: {error} for the text {shown!r}") from error
        has = getattr(number, "dtype", np.dtype(np.float64) if isinstance(number, float) else None)
        if has is None or has != wanted or np.ndim(number):  # to numpy None is float64
            said = type(number).__name__
            narrow = next((name for name in ("fp16", "fp32", "fp64") if has == name.replace("fp", "float")), None)
            raise CallableError(f"{name} returned {said}; for {format_} it has to return {wanted}" +
                                (f"; say --to {narrow} (to=\"{narrow}\" in Python)" if narrow else ""))
        return number

    return read


def writer(function: Callable[..., Any], name: str, style: str, format_: str, kind: Any) -> Callable[[Any], bytes]:
    """From a number to the text that the function writes. It gets numbers of fp64 as Python's float, others as scalars of numpy."""
    convert = float if format_ == "fp64" else np.dtype(kind).type

    def write(number: Any) -> bytes:
        text = function(convert(number))
        if not isinstance(text, str):
            raise CallableError(f"{name} returned {type(text).__name__}, which is not a text; to_decimal needs a function that returns str")
        text = decimal_texts.scientific(text) if style == "shortest" else text
        return text.encode("utf-8", "replace")

    return write


def of_arrays(function: Callable[..., Any], name: str, request: Any, kind: Any, wanted: Dict[str, Any]) -> Callable[..., List[Any]]:
    """A function of texts or to texts as one of the codes of a call, with the shapes of its results."""
    given: Callable[..., Any] = (lambda one: function(one, **wanted)) if wanted else function
    if request.operation == "from_decimal":
        read = reader(given, name, request.result_format, kind)

        def compute_numbers(lines: Any, shapes: Sequence[Any]) -> List[Any]:
            texts = decimal_texts.texts_of(lines.tobytes(), lines.shape[-1])
            numbers = np.array([read(text) for text in texts], kind)
            return [numbers.view(f"<u{numbers.itemsize}").reshape(shapes[0])]

        return compute_numbers
    write = writer(given, name, request.parameters.get("style", "shortest"), request.format, kind)

    def compute_texts(codes: Any, shapes: Sequence[Any]) -> List[Any]:
        lines = decimal_texts.lines_of([write(number) for number in codes.reshape(-1).view(kind)], shapes[0][-1])
        return [np.frombuffer(lines, np.uint8).reshape(shapes[0])]

    return compute_texts


def trial(request: Any, compute: Callable[..., List[Any]]) -> None:
    """A call on one number, which shows at once whether the function is one of texts."""
    if request.operation == "from_decimal":
        compute(np.frombuffer(b"0.5\0", np.uint8).reshape(1, 4), [(1,)])
    else:
        compute(np.frombuffer(struct.pack("<Q", 0)[:request.operand_bytes], f"<u{request.operand_bytes}"), [(1, 40)])
