"""Bounds of e^t and of the normal distribution's Phi, by integers and fractions alone: a real is held between
two multiples of 2^-PLACES, every step rounds the lower one down and the upper one up. Neither function has a
rational value for a rational argument other than 0, so that what lies between the bounds is not a bound."""
from fractions import Fraction
from math import isqrt

PLACES = 1024
ONE = 1 << PLACES
FARTHEST = 20  # for arguments beyond that, or powers of e beyond its square / 2, bounds are 0 or 1 and this:
FAR = Fraction(1, 2**288)  # of which e^-200 is less
NEAR = Fraction(1, 2**100)  # arguments below that have bounds of two terms


class Between:
    """A real from low to high, both in units of 2^-PLACES, neither negative."""

    def __init__(self, low, high=None):
        self.low, self.high = low, low if high is None else high

    @classmethod
    def of(cls, value):
        """A fraction."""
        low = (value.numerator << PLACES) // value.denominator
        return cls(low, low + (Fraction(low, ONE) != value))

    def __add__(self, other):
        return Between(self.low + other.low, self.high + other.high)

    def __sub__(self, other):
        return Between(max(0, self.low - other.high), self.high - other.low)

    def __mul__(self, other):
        return Between(self.low * other.low >> PLACES, -(-self.high * other.high >> PLACES))

    def __truediv__(self, other):
        return Between((self.low << PLACES) // other.high, -((-self.high << PLACES) // other.low))

    def over(self, whole):
        return Between(self.low // whole, -(-self.high // whole))

    def bounds(self):
        return Fraction(self.low, ONE), Fraction(self.high, ONE)


def power(t):
    """e^t for t of at most 0 and at least -700: 1 / e^-t, by the series of e^(-t / 2^12)."""
    r = Between.of(-t / 4096)
    term = total = Between(ONE)
    for k in range(1, 200):
        term = (term * r).over(k)
        total = total + term
    # What is left is less than the last term, since each is less than half of the one before.
    total = Between(total.low, total.high + term.high)
    for _ in range(12):
        total = total * total
    return Between(ONE) / total


def arctangent_of_inverse(whole):
    """arctan(1 / whole), by its series, which alternates."""
    low = high = 0
    for n in range(PLACES):
        denominator = (2 * n + 1) * whole ** (2 * n + 1)
        if n % 2:
            low, high = low - ONE // denominator - 1, high - ONE // denominator
        else:
            low, high = low + ONE // denominator, high + ONE // denominator + 1
    return Between(low - 1, high + 1)


def square_root(value):
    return Between(isqrt(value.low << PLACES), isqrt(value.high << PLACES) + 1)


def times(value, whole):
    return Between(value.low * whole, value.high * whole)


# Machin: pi = 16 arctan(1/5) - 4 arctan(1/239).
PI = times(arctangent_of_inverse(5), 16) - times(arctangent_of_inverse(239), 4)
ROOT = square_root(times(PI, 2))


def area(v):
    """Phi(v) for |v| of at most FARTHEST: 1/2 + density(v) (v + v^3/3 + v^5/(3*5) + ...)."""
    square, term = Between.of(v * v), Between.of(abs(v))
    total, n = term, 1
    while n < 2 * v * v or term.high > 1:
        n += 2
        term = (term * square).over(n)
        total = total + term
    # From here on every term is less than half of the one before; what is left is less than the last.
    total = Between(total.low, total.high + term.high)
    half, part = Between(ONE >> 1), power(-v * v / 2) / ROOT * total
    return half + part if v >= 0 else half - part


def exponential(t):
    """Bounds of e^t for t of at most 0."""
    if t == 0:
        return Fraction(1), Fraction(1)
    if t < -(FARTHEST**2) // 2:
        return Fraction(0), FAR
    if t > -NEAR:
        return 1 + t, 1 + t + t * t
    return power(t).bounds()


def phi(v):
    """Bounds of Phi(v)."""
    if abs(v) > FARTHEST:
        return (Fraction(0), FAR) if v < 0 else (1 - FAR, Fraction(1))
    if abs(v) < NEAR:  # the density is between 0.39 and 0.40 there
        ends = Fraction(1, 2) + v * Fraction(39, 100), Fraction(1, 2) + v * Fraction(40, 100)
        return min(ends), max(ends)
    return area(v).bounds()
