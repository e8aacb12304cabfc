"""Vectors, read without the program: they follow the schema, and what can be computed here by other means is
right. Then, with the program: det and cr return what the files say, and make.py makes them again, those of the full
set with the digests that are committed.

Environment: DETCHECK is the program; MAKE=all: the full set is made and read; by default few of its files are made,
and the small part that is committed is read, of which a twelfth is held against the schema and a
fourth is computed again.
"""

import fnmatch
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import reader
import reader_cast

try:
    import mpmath
except ImportError:
    mpmath = None

PROGRAM = os.environ["DETCHECK"]
VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors")
sys.path.insert(0, VECTORS)
sys.dont_write_bytecode = True
import make  # noqa: E402

MOST_BYTES, MOST_COMMITTED = 1 << 20, 4_850_000
# Files of the full set that are made by default: those without a search of 2^32 inputs. Of some files of `small` they are
# all that these have a part of.
FEW = ["cast/fp8_e8m0fnu.ieee.json", "cast/fp8_e4m3fn.ieee.json", "cast/fp6_e2m3fn.ml_dtypes.json",
       "cast/fp8_e5m2.ml_dtypes.json", "cast/fp8_e4m3fn.ocp-unsaturated.json", "cast/fp8_e5m2.ocp-unsaturated.json",
       "fp16/exp.json", "bf16/sincos.json", "fp64/fma.json", "fp64/log.json", "fp32/atan2.json", "fp8/tanh.json",
       "fp8/fmod.json", "fp8/erf.json", "fp8/erfc.json", "fp8/erfcx.json", "fp8/erfinv.json", "mx/mxint8.ocp.json",
       "mx/dequantise.fp32.json", "mx/dequantise.bf16.json", "arrays-narrow.json", "matmul.json"]
ALL = os.environ.get("MAKE", "few") == "all"
made = tempfile.TemporaryDirectory(prefix="detcheck-test-")  # what make.py makes of the full set
FOLDER = made.name if ALL else make.SMALL_SET
# By the file of `small` that has a part of a file.
FLOAT_ARRAYS = ("arrays.json",)
VALUES_ELSEWHERE = ("kernels.json", "requantise.json", "decimal.json", "mx.json", "p3109.json")  # other tests have the values of these
SPECIAL = (*VALUES_ELSEWHERE, "dyadic.json", "scaled.json", "mx/*", "cast/*", "onnx.json", *FLOAT_ARRAYS)


def setUpModule():
    make.make(PROGRAM, made.name, [] if ALL else FEW)


def tearDownModule():
    made.cleanup()


PLAN = make.full_set(PROGRAM)


def matches(name, patterns):
    home = PLAN[name].home if ALL else name
    return any(fnmatch.fnmatch(home, pattern) for pattern in patterns)


def paths(wanted):
    return [os.path.join(FOLDER, name) for name in sorted(make.digests() if ALL else make.files_in(FOLDER)) if wanted(name)]


CASTS = paths(lambda name: name.startswith("cast/"))
BLOCKS = paths(lambda name: name.startswith("mx/"))  # mx_reference.py has their values
ARRAYS = paths(lambda name: matches(name, FLOAT_ARRAYS))
BY_THE_PROGRAM = paths(lambda name: matches(name, VALUES_ELSEWHERE))
FILES = paths(lambda name: not matches(name, SPECIAL))
# Of the files and of their tests a part, in the default run.
SOME = FILES if ALL else FILES[::8]
SOME_CASTS = CASTS if ALL else CASTS[::8]
STEP, CAST_STEP = (1, 1) if ALL else (4, 8)
# What else emit writes: casts by random bits, arrays, integers, scaled arrays.
OTHERS = (("cast", "--to", "fp8_e4m3", "-r", "stochastic", "-n", "5"), ("sum", "-n", "1"),
          ("softmax", "--shape", "2x3"), ("matmul", "--shape", "2x3x2"), ("dyadic.mul", "-f", "int32", "--shape", "3"),
          ("scaled.add", "--shape", "2x3"), ("scaled.softmax", "--shape", "2x3"))


def name_of(path):
    return os.path.relpath(path, FOLDER)


def groups_of(path):
    """With the tests of tables among them."""
    return [{**group, "tests": reader.tests_of(group)} for group in reader.load(path)["testGroups"]]


def path_of(folder, operation):
    """The file that has a function's tests."""
    return os.path.join(FOLDER, f"{folder}/{operation}.json" if ALL else PLAN[f"{folder}/{operation}.json"].home)


def group_of(folder, operation):
    group, = (group for group in groups_of(path_of(folder, operation)) if group["operation"] == operation)
    return group


def without_numbers(group):
    """A group as JSON without what tells its tests' places in a file."""
    bare = {**group.get("table", {}), "tests": [{**test, "tcId": 0} for test in group.get("tests", ())], "tcId": 0}
    return json.dumps([{**group, "tests": 0, "table": 0}, bare], sort_keys=True)


class Structure(unittest.TestCase):
    def test_every_operation_has_vectors_in_every_format_or_a_reason(self):
        """A new row of the table of operations or formats is noticed here: it belongs among the files of make.py, or
        among its exceptions."""
        def names(what):
            done = subprocess.run([PROGRAM, "list", what, "--json", "-"], stdout=subprocess.PIPE, check=True)
            found = [row["name"] for row in json.loads(done.stdout)[what]]
            left_out = {pattern for pattern in make.WITHOUT for one in found if fnmatch.fnmatch(one, pattern)}
            self.assertEqual(left_out, set(make.WITHOUT) if what == "operations" else set())
            return [one for one in found if not any(fnmatch.fnmatch(one, pattern) for pattern in make.WITHOUT)]

        there = {(operation, one) for file in PLAN.values() for operation in file.operations for one in file.formats}
        self.assertEqual({operation for operation, _ in there}, set(names("operations")))
        computed = {"dyadic": ("int8", "int16", "int32", "int64"), "scaled": ("fp32", "fp16", "bf16", *make.FLOAT8),
                    "dyadic.from_real": names("formats"), "requantise": ("int32",), "from_decimal": ("uint8",),
                    "mx.quantise": make.SOURCES, "mx.dequantise": make.ELEMENTS, "mx.matmul": make.ELEMENTS,
                    "onnx.quantise": (*make.SOURCES, "int32"), "onnx.dequantise": (*make.QUANTISED, "int32")}
        needed = set()
        for operation in names("operations"):
            kind = make.category(operation)
            for one in computed.get(operation, computed.get(operation.split(".")[0], names("formats"))):
                reasons = {row for row in make.EXCEPTIONS if fnmatch.fnmatch(kind, row[0]) and
                           any(fnmatch.fnmatch(one, pattern) for pattern in row[1].split())}
                self.assertTrue((operation, one) in there or reasons, (operation, one))
                needed |= reasons if (operation, one) not in there else set()
        self.assertEqual(needed, set(make.EXCEPTIONS))

    def test_the_digests_name_the_full_set(self):
        self.assertEqual(set(make.digests()), set(PLAN))
        self.assertLessEqual(set(make.files_in(make.SMALL_SET)), {file.home for file in PLAN.values()})

    def test_the_index_has_the_files_of_every_operation(self):
        found = {}
        for name in make.files_in(make.SMALL_SET):
            for group in reader.load(os.path.join(make.SMALL_SET, name))["testGroups"]:
                found.setdefault(group["operation"], set()).add(name)
        self.assertEqual({name: sorted(files) for name, files in found.items()}, reader.load(make.INDEX))
        self.assertEqual(set(found), set(make.operations(PROGRAM)))

    def test_files_are_small(self):
        for path in FILES + CASTS + BLOCKS:
            self.assertLess(os.path.getsize(path), MOST_BYTES, path)
        committed = [os.path.join(place, name) for place, _, names in os.walk(VECTORS) for name in names
                     if not place.endswith("__pycache__")]
        self.assertLess(sum(map(os.path.getsize, committed)), MOST_COMMITTED)

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
        good = json.dumps(reader.load(os.path.join(made.name, "fp8", "tanh.json")))
        table = json.dumps(reader.load(os.path.join(make.SMALL_SET, PLAN["fp8/tanh.json"].home)))
        array = json.dumps(reader.load(os.path.join(make.SMALL_SET, "arrays.json")))
        for text, before, after in ((table, '"table": {', '"tests": [], "table": {'), (table, '"out": ["', '"out": [" '),
                                    (table, '"out": ["', '"out": ["0x'), (table, '"out": [', '"output": ['),
                                    (table, '"det": ["', '"det": ["g'), (table, '"table": {"tcId": 1', '"table": {"tcId": 0'),
                                    (table, '"table": {"tcId": 1,', '"table": {'), (table, '"table"', '"tables"'),
                                    (array, '"in": ["', '"in": [" '), (array, '"in": ["', '"in": ["0x12 ')):
            self.assertIn(before, text)
            self.assertNotEqual(reader.violations(json.loads(text.replace(before, after, 1)), schema), [], after)
        for before, after in (('"schema": "detcheck/vectors/1"', '"schema": "detcheck/vectors/2"'),
                              ('"tcId": 1,', '"tcId": 0,'), ('"tcId": 1,', '"tcId": "1",'),
                              ('"flags": [', '"flags": ["odd", '), ('"in": ["0x', '"in": ["0X'),
                              ('"out"', '"output"'), ('"rounding": "nearest-even"', '"rounding": "up?"'),
                              ('"notes": {', '"notes": {"x": 1, '), ('"generator": ', '"maker": ')):
            self.assertIn(before, good)
            self.assertNotEqual(reader.violations(json.loads(good.replace(before, after, 1)), schema), [],
                                after)

    def test_what_a_schema_cannot_say(self):
        for path in SOME:
            with self.subTest(file=name_of(path)):
                tests = [test for group in groups_of(path) for test in group["tests"]]
                self.assertEqual(reader.load(path)["numberOfTests"], len(tests))
                self.assertEqual(len({test["tcId"] for test in tests}), len(tests))
                for group in groups_of(path):
                    self.check_group(group, path)

    def check_group(self, group, path):
        layout = reader.LAYOUTS[group["format"]]
        self.assertEqual(group["expect"], "correctly_rounded")
        name = f"{os.path.dirname(name_of(path))}/{group['operation']}.json"
        self.assertEqual({"det" in test for test in group["tests"]}, {"both" in PLAN[name].words})
        self.assertEqual(name_of(path), name if ALL else PLAN[name].home)
        seen = set()
        for test in group["tests"]:
            outputs = test["out"] + test.get("det", [])
            for bits in test["in"] + outputs:
                self.assertEqual(len(bits), 2 + layout.width // 4)
            for bits in outputs:
                code = int(bits, 16)
                self.assertTrue(not layout.is_nan(code) or code == layout.nan, test)
            self.assertEqual("distance" in test, "hard" in test["flags"])
            self.assertNotIn(tuple(test["in"]), seen)
            seen.add(tuple(test["in"]))
            self.assertIn(len(test.get("det", test["out"])), (len(test["out"]),))
        if layout.width == 8 and len(group["tests"][0]["in"]) == 1:
            self.assertEqual(len(seen), 256)


class Values(unittest.TestCase):
    """Every correctly rounded output that this file can work out: exactly for the algebraic functions, by
    decimal arithmetic of 60 digits for the others that Python has."""

    def check(self, operation):
        tested = 0
        for path in sorted({path_of(folder, operation) for folder, _, _ in make.FUNCTIONS}):
            for group in groups_of(path):
                if group["operation"] != operation:
                    continue
                layout = reader.LAYOUTS[group["format"]]
                for test in group["tests"][::STEP]:
                    inputs = [int(bits, 16) for bits in test["in"]]
                    want = reader.expected(operation, layout, inputs)
                    if want is None:
                        continue
                    tested += 1
                    self.assertEqual([f"0x{code:0{layout.width // 4}x}" for code in want], test["out"],
                                     (group["format"], test))
        self.assertGreater(tested, 400 // STEP, operation)

    def test_outputs_of_algebraic_functions_are_those_of_fractions(self):
        for operation in ("sqrt", "recip", "cbrt", "rsqrt", "hypot"):
            with self.subTest(operation=operation):
                self.check(operation)

    def test_exponential_and_logarithm(self):
        for operation in ("exp", "log", "log10", "sigmoid"):
            with self.subTest(operation=operation):
                self.check(operation)

    def test_no_input_of_sqrt_is_harder_than_the_hard_ones(self):
        """Of sqrt, exactly: no other input of fp16 lies nearer."""
        group = group_of("fp16", "sqrt")
        layout = reader.LAYOUTS["fp16"]
        hard = [test for test in group["tests"] if "hard" in test["flags"]]
        nearest = sorted(reader.sqrt_distance(layout, code) for code in range(1, layout.infinity))
        for test in hard:
            distance = reader.sqrt_distance(layout, int(test["in"][0], 16))
            self.assertAlmostEqual(distance, test["distance"], delta=1e-15)
        self.assertAlmostEqual(max(test["distance"] for test in hard), nearest[len(hard) - 1], delta=1e-15)


@unittest.skipUnless(mpmath, "Python has no mpmath: apt-get install python3-mpmath")
class Hard(unittest.TestCase):
    """The hard inputs that searches found, of fp64 and of pairs of fp32, and the published pairs of fp64, by mpmath: the
    outputs, and how near they lie."""

    FUNCTIONS = "exp exp2 expm1 log log2 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf sigmoid"
    PAIRS = "pow powr pown rootn compoundn atan2 atan2pi hypot logaddexp"
    FORMATS = {"fp64": (struct.Struct(">d"), 53, -1022), "fp32": (struct.Struct(">f"), 24, -126)}

    @staticmethod
    def exact(name, x):
        other = {"exp2": lambda: mpmath.power(2, x), "log2": lambda: mpmath.log(x, 2), "log1p": lambda: mpmath.log(1 + x),
                 "sigmoid": lambda: 1 / (1 + mpmath.exp(-x)), "cbrt": lambda: mpmath.sign(x) * mpmath.cbrt(abs(x))}
        return other.get(name, lambda: getattr(mpmath, name)(x))()

    @staticmethod
    def exact_of_pair(name, x, y):
        power = lambda base: mpmath.exp(y * mpmath.log(abs(base))) * (mpmath.sign(base) if y % 2 == 1 else 1)
        found = {"compoundn": lambda: power(1 + x), "atan2": lambda: mpmath.atan2(x, y),
                 "rootn": lambda: mpmath.sign(x) * mpmath.exp(mpmath.log(abs(x)) / y),
                 "atan2pi": lambda: mpmath.atan2(x, y) / mpmath.pi, "hypot": lambda: mpmath.sqrt(x * x + y * y),
                 "logaddexp": lambda: max(x, y) + mpmath.log(1 + mpmath.exp(-abs(x - y)))}
        return found.get(name, lambda: power(x))()

    def check(self, form, name, exact_of):
        number, precision, least = self.FORMATS[form]
        group = group_of(form, name)
        hard = [test for test in group["tests"] if "hard" in test["flags"]]
        self.assertGreaterEqual(len(hard), 12)
        self.assertLess(min(test["distance"] for test in hard), 1e-6)
        for test in hard:
            *operands, output = (number.unpack(bytes.fromhex(code[2:]))[0] for code in (*test["in"], test["out"][0]))
            with mpmath.workprec(320), self.subTest(function=name, operands=operands):
                exact = exact_of(name, *map(mpmath.mpf, operands))
                # Of the binade of the exact result, which may not be that of the output.
                ulp = mpmath.ldexp(1, max(mpmath.frexp(exact)[1] - 1, least) - precision + 1)
                off = abs(exact - mpmath.mpf(output)) / ulp
                if test["distance"]:  # else a tie, such as that of (1 + x)^1
                    self.assertLess(off, 0.5)
                self.assertAlmostEqual(float(0.5 - off), test["distance"], delta=1e-9 * test["distance"] + 2.0 ** (precision - 118))

    def test_outputs_and_distances(self):
        for name in self.FUNCTIONS.split()[::STEP]:
            self.check("fp64", name, self.exact)

    def test_outputs_and_distances_of_pairs(self):
        for name in self.PAIRS.split()[::STEP]:
            self.check("fp32", name, self.exact_of_pair)
        for name in make.hard_inputs(make.PUBLISHED["fp64"]):
            self.check("fp64", name, self.exact_of_pair)


class Published(unittest.TestCase):
    """Pairs that others found."""
    def test_they_are_among_the_hard_ones(self):
        for form, path in make.PUBLISHED.items():
            for name, lines in make.hard_inputs(path).items():
                group = group_of(form, name)
                hard = {" ".join(test["in"]): test["distance"] for test in group["tests"] if "hard" in test["flags"]}
                for line in lines:
                    self.assertLess(hard.get(line, 1), 1e-12, (form, name, line))

    def test_cr_has_all_the_pairs(self):
        """What it does not have is passed over where all files are verified."""
        for name in make.HARD_PAIRS:
            done = subprocess.run([PROGRAM, "verify", path_of("fp32", name), "--operation", name, "--impl", "cr", "--expect",
                                   "correctly_rounded"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)


class Casts(unittest.TestCase):
    """Every output, by the list of the target's numbers."""

    @staticmethod
    def groups():
        """{(target, profile): its groups}."""
        found = {}
        for group in (group for path in CASTS for group in groups_of(path)):
            found.setdefault((group["parameters"]["to"], group["parameters"]["profile"]), []).append(group)
        return found

    def test_there_are_all_targets_and_profiles(self):
        pairs, targets = set(self.groups()), set(reader_cast.TARGETS)
        self.assertEqual(len(pairs), 65)
        self.assertEqual({target for target, _ in pairs}, targets)
        self.assertEqual({profile for _, profile in pairs}, set(reader_cast.ENDS))
        for profile in ("ieee", "saturate", "ml_dtypes"):
            lacks = {"fp16"} if profile == "ml_dtypes" else set()  # numpy's own
            self.assertEqual({target for target, one in pairs if one == profile}, targets - lacks)

    def test_outputs_of_casts_are_those_of_fractions(self):
        for (target, profile), groups in sorted(self.groups().items())[::CAST_STEP]:
            with self.subTest(target=target, profile=profile):
                wide = ["fp64"] if target in reader_cast.WIDE else []
                self.assertEqual([group["format"] for group in groups], [*wide, "fp32", "fp16", "bf16"])
                for group in groups:
                    self.check_group(group, target, profile)

    def check_group(self, group, target, profile):
        to = reader_cast.TARGETS[target]
        self.assertEqual((group["operation"], group["rounding"], group["parameters"]),
                         ("cast", reader_cast.rounding(to, profile), {"to": target, "profile": profile}))
        source = reader.LAYOUTS[group["format"]]
        self.assertEqual(len({test["in"][0] for test in group["tests"]}), len(group["tests"]))
        for test in group["tests"]:
            want = reader_cast.cast(source, to, profile, int(test["in"][0], 16))
            self.assertEqual(int(test["out"][0], 16), want, (group["format"], test))

    def test_every_boundary_is_there_with_what_lies_next_to_it(self):
        """Of fp8_e4m3fn from fp32: the middle of every two numbers, and the numbers of fp32 beside it."""
        group = reader.load(os.path.join(made.name, "cast", "fp8_e4m3fn.ieee.json"))["testGroups"][0]
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
        for name, expect, files, fewest in (("det", "det", FILES + ARRAYS, 15000), ("cr", "correctly_rounded", FILES + CASTS + BY_THE_PROGRAM, 25000)):
            total = 0
            for first in range(0, len(files), 200):
                done = subprocess.run([PROGRAM, "verify", *files[first:first + 200], "--impl", name, "--expect", expect,
                                       *(["--skip-missing"] if name == "cr" else [])],  # which has no fp64 and no fma
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout[-2000:].decode())
                total += int(re.search(rb"^([\d,]+) tests", done.stdout, re.MULTILINE)[1].replace(b",", b""))
            self.assertGreater(total, fewest)

    def test_det_casts_as_the_files_say(self):
        done = subprocess.run([PROGRAM, "verify", *CASTS, *BLOCKS, "--impl", "det"], stdout=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:].decode())

    def test_a_wrong_cast_is_found(self):
        with open(os.path.join(made.name, "cast", "fp8_e5m2.ml_dtypes.json"), encoding="ascii") as stream:
            text = stream.read()
        for before, after in (('["0x7fc00000"], "out": ["0x7e"]', '["0x7fc00000"], "out": ["0xfe"]'),
                              ('["0x3f800000"], "out": ["0x3c"]', '["0x3f800000"], "out": ["0x3d"]')):
            self.assertEqual(text.count(before), 1)
            done = subprocess.run([PROGRAM, "verify", "-", "--impl", "det"], stdout=subprocess.PIPE,
                                  input=text.replace(before, after).encode(), check=False)
            self.assertEqual(done.returncode, 1, done.stdout[-2000:].decode())
            self.assertIn(b"1 of ", done.stdout)

    def test_what_is_made_has_the_digests(self):
        names = make.files_in(made.name)
        self.assertEqual(names, sorted(make.digests() if ALL else FEW))
        for name in names:
            self.assertEqual(make.digest(os.path.join(made.name, name)), make.digests()[name], name)

    def test_a_changed_bit_changes_the_digest(self):
        path = os.path.join(made.name, "fp16", "exp.json")
        with open(path, encoding="ascii") as stream:
            text = stream.read()
        with tempfile.TemporaryDirectory() as folder:
            for before, after in (('"oracle": "mpfr ', '"oracle": "mpfr 9.'), ('"out": ["0x3c00"]', '"out": ["0x3c01"]')):
                self.assertIn(before, text)
                copy = os.path.join(folder, "x")
                make.write(copy, text.replace(before, after, 1))
                self.assertEqual(make.digest(copy) == make.digest(path), "oracle" in before)

    def test_the_committed_part_is_what_is_made(self):
        names, whole = make.files_in(made.name), set()
        for name in names:
            with open(os.path.join(made.name, name), encoding="ascii") as stream:
                _, groups = make.small(name, stream.read())
            path = os.path.join(make.SMALL_SET, PLAN[name].home)
            there = {without_numbers(group) for group in reader.load(path)["testGroups"]} if os.path.exists(path) else set()
            self.assertLessEqual({without_numbers(group) for group in groups}, there, name)
            if {other for other in PLAN if PLAN[other].home == PLAN[name].home} <= set(names):
                whole.add(PLAN[name].home)
        self.assertLessEqual({"cast/ocp-unsaturated.json", "fp8/error_function.json", "mx/dequantise.json"}, whole)
        texts = make.small_files(PROGRAM, made.name, [name for name in names if PLAN[name].home in whole])
        self.assertEqual(set(texts), whole)
        for home, text in texts.items():
            path = os.path.join(make.SMALL_SET, home)
            if text is None:  # nothing of it is kept
                self.assertFalse(os.path.exists(path), home)
                continue
            with open(path, encoding="ascii") as stream:
                self.assertEqual(self.content(text), self.content(stream.read()), home)

    def test_every_committed_test_is_of_the_full_set(self):
        """By what each file is made of: none is left from what the plan no longer has."""
        for name in make.files_in(make.SMALL_SET):
            of_home = [file for file in PLAN.values() if file.home == name]
            for group in reader.load(os.path.join(make.SMALL_SET, name))["testGroups"]:
                self.assertTrue(any(group["operation"] in file.operations and group["format"] in file.formats
                                    for file in of_home), (name, group["operation"], group["format"]))

    @staticmethod
    def content(text):
        """All but the version of MPFR."""
        return re.sub(r'"oracle": "mpfr [^"]*"', '"oracle": "mpfr"', text, count=1)


if __name__ == "__main__":
    unittest.main()
