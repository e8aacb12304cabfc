"""Conversions to and from the formats of IEEE P3109, by the program's table of a cast. No library has types for these formats: their
numbers are codes, uint8 up to 8 bits and uint16 beyond."""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Optional, Tuple

import numpy as np

from ._commands import table
from ._functions import dtype_of, format_name, place_for

NAME = re.compile(r"(?i)binary(\d+)p\d+[su][ef]")


def is_draft(name: Any) -> bool:
    return isinstance(name, str) and bool(NAME.fullmatch(name))


def codes_type(name: str) -> Any:
    match = NAME.fullmatch(name)
    assert match
    return np.dtype(np.uint8 if int(match[1]) <= 8 else np.uint16)


@functools.lru_cache(maxsize=16)
def runs(source: str, to: str, rounding: str, saturation: Optional[str]) -> Tuple[Any, Any]:
    """The first codes of the source from which on the result has another code, and these codes."""
    text = table("cast", format=source, to=to, rounding=rounding, saturation=saturation, as_="json")
    document = json.loads(text) if isinstance(text, str) else text
    at = document["columns"].index("code")
    firsts, codes = zip(*((int(row[0], 16), int(row[at], 16)) for row in document["rows"]))
    return np.array(firsts, np.uint64), np.array(codes, np.uint64)


def convert(x: Any, to: Any, source: Optional[str], rounding: Optional[str], saturation: Optional[str], out: Any) -> Any:
    """Numbers of a type of numpy, or codes of the format `source`, to a format of which at least one is of P3109."""
    numbers = np.ascontiguousarray(x).reshape(np.shape(x))
    if (rounding or "").startswith("stochastic"):
        raise ValueError(f"convert knows no {rounding} rounding to or from P3109's formats; eval and sweep do")
    if source and numbers.dtype != codes_type(source):
        raise TypeError(f"codes of {source} are {codes_type(source)}, not {numbers.dtype}")
    own = source or format_name(numbers.dtype)
    firsts, codes = runs(own, to if is_draft(to) else format_name(to), rounding or "nearest-even", saturation)
    given = numbers.view(f"u{numbers.itemsize}")
    if source and given.size and int(given.max()) >> int(NAME.fullmatch(source)[1]):  # type: ignore[index]
        raise ValueError(f"0x{int(given.max()):x} is no code of {source}")
    dtype = codes_type(to) if is_draft(to) else dtype_of(format_name(to))
    place = place_for("convert", out, numbers.shape, dtype)
    place.view(f"u{dtype.itemsize}")[...] = codes[np.searchsorted(firsts, given.astype(np.uint64), "right") - 1]
    return place
