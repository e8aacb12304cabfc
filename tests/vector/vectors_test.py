"""The committed vectors, read without the program: they follow the schema, and what can be computed here
by other means is right. Then, with the program: det and cr return what the files say, and the command
that made them makes them again.

Environment: DETCHECK is the program; MAKE=all: all files are read and made again; by default
few are made, and a fourth is held against the schema.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import reader

PROGRAM = os.environ["DETCHECK"]
VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors")
FILES = sorted(glob.glob(os.path.join(VECTORS, "*", "*.json")))
MOST_BYTES = 1 << 20
# Files that are made again by default: those without a search of 2^32 inputs.
FEW = ["fp16/exp.json", "fp16/exp.det.json", "bf16/sincos.json", "fp8/tanh.json"]
ALL = os.environ.get("MAKE", "few") == "all"
# Of the files every fourth, in the default run.
SOME = FILES if ALL else FILES[::4]


def name_of(path):
    return os.path.relpath(path, VECTORS)


class Structure(unittest.TestCase):
    def test_there_is_a_file_for_each_function_and_format(self):
        names = {name_of(path) for path in FILES}
        functions = {re.fullmatch(r"\w+/(\w+)\.json", name)[1] for name in names
                     if not name.endswith(".det.json")}
        self.assertGreaterEqual(len(functions), 32)
        self.assertEqual(names, {f"{folder}/{function}{suffix}.json"
                                 for folder in ("fp32", "fp16", "bf16", "fp8")
                                 for function in functions for suffix in ("", ".det")})

    def test_files_are_small(self):
        for path in FILES:
            self.assertLess(os.path.getsize(path), MOST_BYTES, path)

    def test_files_follow_the_schema(self):
        with open(os.path.join(VECTORS, "detcheck-vectors.schema.json"), encoding="ascii") as stream:
            schema = json.load(stream)
        for path in SOME:
            with self.subTest(file=name_of(path)):
                self.assertEqual(reader.violations(reader.load(path), schema), [])

    def test_the_validator_finds_what_is_wrong(self):
        with open(os.path.join(VECTORS, "detcheck-vectors.schema.json"), encoding="ascii") as stream:
            schema = json.load(stream)
        good = json.dumps(reader.load(FILES[0]))
        for before, after in (('"schema": "detcheck/vectors/1"', '"schema": "detcheck/vectors/2"'),
                              ('"tcId": 1,', '"tcId": 0,'), ('"tcId": 1,', '"tcId": "1",'),
                              ('"flags": ["special"', '"flags": ["odd"'), ('"in": ["0x', '"in": ["0X'),
                              ('"out"', '"output"'), ('"rounding": "nearest-even"', '"rounding": "up?"'),
                              ('"notes": {', '"notes": {"x": 1, '), ('"generator": ', '"maker": ')):
            self.assertIn(before, good)
            self.assertNotEqual(reader.violations(json.loads(good.replace(before, after, 1)), schema), [],
                                after)

    def test_what_a_schema_cannot_say(self):
        for path in SOME:
            with self.subTest(file=name_of(path)):
                document = reader.load(path)
                tests = [test for group in document["testGroups"] for test in group["tests"]]
                self.assertEqual(document["numberOfTests"], len(tests))
                self.assertEqual(len({test["tcId"] for test in tests}), len(tests))
                for group in document["testGroups"]:
                    self.check_group(group, path)

    def check_group(self, group, path):
        layout = reader.LAYOUTS[group["format"]]
        self.assertEqual(group["expect"], "det" if path.endswith(".det.json") else "correctly_rounded")
        self.assertEqual(os.path.basename(path).split(".")[0], group["operation"])
        seen = set()
        for test in group["tests"]:
            for bits in test["in"] + test["out"]:
                self.assertEqual(len(bits), 2 + layout.width // 4)
            for bits in test["out"]:
                code = int(bits, 16)
                self.assertTrue(not layout.is_nan(code) or code == layout.nan, test)
            self.assertEqual("distance" in test, "hard" in test["flags"])
            self.assertNotIn(tuple(test["in"]), seen)
            seen.add(tuple(test["in"]))
        if layout.width == 8 and len(group["tests"][0]["in"]) == 1:
            self.assertEqual(len(seen), 256)


class Values(unittest.TestCase):
    """Every correctly rounded output that this file can work out: exactly for the algebraic functions, by
    decimal arithmetic of 60 digits for the others that Python has."""

    def check(self, operation):
        tested = 0
        for path in FILES:
            if os.path.basename(path) != operation + ".json":
                continue
            for group in reader.load(path)["testGroups"]:
                layout = reader.LAYOUTS[group["format"]]
                for test in group["tests"]:
                    inputs = [int(bits, 16) for bits in test["in"]]
                    want = reader.expected(operation, layout, inputs)
                    if want is None:
                        continue
                    tested += 1
                    self.assertEqual([f"0x{code:0{layout.width // 4}x}" for code in want], test["out"],
                                     (group["format"], test))
        self.assertGreater(tested, 1000, operation)

    def test_algebraic_functions(self):
        for operation in ("sqrt", "recip", "cbrt", "rsqrt", "hypot"):
            with self.subTest(operation=operation):
                self.check(operation)

    def test_exponential_and_logarithm(self):
        for operation in ("exp", "log", "log10", "sigmoid"):
            with self.subTest(operation=operation):
                self.check(operation)

    def test_hard_distances(self):
        """Of sqrt, exactly: no other input of fp16 lies nearer."""
        group, = reader.load(os.path.join(VECTORS, "fp16", "sqrt.json"))["testGroups"]
        layout = reader.LAYOUTS["fp16"]
        hard = [test for test in group["tests"] if "hard" in test["flags"]]
        nearest = sorted(reader.sqrt_distance(layout, code) for code in range(1, layout.infinity))
        for test in hard:
            distance = reader.sqrt_distance(layout, int(test["in"][0], 16))
            self.assertAlmostEqual(distance, test["distance"], delta=1e-15)
        self.assertAlmostEqual(max(test["distance"] for test in hard), nearest[len(hard) - 1], delta=1e-15)


class Program(unittest.TestCase):
    def test_det_and_cr_return_what_the_files_say(self):
        for name, expect in (("det", "det"), ("cr", "correctly_rounded")):
            files = [path for path in FILES if path.endswith(".det.json") == (name == "det")]
            done = subprocess.run([PROGRAM, "verify", *files, "--impl", name, "--expect", expect],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout[-2000:].decode())
            self.assertNotIn(b" fail", done.stdout)

    def test_the_command_makes_them_again(self):
        names = [] if ALL else FEW
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            subprocess.run([sys.executable, os.path.join(VECTORS, "make.py"), PROGRAM, folder, *names],
                           check=True)
            for name in names or map(name_of, FILES):
                with self.subTest(file=name):
                    self.assertEqual(self.content(os.path.join(folder, name)),
                                     self.content(os.path.join(VECTORS, name)))

    @staticmethod
    def content(path):
        """The bytes, but for the version of MPFR."""
        with open(path, encoding="ascii") as stream:
            return re.sub(r'"oracle": "mpfr [^"]*"', '"oracle": "mpfr"', stream.read(), count=1)


if __name__ == "__main__":
    unittest.main()
