"""Functions of two operands, which are Values: powers, angles, remainders, extremes and neighbours, by Annex F of C23 and
IEEE 754-2019."""

from fractions import Fraction

from mpmath import mp

from counted import FORMATS, INF, NAN, Value, binary_exponent, number, two
from elementary_functions import HUGE
from enclosed import times, to_mpf, total
from function_values import HALF, I, N, ONE, Z, near, negated, over, plain, root_of, signed, to_integer, under
from special_functions import bessel_n


def beside(x, up, form):
    f = FORMATS[form]
    if x.kind == NAN:
        return N
    if x.kind == INF:
        return x if x.negative != up else Value("num", x.negative, f.largest())
    if x.is_zero():
        return Value("num", not up, f.size_of(1))
    count = f.place(x)[0] + (1 if x.negative != up else -1)
    if count > f.last:
        return Value(INF, x.negative)
    return Value("num", x.negative, f.size_of(count))


def power(x, y):
    """x^y of fractions, x > 0, neither 1 nor y 0; and a bound-free way where it is 1 and a little."""
    base, exponent = x, y
    while exponent.denominator > 1:
        base = root_of(base, 2)
        if base is None:
            break
        exponent *= 2
    if base is not None and exponent.denominator == 1:
        n = int(exponent)
        odd = [k >> ((k & -k).bit_length() - 1) for k in (base.numerator, base.denominator)]
        if odd == [1, 1]:
            e = binary_exponent(base) * n
            return number(two(e)) if abs(e) < 5000 else over() if e > 0 else under()
        if abs(n) * max(k.bit_length() for k in odd) <= 6000 and abs(n) * (abs(binary_exponent(base)) + 1) < 40000:
            return number(base ** n)
    near_one = x - 1

    def log():
        return to_mpf(y) * (mp.log1p(to_mpf(near_one)) if abs(near_one) < HALF else mp.log(to_mpf(x)))
    with mp.workprec(100):
        rough = log()
    if rough > HUGE:
        return over()
    if rough < -HUGE:
        return under()
    return near(1, lambda: mp.expm1(log())) if abs(rough) < 1 else plain(lambda: mp.exp(log()))


def parity(y):
    """Of a Value that is a number: "odd", "even", or None where it is no integer."""
    return None if y.size.denominator > 1 else "odd" if y.size % 2 else "even"


def pow_(x, y):
    if (x.kind == "num" and x.signed() == 1) or (y.kind == "num" and not y.size):
        return ONE
    if NAN in (x.kind, y.kind):
        return N
    if y.kind == INF:
        size = x.size if x.kind == "num" else Fraction(2)
        if size == 1:
            return ONE
        return I if (size > 1) != y.negative else Z
    odd = parity(y) == "odd"
    if x.kind == INF or x.is_zero():
        large = (x.kind == INF) != y.negative
        return signed(I if large else Z, x.negative and odd)
    if x.negative and parity(y) is None:
        return N
    if x.size == 1:
        return number(-1 if x.negative and odd else 1)
    return negated(power(x.size, y.signed()), x.negative and odd)


def powr(x, y):
    if NAN in (x.kind, y.kind) or (x.negative and not x.is_zero()):
        return N
    zero_y = y.kind == "num" and not y.size
    if zero_y and (x.kind == INF or x.is_zero()):
        return N
    if x.kind == "num" and x.size == 1 and y.kind == INF:
        return N
    if x.is_zero():
        return I if y.negative else Z
    return pow_(x, y)


def pown(x, n):
    if not n.size:
        return ONE
    return N if x.kind == NAN else pow_(x, n)


def rootn(x, n):
    if not n.size or x.kind == NAN:
        return N
    odd = parity(n) == "odd"
    if x.is_zero() or x.kind == INF:
        if x.kind == INF and x.negative and not odd:
            return N
        large = (x.kind == INF) != n.negative
        return signed(I if large else Z, x.negative and odd)
    if x.negative and not odd:
        return N
    k, size = int(n.size), x.size
    if n.negative:
        size = 1 / size
    if size == 1:
        return number(-1 if x.negative else 1)
    root = size if k == 1 else root_of(size, k)
    if root is not None:
        return number(-root if x.negative else root)

    def log():
        return (mp.log1p(to_mpf(size - 1)) if abs(size - 1) < HALF else mp.log(to_mpf(size))) / k
    with mp.workprec(100):
        small = abs(log()) < 1
    return negated(near(1, lambda: mp.expm1(log())) if small else plain(lambda: mp.exp(log())), x.negative)


def compoundn(x, n):
    if x.kind == NAN:
        return ONE if not n.size else N
    if x.kind == INF:
        return N if x.negative else ONE if not n.size else Z if n.negative else I
    if x.signed() < -1:
        return N
    if not n.size or not x.size:
        return ONE
    if x.signed() == -1:
        return I if n.negative else Z
    return power(1 + x.signed(), n.signed())


def atan2_(of_turn):
    unit = (lambda v: v / mp.pi) if of_turn else (lambda v: v)

    def quarters(k, negative):
        """k pi/4."""
        k = -k if negative else k
        return number(Fraction(k, 4)) if of_turn else plain(lambda: mp.pi * k / 4)

    def f(y, x):
        if NAN in (x.kind, y.kind):
            return N
        if y.is_zero():
            return quarters(4, y.negative) if x.negative else y
        if x.kind == INF and y.kind == INF:
            return quarters(3 if x.negative else 1, y.negative)
        if y.kind == INF or x.is_zero():
            return quarters(2, y.negative)
        if x.kind == INF:
            return quarters(4, y.negative) if x.negative else signed(Z, y.negative)
        if x.size == y.size:
            return quarters(3 if x.negative else 1, y.negative)
        ratio = y.size / x.size
        if ratio < 1:
            turn = near(1, lambda: -unit(mp.atan(to_mpf(ratio)))) if of_turn else plain(lambda: mp.pi - mp.atan(to_mpf(ratio)))
            rest = turn if x.negative else plain(lambda: unit(mp.atan(to_mpf(ratio))))
        else:
            ratio = 1 / ratio
            s = 1 if x.negative else -1
            rest = near(HALF, lambda: s * unit(mp.atan(to_mpf(ratio)))) if of_turn else plain(
                lambda: mp.pi / 2 + s * mp.atan(to_mpf(ratio)))
        return negated(rest, y.negative)
    return f


def hypot(x, y):
    if INF in (x.kind, y.kind):
        return I
    if NAN in (x.kind, y.kind):
        return N
    a, b = max(x.size, y.size), min(x.size, y.size)
    if not b:
        return number(a)
    root = root_of(a * a + b * b, 2)
    if root is not None:
        return number(root)
    return near(a, lambda: to_mpf(b * b) / (mp.sqrt(to_mpf(a * a + b * b)) + to_mpf(a)))


def quotient_of(x, y, even):
    """The integer quotient, and the remainder as a fraction."""
    q = x / y
    n = int(to_integer(q, "nearest-even" if even else "toward-zero").signed()) if q else 0
    return n, x - n * y


def remainder_of(x, y, even):
    if NAN in (x.kind, y.kind) or x.kind == INF or y.is_zero():
        return N, None
    if y.kind == INF or x.is_zero():
        return x, 0
    n, rest = quotient_of(x.signed(), y.signed(), even)
    return number(rest, x.negative), n


def remquo(x, y):
    rest, n = remainder_of(x, y, True)
    if rest.kind == NAN:
        return [N, N]
    return [rest, number((abs(n) % 8) * (-1 if n < 0 else 1))]


def fdim(x, y, rounding):
    if NAN in (x.kind, y.kind):
        return N
    if key(x) > key(y):
        return total([x, negated(y, True)], rounding)
    return Z


def key(v):
    """In order: -inf, numbers with -0 below +0, inf."""
    if v.kind == INF:
        return (-1 if v.negative else 1, 0, 0)
    return (0, v.signed(), 0 if v.negative else 1)


def extreme(name):
    most, mag, number_wins = "max" in name, "mag" in name, "num" in name or name in ("fmin", "fmax")

    def f(x, y):
        if NAN in (x.kind, y.kind):
            if number_wins and (x.kind != NAN or y.kind != NAN):
                return y if x.kind == NAN else x
            return N
        if mag:
            a, b = [(v.kind == INF, v.size) for v in (x, y)]
            if a != b:
                return (x if a > b else y) if most else (x if a < b else y)
        return max(x, y, key=key) if most else min(x, y, key=key)
    return f


def scalbn(x, n):
    if x.kind != "num" or x.is_zero():
        return x if x.kind != NAN else N
    k = int(n.signed())
    e = k + binary_exponent(x.size)
    if e > 4000:
        return over(x.negative)
    return under(x.negative) if e < -4000 else number(x.signed() * two(k))


def divide(x, y):
    negative = x.negative != y.negative
    if NAN in (x.kind, y.kind) or x.kind == y.kind == INF or (x.is_zero() and y.is_zero()):
        return N
    if x.kind == INF or y.is_zero():
        return Value(INF, negative)
    return Value("num", negative, Fraction(0) if y.kind == INF else x.size / y.size)


def add(x, y, rounding):
    if x.kind == y.kind == "num" and x.signed() == -y.signed() and x.negative != y.negative:
        return Value("num", rounding == "down")
    return total([x, y], rounding)


def nextafter(x, y, form):
    if NAN in (x.kind, y.kind):
        return N
    if x.kind == y.kind and x.signed() == y.signed() and (x.kind != INF or x.negative == y.negative):
        return y
    return beside(x, key(y) > key(x), form)


INTEGER_OPERAND = {"pown": 63, "rootn": 63, "compoundn": 63, "scalbn": 31, "ldexp": 31, "jn": 31, "yn": 31}  # and their bits
EXTREMES = ("fmin", "fmax", *(f"f{one}imum{rest}" for one in ("min", "max") for rest in ("", "_num", "_mag", "_mag_num")))
MAP = {"pow": pow_, "powr": powr, "pown": pown, "rootn": rootn, "compoundn": compoundn, "jn": bessel_n(False), "yn": bessel_n(True),
       "atan2": atan2_(False), "atan2pi": atan2_(True), "hypot": hypot, "scalbn": scalbn, "ldexp": scalbn, "div": divide, "mul": times,
       "fmod": lambda x, y: remainder_of(x, y, False)[0], "remainder": lambda x, y: remainder_of(x, y, True)[0],
       **{name: extreme(name) for name in EXTREMES}}
PAIRS = (*MAP, "add", "sub", "fdim", "logaddexp", "remquo", "nextafter")  # the last ones know more than two numbers
