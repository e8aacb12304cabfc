"""Formulas of two and three operands where they are hostile: 0^0, poles, differences that are 0 everywhere, NaN in each operand, and
subnormal numbers, whose results are counted again in fractions."""

import random
import unittest

from formats import FORMATS, ROUNDINGS
from harness import Case

# A formula, its operands in fp64, and the exact value as eval prints it, of long ones the first digits.
VALUES = [
    ("x^y", "0 0", "1"), ("x^y", "-0 -0", "1"), ("x^(y - z)", "0 1 1", "1"), ("(x - y)^(y - x)", "1 1", "1"), ("(x*y)^z", "inf 0 0", "1"),
    ("powr(x, y)", "0 0", "nan"), ("powr(x, y - z)", "inf 3 3", "nan"), ("x^y", "1 inf", "1"), ("x^(y*z)", "1 0 inf", "1"), ("x^y", "-1 -inf", "1"),
    ("x^y", "0 -1", "inf"), ("x^y", "-0 -3", "-inf"), ("x^y", "-0 -2", "inf"), ("x^y", "-2 0.5", "nan"), ("(x + y)^z", "1 -3 0.5", "nan"),
    ("x/y", "1 0", "inf"), ("x/y", "1 -0", "-inf"), ("x/y", "0 -0", "nan"), ("x/(y - z)", "1 2 2", "inf"), ("x/(y - z)", "-1 2 2", "-inf"),
    ("1/(x - y)^2", "3 3", "inf"), ("(x - y)/(x - z)", "5 5 5", "nan"), ("x*y/z", "0 inf 1", "nan"), ("x*y - z", "inf 2 inf", "nan"),
    ("fma(x, y, z)", "inf 0 1", "nan"), ("fma(x, y, z)", "inf -2 inf", "nan"), ("fma(x, y, z)", "2 3 -inf", "-inf"),
    ("log(x*y)", "-0 1", "-inf"), ("log(x - y)", "4 4", "-inf"), ("log(x - y)", "4 5", "nan"), ("tgamma(x + y)", "-3 1", "nan"),
    ("lgamma(x - y)", "0 2", "inf"), ("tan(x)*y", "inf 0", "nan"), ("atanh(x*y)*z", "2 0.5 3", "inf"), ("atan2(x, y)*z", "0 -0 2", "6.28318530"),
    ("atan2(x - y, z)", "1 1 -1", "3.14159265"), ("hypot(x, y)", "nan inf", "inf"), ("min(x, y)*z", "0 -0 1", "-0"), ("max(x, y)/z", "0 -0 -1", "-0"),
]
ZEROS = ["x*y - y*x", "(x + y) - (y + x)", "x*(y + z) - x*y - x*z", "fma(x, y, -(x*y))", "(x + y)*(x - y) - x*x + y*y", "x - y - z + z + y - x",
         "(x + y + z)^2 - x^2 - y^2 - z^2 - 2*x*y - 2*x*z - 2*y*z", "(x/3 + y/3)*3 - x - y", "exp(x*y) - exp(y*x)", "hypot(x, y) - hypot(x, y)",
         "max(x, y) + min(x, y) - x - y", "select(x < y, y - x, x - y) - |x - y|"]
# Formulas that no NaN gets out of, whichever operand it is.
STAYS = ["x + y*z", "x/y - z", "fma(x, y, z)", "exp(x)*sin(y)/z", "atan2(x, y) + z", "|x - y|*z", "fmod(x, y)*z", "round(bf16, x*y) + z", "sqrt(x)^y*z",
         "logaddexp(x, y)*z"]
# And those where rules of C or of select let it.
GETS_OUT = [("x^y*z", "nan 0 5", "5"), ("x^y*z", "1 nan 5", "5"), ("select(x < y, z, x)", "1 nan 7", "1"), ("select(x != y, z, x)", "1 nan 7", "7"),
            ("select(x == x, y, z)", "nan 2 7", "7"), ("fmin(x, y)*z", "nan 2 3", "6"), ("hypot(x, y) + z", "-inf nan 1", "inf")]
RATIONAL = [("x*y + z", lambda x, y, z: x * y + z), ("x*y*z", lambda x, y, z: x * y * z), ("fma(x, y, z)", lambda x, y, z: x * y + z),
            ("x/y - z", lambda x, y, z: x / y - z), ("(x - y)*(x + y)/z", lambda x, y, z: (x - y) * (x + y) / z), ("x - y/3 + z", lambda x, y, z: x - y / 3 + z),
            ("max(x, y)/z", lambda x, y, z: max(x, y) / z), ("(x + y)^3/z^2", lambda x, y, z: (x + y) ** 3 / z ** 2)]


class Operands(Case):
    def found(self, formula, operands, *words):
        return self.document("eval", f"f(x, y, z) = {formula}" if len(operands) == 3 else formula, *operands, *words)["results"]

    def test_values_are_those_of_the_steps(self):
        for formula, operands, exact in VALUES + GETS_OUT:
            with self.subTest(formula=formula, operands=operands):
                found = self.found(formula, operands.split(), "-f", "fp64")[0]["exact"]
                self.assertEqual(found[:len(exact)] if len(exact) > 9 else found, exact)

    def test_a_difference_that_is_0_everywhere_is_0(self):
        choice = random.Random(5)
        for formula in ZEROS:
            for form in ("fp64", "bf16"):
                top = 30 if "exp" in formula else 1e30
                operands = [repr(choice.uniform(-top, top)) for _ in range(3)]
                with self.subTest(formula=formula, operands=operands):
                    results = self.document(
                        "eval", f"f(x, y, z) = {formula}", *operands, "-f", form, "-r", "nearest-even,up,down,toward-zero", notes=True)["results"]
                    for one in results:
                        self.assertEqual(int(one["want"], 16) & ~FORMATS[form].sign, 0, one)

    def test_nan_in_each_operand_stays(self):
        for formula in STAYS:
            for place in range(3):
                operands = ["0.5", "1.25", "2"]
                operands[place] = "nan"
                with self.subTest(formula=formula, operands=operands):
                    self.assertEqual(self.found(formula, operands, "-f", "fp32")[0]["exact"], "nan")

    def test_subnormal_numbers_are_counted_as_fractions(self):
        choice, rounded = random.Random(6), 0
        for formula, reference in RATIONAL:
            for name in ("fp16", "bf16", "fp32", "fp64", "fp8_e5m2"):
                form = FORMATS[name]
                least = 1 << form.fraction_bits  # the first normal number
                codes = [choice.randrange(1, least) | choice.choice((0, form.sign)) for _ in range(3)]
                if choice.random() < 0.5:
                    codes[choice.randrange(3)] = choice.randrange(least, form.greatest)
                exact = reference(*map(form.value, codes))
                if exact == 0:
                    continue
                found = self.found(formula, [form.bits(code) for code in codes], "-f", name, "-r", ",".join(ROUNDINGS))
                with self.subTest(formula=formula, form=name, codes=codes):
                    self.assertEqual([int(one["want"], 16) for one in found], [form.encode(exact, rounding) for rounding in ROUNDINGS])
                    rounded += len({one["want"] for one in found}) > 1
        self.assertGreater(rounded, 10)

    def test_a_sweep_meets_them_all(self):
        """Zeros, ends, subnormal numbers and NaN in both operands: by both oracles the same, and nothing ends the run."""
        for formula in ("x^y", "x/(y - 1)", "x*y - y", "(x - y)/(x + y)", "log(x*y)"):
            reports = [self.document("sweep", formula, "-f", "fp8_e5m2", "--all", "--impl", f"steps:{formula}", "--oracle", oracle)["results"][0]
                       for oracle in ("auto", "mpfr")]
            for one in reports:
                self.assertEqual(one["implementations"][0]["tested"], 1 << 16)
                one.pop("oracle")
            with self.subTest(formula=formula):
                self.assertEqual(*({**one, "implementations": [{**one["implementations"][0], "mean_ulp": 0, "error_sum": ""}]} for one in reports))


if __name__ == "__main__":
    unittest.main()
