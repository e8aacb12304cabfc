"""Functions that a formula takes apart where an operand is computed, as C has them (7.12 and Annex F), and as their papers have them:
the values of formulas_model.py. Unsure is raised where 2,000 bits, or what is said here, leave something open."""

from fractions import Fraction

import mpmath
from formulas_model import BITS, CALLS, INF, NAN, ZERO, Unsure, add, close, divide, extremum, invert, is_number, kinds, multiply, negate, order
from formulas_model import power, real, settled, sign_of

NONE, ONE, PLUS = (NAN, 1), Fraction(1), (ZERO, 1)


def magnitude(a):
    return negate(a) if sign_of(a) < 0 and kinds(a) != [NAN] else a


def integer(b, direction):
    """b rounded: down (-1), toward zero (0), to even (1)."""
    if not isinstance(b, Fraction):
        halves = 2 * b
        if mpmath.mag(b) > BITS // 3 or abs(halves - mpmath.nint(halves)) < mpmath.ldexp(1, -BITS // 3):
            raise Unsure
        return int(mpmath.floor(b) if direction < 0 else mpmath.nint(b) if direction else (mpmath.floor if b > 0 else mpmath.ceil)(b))
    down = b.numerator // b.denominator
    return down if direction < 0 else round(b) if direction else down + (b < 0 and down != b)


def remainder_by(direction):
    def call(a, b):
        if NAN in kinds(a, b) or kinds(a) == [INF] or kinds(b) == [ZERO]:
            return NONE
        if kinds(b) == [INF] or kinds(a) == [ZERO]:
            return a
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            rest = a - b * integer(a / b, direction)
            return rest if rest else (ZERO, sign_of(a))
        return settled(real(a) - real(b) * integer(real(a) / real(b), direction))
    return call


def whole_number(n, bits):
    """None where n is no integer of that type of C's; zeros are 0."""
    if kinds(n) == [ZERO]:
        return 0
    if not is_number(n):
        return None
    down = integer(n, -1)
    return down if n == down and -1 << bits - 1 <= down < 1 << bits - 1 else None


def raised(a, n):
    """A number to a whole power, exactly where that is short."""
    if isinstance(a, Fraction) and max(a.numerator.bit_length(), a.denominator.bit_length()) * abs(n) < 50000:
        return settled(a ** n)
    if not is_number(a):
        return power(a, n)
    if abs(n) > 1 << 40:
        raise Unsure
    return settled(mpmath.power(real(a), n))


def pown(a, n):
    n = whole_number(n, 64)
    return NONE if n is None else ONE if n == 0 else raised(a, n)


def compoundn(a, n):
    n = whole_number(n, 64)
    if n is None or (kinds(a) != [NAN] and order(a, -ONE) == -1):
        return NONE
    return ONE if n == 0 else raised(add(ONE, a), n)


def scalbn(a, n):
    n = whole_number(n, 32)
    if n is None or not is_number(a):
        return NONE if n is None else a
    return settled(a * Fraction(2) ** n) if abs(n) < 3000 and isinstance(a, Fraction) else settled(mpmath.ldexp(real(a), n))


def root(a, n):
    """The n-th root of a whole number, if it has one."""
    low, high = 0, 1 << (a.bit_length() // n + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle ** n <= a else (low, middle - 1)
    return low if low ** n == a else None


def of_positive(a, b):
    """A power of a number above 0, to a number."""
    if isinstance(a, Fraction) and isinstance(b, Fraction) and b.denominator <= 64 and abs(b) < 50000:
        parts = root(a.numerator, b.denominator), root(a.denominator, b.denominator)
        if None not in parts:
            return raised(Fraction(*parts), b.numerator)
    if a != 1 and not isinstance(a, Fraction) and close(real(a), mpmath.mpf(1)):
        raise Unsure
    exponent = real(b) * mpmath.log(real(a))
    if abs(exponent) > 1e6 or abs(exponent) < mpmath.ldexp(1, -BITS // 4):
        raise Unsure
    return settled(mpmath.exp(exponent))


def pow(a, b):  # noqa: A001  (it is the name)
    if kinds(b) == [ZERO] or (isinstance(a, Fraction) and a == 1):
        return ONE
    if NAN in kinds(a, b):
        if is_number(a):
            order(a, ONE)  # which knows where it may be 1
        return NONE
    if kinds(b) == [INF]:
        size = order(magnitude(a), ONE)
        return ONE if size == 0 else (INF, 1) if (size > 0) == (b[1] > 0) else PLUS
    if sign_of(a) > 0 and is_number(a):
        return of_positive(a, b)
    down = integer(b, -1)
    if down == b:
        return raised(a, down)
    if is_number(a):
        return NONE
    return ((ZERO if (a[0] == ZERO) == (b > 0) else INF), 1)


def powr(a, b):
    if NAN in kinds(a, b) or (kinds(a) != [ZERO] and sign_of(a) < 0) or kinds(a, b) in ([ZERO, ZERO], [INF, ZERO]) or (a == ONE and kinds(b) == [INF]):
        return NONE
    return pow(magnitude(a), b)


def fdim(a, b):
    compared = order(a, b)
    return NONE if compared is None else add(a, negate(b)) if compared > 0 else PLUS


def hypot(a, b):
    if INF in kinds(a, b):
        return (INF, 1)
    if NAN in kinds(a, b):
        return NONE
    if ZERO in kinds(a, b):
        return magnitude(b if kinds(a) == [ZERO] else a)
    return of_positive(add(multiply(a, a), multiply(b, b)), Fraction(1, 2))


def logaddexp(a, b):
    if NAN in kinds(a, b):
        return NONE
    if INF in kinds(a, b):
        larger = extremum(a, b, 1)
        return PLUS if kinds(larger) == [ZERO] else larger  # log(e^-0) is that of 1
    a, b = (v if is_number(v) else Fraction(0) for v in (a, b))
    difference = abs(real(a) - real(b))
    if difference > 600:
        raise Unsure
    return add(a if real(a) > real(b) else b, mpmath.log1p(mpmath.exp(-difference))) if a or b else settled(mpmath.log(2))


def atan2(a, b):
    if NAN in kinds(a, b):
        return NONE
    sign, pi = sign_of(a), mpmath.pi + 0
    if kinds(a, b) == [INF, INF]:
        return settled(sign * (pi / 4 if b[1] > 0 else 3 * pi / 4))
    if kinds(a) == [ZERO] or kinds(b) == [INF]:
        return (ZERO, sign) if sign_of(b) > 0 else settled(sign * pi)
    if kinds(a) == [INF] or kinds(b) == [ZERO]:
        return settled(sign * pi / 2)
    return settled(mpmath.atan2(real(a), real(b)))


def of_number(direction):
    def call(a, b):
        return b if kinds(a) == [NAN] else a if kinds(b) == [NAN] else extremum(a, b, direction)
    return call


def of_magnitude(direction, number):
    def call(a, b):
        if NAN in kinds(a, b):
            return of_number(direction)(a, b) if number else NONE
        compared = order(magnitude(a), magnitude(b)) * direction
        return a if compared > 0 else b if compared < 0 else extremum(a, b, direction)
    return call


PAIRS = {"fmod": remainder_by(0), "remainder": remainder_by(1), "pown": pown, "compoundn": compoundn, "scalbn": scalbn, "ldexp": scalbn, "pow": pow,
         "powr": powr, "fdim": fdim, "hypot": hypot, "logaddexp": logaddexp, "atan2": atan2, "fminimum_num": of_number(-1), "fmaximum_num": of_number(1),
         "fminimum_mag": of_magnitude(-1, False), "fmaximum_mag": of_magnitude(1, False), "fminimum_mag_num": of_magnitude(-1, True),
         "fmaximum_mag_num": of_magnitude(1, True)}

SCALE, ALPHA = Fraction("1.0507009873554804934193349852946"), Fraction("1.6732632423543772848170429916717")


def elu(a):
    return CALLS["expm1"](a) if sign_of(a) < 0 and kinds(a) != [NAN] else a


def selu(a):
    return multiply(SCALE, multiply(ALPHA, elu(a)) if sign_of(a) < 0 and kinds(a) != [NAN] else a)


def softsign(a):
    return Fraction(a[1]) if kinds(a) == [INF] else divide(a, add(ONE, magnitude(a)))


def hardsigmoid(a):
    if kinds(a) == [NAN]:
        return a
    return PLUS if order(a, Fraction(-3)) <= 0 else ONE if order(a, Fraction(3)) >= 0 else divide(add(a, Fraction(3)), Fraction(6))


def silu(a):
    return ((INF, 1) if a[1] > 0 else (ZERO, -1)) if kinds(a) == [INF] else multiply(a, CALLS["sigmoid"](a))


ONES = {**CALLS, "recip": invert, "elu": elu, "selu": selu, "softsign": softsign, "hardsigmoid": hardsigmoid, "silu": silu}
