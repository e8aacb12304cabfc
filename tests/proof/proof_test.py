"""All of fp32 through det and cr, for one function (label proof): the gate passes it by the budgets of
src/detmath/functions.inc, which are no larger than they must be. Of functions of two operands the pairs of fp32
that src/detmath/TRIED.md names, and a 64th of those of fp16; or all of fp16 with PAIRS=all (label exhaustive)."""

import os
import sys
import unittest

from budgets import Budgets

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "detmath"))
import pairs  # noqa: E402

FUNCTION = os.environ["FUNCTION"]
LIMIT = 4 * 3600  # seconds
DOMAINS = {
    1: [("fp32",)],
    2: [("fp16", "--samples", 2 ** 26, "--run-length", 1024), ("fp32", *pairs.SAMPLED)],
}
OPERANDS = int(os.environ["OPERANDS"])


class Proof(Budgets):
    @unittest.skipUnless(os.environ.get("PAIRS") == "all", "these have the label exhaustive")
    def test_all_pairs_of_fp16(self):
        report = self.sweep("all.json", FUNCTION, "--format", "fp16", timeout=LIMIT)
        for implementation in ("det", "cr"):
            self.assertEqual(self.one(report, FUNCTION, implementation)["tested"], 2 ** 32)
        self.assertEqual(self.gate("all.json"), set())

    @unittest.skipIf(os.environ.get("PAIRS") == "all", "these have the label proof")
    def test_budgets_hold_and_are_tight(self):
        worst = [("fp32", *pairs.worst(FUNCTION, self.path))] if pairs.words(FUNCTION) else []
        domains = DOMAINS[OPERANDS] + worst
        reports = {}
        for at, domain in enumerate(domains):
            reports[f"{at}.json"] = self.sweep(f"{at}.json", FUNCTION, "--format", *domain, timeout=LIMIT)
        self.assertEqual(self.gate(*reports), set())
        operations = {result["operation"] for result in reports["0.json"]["results"]}
        for result in reports["0.json"]["results"]:
            for one in result["implementations"]:
                self.assertEqual(one["tested"], 2 ** 32 if OPERANDS == 1 else 2 ** 26)
        for operation in operations:
            largest = max(self.one(report, operation, "det")["max_ulp"]["error"]
                          for report in reports.values() if report["results"][0]["format"] == "fp32")
            self.assertLessEqual(largest, self.budget(operation))
            self.assertGreater(largest, self.budget(operation) - 1e-6)
        self.assertEqual(self.gate(*reports, policy=self.lowered()),
                         {(operation, "fp32", "det", "max_ulp") for operation in operations})


if __name__ == "__main__":
    unittest.main()
