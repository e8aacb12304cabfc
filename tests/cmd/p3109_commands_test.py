"""explain, reveal, invariance of blocks, and workers on P3109's operands with scales, on lists of formats, on results with a scale, and on blocks."""

import itertools
import os
import unittest
from fractions import Fraction

from harness import PROGRAM
from p3109_definitions import Format, add, project, to_block
from p3109_held import Held, operand

SCALED, TARGET = "binary3p1uf*binary3p2se", Format("binary5p3se")
KINDS = (([SCALED, SCALED], ()), ([SCALED, "binary3p2se"], ()), ([SCALED, "binary3p2se"], ("--result-scale", "binary3p1uf:2")))
BLOCKS = ("-f", "binary8p1uf*binary8p4se", "--shape", "4x8", "--distribution", "normal", "--samples", 3)
WORKER = f"exec:{os.path.join(os.path.dirname(PROGRAM), 'detcheck-worker')}"


def sums(names, words):
    exact = [add(*values) for values in itertools.product(*(operand(name).values for name in names))]
    return [to_block(value, Fraction(2)) for value in exact] if words else exact


class Commands(Held):
    def words(self, names, more):
        return ("add", "-f", ":".join(names), "--to", TARGET.name, *more)

    def test_explain_names_the_rounding_and_the_saturation_mode(self):
        """All differences that the definitions have, by the one cause that was planted."""
        path = os.path.join(self.path, "outputs")
        for (names, more), (cause, made) in itertools.product(KINDS, (("rounded-up", {"rounding": "up"}), ("saturated-finite", {"saturation": "sat-finite"}))):
            with self.subTest(names=names, more=more, cause=cause):
                exact = sums(names, more)
                planted, right = ([project(value, TARGET, **how) for value in exact] for how in (made, {}))
                with open(path, "wb") as file:
                    file.write(bytes(planted))
                text = self.run_program("explain", *self.words(names, more), "--impl", "exact", "--impl", f"file:{path}").stdout.decode()
                count = f"{sum(a != b for a, b in zip(planted, right)):,}"
                self.assertIn(f"     {cause}: explains {count} of {count} differences; predicts 0 wrongly\n", text)

    def test_explain_knows_a_result_that_is_not_divided(self):
        names, more = KINDS[2]
        path = os.path.join(self.path, "outputs")
        planted, right = ([project(value, TARGET) for value in sums(names, words)] for words in ((), more))
        with open(path, "wb") as file:
            file.write(bytes(planted))
        text = self.run_program("explain", *self.words(names, more), "--impl", "exact", "--impl", f"file:{path}").stdout.decode()
        count = f"{sum(a != b for a, b in zip(planted, right)):,}"
        self.assertIn(f"  1. B does not divide the result by --result-scale\n     result-not-divided: explains {count} of {count} differences; predicts 0 wrongly", text)

    def test_explain_says_what_it_does_not_know(self):
        self.assertIn("explain knows no causes for p3109.dot_product", self.refuse("explain", "p3109.dot_product", *BLOCKS, "--impl", "det", "--impl", "naive"))

    def test_invariance_of_blocks(self):
        for operation in ("p3109.reduce_add", "p3109.reduce_multiply", "p3109.dot_product"):
            text = self.succeed("invariance", operation, *BLOCKS, "--impl", "det")
            self.assertRegex(text, r"0 of [1-9]\d* properties change bits")
        text = self.succeed("invariance", "p3109.to_block_max_abs_finite", *BLOCKS[2:], "--impl", "det")
        self.assertRegex(text, r"0 of [1-9]\d* properties change bits")

    def test_reveal_says_which_operations_it_is_for(self):
        for operation, words in (("add", ("-f", SCALED)), ("p3109.reduce_add", ())):
            self.assertIn("reveal is for sum, mean, dot", self.refuse("reveal", operation, *words, "--impl", "det"))
        self.assertIn("sum is not an operation of P3109", self.refuse("reveal", "sum", "-f", SCALED, "--impl", "det"))

    def test_workers_get_the_formats_of_blocks(self):
        for operation, words in (("p3109.reduce_add", BLOCKS), ("p3109.dot_product", BLOCKS), ("p3109.to_block_max_abs_finite", BLOCKS[2:])):
            for result in self.results(operation, *words, "--impl", f"{WORKER} det"):
                found, = result["implementations"]
                self.assertEqual(found["incorrectly_rounded"] + found["nan_mismatches"], 0)
                self.assertGreater(found["tested"], 0)
        found, = self.results(*self.words(*KINDS[2]), "--impl", f"{WORKER} exact")[0]["implementations"]
        self.assertEqual((found["incorrectly_rounded"], found["tested"]), (0, 512))


if __name__ == "__main__":
    unittest.main()
