"""Formulas that are exact by an identity, and functions far from where they are easy, held to mpmath."""

import unittest

from harness import Case

try:
    import mpmath
    from mpmath import mpf
    mpmath.mp.dps = 100
except ImportError:
    mpmath = None

ABOVE_0 = ("3", "0.5", "1", "7.25", "0x1p-1074", "0x1.fffffffffffffp1023", "1000")
BOTH = (*ABOVE_0, *("-" + x for x in ABOVE_0))

# A formula, by mpmath, and where; what is exact has no digits behind those of the number.
EXACT = [
    ("exp(log1p(x))", lambda x: 1 + x, ("3", "-0.75", "0x1p-30", "6.5")), ("expm1(log(x))", lambda x: x - 1, ("3", "0.5", "1", "1000")),
    ("exp2(log2p1(x)) - x", lambda x: mpf(1), ("3", "-0.75", "0x1p-30")), ("log1p(x) - log(1 + x)", lambda x: mpf(0), ("3", "-0.75")),
    ("(x^(1/3))^3", lambda x: x, ABOVE_0), ("x^(1/3)*x^(2/3)", lambda x: x, ABOVE_0), ("cbrt(x)*x^(2/3)", lambda x: x, ABOVE_0),
    ("(x^(1/6))^4*x^(1/3)", lambda x: x, ABOVE_0), ("cbrt(x)^3", lambda x: x, BOTH), ("(-(cbrt(x)))^6", lambda x: x ** 2, ("3", "-0.5", "7.25")),
    ("cbrt(x)*cbrt(x*x)", lambda x: x, ("3", "-7.25", "1000")), ("x^0.25*sqrt(x)*x^0.25", lambda x: x, ABOVE_0),
    ("(3*cbrt(x))^3", lambda x: 27 * x, ("3", "-7.25", "-1000")), ("cbrt(5*x)/cbrt(x*40)", lambda x: mpf("0.5"), ("3", "7.25")),
    ("log(x^(1/3))/log(x)*3", lambda x: mpf(1), ("3", "7.25")), ("(exp(x)^(1/3))^3/exp(x)*4", lambda x: mpf(4), ("3", "-7.25")),
    ("(e^x)^(3/2)/e^(x*1.5)", lambda x: mpf(1), ("3", "-7.25")), ("log2(x)-log(x)/log(2)", lambda x: mpf(0), ABOVE_0),
    ("log(x)/log(1/8)*3 + log2(x)", lambda x: mpf(0), ("3", "7.25")), ("log2(x)*log(2) - log(x)", lambda x: mpf(0), ABOVE_0),
    ("log10(x) - log(x)/log(10)", lambda x: mpf(0), ABOVE_0), ("acos(0)*2/pi*x", lambda x: x, BOTH), ("atan2(x,x)*4/pi", lambda x: mpf(1 if x > 0 else -3), BOTH),
    ("atan2(-(x),x)*4/pi", lambda x: mpf(-1 if x > 0 else 3), BOTH), ("atan2(x,0)*2/pi", lambda x: mpf(1 if x > 0 else -1), BOTH),
    ("atan2(0,x)/pi*x", lambda x: x, ("-3", "-0x1p-1074")),
]
CLOSE = [
    ("digamma(x + 0.1)", lambda x: mpmath.digamma(x + mpf(1) / 10), ("-1.75", "-2.5", "-3.0625", "-4.9", "-4.0999", "-0.5", "-6.3", "-20.7", "-3.1000000001", "2")),
    ("digamma(x/3)", lambda x: mpmath.digamma(x / 3), ("-4", "-7", "-13.999", "-11")),
    ("digamma(exp(x) - 5)", lambda x: mpmath.digamma(mpmath.exp(x) - 5), ("0.3", "-1", "1.5")),
    ("log2(i0(x))", lambda x: mpmath.log(mpmath.besseli(0, x), 2), ("200", "11000")), ("erfcx(1.1*x)", lambda x: mpmath.exp((11 * x / 10) ** 2) * mpmath.erfc(11 * x / 10), ("-90", "-5")),
    ("sin(x^70)", lambda x: mpmath.sin(x ** 70), ("0x1p-1000", "0x1.8p-1000", "-0x1.00001p-900", "0x1.123456789abcdp-1022")),
]
# Beyond what is decided by size: the rounding to fp64, upwards and downwards.
LARGEST, LEAST, INFINITY = 0x7fefffffffffffff, 1, 0x7ff0000000000000
BY_SIZE = [
    ("erfcx(x)", "-40000", INFINITY, LARGEST), ("erfcx(1.1*x)", "-40000", INFINITY, LARGEST), ("x/erfcx(-(x))", "40000", LEAST, 0),
    ("i0(x)*2", "20000", INFINITY, LARGEST), ("x/i0(x)", "20000", LEAST, 0), ("jn(1000, x)*x", "0x1p-60", LEAST, 0),
    ("-(i1(x))*x", "20000", LARGEST | 1 << 63, INFINITY | 1 << 63),
]
# The size of these is known from one side only: no value may be made of it.
OPEN = [("log2(i0(x))", "20000"), ("log2(jn(1000, x))", "0x1p-60"), ("log2(erfcx(x))", "-40000")]


@unittest.skipUnless(mpmath, "skipped, because Python has no mpmath")
class Identities(Case):
    def exact(self, formula, x):
        return self.document("eval", formula, x, "-f", "fp64", notes=True)["results"][0]["exact"]

    def near(self, found, want):
        return abs(mpf(found.rstrip(".")) - want) <= abs(want) * mpf(10) ** -38

    def test_identities_are_decided(self):
        for formula, value, inputs in EXACT:
            for x in inputs:
                with self.subTest(formula=formula, x=x):
                    found, want = self.exact(formula, x), value(mpf(float.fromhex(x) if "x" in x else float(x)))
                    if want == 0:
                        self.assertEqual(found, "0")
                        continue
                    self.assertTrue(self.near(found, want), found)
                    self.assertEqual(found.endswith("..."), len(mpmath.nstr(want, 99, strip_zeros=True)) > 45)

    def test_functions_of_computed_numbers_are_those_of_mpmath(self):
        for formula, value, inputs in CLOSE:
            for x in inputs:
                with self.subTest(formula=formula, x=x):
                    self.assertTrue(self.near(self.exact(formula, x), value(mpf(float.fromhex(x) if "x" in x else float(x)))))

    def test_what_is_beyond_every_format_is_decided_by_size(self):
        for formula, x, up, down in BY_SIZE:
            with self.subTest(formula=formula, x=x):
                found = self.document("eval", formula, x, "-f", "fp64", "-r", "up,down")["results"]
                self.assertEqual([int(one["want"], 16) for one in found], [up, down])
                self.assertIn("2^", found[0]["exact"])

    def test_a_size_is_no_value(self):
        for formula, x in OPEN:
            with self.subTest(formula=formula):
                self.assertIn("do not separate", self.refuse("eval", formula, x, "-f", "fp64"))


if __name__ == "__main__":
    unittest.main()
