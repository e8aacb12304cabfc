"""The vectors of functions of which few are committed (make.py, FEW), in fp16: outputs are worked out again here, by
mpmath to 60 digits or by Python's own integers and fractions. Nothing of this is the program's."""

import math
import os
import struct
import sys
import unittest
from fractions import Fraction

import reader

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors")
sys.path.insert(0, VECTORS)
sys.dont_write_bytecode = True
import make  # noqa: E402

try:
    import mpmath
except ImportError:
    mpmath = None

LAYOUT = reader.LAYOUTS["fp16"]
NAN, INFINITY = math.nan, math.inf
SELU = ("1.0507009873554804934193349852946", "1.6732632423543772848170429916717")


def number(code):
    return struct.unpack("<e", struct.pack("<H", code))[0]


def code_of(value):
    """Of a float or a fraction, rounded to nearest-even."""
    if isinstance(value, float):
        if math.isnan(value):
            return LAYOUT.nan
        if math.isinf(value) or value == 0:
            return LAYOUT.with_sign(LAYOUT.infinity if value else 0, math.copysign(1, value) < 0)
        value = Fraction(value)
    if value == 0:
        return 0
    return LAYOUT.round_one(abs(value), value < 0)


def exactly(value):
    """A finite number of mpmath as a fraction; as far beyond fp16 as any where its exponent is huge, which would take
    as many bits of memory."""
    sign, man, exponent, _ = value._mpf_
    return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** max(-4096, min(int(exponent), 4096))


# Functions of one finite number that is not 0, by mpmath.
def normal(x):
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


TRANSCENDENTAL = {
    "elu": lambda x: x if x > 0 else mpmath.expm1(x),
    "selu": lambda x: mpmath.mpf(SELU[0]) * (x if x > 0 else mpmath.mpf(SELU[1]) * mpmath.expm1(x)),
    "quick_gelu": lambda x: x / (1 + mpmath.exp(-x * mpmath.mpf("1.702"))),
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x) if x < 100 else asymptotic_erfcx(x),
    "ndtr": normal,
    # Right of 30 it is nearer to 0 than any number.
    "log_ndtr": lambda x: -mpmath.mpf(2) ** -400 if x > 30 else mpmath.log1p(-normal(-x)) if x > 0
    else mpmath.log(normal(x)) if x > -30 else -x * x / 2 + mpmath.log(asymptotic_erfcx(-x / mpmath.sqrt(2)) / 2),
    "logit": lambda x: mpmath.log(x) - mpmath.log1p(-x) if 0 < x < 1 else NAN if x != 1 else INFINITY,
    "erfinv": lambda x: mpmath.erfinv(x) if abs(x) < 1 else NAN if abs(x) > 1 else math.copysign(INFINITY, x),
    "digamma": lambda x: mpmath.digamma(x) if x > 0 or x != mpmath.floor(x) else NAN,
    "j0": lambda x: mpmath.besselj(0, x), "j1": lambda x: mpmath.besselj(1, x),
    "y0": lambda x: mpmath.bessely(0, x) if x > 0 else NAN, "y1": lambda x: mpmath.bessely(1, x) if x > 0 else NAN,
    "jn": lambda n, x: mpmath.besselj(n, x) if n == mpmath.floor(n) else NAN,
    "yn": lambda n, x: mpmath.bessely(n, x) if n == mpmath.floor(n) and x > 0 else NAN,
    "i0": lambda x: mpmath.besseli(0, x), "i1": lambda x: mpmath.besseli(1, x),
    "i0e": lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(0, x),
    "i1e": lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(1, x),
    "atan2pi": lambda y, x: mpmath.atan2(y, x) / mpmath.pi,
    "powr": lambda x, y: mpmath.power(x, y) if x > 0 else NAN,
}
# mpmath takes long, or gives up, for these.
BEYOND = {"j0": 1e3, "j1": 1e3, "y0": 1e3, "y1": 1e3, "jn": 3e3, "yn": 3e3, "i0": 300, "i1": 300, "i0e": 300, "i1e": 300}


def asymptotic_erfcx(x):
    total = term = mpmath.mpf(1)
    for n in range(1, 40):
        term *= -(2 * n - 1) / (2 * x * x)
        total += term
    return total / (x * mpmath.sqrt(mpmath.pi))


# Functions whose results are exact, or fractions, of any operands. Integers are fractions too.
def rounded(x, how):
    if not math.isfinite(x) or abs(x) >= 1 << 10:
        return x
    return math.copysign(float(how(Fraction(x))), x)


def to_integer(x, how):
    if not math.isfinite(x):
        return NAN
    return float(how(Fraction(x))) if -(1 << 63) <= x < 1 << 63 else NAN


def away(x):
    return int(abs(x) + Fraction(1, 2)) * (1 if x > 0 else -1)


def extremum(x, y, greatest, numbers, magnitudes):
    if math.isnan(x) or math.isnan(y):
        return (y if math.isnan(x) else x) if numbers else NAN
    key = [(abs(one) if magnitudes else 0, one, math.copysign(1, one)) for one in (x, y)]
    return (x, y)[key.index((max if greatest else min)(key))]


def exponent_of(x):
    if math.isnan(x):
        return x
    return -INFINITY if x == 0 else INFINITY if math.isinf(x) else float(math.frexp(x)[1] - 1)


def neighbour(x, up):
    code = code_of(x)
    if math.isnan(x) or x == (INFINITY if up else -INFINITY):
        return x
    if x == 0:
        return number(1 if up else 0x8001)
    return number(code + (1 if (x > 0) == up else -1))


def next_after(x, y):
    if math.isnan(x) or math.isnan(y):
        return NAN
    return y if x == y else neighbour(x, y > x)


def scaled(x, n):
    if math.isnan(n) or math.isinf(n) or n != int(n) or not -(1 << 31) <= n < 1 << 31:
        return NAN
    if x == 0 or not math.isfinite(x):
        return x
    if abs(n) > 400:
        return math.copysign(INFINITY if n > 0 else 0.0, x)
    value = Fraction(x) * Fraction(2) ** int(n)
    return value


def remquo(x, y):
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return NAN, NAN
    if math.isinf(y):
        return x, 0.0
    quotient = round(Fraction(x) / Fraction(y))
    rest = Fraction(x) - quotient * Fraction(y)
    bits = abs(quotient) % 8 * (-1 if quotient < 0 else 1)
    return rest if rest else math.copysign(0.0, x), float(bits)


def clamp(x):
    return min(max(Fraction(x) + 3, Fraction(0)), Fraction(6)) / 6


def hard_sigmoid(x):
    return x if math.isnan(x) else float(x > 0) if math.isinf(x) else clamp(x)


def hard_swish(x):
    if math.isnan(x) or x == 0 or x >= 3:
        return x
    return -0.0 if x <= -3 else Fraction(x) * clamp(x)


def soft_sign(x):
    if math.isnan(x) or x == 0:
        return x
    return math.copysign(1.0, x) if math.isinf(x) else Fraction(x) / (1 + abs(Fraction(x)))


def is_integer(n, bits):
    return math.isfinite(n) and n == int(n) and -(1 << bits - 1) <= n < 1 << bits - 1


def power(x, n):
    """x^n, for integers small enough; None for others."""
    if not is_integer(n, 64):
        return NAN
    if not math.isfinite(x) or x == 0 or abs(n) > 200:
        return None
    return Fraction(x) ** int(n)


def compound(x, n):
    if not is_integer(n, 64):
        return NAN
    if not math.isfinite(x) or x <= -1 or abs(n) > 200 or x == 0:
        return None
    return (1 + Fraction(x)) ** int(n)


def root(x, n):
    if not is_integer(n, 64) or n == 0:
        return NAN
    if not math.isfinite(x) or x <= 0 or mpmath is None:
        return None
    return exactly(mpmath.mpf(x) ** (1 / mpmath.mpf(n)))


EXACT = {
    "rint": lambda x: rounded(x, round), "nearbyint": lambda x: rounded(x, round),
    "roundeven": lambda x: rounded(x, round), "round": lambda x: rounded(x, away),
    "trunc": lambda x: rounded(x, int), "ceil": lambda x: rounded(x, math.ceil),
    "floor": lambda x: rounded(x, math.floor), "lrint": lambda x: to_integer(x, round),
    "llrint": lambda x: to_integer(x, round), "lround": lambda x: to_integer(x, away),
    "llround": lambda x: to_integer(x, away), "logb": exponent_of, "ilogb": exponent_of,
    "frexp": lambda x: (math.frexp(x)[0], float(math.frexp(x)[1]) if math.isfinite(x) else NAN),
    "modf": math.modf, "nextup": lambda x: neighbour(x, True), "nextdown": lambda x: neighbour(x, False),
    "nextafter": next_after, "scalbn": scaled, "ldexp": scaled, "remquo": remquo,
    "relu": lambda x: x if x > 0 or math.isnan(x) else 0.0,
    "relu6": lambda x: min(x, 6.0) if x > 0 or math.isnan(x) else 0.0,
    "hardsigmoid": hard_sigmoid, "hardswish": hard_swish, "softsign": soft_sign,
    "pown": power, "compoundn": compound, "rootn": root,
    **{f"f{name}{rest}": (lambda x, y, a=name.startswith("max"), b="num" in rest or len(name) == 3, c="mag" in rest:
                          extremum(x, y, a, b, c))
       for name in ("min", "max", "minimum", "maximum")
       for rest in (("",) if len(name) == 3 else ("", "_num", "_mag", "_mag_num"))},
}


def by_mpmath(name, operands):
    """None where it is not asked."""
    order = 1 if name in ("jn", "yn") else 0  # which may be 0
    if mpmath is None or any(not math.isfinite(x) for x in operands) or 0 in operands[order:]:
        return None
    if any(abs(x) >= BEYOND.get(name, INFINITY) for x in operands):
        return None
    value = TRANSCENDENTAL[name](*(mpmath.mpf(x) for x in operands))
    return value if isinstance(value, float) else exactly(mpmath.mpf(value))


class Values(unittest.TestCase):
    def test_every_function_of_few_vectors_is_worked_out(self):
        self.assertEqual({*EXACT} | {*TRANSCENDENTAL}, set(make.FEW))

    def check(self, name, work_out):
        tested = 0
        for group in reader.load(os.path.join(VECTORS, "fp16", name + ".json"))["testGroups"]:
            for test in group["tests"]:
                inputs = [int(bits, 16) for bits in test["in"]]
                want = work_out(name, [number(code) for code in inputs])
                if want is None or any(reader.signalling(LAYOUT, code) for code in inputs):
                    continue
                wants = want if isinstance(want, tuple) else (want,)
                tested += 1
                self.assertEqual([f"0x{code_of(one):04x}" for one in wants], test["out"], (name, test))
        return tested

    def test_exact_results_and_fractions(self):
        for name in EXACT:
            with self.subTest(function=name):
                self.assertGreater(self.check(name, lambda name, operands: EXACT[name](*operands)), 4)

    @unittest.skipIf(mpmath is None, "there is no mpmath (python3-mpmath)")
    def test_transcendental_results(self):
        with mpmath.workprec(160):
            for name in TRANSCENDENTAL:
                with self.subTest(function=name):
                    self.assertGreater(self.check(name, by_mpmath), 3)


if __name__ == "__main__":
    unittest.main()
