"""`detcheck search`: what it finds is there, and the same is found again."""

import json
import os
import signal
import subprocess
import time
import unittest

from harness import PROGRAM, Case, environment
from report_checks import check_document

LIBRARY = "lib:" + os.environ["FAULTY_LIBRARY"]


class Search(Case):
    def search(self, *words, **options):
        """The one result of a search."""
        result, = self.document("search", *words, **options)["results"]
        return result

    def test_the_same_on_any_number_of_threads(self):
        for words in (("acosh",), ("pow", "-f", "fp32"), ("exp", "--for", "boundary")):
            with self.subTest(words=words):
                runs = []
                for threads in (1, 3):
                    document = self.document("search", *words, "--evaluations", 200000, "--threads", threads)
                    check_document(self, document)
                    del document["run"]
                    runs.append(document)
                self.assertEqual(*runs)
                search = runs[0]["results"][0]["inputs"]["search"]
                self.assertEqual(search["evaluations"], 200000)

    def test_another_seed_finds_others(self):
        first, second = (self.search("acosh", "--evaluations", 100000, "--seed", seed) for seed in (1, 2))
        self.assertNotEqual(first["inputs"]["search"]["parts"], second["inputs"]["search"]["parts"])

    def test_the_best_grows_and_is_confirmed(self):
        result = self.search("acosh", "--evaluations", 3000000)
        part, = result["inputs"]["search"]["parts"]
        self.assertEqual(part["implementations"], ["libm"])
        growth = part["growth"]
        self.assertEqual(growth, sorted(growth, key=lambda row: (row["evaluations"], row["error"])))
        self.assertEqual(growth[-1]["error"], part["best"][0]["error"])
        worst = result["implementations"][0]["max_ulp"]
        self.assertEqual(worst["input"], part["best"][0]["input"])
        self.assertAlmostEqual(worst["error"], part["best"][0]["error"], delta=2 ** -23)
        shown = self.document("eval", "acosh", worst["input"], "-f", "fp64", "--impl", "libm")
        self.assertAlmostEqual(shown["results"][0]["implementations"][0]["error"], worst["error"], delta=2 ** -23)


if __name__ == "__main__":
    unittest.main()
