"""Formulas where a rule of their steps ends: infinities and zeros beside numbers that are no binary fraction, ends of enclosures
that belong to them, powers of two beyond every format, and texts that are small and cost much."""

import json
import os
import unittest

from harness import Case

SELU = "1.0507009873554804934193349852946*1.6732632423543772848170429916717"
ONE = "sin(1)^2 + cos(1)^2"  # by an identity that formulas do not know
NONE = "|sin(x)^2 + cos(x)^2 - 1|"

# A formula, its operands in fp64, and the exact value: decimals as eval prints them, of long ones the first.
VALUES = [
    ("fmod(x/3, y)", "1 inf", "0.33333333"), ("fmod(exp(x), y)", "0 -inf", "1"), ("remainder(x/3, y)", "1 -inf", "0.33333333"),
    ("remainder(-(exp(x)), y)", "1 inf", "-2.71828182"), ("fmod(x, y/3)", "inf 1", "nan"), ("fmod(x/3, y)", "1 0", "nan"),
    ("fmod(x, 1/3)", "-1", "-0"), ("remainder(x, 1/3)", "-1", "-0"), ("fmod(x, 1/3)", "1", "0"), ("remainder(-(x), 1/3)", "3", "-0"),
    ("pown(exp(x), y)", "1 inf", "nan"), ("compoundn(x/3, y)", "1 -inf", "nan"), ("scalbn(x/3, y)", "1 inf", "nan"),
    ("ldexp(exp(x), y)", "1 -inf", "nan"), ("ldexp(x/3, y)", "1 2147483648", "nan"), ("ldexp(x/3, y)", "3 -2", "0.25"),
    ("pown(x/3, 2^63)", "1", "nan"), ("compoundn(x/3, -(2^63) - 2048)", "1", "nan"), ("y0(-(exp(x)))", "1", "nan"), ("y1(-(x)/3)", "1", "nan"),
    # What is a fraction is known to be one.
    ("recip(x)*x", "3", "1"), ("pown(x, -2)*9", "3", "1"), ("compoundn(x, -1)*3", "2", "1"), ("softsign(x)*3", "2", "2"), ("hardsigmoid(x)*6", "2", "5"),
    ("hardswish(x)*3", "2", "5"), ("exp10(x)*10", "-1", "1"), ("exp10(x) - 1/10", "-1", "0"), ("exp10m1(x)*10", "-1", "-9"),
    ("log10(x/10)", "1", "-1"), ("log10p1(x/10)", "-9", "-1"), ("log10(exp10(x))", "-30", "-30"),
    ("selu(x) + 1.75", "-inf", "-0.00809934"), (f"select(selu(x) == -{SELU}, 1, 0)", "-inf", "1"),
    # Two operands that are one.
    ("fdim(exp(x), exp(x))", "1", "0"), ("fminimum_mag(exp(x), exp(x))", "0.5", "1.64872127"), ("fmaximum_mag_num(exp(x), exp(x))", "0.5", "1.64872127"),
    ("hypot(x/3, x/3)^2*9", "1", "2"), ("hypot(x, x)^2", "1", "2"), ("logaddexp(exp(x), exp(x)) - exp(x)", "0.5", "0.69314718"),
    # Powers of two from where fractions end.
    ("exp2(x)/exp2(x - 1)", "32768", "2"), ("exp2(x)/exp2(x - 1)", "-32768", "2"), ("select(exp2(x) > 1, 1, 0)", "32768", "1"),
    ("log2(2^x)", "32767", "32767"), ("cosh(cosh(x))^(-(inf))", "-11.15625", "0"), ("(1/cosh(cosh(x)))^(-(inf))", "11.15625", "inf"),
    ("exp2(round(pow(1/3, 1e300*exp(x))))", "1", "1"), ("x + pow(1/3, 1e300*exp(x))*0", "1", "1"),
    ("x^e", "-1.5", "nan"), ("pow(tanh(x), exp(x))", "-2", "nan"), ("floor(x)^exp(2)", "-2", "nan"), ("x^(2*sqrt(x*x + 1)^2)", "-3", "3486784401"),
    ("1/ceil(x/exp2(x))", "-0x1p100", "-2^-16777215, or nearer to 0"), ("0*floor(x^100)", "0x1p1000", "0"), ("select(round(exp(x)*x) > 5, 1, 2)", "0x1p60", "1"),
    ("((-(x))^4)^(40000^1000)", "0", "0"), ("1/x^(-(40001^1001))", "-0", "-0"), ("floor(1 + 2^x)", "-32769", "1"),
    # Beyond what exponents of MPFR hold.
    ("log(exp(x)*2)", "-0x1p100", "-1267650600228229401496703205375.306852819"), ("log2(8*2^x)", "-0x1p100", "-1267650600228229401496703205373"),
    ("log(exp(x)/3)", "1.5", "0.40138771133189030860"), ("log10(10^x*1000)", "5.5", "8.5"), ("log(exp(x)*x)", "-2", "nan"), ("log(exp(x)*0)", "-2", "-inf"),
    ("log(3/exp(x))", "5", "-3.9013877113318903086"), ("log(erfcx(x))", "-1e10", "100000000000000000000.6931471"), ("log(erfcx(x))", "1", "-0.849605509933"),
    ("ceil(sin(exp(x)))", "-0x1p100", "1"), ("floor(tan(-exp(x)))", "-0x1p100", "-1"), ("ceil(sinpi(exp(x))*3)", "-0x1p100", "1"),
    # Of an exponent that is beyond every format it matters on which side of 0 it lies.
    ("powr(inf, pow(x, x))", "-3152", "inf"), ("pow(0, -pow(x, x))", "-3152", "inf"), ("pow(-inf, pow(x, x))", "-3151", "0"),
    ("pow(inf, exp(exp(x)))", "10", "inf"), ("pow(-inf, -pow(x, x)/3)", "-3152", "0"),
]
# Nothing is guessed: the value is one of two.
OPEN = [
    (f"select(pi^{NONE} > 1, 7, 3)", "1"), (f"floor(-(pi^{NONE}))", "1"), (f"pi^{NONE}", "1"), (f"pow(x, {ONE})", "-0"), (f"pow(x, {ONE})", "-inf"),
    (f"x^-({ONE})", "-0"),
]


class Edges(Case):
    def exact(self, formula, operands, form="fp64", *words):
        return self.document("eval", formula, *operands.split(), "-f", form, *words)["results"][0]["exact"]

    def test_values_are_those_of_the_functions(self):
        for formula, operands, exact in VALUES:
            with self.subTest(formula=formula, operands=operands):
                found = self.exact(formula, operands)
                self.assertEqual(found[:len(exact)] if len(exact) > 9 else found, exact)

    def test_operands_beyond_every_format_are_seen(self):
        """The cube of a number of fp64: a result next to 1 or 1/2 is not that number, on whichever side it lies."""
        for formula, x, rounding, want in (
                ("softsign(x^3)", "0x1p996", "toward-zero", 0x3fefffffffffffff), ("softsign(x^3)", "-0x1p996", "toward-zero", 0xbfefffffffffffff),
                ("softsign(x^3)", "0x1p996", "up", 0x3ff0000000000000), ("softsign(x^3)/x^3", "0x1p-997", "down", 0x3fefffffffffffff),
                ("softsign(x^3)/x^3", "-0x1p-997", "up", 0x3ff0000000000000), ("hardsigmoid(x^3)", "0x1p-997", "up", 0x3fe0000000000001),
                ("hardsigmoid(x^3)", "-0x1p-997", "down", 0x3fdfffffffffffff), ("hardswish(x^3)/x^3", "0x1p-997", "up", 0x3fe0000000000001),
                ("compoundn(x^3, 2)", "0x1p-997", "up", 0x3ff0000000000001), ("compoundn(x^3, 2)", "-0x1p-997", "down", 0x3fefffffffffffff),
                ("compoundn(x^3, -2)", "0x1p-997", "down", 0x3fefffffffffffff), ("compoundn(x^3, 1)/x^3", "0x1p996", "up", 0x3ff0000000000001)):
            with self.subTest(formula=formula, x=x, rounding=rounding):
                found = self.document("eval", formula, x, "-f", "fp64", "-r", rounding)["results"][0]
                self.assertEqual(int(found["want"], 16), want)

    def test_what_is_open_is_refused(self):
        for formula, operands in OPEN:
            for rounding in ("nearest-even", "up", "down"):
                with self.subTest(formula=formula, rounding=rounding):
                    self.assertIn("do not separate", self.refuse("eval", formula, operands, "-f", "fp32", "--rounding", rounding))

    def test_powers_of_two_beyond_every_format_are_decided(self):
        for exponent in (*range(32764, 32771), 65536):
            for formula, sign in (("exp2(x)", 1), ("2^x", 1), ("1/exp2(x)", -1), ("1/2^x", -1)):
                for x in (exponent, -exponent):
                    with self.subTest(formula=formula, x=x):
                        want = self.document("eval", formula, str(x), "-f", "fp64", "-r", "nearest-even,up,down")["results"]
                        large = ["0x7ff0000000000000", "0x7ff0000000000000", "0x7fefffffffffffff"]
                        small = ["0x0000000000000000", "0x0000000000000001", "0x0000000000000000"]
                        self.assertEqual([one["want"] for one in want], large if x * sign > 0 else small)
        done = self.run_program("sweep", "exp2(x)", "-f", "fp32", "--range", "32766:32768", "--oracle", "exact", "--impl", "steps:exp2(x)")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_exponent_of_any_length_is_one_line(self):
        for number in ("1e-99999999999999999999", "1e99999999999999999999", "0x1p-99999999999999999999", "1e-20001"):
            with self.subTest(number=number):
                self.assertIn("character 3: a number of at most", self.refuse("eval", "x+" + number, "1"))
        self.succeed("sweep", "x + 1", "-f", "fp16", "--impl", "steps:x + 1", "--json", "report.json")
        path = os.path.join(self.path, "report.json")
        with open(path, encoding="utf-8") as stream:
            report = json.load(stream)
        report["results"][0]["operation"] = "x+1e-99999999999999999999"
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(report, stream)
        self.assertIn("is not known to this detcheck", self.refuse("gate", "report.json", "--max-ulp", "1"))

    def test_sums_of_sums_take_no_time(self):
        text = "let a=x+x+x+x+x+x+x+x in "
        for before, name in zip("abcdefgh", "bcdefghi"):
            text += f"let {name}={'+'.join(before * 8)} in "
        longer = "let a=1e9999*1e9999 in " + "".join(f"let {name}={before}*{before} in " for before, name in zip("abcdfghij", "bcdfghijk"))
        for formula, exact in ((text + "i+i+i+i", str(2 ** 29)), (longer + "(k*k + x)/k", None)):
            with self.within(10):
                found = self.exact(formula, "1")
            self.assertIn(exact or "beyond", found)

    def test_the_filter_takes_what_rounds_to_a_format(self):
        for formula in ("exp(round(bf16, x))", "cos(round(fp16, exp(x)))", "fmod(exp(x), 3)"):
            with self.subTest(formula=formula):
                oracle = self.document("sweep", formula, "-n", "50000", "--run-length", "2048", "--range", "1:4", "--impl", f"steps:libm:{formula}",
                                       notes=True)["results"][0]["oracle"]
                self.assertLess(oracle["exact"], oracle["fast"] // 4)

    def test_lines_of_a_file_have_a_length(self):
        self.file("long.formulas", "# " + "a" * 2000 + "\nf(x) = x" + " " * 400 + "+ 1\n  #" + "b" * 509 + "\n")
        self.assertEqual(self.document("eval", "f", "1", "-f", "fp64", "--operations", "long.formulas")["results"][0]["exact"], "2")
        self.file("long.formulas", "f(x) = x\ng(x) = x" + " " * 200000 + "+ 1\n")
        self.assertIn("a line of more than 200000 characters", self.refuse("eval", "exp", "1", "--operations", "long.formulas"))

    def test_numbers_are_binary_fractions_where_nothing_encloses_a_function(self):
        self.assertIn("character 1: jn takes operands and binary fractions only", self.refuse("eval", "jn(2, 0.1)*x", "1"))
        self.assertEqual(self.exact("jn(2, 0.25)*0 + x", "1"), "1")


if __name__ == "__main__":
    unittest.main()
