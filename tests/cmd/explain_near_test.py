"""Functions that round an approximation: explain says how far its error reaches, and how many inputs lie as near.

Environment: that of the tests of the program; APPROXIMATING_LIBRARY.
"""

import decimal
import math
import os
import re
import struct
import unittest

from harness import Case, parse

LIBRARY = os.environ["APPROXIMATING_LIBRARY"]
NAME = "rounded-approximation"
SAYS = re.compile(r"A rounds an approximation whose error reaches 2\^(-\d+\.\d) ulp: its wrong results all lie within that distance "
                  r"of a (midpoint|number)")
FIRST, COUNT = 0x3F800000, 0x10000  # the codes of 1 to 1.0078125


def fp32(code):
    return struct.unpack("<f", struct.pack("<I", code))[0]


def code_of(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def distances(code):
    """The code of 1/sqrt(x) to nearest in fp32, and the distance from the nearer midpoint in ulps, by 60 decimal digits."""
    exact = 1 / decimal.Decimal(fp32(code)).sqrt()
    near = code_of(float(exact))
    numbers = {one: decimal.Decimal(fp32(one)) for one in range(near - 2, near + 3)}
    right = min(numbers, key=lambda one: abs(numbers[one] - exact))
    return right, min(abs(exact - (numbers[right] + numbers[one]) / 2) / abs(numbers[right] - numbers[one]) for one in (right - 1, right + 1))


class ExplainNear(Case):
    def explained(self, operation, function, *words):
        done = self.run_program("explain", operation, *words, "--impl", f"lib:{LIBRARY}:{function}", "--impl", "exact", "--json", "-")
        self.assertEqual(done.returncode, 1, done.stderr)
        document = parse(done.stdout)
        self.follows_schema(document)
        result, = document["results"]
        explanation = result["implementations"][0]["explanation"]
        causes = [row for row in explanation["explanations"] if row.get("cause") and row["hypothesis"] != "nan-bits"]
        return causes, explanation

    def test_figures_are_those_of_an_own_computation(self):
        """All 65,537 inputs, computed again by decimal numbers of 60 digits."""
        decimal.getcontext().prec = 60
        wrong, rest = [], []
        for code in range(FIRST, FIRST + COUNT + 1):
            right, distance = distances(code)
            result = 1 / math.sqrt(fp32(code))
            (rest if code_of(result + result * 2**-34) == right else wrong).append(distance)
        causes, explanation = self.explained("rsqrt", "rsqrt_roughly", "-f", "fp32", "--range", "1:1.0078125")
        cause, = causes
        self.assertEqual((cause["hypothesis"], cause["side"], explanation["unexplained"]), (NAME, "a", 0))
        exponent, place = SAYS.fullmatch(cause["says"]).groups()
        self.assertEqual(place, "midpoint")
        self.assertEqual(float(exponent), math.ceil(math.log2(max(wrong)) * 10) / 10)
        as_near = sum(distance <= max(wrong) for distance in rest)
        self.assertEqual((cause["explains"], cause["predicts_wrongly"]), (len(wrong), as_near))

    def test_one_result_that_is_farther_off_is_no_approximation(self):
        causes, explanation = self.explained("rsqrt", "rsqrt_roughly_but_one", "-f", "fp32", "--range", "1:1.0078125")
        self.assertNotIn(NAME, [row["hypothesis"] for row in causes])

    def test_names_errors_below_2_to_the_minus_40_in_fp64(self):
        for operation, *words in (("rsqrt",), ("cbrt",), ("cbrt", "-r", "up"), ("cbrt", "-r", "toward-zero"), ("hypot",)):
            with self.subTest(operation=operation, words=words):
                causes, explanation = self.explained(operation, f"{operation}_approximated", "-f", "fp64", "--special", *words)
                self.assertEqual(explanation["unexplained"], 0)
                cause = next(row for row in causes if row["hypothesis"] == NAME)
                exponent, place = SAYS.fullmatch(cause["says"]).groups()
                self.assertLessEqual(float(exponent), -40)
                self.assertEqual(place, "number" if words else "midpoint")
                self.assertGreater(cause["explains"], 1000)


if __name__ == "__main__":
    unittest.main()
