"""Lines of texts in the arrays of from_decimal and to_decimal, as detcheck-exec(7) has them: bytes, with zeros behind each text.

The adapter texts_adapter.py and the package detcheck both read and write them here, without numpy.
"""

import re

OPERATIONS = ("from_decimal", "to_decimal")
NOTATION = re.compile(r"(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?")


def texts_of(codes, length):
    """The text of each line of so many bytes, as bytes."""
    return [bytes(codes[at:at + length]).split(b"\0", 1)[0] for at in range(0, len(codes), length)]


def lines_of(texts, length):
    """The lines of so many bytes; what is too long for its line is cut."""
    return b"".join(text[:length].ljust(length, b"\0") for text in texts)


def scientific(text):
    """The digits of a decimal text as C's %e writes them: 0.1 becomes 1e-01. What is no decimal number stays as it is."""
    found = NOTATION.fullmatch(text)
    if not found or not found[2] + found[3]:
        return text
    sign, whole, behind, exponent = found.groups()
    digits = (whole + behind).lstrip("0")
    place = len(whole) - 1 + int(exponent or 0) - (len(whole + behind) - len(digits))
    digits = digits.rstrip("0") or "0"
    place = place if digits != "0" else 0
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{'-' if place < 0 else '+'}{abs(place):02d}"
