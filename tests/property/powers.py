"""Sums of c e^a with fractions c and a as dictionaries {a: c}, multiplied out whole: their signs, and numbers beside them."""

from fractions import Fraction

import mpmath

import reals


def total(*sums):
    found = {}
    for one in sums:
        for exponent, factor in one.items():
            found[exponent] = found.get(exponent, 0) + factor
    return {exponent: factor for exponent, factor in found.items() if factor}


def product(a, b):
    return total(*({one + other: factor * times for other, times in b.items()} for one, factor in a.items()))


def times(a, factor):
    return {exponent: one * factor for exponent, one in a.items()}


def sign(a):
    """It is 0 where there is no term (Lindemann and Weierstrass); else enough bits of the largest powers tell."""
    precision = 200
    while a:
        top, size = max(a), sum(map(abs, a.values()))
        near = {exponent - top: factor for exponent, factor in a.items() if exponent - top > -precision}
        with mpmath.workprec(precision):
            value = sum(reals.fraction_of(mpmath.exp(mpmath.mpf(one.numerator) / one.denominator)) * factor
                        for one, factor in near.items())
        if abs(value) > size / (1 << (precision - 40)):
            return 1 if value > 0 else -1
        precision *= 2
    return 0


def shortest(low, high):
    """The binary fraction of the fewest bits within bounds."""
    if low <= 0 <= high:
        return Fraction(0)
    most = max(abs(low), abs(high))
    step = Fraction(2) ** (most.numerator.bit_length() - most.denominator.bit_length() + 1)
    while -(-low // step) * step > high:
        step /= 2
    return -(-low // step) * step


def beside(form, rounding, low, high, side):
    """The code of a real within bounds, which are beside a short number, on that side(number) of it: 0 where it is that."""
    number = shortest(low, high)
    found = side(number)
    value = reals.of(number + found * reals.TINY) if number or found else (rounding == "down", Fraction(0))
    return reals.encode(form, value, rounding)
