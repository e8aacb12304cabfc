"""`search --for wrong-rounding` and `sweep --special` find faults that were published, and none where there is none."""

import os
import unittest

from harness import Case
from report_checks import check_document
from wrong_roundings import FAULTS, words_of, wrong_of

LIBRARY = os.environ["MISROUNDING_LIBRARY"]
FIRST_ROUNDS = 73000  # the special inputs of a pair or more, and a round of built ones


class Faults(Case):
    def test_the_first_round_finds_each(self):
        for fault in FAULTS:
            with self.subTest(fault=fault.function):
                document = self.document("search", *words_of(fault, LIBRARY), "--for", "wrong-rounding",
                                         "--evaluations", FIRST_ROUNDS)
                check_document(self, document)
                result, = document["results"]
                self.assertGreater(wrong_of(result), 0)
                self.assertEqual(wrong_of(result), result["inputs"]["count"])
                self.assertEqual(result["inputs"]["search"]["for"], "wrong-rounding")
                self.assertIn("found by a search for wrong roundings among 73,000", result["inputs"]["description"])

    def test_special_inputs_have_each(self):
        for fault in FAULTS:
            with self.subTest(fault=fault.function):
                result, = self.results(*words_of(fault, LIBRARY), "--special")
                self.assertGreater(wrong_of(result), 0)

    def test_a_search_for_errors_finds_one_that_ranks_last(self):
        """Its error is 0.5 ulp and 2^-29, and those of right outputs are as large."""
        fault, = [one for one in FAULTS if one.function == "fma_subnormal_twice"]
        result, = self.document("search", *words_of(fault, LIBRARY), "--evaluations", 40000)["results"]
        self.assertGreater(wrong_of(result), 0)


class Right(Case):
    def test_none_is_found_where_none_is(self):
        for operation in sorted({fault.operation for fault in FAULTS}):
            for format_ in ("fp16", "bf16", "fp32", "fp64"):
                for rounding in ("nearest-even", "up"):
                    if operation == "fma" and format_ not in ("fp32", "fp64"):
                        continue  # libm's fmaf, rounded once more
                    with self.subTest(operation=operation, format=format_, rounding=rounding):
                        words = ("search", operation, "-f", format_, "--rounding", rounding, "--impl", "libm")
                        done = self.run_program(*words, "--for", "wrong-rounding", "--evaluations", 20000)
                        text = done.stdout.decode()
                        self.assertIn("no wrong rounding found among 20,000, seed 1; one input stands for these", text)

    def test_others_are_refused(self):
        self.assertIn("--for wrong-rounding builds inputs for fma, add,",
                      self.refuse("search", "exp", "--for", "wrong-rounding"))

    def test_any_number_of_threads_finds_the_same(self):
        runs = []
        for threads in (1, 3):
            document = self.document("search", "fma", "-f", "fp32", "--impl", f"lib:{LIBRARY}:fma_rounded_twice", "--for",
                                     "wrong-rounding", "--evaluations", 150000, "--threads", threads)
            del document["run"]
            runs.append(document)
        self.assertEqual(*runs)

    def test_ranges_are_kept_to(self):
        result, = self.document("search", "div", "-f", "fp32", "--impl", f"lib:{LIBRARY}:div_by_reciprocal", "--for",
                                "wrong-rounding", "--evaluations", 20000, "--range", "1:2")["results"]
        for row in result["inputs"]["search"]["parts"][0]["best"]:
            for code in row["input"]:
                self.assertTrue(0x3f800000 <= int(code, 16) <= 0x40000000, code)


if __name__ == "__main__":
    unittest.main()
