"""Numbers of fp32 in Python, whose operations round to fp32, nearest-even: a second way to compute what a C program
does in float."""

import fractions
import math
import struct


def fp32(x):
    """Rounded to nearest-even from double; twice rounded is once rounded for one + - * / of fp32 numbers."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


class Number:
    """A float of fp32, for Python as it is written."""

    def __init__(self, value):
        self.value = fp32(value.value if isinstance(value, Number) else value)

    def by(self, other, operation):
        other = Number(other).value
        try:
            return Number(operation(self.value, other))
        except OverflowError:
            return Number(math.inf)

    def __add__(self, other):
        return self.by(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self.by(other, lambda a, b: a - b)

    def __mul__(self, other):
        return self.by(other, lambda a, b: a * b)

    def __truediv__(self, other):
        return self.by(other, lambda a, b: a / b)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return Number(-self.value)

    def round(self):
        return Number(float(round(self.value))) if math.isfinite(self.value) else self


def fma(a, b, c):
    if not math.isfinite(a.value * b):
        return a * b + c
    exact = fractions.Fraction(a.value) * fractions.Fraction(b) + fractions.Fraction(Number(c).value)
    # To odd in 60 bits, so that the rounding to fp32 is the only one.
    if exact == 0:
        return Number(0.0)
    scale = 60 - (abs(exact.numerator).bit_length() - exact.denominator.bit_length())
    cut = math.floor(exact * fractions.Fraction(2) ** scale)
    cut |= cut != exact * fractions.Fraction(2) ** scale
    low, rest = divmod(cut, 1 << 10)
    return Number(math.ldexp(low | (rest != 0), 10 - scale))
