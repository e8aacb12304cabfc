"""Every number and every truth value of a result, as the schema of reports has them: a baseline compares it, which is tried by
making it alone worse, or there is a reason here why not. A new member is in neither list, and fails."""

import copy
import json
import os
import re
import unittest

from gate_case import Gate, rule
from harness import parse

SCHEMA = os.path.join(os.path.dirname(__file__), "..", "..", "vectors", "report.schema.json")
FEW = ("-f", "fp16", "--range", "1:1.0625")
DOCUMENTS = {
    "sweep": ("sweep", "exp", *FEW, "--impl", "libm,det", "--flags", "--errno", "--policy", "policy.json"),
    "measured": ("sweep", "sin", *FEW, "--impl", "libm", "--show", "all"),
    "samples": ("sweep", "exp", "-f", "fp16", "-n", 20, "--impl", "libm"),
    "integers": ("sweep", "scalbn", "-f", "fp16", "-n", 20, "--impl", "libm"),
    "value": ("sweep", "dyadic.mul", "-f", "int32", "--shape", 5, "-n", 2, "--impl", "det"),
    "blocks": ("sweep", "mx.quantise", "--shape", 32, "-n", 2, "--impl", "det"),
    "texts": ("sweep", "from_decimal", "--shape", "4x40", "-n", 2, "--impl", "libm"),
    "search": ("search", "exp", "-f", "fp64", "--evaluations", 1000, "--impl", "libm"),
    "difference": ("search", "pow", "-f", "fp32", "--evaluations", 1000, "--impl", "libm,det", "--for", "difference"),
    "invariance": ("invariance", "sum", "--shape", 64, "-n", 2, "--impl", "det", "--property", "batch,threads,processor", "--sizes", "2,3"),
    "explanation": ("explain", "tgamma", "-f", "fp32", "--range", "0x40400000:0x4040000f", "--impl", "libm", "--impl", "det"),
}
ONE = "implementations[]."
PAIR = {"input": "0x3c00", "got": "0x3c00", "other": {"input": "0x3c01", "got": "0x3c01"}}
LENGTH = {"input": {"shape": [4, 40], "draw": 0, "element": 1}, "got": 3, "want": 4}
FEWER = {"tested": -1, "correctly_rounded": -1, "faithful": -1, "judged_in_ulps": -1}

# Member: the report that has it, the check that fails, and what makes it worse: places of the implementation (of the result
# where they begin with a stroke) and by how much, or to what.
MEASURED = {
    "differences[].count": ("sweep", "differences.det", {"/differences.0.count": 1}),
    "differences[].by_binade[].count": ("sweep", "differences.det.by_binade", {"/differences.0.by_binade.0.count": 1}),
    "inputs.search.parts[].best[].difference": ("difference", "search.difference.det", {"/inputs.search.parts.0.best.0.difference": 1}),
    ONE + "absolute_error.infinite": ("measured", "max_mean_absolute_error", {"absolute_error.infinite": 1}),
    ONE + "absolute_error.max.error": ("measured", "max_absolute_error", {"absolute_error.max.error": 1}),
    ONE + "absolute_error.mean": ("measured", "max_mean_absolute_error", {"absolute_error.sum": "0x1" + 320 * "0"}),
    ONE + "by_binade[].incorrect": ("sweep", "by_binade.incorrect", {"by_binade.0.incorrect": 1}),
    ONE + "by_binade[].max_ulp": ("sweep", "by_binade.max_ulp", {"by_binade.0.max_ulp": "largest"}),
    ONE + "envelope.incorrect[]": ("sweep", "envelope.incorrect", {"envelope.incorrect.3": 1}),
    ONE + "envelope.largest[]": ("sweep", "envelope.largest", {"envelope.largest.5": 2}),
    ONE + "envelope.least[]": ("sweep", "envelope.least", {"envelope.least.1": -2}),
    ONE + "envelope.tested[]": ("samples", "envelope.tested", {"envelope.tested.0": -1}),
    ONE + "errno.calls": ("sweep", "errno", {"errno.calls": -1}),
    ONE + "errno.faults[].count": ("sweep", "errno.spurious.ERANGE", {"errno.faults.0.count": 1}),
    ONE + "errno.faulty": ("sweep", "errno.faulty", {"errno.faulty": 1}),
    ONE + "errno.promised": ("sweep", "errno.promised", {"errno.promised": -1}),
    ONE + "errno.told": ("sweep", "errno", {"errno": {"told": False}}),
    ONE + "event_counts.*": ("sweep", "events.crash", {"event_counts": {"crash": 1}}),
    ONE + "explanation.a.event_counts.*": ("explanation", "explanation.a.events.hang", {"explanation.a.event_counts": {"hang": 1}}),
    ONE + "explanation.b.event_counts.*": ("explanation", "explanation.b.events.hang", {"explanation.b.event_counts": {"hang": 1}}),
    ONE + "explanation.b_correctly_rounded": ("explanation", "explanation.b_incorrect", {"explanation.b_correctly_rounded": -1}),
    ONE + "explanation.blocks_differ": ("explanation", "explanation.blocks_differ", {"explanation.blocks_differ": 1}),
    ONE + "explanation.differ": ("explanation", "max_differences", {"explanation.differ": 1, "explanation.b_correctly_rounded": 1}),
    ONE + "explanation.explanations[].adds": ("explanation", "explanation.planted", {"explanation.explanations.0.adds": 1}),
    ONE + "explanation.tested": ("explanation", "explanation", {"explanation.tested": -1}),
    ONE + "explanation.unanswered": ("explanation", "max_unanswered", {"explanation.unanswered": 1}),
    ONE + "explanation.unexplained": ("explanation", "max_unexplained", {"explanation.unexplained": 1}),
    ONE + "faithful": ("sweep", "max_unfaithful", {"faithful": -1}),
    ONE + "flags.calls": ("sweep", "flags", {"flags.calls": -1}),
    ONE + "flags.faults[].count": ("sweep", "flags.missing.overflow", {"flags.faults.0.count": 1}),
    ONE + "flags.faults[].worst.binades": ("sweep", "flags.missing.overflow.binades", {"flags.faults.0.worst.binades": 1}),
    ONE + "flags.faulty": ("sweep", "flags.faulty", {"flags.faulty": 1}),
    ONE + "flags.promised": ("sweep", "flags.promised", {"flags.promised": -1}),
    ONE + "flags.told": ("sweep", "flags", {"flags": {"told": False}}),
    ONE + "flushed": ("search", "flushed", {"flushed": 1}),
    ONE + "histogram[].count": ("sweep", "histogram", {"histogram.2.count": -1, "histogram.3.count": 1}),
    ONE + "incorrectly_rounded": ("sweep", "max_incorrect", {"incorrectly_rounded": 1, "correctly_rounded": -1}),
    ONE + "invariance[].at_once": ("invariance", "invariance.threads.at_once", {"invariance.1.at_once": -1}),
    ONE + "invariance[].changed": ("invariance", "invariance.batch", {"invariance.0.changed": 1, "invariance.0.first": {
        "input": {"shape": [64], "draw": 0, "element": 0}, "reference": "0x1", "got": "0x2", "where": "there", "command": "detcheck env"}}),
    ONE + "invariance[].first_at_once": ("invariance", "invariance.threads.first_at_once", {"invariance.1.first_at_once": -1}),
    ONE + "invariance[].inputs": ("invariance", "invariance.batch.inputs", {"invariance.0.inputs": -1}),
    ONE + "invariance[].not_asked": ("invariance", "invariance.batch.not_asked", {"invariance.0.not_asked": 1}),
    ONE + "invariance[].sizes[].calls": ("invariance", "invariance.batch.sizes.3", {"invariance.0.sizes.1.calls": -1}),
    ONE + "invariance[].sizes[].size": ("invariance", "invariance.batch.sizes.3", {"invariance.0.sizes.1.size": 1}),
    ONE + "invariance[].tested": ("invariance", "invariance.batch", {"invariance.0": {"property": "batch", "tested": False, "why": "w"}}),
    ONE + "invariance[].unanswered": ("invariance", "invariance.batch.unanswered", {"invariance.0.unanswered": 1}),
    ONE + "invariance[].unrepeatable": ("invariance", "invariance.batch.unrepeatable", {"invariance.0.unrepeatable": 1}),
    ONE + "invariance[].variants[].changed": ("invariance", "invariance.processor.w", {"invariance.2.variants.0.changed": 1}),
    ONE + "invariance[].variants[].tested": ("invariance", "invariance.processor.w", {
        "invariance.2.variants.0": {"variant": "w", "tested": False, "why": "w"}}),
    ONE + "lengths.lines": ("texts", "lengths", {"lengths.lines": -1}),
    ONE + "lengths.wrong": ("texts", "max_wrong_lengths", {"lengths.wrong": 1, "lengths.first": LENGTH}),
    ONE + "limits[].kept": ("sweep", "limits.max_incorrect", {"limits.0.kept": -1}),
    ONE + "max_ulp.error": ("sweep", "max_ulp", {"max_ulp.error": 2.0 ** -30}),
    ONE + "max_ulp_else.error": ("search", "max_ulp_else", {"max_ulp_else.error": 2.0 ** -30}),
    ONE + "mean_ulp": ("sweep", "max_mean_ulp", {"mean_ulp": 2.0 ** -10}),
    ONE + "monotony.wrong": ("measured", "max_wrong_way", {"monotony.wrong": 1, "monotony.first": PAIR}),
    ONE + "nan_bits_differ": ("sweep", "max_nan_bits", {"nan_bits_differ": 1}),
    ONE + "nan_mismatches": ("sweep", "max_nan_mismatches", {"nan_mismatches": 1, "correctly_rounded": -1}),
    ONE + "not_called": ("integers", "tested", {"not_called": 1, **FEWER, "histogram.0.count": -1}),
    ONE + "over_1_ulp": ("sweep", "max_over_1_ulp", {"over_1_ulp": 1}),
    ONE + "promise.accepted": ("sweep", "promise.accepted", {"promise.accepted": 1, "promise.kept": -1}),
    ONE + "promise.left_out": ("sweep", "promise", {"promise.left_out": 1, "promise.kept": -1}),
    ONE + "promise.violations": ("sweep", "max_violations", {"promise.violations": 1, "promise.kept": -1}),
    ONE + "promise.worst.error": ("sweep", "promise.worst", {"promise.worst.error": 0.25}),
    ONE + "promise.worst.limit": ("sweep", "promise.worst", {"promise.worst.limit": None}),
    ONE + "provided": ("sweep", "tested", {"": {"name": "libm", "detail": "", "provided": False, "reason": "is gone"}}),
    ONE + "relative_error.infinite": ("measured", "max_mean_relative_error", {"relative_error.infinite": 1}),
    ONE + "relative_error.max.error": ("measured", "max_relative_error", {"relative_error.max.error": 1}),
    ONE + "relative_error.mean": ("measured", "max_mean_relative_error", {"relative_error.sum": "0x1" + 32 * "0"}),
    ONE + "saturated": ("blocks", "max_saturated", {"saturated": 1}),
    ONE + "sign_mismatches": ("sweep", "max_sign_mismatches", {"sign_mismatches": 1}),
    ONE + "signalling_nans": ("sweep", "max_signalling_nans", {"signalling_nans": 1}),
    ONE + "symmetry.wrong": ("measured", "max_not_symmetric", {"symmetry.wrong": 1, "symmetry.first": PAIR}),
    ONE + "tested": ("sweep", "tested", {**FEWER, "histogram.2.count": -1, "promise.kept": -1, "unanswered": 1}),
    ONE + "unanswered": ("sweep", "max_unanswered", {**FEWER, "histogram.2.count": -1, "promise.kept": -1, "unanswered": 1}),
    ONE + "value.bias": ("value", "value.bias", {"value.bias": -1}),
    ONE + "value.clipped": ("value", "max_clipped", {"value.clipped": 1}),
    ONE + "value.exact": ("value", "value.exact", {"value.exact": -1}),
    ONE + "value.lost_bits": ("value", "max_lost_bits", {"value.lost_bits": 1}),
    ONE + "value.max.error": ("value", "max_value_error", {"value.max.error": 1}),
    ONE + "value.mean": ("value", "max_mean_value_error", {"value.mean": 1}),
    ONE + "value.overflowed": ("value", "max_overflowed", {"value.overflowed": 1}),
    ONE + "vanished": ("blocks", "max_vanished", {"vanished": 1}),
}

WHICH = "says which inputs these are: with another one it is another case, and the old one is missing"
HOW = "says how the truth was found, and nothing of what was judged"
KEY = "names the part whose figures are compared"
PLACE = "says where something was seen, and the figures beside it are compared"
SUM = "follows from what is compared"
UNCOMPARED = {
    r"by_group": "who named the operation, and nothing that was found",
    r"parameters\..*": WHICH, r"inputs\.(count|integer_operand|run_length|shard\..*)": WHICH,
    r".*\.invariance\[\]\.not_called": "as inputs compared", r".*\.explanation\.not_called": "as explanation.tested",
    r"inputs\.covered": "as tested, unanswered and not_called together",
    r"oracle\.(exact|fast|rechecked)": HOW,
    r".*\.input\.(draw|element|shape\[\])": PLACE,
    r"inputs\.search\.(parts\[\]\.)?(growth\[\]\.)?evaluations": "an effort, which the time may limit; where it is given, the inputs' description has it",
    r"inputs\.search\.parts\[\]\.best\[\]\.error": "as max_ulp.error",
    r"inputs\.search\.parts\[\]\.(best|growth)\[\]\.distance": "is of the operation, not of an implementation",
    r"inputs\.search\.parts\[\]\.growth\[\]\.(difference|error)": "the way to the best, which is compared",
    r"(.*\.)?by_binade\[\]\.exponent|.*histogram\[\]\.up_to_ulp|.*envelope\.(log2_codes|runs\[\]\[\])|.*digests\[\]\.shard": KEY,
    r".*\.correctly_rounded": SUM + ": tested, incorrectly_rounded and nan_mismatches",
    r".*\.judged_in_ulps": SUM + ": tested and the mismatches, of the same inputs",
    r".*\.signalling_mismatches": "are part of nan_mismatches, which are compared",
    r".*_error\.outputs|.*\.(monotony|symmetry)\.pairs": "as judged_in_ulps, of the same inputs", r".*\.undecided": HOW,
    r".*\.percentiles\[\]\..*": SUM + ": the histogram",
    r".*\.promise\.kept": SUM + ": tested, accepted, left_out and violations",
    r".*\.promise\.(rule|max_violations)": "is of the policy; what is promised is compared as a text",
    r".*\.lengths\.first\.(got|want)": "says how a length is wrong; how many are is compared",
    r".*\.value\.scale": "is of the operands alone",
    r".*\.errno\.faults\[\]\.worst\.binades": "is 0: errno has no threshold",
    r".*\.faults\[\]\.first\.binades": "is of the first input with the fault; that of the worst is compared",
    r".*\.limits\[\]\.(allowed|found|rule)": "is of the policy; what was found is compared as a measure",
    r".*\.worst\[\]\.error": "the largest is max_ulp.error, and histogram, by_binade and envelope have the others",
    r".*\.explanation\.a_correctly_rounded": "is of the other implementation",
    r".*\.explanation\.[ab]\.libraries_except": "as explanation.differ",
    r".*\.explanation\.folded\..*": "says which side is wrong; the differences are compared",
    r".*\.explanation\.blocks": WHICH, r".*\.explanation\.equal": SUM + ": differ and unanswered",
    r".*\.explanations\[\]\.(cause|same_as|part_of|of_magnitudes|period)": "says what the cause is; the differences by it are compared",
    r".*\.explanations\[\]\.(explains|predicts_wrongly|tested)": "is of a hypothesis, causes and others; what causes add is compared",
}


def resolve(schema, node):
    while isinstance(node, dict) and "$ref" in node:
        found = schema
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def figures(schema, node, path=""):
    """The paths of all numbers and truth values."""
    node = resolve(schema, node)
    if not isinstance(node, dict):
        return
    types = node.get("type", [])
    constants = [*node.get("enum", []), *([node["const"]] if "const" in node else [])]
    if {"number", "integer", "boolean"} & set([types] if isinstance(types, str) else types) or \
            any(isinstance(each, (bool, int, float)) for each in constants):
        yield path
    for name, inner in node.get("properties", {}).items():
        name = "*" if path.endswith("event_counts") else name  # kinds of events are alike
        yield from figures(schema, inner, f"{path}.{name}" if path else name)
    items = node.get("items", [])
    for inner in items if isinstance(items, list) else [items]:
        yield from figures(schema, inner, path + "[]")
    if isinstance(node.get("additionalProperties"), dict):
        yield from figures(schema, node["additionalProperties"], path + ".*")
    for key in ("anyOf", "oneOf", "allOf"):
        for inner in node.get(key, ()):
            yield from figures(schema, inner, path)


def put(document, path, worse):
    """Makes what stands at the path worse: by a number, or into another value."""
    result = document["results"][0]
    steps = path.removeprefix("/").split(".") if path else []
    node, last = (result["implementations"], 0) if not path else (result if path[0] == "/" else result["implementations"][0], steps[-1])
    for step in steps[:-1]:
        node = node[int(step) if isinstance(node, list) else step]
    last = int(last) if isinstance(node, list) else last
    if worse == "largest":
        node[last] = result["implementations"][0]["max_ulp"]["error"]
    elif isinstance(worse, (int, float)) and not isinstance(worse, bool):
        was = node.get(last, 0) if isinstance(node, dict) else node[last]
        node[last] = not was if isinstance(was, bool) else was + worse
    else:
        node[last] = worse


class Measures(Gate):
    made = {}

    def document_of(self, name):
        """A report as it was before, with something of everything in it."""
        if name in Measures.made:
            return copy.deepcopy(Measures.made[name])
        self.write("policy.json", rule(promise={"ulp": 0.1}, max_incorrect=9))
        done = self.run_program(*DOCUMENTS[name], "--json", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        document = json.loads(done.stdout)
        result = document["results"][0]
        one = result["implementations"][0]
        if name == "sweep":
            one["max_ulp"]["error"] = 1.5  # of an output that the histogram and the binade do not have yet
            one["incorrectly_rounded"] += 9
            one["correctly_rounded"] -= 9
            fault = {"input": "0x3c00", "got": "0x3c00", "seen": "none", "required": "none", "permitted": "none", "binades": 1}
            one["flags"].update(faulty=2, faults=[{"fault": "missing", "flag": "overflow", "count": 2, "first": fault, "worst": fault}])
            one["errno"] = {"told": True, "promised": True, "calls": one["tested"], "faulty": 1, "faults": [
                {"fault": "spurious", "errno": "ERANGE", "count": 1, "first": fault, "worst": fault}]}
            result["differences"][0].update(count=4, by_binade=[{"exponent": 0, "count": 2}])
            self.assertEqual(one["limits"][0]["kept"], True)
        if name == "difference":
            part, = result["inputs"]["search"]["parts"]
            part["best"] = [{"input": ["0x3f800000", "0x3f800001"], "difference": 1}]
        if name == "value":
            one["value"].update(exact=3, bias=-2, mean=2)
            one["value"]["max"]["error"] = 4
        if name == "explanation":
            told = one["explanation"]
            told.update(blocks=1, blocks_differ=0, differ=9, unexplained=0, b_correctly_rounded=4)
            told["explanations"] = [{"hypothesis": "planted", "side": "b", "tested": 9, "explains": 9, "predicts_wrongly": 0,
                                     "verdict": "part", "says": "it is planted", "cause": 1, "adds": 5}]
        if name == "invariance":
            self.assertEqual([each["tested"] for each in one["invariance"][:2]], [True, True])
            one["invariance"][1]["first_at_once"] = 1
            one["invariance"][2] = {"property": "processor", "tested": True, "inputs": 2, "unanswered": 0, "changed": 0, "first": None,
                                    "variants": [{"variant": "w", "tested": True, "changed": 0}]}
        Measures.made[name] = document
        return copy.deepcopy(document)

    def test_every_figure_of_the_schema_is_compared_or_has_a_reason(self):
        with open(SCHEMA, encoding="utf-8") as stream:
            schema = json.load(stream)
        there = set(figures(schema, schema["definitions"]["result"]))
        self.assertGreater(len(there), 150)
        reasons = {path: [pattern for pattern in UNCOMPARED if re.fullmatch(pattern, path)] for path in there}
        self.assertEqual({path for path in there if path not in MEASURED and not reasons[path]}, set(), "forgotten")
        self.assertEqual({path for path in there if path in MEASURED and reasons[path]} - {ONE + "flags.faults[].worst.binades"}, set())
        self.assertEqual(set(MEASURED) - there, set(), "not in the schema")
        self.assertEqual(set(UNCOMPARED) - {one for found in reasons.values() for one in found}, set(), "reasons of nothing")

    def test_each_made_worse_alone_fails_by_name(self):
        for name in DOCUMENTS:
            old = self.document_of(name)
            self.write("old.json", old)
            self.write("now.json", old)
            self.gate("-b", "old.json", code=0, report="now.json")
            for path, (where, check, changes) in MEASURED.items():
                if where != name:
                    continue
                with self.subTest(path=path):
                    now = copy.deepcopy(old)
                    for place, worse in changes.items():
                        put(now, place, worse)
                    self.write("now.json", now)
                    done = self.run_program("gate", "now.json", "-b", "old.json", "--json", "-")
                    self.assertEqual(done.returncode, 1, done.stderr.decode() or done.stdout.decode()[-300:])
                    failed = [each["check"] for each in parse(done.stdout.decode())["checks"] if each["status"] == "failed"]
                    self.assertIn(check, failed)
                    back = self.run_program("gate", "old.json", "-b", "now.json", "--json", "-")
                    self.assertIn(back.returncode, (0, 1), back.stderr)

    def test_the_part_that_got_worst_is_named(self):
        old = self.document_of("sweep")
        now = copy.deepcopy(old)
        put(now, "envelope.largest.5", 400)
        put(now, "envelope.largest.7", 700)
        self.write("old.json", old)
        self.write("now.json", now)
        checks = {each["check"]: each for each in self.checks("-b", "old.json", code=1, report="now.json")
                  if each["implementation"] == "libm"}
        self.assertEqual({name for name, each in checks.items() if each["status"] == "failed"}, {"envelope.largest"})
        self.assertRegex(checks["envelope.largest"]["allowed"], r"^[0-9.]+ from 0x3c05$")
        self.assertRegex(checks["envelope.largest"]["found"], r"^[0-9.]+, and worse in 1 more$")
        rows = self.document("compare", "old.json", "now.json")["comparisons"][0]["measures"]
        self.assertEqual([(row["measure"], row["where"], row["parts"]) for row in rows], [("envelope.largest", "from 0x3c05", 2)])
        self.assertRegex(self.succeed("compare", "-v", "old.json", "now.json"),
                         r"  envelope\.largest from 0x3c05: [0-9.]+ of A, [0-9.]+ of B, and 1 more differ\n")


if __name__ == "__main__":
    unittest.main()
