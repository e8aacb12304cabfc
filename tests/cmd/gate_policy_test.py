"""detcheck gate: policies, which are held against their schema too.

The reports are real ones of small formats, and altered copies of them."""

import copy
import json
import os
import re
import unittest

from gate_case import Gate, rule
from harness import SCHEMAS, parse


class Policies(Gate):
    def policy(self, *rules, exceptions=()):
        document = {"schema": "detcheck/policy/1", "rules": list(rules)}
        if exceptions:
            document["exceptions"] = list(exceptions)
        self.hold_to_schema(document, "policy")
        self.write("policy.json", document)

    def test_numbers_beyond_fp64_are_refused(self):
        """In reports and policies: what is read as infinite could not be written again, as a merge does."""
        self.succeed("sweep", "exp", "-f", "fp8_e5m2", "--impl", "libm", "--json", "r.json")
        with open(os.path.join(self.path, "r.json"), encoding="utf-8") as stream:
            text = stream.read()
        for number in ("1e999", "-1e999", "4.9E071255536"):
            self.file("p.json", '{"schema": "detcheck/policy/1", "rules": [{"max_ulp": %s}]}' % number)
            self.assertIn("a number beyond those of fp64", self.refuse("gate", "r.json", "--policy", "p.json"))
            self.file("bad.json", re.sub(r'"error":\s*[^,}]+', f'"error": {number}', text, count=1))
            self.assertIn("a number beyond those of fp64", self.refuse("merge", "bad.json", "-o", "m.json"))

    def test_the_most_specific_rule_counts(self):
        self.policy({"max_ulp": 0}, {"operation": "*", "format": "binary16", "max_ulp": 0.1},
                    {"implementation": "l?bm", "max_ulp": 1}, {"implementation": "det", "max_ulp": 1},
                    {"operation": "s*", "max_ulp": 0.4}, {"operation": "sqrt", "max_ulp": 1})
        failed = self.failed("--policy", "policy.json")
        self.assertEqual(failed, {("exp", "cr", "max_ulp"), ("sin", "libm", "max_ulp"),
                                  ("sin", "det", "max_ulp"), ("sin", "cr", "max_ulp")})
        sources = {(check["operation"], check["implementation"]): check["source"]
                   for check in self.checks("--policy", "policy.json", code=1) if check["check"] == "max_ulp"}
        self.assertEqual(sources["exp", "cr"], "policy.json, rule 2")
        self.assertEqual(sources["exp", "libm"], "policy.json, rule 3")
        self.assertEqual(sources["sqrt", "det"], "policy.json, rule 6")

    def test_limits_come_from_different_rules(self):
        self.policy({"max_ulp": 0.1, "max_mismatches": 0, "require_correct": True},
                    {"operation": "*", "implementation": "*m", "max_ulp": 1, "require_correct": False},
                    {"implementation": "[dc]*", "max_ulp": 1})
        self.assertIn("rule 3", self.refuse("gate", "report.json", "--policy", "policy.json"))
        self.policy({"max_ulp": 0.1, "max_mismatches": 0, "require_correct": True},
                    {"implementation": "*m", "max_ulp": 1, "require_correct": False})
        failed = self.failed("--policy", "policy.json")
        self.assertNotIn("libm", {impl for _, impl, _ in failed})
        self.assertIn(("sin", "det", "require_correct"), failed)

    def with_flags(self, told=True, **counts):
        """The report with what libm's exp did to flags: missing=3 and so on; errno=2 for its errno."""
        document = copy.deepcopy(self.document_)
        for entry in document["results"]:
            for one in entry["implementations"]:
                here = entry["operation"] == "exp" and one["name"] == "libm"
                faults = [{"fault": fault, "flag": flag, "count": count, "first": {"input": "0x5400"},
                           "worst": {"input": "0x5400"}}
                          for fault, count in counts.items() for flag in ("overflow",) if here and fault != "errno"]
                one["flags"] = {"told": True, "faults": faults} if told else {"told": False}
                one["errno"] = {"told": True, "faults": [
                    {"fault": "missing", "errno": "ERANGE", "count": counts["errno"], "first": {"input": "0x7400"}}]
                    if here and "errno" in counts else []}
        return document

    def test_flags_and_errno_are_limited(self):
        self.write("report.json", self.with_flags(missing=3, spurious=1, errno=2))
        for limit, most, input_ in (("max_missing_flags", 3, "0x5400"), ("max_spurious_flags", 1, "0x5400"),
                                    ("max_wrong_errno", 2, "0x7400")):
            option = "--" + limit.replace("_", "-")
            self.gate(option, most, code=0)
            self.assertEqual(self.failed(option, most - 1), {("exp", "libm", limit)})
            self.policy({limit: most - 1})
            check, = (check for check in self.checks("--policy", "policy.json", code=1) if check["status"] == "failed")
            self.assertEqual((check["found"], check["allowed"]), (str(most), str(most - 1)))
            self.assertTrue(check["command"].startswith(f"detcheck eval exp {input_} "), check["command"])
            self.policy({limit: 0}, exceptions=[{"operation": "exp", limit: most, "reason": "known"}])
            self.gate("--policy", "policy.json", code=0)
        self.gate("--max-cleared-flags", 0, code=0)

    def test_limits_of_flags_that_are_not_told_are_refused(self):
        said = "does not have the flags of libm"
        self.assertIn(said + "; sweep --flags asks for that", self.refuse("gate", "report.json", "--max-spurious-flags", 0))
        self.write("report.json", self.with_flags(told=False))
        self.assertIn(said + ", which did not tell", self.refuse("gate", "report.json", "--max-missing-flags", 0))
        self.gate("--max-wrong-errno", 0, code=0)

    def test_flags_that_a_baseline_has_may_not_get_worse(self):
        self.write("old.json", self.with_flags(missing=3))
        self.write("report.json", self.with_flags(missing=4, spurious=1))
        self.assertEqual(self.failed("--baseline", "old.json"),
                         {("exp", "libm", "flags.missing.overflow"), ("exp", "libm", "flags.spurious.overflow")})
        self.write("old.json", self.document_)
        self.gate("--baseline", "old.json", code=0)
        self.succeed("gate", "report.json", "--update", "policy.json")
        self.gate("--policy", "policy.json", code=0)
        self.write("report.json", self.with_flags(missing=5, spurious=1))
        self.assertEqual(self.failed("--policy", "policy.json"), {("exp", "libm", "max_missing_flags")})

    def test_equally_specific_rules_are_refused(self):
        self.policy({"operation": "s*", "max_ulp": 1}, {"operation": "*n", "max_ulp": 2})
        self.assertIn("rules 1 and 2 are equally specific for sin",
                      self.refuse("gate", "report.json", "--policy", "policy.json"))

    def test_a_rule_that_matches_nothing_is_refused(self):
        self.policy({"max_ulp": 1}, {"operation": "cosh", "max_ulp": 1})
        self.assertIn("rule 2 (cosh, *, *, *) matches nothing",
                      self.refuse("gate", "report.json", "--policy", "policy.json"))
        self.policy({"max_ulp": 1}, exceptions=[{"operation": "cosh", "reason": "why"}])
        self.assertIn("exception 1 (cosh", self.refuse("gate", "report.json", "-p", "policy.json"))

    def test_a_policy_for_more_than_the_report_is_taken_in_part(self):
        unfit = [{"operation": "cosh", "reason": "why"}]
        self.policy({"operation": "sin", "max_ulp": 1}, {"operation": "cosh", "max_ulp": 0}, exceptions=unfit)
        partly = self.checks("--policy", "policy.json", "--partial", code=0)
        self.assertEqual({check["operation"] for check in partly}, {"sin"})
        self.assertNotIn("not needed", self.gate("--policy", "policy.json", "--partial", code=0))
        self.policy({"operation": "sin", "max_ulp": 0.25}, {"operation": "cosh", "max_ulp": 0})
        self.assertEqual({key[0] for key in self.failed("--policy", "policy.json", "--partial")}, {"sin"})
        self.policy({"operation": "cosh", "max_ulp": 1})
        self.assertIn("has no limit for anything that was tested: its first rule is about cosh, *, *, *, and what was tested begins with "
                      "exp, fp16, nearest-even, libm\n", self.refuse("gate", "report.json", "--policy", "policy.json", "--partial"))

    def test_an_exception_takes_the_place_of_the_rule(self):
        worst = self.one("exp", "libm")["max_ulp"]["error"]
        self.policy({"max_ulp": 0.5}, exceptions=[
            {"operation": "exp", "max_ulp": worst, "reason": "widened"},
            {"operation": "s*", "reason": "anything goes"}])
        checks = self.checks("--policy", "policy.json", code=0)
        excused = {check["operation"]: check["reason"] for check in checks
                   if check["status"] == "expected"}
        self.assertEqual(excused, {"exp": "widened", "sin": "anything goes"})
        self.policy({"max_ulp": 0.5}, exceptions=[
            {"operation": "exp", "max_ulp": worst - 1e-9, "reason": "not enough"},
            {"operation": "s*", "reason": "anything goes"}])
        self.assertEqual({key[0] for key in self.failed("--policy", "policy.json")}, {"exp"})
        self.policy({"max_ulp": 1}, exceptions=[{"operation": "exp", "reason": "of old"}])
        self.assertIn("exception 1 is not needed any more (of old)",
                      self.gate("--policy", "policy.json", code=0))

    def test_update_passes_and_a_tightened_limit_fails(self):
        self.succeed("gate", "report.json", "--update", "policy.json")
        self.gate("--policy", "policy.json", code=0)
        with open(os.path.join(self.path, "policy.json"), encoding="utf-8") as stream:
            policy = parse(stream.read())
        self.hold_to_schema(policy, "policy")
        self.assertEqual(len(policy["rules"]), 9)
        for at, entry in enumerate(policy["rules"]):
            tight = copy.deepcopy(policy)
            tight["rules"][at]["max_ulp"] -= 0.001
            self.write("tight.json", tight)
            self.assertEqual(self.failed("--policy", "tight.json"),
                             {(entry["operation"], entry["implementation"], "max_ulp")})
        policy["exceptions"] = [{"operation": "exp", "reason": "kept"}]
        policy["notes"] = "kept too"
        self.write("policy.json", policy)
        self.succeed("gate", "report.json", "--update", "policy.json")
        with open(os.path.join(self.path, "policy.json"), encoding="utf-8") as stream:
            again = parse(stream.read())
        self.assertEqual(again, policy)

    def test_all_of_libm_keeps_today_and_not_a_thousandth_of_an_ulp_less(self):
        """The platform's own functions on every fp16; each limit alone is tightened."""
        report = self.report("unary", "--format", "fp16", "--impl", "libm")
        self.write("report.json", report)
        self.succeed("gate", "report.json", "--update", "policy.json")
        self.gate("--policy", "policy.json", code=0)
        with open(os.path.join(self.path, "policy.json"), encoding="utf-8") as stream:
            policy = parse(stream.read())
        self.assertGreater(sum(entry["max_ulp"] > 0 for entry in policy["rules"]), 25)
        for entry in policy["rules"]:
            self.assertEqual(entry["inputs"], "all 65,536 inputs")
            limit = entry["max_ulp"]
            if limit == 0:
                continue  # floor and others that have no errors
            entry["max_ulp"] = limit - 0.001
            self.write("tight.json", policy)
            self.assertEqual(self.failed("--policy", "tight.json"),
                             {(entry["operation"], "libm", "max_ulp")})
            entry["max_ulp"] = limit

    def test_update_takes_an_empty_file_for_no_policy(self):
        path = self.file("policy.json")
        self.succeed("gate", "report.json", "--update", "policy.json")
        self.gate("--policy", "policy.json", code=0)
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        self.assertEqual(self.succeed("gate", "report.json", "--update", "-"), text)
        self.assertEqual(self.succeed("gate", "report.json", "--update", "/dev/stdout"), text)

    def test_update_writes_nothing_but_the_policy(self):
        for option in ("--junit", "--sarif", "--markdown", "--json"):
            self.assertIn(option, self.refuse("gate", "report.json", "--update", "policy.json", option, "other"))
        self.assertFalse(os.path.exists(os.path.join(self.path, "policy.json")))

    def test_update_overwrites_no_other_file(self):
        self.assertIn("would overwrite", self.refuse("gate", "report.json", "--update", "report.json"))
        self.gate("--max-ulp", 1, code=0)

    def test_fingerprints(self):
        """Of libm other bits are a notice beside a limit; a rule of nothing but the bits means them."""
        for name, status in (("libm", "notice"), ("det", "failed"), ("cr", "failed")):
            for limits, expected in (({"max_ulp": 1}, status), ({}, "failed"), ({"max_events": 80}, "failed"),
                                     ({"max_unanswered": 9, "max_not_called": 9, "require_provided": False}, "failed"),
                                     ({"require_correct": False}, "failed")):
                self.write("policy.json", rule(operation="exp", implementation=name,
                                               fingerprint="xxh3-128:" + 32 * "0", **limits))
                check, = (check for check in self.checks("-p", "policy.json", code=int(expected == "failed"))
                          if check["check"] == "fingerprint")
                self.assertEqual((check["status"], check["found"]), (expected, self.one("exp", name)["fingerprint"]))
            self.write("policy.json", rule(operation="exp", implementation=name, fingerprint="xxh3-128:" + 32 * "0",
                                           fingerprint_change="notice"))
            self.checks("-p", "policy.json", code=0)
            self.write("policy.json", rule(operation="exp", implementation=name,
                                           fingerprint="xxh3-128:" + 32 * "0",
                                           fingerprint_change="fail"))
            self.checks("-p", "policy.json", code=1)

    def test_malformed_policies_are_refused(self):
        good = rule(max_ulp=1)
        for text, says in (
                ("", "is empty"), ("[1]", "the document should be an object"),
                ('{"schema": "detcheck/report/1", "rules": []}', "schema should be"),
                ('{"schema": "detcheck/policy/1"}', "rules is missing"),
                ('{"schema": "detcheck/policy/1", "rules": []}', "rules is empty"),
                (json.dumps(rule(max_ulps=1)), 'did you mean "max_ulp"'),
                (json.dumps(rule(max_ulp=-1)), "rule 1: max_ulp"),
                (json.dumps(rule(max_ulp="1")), "rule 1: max_ulp should be a number"),
                (json.dumps(rule(operation="exp")), "sets no limit"),
                (json.dumps(rule(max_ulp=1, format="e5m")), "rule 1: format"),
                (json.dumps(rule(max_ulp=1, operation="")), "rule 1: operation"),
                (json.dumps(rule(max_incorrect=0.5)), "whole number"),
                (json.dumps(rule(fingerprint_change="maybe")), "fingerprint_change"),
                (json.dumps(rule(fingerprint="abc")), "32 hexadecimal digits"),
                (json.dumps({**good, "exceptions": [{"operation": "exp"}]}), "reason is missing"),
                (json.dumps({**good, "exceptions": [{"reason": ""}]}), "is empty"),
                (json.dumps(good)[:-1], "the file ends here")):
            self.file("policy.json", text)
            self.assertIn(says, self.refuse("gate", "report.json", "--policy", "policy.json"))
            if text and not says.startswith("the file ends") and "format" not in says:
                self.assertFalse(self.follows_schema(json.loads(text), "policy"), text)

    def test_each_limit_is_enough_of_a_rule_and_causes_have_counts(self):
        """The schema and the program say the same of rules with one member, and of each value that a cause may have."""
        with open(os.path.join(SCHEMAS, "policy.schema.json"), encoding="utf-8") as stream:
            members = json.load(stream)["properties"]["rules"]["items"]["properties"]
        selectors = {"operation": "exp", "implementation": "libm", "format": "fp16", "rounding": "up", "inputs": "all", "parameters": {"to": "fp16"},
                     "section": "here", "reason": "so"}
        others = {"promise": {"ulp": 1}, "accept": ["flushed_inputs"], "invariance": {"*": 0}, "explanation": {"*": 0}, "trace": {"parted": 0},
                  "fingerprint": "xxh3-128:" + 32 * "0", "order": 16 * "0", "fingerprint_change": "notice"}
        for name, member in members.items():
            one = rule(**{name: {**selectors, **others}.get(name, True if member.get("type") == "boolean" else 1)})
            self.write("policy.json", one)
            refused = b"sets no limit" in self.run_program("gate", "report.json", "--policy", "policy.json").stderr
            self.assertEqual(refused, name in selectors, name)
            self.assertEqual(self.follows_schema(one, "policy"), not refused, name)
        for value, good in ((0, True), ("any", True), (-1, False), (0.5, False), ("some", False), ({"max_mean_ulp": 1}, False), (None, False)):
            one = rule(explanation={"flush": value})
            self.write("policy.json", one)
            refused = b"rule 1: explanation" in self.run_program("gate", "report.json", "--policy", "policy.json").stderr
            self.assertEqual((refused, self.follows_schema(one, "policy")), (not good, good), value)


class Implied(Gate):
    """A limit on errors is one on what has no error, unless somebody says otherwise."""

    def half_nan(self):
        """exp of libm answers NaN for all negative numbers but -0."""
        one = self.one("exp", "libm")
        one["nan_mismatches"] = 31744
        one["correctly_rounded"] -= 31744
        self.write("report.json", self.document_)

    def test_nan_for_half_of_all_inputs(self):
        self.half_nan()
        limits = ("--max-ulp", 1, "--max-mean-ulp", 1, "--max-incorrect", 1000)
        self.assertEqual(self.failed(*limits), {("exp", "libm", "max_nan_mismatches")})
        self.assertIn("(command line, with max_ulp)", self.gate(*limits, code=1))
        for limit in ("--max-ulp", "--max-mean-ulp", "--max-incorrect"):
            self.assertEqual(self.failed(limit, 1000), {("exp", "libm", "max_nan_mismatches")})
        self.gate(*limits, "--max-mismatches", 31744, code=0)
        for said in ({"max_mismatches": 31744}, {"max_nan_mismatches": 31744}):
            self.write("policy.json", rule(operation="exp", **said))
            self.gate(*limits, "--policy", "policy.json", code=0)
            self.write("policy.json", {**rule(max_ulp=1), "exceptions": [{"operation": "exp", "reason": "known", **said}]})
            self.gate("--policy", "policy.json", code=0)
        self.write("policy.json", rule(operation="exp", max_sign_mismatches=31744))
        self.assertEqual(self.failed(*limits, "--policy", "policy.json"), {("exp", "libm", "max_nan_mismatches")})

    def test_zeros_of_the_wrong_sign(self):
        one = self.one("sin", "det")
        one["sign_mismatches"], one["incorrectly_rounded"] = 2, one["incorrectly_rounded"] + 2
        one["correctly_rounded"] -= 2
        self.write("report.json", self.document_)
        self.assertEqual(self.failed("--max-ulp", 1), {("sin", "det", "max_sign_mismatches")})
        self.gate("--max-ulp", 1, "--max-mismatches", 2, code=0)
        self.gate("--max-missing-flags", 0, code=2) # and no limit on errors brings nothing along

    def test_inputs_without_an_answer(self):
        """18 events may leave 18 inputs unanswered, and not 31,090 of them."""
        entry, = (entry for entry in self.document_["results"] if entry["operation"] == "exp")
        one = self.one("exp", "libm")
        one["events"], one["event_counts"] = [{"kind": "crash", "input": "0x3c00"}], {"crash": 18}
        entry["inputs"]["count"] += 31090
        one["unanswered"] = 31090
        entry["implementations"] = [one]
        self.write("report.json", self.document_)
        for allowed, failed in (({"max_events": 18}, {"max_unanswered"}), ({}, {"max_unanswered", "max_events"}),
                                ({"max_events": 18, "max_unanswered": 31090}, set())):
            self.write("policy.json", {"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1, **allowed}]})
            checks = self.checks("-p", "policy.json", code=int(bool(failed)))
            self.assertEqual({check["check"] for check in checks if check["status"] == "failed"}, failed)

    def test_what_is_not_provided(self):
        self.write("report.json", self.report("exp", "sigmoid", "--format", "fp16", "--impl", "libm,det"))
        self.assertEqual(self.failed("--max-ulp", 1), {("sigmoid", "libm", "require_provided")})
        text = self.gate("--max-ulp", 1, "--junit", "j.xml", code=1)
        self.assertIn("allowed none, found no libm has sigmoid", text)
        with open(os.path.join(self.path, "j.xml"), encoding="utf-8") as stream:
            self.assertIn('failures="1" errors="0" skipped="0"', stream.read())
        self.gate("--max-ulp", 1, "--partial", code=0)
        for waived in ({"require_provided": False}, {"require_provided": False, "operation": "sigmoid"}):
            self.write("policy.json", {"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1}, {"implementation": "libm", **waived}]})
            self.gate("--policy", "policy.json", code=0 if "operation" not in waived else 2)
        self.write("policy.json", {"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1}, {"implementation": "libm", "require_provided": True}]})
        self.gate("--policy", "policy.json", "--partial", code=1)
        self.run_limited("policy.json", 1)
        self.write("policy.json", {"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1, "require_provided": False}]})
        self.run_limited("policy.json", 0)

    def test_what_a_group_brought_in_may_be_lacking(self):
        """A sweep of a group says nothing of what a library has: only a rule that names the operation requires it."""
        results = self.report("unary", "--format", "fp8_e5m2", "--impl", "libm,det")
        self.write("report.json", results)
        results = results["results"]
        lacking = [entry["operation"] for entry in results if not entry["implementations"][0]["provided"]]
        self.assertIn("sigmoid", lacking)
        self.assertTrue(all(entry["by_group"] for entry in results))
        text = self.gate("--max-ulp", 1, code=0)
        self.assertIn(" more not provided", text)
        for more, code in (({"operation": "sigmoid"}, 1), ({"operation": "s*"}, 0), ({"format": "fp8_e5m2"}, 0),
                           ({"operation": "s*", "require_provided": True}, 1)):
            self.write("policy.json", {"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1}, {"max_ulp": 2, **more}]})
            self.gate("--policy", "policy.json", code=code)
        self.write("report.json", self.report("unary", "sigmoid", "--format", "fp8_e5m2", "--impl", "libm"))
        self.assertEqual(self.failed("--max-ulp", 1), {("sigmoid", "libm", "require_provided")})

    def run_limited(self, policy, code):
        """A sweep's own limits know what is not provided, too."""
        done = self.run_program("sweep", "exp", "sigmoid", "--format", "fp16", "--impl", "libm,det", "--policy", policy)
        self.assertEqual(done.returncode, code, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
