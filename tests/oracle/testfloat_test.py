"""The oracle's results and flags against lines of TestFloat's form.

They come from Berkeley's own testfloat_gen where the environment variable TESTFLOAT_GEN names it
(its release 3e, built outside of this repository): all its cases of add, sub, mul, div, rem, sqrt,
mulAdd, of conversions and roundings to integers, in fp16, fp32 and fp64, in five roundings, with
tininess before and after rounding. In any case they come from the generator below, which shares
nothing with the oracle: it computes in fractions and applies the definitions of IEEE 754-2019.
"""

import math
import os
import random
import subprocess
import unittest
from fractions import Fraction

LINES = os.environ["TESTFLOAT_LINES"]
BERKELEY = os.environ.get("TESTFLOAT_GEN")
LEVEL = os.environ.get("TESTFLOAT_LEVEL", "1")

# name: (bits of the fraction, bits of the exponent)
FORMATS = {"fp16": (10, 5), "fp32": (23, 8), "fp64": (52, 11)}
ROUNDINGS = {"nearest-even": "near_even", "toward-zero": "minMag", "up": "max", "down": "min",
             "nearest-away": "near_maxMag"}
INEXACT, UNDERFLOW, OVERFLOW, INFINITE, INVALID = 1, 2, 4, 8, 16
CASES = 40


class Number:
    """A code taken apart."""

    def __init__(self, form, code):
        fraction_bits, exponent_bits = FORMATS[form]
        most = (1 << exponent_bits) - 1
        fraction = code & ((1 << fraction_bits) - 1)
        exponent = code >> fraction_bits & most
        self.negative = bool(code >> (fraction_bits + exponent_bits))
        self.nan = exponent == most and fraction != 0
        self.signalling = self.nan and not fraction >> (fraction_bits - 1)
        self.infinite = exponent == most and fraction == 0
        self.value = Fraction(0)
        if exponent < most:
            significand = fraction | (1 << fraction_bits if exponent else 0)
            scale = max(exponent, 1) - (most >> 1) - fraction_bits
            self.value = Fraction(significand) * Fraction(2) ** scale * (-1 if self.negative else 1)
        self.zero = not self.nan and not self.infinite and self.value == 0


def rounds_up(rounding, negative, odd, twice, exact):
    """Whether the magnitude goes up: `twice` compares twice the rest with one, `exact` means no rest."""
    if exact:
        return False
    return {"nearest-even": twice > 0 or (twice == 0 and odd), "nearest-away": twice >= 0,
            "toward-zero": False, "up": not negative, "down": negative}[rounding]


def integer_of(quotient, negative, rounding, beyond=False):
    """A magnitude as an integer, and whether that is exact; `beyond`: a little more follows."""
    whole, rest = divmod(quotient, 1)
    twice = (2 * rest > 1) - (2 * rest < 1)
    if twice == 0 and beyond:
        twice = 1
    exact = rest == 0 and not beyond
    return int(whole) + rounds_up(rounding, negative, int(whole) & 1, twice, exact), exact


def encode(form, magnitude, negative, rounding, after, beyond=False):
    """The code and the flags of a magnitude above 0 that is rounded once."""
    fraction_bits, exponent_bits = FORMATS[form]
    emax = (1 << (exponent_bits - 1)) - 1
    emin = 1 - emax
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    sign = negative << (fraction_bits + exponent_bits)

    def rounded(scale):
        return integer_of(magnitude / Fraction(2) ** scale, negative, rounding, beyond)

    unbounded, _ = rounded(exponent - fraction_bits)
    tiny = exponent < emin
    if after and tiny:
        tiny = unbounded * Fraction(2) ** (exponent - fraction_bits) < Fraction(2) ** emin
    scale = max(exponent, emin) - fraction_bits
    significand, exact = rounded(scale)
    if significand >> (fraction_bits + 1):
        significand, scale = significand >> 1, scale + 1
    if significand * Fraction(2) ** scale >= Fraction(2) ** (emax + 1):
        infinite = rounding.startswith("nearest") or (rounding == "down" if negative else rounding == "up")
        infinity = ((1 << exponent_bits) - 1) << fraction_bits
        return sign | (infinity if infinite else infinity - 1), OVERFLOW | INEXACT
    biased = scale + fraction_bits + emax if significand >> fraction_bits else 0
    code = sign | biased << fraction_bits | (significand & ((1 << fraction_bits) - 1))
    return code, 0 if exact else INEXACT | (UNDERFLOW if tiny else 0)


class Generator:
    """Operations on codes of one format, in one rounding."""

    def __init__(self, form, results, rounding, after):
        self.form, self.results, self.rounding, self.after = form, results, rounding, after
        fraction_bits, exponent_bits = FORMATS[results]
        self.sign = 1 << (fraction_bits + exponent_bits)
        self.infinity = ((1 << exponent_bits) - 1) << fraction_bits
        self.nan = self.infinity | 1 << (fraction_bits - 1)

    def invalid(self):
        return self.nan, INVALID

    def signed(self, code, negative):
        return code | (self.sign if negative else 0)

    def round(self, value):
        return encode(self.results, abs(value), value < 0, self.rounding, self.after)

    def sum(self, a, b):
        """Of two that are no NaN: (negative, infinite, zero, value) each."""
        if a.infinite and b.infinite:
            return self.invalid() if a.negative != b.negative else (self.signed(self.infinity, a.negative), 0)
        if a.infinite or b.infinite:
            return self.signed(self.infinity, (a if a.infinite else b).negative), 0
        total = a.value + b.value
        if total == 0:
            negative = a.negative if a.zero and b.zero and a.negative == b.negative else self.rounding == "down"
            return self.signed(0, negative), 0
        return self.round(total)

    def product(self, a, b):
        """As a number; None where it is invalid."""
        made = Number(self.form, 0)
        made.negative = a.negative != b.negative
        made.infinite = a.infinite or b.infinite
        if made.infinite and (a.zero or b.zero):
            return None
        made.value = a.value * b.value
        made.zero = not made.infinite and made.value == 0
        return made

    def finish(self, number):
        if number is None:
            return self.invalid()
        if number.infinite or number.zero:
            return self.signed(self.infinity if number.infinite else 0, number.negative), 0
        return self.round(number.value)

    def add(self, a, b):
        return self.sum(a, b)

    def sub(self, a, b):
        b.negative, b.value = not b.negative, -b.value
        return self.sum(a, b)

    def mul(self, a, b):
        return self.finish(self.product(a, b))

    def div(self, a, b):
        negative = a.negative != b.negative
        if (a.infinite and b.infinite) or (a.zero and b.zero):
            return self.invalid()
        if a.infinite or b.zero:
            return self.signed(self.infinity, negative), 0 if a.infinite else INFINITE
        if b.infinite or a.zero:
            return self.signed(0, negative), 0
        return self.round(a.value / b.value)

    def remainder(self, a, b):
        if a.infinite or b.zero:
            return self.invalid()
        if b.infinite or a.zero:
            return self.finish(a)
        left = a.value - b.value * round(a.value / b.value)
        return self.round(left) if left else (self.signed(0, a.negative), 0)

    def sqrt(self, a):
        if a.zero:
            return self.signed(0, a.negative), 0
        if a.negative:
            return self.invalid()
        if a.infinite:
            return self.infinity, 0
        scaled = a.value * Fraction(4) ** 1200  # an integer, whose root has far more bits than any format
        root = math.isqrt(int(scaled))
        return encode(self.results, Fraction(root, 2 ** 1200), False, self.rounding, self.after,
                      root * root != scaled)

    def fma(self, a, b, c):
        made = self.product(a, b)
        return self.invalid() if made is None else self.sum(made, c)

    def cast(self, a):
        return self.finish(a)

    def whole(self, a, rounding, tells):
        """Rounded to an integer; `tells` says whether inexact is raised."""
        if a.infinite or a.zero:
            return self.finish(a)
        integer, exact = integer_of(abs(a.value), a.negative, rounding)
        code = encode(self.results, Fraction(integer), a.negative, "toward-zero", True)[0] if integer else \
            self.signed(0, a.negative)
        return code, INEXACT if tells and not exact else 0

    def rint(self, a):
        return self.whole(a, self.rounding, True)

    def nearbyint(self, a):
        return self.whole(a, self.rounding, False)

    def line(self, operation, codes):
        numbers = [Number(self.form, code) for code in codes]
        if any(number.signalling for number in numbers):
            result, flags = self.invalid()
        elif any(number.nan for number in numbers):
            result, flags = self.nan, 0
        else:
            result, flags = getattr(self, operation)(*numbers)
        return " ".join(f"{code:X}" for code in [*codes, result, flags])


def draw(form, rand):
    """A code at an end of something, with few bits, near 1, or anywhere."""
    fraction_bits, exponent_bits = FORMATS[form]
    most, bias = (1 << exponent_bits) - 1, (1 << (exponent_bits - 1)) - 1
    exponent = rand.choice((0, 0, 1, 2, bias // 2, bias // 2 + 1, bias - fraction_bits, bias - 1, bias, bias + 1,
                            bias + fraction_bits, bias + bias // 2, most - 2, most - 1, most,
                            rand.randrange(most), rand.randrange(most)))
    fraction = rand.choice((0, 1, 1 << (fraction_bits - 1), (1 << fraction_bits) - 1, (1 << fraction_bits) - 2,
                            1 << rand.randrange(fraction_bits), rand.getrandbits(fraction_bits),
                            rand.getrandbits(fraction_bits)))
    return rand.getrandbits(1) << (fraction_bits + exponent_bits) | exponent << fraction_bits | fraction


OPERANDS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "remainder": 2, "sqrt": 1, "fma": 3, "cast": 1, "rint": 1,
            "nearbyint": 1}


def jobs():
    for operation in OPERANDS:
        for form in FORMATS:
            for results in FORMATS if operation == "cast" else (form,):
                if operation != "cast" or form != results:
                    yield operation, form, results


class Lines(unittest.TestCase):
    def agree(self, text):
        done = subprocess.run([LINES], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return int(done.stdout.split()[0])

    def test_agree_with_fractions(self):
        rand = random.Random(754)
        text = []
        for operation, form, results in jobs():
            for rounding in ROUNDINGS:
                after = rand.getrandbits(1)
                generator = Generator(form, results, rounding, after)
                text.append(f"@ {operation} {form} {results} {rounding} {'after' if after else 'before'}")
                text += [generator.line(operation, [draw(form, rand) for _ in range(OPERANDS[operation])])
                         for _ in range(CASES)]
        self.assertEqual(self.agree("\n".join(text) + "\n"), CASES * sum(not line.startswith("@") for line in text)
                         // CASES)

    def test_a_wrong_flag_is_seen(self):
        for line in ("3F800000 33800000 3F800000 00", "3F800000 33800000 3F800000 03", "3F800000 33800000 3F800001 01"):
            done = subprocess.run([LINES], input="@ add fp32 fp32 nearest-even after\n" + line + "\n",
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stdout)

    @unittest.skipUnless(BERKELEY, "TESTFLOAT_GEN does not name Berkeley TestFloat's testfloat_gen")
    def test_agree_with_berkeley(self):
        names = {"fp16": "f16", "fp32": "f32", "fp64": "f64"}
        functions = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "remainder": "rem", "sqrt": "sqrt",
                     "fma": "mulAdd", "rint": "roundToInt", "nearbyint": "roundToInt"}
        runs = [(operation, form, results, functions.get(operation) or f"to_{names[results]}",
                 ["-exact"] if operation == "rint" else [])
                for operation, form, results in jobs()]
        runs += [("llrint", form, "i64", "to_i64", ["-exact"]) for form in FORMATS]
        for operation, form, results, function, options in runs:
            total = 0
            for rounding, option in ROUNDINGS.items():
                for tininess in ("before", "after"):
                    command = [BERKELEY, "-level", LEVEL, "-r" + option, "-tininess" + tininess, *options,
                               f"{names[form]}_{function}"]
                    with self.subTest(command=" ".join(command[1:])):
                        total += self.pipe(command, f"@ {operation} {form} {results} {rounding} {tininess}\n")
            print(f"{operation} {form} {results}: {total} lines agree", flush=True)

    def pipe(self, command, header):
        with subprocess.Popen([LINES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as check:
            check.stdin.write(header)
            check.stdin.flush()
            subprocess.run(command, stdout=check.stdin, stderr=subprocess.DEVNULL, check=True)
            check.stdin.close()
            said = check.stdout.read()
        self.assertEqual(check.returncode, 0, said)
        return int(said.split()[0])


if __name__ == "__main__":
    unittest.main()
