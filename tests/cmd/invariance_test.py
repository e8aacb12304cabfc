"""detcheck invariance: properties of place. A library that depends on one thing is found to depend on that, and on
nothing else; det and cr depend on none.

Environment: DETCHECK; DEPENDENT_LIBRARY is dependent_library.c.
"""

import json
import os
import shlex
import unittest

from harness import Case, parse

try:
    import jsonschema
except ImportError:
    jsonschema = None

LIBRARY = os.environ["DEPENDENT_LIBRARY"]
SCHEMA = os.path.join(os.path.dirname(__file__), "..", "..", "vectors", "report.schema.json")
NUMBERS = "position length alignment in-place neighbours scalar-form".split()
ARRAYS = "batch blocking equal-elements thread-count".split()
CALLS = {operation: ("--distribution", "normal", "--shape", shape)
         for operation, shape in (("sum", "37"), ("softmax", "37"), ("matmul", "5x9x4"))}
RANGE = ("--range", "0x3c01:0x3c04")


class Invariance(Case):
    def properties(self, *words, code=0):
        """{implementation: {name: outcome}}, of a document that its schema allows."""
        done = self.run_program("invariance", "--json", "-", *words)
        self.assertEqual(done.returncode, code, done.stderr)
        document = parse(done.stdout.decode())
        if jsonschema:
            with open(SCHEMA, encoding="utf-8") as stream:
                jsonschema.validate(document, json.load(stream))
        result = document["results"][0]
        self.assertIs(result["parameters"]["invariance"], True)
        return {one["name"]: {each["property"]: each for each in one["invariance"]}
                for one in result["implementations"] if one["provided"]}

    def blamed(self, found, names):
        return [name for name in names if found[name].get("changed")]

    def check_numbers(self, symbol, *names):
        implementation = f"lib:{LIBRARY}:{symbol},array"
        found = self.properties("sqrt", "-f", "fp16", *RANGE, "-p", ",".join(NUMBERS), "--impl", implementation)
        self.assertEqual(self.blamed(found[implementation], NUMBERS), [*names], symbol)
        return found[implementation]

    def check_arrays(self, symbol, operation, *names):
        implementation = f"lib:{LIBRARY}:{symbol}"
        found = self.properties(operation, *CALLS[operation], "-p", ",".join(ARRAYS), "--impl", implementation)
        self.assertEqual(self.blamed(found[implementation], ARRAYS), [*names], symbol)
        return found[implementation]

    def test_each_dependence_is_named_and_no_other(self):
        self.assertTrue(all(one["tested"] for one in self.check_numbers("right").values()))
        for symbol, name in [(name.replace("-", "_"), name) for name in NUMBERS] + \
                [("long_length", "length"), ("result_alignment", "alignment"), ("memory", "neighbours")]:
            one = self.check_numbers(symbol, name)[name]
            self.assertEqual((one["inputs"], one["first"]["input"]), (4, "0x3c01"), symbol)
            self.assertNotEqual(one["first"]["reference"], one["first"]["got"])

    def test_each_dependence_of_arrays_is_named_and_no_other(self):
        self.check_arrays("batch", "matmul", "batch")
        self.check_arrays("blocking", "matmul", "blocking")
        self.check_arrays("equal_elements", "softmax", "equal-elements")
        self.check_arrays("thread_count", "sum", "thread-count")

    def test_the_command_shows_the_first_again(self):
        first = self.check_numbers("alignment", "alignment")["alignment"]["first"]
        words = shlex.split(first["command"])
        self.assertEqual(words[:2], ["detcheck", "invariance"])
        found, = self.properties(*words[2:]).values()
        self.assertEqual((found["alignment"]["inputs"], found["alignment"]["first"]), (1, first))

    def test_det_and_cr_depend_on_nothing(self):
        for words in (("exp", "sincos", "-f", "bf16", "--range", "1:1.5"), ("pow", "-n", "50"), ("tanh", "-f", "fp16", "--special")):
            for name, found in self.properties(*words, "--impl", "det,cr", "-p", ",".join(NUMBERS)).items():
                self.assertEqual((name, self.blamed(found, NUMBERS)), (name, []))
                self.assertTrue(found["length"]["tested"])
        for operation in ("sum", "softmax", "matmul"):
            found = self.properties(operation, *CALLS[operation], "--impl", "det,cr", "-p", ",".join(ARRAYS))["det"]
            self.assertEqual(self.blamed(found, ARRAYS), [])

    def test_what_cannot_be_tested_says_why(self):
        found = self.properties("exp", *RANGE, "-f", "fp16", "--impl", "libm,det", "-p", ",".join(NUMBERS))["libm"]
        for name in NUMBERS:
            self.assertFalse(found[name]["tested"])
            self.assertIn("one number at a time", found[name]["why"])
        self.refuse("invariance", "exp", "--impl", "libm", "-p", "position", prints=True)
        self.refuse("invariance", "exp", "-p", "positon")
        self.refuse("invariance", "exp", "-p", "batch")
        self.refuse("invariance", "sum", "-p", "position")

    def test_limits_and_gates(self):
        words = ("sqrt", "-f", "fp16", *RANGE, "-p", "position,length", "--impl", f"lib:{LIBRARY}:position,array")
        self.succeed("invariance", *words, "--max-changed", "4", "--json", self.file("report.json"))
        self.succeed("invariance", *words, "--max-changed", "3", code=1)

        def gate(limits, code):
            policy = self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [limits]}))
            return self.run_program("gate", "report.json", "--policy", policy).returncode == code

        self.assertTrue(gate({"invariance": {"position": 4}}, 0))
        self.assertTrue(gate({"invariance": {"position": 3}}, 1))
        self.assertTrue(gate({"invariance": {"length": 0, "*": 4}}, 0))
        self.assertTrue(gate({"invariance": {"*": 0}}, 1))
        self.assertTrue(gate({"invariance": {"alignment": 0}}, 2))
        self.assertTrue(gate({"invariance": {"positon": 0}}, 2))
        self.assertTrue(gate({"max_ulp": 0}, 2))
        self.assertTrue(gate({"max_changed": 3}, 1))
        self.succeed("report", "report.json", "-o", "page.html")
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            self.assertIn("Inputs whose bits change", stream.read())


if __name__ == "__main__":
    unittest.main()
