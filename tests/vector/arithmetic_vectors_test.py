"""The vectors of dyadic and scaled operations, every element again by integers and fractions
alone (arithmetic.py and arithmetic_rows.py have the formulas), and with the program: det passes them, and a changed
result is found. Environment: DETCHECK is the program; EXHAUSTIVE: every test, of which the default run computes a
part again."""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "detmath"))
import arithmetic  # noqa: E402
import arithmetic_rows as rows_of  # noqa: E402

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "vectors"))
import make  # noqa: E402
import reader  # noqa: E402

PROGRAM = os.environ["DETCHECK"]
FILES = ("dyadic.json", "dyadic-wide.json", "dyadic-stochastic.json", "dyadic-equal.json", "scaled.json", "scaled-power.json", "scaled-matmul.json",
         "scaled-convert.json", "scaled-squares.json", "scaled-softmax.json", "scaled-gelu.json")
ROUNDINGS = {"nearest-even": arithmetic.NEAREST_EVEN, "down": arithmetic.DOWN}
WORD = (1 << 32) - 1
STEP = 1 if os.environ.get("EXHAUSTIVE") else 5
INFINITIES = (None, arithmetic.INF, -arithmetic.INF)


made = tempfile.TemporaryDirectory(prefix="detcheck-test-")  # FILES, as make.py makes them


def setUpModule():
    make.make(PROGRAM, made.name, FILES)


def tearDownModule():
    made.cleanup()


def read(name):
    with open(os.path.join(made.name, name), encoding="ascii") as stream:
        return json.load(stream)


def tests_of(file):
    """[(group, test)], of the default run a part."""
    return [(group, test) for group in read(file)["testGroups"] for test in group["tests"]][::STEP]


def random_bits(seed, index):
    """64 bits of Philox4x32-10, its counter the index and its key the seed."""
    x, key = [index & WORD, index >> 32, 0, 0], [seed & WORD, seed >> 32]
    for _ in range(10):
        a, b = x[0] * 0xd2511f53, x[2] * 0xcd9e8d57
        x = [b >> 32 ^ x[1] ^ key[0], b & WORD, a >> 32 ^ x[3] ^ key[1], a & WORD]
        key = [(key[0] + 0x9e3779b9) & WORD, (key[1] + 0xbb67ae85) & WORD]
    return x[1] << 32 | x[0]


def dyadic_results(group, test):
    """[mantissas, [scale]] as texts."""
    given, name = group["parameters"], group["operation"].removeprefix("dyadic.")
    operands = [[int(text) for text in operand] for operand in test["in"]]
    stochastic = "stochastic" in given
    rounding = arithmetic.STOCHASTIC if stochastic else ROUNDINGS[group["rounding"]]
    shift = given.get("p" if name == "div" else "q", 0)
    mantissas, scales = [], set()
    for index, x in enumerate(operands[0]):
        y = operands[1][index] if len(operands) > 1 else 0
        random = random_bits(given["stochastic"], index) if stochastic else 0
        v, s, status = arithmetic.dyadic(
            name, x, given["s1"], y, given.get("s2", 0), given.get("target", 0), shift, given.get("bits", 8),
            not given.get("unsigned"), int(given["accumulator"]), ("wrap", "saturate").index(given["on-overflow"]),
            rounding, ("coarser", "finer").index(given.get("align", "coarser")), random)
        assert status == 0, (group, test, index)
        mantissas.append(str(v))
        scales.add(str(s))
    return [mantissas, sorted(scales)]


def scale_of(text):
    """The bits of the fp32 factor, and the exponent."""
    return (int(text, 16), 0) if text.startswith("0x") else (0x3f800000, int(text))


def scale_text(m, e, power):
    return str(e) if power else f"0x{arithmetic.encode(m, m < 0, 'fp32'):08x}"


def softmax_results(group, test):
    """softmax, row by row; as scaled_results."""
    columns, per_row = group["parameters"]["shape"][-1], group["parameters"]["per"] == "row"
    data, scales = [], {}
    for row in range(len(test["in"][0]) // columns):
        codes = [int(text, 16) for text in test["in"][0][row * columns:(row + 1) * columns]]
        found, scale = rows_of.softmax(group["format"], codes, *scale_of(test["in"][1][row if per_row else 0]))
        data += found
        scales[row] = f"0x{scale:08x}"
    return data, scales


def scaled_results(group, test):
    """[data as codes, scales as texts], None where arithmetic.py leaves an element to others."""
    given, form, name = group["parameters"], group["format"], group["operation"].removeprefix("scaled.")
    power, per_row = given["scale"] == "power", given["per"] == "row"
    rows, *inner, columns = given["shape"]
    operands, data, scales = test["in"], [], {}
    for row in range(rows):
        a = operands[1][row if per_row else 0]
        found = []
        for column in range(columns):
            if inner:
                left = [int(text, 16) for text in operands[0][row * inner[0]:(row + 1) * inner[0]]]
                right = [int(text, 16) for text in operands[2][column::columns]]
                b = operands[3][column if per_row else 0]
                answer = rows_of.matmul(form, left, right, scale_of(a), scale_of(b), given["static"], power)
                if answer is not None:
                    scales[row * columns + column if per_row else 0] = scale_text(*answer[1:], power)
            else:
                at = row * columns + column
                b = operands[3][row if per_row else 0] if len(operands) == 4 else a
                y = operands[2][at] if len(operands) == 4 else "0x0"
                answer = (rows_of.gelu(form, int(operands[0][at], 16), *scale_of(a)) if name == "gelu" else
                          arithmetic.scaled("relu" if name == "reduce_max" else name, form,
                                            int(operands[0][at], 16), int(y, 16), 0, *scale_of(a), *scale_of(b),
                                            power))
                if answer is not None:
                    scales[row if per_row else 0] = scale_text(*answer[1:], power)
            found.append(answer and answer[0])
        if name == "reduce_max":
            codes = [int(text, 16) for text in operands[0][row * columns:(row + 1) * columns]]
            found = [rows_of.largest(form, codes, *scale_of(a))]
        data += found
    return data, scales


def convert_results(group, test):
    """cast and rebalance, a scale for each row; as scaled_results."""
    given, form = group["parameters"], group["format"]
    rows, columns = given["shape"]
    data, scales = [], {}
    for row in range(rows):
        text = test["in"][1][row]
        am, _ = arithmetic.real(*scale_of(text))
        x = [arithmetic.decode(int(each, 16), form)[0] for each in test["in"][0][row * columns:(row + 1) * columns]]
        scales[row] = text
        if any(value in INFINITIES for value in x):
            del scales[row]
            data += [None] * columns
            continue
        if group["operation"] == "scaled.rebalance":
            find = rows_of.least_exponent if given["by"] == "maximum" else rows_of.squares_exponent
            n = find(x, given["to"])
            m = arithmetic.rounded_scale(arithmetic.times_power(abs(am), n), 0, False)[0] if am else Fraction(1)
            x = [value * abs(am) / m for value in x]
            scales[row] = scale_text(-m if am < 0 else m, 0, False)
        data += [arithmetic.encode(value, value < 0, given["to"]) for value in x]
    return data, scales


class Vectors(unittest.TestCase):
    def test_dyadic_results_are_those_of_integers(self):
        checked = 0
        for file in FILES[:4]:
            for group, test in tests_of(file):
                with self.subTest(file=file, test=test["tcId"]):
                    self.assertEqual(test["out"], dyadic_results(group, test))
                    checked += len(test["out"][0])
        self.assertGreater(checked, 1000 // STEP)

    def test_scaled_results_are_those_of_fractions(self):
        checked = left = 0
        for file in FILES[4:]:
            for group, test in tests_of(file):
                name = group["operation"]
                results = (convert_results if name in ("scaled.cast", "scaled.rebalance") else
                           softmax_results if name == "scaled.softmax" else scaled_results)
                sign = 1 << sum(arithmetic.FORMATS[group["parameters"].get("to", group["format"])][:2])
                with self.subTest(file=file, operation=group["operation"], test=test["tcId"]):
                    data, scales = results(group, test)
                    self.assertEqual(len(data), len(test["out"][0]))
                    for want, text in zip(data, test["out"][0]):
                        got = int(text, 16)
                        if want is None:
                            left += 1
                        elif want not in (0, sign) or got not in (0, sign):  # signs of zero: not checked
                            self.assertEqual(want, got)
                            checked += 1
                    for index, text in scales.items():
                        self.assertEqual(text, test["out"][1][index])
        self.assertGreater(checked, 1000 // STEP)
        self.assertLess(left, checked / 10)

    def test_det_passes_and_a_changed_result_is_found(self):
        for file in FILES:
            path = os.path.join(made.name, file)
            done = subprocess.run([PROGRAM, "verify", path, "-i", "det"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for result in (0, 1):
                document = copy.deepcopy(read(file))
                out = document["testGroups"][0]["tests"][0]["out"][result]
                out[0] = "0x" + "1" * (len(out[0]) - 2) if out[0].startswith("0x") else str(int(out[0]) ^ 1)
                with tempfile.NamedTemporaryFile("w", suffix=".json") as stream:
                    json.dump(document, stream)
                    stream.flush()
                    done = subprocess.run([PROGRAM, "verify", stream.name, "-i", "det"], capture_output=True,
                                          check=False)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(b"want  ", done.stdout)

    def test_the_committed_tests_are_these(self):
        for file in FILES:
            self.assertEqual(make.digest(os.path.join(made.name, file)), make.digests()[file], file)
            with open(os.path.join(make.SMALL_SET, file.split("-")[0].removesuffix(".json") + ".json"),
                      encoding="ascii") as stream:
                there = [reader.tests_of(group) for group in json.load(stream)["testGroups"]]
            there = {json.dumps({**test, "tcId": 0}) for tests in there for test in tests}
            these = {json.dumps({**test, "tcId": 0}) for group in read(file)["testGroups"] for test in group["tests"]}
            self.assertLessEqual(these, there, file)


class Commands(unittest.TestCase):
    def run_program(self, *words):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_what_is_emitted_is_right_with_other_parameters(self):
        for words in ("dyadic.add dyadic.sub --s1 9 --s2 4 -f int64 --accumulator 64 --align finer",
                      "dyadic.mul -f int64 --accumulator 64 --s1 9 --s2 4 --q 7 --on-overflow saturate",
                      "dyadic.mul dyadic.div -f int32 --s1 9 --q 3 --p 5 --on-overflow saturate",
                      "dyadic.requantise dyadic.gradient -f int16 --s1 5 --s2 3 --bits 5 --unsigned --target 1"):
            code, out, complaint = self.run_program("emit", "--shape", "50", *words.split())
            self.assertEqual((code, complaint), (0, ""))
            for group in json.loads(out)["testGroups"]:
                for test in group["tests"]:
                    self.assertEqual(test["out"], dyadic_results(group, test), words)

    def test_a_shape_is_found(self):
        for name, values in (("scaled.add", "1 2 1 3 4 1"), ("scaled.matmul", "1 2 1 3 4 1"),
                             ("dyadic.add", "1 2 3 4"), ("dyadic.align", "1 2 3")):
            code, out, complaint = self.run_program("eval", name, *values.split(), "--json", "-", "--impl", "det")
            self.assertEqual((code, complaint), (0, ""))
            for result in json.loads(out)["results"]:
                for element in result["elements"]:
                    self.assertEqual(element["want"], element["implementations"][0]["got"])
        document = json.loads(self.run_program("emit", "dyadic.add")[1])
        self.assertEqual([group["parameters"]["shape"] for group in document["testGroups"]], [[256]] * 3)

    def test_bad_input(self):
        for words, said in (("emit dyadic.mul -f int32 --shape 4 --on-overflow report", "overflows"),
                            ("emit dyadic.add -f fp32", "on integers"),
                            ("emit scaled.add -f fp64", "fp32, fp16"),
                            ("emit dyadic.mul --s1 -65535 --q 2", "--q"),
                            ("eval dyadic.div 1 0", "division by zero"),
                            ("eval scaled.add 1 2 1 3 4", "needs 6 values")):
            code, out, complaint = self.run_program(*words.split())
            self.assertEqual((code, out, complaint.count("\n")), (2, "", 1), words)
            self.assertIn(said, complaint)
        good = json.dumps(read("dyadic.json"))
        for bad in ("01", "+1", "-0", "0x1", "1.0", "1e1", "", "128", "9" * 30, "nan"):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as stream:
                stream.write(good.replace('"in": [["0"', f'"in": [["{bad}"', 1))
                stream.flush()
                code, _, complaint = self.run_program("verify", stream.name, "-i", "det")
            self.assertEqual((code, complaint.count("\n")), (2, 1), bad)
            self.assertIn("is not a decimal integer of int8", complaint)


if __name__ == "__main__":
    unittest.main()
