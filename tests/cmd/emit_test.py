"""`detcheck emit`: what is in a file of vectors, that it is right, and that it is always the same."""

import collections
import os
import re
import struct
import subprocess
import unittest

import harness
from harness import parse

# With the hardest inputs of fp32, so that they need not be searched for here.
VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors")
EXP = os.path.join(VECTORS, "small", "fp32", "exponential.json")


class Content(harness.Case):
    def emit(self, *words, **options):
        return harness.parse(self.succeed("emit", *words, **options))

    def vectors(self, *words):
        group, = self.emit(*words)["testGroups"]
        return group["tests"]

    def flagged(self, tests, flag):
        return {tuple(test["in"]) for test in tests if flag in test["flags"]}

    def test_both_outputs_stand_in_one_test(self):
        words = ("sincos", "-f", "fp16,bf16", "-n", 30)
        both, rounded, det = (self.emit(*words, "--expect", whose)["testGroups"]
                              for whose in ("both", "correctly_rounded", "det"))
        for group, cr, ours in zip(both, rounded, det):
            self.assertEqual(group["expect"], "correctly_rounded")
            self.assertEqual([test.pop("det") for test in group["tests"]], [test["out"] for test in ours["tests"]])
            self.assertEqual(group, cr)
        self.assertIn("one result", self.refuse("emit", "exp", "-e", "both", "--as", "testfloat"))
        self.assertIn("correctly_rounded, det or both", self.refuse("emit", "exp", "-e", "neither"))

    @staticmethod
    def mutants(form):
        """The comment and the lines of the committed table, by function, and detmath's functions, but those that left-fp64.txt says have no
        lines yet."""
        lines = collections.defaultdict(set)
        with open(os.path.join(VECTORS, f"mutants-{form}.txt"), encoding="ascii") as file:
            comment = file.readline()
            for line in file:
                name, *codes = line.split()
                lines[name].add(tuple(codes))
        suffix = "_F64" if form == "fp64" else ""
        with open(os.path.join(VECTORS, "..", "src", "detmath", f"functions{suffix.lower()}.inc"), encoding="ascii") as file:
            names = re.findall(rf"^DETMATH_(?:UNARY|BINARY|PAIR){suffix}\((\w+),", file.read(), re.MULTILINE)
        left = os.path.join(VECTORS, "..", "tests", "detmath", "mutants", "left-fp64.txt" if suffix else "left.txt")
        with open(left, encoding="ascii") as file:
            missing = re.findall(r"^# Functions without inputs in the table: (.*)$", file.read(), re.MULTILINE)
        return comment, lines, [name for name in names if name not in " ".join(missing).split()]

    def test_vectors_of_det_begin_with_what_finds_wrong_ports(self):
        """All lines of the committed table, of each of det's functions; nothing of them elsewhere."""
        for form in ("fp32", "fp64"):
            comment, lines, names = self.mutants(form)
            self.assertIn("mutants.py", comment)
            self.assertEqual(sorted(lines), sorted(names))
            self.assertLess(max(len(codes) for codes in lines.values()), 2000)
            for expect in ("det", "both"):
                for group in self.emit("exp" if form == "fp64" else "pow", "hypot", "-f", form, "-n", 3, "--expect", expect)["testGroups"]:
                    tests = group["tests"]
                    self.assertEqual(self.flagged(tests, "mutant"), lines[group["operation"]])
                    self.assertEqual([i for i, test in enumerate(tests) if "mutant" in test["flags"]],
                                     list(range(len(lines[group["operation"]]))))
        for words in (("-f", "fp16", "-e", "det"), ("-f", "fp64"), ("-f", "fp32")):
            self.assertEqual(self.flagged(self.vectors("pow", "-n", 3, *words), "mutant"), set())

    def test_every_kind_of_input_is_there(self):
        document = self.emit("exp", "-f", "fp16", "-n", 100)
        self.assertEqual(document["schema"], "detcheck/vectors/1")
        group, = document["testGroups"]
        self.assertEqual({name: group[name] for name in group if name != "tests"},
                         {"operation": "exp", "format": "fp16", "rounding": "nearest-even",
                          "expect": "correctly_rounded", "parameters": {}})
        tests = group["tests"]
        self.assertEqual(document["numberOfTests"], len(tests))
        self.assertEqual([test["tcId"] for test in tests], list(range(1, len(tests) + 1)))
        self.assertEqual(set(document["notes"]), {"special", "boundary", "hard", "random"})
        special = self.flagged(tests, "special")
        for bits in ("0x0000", "0x8000", "0x7c00", "0xfc00", "0x7e00", "0x3c00", "0x0001", "0x03ff",
                     "0x0400", "0x7bff", "0xfbff"):
            self.assertIn((bits,), special)
        # e^x overflows between these, and underflows between those.
        boundary = self.flagged(tests, "boundary")
        for bits in ("0x498b", "0x498c", "0xcc54", "0xcc55"):
            self.assertIn((bits,), boundary)
        self.assertEqual(len(self.flagged(tests, "hard")), 100)
        self.assertEqual(len({test["in"][0] for test in tests}), len(tests))

    def test_random_inputs_lie_in_every_binade(self):
        tests = self.vectors("exp", "-f", "fp16", "-n", 40)
        drawn = {int(test[0], 16) & 0x7fff for test in self.flagged(tests, "random")}
        lengths = {code.bit_length() for code in drawn if code < 0x400}
        self.assertEqual(lengths, set(range(1, 11)))
        self.assertEqual({code >> 10 for code in drawn if code >= 0x400}, set(range(1, 31)))
        other = self.vectors("exp", "-f", "fp16", "-n", 40, "--seed", 2)
        self.assertNotEqual(self.flagged(other, "random"), self.flagged(tests, "random"))

    def test_all_inputs_of_eight_bits(self):
        tests = self.vectors("tanh", "-f", "fp8_e5m2")
        self.assertEqual({test["in"][0] for test in tests}, {f"0x{code:02x}" for code in range(256)})

    def test_pairs_of_operands_are_chosen(self):
        tests = self.vectors("mul", "-f", "fp8_e4m3fn", "-n", 65536)
        self.assertEqual(len(tests), 65536)
        few = self.vectors("pow", "-f", "bf16", "-n", 20)
        self.assertIn(("0x3f80", "0x7fc0"), self.flagged(few, "special"))
        self.assertEqual(len(self.flagged(few, "hard")), 20)

    def test_a_function_of_two_results_has_two_outputs(self):
        for test in self.vectors("sincos", "-f", "fp16", "-n", 10):
            self.assertEqual((len(test["in"]), len(test["out"])), (1, 2))

    def test_orders_are_integers(self):
        """Of jn and yn, whose tests were of orders that C does not have, but for a few, and expected NaN."""
        document = parse(self.succeed("emit", "jn", "yn", "-f", "fp32", "-n", 24))
        self.assertIn(" of 1024 seeded draws;", document["notes"]["hard"])
        for group in document["testGroups"]:
            orders = [struct.unpack(">f", bytes.fromhex(test["in"][0][2:]))[0] for test in group["tests"]]
            self.assertTrue(all(abs(order) <= 1024 and order == int(order) for order in orders))
            self.assertGreater(sum(abs(order) > 32 for order in orders), 5)
            self.assertLess(sum(test["out"] == ["0x7fc00000"] for test in group["tests"]), len(group["tests"]) * 2 / 3)

    def test_distances_are_those_of_eval(self):
        tests = self.vectors("log", "-f", "fp16", "-n", 10)
        hard = [test for test in tests if "hard" in test["flags"]]
        self.assertEqual(len(hard), 10)
        for test in hard:
            result, = self.document("eval", "log", test["in"][0], "-f", "fp16")["results"]
            self.assertEqual(result["want"], test["out"][0])
            self.assertAlmostEqual(result["boundary_distance"], test["distance"], delta=1e-20)

    def test_worst_inputs_of_a_report(self):
        self.succeed("sweep", "sinh", "-f", "fp16", "--impl", "det", "--json", "report")
        with open(os.path.join(self.path, "report"), encoding="ascii") as stream:
            one = harness.parse(stream.read())["results"][0]["implementations"][0]
        wanted = {(row["input"],) for row in one["worst"]} | {(one["max_ulp"]["input"],)}
        tests = self.vectors("sinh", "-f", "fp16", "-n", 5, "--worst-of", "report")
        self.assertEqual(self.flagged(tests, "worst"), wanted)
        self.assertIn("has no inputs for cosh", self.refuse("emit", "cosh", "-f", "fp16", "--worst-of",
                                                          "report"))

    def test_bits_of_det(self):
        report = self.succeed("sweep", "exp", "--impl", "det", "--range", "0xc0bb0000:0xc0bbffff",
                              "--json", "-")
        self.file("report", report)
        worst = harness.parse(report)["results"][0]["implementations"][0]["worst"][0]
        self.assertNotEqual(worst["got"], worst["want"])
        tests = self.vectors("exp", "--inputs-of", EXP, "--expect", "det", "--worst-of", "report")
        outputs = {test["in"][0]: test["out"][0] for test in tests}
        self.assertEqual(outputs[worst["input"]], worst["got"])
        self.assertEqual(outputs["0xffc00000"], "0x7fc00000")


    def test_other_outputs_for_the_same_inputs(self):
        self.succeed("emit", "exp", "-f", "fp16,bf16", "-n", 30, "-o", "right.json")
        made = self.emit("exp", "-f", "fp16", "--expect", "det", "--inputs-of", "right.json")
        direct = self.emit("exp", "-f", "fp16", "--expect", "det", "-n", 30)
        self.assertEqual(made, direct)
        self.assertIn("has no inputs for log", self.refuse("emit", "log", "-f", "fp16", "--inputs-of",
                                                         "right.json"))


class Conversions(harness.Case):
    def emit(self, *words):
        text = self.succeed("emit", "cast", *words)
        self.file("cast.json", text)
        group, = harness.parse(text)["testGroups"]
        return group

    def test_random_bits_are_those_of_the_place_of_the_test(self):
        """Random bits are those of the test's place, as a sweep would draw them for an element."""
        words = ("--from", "fp16", "--to", "fp8_e5m2", "-r", "stochastic", "-n", 20, "--random-bits", 4)
        group = self.emit(*words)
        self.assertEqual(group["rounding"], "stochastic")
        self.assertEqual(group["parameters"], {"to": "fp8_e5m2", "profile": "ieee", "random-bits": 4,
                                               "random-seed": 1})
        self.assertFalse(any("hard" in test["flags"] for test in group["tests"]))
        self.succeed("verify", "cast.json", "--impl", "det")
        det = self.emit(*words, "--expect", "det")
        self.assertEqual(det["tests"], group["tests"])
        other = self.emit(*words, "--random-seed", 2)
        self.assertNotEqual(other["tests"], group["tests"])
        self.succeed("verify", "cast.json", "--impl", "det")
        fixed = self.emit(*words, "--random", 15)
        self.assertEqual(fixed["parameters"], {"to": "fp8_e5m2", "profile": "ieee", "random-bits": 4, "random": 15})
        toward_zero = self.emit("--from", "fp16", "--to", "fp8_e5m2", "-r", "toward-zero", "-n", 20)
        outputs = {test["in"][0]: test["out"][0] for test in toward_zero["tests"]}
        # No part that is cut off exceeds fifteen sixteenths. (What overflows does so by the profile.)
        for test in fixed["tests"]:
            if test["in"][0] in outputs and test["out"][0] not in ("0x7c", "0xfc"):
                self.assertEqual(test["out"][0], outputs[test["in"][0]], test)

    def test_directed_casts_have_the_neighbours_of_numbers(self):
        group = self.emit("--to", "fp4_e2m1fn", "-r", "up", "-n", 8)
        outputs = {test["in"][0]: (test["out"][0], test["flags"]) for test in group["tests"]}
        self.assertEqual(outputs["0x3f800000"], ("0x2", ["special", "boundary"]))
        self.assertEqual(outputs["0x3f800001"], ("0x3", ["hard"]))
        self.assertEqual(outputs["0xbf800001"], ("0xa", ["hard"]))

    def test_from_all_to_all(self):
        formats = ("fp64", "fp32", "bf16", "fp8_e4m3fnuz", "fp8_e8m0fnu", "fp4_e2m1fn")
        for source in formats:
            for target in formats:
                with self.subTest(source=source, target=target):
                    self.emit("--from", source, "--to", target, "-n", 8)
                    self.succeed("verify", "cast.json", "--impl", "det")

    def test_a_group_goes_on_without_what_det_has_not(self):
        done = self.run_program("emit", "unary", "-f", "fp8_e5m2", "-n", 1, "-e", "det", "-o", "out")
        self.assertEqual(done.returncode, 0)
        note = done.stderr.decode()
        self.assertRegex(note, r"^detcheck: note: left out: (\w+, )+\w+(\.\.\.)? \(the first: .*det has no \w+\)\n$")
        with open(os.path.join(self.path, "out"), encoding="ascii") as stream:
            there = {group["operation"] for group in harness.parse(stream.read())["testGroups"]}
        without = set(re.findall(r"\w+", note.split("left out: ")[1].split(" (")[0]))
        self.assertEqual(there & without, set())
        self.assertTrue({"exp", "log", "sincos"} < there and {"digamma", "erfinv"} < without)
        self.assertIn("det has no digamma", self.refuse("emit", "exp", "digamma", "-f", "fp8_e5m2", "-e", "det"))

    def test_a_group_goes_on_without_what_its_parameters_do_not_fit(self):
        for command in ("sweep", "emit"):
            done = self.run_program(command, "scaled", "--scale", "power", "--shape", "4", "-n", 1)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.decode(), "detcheck: note: left out: scaled.matmul, scaled.convolution, "
                             "scaled.mul_gradient, scaled.matmul_gradient, scaled.convolution_gradient, scaled.sum "
                             "(the first: scaled.matmul: --scale power needs --static one, power, power-down, measured or a power of two)\n")
            self.assertIn(b"scaled.add", done.stdout)
            self.refuse(command, "scaled.matmul", "--scale", "power")

    def test_what_cannot_be(self):
        self.assertIn("--to", self.refuse("emit", "cast"))
        self.assertIn("has no rule for", self.refuse("emit", "cast", "--to", "fp4_e2m1fn", "--profile", "onnx-19"))
        text = self.succeed("emit", "cast", "--to", "fp8_e5m2", "--profile", "ocp", "-n", 4)
        for before, after, what in (('"ocp"', '"ocpx"', "ocpx"), ('"to":"fp8_e5m2"', '"to":"fp8_e4m3fnuz"', "has no rule for"),
                                    ('"to":"fp8_e5m2",', "", "--to"),
                                    ('"cast", "format": "fp32", "rounding": "nearest-even"',
                                     '"exp", "format": "fp32", "rounding": "stochastic"', "stochastic")):
            self.assertIn(before, text)
            self.file("bad.json", text.replace(before, after))
            self.assertIn(what, self.refuse("verify", "bad.json", "--impl", "det"))


class Hard(harness.Case):
    """Inputs that a file names compete with those that are drawn."""

    # exp of these lies 3.7e-8 and 5.8e-8 ulp from a middle, as search found; of 1 far from one.
    NUMBERS = "# known\n0xc03153fe71950ddb\n0xbf5c75ca50b498d7\n1\n"

    def test_the_hardest_come_first(self):
        numbers = self.file("hard.txt", self.NUMBERS)
        document = harness.parse(self.succeed("emit", "exp", "-f", "fp64", "-n", 3, "--hard", numbers))
        tests = document["testGroups"][0]["tests"]
        hard = [test for test in tests if "hard" in test["flags"]]
        self.assertEqual([test["in"][0] for test in hard[:2]], ["0xc03153fe71950ddb", "0xbf5c75ca50b498d7"])
        self.assertEqual([test["out"][0] for test in hard[:2]], ["0x3e60025e86ca9b8e", "0x3feff1c8445a1726"])
        self.assertEqual(len(hard), 3)  # and the hardest of the draws
        self.assertLess(hard[1]["distance"], 1e-7)
        self.assertLess(hard[1]["distance"], hard[2]["distance"])
        self.assertIn("inputs that a longer search found", document["notes"]["hard"])

    def test_where_all_are_searched_they_change_nothing(self):
        words = ("emit", "exp", "-f", "fp16", "-n", 5)
        plain, given = (harness.parse(self.succeed(*words, *more)) for more in
                        ((), ("--hard", self.file("hard.txt", "1\n2\n"))))
        self.assertEqual(plain["testGroups"], given["testGroups"])

    def test_a_value_that_the_format_does_not_hold_is_rounded(self):
        for form, nearest in (("fp16", "0x1.998p-4"), ("fp64", "0x1.999999999999ap-4")):
            done = self.run_program("emit", "exp", "-f", form, "-n", 3, "--hard", self.file("hard.txt", "1\n0.1\n"))
            self.assertEqual((done.returncode, done.stderr.decode()), (0, f"detcheck: note: {self.path}/hard.txt:2: 0.1 is not "
                             f"a number of {form}; rounded to {nearest} (and so on)\n"))
            harness.parse(done.stdout)

    def test_what_cannot_be(self):
        for content, what in (("x\n", "hard.txt:1"), ("1 2\n", "more than one value on the line")):
            self.assertIn(what, self.refuse("emit", "exp", "-f", "fp64", "--hard", self.file("hard.txt", content)))
        for words in (("exp", "-f", "fp64"), ("exp", "-f", "fp16"), ("cast", "--to", "fp8_e5m2")):  # whatever is searched
            self.assertIn("none.txt", self.refuse("emit", *words, "--hard", "none.txt"))
        self.assertIn("can be read once only, and there are 2 groups",
                      self.refuse("emit", "exp", "-f", "fp16,bf16", "--hard", "-", input=b"1\n"))
        self.assertIn("no effect with --inputs-of", self.refuse("emit", "exp", "--inputs-of", "v.json", "--hard", "none.txt"))
        self.assertIn("is on arrays", self.refuse("emit", "sum", "--hard", self.file("hard.txt", "1\n")))
        many = self.file("hard.txt", "".join(f"{i}\n" for i in range(300)))
        self.assertIn("more than 65536 inputs", self.refuse("emit", "pow", "-f", "fp64", "--hard", many))


class Bytes(harness.Case):
    def test_threads_and_runs_change_nothing(self):
        one = self.succeed("emit", "sin", "pow", "-f", "bf16,fp8_e4m3fn", "-n", 30, "-t", 1)
        two = self.succeed("emit", "sin", "pow", "-f", "bf16,fp8_e4m3fn", "-n", 30, "-t", 3)
        self.assertEqual(one, two)

    def test_a_file_appears_whole_or_not_at_all(self):
        path = self.file("vectors.json", "old")
        self.refuse("emit", "exp", "-f", "fp16", "--expect", "det", "-r", "up", "-o", path)
        with open(path, encoding="ascii") as stream:
            self.assertEqual(stream.read(), "old")
        self.assertEqual(os.listdir(self.path), ["vectors.json"])
        self.succeed("emit", "exp", "-f", "fp8_e5m2", "-o", path)
        with open(path, encoding="ascii") as stream:
            self.assertEqual(stream.read(), self.succeed("emit", "exp", "-f", "fp8_e5m2"))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_full_disk_is_told(self):
        for words in ((), ("--as", "testfloat")):
            self.assertIn("cannot write /dev/full: No space left", self.refuse(
                "emit", "exp", "-f", "fp16", *words, "-o", "/dev/full"))

    def test_a_closed_pipe_is_told(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([harness.PROGRAM, "emit", "exp", "-f", "fp16"], stdout=writer,
                              stderr=subprocess.PIPE, check=False)
        os.close(writer)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"Broken pipe", done.stderr)


class Styles(harness.Case):
    def test_testfloat_lines_have_its_form(self):
        lines = self.succeed("emit", "div", "-n", 50, "--as", "testfloat").splitlines()
        for line in lines:
            self.assertRegex(line, r"^[0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{8} [01][0-9A-F]$")
        for line in ("3F800000 00000000 7F800000 08",   # 1/0 divides by zero
                     "00000000 00000000 7FC00000 10",   # 0/0 is invalid
                     "00000001 7F7FFFFF 00000000 03",   # underflow
                     "7F7FFFFF 00000001 7F800000 05",   # overflow
                     "00800000 3F800000 00800000 00",
                     "7FC00000 3F800000 7FC00000 00"):
            self.assertIn(line, lines)

    def test_tst_lines_have_the_form_of_arm(self):
        lines = self.succeed("emit", "exp", "-n", 40, "--as", "tst").splitlines()
        self.assertTrue(lines[0].startswith(";"))
        for line in ("func=expf op1=3f800000 result=402df854.58a errno=0",  # e = 0xadf854.58a2...p-22
                     "func=expf op1=7f800000 result=7f800000 errno=0",
                     "func=expf op1=7f7fffff result=7f800000 errno=ERANGE status=ox",
                     "func=expf op1=ff7fffff result=00000000 errno=ERANGE status=ux",
                     "func=expf op1=7fc00000 result=7fc00000 errno=0"):
            self.assertIn(line, lines)
        lines = self.succeed("emit", "pow", "-f", "fp64", "-n", 2, "--as", "tst").splitlines()
        self.assertIn("func=pow op1=3ff00000.00000000 op2=7ff80000.00000000 "
                      "result=3ff00000.00000000 errno=0", lines)

    def test_numpy_csv_has_its_columns(self):
        lines = self.succeed("emit", "exp", "-f", "fp64", "-n", 4, "--as", "numpy-csv").splitlines()
        self.assertEqual(lines[0], "dtype,input,output,ulperrortol")
        self.assertIn("np.float64,0x3ff0000000000000,0x4005bf0a8b145769,1", lines)

    def test_what_does_not_fit(self):
        for words, what in (
                (("exp", "-f", "fp16", "--as", "numpy-csv"), "fp32 and fp64"),
                (("pow", "--as", "numpy-csv"), "one operand"),
                (("sigmoid", "--as", "tst"), "libm"),
                (("exp", "--expect", "det", "--as", "tst"), "nearest-even"),
                (("sincos", "--as", "tst"), "one result"),
                (("exp", "-f", "bf16", "--as", "testfloat"), "fp16, fp32"),
                (("exp", "log", "--as", "testfloat"), "one operation"),
                (("sum", "--as", "testfloat"), "sum in fp32 cannot be written as testfloat: its lines are of numbers"),
                (("sum", "--as", "tst"), "not of arrays"),
                (("scaled.add", "--as", "numpy-csv"), "not of arrays"),
                (("exp", "--as", "csv"), "json, testfloat, tst or numpy-csv"),
                (("exp", "--expect", "libm"), "correctly_rounded, det or both"),
                (("exp", "--count", "0"), "--count"),
                (("digamma", "--expect", "det"), "det has no digamma"),
                (("exp", "--worst-of", "nowhere"), "nowhere"),
                ((), "needs an operation")):
            with self.subTest(words=words):
                self.assertIn(what, self.refuse("emit", *words))


if __name__ == "__main__":
    unittest.main()
