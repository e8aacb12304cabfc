"""The functions of P3109's report 4.0 (4.10.8 to 4.10.16), by mpmath at 1000 bits, on values as p3109_definitions has them."""

from fractions import Fraction

import mpmath
from p3109_definitions import MINUS, NAN, PLUS

PRECISION = 1000
# Beyond all numbers of 8 bits, and next to 0 or to another number.
HUGE, NEXT = Fraction(2) ** 400, Fraction(1, 2 ** 850)
mp = mpmath.mp.clone()
mp.prec = PRECISION


def to_fraction(y):
    """The value of a result: a number of 64 bits where it is no farther from one than its own error."""
    sign, significand, exponent, bits = y._mpf_  # pylint: disable=protected-access
    if not significand:
        return Fraction(0)
    way = -1 if sign else 1
    if exponent + bits > 400:
        return way * HUGE
    if exponent + bits < -400:
        return way / HUGE
    value = way * Fraction(int(significand)) * Fraction(2) ** exponent
    scale = Fraction(2) ** (exponent + bits - 64)
    short = round(value / scale) * scale
    return short if abs(value - short) <= abs(value) / 2 ** 900 else value


def of_real(x):
    return mp.mpf(x.numerator) / mp.mpf(x.denominator)


def function(compute, at_plus=NAN, at_minus=NAN, domain=lambda x: True, **known):
    """`compute` on finite operands within the domain; `known` has results at numbers: at_0=MINUS."""
    points = {Fraction(name.removeprefix("at_").replace("minus_", "-")): y for name, y in known.items()}

    def of(x):
        if isinstance(x, str):
            return {NAN: NAN, PLUS: at_plus, MINUS: at_minus}[x]
        if x in points:
            return points[x]
        if not domain(x):
            return NAN
        y = compute(x)
        return y if isinstance(y, Fraction) else to_fraction(y)
    return of


def of_mp(name):
    return lambda x: getattr(mp, name)(of_real(x))



HALF_PI = to_fraction(mp.pi / 2)
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def within_one(x):
    return abs(x) <= 1


def sign_of(x):
    return 1 if x > 0 else -1


UNARY = {
    "sqrt": function(of_mp("sqrt"), PLUS, NAN, lambda x: x >= 0),
    "rsqrt": function(lambda x: 1 / mp.sqrt(of_real(x)), ZERO, NAN, lambda x: x > 0),
    "recip": function(lambda x: 1 / x, ZERO, ZERO, lambda x: x != 0),
    "exp": function(of_mp("exp"), PLUS, ZERO),
    "exp2": function(lambda x: mp.power(2, of_real(x)), PLUS, ZERO),
    "expm1": function(lambda x: Fraction(-1) + NEXT if x < -600 else mp.expm1(of_real(x)), PLUS, Fraction(-1)),
    "log": function(of_mp("log"), PLUS, NAN, lambda x: x > 0, at_0=MINUS),
    "log2": function(lambda x: mp.log(of_real(x), 2), PLUS, NAN, lambda x: x > 0, at_0=MINUS),
    "log1p": function(of_mp("log1p"), PLUS, NAN, lambda x: x > -1, at_minus_1=MINUS),
    "softplus": function(lambda x: x + NEXT if x > 600 else mp.log1p(mp.exp(of_real(x))), PLUS, ZERO),
    "sin": function(of_mp("sin")), "cos": function(of_mp("cos")), "tan": function(of_mp("tan")),
    "asin": function(of_mp("asin"), domain=within_one), "acos": function(of_mp("acos"), domain=within_one),
    "atan": function(of_mp("atan"), HALF_PI, -HALF_PI),
    "sinpi": function(of_mp("sinpi")), "cospi": function(of_mp("cospi")),
    "tanpi": function(lambda x: mp.sinpi(of_real(x)) / mp.cospi(of_real(x)), domain=lambda x: (x - HALF).denominator != 1),
    "asinpi": function(lambda x: mp.asin(of_real(x)) / mp.pi, domain=within_one),
    "acospi": function(lambda x: mp.acos(of_real(x)) / mp.pi, domain=within_one),
    "atanpi": function(lambda x: mp.atan(of_real(x)) / mp.pi, HALF, -HALF),
    "sinh": function(of_mp("sinh"), PLUS, MINUS), "cosh": function(of_mp("cosh"), PLUS, PLUS),
    "tanh": function(lambda x: sign_of(x) * (1 - NEXT) if abs(x) > 300 else mp.tanh(of_real(x)), ONE, -ONE),
    "asinh": function(of_mp("asinh"), PLUS, MINUS), "acosh": function(of_mp("acosh"), PLUS, NAN, lambda x: x >= 1),
    "atanh": function(of_mp("atanh"), NAN, NAN, within_one, at_1=PLUS, at_minus_1=MINUS),
}


def hypot(x, y):
    if NAN in (x, y):
        return NAN
    if isinstance(x, str) or isinstance(y, str):
        return PLUS
    return to_fraction(mp.sqrt(of_real(x * x + y * y)))


def angle(half, whole, of_ratio):
    """4.10.15 and 4.10.16, in their order: of (y, x) the angle whose unit makes half a turn `whole`."""
    def of(y, x):
        if NAN in (x, y) or (x == 0 and y == 0) or (isinstance(x, str) and isinstance(y, str)):
            return NAN
        if x == PLUS or (y == 0 and not isinstance(x, str) and x > 0):
            return ZERO
        if isinstance(y, str):
            return half if y == PLUS else -half
        if x == MINUS or y == 0:
            return whole
        if x == 0:
            return half if y > 0 else -half
        turn = 0 if x > 0 else mp.pi if y > 0 else -mp.pi
        return to_fraction(of_ratio(mp.atan(of_real(y / x)) + turn))
    return of


PAIRS = {"hypot": hypot, "atan2": angle(HALF_PI, 2 * HALF_PI, lambda a: a), "atan2pi": angle(HALF, ONE, lambda a: a / mp.pi)}
