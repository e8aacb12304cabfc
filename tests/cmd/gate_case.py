"""What the tests of detcheck gate share: reports of small formats, made once, and the program's verdicts."""

import copy
import json

from harness import Case, parse


def rule(**members):
    """A policy of one rule."""
    return {"schema": "detcheck/policy/1", "rules": [members]}


class Gate(Case):
    reports = {}

    def report(self, *words):
        """The document of a sweep, made once."""
        if words not in Gate.reports:
            Gate.reports[words] = self.document("sweep", *words)
        return copy.deepcopy(Gate.reports[words])

    def setUp(self):
        super().setUp()
        self.document_ = self.report("exp", "sin", "sqrt", "--format", "fp16", "--impl", "libm,det,cr")
        self.write("report.json", self.document_)

    def write(self, name, document):
        return self.file(name, json.dumps(document))

    def one(self, operation, name, document=None):
        entry, = (entry for entry in (document or self.document_)["results"]
                  if entry["operation"] == operation)
        found, = (one for one in entry["implementations"] if one["name"] == name)
        return found

    def gate(self, *words, code, report="report.json", **options):
        done = self.run_program("gate", report, *words, **options)
        self.assertEqual(done.returncode, code, (done.stdout + done.stderr).decode())
        return done.stdout.decode()

    def checks(self, *words, code, **options):
        document = parse(self.gate(*words, "--json", "-", code=code, **options))
        self.assertEqual(document["schema"], "detcheck/gate/1")
        self.assertEqual(document["passed"], code == 0)
        return document["checks"]

    def failed(self, *words, **options):
        return {(check["operation"], check["implementation"], check["check"])
                for check in self.checks(*words, code=1, **options) if check["status"] == "failed"}
