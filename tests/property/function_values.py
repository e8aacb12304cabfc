"""Results of functions as enclosed.codes_of takes them: Values, and fractions with what mpmath adds to them."""

from fractions import Fraction
from math import isqrt

import mpmath
from mpmath import mp

from counted import INF, NAN, Value, number, two
from enclosed import bound, to_mpf

N, I, MI, Z, MZ, ONE = Value(NAN), Value(INF), Value(INF, True), Value("num"), Value("num", True), number(1)
HALF = Fraction(1, 2)


def near(base, rest, *sizes):
    """A value for code_of: the fraction plus rest()."""
    def value():
        more = rest()
        return Fraction(base), more, bound(more, *[one() for one in sizes])
    return value


def plain(f):
    return near(0, f)


def signed(v, negative):
    return Value(v.kind, negative, v.size, v.trifle)


def negated(value, flip):
    if not flip:
        return value
    if isinstance(value, Value):
        return signed(value, not value.negative) if value.kind != NAN else value

    def other():
        base, middle, error = value()
        return -base, -middle, error
    return other


def over(negative=False):
    return Value("num", negative, two(3000))


def under(negative=False):
    return Value("num", negative, Fraction(0), 1)


def root_of(x, n):
    """The exact n-th root of a fraction above 0, or None."""
    def whole(k):
        if n > k.bit_length():
            return 1 if k == 1 else None
        guess = isqrt(k) if n == 2 else int(mpmath.nint(mpmath.root(mpmath.mpf(k), n))) if k.bit_length() < 90 else newton(k)
        return guess if guess ** n == k else None

    def newton(k):
        guess = 1 << -(-k.bit_length() // n)
        while True:
            better = ((n - 1) * guess + k // guess ** (n - 1)) // n
            if better >= guess:
                return guess
            guess = better
    with mpmath.workprec(120):
        top, bottom = whole(x.numerator), whole(x.denominator)
    return Fraction(top, bottom) if top and bottom else None


def integral(x):
    return x.denominator == 1


def pi_times(x):
    return mp.pi * to_mpf(x)


def to_integer(x, rounding):
    """A fraction to an integer as a Value with the sign of x."""
    low, rest = abs(x).__floor__(), abs(x) % 1
    if rest:
        low += {"toward-zero": False, "up": x > 0, "down": x < 0, "nearest-away": rest >= HALF,
                "nearest-even": rest > HALF or (rest == HALF and low % 2 == 1)}[rounding]
    return Value("num", x < 0, Fraction(low))
