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
import reader_cast

PROGRAM = os.environ["DETCHECK"]
VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors")
CASTS = sorted(glob.glob(os.path.join(VECTORS, "cast", "*.json")))
BLOCKS = sorted(glob.glob(os.path.join(VECTORS, "mx", "*.json")))  # mx_reference.py has their values
FILES = sorted(set(glob.glob(os.path.join(VECTORS, "*", "*.json"))) - set(CASTS) - set(BLOCKS))
MOST_BYTES = 1 << 20
# Files that are made again by default: those without a search of 2^32 inputs.
FEW = ["cast/fp8_e8m0fnu.ieee.json", "cast/fp6_e2m3fn.ml_dtypes.json", "fp16/exp.json", "fp16/exp.det.json", "bf16/sincos.json",
       "fp8/tanh.json", "mx/mxint8.ocp.json"]
ALL = os.environ.get("MAKE", "few") == "all"
# Of the files every fourth, in the default run.
SOME = FILES if ALL else FILES[::4]
SOME_CASTS = CASTS if ALL else CASTS[::4]
# What else emit writes: casts by random bits, arrays, integers, scaled arrays.
OTHERS = (("cast", "--to", "fp8_e4m3", "-r", "stochastic", "-n", "5"), ("sum", "-n", "1"),
          ("softmax", "--shape", "2x3"), ("matmul", "--shape", "2x3x2"), ("dyadic.mul", "-f", "int32", "--shape", "3"),
          ("scaled.add", "--shape", "2x3"), ("scaled.softmax", "--shape", "2x3"))


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
        for path in FILES + CASTS + BLOCKS:
            self.assertLess(os.path.getsize(path), MOST_BYTES, path)

    def test_files_follow_the_schema(self):
        with open(os.path.join(VECTORS, "detcheck-vectors.schema.json"), encoding="ascii") as stream:
            schema = json.load(stream)
        for path in SOME + SOME_CASTS + BLOCKS[::4]:
            with self.subTest(file=name_of(path)):
                self.assertEqual(reader.violations(reader.load(path), schema), [])
        for words in OTHERS:
            with self.subTest(words=words):
                done = subprocess.run([PROGRAM, "emit", *words], stdout=subprocess.PIPE, check=True)
                document = json.loads(done.stdout)
                self.assertEqual(reader.violations(document, schema), [])
                nested = isinstance(document["testGroups"][0]["tests"][0]["in"][0], list)
                self.assertEqual(nested, words[0] != "cast")

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


class Casts(unittest.TestCase):
    """Every output, by the list of the target's numbers."""

    def test_there_is_a_file_for_each_target_and_profile(self):
        names = {os.path.basename(path) for path in CASTS}
        targets = set(reader_cast.TARGETS)
        self.assertEqual(len(names), 65)
        self.assertEqual({name.split(".")[0] for name in names}, targets)
        self.assertEqual({name.split(".")[1] for name in names}, set(reader_cast.ENDS))
        for profile in ("ieee", "saturate", "ml_dtypes"):
            lacks = {"fp16"} if profile == "ml_dtypes" else set()  # numpy's own
            self.assertEqual({name.split(".")[0] for name in names if f".{profile}." in name}, targets - lacks)

    def test_outputs(self):
        for path in CASTS:
            with self.subTest(file=name_of(path)):
                groups = reader.load(path)["testGroups"]
                wide = ["fp64"] if os.path.basename(path).split(".")[0] in reader_cast.WIDE else []
                self.assertEqual([group["format"] for group in groups], [*wide, "fp32", "fp16", "bf16"])
                for group in groups:
                    self.check_group(group, *os.path.basename(path).split(".")[:2])

    def check_group(self, group, target, profile):
        self.assertEqual((group["operation"], group["rounding"], group["parameters"]),
                         ("cast", "nearest-even", {"to": target, "profile": profile}))
        source = reader.LAYOUTS[group["format"]]
        self.assertEqual(len({test["in"][0] for test in group["tests"]}), len(group["tests"]))
        for test in group["tests"]:
            want = reader_cast.cast(source, reader_cast.TARGETS[target], profile, int(test["in"][0], 16))
            self.assertEqual(int(test["out"][0], 16), want, (group["format"], test))

    def test_every_boundary_is_there_with_what_lies_next_to_it(self):
        """Of fp8_e4m3fn from fp32: the middle of every two numbers, and the numbers of fp32 beside it."""
        group = reader.load(os.path.join(VECTORS, "cast", "fp8_e4m3fn.ieee.json"))["testGroups"][0]
        source, numbers = reader.LAYOUTS["fp32"], reader_cast.TARGETS["fp8_e4m3fn"].numbers
        flags = {int(test["in"][0], 16): test["flags"] for test in group["tests"]}
        for low, high in zip(numbers, numbers[1:]):
            middle = source.round_one((low + high) / 2, False)
            for sign in (0, source.sign):
                self.assertIn("boundary", flags[middle | sign])
                for code in (middle - 1, middle + 1):
                    self.assertIn("hard", flags[code | sign])
        self.assertEqual(len(numbers), 128)


class Program(unittest.TestCase):
    def test_det_and_cr_return_what_the_files_say(self):
        for name, expect in (("det", "det"), ("cr", "correctly_rounded")):
            files = [path for path in FILES if path.endswith(".det.json") == (name == "det")]
            files += CASTS if name == "cr" else []
            done = subprocess.run([PROGRAM, "verify", *files, "--impl", name, "--expect", expect],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout[-2000:].decode())
            self.assertNotIn(b" fail", done.stdout)

    def test_det_casts_as_the_files_say(self):
        done = subprocess.run([PROGRAM, "verify", *CASTS, *BLOCKS, "--impl", "det"], stdout=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:].decode())

    def test_a_wrong_cast_is_found(self):
        with open(os.path.join(VECTORS, "cast", "fp8_e5m2.ml_dtypes.json"), encoding="ascii") as stream:
            text = stream.read()
        for before, after in (('["0x7fc00000"], "out": ["0x7e"]', '["0x7fc00000"], "out": ["0xfe"]'),
                              ('["0x3f800000"], "out": ["0x3c"]', '["0x3f800000"], "out": ["0x3d"]')):
            self.assertEqual(text.count(before), 1)
            done = subprocess.run([PROGRAM, "verify", "-", "--impl", "det"], stdout=subprocess.PIPE,
                                  input=text.replace(before, after).encode(), check=False)
            self.assertEqual(done.returncode, 1, done.stdout[-2000:].decode())
            self.assertIn(b"1 of ", done.stdout)

    def test_the_command_makes_them_again(self):
        names = [] if ALL else FEW
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            subprocess.run([sys.executable, os.path.join(VECTORS, "make.py"), PROGRAM, folder, *names],
                           check=True)
            for name in names or map(name_of, FILES + CASTS + BLOCKS):
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
