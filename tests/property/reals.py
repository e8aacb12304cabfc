"""What the systems have in common: numbers as pairs (negative, magnitude or INFINITY or NAN), rounding of
them and of enclosures to a format, sums by the rules of IEEE 754, transcendental functions by mpmath."""

import os
import sys
from fractions import Fraction

import mpmath

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("cmd", "detmath", "vector"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))
from formats import FORMATS, INFINITY, NAN  # noqa: E402

WORD = (1 << 32) - 1
TINY = Fraction(1, 1 << 6000)  # stands for what is nearer to 0 than any place where a rounding changes
PRECISIONS = (160, 600, 3000, 8000)  # the last tells 1 from 1 + 2^-7000, see exponential()
NAN_NUMBER = (False, NAN)


class Refused(Exception):
    """What the program says of a call instead of an answer."""


def random_bits(seed, index):
    """64 bits of Philox4x32-10, its counter the index and its key the seed."""
    x, key = [index & WORD, index >> 32, 0, 0], [seed & WORD, seed >> 32]
    for _ in range(10):
        a, b = x[0] * 0xd2511f53, x[2] * 0xcd9e8d57
        x = [b >> 32 ^ x[1] ^ key[0], b & WORD, a >> 32 ^ x[3] ^ key[1], a & WORD]
        key = [(key[0] + 0x9e3779b9) & WORD, (key[1] + 0xbb67ae85) & WORD]
    return x[1] << 32 | x[0]


def number(form, code):
    negative, value = form.decode(code)
    return negative, value if value in (INFINITY, NAN) else abs(value)


def signed(x):
    """The fraction of a finite number."""
    return -x[1] if x[0] else x[1]


def of(fraction):
    return fraction < 0, abs(fraction)


def is_finite(x):
    return x[1] not in (INFINITY, NAN)


def negated(x):
    return not x[0], x[1]


def encode(form, x, rounding="nearest-even"):
    negative, magnitude = x
    if magnitude == NAN or (magnitude == INFINITY and form.family == "scale" and negative):
        return form.nan
    if magnitude == INFINITY:
        return form.overflowed(negative, True)
    return form.encode(-magnitude if negative else magnitude, rounding, negative)


def product(x, y):
    negative = x[0] != y[0]
    if NAN in (x[1], y[1]) or (INFINITY in (x[1], y[1]) and 0 in (x[1], y[1])):
        return NAN_NUMBER
    return negative, INFINITY if INFINITY in (x[1], y[1]) else x[1] * y[1]


def total(terms, rounding="nearest-even"):
    """The sum, whose sign where it is 0 follows the terms and the rounding (IEEE 754-2019, 6.3)."""
    infinite = {negative for negative, magnitude in terms if magnitude == INFINITY}
    if any(magnitude == NAN for _, magnitude in terms) or len(infinite) == 2:
        return NAN_NUMBER
    if infinite:
        return infinite.pop(), INFINITY
    value = sum(map(signed, terms), Fraction(0))
    if value:
        return of(value)
    signs = {negative for negative, _ in terms}
    if len(signs) == 1:
        return signs.pop(), Fraction(0)
    return bool(signs) and rounding == "down", Fraction(0)


def fraction_of(x):
    """An mpf as a fraction; TINY where it is smaller."""
    sign, man, exp, count = x._mpf_
    if not man:
        return Fraction(0)
    if exp + count < -5900:
        return -TINY if sign else TINY
    value = Fraction(int(man)) * Fraction(2) ** exp
    return -value if sign else value


def bounds_of(x, precision):
    """Around an mpf that is within a few units of its last place."""
    value = fraction_of(x)
    if abs(value) == TINY:
        return value, value
    slack = abs(value) / (1 << (precision - 30))
    return value - slack, value + slack


def decided(form, rounding, enclose, beside=None):
    """The code of the real that enclose(precision) encloses ever closer, and that is no binary fraction; what
    beside(low, high) says where they do not close."""
    for precision in PRECISIONS:
        with mpmath.workprec(precision):
            low, high = enclose(precision)
        codes = {encode(form, of(low), rounding), encode(form, of(high), rounding)}
        if len(codes) == 1 and (low < 0) == (high < 0):
            return codes.pop()
    if beside:
        return beside(low, high)
    raise ArithmeticError(f"{float(low)} to {float(high)} decide no number of {form.name}")


def exponential(d):
    """e^d for a fraction d <= 0, as an mpf that is good to its precision less 15 bits."""
    if d < -5000:
        return mpmath.mpf(2) ** -7000
    return mpmath.exp(mpmath.mpf(d.numerator) / d.denominator)


def power_bounds(d, precision):
    """Bounds of e^d for a fraction d < 0, however near to 0 it is, or how far from it."""
    if d < -5000:
        return [Fraction(1, 1 << 20000), Fraction(1, 1 << 7000)]  # above 0 is all that counts of the lower one
    if d < -1:
        return bounds_of(exponential(d), precision)
    return [1 + bound for bound in bounds_of(mpmath.expm1(mpmath.mpf(d.numerator) / d.denominator), precision)]


def normal_distribution(v, precision):
    """Bounds of Phi(v)."""
    if v > 200:
        return 1 - TINY, 1 - TINY
    if v < -200:
        return TINY, TINY
    if abs(v) < Fraction(1, 1 << 5900):
        half = Fraction(1, 2) + (TINY if v > 0 else -TINY)
        return half, half
    x = mpmath.mpf(v.numerator) / v.denominator
    if abs(v) > 1:
        tail = bounds_of(mpmath.erfc(abs(x) / mpmath.sqrt(2)) / 2, precision)
        return [1 - bound for bound in reversed(tail)] if v > 0 else tail
    return [Fraction(1, 2) + bound for bound in bounds_of(mpmath.erf(x / mpmath.sqrt(2)) / 2, precision)]
