"""Causes of sums of arrays: what two functions do otherwise on purpose is named, with how many differences come of it, and
nothing else. Functions are those of programs/ordered and summing_library.c.

Environment: that of the tests of the program; SUMMING_LIBRARY, ORDERED_LIBRARY, PYTHON_PACKAGE.
"""

import importlib.util
import os
import re
import sys
import unittest

from harness import Case, parse, some

LIBRARY = os.environ["SUMMING_LIBRARY"]
ORDERED = os.environ["ORDERED_LIBRARY"]

# Pairs that are not the same in one thing: A, B, what that is, and what is said of B.
ONE = [
    ("sum_sequential", "sum_kahan", "sum-compensation", "kahan (A: no)"),
    ("sum_neumaier", "sum_sequential", "sum-compensation", "no (A: neumaier)"),
    ("sum_kahan", "sum_double_double", "sum-compensation", "double-double (A: kahan)"),
    ("sum_sequential", "sum_exact", "sum-compensation", "exact (A: no)"),
    ("sum_exact", "sum_fixed", "sum-compensation", "multiples of 2^-20 (A: exact)"),
    ("sum_lanes_4", "sum_lanes_8", "sum-order", "100 terms: A adds x[0] and x[4]; B adds x[0] and x[8]"),
    ("sum_sequential", "sum_serpentine", "sum-order", "A adds x[0] and x[1]; B adds x[0] and x[15]"),
    ("sum_halves", "sum_split_4", "sum-order", "blocks of 25, blocks added from the left"),
    ("sum_reverse", "sum_sequential", "sum-order", "A adds x[99] and x[98]"),
    ("sum_random", "sum_lanes_8", "sum-order", "another order"),
    ("sum_sequential", "sum_dropped", "sum-order", "adds 4 of the terms less often than A"),
    ("sum_sequential", "sum_doubled", "sum-order", "adds 1 of the terms more often than A"),
    ("sum_sequential", "sum_fp64", "sum-accumulator", "adds in fp64 (A: fp32)"),
    ("sum_bf16", "sum_sequential", "sum-accumulator", "adds in fp32 (A: bf16)"),
    ("sum_sequential", "sum_toward_zero", "sum-rounding", "toward-zero (A: nearest-even)"),
    ("sum_sequential", "sum_spilled", "sum-spills", "rounds sums once more"),
    ("sum_nodes_8_24", "sum_nodes_8_25", "sum-aligned-bits", "25 bits (A: 24 bits)"),
    ("sum_nodes_8_24", "sum_nodes_16_24", "sum-order", "adds 16 terms at once (A: 8)"),
    ("dot_rounded", "dot_fused", "sum-products", "exact (A: rounded to fp32)"),
    ("dot_rounded", "dot_bf16_products", "sum-products", "rounded to bf16 (A: rounded to fp32)"),
    ("mean_before", "mean_after", "sum-scaling", "sum-divided (A: by terms-times-reciprocal)"),
]
ORDERS = {"sequential": "sum-sequential", "from_the_end": "sum-from-the-end", "pairwise": "sum-pairwise", "blocked": "sum-blocked"}


class Sums(Case):
    def explained(self, operation, *words, code=1, draws=60, shape="100", **options):
        chosen = ("--shape", shape) if shape else ()
        done = self.run_program("explain", operation, "-n", draws, *chosen, *words, "--json", "-", **options)
        self.assertEqual(done.returncode, code, done.stderr)
        document = parse(done.stdout)
        self.follows_schema(document)
        result, = document["results"]
        return result["implementations"][0]["explanation"]

    def assert_causes(self, causes, explanation, says=""):
        """That these are the causes and that they leave nothing; a single one predicts each result that was looked at."""
        rows = explanation["explanations"]
        self.assertEqual([row["hypothesis"] for row in rows], causes)
        self.assertEqual([row.get("cause") for row in rows], list(range(1, len(causes) + 1)))
        self.assertEqual(explanation["unexplained"], 0)
        self.assertGreaterEqual(explanation["differ"], 20)
        self.assertEqual(sum(row["adds"] for row in rows), explanation["differ"])
        if len(causes) == 1:
            self.assertEqual((rows[0]["explains"], rows[0]["predicts_wrongly"]), (explanation["differ"], 0))
        self.assertIn(says, rows[0]["says"])

    def library(self, function):
        return ("--impl", f"lib:{LIBRARY}:{function}")

    def ordered(self, *functions):
        return [word for function in functions for word in ("--impl", f"lib:{ORDERED}:{function}")]

    def test_what_is_other_in_one_thing(self):
        for a, b, cause, says in some(ONE, 9):
            with self.subTest(a=a, b=b):
                self.assert_causes([cause], self.explained(a.partition("_")[0], *self.ordered(a, b)), says)

    def test_what_is_other_in_two_things(self):
        explanation = self.explained("sum", *self.ordered("sum_sequential", "sum_two_levels"))
        self.assert_causes(["sum-order", "sum-accumulator"], explanation)
        order, accumulator = explanation["explanations"]
        self.assertIn("adds in fp64 (A: fp32) in 3 of 99 additions", accumulator["says"])
        self.assertIn("100 terms: A adds the sum of x[0] to x[31] and x[32]; B adds x[32] and x[33];", order["says"])  # no numbers of nodes
        # B without the one has the other alone, and each count can be had by itself: fp32 between blocks of 32 too.
        self.assertRegex(order["says"], rf"; without it {explanation['differ']} of them come out otherwise$")
        self.assertEqual(accumulator["adds"], explanation["differ"] - order["adds"])

    def test_text_says_what_two_things_do_together(self):
        said = self.run_program("explain", "dot", "-n", 60, "--shape", 100, *self.ordered("dot_rounded", "dot_rest_rounded_fp32")).stdout.decode()
        differ, = re.findall(r"  ([\d,]+) of 60 results differ\n", said)
        self.assertRegex(said, r"\n  1\. B adds .*\n     sum-\w+: explains \d+ of \d+ differences; predicts \d+ wrongly\n  2\. ")
        self.assertRegex(said, rf"\n  2\. .*\n.* wrongly\n     with those before it: explains {differ} of {differ} differences\n$")

    def test_orders_of_the_program(self):
        self.assert_causes(["sum-order"], self.explained("sum", "--impl", "det", "--impl", "sequential"), "from the left (A: det's sum of 64 lanes)")

    def slow_orders_of_a_unit_and_of_its_parts(self):
        split = self.explained("matmul", "-f", "fp16", "--dtype", "fp32", "--impl", "mma:h100", "--impl", "mma:h100,split-k=2",
                               shape="4x128x5", draws=4)
        self.assertIn("sum-order", [row["hypothesis"] for row in split["explanations"]])
        self.assertEqual(split["unexplained"], 0)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not there")
    def test_numpy_and_det(self):
        explanation = self.explained("sum", "--impl", "py:numpy", "--impl", "det", shape="1000",
                                     env={"PYTHONPATH": os.environ["PYTHON_PACKAGE"],
                                          "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]})
        self.assert_causes(["sum-order"], explanation, "det's sum of 64 lanes (A: numpy's pairwise sum)")

    def test_many_lengths(self):
        explanation = self.explained("sum", *self.ordered("sum_lanes_4", "sum_lanes_8"), shape=None, draws=3)
        self.assert_causes(["sum-order"], explanation, "8191 terms: ")
        explanation = self.explained("sum", "--impl", "det", *self.library("sum_sequential"), shape=None, draws=3)
        row, = explanation["explanations"]
        self.assertEqual((row["hypothesis"], row["predicts_wrongly"]), ("sum-order", 0))
        # det's order is another one beyond 1,024 terms, which is not looked for beside other lengths.
        self.assertEqual(explanation["unexplained"], explanation["differ"] - row["explains"])
        self.assertIn(f"; judged are {row['explains']} of {explanation['differ']} differences, where both orders are known",
                      explanation["note"])

    def test_units(self):
        for a, b, causes in some((("mma:h100", "mma:a100", {"sum-order", "sum-aligned-bits"}),
                                  ("mma:h100", "det", {"sum-order", "sum-aligned-bits", "sum-rounding"})), 1):
            with self.subTest(a=a, b=b):
                explanation = self.explained("dot", "-f", "fp16", "--dtype", "fp32", "--impl", a, "--impl", b, shape="64", draws=100)
                rows = explanation["explanations"]
                self.assertEqual((rows[0]["hypothesis"], rows[0]["cause"], rows[0]["explains"], rows[0]["predicts_wrongly"]),
                                 ("sum-as-unit", 1, explanation["differ"], 0))
                self.assertEqual({row["hypothesis"] for row in rows if row.get("part_of") == 1}, causes)
                self.assertEqual(explanation["unexplained"], 0)
                for row in rows:
                    unit = "h100" if row["side"] == "a" else "a100"
                    if row["hypothesis"] == "sum-as-unit" and "cause" in row:
                        self.assertIn(f"adds as the matrix unit {unit}, ", row["says"])

    def test_few_differences_name_no_cause(self):
        explanation = self.explained("sum", *self.ordered("sum_sequential", "sum_kahan"), draws=15)
        self.assertEqual(explanation["explanations"], [])
        self.assertEqual(explanation["unexplained"], explanation["differ"])
        self.assertLess(explanation["differ"], 16)
        self.assertIn("; of fewer than 16 differences no cause is named", explanation["note"])

    def test_where_an_order_is_not_revealed(self):
        for name, why in (("sum_by_threads", "made again"), ("sum_sorted", "the order depends on the data")):
            explanation = self.explained("sum", *self.ordered("sum_sequential", name))
            self.assertRegex(explanation["note"], f"; B's order of 100 terms was not revealed .*{why}.*, so that a few orders were tried alone$")
            self.assert_one_side(explanation, "a", "sum-sequential")
        for name, cause in ORDERS.items(): # beside what nobody can replay
            explanation = self.explained("sum", *self.ordered("sum_by_threads"), *self.library(f"sum_{name}"), shape="300")
            self.assert_one_side(explanation, "b", cause)
        said = self.run_program("explain", "sum", "-n", 60, "--shape", 100, *self.ordered("sum_sequential", "sum_sorted")).stdout.decode()
        self.assertIn("; how B adds is not known", said)
        self.assertNotIn("1. ", said)

    def assert_one_side(self, explanation, side, hypothesis):
        """That it is said how the side adds, and that this is no cause, as nothing is known of the other one."""
        rows = explanation["explanations"]
        self.assertIn(hypothesis, [row["hypothesis"] for row in rows])
        self.assertEqual({(row["side"], row.get("cause"), row["no_cause"]) for row in rows}, {(side, None, "one-side")})
        self.assertEqual(explanation["unexplained"], explanation["differ"])

    def test_formats(self):
        for accumulation in some(("bf16", "fp16"), 1):
            explanation = self.explained("dot", "-f", accumulation, "--impl", "cr", "--impl", "sequential", "--accumulate", accumulation)
            self.assertEqual(explanation["unexplained"], 0)
            self.assertIn(f"adds in {accumulation} ", " ".join(row["says"] for row in explanation["explanations"]) + " ")

    def test_products_of_matrices(self):
        explanation = self.explained("matmul", "--impl", "det", *self.library("matmul_rounded"), shape="4x300x5", draws=3)
        self.assertEqual(explanation["tested"], 3 * 4 * 5)
        self.assertEqual({row["hypothesis"] for row in explanation["explanations"]}, {"sum-order", "sum-products"})
        self.assertEqual(explanation["unexplained"], 0)

    def test_text(self):
        done = self.run_program("explain", "dot", "-n", 60, "--shape", "100", *self.ordered("dot_rounded", "dot_fused"))
        self.assertRegex(done.stdout.decode(), r"  the first is element 0 of call \d+ \(100\): A 0x[0-9a-f]{8}, B 0x[0-9a-f]{8}\n"
                                               r"  (\d+) of 60 results differ\n  1. B adds products exact \(A: rounded to fp32\)\n"
                                               r"     sum-products: explains \1 of \1 differences; predicts 0 wrongly\n$")
        unit = self.run_program("explain", "dot", "-n", 60, "-f", "fp16", "--dtype", "fp32", "--shape", "64", "--impl", "det", "--impl", "mma:a100")
        self.assertRegex(unit.stdout.decode(), r"  1. B adds as the matrix unit a100, 8 products of fp16 at once into fp32\n")
        self.assertRegex(unit.stdout.decode(), r"     of that sum-aligned-bits: B aligns terms and keeps 24 bits \(A: all bits\); "
                                               r"without it \d+ of them come out otherwise, alone explains \d+\n")
        equal = self.run_program("explain", "sum", "-n", 2, "--impl", "sequential", *self.library("sum_sequential"))
        self.assertEqual(equal.returncode, 0)
        self.assertIn(b"  0 of 48 results differ\n", equal.stdout)

    def test_policies_name_causes_that_nothing_had(self):
        words = ("explain", "dot", "-n", 60, "--shape", "100", *self.ordered("dot_rounded", "dot_fused"), "--json", "r.json")
        self.assertEqual(self.run_program(*words).returncode, 1)
        for cause, code in (("sum-products", 0), ("sum-pairwise", 1), ("overflow-to-nan", 1), ("sum-backwards", 2)):
            policy = self.file("p.json", '{"schema": "detcheck/policy/1", "rules": [{"explanation": {"%s": "any", "*": 0}}]}' % cause)
            self.assertEqual(self.run_program("gate", "r.json", "--policy", policy).returncode, code, cause)

    def test_what_is_refused(self):
        self.assertIn("explain knows no causes for cumsum; on arrays it knows them for sum, mean, dot, matmul, requantise, packed.quantise, from_decimal and kernels that have forms; 'detcheck sweep cumsum --impl A,B' counts where two differ",
                      self.refuse("explain", "cumsum", "--impl", "det", "--impl", "libm"))
        self.assertIn("explain of arrays needs two implementations", self.refuse("explain", "dot", "--impl", "det"))


if __name__ == "__main__":
    unittest.main()
