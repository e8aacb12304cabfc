"""Functions of numbers, by Annex F of C23, IEEE 754-2019 (9.2), POSIX, and the formulas of 'detcheck list operations': what each
is at zeros, infinities, NaN and poles, and elsewhere by elementary_functions.py and special_functions.py."""

from fractions import Fraction

from mpmath import mp

from counted import FORMATS, INF, NAN, Value, binary_exponent, number, two
from elementary_functions import (ALPHA, LAMBDA, acos, asin, domain, exact_root, exp_like, gated, gelu_tanh_gate, hard, log_like,
                                  logistic, logit, mish, of_pi, selu, tanh)
from enclosed import codes_of, times, to_mpf
from functions_of_two import MAP, add, beside, fdim, nextafter, remquo
from function_values import HALF, I, MI, MZ, N, ONE, Z, near, negated, plain, signed, to_integer
from lines_model import logsumexp
from special_functions import (bessel_i, bessel_jy, digamma, erf, erfc_of, erfcx, erfinv, half_erfc, j0, lgamma, log_ndtr, ndtr,
                               tgamma)

ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away")
SAME = "same"
PI = {half: plain(lambda half=half: mp.pi * half / 2) for half in (1, -1)}


def inside1(x):
    return abs(x) <= 1


def above0(x):
    return x > 0


# name: (of a fraction that is not 0, +0 and -0, +inf, -inf)
ONE_OPERAND = {
    "exp": (exp_like(None, 0), ONE, I, Z), "exp2": (exp_like(2, 0), ONE, I, Z), "exp10": (exp_like(10, 0), ONE, I, Z),
    "expm1": (exp_like(None, 1), SAME, I, number(-1)), "exp2m1": (exp_like(2, 1), SAME, I, number(-1)),
    "exp10m1": (exp_like(10, 1), SAME, I, number(-1)),
    "log": (log_like(None, 0), MI, I, N), "log2": (log_like(2, 0), MI, I, N), "log10": (log_like(10, 0), MI, I, N),
    "log1p": (log_like(None, 1), SAME, I, N), "log2p1": (log_like(2, 1), SAME, I, N), "log10p1": (log_like(10, 1), SAME, I, N),
    "sin": (lambda x: plain(lambda: mp.sin(to_mpf(x))), SAME, N, N), "cos": (lambda x: plain(lambda: mp.cos(to_mpf(x))), ONE, N, N),
    "tan": (lambda x: plain(lambda: mp.tan(to_mpf(x))), SAME, N, N),
    "asin": (domain(inside1, lambda x: plain(lambda: asin(x))), SAME, N, N),
    "acos": (domain(inside1, lambda x: plain(lambda: acos(x)), {1: Z}), PI[1], N, N),
    "atan": (lambda x: plain(lambda: mp.atan(to_mpf(x))), SAME, PI[1], PI[-1]),
    "sinpi": (of_pi("sin"), SAME, N, N), "cospi": (of_pi("cos"), ONE, N, N), "tanpi": (of_pi("tan"), SAME, N, N),
    "asinpi": (domain(inside1, lambda x: plain(lambda: asin(x) / mp.pi), {1: number(HALF), -1: number(-HALF)}), SAME, N, N),
    "acospi": (domain(inside1, lambda x: near(HALF, lambda: -asin(x) / mp.pi) if abs(x) < HALF else plain(
        lambda: acos(x) / mp.pi), {1: Z, -1: ONE}), number(HALF), N, N),
    "atanpi": (domain(lambda x: True, lambda x: near(HALF if x > 0 else -HALF, lambda: -mp.atan(1 / to_mpf(x)) / mp.pi) if abs(x) > 2
                      else plain(lambda: mp.atan(to_mpf(x)) / mp.pi), {1: number(HALF / 2), -1: number(-HALF / 2)}),
               SAME, number(HALF), number(-HALF)),
    "sinh": (lambda x: plain(lambda: mp.sinh(to_mpf(x))), SAME, I, MI),
    "cosh": (lambda x: plain(lambda: mp.cosh(to_mpf(x))) if abs(x) > HALF else near(1, lambda: 2 * mp.sinh(to_mpf(x) / 2) ** 2),
             ONE, I, I),
    "tanh": (tanh, SAME, ONE, number(-1)),
    "asinh": (lambda x: plain(lambda: mp.asinh(to_mpf(x))), SAME, I, MI),
    "acosh": (domain(lambda x: x >= 1, lambda x: plain(lambda: mp.log1p(
        to_mpf(x - 1) + mp.sqrt(to_mpf((x - 1) * (x + 1))))), {1: Z}), N, I, N),
    "atanh": (domain(inside1, lambda x: plain(lambda: (mp.log1p(to_mpf(2 * x / (1 - x))) if x > -HALF else mp.log(
        to_mpf((1 + x) / (1 - x)))) / 2), {1: I, -1: MI}), SAME, N, N),
    "sqrt": (exact_root(2), SAME, I, N), "cbrt": (exact_root(3), SAME, I, MI), "rsqrt": (exact_root(2, True), "pole", Z, N),
    "erf": (erf, SAME, ONE, number(-1)),
    "erfc": (lambda x: plain(lambda: erfc_of(to_mpf(x))) if x > 1 else near(2, lambda: -erfc_of(to_mpf(-x))) if x < -1
             else near(1, lambda: -mp.erf(to_mpf(x))), ONE, Z, number(2)),
    "tgamma": (tgamma, "pole", I, N), "lgamma": (lgamma, I, I, I), "digamma": (digamma, "minus pole", I, N),
    "sigmoid": (lambda x: near(1, lambda: -logistic(to_mpf(x))) if x > 1 else near(HALF, lambda: mp.tanh(to_mpf(x) / 2) / 2) if x > -1
                else plain(lambda: logistic(to_mpf(-x))), number(HALF), ONE, Z),
    "softplus": (lambda x: near(x, lambda: mp.log1p(mp.exp(-to_mpf(x)))) if x > 0 else plain(lambda: mp.log1p(mp.exp(to_mpf(x)))),
                 plain(lambda: mp.log(2)), I, Z),
    "silu": (gated(lambda x: logistic(to_mpf(x))), SAME, I, MZ), "gelu": (gated(half_erfc), SAME, I, MZ),
    "gelu_tanh": (gated(gelu_tanh_gate), SAME, I, MZ),
    "logsigmoid": (lambda x: near(x, lambda: -mp.log1p(mp.exp(to_mpf(x)))) if x < 0 else plain(lambda: -mp.log1p(mp.exp(-to_mpf(x)))),
                   plain(lambda: -mp.log(2)), MZ, MI),
    "mish": (mish, SAME, I, MZ), "relu": (lambda x: number(max(x, 0)), Z, I, Z),
    "relu6": (lambda x: number(min(max(x, 0), 6)), Z, number(6), Z), "hardsigmoid": (lambda x: number(hard(x)), number(HALF), ONE, Z),
    "hardswish": (lambda x: number(x * hard(x), x < 0), SAME, I, MZ),
    "elu": (lambda x: number(x) if x > 0 else exp_like(None, 1)(x), SAME, I, number(-1)), "selu": (selu, SAME, I, number(-LAMBDA * ALPHA)),
    "softsign": (lambda x: number(x / (1 + abs(x))), SAME, ONE, number(-1)),
    "quick_gelu": (gated(lambda x: logistic(to_mpf(x * Fraction("1.702")))), SAME, I, MZ), "erfcx": (erfcx, ONE, Z, I),
    "erfinv": (domain(inside1, erfinv, {1: I, -1: MI}), SAME, N, N), "ndtr": (ndtr, number(HALF), ONE, Z),
    "log_ndtr": (log_ndtr, plain(lambda: -mp.log(2)), MZ, MI),
    "logit": (domain(lambda x: 0 < x < 1, logit, {1: I}), MI, N, N),
    "j0": (j0, ONE, Z, Z), "j1": (lambda x: negated(bessel_jy(1, abs(x), False), x < 0), SAME, Z, MZ),
    "y0": (domain(above0, lambda x: bessel_jy(0, x, True)), MI, Z, N), "y1": (domain(above0, lambda x: bessel_jy(1, x, True)), MI, Z, N),
    "i0": (bessel_i(0, False), ONE, I, I), "i1": (bessel_i(1, False), SAME, I, MI), "i0e": (bessel_i(0, True), ONE, Z, Z),
    "i1e": (bessel_i(1, True), SAME, Z, MZ), "recip": (lambda x: number(1 / x), "pole", Z, MZ),
    "logb": (lambda x: number(binary_exponent(abs(x))), MI, I, I), "ilogb": (lambda x: number(binary_exponent(abs(x))), MI, I, I),
}
INTEGER = {"rint": None, "nearbyint": None, "roundeven": "nearest-even", "round": "nearest-away", "trunc": "toward-zero", "ceil": "up", "floor": "down"}
LONG = {"lrint": None, "llrint": None, "lround": "nearest-away", "llround": "nearest-away"}


def of_one(name, x, rounding, form):
    if name in ONE_OPERAND:
        f, zero, infinite, minus = ONE_OPERAND[name]
        if x.kind == NAN:
            return [N]
        if x.kind == INF:
            return [minus if x.negative else infinite]
        if x.is_zero():
            if isinstance(zero, str):
                zero = {"same": x, "pole": signed(I, x.negative), "minus pole": signed(I, not x.negative)}[zero]
            return [zero]
        return [f(x.signed())]
    if name == "sincos":
        return of_one("sin", x, rounding, form) + of_one("cos", x, rounding, form)
    if name in INTEGER:
        return [x if x.kind != "num" or x.is_zero() else to_integer(x.signed(), INTEGER[name] or rounding)]
    if name in LONG:
        if x.kind != "num":
            return [N]
        v = to_integer(x.signed(), LONG[name] or rounding)
        return [number(v.signed()) if -2 ** 63 <= v.signed() < 2 ** 63 else N]
    if name == "frexp":
        if x.kind != "num":
            return [x if x.kind == INF else N, N]
        if x.is_zero():
            return [x, Z]
        e = binary_exponent(x.size) + 1
        return [number(x.signed() / two(e)), number(e)]
    if name == "modf":
        if x.kind == NAN:
            return [N, N]
        if x.kind == INF:
            return [signed(Z, x.negative), x]
        whole = Fraction(x.size.__floor__())
        return [Value("num", x.negative, x.size - whole), Value("num", x.negative, whole)]
    if name in ("nextup", "nextdown"):
        return [beside(x, name == "nextup", form)]
    raise KeyError(name)


BY_ROUNDING = ("rint", "nearbyint", "lrint", "llrint", "add", "sub", "fma", "fdim", "fmod")  # in zeros' signs, or more
FUNCTIONS = tuple(ONE_OPERAND) + ("sincos",) + tuple(INTEGER) + tuple(LONG) + ("frexp", "modf", "nextup", "nextdown")


def values(name, operands, rounding, form):
    """The results, each as codes_of takes them."""
    if len(operands) == 1:
        return of_one(name, operands[0], rounding, form)
    x, y = operands[:2]
    if name == "fma":
        z = operands[2]
        product = times(x, y)
        return [N if NAN in (x.kind, y.kind, z.kind) else add(product, z, rounding)]
    if name in ("add", "sub"):
        return [add(x, negated(y, True) if name == "sub" else y, rounding)]
    if name == "fdim":
        return [fdim(x, y, rounding)]
    if name == "logaddexp":
        return [logsumexp([x, y], rounding)]
    if name == "remquo":
        return remquo(x, y)
    if name == "nextafter":
        return [nextafter(x, y, form)]
    return [MAP[name](x, y)]


def is_signalling(form, code):
    """Whether it is a NaN without the first bit of its fraction."""
    form = FORMATS[form]
    size = code & ~form.sign
    return size > form.infinity and not size & 1 << form.fraction_bits - 1


def is_beyond(name, form, codes):
    """Whether mpmath gives up: Bessel functions of large orders, but for special values."""
    if name not in ("jn", "yn"):
        return False
    order, x = (FORMATS[form].read(code) for code in codes)
    return order.kind == x.kind == "num" and x.size > 0 and (order.size > 4000 or 4 * order.size ** 2 >= x.size > 3000)


def expected(name, form, codes, roundings=ROUNDINGS):
    """For each rounding the codes of the results."""
    operands = [FORMATS[form].read(code) for code in codes]
    if name in BY_ROUNDING:
        return [tuple(codes_of(form, [rounding], one)[0] for one in values(name, operands, rounding, form)) for rounding in roundings]
    return list(zip(*(codes_of(form, roundings, one) for one in values(name, operands, "nearest-even", form))))
