"""All of fp32 through det and cr, for one function (label proof): the gate passes it by the budgets of
src/detmath/functions.inc, which are no larger than they must be. Of functions of two operands the pairs of
fp16, all of them, and of fp32 those that src/detmath/README.md names."""

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
    2: [("fp16",), ("fp32", *pairs.SAMPLED)],
}
OPERANDS = int(os.environ["OPERANDS"])


class Proof(Budgets):
    def test_budgets_hold_and_are_tight(self):
        domains = DOMAINS[OPERANDS] + [("fp32", *pairs.WORST[name][1]) for name in [FUNCTION] if name in pairs.WORST]
        reports = {}
        for at, domain in enumerate(domains):
            reports[f"{at}.json"] = self.sweep(f"{at}.json", FUNCTION, "--format", *domain, timeout=LIMIT)
        self.assertEqual(self.gate(*reports), set())
        operations = {result["operation"] for result in reports["0.json"]["results"]}
        for result in reports["0.json"]["results"]:
            for one in result["implementations"]:
                self.assertEqual(one["tested"], 2 ** 32)  # inputs of fp32, or pairs of fp16
        for operation in operations:
            largest = max(self.one(report, operation, "det")["max_ulp"]["error"]
                          for report in reports.values() if report["results"][0]["format"] == "fp32")
            self.assertLessEqual(largest, self.budget(operation))
            self.assertGreater(largest, self.budget(operation) - 1e-6)
        self.assertEqual(self.gate(*reports, policy=self.lowered()),
                         {(operation, "fp32", "det", "max_ulp") for operation in operations})


if __name__ == "__main__":
    unittest.main()
