"""Formulas drawn at random, to a depth of 5, at operands drawn at random in fp16, bf16 and fp32: their rounded values against
mpmath's with 2,000 bits and fractions. What 2,000 bits leave open (a difference that may be 0, a comparison of what may be
equal) proves nothing, and is counted. The program may refuse an input only there. Environment: DETCHECK is the program, CASES
how many formulas are drawn, SEED what they are drawn from."""

import json
import os
import random
import re
import subprocess
import sys
import unittest
from fractions import Fraction

try:
    import mpmath
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)

import functions_reference  # noqa: F401  (it finds the formats)
from counted import FORMATS

PROGRAM = os.environ["DETCHECK"]
CASES = int(os.environ.get("CASES", "400"))
SEED = int(os.environ.get("SEED", "1"))
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
            if name in ("exp", "exp2", "sinh", "cosh", "expm1") and abs(x) > 1e6:
                raise Unsure
            if name in ("sigmoid", "expm1") and abs(x) > 300:
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


def code_of(form, v):
    """Rounded to nearest-even."""
    if isinstance(v, tuple):
        return {NAN: form.nan, INF: form.infinity, ZERO: 0}[v[0]] | (form.sign if v[1] < 0 and v[0] != NAN else 0)
    sign = form.sign if v < 0 else 0
    exponent = mpmath.mag(real(v)) - 1 if not isinstance(v, Fraction) else None
    if exponent is not None and abs(exponent) > 400:
        return sign | (form.infinity if exponent > 0 else 0)
    exact = abs(v) if isinstance(v, Fraction) else abs(Fraction(int(v.man)) * Fraction(2) ** int(v.exp))
    ulp = max(floor_log2(exact), form.least) - form.fraction_bits
    steps = exact / Fraction(2) ** ulp
    down = steps.numerator // steps.denominator
    rest = steps - down
    if not isinstance(v, Fraction) and abs(rest - Fraction(1, 2)) < Fraction(1, 1 << (BITS // 2)):
        raise Unsure
    if not isinstance(v, Fraction):
        few = mpmath.ldexp(v, 500 - mpmath.mag(v))
        if abs(few - mpmath.nint(few)) < mpmath.ldexp(1, -BITS // 2):
            may_be_exact.append(v)
    down += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down % 2)
    count = down + max(0, ulp + form.fraction_bits - form.least) * (1 << form.fraction_bits)
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


def draw(choice, depth, operands):
    """A formula's text, and what it is at operands."""
    kind = choice.random()
    if depth == 0 or kind < 0.1:
        if choice.random() < 0.65:
            number = choice.randrange(operands)
            return "xyz"[number], lambda values: values[number]
        if choice.random() < 0.15:
            return choice.choice((("pi", lambda values: +mpmath.pi), ("e", lambda values: +mpmath.e)))
        text = choice.choice(("0", "1", "2", "3", "0.5", "0.1", "1.702", "0x1.8p-3", "10", "1e-3", "100", "0.044715"))
        value = Fraction(float.fromhex(text)) if text.startswith("0x") else Fraction(text)
        return text, lambda values: value if value else (ZERO, 1)
    a, first = draw(choice, depth - 1, operands)
    if kind < 0.45:
        name = choice.choice(sorted(CALLS))
        return f"{name}({a})", lambda values: CALLS[name](first(values))
    if kind < 0.52:
        return choice.choice(((f"-({a})", lambda values: negate(first(values))),
                              (f"|{a}|", lambda values: negate(first(values)) if sign_of(first(values)) < 0 else first(values)),
                              (f"abs({a})", lambda values: negate(first(values)) if sign_of(first(values)) < 0 else first(values))))
    if kind < 0.58:
        n = choice.choice((-2, -1, 0, 1, 2, 3, 4))
        return f"({a})^{n}", lambda values: power(first(values), n)
    if kind < 0.63:
        name = choice.choice(("floor", "ceil", "trunc", "round", "roundeven"))
        return f"{name}({a})", lambda values: whole(first(values), name)
    if kind < 0.67:
        name = choice.choice(("fp16", "bf16", "fp32"))
        return f"round({name}, {a})", lambda values: value_of(FORMATS[name], code_of(FORMATS[name], first(values)))
    b, second = draw(choice, depth - 1, operands)
    if kind < 0.94:
        step = choice.choice((("+", add), ("-", lambda p, q: add(p, negate(q))), ("*", multiply), ("/", divide)))
        return f"({a}) {step[0]} ({b})", lambda values: step[1](first(values), second(values))
    if kind < 0.97:
        name, direction = choice.choice((("min", -1), ("max", 1)))
        return f"{name}({a}, {b})", lambda values: extremum(first(values), second(values), direction)
    c, third = draw(choice, depth - 1, operands)
    if kind < 0.985:
        return f"fma({a}, {b}, {c})", lambda values: add(multiply(first(values), second(values)), third(values))
    relation, holds = choice.choice((("<", (-1,)), ("<=", (-1, 0)), (">", (1,)), (">=", (1, 0)), ("==", (0,)), ("!=", (-1, 1, None))))
    return (f"select({a} {relation} {b}, {c}, {a})",
            lambda values: (third if order(first(values), second(values)) in holds else first)(values))


def operand(choice, form):
    kind = choice.random()
    if kind < 0.1:
        return choice.choice((0, form.sign, form.infinity, form.infinity | form.sign, form.nan, 1, form.last))
    if kind < 0.8:
        v = Fraction(choice.choice((1, -1)) * choice.uniform(0, choice.choice((1, 4, 30))))
        return code_of(form, v) if v else 0
    return choice.randrange(form.infinity) | choice.choice((0, form.sign))


class Formulas(unittest.TestCase):
    def test_the_rounded_value_is_that_of_mpmath(self):
        choice = random.Random(SEED)
        mpmath.mp.prec = BITS
        right = open_here = refused = 0
        wrong = []
        for _ in range(CASES):
            operands = choice.choice((1, 1, 1, 2, 3))
            text, reference = draw(choice, choice.randint(1, 5), operands)
            used = re.findall(r"\b[xyz]\b", text)
            if len(text) > 235 or not used:
                continue
            form = FORMATS[choice.choice(("fp16", "bf16", "fp32"))]
            count = max("xyz".index(word) for word in used) + 1
            codes = [operand(choice, form) for _ in range(count)]
            values = [value_of(form, code) for code in codes] + [(ZERO, 1)] * 3
            may_be_exact.clear()
            try:
                want = code_of(form, reference(values))
            except (Unsure, OverflowError, MemoryError):
                want = None
            words = [f"0x{code:0{form.width // 4}x}" for code in codes]
            done = subprocess.run([PROGRAM, "eval", f"f({', '.join('xyz'[:count])}) = {text}", *words, "-f", form.name, "--json", "-"], capture_output=True, text=True,
                                  timeout=120)
            if done.returncode == 2 and "do not tell" in done.stderr:
                refused += 1
                self.assertEqual(done.stderr.count("\n"), 1)
                if want is not None and not may_be_exact:
                    wrong.append((text, form.name, words, "refused", hex(want), done.stderr))
                continue
            if done.returncode:
                wrong.append((text, form.name, words, done.returncode, done.stderr))
                continue
            got = int(json.loads(done.stdout)["results"][0]["want"], 16)
            if want is None:
                open_here += 1
            elif got != want:
                wrong.append((text, form.name, words, hex(got), hex(want)))
            else:
                right += 1
        print(f"{right} formulas right, {open_here} that 2,000 bits leave open, {refused} refused")
        self.assertFalse(wrong, "\n" + "\n".join(map(str, wrong[:20])))
        self.assertGreater(right, CASES // 2)


if __name__ == "__main__":
    unittest.main()
