"""exp, log, trigonometric and hyperbolic functions, roots and what machine learning makes of them, each of a fraction that
is not 0: where the result is a fraction, and elsewhere by mpmath."""

from fractions import Fraction

from mpmath import mp

from counted import binary_exponent, number
from enclosed import to_mpf
from function_values import HALF, I, MI, N, Z, integral, near, pi_times, plain, root_of, signed

HUGE = 1 << 13
LAMBDA, ALPHA = Fraction("1.0507009873554804934193349852946"), Fraction("1.6732632423543772848170429916717")


def exp_like(base, minus_one):
    def f(x):
        if integral(x) and base and (base == 2 or x > 0) and abs(x) < 2000:
            return number(Fraction(base) ** int(x) - minus_one)

        def power():
            return mp.exp(to_mpf(x)) if not base else mp.exp(to_mpf(x) * mp.log(base)) if abs(x) < HUGE else mp.exp(to_mpf(x))
        if not minus_one:
            return near(1, lambda: mp.expm1(to_mpf(x) * (mp.log(base) if base else 1))) if abs(x) < HALF else plain(power)
        if x < -1:
            return near(-1, power)
        return plain(lambda: mp.expm1(to_mpf(x) * (mp.log(base) if base else 1)) if x < HUGE else power())
    return f


def log_like(base, plus_one):
    def f(x):
        x = x + plus_one
        if x < 0:
            return N
        if x == 0:
            return MI
        if x == 1:
            return Z
        if base:
            if integral(x) or base == 2:
                k = binary_exponent(x) if base == 2 else len(str(x.numerator)) - 1
                if x == Fraction(base) ** k:
                    return number(k)
        rest = x - 1

        def value():
            log = mp.log1p(to_mpf(rest)) if abs(rest) < HALF else mp.log(to_mpf(x))
            return log / mp.log(base) if base else log
        return plain(value)
    return f


def of_pi(kind):
    def f(x):
        turns = x - 2 * (x // 2)  # in [0, 2)
        half = turns * 2
        if kind == "tan":
            if integral(x):
                return signed(Z, (x < 0) != (int(x) % 2 != 0))
            if integral(half):
                return signed(I, (x - HALF) % 2 != 0)
            if integral(turns * 4):
                return number(1 if (turns * 4) % 4 == 1 else -1)
            t = turns % 1 - (turns % 1 > HALF)  # in (-1/2, 1/2)
            if abs(t) < Fraction(1, 4):
                return plain(lambda: mp.tan(pi_times(t)))
            return plain(lambda: 1 / mp.tan(pi_times((HALF if t > 0 else -HALF) - t)))
        if integral(half):
            q = int(half)
            if kind == "sin":
                return number([0, 1, 0, -1][q], x < 0)
            return number([1, 0, -1, 0][q])
        quarter = int(half) if half - int(half) <= HALF else int(half) + 1
        rest = turns - Fraction(quarter, 2)  # in [-1/4, 1/4]
        quarter += kind == "cos"
        if quarter % 2 == 0:
            return plain(lambda: (-1) ** (quarter // 2) * mp.sin(pi_times(rest)))
        sign = (-1) ** (quarter // 2)
        return near(sign, lambda: -sign * 2 * mp.sin(pi_times(rest) / 2) ** 2)
    return f


def domain(inside, f, ends=()):
    ends = dict(ends)
    return lambda x: ends[x] if x in ends else f(x) if inside(x) else N


def asin(x):
    return mp.asin(to_mpf(x)) if abs(x) < HALF else (mp.pi / 2 - 2 * mp.asin(mp.sqrt(to_mpf((1 - abs(x)) / 2)))) * (1 if x > 0 else -1)


def acos(x):
    return 2 * mp.asin(mp.sqrt(to_mpf((1 - x) / 2))) if x > 0 else mp.pi - 2 * mp.asin(mp.sqrt(to_mpf((1 + x) / 2)))


def tanh(x):
    if abs(x) < 1:
        return plain(lambda: mp.tanh(to_mpf(x)))
    s = 1 if x > 0 else -1
    return near(s, lambda: -2 * s / (mp.exp(2 * to_mpf(abs(x))) + 1))


def exact_root(n, inverse=False):
    def f(x):
        if x < 0 and n % 2 == 0:
            return N
        root = root_of(abs(x), n)
        if root is not None:
            return number((1 / root if inverse else root) * (1 if x > 0 else -1))
        return plain(lambda: (1 if x > 0 else -1) * mp.root(to_mpf(abs(x)), n) ** (-1 if inverse else 1))
    return f


def gated(gate):
    """x gate(x), where gate(-x) = 1 - gate(x) and gate(-|x|) is a mpf of |x|."""
    def f(x):
        if x > 0:
            return near(x, lambda: -to_mpf(x) * gate(x))
        return plain(lambda: to_mpf(x) * gate(-x))
    return f


def logistic(y):
    return 1 / (1 + mp.exp(y))


def gelu_tanh_gate(x):
    return logistic(2 * mp.sqrt(2 / mp.pi) * to_mpf(x + Fraction("0.044715") * x ** 3))


def mish(x):
    def e():
        return mp.exp(to_mpf(x))
    if x > 0:
        return near(x, lambda: -2 * to_mpf(x) / (e() ** 2 + 2 * e() + 2))
    return plain(lambda: to_mpf(x) * (e() ** 2 + 2 * e()) / (e() ** 2 + 2 * e() + 2))


def hard(x):
    return min(max(x + 3, Fraction(0)), Fraction(6)) / 6


def selu(x):
    return number(LAMBDA * x) if x > 0 else (near(-LAMBDA * ALPHA, lambda: to_mpf(LAMBDA * ALPHA) * mp.exp(to_mpf(x))) if x < -1
                                             else plain(lambda: to_mpf(LAMBDA * ALPHA) * mp.expm1(to_mpf(x))))


def logit(x):
    if x == HALF:
        return Z
    return plain(lambda: mp.log1p(to_mpf((2 * x - 1) / (1 - x))) if abs(x - HALF) < Fraction(1, 4) else mp.log(to_mpf(x / (1 - x))))
