"""Causes of requantisations: each convention and each end has a function of requantising_library.c that does just that, and is
named with it and with nothing else.

Environment: that of the tests of the program; REQUANTISING_LIBRARY, PYTHON_PACKAGE.
"""

import importlib.util
import os
import sys
import unittest

from harness import Case, parse

LIBRARY = os.environ["REQUANTISING_LIBRARY"]
EVEN = "requantised-once-to-nearest-even"
WAYS = {
    "even": EVEN, "up": "requantised-once-to-nearest-up", "away": "requantised-once-to-nearest-away",
    "zero": "requantised-once-toward-zero", "floor": "requantised-once-down", "ceiling": "requantised-once-up",
    "gemmlowp": "requantised-as-gemmlowp", "two_ups": "requantised-twice-up", "cut": "requantised-cut-and-up",
    "tosa_double": "requantised-as-tosa-double", "floats": "requantised-in-fp32", "floats_away": "requantised-in-fp32-away",
    "floats_and_zero": "requantised-in-fp32-with-zero-point"}
ENDS = {
    "even_wrapping": ["requantised-wraps"], "even_held_before": ["requantised-held-before-zero-point"],
    "gemmlowp_wrapping": ["requantised-wraps", "requantised-as-gemmlowp"],
    "floats_held_before": ["requantised-held-before-zero-point", "requantised-in-fp32"]}
KERNEL = """
import numpy as np
def twice(x, multiplier, shift, zero_point):
    m, s, z = int(multiplier[0]), int(shift[0]), int(zero_point[0])
    x = np.clip(x.astype(np.int64) * 2 ** max(0, 31 - s), -2 ** 31, 2 ** 31 - 1)
    high = np.clip((x * m + 2 ** 30) >> 31, -2 ** 31, 2 ** 31 - 1)
    half = 2 ** (s - 32) if s > 31 else 0
    return np.clip(np.sign(high) * ((abs(high) + half) >> max(0, s - 31)) + z, -128, 127).astype(np.int8)
"""


class Requantise(Case):
    def explained(self, *words, code=1, inputs=("-n", 14, "--shape", 700), **options):
        """The causes and what stands beside them, which leave nothing and are wrong nowhere."""
        done = self.run_program("explain", "requantise", *inputs, *words, "--json", "-", **options)
        self.assertEqual(done.returncode, code, done.stderr)
        document = parse(done.stdout)
        self.follows_schema(document)
        result, = document["results"]
        explanation = result["implementations"][0]["explanation"]
        if code == 0:
            return []
        rows = explanation["explanations"]
        self.assertEqual(explanation["unexplained"], 0)
        self.assertGreater(explanation["differ"], 100)
        self.assertEqual([row["predicts_wrongly"] for row in rows], [0] * len(rows))
        self.assertEqual(sum(row["adds"] for row in rows if row.get("cause")), explanation["differ"])
        return [(row["hypothesis"], row["side"]) for row in rows]

    def planted(self, *functions):
        return [word for function in functions for word in ("--impl", f"lib:{LIBRARY}:requantised_{function}")]

    def test_each_is_named_and_nothing_else(self):
        for function, cause in WAYS.items():
            with self.subTest(function=function):
                found = self.explained("--impl", "det", *self.planted(function), code=cause != EVEN)
                self.assertEqual(found, [(cause, "b")] if cause != EVEN else [])
        self.assertEqual(self.explained(*self.planted("even", "floor"), "-r", "down"), [(EVEN, "a")])

    def test_ends_are_causes_of_their_own(self):
        for function, causes in ENDS.items():
            with self.subTest(function=function):
                self.assertEqual(self.explained("--impl", "det", *self.planted(function)), [(cause, "b") for cause in causes])
        # Beyond 32 bits are products by large multipliers alone.
        self.assertEqual(self.explained("--impl", "det", *self.planted("even_wrapping_32"), "--distribution", "ends"),
                         [("requantised-wraps-in-32-bits", "b")])

    def test_both_sides_may_do_otherwise_than_is_asked_for(self):
        found = self.explained(*self.planted("gemmlowp", "zero"), "-r", "nearest-away")
        self.assertEqual(sorted(found), [("requantised-as-gemmlowp", "a"), ("requantised-once-toward-zero", "b")])

    def test_by_form(self):
        """Each form beside the others, by what the program has of them: that which is asked for is no cause."""
        names = {"once": EVEN, "gemmlowp": "requantised-as-gemmlowp", "tosa": "requantised-once-to-nearest-up",
                 "tosa-double": "requantised-as-tosa-double", "fp32": "requantised-in-fp32"}
        by = {"gemmlowp": "gemmlowp", "tosa": "tosa", "tosa-double": "tosa-double", "naive": "fp32"}
        for form in ("once", "gemmlowp", "fp32"):
            for name, of in by.items():
                with self.subTest(form=form, name=name):
                    found = self.explained("--impl", "det", "--impl", name, "--form", form, code=form != of)
                    self.assertEqual(found, [(names[of], "b")] if form != of else [])
        # Inputs that TOSA allows do not tell its double rounding from gemmlowp's.
        for name, wanted in (("gemmlowp", {"gemmlowp", "tosa-double"}), ("tosa-double", {"gemmlowp", "tosa-double"}), ("naive", {"fp32"})):
            found = self.explained("--impl", "det", "--impl", name, "--form", "tosa")
            self.assertEqual(set(found), {(names[of], "b") for of in wanted})
        self.assertEqual(self.explained("--impl", "det", "--impl", "tosa", "--form", "tosa-double"), [(names["tosa"], "b")])

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not there")
    def test_functions_of_python(self):
        self.file("kernel.py", KERNEL)
        found = self.explained("--impl", "det", "--impl", "py:./kernel.py:twice", env={
            "PYTHONPATH": os.environ["PYTHON_PACKAGE"], "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]})
        self.assertEqual(found, [("requantised-as-gemmlowp", "b")])

    def test_without_options_the_inputs_tell(self):
        """The default family ends near halves, so it tells apart even the ways that differ there alone."""
        self.assertEqual(self.explained("--impl", "det", *self.planted("away"), inputs=("--shape", 500)), [(WAYS["away"], "b")])

    def test_text(self):
        done = self.run_program("explain", "requantise", "-n", 16, "--shape", 1500, "--impl", "det", *self.planted("floor"))
        self.assertRegex(done.stdout.decode(), r"  the first is element \d+ of call \d+ \(1500\): A 0x[0-9a-f]{2}, B 0x[0-9a-f]{2}\n"
                                               r"  ([0-9,]+) of 24,000 results differ\n"
                                               r"  1. B rounds once, down: it shifts right without adding a half\n"
                                               r"     requantised-once-down: explains \1 of \1 differences; predicts 0 wrongly\n$")

    def test_policies_name_causes_that_nothing_had(self):
        words = ("explain", "requantise", "-n", 16, "--shape", 1500, "--impl", "det", *self.planted("floor"), "--json", "r.json")
        self.assertEqual(self.run_program(*words).returncode, 1)
        for cause, code in (("requantised-once-down", 0), ("requantised-once-up", 1), ("requantised-sideways", 2)):
            policy = self.file("p.json", '{"schema": "detcheck/policy/1", "rules": [{"explanation": {"%s": "any", "*": 0}}]}' % cause)
            self.assertEqual(self.run_program("gate", "r.json", "--policy", policy).returncode, code, cause)


if __name__ == "__main__":
    unittest.main()
