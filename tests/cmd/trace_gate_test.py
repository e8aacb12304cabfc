"""`detcheck gate` on a comparison of two traces: limits by kind of operation, JUnit, SARIF with the line of the program."""

import json
import os
import unittest
import xml.etree.ElementTree

import harness
import trace_files
from trace_files import numpy


class GateTest(harness.Case):
    def setUp(self):
        super().setUp()
        for name, by in (("here", 0), ("there", 3)):
            run, x = trace_files.Run(), numpy.arange(6, dtype="f4")
            for number in range(8):
                y = x + numpy.float32(number)
                if number in (2, 5):
                    y = (y.view("i4") + numpy.where(y > 0, by, 0).astype("i4")).view("f4")
                run.add("mm" if number < 4 else "add", [x, numpy.float32([number])], [y], source=f"model.py:{30 + number}", path=f"p.{number}")
                if number == 2:
                    run.add("neg", [y], [-y])
            run.write(os.path.join(self.path, name))
        self.succeed("trace", "compare", "here", "there", "--json", "c.json", code=1)

    def judged(self, *rules, code=1, **options):
        self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": list(rules)}))
        return self.succeed("gate", "c.json", "--policy", "policy.json", "--json", "gate.json", "--junit", "j.xml", "--sarif", "s.json",
                            code=code, **options)

    def gate(self):
        with open(os.path.join(self.path, "gate.json"), encoding="utf-8") as stream:
            return harness.parse(stream.read())

    def test_each_kind_is_held_against_its_limit(self):
        text = self.judged({"trace": {"parted": 0}})
        checks = self.gate()["checks"]
        self.hold_to_schema(self.gate(), "gate")
        self.assertEqual({one["operation"]: (one["status"], one["allowed"], one["found"]) for one in checks},
                         {"mm": ("failed", "0", "1"), "add": ("failed", "0", "1"), "neg": ("passed", "0", "0")})
        self.assertEqual({one["operation"]: one.get("command") for one in checks if one["status"] == "failed"},
                         {"mm": "detcheck trace show here 2", "add": "detcheck trace show here 6"})
        self.assertIn("FAILED: 2 of 3 checks failed", text)
        tree = xml.etree.ElementTree.parse(os.path.join(self.path, "j.xml"))
        self.assertEqual(sorted(case.get("classname") for case in tree.iter("testcase") if case.find("failure") is not None), ["add", "mm"])
        with open(os.path.join(self.path, "s.json"), encoding="utf-8") as stream:
            results = harness.parse(stream.read())["runs"][0]["results"]
        places = [one["locations"][0]["physicalLocation"] for one in results]
        self.assertEqual(sorted((place["artifactLocation"]["uri"], place["region"]["startLine"]) for place in places),
                         [("model.py", 32), ("model.py", 35)])

    def test_the_more_specific_rule_holds(self):
        self.judged({"trace": {"parted": 0}}, {"operation": "mm", "trace": {"parted": 1}})
        self.assertEqual([one["operation"] for one in self.gate()["checks"] if one["status"] == "failed"], ["add"])
        self.judged({"trace": {"parted": 1, "largest": 3, "followed": 1, "alone": 0}}, code=0)
        self.judged({"operation": "mm", "trace": {"largest": 2}})

    def test_what_is_undecided_passes_no_limit_of_what_parted(self):
        """Inputs from outside that differ, and an operation that one side alone has."""
        for name, shift in (("here", 0), ("there", 1)):
            run, x = trace_files.Run(), numpy.arange(6, dtype="f4")
            run.add("mm", [x + shift], [x * 2 + shift])
            if shift:
                run.add("neg", [x], [-x])
            run.write(os.path.join(self.path, name))
        self.succeed("trace", "compare", "here", "there", "--json", "c.json", code=1)
        self.judged({"trace": {"parted": 0}})
        self.assertEqual({(one["operation"], one["found"]) for one in self.gate()["checks"] if one["status"] == "failed"}, {("mm", "1"), ("neg", "1")})
        self.judged({"trace": {"parted": 0, "other_inputs": 1}})
        self.assertEqual([one["operation"] for one in self.gate()["checks"] if one["status"] == "failed"], ["neg"])
        self.judged({"trace": {"parted": 0, "other_inputs": 1, "alone": 1}}, code=0)

    def test_an_exception_excuses_a_kind(self):
        self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"trace": {"parted": 0}}],
                                             "exceptions": [{"operation": "*", "reason": "known"}]}))
        self.succeed("gate", "c.json", "--policy", "policy.json")

    def test_what_limits_nothing_is_refused(self):
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"trace": {"parts": 0}}]}))
        self.assertIn("trace", self.refuse("gate", "c.json", "--policy", "p.json"))
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"trace": {}}]}))
        self.assertIn("limits nothing", self.refuse("gate", "c.json", "--policy", "p.json"))
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"operation": "bmm", "trace": {"parted": 0}}]}))
        self.assertIn("matches nothing", self.refuse("gate", "c.json", "--policy", "p.json"))
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1}]}))
        self.assertIn("no limit is about anything", self.refuse("gate", "c.json", "--policy", "p.json"))
        self.assertIn("not against a baseline", self.refuse("gate", "c.json", "--baseline", "c.json"))
        self.assertIn("takes no comparison", self.refuse("gate", "c.json", "--update", "u.json"))

    def test_a_comparison_of_nothing_is_refused(self):
        with open(os.path.join(self.path, "c.json"), encoding="utf-8") as stream:
            document = json.load(stream)
        document["verdicts"] = {"not compared": document["pairs"]}
        self.file("c.json", json.dumps(document))
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"trace": {"parted": 0}}]}))
        self.assertIn("compared nothing", self.refuse("gate", "c.json", "--policy", "p.json"))


if __name__ == "__main__":
    unittest.main()
