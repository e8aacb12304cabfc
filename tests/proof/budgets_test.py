"""detmath's budgets by what takes seconds: every input of fp16 and bf16, pairs that are drawn, and the inputs where
det is known to be worst in fp32, from the table of src/detmath/TRIED.md, with which the budgets must agree."""

import math
import os
import re
import unittest

from budgets import Budgets

NARROW = ("--format", "fp16", "--format", "bf16")
PAIRS = ("pow", "powr", "pown", "rootn", "compoundn", "atan2", "atan2pi", "hypot", "logaddexp")


def worst_inputs():
    """{operation: [(largest error as printed, its input)]}; logaddexp has two rows."""
    with open(os.environ["ACCURACY"], encoding="utf-8") as stream:
        rows = re.findall(r"^\| ([\w.]+)[^|]* \| ([\d.]+) at (0x\w+(?:, 0x\w+)?) \|", stream.read(), re.MULTILINE)
    worst = {}
    for name, error, where in rows:
        worst.setdefault(name, []).append((float(error), where.replace(",", "")))
    return worst


class Small(Budgets):
    def provided(self, report):
        return {result["operation"] for result in report["results"]
                if any(one["provided"] for one in result["implementations"])}

    def functions(self):
        return {rule["operation"] for rule in self.policy["rules"] if "operation" in rule}

    def test_every_input_of_the_narrow_formats(self):
        report = self.sweep("unary.json", "unary", *NARROW)
        pairs = self.sweep("pairs.json", *PAIRS, *NARROW, "--samples", 2 ** 17, "--run-length", 2 ** 10)
        self.assertEqual(self.provided(report) | set(PAIRS), self.functions())
        for result in report["results"]:
            for one in result["implementations"]:
                self.assertEqual(one.get("tested", 0), 2 ** 16 if one["provided"] else 0)
        self.assertEqual(self.provided(pairs), set(PAIRS))
        self.assertEqual(self.gate("unary.json", "pairs.json"), set())
        self.check_rules_judge(report, pairs)

    def check_rules_judge(self, *reports):
        """Each rule of a narrow format fails once it allows less than what was found there."""
        found = {(result["operation"], result["format"]): one["max_ulp"]["error"]
                 for report in reports for result in report["results"] for one in result["implementations"]
                 if one["name"] == "det" and one["provided"]}
        self.assertEqual(set(found), {(operation, format) for operation in self.functions() for format in NARROW[1::2]})
        rules = [{**rule, "max_ulp": found[rule["operation"], rule["format"]] - 1e-9}
                 if (rule.get("operation"), rule.get("format")) in found else rule for rule in self.policy["rules"]]
        failed = self.gate("unary.json", "pairs.json", policy={**self.policy, "rules": rules})
        self.assertEqual(failed, {(*where, "det", "max_ulp") for where in found})

    def test_budgets_are_those_of_the_table(self):
        worst = worst_inputs()
        self.assertEqual(set(worst), self.functions())
        for operation, rows in worst.items():
            self.file("inputs", "".join(where + "\n" for _, where in rows))
            report = self.sweep(operation, operation.split(".")[0], "--inputs", "inputs")
            error = self.one(report, operation, "det")["max_ulp"]["error"]
            self.assertAlmostEqual(error, max(rows)[0], delta=1e-6, msg=operation)
            self.assertEqual(math.ceil(error * 1e6) / 1e6, self.budget(operation), operation)
        self.assertEqual(self.gate(*worst), set())
        failed = {check[0] for check in self.gate(*worst, policy=self.lowered()) if check[2:] == ("det", "max_ulp")}
        self.assertEqual(failed, set(worst))


if __name__ == "__main__":
    unittest.main()
