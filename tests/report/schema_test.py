"""Reports and gate documents against their JSON Schemas, which are installed beside the vectors.

Documents of every kind that the program writes must be valid, and stop being so when any member is
taken away, renamed, or given a value of another type. Needs Python's jsonschema."""

import copy
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cmd"))
from harness import FAULTY_LIBM, Case, faulty, parse  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors")

# May be absent, each where detcheck-report(7) and detcheck-gate(1) say.
OPTIONAL = {"covered", "seed", "ranges", "reason", "command", "build", "identity", "percentiles"}
# Objects whose members are not fixed: parameters of operations, and kinds of events.
OPEN = {"parameters", "event_counts"}


def objects(value, path=()):
    """(path, object) of every object in a document."""
    if isinstance(value, dict):
        yield path, value
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from objects(item, path + (key,))


def shortened(document):
    """One row of each kind of a table is enough."""
    for _, value in objects(document):
        for name, item in value.items():
            if isinstance(item, list) and name not in ("results", "implementations", "differences"):
                value[name] = item[:1]
    return document


@unittest.skipUnless(jsonschema, "Python's jsonschema is not installed")
class Schemas(Case):
    @classmethod
    def setUpClass(cls):
        cls.validators = {}
        for name in ("report", "gate"):
            with open(os.path.join(SCHEMAS, f"{name}.schema.json"), encoding="utf-8") as stream:
                schema = json.load(stream)
            jsonschema.Draft7Validator.check_schema(schema)
            cls.validators[name] = jsonschema.Draft7Validator(schema)

    def check(self, document, name="report"):
        for error in self.validators[name].iter_errors(document):
            self.fail(f"{list(error.path)}: {error.message[:300]}")
        return document

    def sweep(self, *words, **options):
        return self.document("sweep", *words, **options)

    def test_reports_of_every_kind_are_valid(self):
        self.file("inputs", "0.5\n1\nnan\n")
        for words in (("unary", "-f", "fp8_e5m2,fp8_e4m3fnuz", "-r", "up,nearest-away"),
                      ("sincos", "exp", "-f", "fp16", "--impl", "libm,det,cr"),
                      ("pow", "fma", "-n", "200", "--seed", "7", "--strict-nan"),
                      ("exp", "--range", "0x3f800000:0x3f900000"), ("tgamma", "--special"),
                      ("log", "--inputs", "inputs"), ("exp", "-f", "fp64", "-n", 300),
                      ("cast", "-f", "fp16", "--to", "fp8_e4m3fn", "--profile", "onnx-19"),
                      ("cast", "-f", "fp8_e5m2", "--to", "fp4_e2m1fn", "-r", "stochastic"),
                      ("arrays", "--shape", "4x6x5", "--distribution", "special"),
                      ("softmax", "--shape", "4x6", "--axis", "0", "--dtype", "fp16"),
                      ("scaled", "-f", "fp8_e4m3fn", "--shape", "4x4x4", "--distribution", "near",
                       "--to", "fp8_e5m2"),
                      ("dyadic.requantise", "--shape", "9", "--s1", 3, "--target", 1, "--unsigned")):
            with self.subTest(sweep=words):
                self.check(self.sweep(*words, notes=True))

    def test_reports_of_searches_are_valid(self):
        for words in (("acosh",), ("pow", "-f", "fp32", "--for", "boundary")):
            with self.subTest(search=words):
                self.check(self.document("search", *words, "--evaluations", 70000))

    @unittest.skipUnless(FAULTY_LIBM, "no library can be preloaded here")
    def test_a_report_with_events_fits_the_schema(self):
        report = self.check(self.sweep("exp", "--range", "1:1", env=faulty(at=0x3f800000, mode="up"),
                                       code=1))
        self.assertTrue(report["results"][0]["implementations"][0]["events"])

    def test_merged_reports_are_valid(self):
        for name, text in (("a", "0x0:0x7fff"), ("b", "0x8000:0xffff")):
            self.succeed("sweep", "exp", "-f", "fp16", "--range", text, "--json", f"{name}.json")
        merged = self.check(parse(self.succeed("merge", "a.json", "b.json")))
        self.assertIsNone(merged["results"][0]["implementations"][0]["fingerprint"])

    def gate(self, *words):
        self.succeed("sweep", "exp", "sum", "-f", "fp16", "--shape", 8, "--distribution", "normal",
                     "--json", "report.json", notes=True)
        done = self.run_program("gate", "report.json", *words, "--json", "-")
        return self.check(parse(done.stdout.decode()), "gate")

    def test_verdicts_of_the_gate_are_valid(self):
        self.assertTrue(self.gate("--max-ulp", "1e6")["passed"])
        self.assertFalse(self.gate("--max-ulp", "0", "--require-correct")["passed"])
        self.file("policy.json", json.dumps({
            "schema": "detcheck/policy/1", "rules": [{"max_ulp": 0}],
            "exceptions": [{"reason": "all of it"}]}))
        self.assertTrue(self.gate("--policy", "policy.json", "--baseline", "report.json")["passed"])

    def broken(self, document, optional):
        """(what was done, document) with one thing wrong, for every member there is."""
        for path, value in objects(document):
            for name, item in value.items():
                changes = [(name, "taken away", None)] if name not in optional else []
                other = {"another": "type"} if not isinstance(item, dict) else "text"
                changes.append((name, "given another type", other))
                if path and path[-1] in OPEN and name != "strict_nan":
                    del changes[0:len(changes) - 1]
                for member, what, instead in changes:
                    yield (*path, member), what, instead
            if not path or path[-1] not in OPEN:
                yield (*path, "misspelt"), "added", 1

    def refuse_broken(self, document, name, optional=frozenset()):
        count = 0
        for path, what, instead in self.broken(document, OPTIONAL | optional):
            changed = copy.deepcopy(document)
            place = changed
            for step in path[:-1]:
                place = place[step]
            if what == "taken away":
                del place[path[-1]]
            else:
                place[path[-1]] = instead
            self.assertFalse(self.validators[name].is_valid(changed), f"{path} {what}")
            count += 1
        return count

    def test_broken_reports_are_not(self):
        number = shortened(self.sweep("pow", "--impl", "libm,det,hardware", "-f",
                                      "fp8_e5m2", "--range", "0x30:0x40", "--range", "0x0:0xff"))
        array = shortened(self.sweep("sum", "--shape", "4x8", "--axis", 1, "--distribution", "normal"))
        self.assertGreater(self.refuse_broken(number, "report") + self.refuse_broken(array, "report"), 400)

    def test_wrong_values_are_not(self):
        good = self.sweep("exp", "-f", "fp8_e5m2", "--impl", "libm")
        result = good["results"][0]
        one = result["implementations"][0]
        for place, member, value in (
                (good, "schema", "detcheck/report/2"), (one, "tested", -1), (one, "tested", 1.5),
                (one["max_ulp"], "error", -0.5), (one["max_ulp"], "got", "3c"),
                (one["max_ulp"], "got", "0x3C"), (one, "fingerprint", "xxh3-128:12"),
                (one, "error_sum", "0x00"), (one, "event_counts", {"mishap": 1}),
                (result["inputs"], "kind", "some"), (one, "provided", False),
                (result["parameters"], "to", ""), (good["run"], "date", "yesterday"),
                (good["run"], "threads", 0), (one, "worst", 11 * [one["max_ulp"]])):
            old = place[member] if member in place else None
            place[member] = value
            self.assertFalse(self.validators["report"].is_valid(good), (member, value))
            place[member] = old
            if old is None:
                del place[member]
        self.check(good)

    def test_broken_verdicts_are_not(self):
        verdict = self.gate("--max-ulp", "0")
        verdict["checks"] = verdict["checks"][:2]
        self.assertGreater(self.refuse_broken(verdict, "gate", {"at", "got", "want"}), 40)
        verdict["checks"][0]["status"] = "fine"
        self.assertFalse(self.validators["gate"].is_valid(verdict))


if __name__ == "__main__":
    unittest.main()
