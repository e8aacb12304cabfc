"""Results that are a fraction, or a fraction and what mpmath knows of the rest: enclosed at growing precision until all
of the enclosure rounds to one code. And sums and products by the rules of IEEE 754."""

from fractions import Fraction

import mpmath

from casts_model import cast
from counted import INF, NAN, Value, number, two

FAR = -6000  # what is below 2^FAR is a trifle beside a number of any format
BEYOND = 3000  # what is above 2^BEYOND overflows in all of them
PRECISIONS = (160, 600, 2500, 7000)
SLACK = 24  # bits at the end of a few operations' result that may be wrong


class Undecided(ArithmeticError):
    """No precision tells on which side of a number the result lies."""


def to_mpf(x):
    """A fraction, to the precision."""
    return mpmath.mpf(x.numerator) / x.denominator


def power(x):
    """e^x of a fraction; far out, too, to the precision."""
    with mpmath.extraprec(max(0, x.numerator.bit_length() - x.denominator.bit_length() + 8)):
        return mpmath.exp(to_mpf(x))


def bound(*sizes):
    """Of the error of a few operations on numbers of such sizes."""
    return mpmath.ldexp(sum(abs(one) for one in sizes), SLACK - mpmath.mp.prec)


def exact(m):
    negative, man, exp, _ = m._mpf_
    return Fraction(-int(man) if negative else int(man)) * two(int(exp)) if man else Fraction(0)


def size_of(m):
    """The binary exponent of a mpf that is not 0."""
    return int(m.exp) + int(m.bc)


def ends_of(base, middle, error):
    """The Values between which base + middle lies, within the error; None where the precision does not tell."""
    if error and error >= abs(middle):
        return None
    if not middle or size_of(middle) < FAR:
        trifle = (middle > 0) - (middle < 0)
        negative = base < 0 if base else middle < 0
        return [Value("num", negative, abs(base), -trifle if negative else trifle)]
    if size_of(middle) > BEYOND:
        return [Value("num", middle < 0, two(BEYOND))]
    low, high = (base + exact(middle) + exact(error) * side for side in (-1, 1))
    if low == high:
        return [number(low)]
    if low <= 0 <= high:
        return None
    return [Value("num", x < 0, abs(x), side * (-1 if x < 0 else 1)) for x, side in ((low, 1), (high, -1))]


def decided(value, answer):
    """answer() of a Value, or of a function that returns a fraction, a mpf to be added to it, and a bound of the error of
    the latter at mpmath's precision: what all of the enclosure has in common."""
    if isinstance(value, Value):
        return answer(value)
    for precision in PRECISIONS:
        with mpmath.workprec(precision):
            ends = ends_of(*value())
        answers = [answer(end) for end in ends or ()]
        if answers and answers[0] == answers[-1]:
            return answers[0]
    raise Undecided


def codes_of(form, roundings, value):
    return decided(value, lambda end: [cast(end, form, "ieee", rounding) for rounding in roundings])


def total(terms, rounding, count=1):
    """The sum of Values over a count, a Value: a 0 of terms that are not all zeros of one sign is +0, or -0 downwards."""
    kinds = {one.kind for one in terms}
    signs = {one.negative for one in terms if one.kind == INF}
    if NAN in kinds or len(signs) == 2 or count == 0:
        return Value(NAN)
    if signs:
        return Value(INF, signs.pop())
    x = sum((one.signed() for one in terms), Fraction(0)) / count
    if x or not terms:
        return number(x)
    alike = all(one.is_zero() for one in terms) and len({one.negative for one in terms}) == 1
    return Value("num", terms[0].negative if alike else rounding == "down")


def times(x, y):
    negative = x.negative != y.negative
    if NAN in (x.kind, y.kind) or (x.kind == INF and y.is_zero()) or (y.kind == INF and x.is_zero()):
        return Value(NAN)
    if INF in (x.kind, y.kind):
        return Value(INF, negative)
    return Value("num", negative, x.size * y.size)
