"""Formulas drawn at random, to a depth of 5, at operands drawn at random in fp16, bf16, fp32 and fp64, NaN, infinities and zeros among
them: their values, rounded in each direction, against mpmath's with 2,000 bits and fractions. What 2,000 bits leave open (a difference that may be 0, a comparison of what may be
equal) proves nothing, and is counted. The program may refuse an input only there. Environment: DETCHECK is the program, CASES
how many formulas both sides decide, SEED what they are drawn from."""

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
from formulas_functions import ONES, PAIRS, pow
from formulas_model import BITS, INF, NAN, ZERO, Unsure, add, code_of, divide, extremum, is_number, may_be_exact, multiply, negate, order
from formulas_model import power, sign_of, value_of, whole

PROGRAM = os.environ["DETCHECK"]
CASES = int(os.environ.get("CASES", "160"))
SEED = int(os.environ.get("SEED", "1"))
SPECIAL = (("inf", lambda values: (INF, 1)), ("-(inf)", lambda values: (INF, -1)), ("nan", lambda values: (NAN, 1)), ("0", lambda values: (ZERO, 1)),
           ("-(0)", lambda values: (ZERO, -1)))
ROUNDINGS = ("nearest-even", "up", "down", "toward-zero")


def draw(choice, depth, operands):
    """A formula's text, and what it is at operands."""
    kind = choice.random()
    if depth == 0 or kind < 0.1:
        if choice.random() < 0.65:
            number = choice.randrange(operands)
            return "xyz"[number], lambda values: values[number]
        if choice.random() < 0.15:
            return choice.choice((("pi", lambda values: +mpmath.pi), ("e", lambda values: +mpmath.e)))
        if choice.random() < 0.1:
            return choice.choice(SPECIAL)
        text = choice.choice(("0", "1", "2", "3", "0.5", "0.1", "1.702", "0x1.8p-3", "10", "1e-3", "100", "0.044715", "1000", "32768", "40000"))
        value = Fraction(float.fromhex(text)) if text.startswith("0x") else Fraction(text)
        return text, lambda values: value if value else (ZERO, 1)
    a, first = draw(choice, depth - 1, operands)
    if kind < 0.38:
        name = choice.choice(sorted(ONES))
        return f"{name}({a})", lambda values: ONES[name](first(values))
    if kind < 0.44:
        return choice.choice(((f"-({a})", lambda values: negate(first(values))),
                              (f"|{a}|", lambda values: negate(first(values)) if sign_of(first(values)) < 0 else first(values)),
                              (f"abs({a})", lambda values: negate(first(values)) if sign_of(first(values)) < 0 else first(values))))
    if kind < 0.49:
        n = choice.choice((-2, -1, 0, 1, 2, 3, 4))
        return f"({a})^{n}", lambda values: power(first(values), n)
    if kind < 0.54:
        name = choice.choice(("floor", "ceil", "trunc", "round", "roundeven"))
        return f"{name}({a})", lambda values: whole(first(values), name)
    if kind < 0.58:
        name = choice.choice(("fp16", "bf16", "fp32"))
        return f"round({name}, {a})", lambda values: value_of(FORMATS[name], code_of(FORMATS[name], first(values)))
    b, second = choice.choice(SPECIAL) if choice.random() < 0.1 else draw(choice, depth - 1, operands)
    if kind < 0.74:
        name = choice.choice((*sorted(PAIRS), "fmod", "remainder", "pow"))
        a, b, first, second = (b, a, second, first) if choice.random() < 0.5 else (a, b, first, second)
        return f"{name}({a}, {b})", lambda values: PAIRS[name](first(values), second(values))
    if kind < 0.78:
        return f"({a})^({b})", lambda values: pow(first(values), second(values))
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
    if kind < 0.15:
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
        while right < CASES and len(wrong) < 20:
            operands = choice.choice((1, 1, 1, 2, 3))
            text, reference = draw(choice, choice.randint(1, 5), operands)
            used = re.findall(r"\b[xyz]\b", text)
            if len(text) > 235 or not used:
                continue
            form = FORMATS[choice.choice(("fp16", "bf16", "fp32", "fp64"))]
            rounding = choice.choice(ROUNDINGS)
            count = max("xyz".index(word) for word in used) + 1
            codes = [operand(choice, form) for _ in range(count)]
            values = [value_of(form, code) for code in codes] + [(ZERO, 1)] * 3
            may_be_exact.clear()
            try:
                want = code_of(form, reference(values), rounding)
            except (Unsure, OverflowError, MemoryError):
                want = None
            words = [f"0x{code:0{form.width // 4}x}" for code in codes]
            done = subprocess.run([PROGRAM, "eval", f"f({', '.join('xyz'[:count])}) = {text}", *words, "-f", form.name, "-r", rounding, "--json", "-"], capture_output=True, text=True,
                                  timeout=120)
            if done.returncode == 2 and "do not separate" in done.stderr:
                refused += 1
                self.assertEqual(done.stderr.count("\n"), 1)
                if want is not None and not may_be_exact:
                    wrong.append((text, form.name, rounding, words, "refused", hex(want), done.stderr))
                continue
            if done.returncode:
                wrong.append((text, form.name, rounding, words, done.returncode, done.stderr))
                continue
            got = int(json.loads(done.stdout)["results"][0]["want"], 16)
            if want is None:
                open_here += 1
            elif got != want and not (rounding == "down" and want == 0 and got == form.sign):  # of terms that cancel
                wrong.append((text, form.name, rounding, words, hex(got), hex(want)))
            else:
                right += 1
        print(f"{right} formulas right, {open_here} that 2,000 bits leave open, {refused} refused, {len(wrong)} wrong")
        self.assertFalse(wrong, "\n" + "\n".join(map(str, wrong)))
        self.assertEqual(right, CASES)
        self.assertLess(open_here + refused, CASES // 2)


if __name__ == "__main__":
    unittest.main()
