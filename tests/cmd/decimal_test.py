"""Decimal texts as a user meets them: from_decimal beside Python's float and fractions, to_decimal beside Python's formatting."""

import math
import random
import struct
import unittest
from fractions import Fraction

from harness import Case, parse

LIBC = "lib:libc.so.6"


def number(code, wide=True):
    return struct.unpack("<d" if wide else "<f", struct.pack("<Q" if wide else "<I", code))[0]


def code_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def digits_of(value, most):
    """All digits of a dyadic fraction, or the first of them, as a text."""
    exponent = 0
    while value >= 10:
        value, exponent = value / 10, exponent + 1
    while value < 1:
        value, exponent = value * 10, exponent - 1
    digits = []
    while value and len(digits) < most:
        digits.append(str(value.numerator // value.denominator))
        value = (value - value.numerator // value.denominator) * 10
    return "".join(digits), exponent


def beside(value, most):
    """Texts at a number that is above 0, and next to it: cut, one more in the last place, a 1 far behind."""
    digits, exponent = digits_of(value, most)
    more = str(int(digits) + 1)
    yield f"{digits[0]}.{digits[1:]}e{exponent}"
    yield f"{digits}{'0' * 30}1e{exponent - len(digits) + 1 - 31}"
    yield f"{more}e{exponent - len(digits) + 1}"
    yield f"-0.{digits}E{exponent + 1:+04d}"


def rounded(value, precision, least, most):
    """A fraction above 0, rounded to nearest-even; `least` is the exponent of the last place of subnormal numbers."""
    unit = Fraction(2) ** least
    while value / unit >= 1 << precision:
        unit *= 2
    steps = value / unit
    whole, rest = steps.numerator // steps.denominator, steps - steps.numerator // steps.denominator
    whole += rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole & 1
    result = whole * unit
    return math.inf if result > most else float(result)


class DecimalTest(Case):
    def evaluate(self, *arguments):
        result, = parse(self.succeed("eval", "--json", "-", *arguments))["results"]
        return result["elements"]

    def texts(self, count):
        draw = random.Random(56)
        for _ in range(count):
            code = draw.choice((draw.getrandbits(63) % 0x7fefffffffffffff, draw.getrandbits(52), 0x7fefffffffffffff,
                                draw.randrange(8), 0x000ffffffffffff8 + draw.randrange(16)))
            x = Fraction(number(code))
            middle = (x + Fraction(number(code + 1))) / 2 if code < 0x7fefffffffffffff else x + Fraction(2) ** 970
            yield from beside(middle, draw.choice((17, 18, 25, 60, 800)))

    def want_reading(self, texts, *options):
        return [(int(element["want"], 16), element["implementations"])
                for element in self.evaluate("from_decimal", *options, "--", *texts)]

    def test_texts_next_to_middles_are_what_python_reads(self):
        texts = list(self.texts(60))
        found = self.want_reading(texts, "--impl", "cr,libm")
        self.assertEqual(len(found), len(texts))
        for text, (want, implementations) in zip(texts, found):
            self.assertEqual(want, code_of(float(text)), text)
            for one in implementations:
                self.assertEqual(int(one["got"], 16), want, (text, one["name"]))

    def test_texts_become_the_nearest_number_of_fp32(self):
        texts = [text for text in self.texts(60) if 1e-50 < abs(float(text)) < 1e39]
        texts += [text for code in (1, 2, 0x7fffff, 0x800000, 0x7f7fffff, 0x3f800000, 0x4b7fffff)
                  for text in beside((Fraction(number(code, False)) + Fraction(number(code - 1, False))) / 2, 120)]
        found = self.want_reading(texts, "--to", "fp32", "--impl", "cr,libm")
        most = Fraction(number(0x7f7fffff, False))
        for text, (want, _) in zip(texts, found):
            value = Fraction(text)
            expected = math.copysign(rounded(abs(value), 24, -149, most), value)
            self.assertEqual(number(want, False), expected, text)

    def test_prefixes_words_and_far_exponents(self):
        expected = {"1,5": 1.0, "1e": 1.0, "0x": 0.0, "0x.8p1": 1.0, "0x1p+": 1.0, ".": 0.0, "-": 0.0, "-0": -0.0, "inf": math.inf,
                    "-INFINITY": -math.inf, "infinit": math.inf, " \t2": 2.0, "1_000": 1.0, "0e999999999999999999999": 0.0,
                    "1e99999999999999999999": math.inf, "-1e-99999999999999999999": -0.0, "0b101": 0.0, "5.": 5.0, "+.5": 0.5,
                    "0." + "0" * 600 + "1e601": 1.0, "1" + "0" * 600 + "e-600": 1.0, "0x1.00000000000008p0": 1.0,
                    "0x1.00000000000008" + "0" * 40 + "1p0": 1 + 2 ** -52, "0x1.00000000000018p0": 1 + 2 ** -51}
        found = self.want_reading(list(expected), "--impl", "libm")
        for (text, value), (want, implementations) in zip(expected.items(), found):
            self.assertEqual(want, code_of(value), text)
            self.assertEqual(int(implementations[0]["got"], 16), want, text)
        (nan, _), = self.want_reading(["nan(7)"])
        self.assertEqual(nan, 0x7ff8000000000000)

    def test_exact_values_are_the_texts_own(self):
        texts = ["0.1", "-0.3", "1e-5", "1e-400", "2.4703282292062328e-324", "0x1.8p-3", "  12.50x", "1" + "0" * 40]
        for text, exact in zip(texts, ("0.1", "-0.3", "1e-05", "1e-400", "2.4703282292062328e-324", "0.1875", "12.5", "1e+40")):
            self.assertEqual(self.evaluate("from_decimal", "--", text)[0]["exact"], exact, text)
        cut, = self.evaluate("from_decimal", "--", "0.1" + "0" * 60 + "1")
        self.assertTrue(cut["exact"].endswith("..."))

    def test_a_table_counts_arrays(self):
        table = self.succeed("sweep", "from_decimal", "--impl", "libm", "--shape", "8x40", "-n", 1)
        self.assertRegex(table, r"\d+ arrays in .* arrays/s")

    def test_directed_roundings(self):
        for rounding, want in (("up", 0x3fb999999999999a), ("down", 0x3fb9999999999999), ("toward-zero", 0x3fb9999999999999)):
            (found, implementations), = self.want_reading(["0.1"], "--rounding", rounding, "--impl", "libm")
            self.assertEqual(found, want)
            self.assertEqual(int(implementations[0]["got"], 16), want, rounding)

    def numbers(self, count):
        draw = random.Random(57)
        values = [0.0, -0.0, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 9007199254740993.0, 0.5, 2.5, 0.125, 1e22, 1e23,
                  2.0 ** -44, 9.5367431640625e-07, 123456789.5]
        values += [2.0 ** draw.randrange(-1074, 1024) for _ in range(count)]
        values += [number(draw.getrandbits(63) % 0x7fefffffffffffff) for _ in range(count)]
        values += [draw.getrandbits(20) / 2 ** draw.randrange(21) for _ in range(count)]
        return values

    def want_writing(self, values, *options):
        return [element["want"] for element in self.evaluate("to_decimal", *options, "--", *[value.hex() for value in values])]

    def test_styles_are_those_of_python(self):
        values = self.numbers(40)
        for style, letter, digits in (("exponent", "e", 0), ("exponent", "e", 16), ("exponent", "e", 40), ("fixed", "f", 0),
                                      ("fixed", "f", 3), ("general", "g", 1), ("general", "g", 17), ("general", "g", 0)):
            found = self.want_writing(values, "--style", style, "--digits", str(digits))
            self.assertEqual(found, [f"%.{digits}{letter}" % value for value in values], (style, digits))
        self.assertEqual(self.want_writing([0.1], "--style", "exponent", "--digits", "1100"), ["%.1100e" % 0.1])

    def test_the_shortest_is_that_of_repr(self):
        values = self.numbers(60)
        for value, text in zip(values, self.want_writing(values)):
            self.assertEqual(float(text), value)
            want = repr(value).replace("e-0", "e-").strip("-").replace(".", "").split("e")[0].strip("0")
            self.assertEqual(text.strip("-").split("e")[0].replace(".", ""), want or "0", value)

    def test_hexadecimal_reads_back(self):
        values = self.numbers(40)
        for value, text in zip(values, self.want_writing(values, "--style", "hexadecimal")):
            self.assertEqual(float.fromhex(text).hex(), value.hex())
        self.assertEqual(self.want_writing([1 + 2 ** -5, 1 + 3 * 2 ** -5], "--style", "hexadecimal", "--digits", "1"),
                         ["0x1.0p+0", "0x1.2p+0"])

    def test_sweeps_judge_functions_of_c(self):
        """Every text and every family of inputs; what the shortest of printf's texts gets wrong is known."""
        for options in (["from_decimal", "-n", "1", "--impl", LIBC + ":strtod"],
                        ["from_decimal", "-n", "1", "--to", "fp32", "--impl", LIBC + ":strtof", "--rounding", "down"],
                        ["to_decimal", "--style", "exponent", "--digits", "16", "-n", "1", "--impl", LIBC + ":snprintf"]):
            for result in self.results(*options):
                tally, = result["implementations"]
                self.assertEqual(tally["incorrectly_rounded"], 0, result)
                self.assertGreater(tally["tested"], 100)
        self.assertGreater(self.libm("to_decimal", "--distribution", "powers", "-n", "4")["incorrectly_rounded"], 0)

    def test_lines_of_a_file_are_texts(self):
        path = self.file("texts", "1e23\n0.1 and more\n\n-7.4109846876186981626486E-324")
        want = [0x44b52d02c7e14af6, 0x3fb999999999999a, 0, 0x8000000000000002]
        self.assertEqual([code for code, _ in self.want_reading([], "--inputs", path)], want)
        tally = self.libm("from_decimal", "--inputs", path)
        self.assertEqual((tally["tested"], tally["incorrectly_rounded"]), (4, 0))
        self.assertIn("has no lines", self.refuse("sweep", "from_decimal", "--inputs", self.file("empty"), "--impl", "libm"))

    def test_what_is_refused(self):
        for words, said in ((["to_decimal", "1", "--digits", "3"], "--digits does not go with --style shortest, which writes as many digits as it needs"),
                            (["to_decimal", "1", "--rounding", "up"], "--style shortest is for reading back to nearest-even"),
                            (["from_decimal", "12345", "--shape", "1x3"], "--shape 1x3 is not that of the array, 1x5")):
            self.assertIn(said, self.refuse("eval", *words))


if __name__ == "__main__":
    unittest.main()
