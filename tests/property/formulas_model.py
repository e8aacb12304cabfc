"""What the steps of formulas are, by mpmath with 2,000 bits and by fractions: the values of formulas_test.py. A value is a Fraction, a
number of mpmath's, or a pair of NAN, INF or ZERO and a sign. Unsure is raised where 2,000 bits leave something open."""

from fractions import Fraction

import mpmath

BITS = 2000
NAN, INF, ZERO = "nan", "inf", "zero"


may_be_exact = []  # values that 2,000 bits do not tell from a number of 500


class Unsure(Exception):
    pass


def is_number(v):
    return not isinstance(v, tuple)


def sign_of(v):
    return v[1] if isinstance(v, tuple) else (-1 if v < 0 else 1)


def real(v):
    return mpmath.mpf(v.numerator) / v.denominator if isinstance(v, Fraction) else v


def close(a, b):
    return abs(a - b) <= mpmath.ldexp(max(abs(a), abs(b)), -BITS // 2)


def settled(v):
    """What a step gives: fractions exactly, and no fraction too long."""
    if isinstance(v, Fraction):
        if v == 0:
            return (ZERO, 1)
        return v if max(v.numerator.bit_length(), v.denominator.bit_length()) < 60000 else real(v)
    if not mpmath.isfinite(v) or v == 0 or abs(mpmath.mag(v)) > 1 << 40:
        raise Unsure
    return v


def negate(a):
    return (a[0], -a[1]) if isinstance(a, tuple) else -a


def add(a, b):
    if NAN in (a[0] if isinstance(a, tuple) else 0, b[0] if isinstance(b, tuple) else 0):
        return (NAN, 1)
    infinite = [v for v in (a, b) if isinstance(v, tuple) and v[0] == INF]
    if infinite:
        return (NAN, 1) if len({v[1] for v in infinite}) == 2 else infinite[0]
    if not is_number(a):
        return ((ZERO, -1) if b == a == (ZERO, -1) else (ZERO, 1)) if not is_number(b) else b
    if not is_number(b):
        return a
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return settled(a + b)
    a, b = real(a), real(b)
    if close(a, -b):
        raise Unsure
    return settled(a + b)


def kinds(*values):
    return [v[0] if isinstance(v, tuple) else "" for v in values]


def multiply(a, b):
    both = kinds(a, b)
    sign = sign_of(a) * sign_of(b)
    if NAN in both or (INF in both and ZERO in both):
        return (NAN, 1)
    if INF in both:
        return (INF, sign)
    if ZERO in both:
        return (ZERO, sign)
    return settled(a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else real(a) * real(b))


def invert(a):
    if isinstance(a, tuple):
        return {NAN: (NAN, 1), INF: (ZERO, a[1]), ZERO: (INF, a[1])}[a[0]]
    return settled(1 / a)


def divide(a, b):
    if kinds(a, b) in ([ZERO, ZERO], [INF, INF]):
        return (NAN, 1)
    return multiply(a, invert(b)) if NAN not in kinds(a, b) else (NAN, 1)


def power(a, n):
    if n == 0:
        return Fraction(1)
    if isinstance(a, tuple):
        kind = a[0] if n > 0 else {INF: ZERO, ZERO: INF, NAN: NAN}[a[0]]
        return (kind, a[1] if n % 2 else 1)
    return settled(a ** n)


def order(a, b):
    """-1, 0, 1, or None for NaN."""
    if NAN in kinds(a, b):
        return None
    if isinstance(a, tuple) or isinstance(b, tuple):
        def rank(v):
            return 0 if v[0] == ZERO else 2 * v[1]
        p = rank(a) if isinstance(a, tuple) else sign_of(a)
        q = rank(b) if isinstance(b, tuple) else sign_of(b)
        return (p > q) - (p < q)
    if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
        a, b = real(a), real(b)
        if close(a, b):
            raise Unsure
    return (a > b) - (a < b)


def extremum(a, b, direction):
    compared = order(a, b)
    if compared is None:
        return (NAN, 1)
    if kinds(a, b) == [ZERO, ZERO]:
        return (ZERO, min(a[1], b[1]) if direction < 0 else max(a[1], b[1]))
    return a if compared * direction >= 0 else b


def whole(a, rounding):
    if isinstance(a, tuple):
        return a
    value = a if isinstance(a, Fraction) else real(a)
    near = mpmath.nint(2 * real(value)) / 2
    if not isinstance(value, Fraction) and (abs(mpmath.mag(value)) > BITS // 2 or abs(real(value) - near) <= mpmath.ldexp(1, -BITS // 2)):
        raise Unsure
    exact = value if isinstance(value, Fraction) else None
    down = int(exact.numerator // exact.denominator) if exact is not None else int(mpmath.floor(value))
    rest = value - down
    result = {"floor": down, "ceil": down + (rest > 0), "trunc": down + (rest > 0 and value < 0),
              "roundeven": down + (rest > 0.5 or (rest == 0.5 and down % 2)),
              "round": down + (rest > 0.5 or (rest == 0.5 and value > 0))}[rounding]
    return Fraction(int(result)) if result else (ZERO, sign_of(a))


def at(function, low=None, high=None, limits=None, zero=None):
    """A function of mpmath's: its domain, what it is at -inf and inf, and at 0: None is the zero itself."""
    def call(a):
        if isinstance(a, tuple):
            if a[0] == NAN:
                return a
            if a[0] == INF:
                return limits[a[1] > 0]
            return a if zero is None else zero(a[1])
        x = real(a)
        for end in (low, high):
            if end is not None and close(x, mpmath.mpf(end)) and not isinstance(a, Fraction):
                raise Unsure
        if (low is not None and x < low) or (high is not None and x > high):
            return (NAN, 1)
        if abs(x) > 1e45:
            raise Unsure
        y = function(x)
        if isinstance(a, Fraction) and a.denominator < 1 << 200:
            # what is exact at a fraction: 2^3, sqrt 4, log2 8, cosh-like functions never but at 0
            near = mpmath.nint(mpmath.ldexp(y, 400))
            if near and abs(mpmath.ldexp(y, 400) - near) <= mpmath.ldexp(1, -BITS // 4) and abs(mpmath.mag(y)) < 300:
                return Fraction(int(near)) / (1 << 400)
        if not isinstance(a, Fraction) and abs(y) <= mpmath.ldexp(min(abs(x), 1), -BITS // 2):
            raise Unsure
        if y == 0:
            return (ZERO, 1) if isinstance(a, Fraction) else settled(mpmath.mpf(0))
        return settled(y)
    return call


ONE, MINUS_ONE = Fraction(1), Fraction(-1)
NONE, UP, DOWN, PLUS = (NAN, 1), (INF, 1), (INF, -1), (ZERO, 1)
FUNCTIONS = {
    "exp": at(mpmath.exp, limits=(PLUS, UP), zero=lambda s: ONE),
    "expm1": at(mpmath.expm1, limits=(MINUS_ONE, UP)),
    "exp2": at(lambda x: mpmath.power(2, x), limits=(PLUS, UP), zero=lambda s: ONE),
    "log": at(mpmath.log, low=0, limits=(NONE, UP), zero=lambda s: DOWN),
    "log2": at(lambda x: mpmath.log(x) / mpmath.log(2), low=0, limits=(NONE, UP), zero=lambda s: DOWN),
    "log10": at(mpmath.log10, low=0, limits=(NONE, UP), zero=lambda s: DOWN),
    "exp10": at(lambda x: mpmath.power(10, x), limits=(PLUS, UP), zero=lambda s: ONE),
    "tanh": at(mpmath.tanh, limits=(MINUS_ONE, ONE)),
    "sqrt": at(mpmath.sqrt, low=0, limits=(NONE, UP)),
    "rsqrt": at(lambda x: 1 / mpmath.sqrt(x), low=0, limits=(NONE, PLUS), zero=lambda s: (INF, s)),
    "cbrt": at(lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), limits=(DOWN, UP)),
    "sin": at(mpmath.sin, limits=(NONE, NONE)),
    "cos": at(mpmath.cos, limits=(NONE, NONE), zero=lambda s: ONE),
    "atan": at(mpmath.atan, limits=None),
    "sinh": at(mpmath.sinh, limits=(DOWN, UP)),
    "cosh": at(mpmath.cosh, limits=(UP, UP), zero=lambda s: ONE),
    "asinh": at(mpmath.asinh, limits=(DOWN, UP)),
    "sigmoid": at(lambda x: 1 / (1 + mpmath.exp(-x)), limits=(PLUS, ONE), zero=lambda s: Fraction(1, 2)),
    "erf": at(mpmath.erf, limits=(MINUS_ONE, ONE)),
    "erfc": at(mpmath.erfc, limits=(Fraction(2), PLUS), zero=lambda s: ONE),
}


def guarded(name):
    """Functions that run into 1 or the like have a value beside that, of which 2,000 bits see nothing."""
    inner = FUNCTIONS[name]

    def call(a):
        if is_number(a):
            x = real(a)
            if name in ("exp", "exp2", "exp10", "sinh", "cosh", "expm1") and abs(x) > 1e6:
                raise Unsure
            if name in ("sigmoid", "expm1", "tanh") and abs(x) > 300:
                raise Unsure
            if name in ("erf", "erfc") and abs(x) > 15:
                raise Unsure
            if name == "atan" and abs(x) > 1e30:
                raise Unsure
        if name == "atan" and isinstance(a, tuple) and a[0] == INF:
            return settled(sign_of(a) * mpmath.pi / 2)
        return inner(a)
    return call


CALLS = {name: guarded(name) for name in FUNCTIONS}


def steps_up(rest, odd, rounding, negative):
    """Whether a magnitude that lies so far above a number of the format, in steps, goes to the next one."""
    if rounding == "nearest-even":
        return rest > Fraction(1, 2) or (rest == Fraction(1, 2) and odd)
    return rest > 0 and rounding == ("down" if negative else "up")


def code_of(form, v, rounding="nearest-even"):
    if isinstance(v, tuple):
        return {NAN: form.nan, INF: form.infinity, ZERO: 0}[v[0]] | (form.sign if v[1] < 0 and v[0] != NAN else 0)
    sign = form.sign if v < 0 else 0
    inexact = not isinstance(v, Fraction)
    exponent = mpmath.mag(real(v)) - 1 if inexact else None
    if exponent is not None and abs(exponent) > 5000:
        up = steps_up(Fraction(1, 4), False, rounding, v < 0)
        return sign | (form.infinity - (rounding != "nearest-even" and not up) if exponent > 0 else up)
    exact = abs(Fraction(int(v.man)) * Fraction(2) ** int(v.exp)) if inexact else abs(v)
    ulp = max(floor_log2(exact), form.least) - form.fraction_bits
    steps = exact / Fraction(2) ** ulp
    down = steps.numerator // steps.denominator
    rest = steps - down
    near = Fraction(1, 1 << (BITS // 2))
    ends = (Fraction(1, 2),) if rounding == "nearest-even" else (Fraction(0), Fraction(1))
    if inexact and any(abs(rest - end) < near for end in ends):
        raise Unsure
    if inexact:
        few = mpmath.ldexp(v, 500 - mpmath.mag(v))
        if abs(few - mpmath.nint(few)) < mpmath.ldexp(1, -BITS // 2):
            may_be_exact.append(v)
    down += steps_up(rest, down % 2, rounding, v < 0)
    count = down + max(0, ulp + form.fraction_bits - form.least) * (1 << form.fraction_bits)
    if count >= form.infinity and rounding != "nearest-even" and not steps_up(Fraction(1, 4), False, rounding, v < 0):
        count = form.infinity - 1
    return sign | min(int(count), form.infinity)


def floor_log2(x):
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if x >= Fraction(2) ** e else e - 1


def value_of(form, code):
    v = form.read(code)
    if v.kind == "nan":
        return (NAN, 1)
    if v.kind == "inf":
        return (INF, -1 if v.negative else 1)
    return v.signed() if v.size else (ZERO, -1 if v.negative else 1)
