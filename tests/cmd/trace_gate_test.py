"""`detcheck gate` on a comparison of two traces: limits by kind of operation, JUnit, SARIF with the line of the program."""

import json
import os
import shutil
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
                         {"mm": "detcheck trace compare here there", "add": "detcheck trace compare here there"})
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
        self.assertIn("no limit applies to anything", self.refuse("gate", "c.json", "--policy", "p.json"))
        self.assertIn("takes no comparison", self.refuse("gate", "c.json", "--update", "u.json"))

    def pair(self, *edits, keep=True, more=({}, {}), names="mm add neg exp".split()):
        """Runs of four operations, changed by a function for each side; compared."""
        for side, name in enumerate(("here", "there")):
            run, x = trace_files.Run(keep), numpy.arange(1, 7, dtype="f4")
            for number, operation in enumerate(names):
                x = run.add(operation, [x], [x + numpy.float32(number)], path=f"p.{number}")
            if side < len(edits) and edits[side]:
                edits[side](run)
            shutil.rmtree(os.path.join(self.path, name))
            run.write(os.path.join(self.path, name), **more[side])
        self.run_program("trace", "compare", "here", "there", "--json", "c.json")

    def test_a_run_that_died_passes_no_gate(self):
        """Both may have died at one place: what there is of them is equal."""
        for complete, says in (((True, False), "the run of there, there,"), ((False, True), "the run of here, here,"), ((False, False), "the run of")):
            self.pair(more=[{"complete": one} for one in complete])
            self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"trace": {"parted": 0}}]}))
            complaint = self.refuse("gate", "c.json", "--policy", "p.json")
            self.assertIn(says, complaint)
            self.assertIn("ended early; its missing operations were not compared", complaint)
        self.pair()
        self.succeed("gate", "c.json", "--policy", "p.json")

    def test_distances_that_are_not_known_are_within_no_limit(self):
        def other(run):
            run.operations[1]["outputs"][0]["digest"] = run.operations[2]["inputs"][0]["digest"] = 32 * "1"

        self.pair(None, other, keep=False)
        self.judged({"trace": {"parted": 1, "followed": 1}}, code=0)
        self.judged({"trace": {"parted": 0, "followed": 1}})
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"trace": {"largest": 9}}]}))
        self.assertIn("largest cannot be judged for add: the distance is not known where the sides differ, 1 times",
                      self.refuse("gate", "c.json", "--policy", "p.json"))

    def test_outputs_without_digests_pass_only_where_there_is_nothing_to_compare(self):
        for why, code in (("sparse", 1), ("uninitialised", 0)):
            def leave_out(run, why=why):
                tensor = run.operations[3]["outputs"][0]
                del tensor["digest"], tensor["kept"]
                tensor["left_out"] = why

            self.pair(leave_out, leave_out)
            text = self.judged({"trace": {"parted": 0}}, code=code)
            self.assertEqual([(one["operation"], one["check"], one["found"]) for one in self.gate()["checks"] if one["status"] == "failed"],
                             [("exp", "not_compared", "1")] * code)
            self.assertEqual("not_compared" in text, bool(code), text)
            compared = self.succeed("trace", "compare", "here", "there")
            self.assertIn("1 not compared, as outputs have no digest, or no counterpart" if code else "1 without anything to compare", compared)
        self.pair(leave_out, leave_out)
        self.judged({"trace": {"parted": 0, "not_compared": 0}}, code=0)

    def test_operations_without_a_partner_and_other_models_do_not_pass(self):
        def half(run):
            del run.operations[2:]

        self.pair(None, half)
        for limits in ({"parted": 0}, {"largest": 0}):
            self.judged({"trace": limits})
            self.assertEqual({(one["operation"], one["check"]) for one in self.gate()["checks"] if one["status"] == "failed"},
                             {("neg", "alone"), ("exp", "alone")})

        def another(run):
            run.operations, run.files, run.places = [], {}, {}
            for number in range(3):
                run.add("conv", [numpy.float32([number])], [numpy.float32([number * 7])], path=f"q.{number}")

        self.pair(None, another)
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"trace": {"parted": 0}}]}))
        self.assertIn("compared nothing", self.refuse("gate", "c.json", "--policy", "p.json"))

    def test_a_baseline_allows_what_parted_before(self):
        """More that part, or farther, or a kind that did not before, fails; fewer is better."""
        def off(*places, by=1):
            def edit(run):
                given = numpy.arange(1, 7, dtype="f4")
                run.operations, run.files, run.places = [], {}, {}
                for number, name in enumerate("mm mm add add".split()):
                    y = given + numpy.float32(number)
                    run.add(name, [given + 0], [(y.view("i4") + (by if number in places else 0)).view("f4")], path=f"p.{number}", source="m.py:7")
            return edit

        self.pair(off(), off(1))
        os.rename(os.path.join(self.path, "c.json"), os.path.join(self.path, "before.json"))
        for places, by, failed, better in (((1,), 1, [], []), ((0, 1), 1, ["mm parted"], []), ((1,), 3, ["mm largest"], []),
                                           ((), 1, [], ["mm largest", "mm parted"]), ((1, 3), 1, ["add largest", "add parted"], [])):
            self.pair(off(), off(*places, by=by))
            self.succeed("gate", "c.json", "--baseline", "before.json", "--json", "gate.json", "--sarif", "s.json", code=int(bool(failed)))
            checks = self.gate()["checks"]
            for status, expected in (("failed", failed), ("better", better)):
                self.assertEqual(sorted(f"{one['operation']} {one['check']}" for one in checks if one["status"] == status), expected)
            self.hold_to_schema(self.gate(), "gate")
        command = next(one["command"] for one in checks if one["status"] == "failed")
        self.assertEqual(command, "detcheck trace compare here there")
        self.pair(names=["mm", "conv", "conv", "conv"])
        self.assertIn("no operation is add any more", self.succeed("gate", "c.json", "--baseline", "before.json"))
        self.pair(off(), off(1), keep=False)
        self.assertIn("not known, as tensors were not kept", self.succeed("gate", "c.json", "--baseline", "before.json", code=1))
        os.rename(os.path.join(self.path, "c.json"), os.path.join(self.path, "before.json"))
        self.pair(off(), off(1, by=3))
        self.assertIn("mm: not held against the baseline, which has no largest distance",
                      " ".join(self.succeed("gate", "c.json", "--baseline", "before.json").split()))

    def test_a_baseline_is_of_the_same_kind(self):
        self.succeed("sweep", "exp", "-f", "fp8_e5m2", "--impl", "libm", "--json", "r.json")
        for words in (("c.json", "--baseline", "r.json"), ("r.json", "--baseline", "c.json")):
            self.assertIn("a comparison of traces needs another one as baseline", self.refuse("gate", *words))

    def test_a_comparison_of_nothing_is_refused(self):
        with open(os.path.join(self.path, "c.json"), encoding="utf-8") as stream:
            document = json.load(stream)
        document["verdicts"] = {"not compared": document["pairs"]}
        self.file("c.json", json.dumps(document))
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"trace": {"parted": 0}}]}))
        self.assertIn("compared nothing", self.refuse("gate", "c.json", "--policy", "p.json"))


if __name__ == "__main__":
    unittest.main()
