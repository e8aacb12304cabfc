"""An oracle that was made wrong on purpose must be found by the program's own checks: the run stops
with exit 2, says how to reproduce it, and leaves no report behind. The programs are detcheck itself
with one line added to its fit (DETCHECK_FIT_FAULT) or to its use of Arb (DETCHECK_BALL_FAULT)."""

import os
import unittest

from harness import Case

RANGES = {"exp": "0.125:0.1328125", "log": "5:5.5", "tanh": "-0.3125:-0.296875",
          "tgamma": "3.125:3.140625"}


class FaultyFit(Case):
    def expect_found(self, program):
        for operation, inputs in RANGES.items():
            with self.subTest(operation):
                complaint = self.refuse("sweep", operation, "--range", inputs, "--json", "report",
                                     program=program)
                self.assertIn("the fast oracle is wrong: %s(0x" % operation, complaint)
                self.assertEqual(os.listdir(self.path), [])
                # MPFR alone is not harmed by it.
                end = inputs.split(":")[0]
                self.succeed("sweep", operation, "--range", end + ":" + end, "--oracle", "exact",
                             program=program)

    def test_margin_of_zero(self):
        self.expect_found(os.environ["DETCHECK_FIT_WITHOUT_MARGIN"])

    def test_coefficient_off(self):
        self.expect_found(os.environ["DETCHECK_FIT_COEFFICIENT_OFF"])

    def test_enclosure_off(self):
        for operation, inputs in RANGES.items():
            for which in ("auto", "exact"):
                complaint = self.refuse("sweep", operation, "--range", inputs, "--json", "report",
                                        "--oracle", which, program=os.environ["DETCHECK_BALL_OFF"])
                self.assertIn("oracle is wrong", complaint)
                self.assertEqual(os.listdir(self.path), [])
            self.succeed("sweep", operation, "--range", inputs.split(":")[0] + ":" + inputs.split(":")[0], "--oracle", "mpfr",
                         program=os.environ["DETCHECK_BALL_OFF"])

    def test_the_program_itself_passes(self):
        for operation, inputs in RANGES.items():
            self.succeed("sweep", operation, "--range", inputs, "--recheck", 1000)


if __name__ == "__main__":
    unittest.main()
