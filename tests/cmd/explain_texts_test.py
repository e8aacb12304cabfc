"""Causes of wrong readings of decimal texts: functions of misreading_library.c do just what rows say, and are named. No function
has the rows overflow-to-infinity and those of the grammars of scanf, from_chars, Python and JavaScript.

Environment: that of the tests of the program; MISREADING_LIBRARY.
"""

import os
import platform
import unittest

from harness import Case, parse

LIBRARY = os.environ["MISREADING_LIBRARY"]
ROUNDINGS = {
    "toward_zero": "rounded-toward-zero", "up": "rounded-up", "down": "rounded-down", "away_from_zero": "rounded-away-from-zero",
    "ties_away": "rounded-to-nearest-away", "ties_to_zero": "rounded-to-nearest-zero", "by_fp32": "rounded-twice-by-fp32"}
OF_X87 = {"by_x87": "rounded-twice-by-x87", "by_own_bits": "rounded-twice-where-subnormal"}
DIGITS = (15, 16, 17, 18, 19, 20, 30, 32, 36, 40, 64, 100, 767, 768)
SCALED = ("power", "squares", "steps", "tenths", "reciprocal")
KINDS = {
    "flushing": "subnormal-results-as-zero", "saturating": "overflow-to-largest", "without_minus_zero": "minus-zero-as-plus-zero",
    "without_hexadecimal": "hexadecimal-as-zero", "without_infinity": "infinity-text-as-zero", "without_nan": "nan-text-as-zero"}
HAS_X87 = platform.machine() in ("x86_64", "AMD64")


class ExplainTexts(Case):
    def explained(self, function, *words):
        """The first cause and those beside it; all causes together leave nothing and are wrong nowhere."""
        done = self.run_program("explain", "from_decimal", "--impl", "cr", "--impl", f"lib:{LIBRARY}:misread_{function}", *words,
                                "--json", "-")
        self.assertEqual(done.returncode, 1, done.stderr)
        document = parse(done.stdout)
        self.follows_schema(document)
        result, = document["results"]
        explanation = result["implementations"][0]["explanation"]
        rows = explanation["explanations"]
        self.assertEqual(explanation["unexplained"], 0, rows)
        self.assertGreater(explanation["differ"], 15)
        self.assertEqual([row["predicts_wrongly"] for row in rows], [0] * len(rows), rows)
        return [row["hypothesis"] for row in rows if row["side"] == "b"]

    def check(self, function, cause, *words, alone=True):
        with self.subTest(function=function):
            found = self.explained(function, *words)
            self.assertIn(cause, found)
            if alone:
                self.assertEqual(found, [cause])

    def test_roundings(self):
        for function, cause in ROUNDINGS.items():
            self.check(function, cause, "-n", 8)
        self.check("by_fp64", "rounded-twice-by-fp64", "--to", "fp32", "-n", 8)

    @unittest.skipUnless(HAS_X87, "long double has not the 64 bits of x87")
    def test_roundings_of_x87(self):
        for function, cause in OF_X87.items():
            self.check(function, cause, "-n", 8)
        self.check("by_x87_to_fp32", "rounded-twice-by-x87", "--to", "fp32", "-n", 8)

    def test_digits(self):
        for digits in DIGITS:
            words = ("-n", 8) if digits < 700 else ("--distribution", "halfway", "--shape", "4096x800")
            self.check(f"first_{digits}", f"first-{digits}-digits", *words, alone=digits <= 20)

    def test_scaled(self):
        for way in SCALED:
            self.check(f"fp64_{way}", f"digits-in-fp64-by-{way}")
            self.check(f"first_fp64_{way}", f"19-digits-in-fp64-by-{way}")

    @unittest.skipUnless(HAS_X87, "long double has not the 64 bits of x87")
    def test_scaled_by_x87(self):
        for way in SCALED:
            self.check(f"x87_{way}", f"digits-in-x87-by-{way}")
            self.check(f"first_x87_{way}", f"19-digits-in-x87-by-{way}")

    def test_kinds_of_text(self):
        for function, cause in KINDS.items():
            self.check(function, cause, "-n", 8)

    def test_two_faults_are_two_causes(self):
        self.assertEqual(sorted(self.explained("first_17_flushing", "-n", 8)), ["first-17-digits", "subnormal-results-as-zero"])

    def test_grammars(self):
        done = self.run_program("explain", "from_decimal", "--grammar", "from_chars", "--impl", "cr", "--impl", "lib:libc.so.6:strtod")
        self.assertRegex(done.stdout.decode(), r"1\. B takes texts as numbers as --grammar strtod does\n"
                                               r" +grammar-strtod: explains ([0-9,]+) of \1 differences; predicts 0 wrongly\n$")


if __name__ == "__main__":
    unittest.main()
