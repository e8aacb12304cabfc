"""Causes of sums of arrays: each order has a function of summing_library.c, and is named with it.

Environment: that of the tests of the program; SUMMING_LIBRARY.
"""

import os
import unittest

from harness import Case, parse

LIBRARY = os.environ["SUMMING_LIBRARY"]
ORDERS = {"sequential": "sum-sequential", "from_the_end": "sum-from-the-end", "pairwise": "sum-pairwise", "blocked": "sum-blocked"}


class Sums(Case):
    def explained(self, operation, *words, code=1, draws=3):
        done = self.run_program("explain", operation, "-n", draws, *words, "--json", "-")
        self.assertEqual(done.returncode, code, done.stderr)
        document = parse(done.stdout)
        self.follows_schema(document)
        result, = document["results"]
        return result["implementations"][0]["explanation"]

    def assert_cause(self, cause, explanation, side="b", says=""):
        """That it is the cause, that nothing else is as good, and of how many results that is so."""
        found = [(row["hypothesis"], row["side"], row["predicts_wrongly"]) for row in explanation["explanations"]
                 if row.get("cause") or row.get("same_as")]
        self.assertEqual(found, [(cause, side, 0)])
        self.assertEqual(explanation["unexplained"], 0)
        self.assertGreater(explanation["differ"], 20)
        self.assertIn(says, explanation["explanations"][0]["says"])

    def library(self, function):
        return ("--impl", f"lib:{LIBRARY}:{function}")

    def test_orders(self):
        for name, cause in ORDERS.items():
            for prefix, operation, behind in (("sum", "sum", ""), ("dot", "dot", "-of-rounded-products"), ("fused", "dot", "")):
                with self.subTest(name=name, prefix=prefix):
                    explanation = self.explained(operation, "--impl", "det", *self.library(f"{prefix}_{name}"))
                    self.assert_cause(cause + behind, explanation, says=", in fp32")
        self.assert_cause("sum-sequential", self.explained("mean", "--impl", "det", *self.library("mean_sequential")))

    def test_formats(self):
        # Sums in fp64 differ by their order so seldom that several orders explain them all.
        explanation = self.explained("sum", "--impl", "det", *self.library("sum_double"))
        found = [row for row in explanation["explanations"] if row.get("cause") or row.get("same_as")]
        self.assertIn("sum-sequential", {row["hypothesis"] for row in found})
        self.assertTrue(all(row["says"].endswith("in fp64") or row["hypothesis"] == "sum-exact" for row in found), found)
        for accumulation in ("bf16", "fp16"):
            explanation = self.explained("dot", "-f", accumulation, "--impl", "cr", "--impl", "sequential", "--accumulate", accumulation)
            self.assert_cause("sum-sequential-of-rounded-products", explanation, says=f", in {accumulation}")

    def test_products_of_matrices(self):
        explanation = self.explained("matmul", "--impl", "det", *self.library("matmul_rounded"), "--shape", "4x300x5")
        self.assertEqual(explanation["tested"], 3 * 4 * 5)
        self.assert_cause("sum-sequential-of-rounded-products", explanation)

    def test_what_no_row_has(self):
        explanation = self.explained("sum", "--impl", "det", *self.library("sum_lanes"))
        self.assertEqual(explanation["unexplained"], explanation["differ"])
        self.assertGreater(explanation["differ"], 20)
        self.assertEqual([row for row in explanation["explanations"] if row.get("cause")], [])

    def test_text(self):
        done = self.run_program("explain", "dot", "-n", 3, "--impl", "det", *self.library("dot_sequential"))
        self.assertRegex(done.stdout.decode(), r"  the first is element 0 of call \d+ \(\d+\): A 0x[0-9a-f]{8}, B 0x[0-9a-f]{8}\n"
                                               r"  \d+ of 72 results differ\n  1. B adds from the first to the last, products that are "
                                               r"rounded before, in fp32\n")
        equal = self.run_program("explain", "sum", "-n", 2, "--impl", "sequential", *self.library("sum_sequential"))
        self.assertEqual(equal.returncode, 0)
        self.assertIn(b"  0 of 48 results differ\n", equal.stdout)

    def test_policies_name_causes_that_nothing_had(self):
        words = ("explain", "dot", "-n", 3, "--impl", "det", *self.library("dot_sequential"), "--json", "r.json")
        self.assertEqual(self.run_program(*words).returncode, 1)
        for cause, code in (("sum-sequential-of-rounded-products", 0), ("sum-pairwise", 1), ("overflow-to-nan", 1), ("sum-backwards", 2)):
            policy = self.file("p.json", '{"schema": "detcheck/policy/1", "rules": [{"explanation": {"%s": "any", "*": 0}}]}' % cause)
            self.assertEqual(self.run_program("gate", "r.json", "--policy", policy).returncode, code, cause)

    def test_what_is_refused(self):
        self.assertIn("of operations on arrays explain knows causes of sum, mean, dot and matmul, and not of softmax; compare the two",
                      self.refuse("explain", "softmax", "--impl", "det", "--impl", "libm"))
        self.assertIn("explain of arrays wants two implementations", self.refuse("explain", "dot", "--impl", "det"))


if __name__ == "__main__":
    unittest.main()
