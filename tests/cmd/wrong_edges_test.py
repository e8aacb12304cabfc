"""Faults at the ends of the numbers, in results and in exception flags: a plain `search`, `search --for wrong-rounding` and `sweep
--special` find each, and none in arithmetic that is right. tests/programs/misrounding_edges.c has the faults."""

import os
import unittest

from harness import Case, parse, some
from wrong_roundings import wrong_of

LIBRARY = os.environ["MISROUNDING_LIBRARY"]
FIRST = 4096  # built inputs come first in each search
METHODS = (("search", "--evaluations", FIRST), ("search", "--for", "wrong-rounding", "--evaluations", FIRST), ("sweep", "--special"))

ALL, OF_PRODUCTS = ("mul", "div", "add", "fma", "cast", "mul_fp64", "add_fp64"), ("mul", "div", "fma", "cast", "mul_fp64")
RESULTS = {
    "overflow_tie_kept": ("mul", "add", "fma", "cast", "mul_fp64", "add_fp64"),  # no quotient is the midpoint
    "overflow_before_rounding": tuple(one for one in ALL if one != "div"),  # no quotient lies between the largest number and 2^128
    "flushed_before_rounding": OF_PRODUCTS,  # sums are no less than what they are rounded to there
    "half_of_least_kept": OF_PRODUCTS,
}

SUMS, OTHERS = ("add", "sub", "fma"), ("mul", "div", "fma")
# The nearest quotient below the least normal number is the midpoint there, which is small after rounding, too.
FLAGS = {  # by fault: whose, and what is wrong with which flag
    "cancels_inexactly": (SUMS, "spurious", "inexact"),
    "cancels_with_underflow": (SUMS, "spurious", "underflow"),
    "underflows_exactly": (("add", "sub", "mul", "div", "fma"), "spurious", "underflow"),
    "underflows_without_inexact": (OTHERS, "missing", "inexact"),
    "underflows_silently": (OTHERS, "missing", "underflow"),
    "overflows_without_inexact": (("add", "sub", "mul", "div", "fma"), "missing", "inexact"),
    "overflows_silently": (("add", "sub", "mul", "div", "fma"), "missing", "overflow"),
    "rounds_to_normal_with_underflow": (("mul", "fma"), "spurious", "underflow"),
    "largest_with_overflow": (("add", "sub", "mul", "div", "fma"), "spurious", "overflow"),
}


def words_of(operation, fault):
    """The operation, its options, and the implementation."""
    name, _, wide = operation.partition("_")
    function = f"{name}_{fault}{'_' + wide if wide else ''}"
    options = ("-f", "fp64", "--to", "fp32") if name == "cast" else ("-f", wide or "fp32")
    return name, *options, "--impl", f"lib:{LIBRARY}:{function}", "--threads", "1"


class Results(Case):
    def test_each_fault_by_each_method(self):
        planted = [(operation, fault) for fault, operations in RESULTS.items() for operation in operations]
        for operation, fault in some(planted, 8):
            for method, *options in METHODS:
                with self.subTest(operation=operation, fault=fault, method=(method, *options)):
                    result, = self.document(method, *words_of(operation, fault), *options)["results"]
                    self.assertGreater(wrong_of(result), 0)

    def test_explain_names_faults_at_overflow(self):
        for fault, cause in (("saturating", "overflow-to-largest-number"),
                             ("overflow_tie_kept", "overflow-tie-to-largest-number"),
                             ("overflow_before_rounding", "infinity-beyond-largest-number")):
            with self.subTest(fault=fault):
                done = self.run_program("explain", *words_of("add", fault), "--impl", "exact", "--json", "-")
                result, = parse(done.stdout)["results"]
                explanation = result["implementations"][0]["explanation"]
                rows = [row for row in explanation["explanations"] if row.get("cause") and row["hypothesis"] != "nan-bits"]
                causes = [(row["hypothesis"], row["side"]) for row in rows]
                self.assertEqual((causes, explanation["unexplained"]), ([(cause, "a")], 0))

    def test_a_fault_of_few_inputs_is_met_at_once(self):
        """musl's fmaf: a search for large errors meets it among the first inputs that it tries."""
        for purpose in ((), ("--for", "wrong-rounding")):
            result, = self.document("search", "fma", "-f", "fp32", "--impl", f"lib:{LIBRARY}:fma_musl", *purpose,
                                    "--evaluations", FIRST)["results"]
            self.assertGreater(wrong_of(result), 0)
            growth = result["inputs"]["search"]["parts"][0]["growth"]
            self.assertLessEqual(growth[0]["evaluations"], FIRST)


class Flags(Case):
    def faults_of(self, method, options, *words):
        document = self.document(method, *words, *options, "--flags", "--inexact")
        result, = document["results"]
        return result, result["implementations"][0]["flags"]

    def test_each_fault_by_each_method(self):
        planted = [(operation, fault, wrong, flag) for fault, (operations, wrong, flag) in FLAGS.items() for operation in operations]
        for operation, fault, wrong, flag in some(planted, 6):
            for method, *options in METHODS:
                with self.subTest(operation=operation, fault=fault, method=(method, *options)):
                    result, flags = self.faults_of(method, options, *words_of(operation, fault))
                    self.assertEqual(wrong_of(result), 0)
                    self.assertIn((wrong, flag), {(one["fault"], one["flag"]) for one in flags["faults"]})
                    self.assertEqual(len(flags["faults"]), 1, flags)
                    if method == "search":
                        self.assertIn(" and wrong flags among 4,096", result["inputs"]["description"])

    def test_two_faults_of_one_function_are_both_shown(self):
        """Neither takes the place of the other."""
        words = words_of("fma", "cancels_and_underflows")
        _, flags = self.faults_of(*(METHODS[1][0], METHODS[1][1:]), *words)
        self.assertEqual({(one["fault"], one["flag"]) for one in flags["faults"]},
                         {("spurious", "inexact"), ("missing", "underflow")})

    def test_none_where_none_is(self):
        for operation in ("add", "sub", "mul", "div", "fma"):
            for method, *options in METHODS:
                with self.subTest(operation=operation, method=method):
                    result, flags = self.faults_of(method, options, operation, "-f", "fp32", "--impl", "libm")
                    self.assertEqual((wrong_of(result), flags["faults"]), (0, []))
                    if options[0] == "--for":
                        self.assertEqual(result["inputs"]["description"],
                                         "no wrong rounding or wrong flag found among 4,096 inputs, seed 1")


class NearestAway(Case):
    def test_a_function_that_rounds_so_by_itself(self):
        words = ("mul", "-f", "fp32", "-r", "nearest-away", "--impl", f"lib:{LIBRARY}:mul_away")
        for method, *options in METHODS:
            result, = self.document(method, *words, *options)["results"]
            self.assertEqual(wrong_of(result), 0)
        result, = self.document("search", "mul", "-f", "fp32", "-r", "nearest-away", "--impl", f"lib:{LIBRARY}:mul_overflow_tie_kept",
                                "--for", "wrong-rounding", "--evaluations", FIRST)["results"]
        self.assertGreater(wrong_of(result), 0)

    def test_one_that_is_not_named_is_refused(self):
        line = self.refuse("sweep", "fma", "-f", "fp32", "-r", "nearest-away", "--special", "--impl", "lib:libm.so.6")
        self.assertIn("C has no rounding mode nearest-away; name a function that rounds so by itself: lib:libm.so.6:SYMBOL", line)


if __name__ == "__main__":
    unittest.main()
