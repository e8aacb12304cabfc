"""Formulas by the filter and by the exact oracle alone: the same reports. Environment: DETCHECK is the program; where EXHAUSTIVE
is set, of every formula, and of all of fp16 and bf16, which takes minutes, and of all of fp32, which takes the exact oracle two
hours of one quiet core."""

import re
import unittest

from harness import EXHAUSTIVE, Case, some

# Of the reports that formulas are for: a gradient, a gate, a root in two steps, a divergence, a change of base, an activation of
# fractions, a quantised function.
REPORTED = ["1/cosh(x)^2", "x/(1 + exp(-x))", "1/sqrt(x)", "x - 1 - log(x)", "log(x)/log(2)", "x*(27 + x^2)/(27 + 9*x^2)",
            "round(bf16, exp(round(bf16, x)))"]
OTHERS = ["(exp(2*x)-1)/(exp(2*x)+1)", "select(x < 0, -x, exp(x))", "min(exp(x), 2)*sin(x)", "floor(x) + cos(x)", "x + exp(-x)",
          "select(x != x, 1, x^2)", "x^0"]
# What cancels at 0: to a power of the operand, to a multiple of it, or to a number.
NEAR_ZERO = ["sin(x) - x", "exp(2*x) - 1", "1 - cos(x)", "4*x*exp(x)", "-(2*sin(x))", "tanh(2*x)*4", "x*(27 + x^2)/(27 + 9*x^2)",
             "log1p(x) - x + x^2/2", "max(exp(x), 0.5) - 1", "(1 - x)^3", "3*sin(x)", "1/(1 - x) - 1/(1 + x)"]
# Formulas of several operands, and the share of a range that the filter takes at least.
SEVERAL = [("x*y/(1 + exp(-y))", 0.99), ("x*cos(z) + y*sin(z)", 0.5), ("select(x < y, x, exp(y))", 0.9), ("x^y", 0.4), ("fma(x, y, exp(y))", 0.8),
           ("x - y", 0), ("min(x, y)*log1p(|y|)", 0.9), ("atan2(x, y)", 0.9)]


class Oracles(Case):
    def sweep(self, operation, *words):
        return self.document("sweep", operation, *words, notes=True, timeout=36000 if EXHAUSTIVE else 300)["results"][0]

    def both_oracles(self, formula, *words):
        fast, exact = (self.sweep(formula, *words, "--impl", "steps@fp32: " + formula, "--oracle", oracle) for oracle in ("auto", "exact"))
        oracle = fast["oracle"]
        for one in (fast, exact):
            one.pop("oracle")
            for implementation in one["implementations"]:
                implementation.pop("error_sum", None)
                implementation.pop("mean_ulp", None)
        self.assertEqual(fast, exact)
        return oracle


class BothOracles(Oracles):
    def test_both_oracles_report_the_same(self):
        """Samples in runs, of one narrow format and two wide ones."""
        for number, formula in enumerate(some(REPORTED + OTHERS, 5)):
            for words in (("-f", ("fp16", "bf16")[number % 2], "-n", "8192", "--run-length", "512"),
                          ("-n", "4096", "--run-length", "512"), ("-f", "fp64", "-n", "1024", "--run-length", "512")):
                with self.subTest(formula=formula, words=words):
                    self.both_oracles(formula, *words)

    def test_both_oracles_report_the_same_near_zero(self):
        for formula in some(NEAR_ZERO, 3):
            for words in (("-f", "fp16", "--range", "-0x1p-8:0x1p-8"), ("-n", "4096", "--run-length", "128", "--range", "-0.01:0.01"),
                          ("-f", "fp64", "-n", "1024", "--run-length", "128", "--range", "-0.01:0.01")):
                with self.subTest(formula=formula, words=words):
                    oracle = self.both_oracles(formula, *words)
                    if "-n" in words[:1] and formula != "3*sin(x)":
                        self.assertGreater(oracle["fast"], 9 * oracle["exact"])

    def test_both_oracles_report_the_same_of_several_operands(self):
        """With all but the last fixed: at numbers, zeros, infinities and NaN. The last is large, infinite, NaN, -0 or subnormal."""
        fixed = ("0x3c00:0x3c00", "0x7bff:0x7c01", "0xb001:0xb001", "0xfc00:0xfc00", "0x8000:0x8000", "0x0:0x0")
        for number, (formula, share) in enumerate(some(SEVERAL, 2)):
            count = len(set("xyz") & set(re.findall(r"\b[xyz]\b", formula)))
            ranges = (fixed[(number + 5 * i) % len(fixed)] for i in range(count - 1))
            ways = [("-f", "fp16", *(word for text in (*ranges, "0x7400:0x83ff") for word in ("--range", text)))]
            ways += [("-n", "4096", "--run-length", "512"), ("-f", "fp64", "-n", "1024", "--run-length", "512")]
            for words in ways:
                with self.subTest(formula=formula, words=words):
                    self.both_oracles(formula, *words)
            oracle = self.sweep(formula, "-n", "20000", *["--range", "-8:8"] * count, "--impl", "steps:" + formula)["oracle"]
            with self.subTest(formula=formula):
                self.assertGreater(oracle["fast"], share * (oracle["fast"] + oracle["exact"]))

    def test_balls_and_blocks_say_what_the_steps_say(self):
        """All of bf16, and runs where all values are NaN, beside a number, beside a multiple of the operand, and none of these."""
        places = ("0x00010000:0x00010fff", "0x3f7ffc00:0x3f8003ff", "0x50000000:0x50000fff", "0x7f7fe000:0x7f8003ff", "0xb0000000:0xb0000fff",
                  "0xfe000000:0xfe000fff")
        for number, formula in enumerate(some(REPORTED + OTHERS + NEAR_ZERO, 5)):
            for words in (("-f", "bf16"), *(("--range", place) for place in places[number % 2::2])):
                with self.subTest(formula=formula, words=words):
                    reports = [self.sweep(formula, *words, "--impl", "steps: " + formula, "--oracle", oracle) for oracle in ("exact", "mpfr")]
                    self.assertEqual(*reports)

    def test_special_values_are_judged_alike(self):
        """All of fp16, NaNs and zeros among it: outputs of the steps without the special values are wrong just there."""
        formula = "f(x) = x/(1 + exp(-x)); f(-inf) = -0; f(nan) = 2; f(-0) = 3; f(1.5) = 4"
        codes = {0xfc00, 0x8000, 0x3e00}
        for oracle in ("auto", "exact"):
            one = self.sweep(formula, "-f", "fp16", "--impl", "steps@fp32:cr: x/(1 + exp(-x))", "--impl", "steps@fp32:cr: " + formula, "--oracle", oracle)
            plain, same = one["implementations"]
            self.assertEqual(plain["nan_mismatches"] - same["nan_mismatches"], 2046 + 1)
            self.assertEqual(plain["incorrectly_rounded"] - same["incorrectly_rounded"], len(codes) - 1)
            self.assertEqual((same["nan_mismatches"], same["sign_mismatches"]), (0, 0))

    def test_the_filter_takes_most_of_fp32(self):
        for formula in some(("1/cosh(x)^2", "(exp(2*x)-1)/(exp(2*x)+1)", "x/(1 + exp(-x))", "1/sqrt(x)", "x - 1 - log(x)", "x + exp(-x)",
                             "exp(2*x) - 1"), 2):
            with self.subTest(formula=formula):
                oracle = self.sweep(formula, "-n", "2000000", "--run-length", "2048", "--impl", "steps:" + formula)["oracle"]
                self.assertLess(oracle["exact"], oracle["fast"] // 100)

    def slow_all_of_the_narrow_formats(self):
        for formula in REPORTED + OTHERS + NEAR_ZERO:
            for form in ("fp16", "bf16"):
                with self.subTest(formula=formula, form=form):
                    self.both_oracles(formula, "-f", form)

    def slow_all_of_fp32(self):
        for formula in REPORTED:
            with self.subTest(formula=formula):
                self.both_oracles(formula, "--all", "-f", "fp32")


if __name__ == "__main__":
    unittest.main()
