"""The codes of numbers in documents, with the numbers beside them."""

from __future__ import annotations

from typing import Any, Dict

# The format of results whose operation settles it, and the ends of names of results that no report gives a format.
OF_RESULTS = {"packed.quantise": "uint8", "packed.nearest": "uint8", "argmax": "int64", "sort.indices": "int64", "top_k.indices": "int64"}
UNKNOWN = (".scale", ".scales", ".mantissa")


def decimal(bits: Any, format_: str) -> str:
    """The number beside its bits, where numpy has the type."""
    if isinstance(bits, dict):  # a place in a call on arrays
        return ", ".join(f"{name} {value}" for name, value in bits.items())
    each = bits if isinstance(bits, list) else [bits]
    try:
        import numpy as np
        from ._functions import dtype_of
        kind = dtype_of(format_)
        if any(kind.itemsize != (len(one) - 1) // 2 for one in each):
            return ", ".join(each)
        numbers = [np.array([int(one, 16)], f"<u{kind.itemsize}").view(kind)[0] for one in each]
    except (ImportError, TypeError, ValueError):
        return ", ".join(each)
    return ", ".join(f"{one} ({number!s})" for one, number in zip(each, numbers))


def format_of_result(result: Dict[str, Any]) -> str:
    """The format of the codes that a result has; nothing where a report does not say it."""
    name, given = result["operation"], result.get("parameters", {})
    known = OF_RESULTS.get(name) or given.get("to") or given.get("dtype") or result["format"]
    return "" if name.endswith(UNKNOWN) else known
