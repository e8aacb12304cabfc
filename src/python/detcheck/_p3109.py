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
MOST_DRAWS = 256  # different random numbers of a call: each takes a table of its own, which the program makes


def is_draft(name: Any) -> bool:
    return isinstance(name, str) and bool(NAME.fullmatch(name))


def codes_type(name: str) -> Any:
    match = NAME.fullmatch(name)
    assert match
    return np.dtype(np.uint8 if int(match[1]) <= 8 else np.uint16)


@functools.lru_cache(maxsize=16 + MOST_DRAWS)
def runs(source: str, to: str, rounding: str, saturation: Optional[str], random_bits: Optional[int], random: Optional[int]) -> Tuple[Any, Any]:
    """The first codes of the source from which on the result has another code, and these codes."""
    text = table("cast", format=source, to=to, rounding=rounding, saturation=saturation, random_bits=random_bits, random=random, as_="json")
    document = json.loads(text) if isinstance(text, str) else text
    at = document["columns"].index("code")
    firsts, codes = zip(*((int(row[0], 16), int(row[at], 16)) for row in document["rows"]))
    return np.array(firsts, np.uint64), np.array(codes, np.uint64)


def drawn_of(rounding: str, random: Any, random_bits: int, shape: Tuple[int, ...]) -> Any:
    """The random number of each element, where the rounding wants one."""
    if not rounding.startswith("stochastic-"):
        if rounding == "stochastic":
            raise ValueError("stochastic is detcheck's own rounding, and formats of P3109 need stochastic-a, stochastic-b or stochastic-c")
        if random is not None:
            raise ValueError(f"{rounding} takes no random=: stochastic-a, stochastic-b and stochastic-c are P3109's roundings by random bits")
        return None
    if random is None or not 1 <= random_bits <= 62:
        raise ValueError(f"{rounding} takes random=, a whole number below 2^random_bits for each element, and random_bits= from 1 to 62")
    given = np.asarray(random)
    if given.dtype.kind not in "iu" or (given.size and (int(given.min()) < 0 or int(given.max()) >> random_bits)):
        raise ValueError(f"random= has whole numbers from 0 to {(1 << random_bits) - 1}, of {random_bits} bits")
    return np.broadcast_to(given, shape)


def convert(x: Any, to: Any, source: Optional[str], rounding: Optional[str], saturation: Optional[str], out: Any, random: Any = None,
            random_bits: int = 0) -> Any:
    """Numbers of a type of numpy, or codes of the format `source`, to a format of which at least one is of P3109."""
    numbers, rounding = np.ascontiguousarray(x).reshape(np.shape(x)), rounding or "nearest-even"
    drawn = drawn_of(rounding, random, random_bits, numbers.shape)
    if source and numbers.dtype != codes_type(source):
        raise TypeError(f"codes of {source} are {codes_type(source)}, not {numbers.dtype}")
    own = source or format_name(numbers.dtype)
    target = to if is_draft(to) else format_name(to)
    given = numbers.view(f"u{numbers.itemsize}")
    if source and given.size and int(given.max()) >> int(NAME.fullmatch(source)[1]):  # type: ignore[index]
        raise ValueError(f"0x{int(given.max()):x} is not a code of {source}")
    dtype = codes_type(to) if is_draft(to) else dtype_of(format_name(to))
    place = place_for("convert", out, numbers.shape, dtype)
    results = place.view(f"u{dtype.itemsize}")
    draws = [None] if drawn is None else np.unique(drawn).tolist()
    if len(draws) > MOST_DRAWS:
        raise ValueError(f"random= has {len(draws)} different numbers, and convert takes {MOST_DRAWS} at most; sweep and eval take any")
    found = np.empty(numbers.shape, f"u{dtype.itemsize}")
    for one in draws:
        firsts, codes = runs(own, target, rounding, saturation, random_bits if drawn is not None else None, one)
        chosen: Any = Ellipsis if one is None else drawn == one
        found[chosen] = codes[np.searchsorted(firsts, given[chosen].astype(np.uint64), "right") - 1]
    results[...] = found
    return place
