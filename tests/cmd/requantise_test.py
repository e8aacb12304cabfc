"""Requantisation as a user meets it: every form written a second time here, in Python's integers and fractions."""

import importlib.util
import itertools
import os
import struct
import unittest
from fractions import Fraction

from harness import Case, parse, some

LEAST, MOST = -(1 << 31), (1 << 31) - 1
FORMS = ("once", "gemmlowp", "tosa", "tosa-double", "fp32")
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away", "nearest-up")
ENDS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "uint16": (0, 65535), "int32": (LEAST, MOST)}


LIBRARY, PACKAGE = os.environ["CONVERTING_LIBRARY"], os.environ["PYTHON_PACKAGE"]
KERNEL = """
import numpy as np
def twice(x, multiplier, shift, zero_point):
    m, s, z = int(multiplier[0]), int(shift[0]), int(zero_point[0])
    x = np.clip(x.astype(np.int64) * 2 ** max(0, 31 - s), -2 ** 31, 2 ** 31 - 1)
    high = np.clip((x * m + 2 ** 30) >> 31, -2 ** 31, 2 ** 31 - 1)
    half = 2 ** (s - 32) if s > 31 else 0
    return np.clip(np.sign(high) * ((abs(high) + half) >> max(0, s - 31)) + z, -128, 127).astype(np.int8)
"""


def rounded(value, rounding):
    """A fraction as an integer, by its distance to both neighbours."""
    below = value.numerator // value.denominator
    left = value - below
    if left == 0 or rounding == "down":
        return below
    if rounding == "up":
        return below + 1
    if rounding == "toward-zero":
        return below + (value < 0)
    if left != Fraction(1, 2):
        return below + (left > Fraction(1, 2))
    return below + {"nearest-even": below % 2, "nearest-away": int(value > 0), "nearest-up": 1}[rounding]


def held(v, least=LEAST, most=MOST):
    return max(least, min(most, v))


def fp32(value):
    """A fraction as fp32 has it; the processor's conversion from fp64 rounds what fp64 holds exactly."""
    exact = float(value)
    assert Fraction(exact) == value
    return Fraction(struct.unpack("f", struct.pack("f", exact))[0])


def by_form(form, x, m, shift, rounding="nearest-even"):
    exact = Fraction(x * m, 1 << shift)
    if form == "once":
        return rounded(exact, rounding)
    if form == "gemmlowp":
        high = rounded(Fraction(held(x << max(0, 31 - shift)) * m, 1 << 31), "nearest-up")
        return rounded(Fraction(held(high), 1 << max(0, shift - 31)), "nearest-away")
    if form == "fp32":
        return rounded(fp32(fp32(Fraction(x)) * fp32(Fraction(m, 1 << shift))), "nearest-even")
    nudge = Fraction(1 if x >= 0 else -1, 1 << (shift - 30)) if form == "tosa-double" and shift > 31 else 0
    return rounded(exact + nudge, "nearest-up")


def allows(form, x, m, shift):
    return not form.startswith("tosa") or (m >= 0 and shift >= 2 and -(1 << shift - 1) <= x < 1 << shift - 1)


def integer(code, form):
    bits = 4 * (len(code) - 2)
    v = int(code, 16)
    return v - (1 << bits) if ENDS[form][0] < 0 and v >> (bits - 1) else v


class Requantise(Case):
    def wanted(self, form, to, x, m, shift, zero, rounding="nearest-even"):
        return held(by_form(form, x, m, shift, rounding) + zero, *ENDS[to])

    def evaluated(self, xs, m, shift, zero, *words):
        """What the oracle wants, beside what det has: they are the same."""
        [result] = self.document("eval", "requantise", *xs, m, shift, zero, "--shape", len(xs), "--impl", "det",
                                 *words)["results"]
        elements = result["elements"]
        self.assertEqual(len(elements), len(xs))
        for one in elements:
            self.assertEqual(one["implementations"][0]["got"], one["want"])
        return [one["want"] for one in elements]

    def check(self, form, to, xs, m, shift, zero, rounding="nearest-even"):
        words = ("--rounding", rounding) if rounding != "nearest-even" else ()
        codes = self.evaluated(xs, m, shift, zero, "--form", form, "--to", to, *words)
        for x, code in zip(xs, codes):
            self.assertEqual(integer(code, to), self.wanted(form, to, x, m, shift, zero, rounding),
                             (form, to, x, m, shift, zero, rounding))
        return len(xs)

    def test_known_results(self):
        for form, x, m, shift, want, *rounding in (
                ("once", -3, 1 << 30, 31, -1, "nearest-up"), ("once", -3, 1 << 30, 31, -2),
                ("once", -3, 1 << 30, 31, -2, "nearest-away"), ("once", -3, 1 << 30, 31, -1, "up"),
                ("once", -3, 1 << 30, 31, -1, "toward-zero"), ("once", -1, 1 << 30, 31, 0),
                ("gemmlowp", -3, 1 << 30, 31, -1), ("gemmlowp", -3, 1 << 30, 32, -1),  # -1.5 to -1 to -0.5 to -1
                ("gemmlowp", LEAST, LEAST, 31, MOST), ("once", LEAST, LEAST, 31, MOST), ("once", LEAST, LEAST, 62, 1),
                ("gemmlowp", LEAST, LEAST, 62, 1), ("tosa", -3, 1 << 30, 31, -1), ("tosa", -1, 1 << 30, 31, 0),
                ("tosa-double", -3, 1 << 30, 32, -1), ("tosa", -2, 1 << 30, 32, 0), ("tosa-double", -2, 1 << 30, 32, -1),
                ("fp32", 16777217, 1, 0, 16777216), ("fp32", 5, 1, 1, 2), ("fp32", -7, 1, 1, -4),
                ("fp32", LEAST, MOST, 0, LEAST)):
            with self.subTest(form=form, x=x, m=m, shift=shift):
                words = ("--rounding", *rounding) if rounding else ()
                [code] = self.evaluated([x], m, shift, 0, "--form", form, "--to", "int32", *words)
                self.assertEqual(integer(code, "int32"), want)

    def test_ends_and_ties_of_32_bits(self):
        """Both ends, multipliers of either sign, and every x next to a half, by shifts at both ends and between."""
        multipliers = (LEAST, LEAST + 1, -(1 << 30), -5, -1, 0, 1, 3, (1 << 24) + 1, 3 << 29, 1 << 30, MOST)
        tested = dict.fromkeys(FORMS, 0)
        for m, shift in itertools.product(multipliers, (0, 1, 2, 24, 30, 31, 32, 33, 40, 61, 62)):
            xs = {LEAST, LEAST + 1, LEAST + 64, -16777217, -3, -2, -1, 0, 1, 2, 3, 16777217, 16777219, MOST - 64, MOST - 1, MOST}
            for half in (-5, -3, -1, 1, 3, 5):
                tie = half * (1 << shift) // (2 * m) if m else 0
                xs |= {x for x in (tie - 1, tie, tie + 1) if LEAST <= x <= MOST}
            for form in FORMS:
                taken = sorted(x for x in xs if allows(form, x, m, shift))
                roundings = ROUNDINGS if form == "once" else ROUNDINGS[:1]
                if not taken:
                    continue
                rounding = roundings[(m + shift) % len(roundings)]
                to = ("int32", "int8", "uint8", "int16")[shift % 4]
                tested[form] += self.check(form, to, taken, m, shift, -3 if to == "int8" else 7, rounding)
        self.assertEqual([form for form in FORMS if tested[form] < 1000], [])

    def test_all_integers_of_16_bits(self):
        """What is emitted of all 65,536, and of the other families, is what Python has."""
        cases = [("once", one) for one in ROUNDINGS] + [(form, "nearest-even") for form in FORMS[1:]]
        for number, (form, rounding) in enumerate(some(cases, 4)):
            to = ("int8", "uint8", "int16", "uint16")[number % 4]
            for family, shape in (("consecutive", 65536), ("ties", 500), ("ends", 64), ("normal", 500)):
                document = parse(self.succeed("emit", "requantise", "--form", form, "--rounding", rounding, "--to", to, "--shape",
                                              shape, "--distribution", family, "-n", 2 if shape > 500 else 8))
                compared = set()
                for group in document["testGroups"]:
                    for test in group["tests"]:
                        xs, [m], [shift], [zero] = (list(map(int, texts)) for texts in test["in"])
                        outs = list(map(int, test["out"][0]))
                        self.assertEqual(len(outs), shape)
                        self.assertEqual(outs, [self.wanted(form, to, x, m, shift, zero, rounding) for x in xs])
                        compared |= set(outs)
                self.assertGreater(len(compared), 8 if family == "ends" else 50, (form, to, family))

    def test_det_has_every_form_and_others_differ(self):
        for form in FORMS:
            for to in ENDS:
                results = self.document("sweep", "requantise", "--form", form, "--to", to, "--shape", 500, "--samples", 12,
                                        "--impl", "det,gemmlowp,naive")["results"]
                by = {}
                for result in results:
                    for one in result["implementations"]:
                        tested, wrong = by.get(one["name"], (0, 0))
                        by[one["name"]] = tested + one["tested"], wrong + one["incorrectly_rounded"]
                self.assertEqual(by["det"], (4 * 12 * 500, 0))
                same = {"gemmlowp": "gemmlowp", "fp32": "naive"}.get(form)
                for name in ("gemmlowp", "naive"):
                    if (form, name) != ("tosa-double", "gemmlowp"):  # which is meant to be near it
                        self.assertEqual(by[name][1] == 0, name == same, (form, to, name))

    def test_vectors_come_back(self):
        path = self.file("vectors.json")
        self.succeed("emit", "requantise", "--form", "gemmlowp", "--shape", 40, "-n", 3, "-o", path)
        self.assertIn("\n12 tests pass\n", self.succeed("verify", path, "--impl", "det"))
        self.succeed("verify", path, "--impl", "naive", code=1)

    def test_functions_of_others(self):
        """Kernels of C and of Python, each of one form: no output of theirs is wrong by it, and some are by another."""
        self.file("kernel.py", KERNEL)
        for form, words, kernel in (("gemmlowp", (), f"lib:{LIBRARY}:requantise_twice"),
                                    ("once", ("--rounding", "nearest-up", "--to", "uint8"), f"lib:{LIBRARY}:requantise_up"),
                                    ("gemmlowp", (), "py:./kernel.py:twice")):
            if kernel.startswith("py:") and not importlib.util.find_spec("numpy"):
                continue
            for one, right in ((form, True), ("fp32", False)):
                given = words if one == form else words[2:]
                results = self.results("requantise", "--form", one, *given, "--shape", 500, "--samples", 8, "--distribution",
                                       "ties", "--impl", kernel, env={"PYTHONPATH": PACKAGE})
                [found] = results[0]["implementations"]
                self.assertEqual(found["tested"], 8 * 500)
                self.assertEqual(found["incorrectly_rounded"] == 0, right, (one, kernel))

    def test_what_makes_no_sense_is_refused(self):
        for words, says in (((1, 1, 63, 0), "shift from 0 to 62"), ((1, 1, -1, 0), "shift from 0 to 62"),
                            ((1, -1, 31, 0, "--form", "tosa"), "multiplier from 0 on"),
                            ((1, 1, 1, 0, "--form", "tosa-double"), "shift from 2 on"),
                            ((2, 1, 2, 0, "--form", "tosa"), "values from -2^1 to 2^1 - 1"),
                            ((1, 1, 1, 0, "--to", "fp32"), "integers of at most 32 bits"),
                            ((1, 1, 1, 0, "--to", "int64"), "integers of at most 32 bits"),
                            ((1, 1, 1, 0, "--rounding", "stochastic"), "not rounded stochastic"),
                            ((1, 1, 32, 0, "--form", "gemmlowp", "--rounding", "up"), "--rounding is of once"),
                            ((1, 1, 32, 0, "-f", "int16"), "int16 is none of its formats")):
            with self.subTest(words=words):
                self.assertIn(says, self.refuse("eval", "requantise", *words, "--shape", 1))


if __name__ == "__main__":
    unittest.main()
