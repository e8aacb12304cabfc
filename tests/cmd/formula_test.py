"""Formulas as operations and as implementations: what comes out of them, and one line for what is none.

property/formulas_test.py holds thousands of them to mpmath; here are the cases that random ones do not meet: what comes out
even, hostile texts, the same reports as the table's rows, and every command that takes an operation."""

import json
import os
import struct
import unittest

from harness import Case

# What a formula is at an input of fp64, and the exact value as eval prints it: identities that no number of bits tells.
EVEN = [("log(x)/log(2)", "0.125", "-3"), ("log(x)/log(10)", "1000", "3"), ("log2(x)/log2(10)", "100", "2"),
        ("exp(x*log(2))", "-5", "0.03125"), ("exp2(3*log2(x))", "5", "125"), ("exp(log(x))", "3", "3"),
        ("2^log2(x)", "2.75", "2.75"), ("10^log10(x)", "2.75", "2.75"), ("e^log(x)", "2.75", "2.75"), ("log2(2^(x*x))", "2.75", "7.5625"),
        ("log10(10^x)", "-0.375", "-0.375"), ("log(e^x)", "1024", "1024"),
        ("sin(pi*x)", "3", "0"), ("sin(pi/6*x)", "1", "0.5"), ("cos(pi*x/3)", "2", "-0.5"), ("sinpi(x/6)", "5", "0.5"),
        ("sqrt(2)*sqrt(x)", "2", "2"), ("x/sqrt(x)/sqrt(x)", "3", "1"), ("x*rsqrt(x) - sqrt(x)", "3", "0"),
        ("sqrt(x)^2 - x", "3", "0"), ("cbrt(x)^3", "5", "5"), ("exp(x)*exp(-x)", "3", "1"), ("atan(x)*4/pi", "1", "1"),
        ("(1 + exp(x)) - exp(x)", "5", "1"), ("x/3*3 - x", "7", "0"), ("(x/9)^(1/2)", "4", "0.6666666666666666666666666666666666666666..."),
        ("x^(1/3)", "8", "2"), ("exp(x) - exp(x)", "1e3", "0"), ("1/3 + 2/3 - x", "1", "0"), ("log(8) - 3*log(2) + x", "1", "1")]
# Special values by the formula's own steps.
SPECIAL = [("1/cosh(x)^2", "inf", "0"), ("x/(1 + exp(-x))", "-inf", "nan"), ("1/x", "-0", "-inf"), ("x^0", "nan", "1"),
           ("0^x", "0", "1"), ("0*x", "inf", "nan"), ("x - x", "inf", "nan"), ("log(x)", "-1", "nan"), ("log(x)", "0", "-inf"),
           ("1/(1 + exp(-x))", "-inf", "0"), ("select(x < 0, 1, 2)", "nan", "2"), ("select(x != x, 1, 2)", "nan", "1"),
           ("min(x, 1)", "nan", "nan"), ("fmin(x, 1)", "nan", "1"), ("|x|", "-0", "0"), ("-(x)", "0", "-0"),
           ("tgamma(x)", "-3", "nan"), ("round(fp16, x)", "1e6", "inf"), ("1/(x - 1)", "1", "inf"),
           ("x - fma(x, x, x)", "-0", "-0"), ("x^1e20", "-0.5", "2^-16777215, or nearer to 0"), ("x^100000000000000000000001", "-0.5", "-2^-16777215, or nearer to 0")]
# What lies so near to a number that no number of bits that one can compute with tells them apart.
BESIDE = [("1/(1 + exp(-x))", "0x1p100"), ("(exp(2*x) - 1)/(exp(2*x) + 1)", "0x1p100"), ("1 - 2/(exp(2*x) + 1)", "0x1p100"),
          ("(1 - exp(-2*x))/(1 + exp(-2*x))", "0x1p100"), ("1 - exp(-x^2)", "0x1p50"), ("tanh(exp(x))", "300")]
# Functions of numbers so small that 2,000 bits do not reach from 1 to them, in fp64; a formula that was drawn.
TINY = [("sin(exp(x))", "-9000", "2.236983963488984692781502635960052890439e-3909..."),
        ("ceil(exp(x))", "-0x1p100", "1"), ("floor(-exp2(x))", "-0x1p100", "-1"), ("ceil(erfc(x))", "0x1p100", "1"), ("ceil(-exp(x))", "-0x1p100", "-0"),
        ("sin(x^100)", "0x1.1p-1000", "4.298604352724323687142345586531031113509e-30101..."),
        ("tgamma(exp(x))", "-9000", "4.47030473316544264086590544444552386715e+3908..."),
        ("y1(exp(x))", "-9000", "-2.845884381641505550081005360871932974486e+3908..."),
        ("sin(exp(10/x*x^4)) - (x*(cosh(x) - floor(pi)) + log(100)^0/sin(cosh(x)))", "-11.3125",
         "462855.3035685685273105349979345984208405...")]
WRONG = [("1/(x", "character 5: ) should stand here"), ("sech2(x) = 1/cosch(x)", "character 14: 'cosch' is unknown; did you mean cosh?"),
         ("x +", "character 4: a number, a name, ( or | should stand here"), ("f(a) = x", "'x' is unknown"), ("1 + 2", "a formula has operands"),
         ("exp(x, x)", "exp takes 1 operand, not 2"), ("let exp = x in exp", "'exp' is the name of something else"),
         ("let t = x", "'in' should stand here"), ("select(x, 1, 2)", "a comparison should stand here"), ("f(x, x) = x", "'x' appears twice"),
         ("f(a, b, c, d) = a", "more than 3 operands"), ("sum(x)", "sum has no place in a formula"), ("frexp(x)", "frexp has no place in a formula"),
         ("round(fp17, x)", "fp17"), ("round(int8, x)", "int8"), ("x^1e99999", "exponent of at most"), ("jn(2, exp(x))", "takes operands and binary fractions only"),
         ("f(x) = x; g(0) = 1", "character 11: a special value"), ("f(x) = x; f(1 + 1) = 2", "character 13: a number, inf, nan or"),
         ("f(x) = x" + "; f(0) = 1" * 17, "more than 16 special values"), ("x $ 2", "an operator or the end should stand here"), ("x" + "+1" * 50000, "is longer than 100000 characters"), ("(" * 100 + "x" + ")" * 100, "in each other"),
         ("-" * 90 + "x", "in each other"), ("(" + "x^" * 60 + "x)", "in each other"), ("x=1", "an operator or the end"), ("\u03c0*x", "should stand here")]
# No identity that is known: an error that names the input, in time.
UNDECIDED = [("sin(x)^2 + cos(x)^2 - 1", "1"), ("tgamma(x)/tgamma(x - 1)", "5.5"), ("cosh(x)^2 - sinh(x)^2", "1")]
HOSTILE = ["exp(exp(exp(x)))", "sin(exp(x))", "x^x^x", "tgamma(tgamma(x))", "sin(x^50)", "((((x^9)^9)^9)^9)^9", "1/(x - x)", "log(x - x)", "j0(exp(x))",
           "exp(x)^exp(x)", "floor(exp(x))", "x^1000000", "lgamma(exp(x))", "tan(exp(x)/3)", "2^(2^(2^(2^x)))", "erf(x)^1e4", "digamma(exp(-x))"]
# Formulas of rows.
ROWS = [("1/sqrt(x)", "rsqrt"), ("1/(1+exp(-x))", "sigmoid"), ("log(x)/log(2)", "log2")]
COUNTS = ("tested", "not_correctly_rounded", "nan_mismatches", "sign_mismatches", "histogram", "fingerprint")


class Formulas(Case):
    def exact(self, formula, *inputs, form="fp64"):
        return self.document("eval", formula, *inputs, "-f", form)["results"][0]["exact"]

    def test_what_comes_out_even_is_known(self):
        for formula, x, exact in EVEN:
            with self.subTest(formula=formula):
                self.assertEqual(self.exact(formula, x), exact)

    def test_special_values_are_those_of_the_steps(self):
        for formula, x, exact in SPECIAL:
            with self.subTest(formula=formula, x=x):
                self.assertEqual(self.exact(formula, x, form="fp32"), exact)

    def test_functions_of_tiny_numbers_are_known(self):
        for formula, x, exact in TINY:
            with self.subTest(formula=formula):
                self.assertEqual(self.exact(formula, x), exact)

    def test_what_lies_beside_a_number_is_no_number(self):
        for formula, x in BESIDE:
            with self.subTest(formula=formula):
                result = self.document("eval", formula, x, "-f", "fp64", "-r", "down,up")["results"]
                self.assertEqual([one["want"] for one in result], ["0x3fefffffffffffff", "0x3ff0000000000000"])

    def test_a_wrong_text_is_one_line_with_its_place(self):
        for formula, says in WRONG:
            with self.subTest(formula=formula[:40]):
                line = self.refuse("eval", "f(x) = " + formula if formula.startswith("-") else formula, "1")
                self.assertIn(says, line)
                self.assertLess(len(line), 900)

    def test_what_nobody_proves_is_an_error_that_names_the_input(self):
        for formula, x in UNDECIDED:
            with self.subTest(formula=formula):
                line = self.refuse("eval", formula, x)
                self.assertIn("do not separate", line)
                self.assertIn(formula, line)

    def test_hostile_formulas_end_in_time(self):
        for formula in HOSTILE:
            for x in ("3", "80", "1e30", "-1e-30", "65504"):
                with self.subTest(formula=formula, x=x):
                    with self.within(30):
                        done = self.run_program("eval", formula, x, "-f", "fp64")
                    self.assertIn(done.returncode, (0, 2))
                    if done.returncode:
                        self.assertRegex(done.stderr, rb"do not separate")

    def sweep(self, operation, *words):
        return self.document("sweep", operation, *words, notes=True)["results"][0]

    def text(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return stream.read()

    def test_a_formula_of_a_row_has_the_row_s_counts(self):
        for formula, row in ROWS:
            with self.subTest(row=row):
                by = ("-f", "fp16", "--impl", "steps@fp32: 1/(1 + exp(-x))")
                both = [self.sweep(operation, *by)["implementations"][0] for operation in (formula, row)]
                self.assertEqual(*({name: one[name] for name in COUNTS if name in one} for one in both))
                self.assertEqual(both[0]["max_ulp"], both[1]["max_ulp"])

    def test_what_takes_long_is_said_beforehand(self):
        line = self.first_note("sweep", "2*sin(x)", "--impl", "steps:2*sin(x)")
        self.assertRegex(line, r"note: the filter leaves \d+(\.\d+)? % of the inputs of 2\*sin\(x\) to the exact oracle, which will need about .*(h|min)")

    def test_single_samples_of_which_the_filter_takes_none_are_said_to_take_long(self):
        line = self.first_note("sweep", "x*cos(z) + y*sin(z)", "-n", "100000000", "--run-length", "1", "--threads", "1", "--impl", "steps:x")
        self.assertIn("the filter leaves 100 % of the inputs", line)

    def test_invariance_says_why_steps_are_not_tested(self):
        done = self.run_program("invariance", "rsqrt", "-f", "fp16", "--impl", "steps:libm: exp(x)")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"the length of arrays: detcheck takes its steps number by number; invariance of libm tests its functions", done.stdout)
        self.assertIn(b"nothing was tested", done.stderr)

    def test_pages_and_invariance_carry_the_formula(self):
        text = "f(x) = x/(1 + exp(-x)); f(-inf) = -0"
        self.succeed("sweep", text, "-f", "fp16", "--impl", "steps:" + text, "--json", "page.json")
        self.succeed("report", "page.json", "-o", "page.html")
        self.assertIn(text, self.text("page.html"))
        self.succeed("emit", text, "-f", "fp16", "-o", "special.json")
        self.assertIn(text, self.text("special.json"))
        done = self.run_program("verify", "special.json", "--impl", "steps@fp32:cr: x/(1 + exp(-x))")
        self.assertIn(b"want  -0", done.stdout)  # what the steps have at -inf is NaN

    def test_reports_vectors_and_merges_carry_the_formula(self):
        text, by = "sech2(x) = 1/cosh(x)^2", ("-f", "bf16", "--impl", "steps:1/cosh(x)^2")
        self.succeed("sweep", "  sech2(x)  =  1/cosh(x)^2 ", *by, "--json", "whole.json")
        for k in "12":
            self.succeed("sweep", text, *by, "--shard", k + "/2", "--json", k + ".json")
        self.succeed("merge", "1.json", "2.json", "-o", "merged.json")
        whole, merged = (json.loads(self.text(name)) for name in ("whole.json", "merged.json"))
        self.assertEqual(whole["results"][0]["operation"], text)
        self.hold_to_schema(whole)
        whole.pop("run"), merged.pop("run")
        self.assertEqual(whole, merged)
        self.succeed("sweep", "1/cosh(x)^2 + 0*x", *by, "--json", "other.json")
        self.assertIn("nothing could be compared", self.run_program("compare", "whole.json", "other.json").stderr.decode())
        self.succeed("compare", "whole.json", "merged.json")
        self.assertEqual(self.run_program("gate", "whole.json", "--max-ulp", "1000000").returncode, 0)
        self.assertEqual(self.run_program("gate", "whole.json", "--max-ulp", "1").returncode, 1)
        self.succeed("emit", text, "-f", "fp16", "-o", "vectors.json")
        self.assertIn(text, self.text("vectors.json"))
        self.assertIn("tests fail", self.succeed("verify", "vectors.json", "--impl", "steps:1/cosh(x)^2", code=1))
        command = self.succeed("explain", text, "-f", "bf16", "--impl", "steps:1/cosh(x)^2", "--impl", "steps@fp32: 1/cosh(x)^2", code=1)
        self.assertIn("'sech2(x) = 1/cosh(x)^2'", command)

def floats(codes, letter):
    return struct.unpack(f"<{len(codes)}{letter}", struct.pack(f"<{len(codes)}{ {'e': 'H', 'f': 'I'}[letter] }", *codes))


class Steps(Case):
    """Implementations by their steps, against Python's own fp16 and numpy's arithmetic."""

    def got(self, formula, code, form, operation="exp"):
        return int(self.document("eval", operation, code, "-f", form, "--impl", formula)["results"][0]["implementations"][0]["got"], 16)

    def test_steps_in_fp16_are_rounded_one_by_one(self):
        def half(value):
            return struct.unpack("<e", struct.pack("<e", value))[0]
        for code in (0x3c01, 0x1234, 0x0003, 0x4d67, 0x03ff, 0x7bff):
            x = floats([code], "e")[0]
            root = half(x ** 0.5)
            want = struct.unpack("<H", struct.pack("<e", 1 / root))[0]
            self.assertEqual(self.got("steps:1/sqrt(x)", hex(code), "fp16"), want)
            square = struct.unpack("<H", struct.pack("<e", half(x * x) + x))[0] if x * x < 65504 else 0x7c00
            self.assertEqual(self.got("steps:x*x + x", hex(code), "fp16"), square)

    def test_a_fused_step_is_rounded_once(self):
        # (1 + 3*2^-10)^2 - 1 in fp16: the product alone loses 9*2^-20.
        self.assertEqual(self.got("steps:x*x - 1", "0x3c03", "fp16"), 0x1e00)
        self.assertEqual(self.got("steps:fma(x, x, -1)", "0x3c03", "fp16"), 0x1e02)
        # A double has no room for the whole sum: 2^-149 turns the tie.
        self.assertEqual(self.got("steps:fma(x, 1 + 2^-12, 2^-149)", "0x3f800800", "fp32"), self.tie())

    @staticmethod
    def tie():
        """(1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: a tie in fp32 without what is added."""
        return struct.unpack("<I", struct.pack("<f", 1 + 2 ** -11 + 2 ** -23))[0]

    def test_formats_and_functions_are_chosen(self):
        for spelling in ("steps:libm: exp(x)", "steps:det:exp(x)", "steps:cr: exp(x)", "steps@fp32: exp(x)", "steps@fp32:cr: exp(x)"):
            self.assertEqual(self.got(spelling, "0x0000", "fp16"), 0x3c00)
        self.assertEqual(self.got("steps:round(bf16, x)", "0x3f80ffff", "fp32"), 0x3f810000)
        self.assertEqual(self.got("steps@bf16: x", "0x3f80ffff", "fp32"), 0x3f810000)
        self.assertEqual(self.got("steps:x^3", "0x4040", "bf16"), 0x41d8)
        self.assertEqual(self.got("steps:x*recip(3)", "0x4040", "bf16"), 0x3f80)

    def test_functions_of_sleef_have_the_bits_that_its_library_has(self):
        """What SLEEF 3.5.1 gives by Sleef_expf16_u10; the first is not the exact result correctly rounded."""
        for x, y in (("0x4076575b", 0x423bccba), ("0xc2d00000", 0x00000000), ("0xc2cf0000", 0x00000001), ("0xc2aeac50", 0x007fffe6),
                     ("0x3f800000", 0x402df854), ("0x42b17217", 0x7f7fff84), ("0x42c80000", 0x7f800000), ("0xff800000", 0)):
            self.assertEqual(self.got("steps:torch: exp(x)", x, "fp32"), y, x)
        # By Sleef_tanhf16_u10: the first is not the exact result correctly rounded.
        for x, y in (("0xc10fabd6", 0xbf800000), ("0x80000000", 0x80000000), ("0xff800000", 0xbf800000), ("0x7f800000", 0x3f800000)):
            self.assertEqual(self.got("steps:torch: tanh(x)", x, "fp32", "tanh"), y, x)
        self.assertEqual(self.got("steps:torch: exp(x)*sinh(x)", "0", "fp32"), 0)  # sinh by cr, in fp64 by the oracle
        self.assertEqual(self.got("steps:torch: exp(x) + cosh(x)", "0", "fp64"), 0x4000000000000000)

    def test_what_is_no_spelling_is_one_line(self):
        for spelling, says in (("steps:", "is incomplete"), ("steps@fp32", "is incomplete"), ("steps:foo: x", "cr, libm, torch, xla, det"), ("steps@fp17: x", "fp17"),
                               ("steps:1/(x", ") should stand here"), ("steps:" + "x+" * 50000 + "x", "")):
            with self.subTest(spelling=spelling[:30]):
                self.assertIn(says, self.refuse("eval", "exp", "1", "--impl", spelling))
        results = self.document("eval", "exp", "1", "--impl", "steps:x + y")["results"][0]["implementations"][0]
        self.assertIn("has 1 operand, and the steps take 2", results["reason"])

    def test_a_rewriting_is_measured_beside_libraries(self):
        table = self.document("sweep", "rsqrt", "-f", "fp16", "--impl", "steps:1/sqrt(x)", "--impl", "det")["results"][0]["implementations"]
        self.assertGreater(table[0]["incorrectly_rounded"], 1000)
        self.assertEqual(table[1]["incorrectly_rounded"], 0)


if __name__ == "__main__":
    unittest.main()
