"""`detcheck verify`: right and wrong outputs are told apart, and no file that is not as it should be
passes."""

import json
import os
import re
import resource
import shlex
import signal
import struct
import subprocess
import time
import unittest

import harness

GOOD = """{"schema": "detcheck/vectors/1", "generator": "x", "oracle": "y", "numberOfTests": 3,
 "notes": {"special": "z"},
 "testGroups": [
  {"operation": "sqrt", "format": "fp16", "rounding": "nearest-even",
   "expect": "correctly_rounded", "parameters": {}, "tests": [
   {"tcId": 1, "in": ["0x3c00"], "out": ["0x3c00"], "flags": ["special"]},
   {"tcId": 2, "in": ["0x4000"], "out": ["0x3da8"], "flags": ["hard"], "distance": 0.25},
   {"tcId": 7, "in": ["0xbc00"], "out": ["0x7e00"], "flags": []}]}]}
"""


def many(count):
    """A file of sqrt(x) for as many fp32 inputs, made without the program."""
    head = GOOD.replace("fp16", "fp32").split("   {")[0].replace('"numberOfTests": 3',
                                                                f'"numberOfTests": {count}')
    lines = []
    for i in range(count):
        bits = 0x3f800000 + 61 * i
        root = struct.unpack("<f", struct.pack("<I", bits))[0] ** 0.5
        out, = struct.unpack("<I", struct.pack("<f", root))
        lines.append(f'{{"tcId": {i + 1}, "in": ["0x{bits:08x}"], "out": ["0x{out:08x}"], "flags": []}}')
    return head + ",\n".join(lines) + "]}]}"


class Verdicts(harness.Case):
    def test_right_outputs_pass(self):
        path = self.file("v.json", GOOD)
        text = self.succeed("verify", path, "--impl", "cr")
        self.assertIn("cr: 3 tests pass\n", text)
        document = self.document("verify", path, "--impl", "cr,libm")
        self.assertEqual((document["schema"], document["tests"], document["mismatches"]),
                         ("detcheck/verification/1", 6, 0))
        self.assertEqual([row["implementation"] for row in document["results"]], ["cr", "libm"])

    def test_one_wrong_bit(self):
        path = self.file("v.json", GOOD.replace("0x3da8", "0x3da9"))
        done = self.run_program("verify", path, "--impl", "cr", "--json", "-")
        self.assertEqual(done.returncode, 1)
        row, = harness.parse(done.stdout.decode())["results"]
        self.assertEqual((row["tests"], row["mismatches"]), (3, 1))
        mismatch, = row["first"]
        self.assertEqual((mismatch["tcId"], mismatch["in"], mismatch["got"], mismatch["want"]),
                         (2, ["0x4000"], "0x3da8", ["0x3da9"]))
        self.assertLess(mismatch["error"], 0.5)
        done = self.run_program("verify", path, "--impl", "cr")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"1 of 3 tests fail", done.stdout)
        self.assertIn(b"test 2: 0.154687 ulp", done.stdout)

    def test_a_limit_in_ulps_lets_neighbours_pass(self):
        # The output is 0.15 ulp from the exact root, whatever the file expects.
        path = self.file("v.json", GOOD.replace("0x3da8", "0x3da9"))
        self.assertIn("1 by --max-ulp", self.succeed("verify", path, "--max-ulp", "0.25"))
        self.assertEqual(self.run_program("verify", path, "--max-ulp", "0.1").returncode, 1)
        # A NaN is within no number of ulps.
        path = self.file("v.json", GOOD.replace('["0x3da8"]', '["0x7e00"]'))
        self.assertEqual(self.run_program("verify", path, "--max-ulp", "9").returncode, 1)

    def test_first_limits_what_is_shown(self):
        path = self.file("v.json", GOOD.replace("0x3da8", "0x3da9").replace('["0x3c00"], "f',
                                                                            '["0x3c01"], "f'))
        shown = []
        for count in (0, 1, 9):
            done = self.run_program("verify", path, "--first", count, "--json", "-")
            row, = harness.parse(done.stdout.decode())["results"]
            self.assertEqual(row["mismatches"], 2)
            shown.append(len(row["first"]))
        self.assertEqual(shown, [0, 1, 2])

    def test_cr_passes_what_emit_writes(self):
        made = self.succeed("emit", "exp", "sincos", "atan2", "-f", "fp16,bf16,fp8_e4m3fn", "-n", 20)
        path = self.file("v.json", made)
        self.succeed("verify", path, "--impl", "cr")
        made = self.succeed("emit", "exp", "sincos", "-f", "bf16", "-n", 20, "-e", "det")
        self.succeed("verify", "-", "--impl", "det", input=made.encode())

    def test_without_a_name_what_has_the_operation_runs(self):
        """cr for what is correctly rounded, det for det's bits, and where that one lacks the operation, another that has it."""
        for words, name in ((("sqrt", "-f", "fp16"), "cr"), (("sigmoid", "-f", "fp16", "-e", "det"), "det"),
                            (("cast", "--to", "fp8_e5m2"), "cr"), (("dyadic.add", "--shape", "4"), "det")):
            path = self.file("v.json", self.succeed("emit", *words, "-n", 2))
            rows = self.document("verify", path)["results"]
            self.assertEqual({row["implementation"] for row in rows}, {name})
        path = self.file("v.json", self.succeed("emit", "exp", "-f", "fp16", "-r", "nearest-away", "-n", 2))
        self.assertIn("cr does not provide exp", self.refuse("verify", path, prints=True))

    def test_expect_chooses_where_a_test_has_both_outputs(self):
        """det is right by its own bits, and wrong by the others where a test was chosen to have it wrong."""
        for words in (("sincos", "-f", "fp16", "-n", 50), ("softmax", "--shape", "64", "--distribution", "normal", "-n", 3)):
            path = self.file("both.json", self.succeed("emit", *words, "-e", "both"))
            self.assertIn(" tests pass", self.succeed("verify", path, "--impl", "det", "--expect", "det"))
            self.succeed("verify", path, "--impl", "cr" if words[0] == "sincos" else "det", "--expect", "correctly_rounded",
                         "--max-ulp", 0 if words[0] == "sincos" else 100)
            done = self.run_program("verify", path, "--impl", "det", "--json", "-")
            self.assertEqual(done.returncode, 1)
            rows = json.loads(done.stdout)["results"]
            self.assertEqual([(row["expect"], row["mismatches"] > 0) for row in rows],
                             [("correctly_rounded", True), ("det", False)])

    def limits(self, *words, **options):
        """The lines below the total, after the tests of a file that emit writes with these words."""
        path = self.file("limits.json", self.succeed("emit", *words, "-n", 5))
        lines = self.succeed("verify", path, **options).splitlines()
        total = max(i for i, line in enumerate(lines) if re.fullmatch(r"[\d,]+ tests? pass(es)?", line))
        return lines[total + 1:]

    def test_what_vectors_do_not_show_is_said_of_det_alone(self):
        first, second = self.limits("exp", "-f", "fp16", "-e", "det")
        self.assertEqual(first, "Other inputs are not tested: a port can have other bits there.")
        self.assertEqual(second, "Proof by all inputs: detcheck compare exp -f fp16 --impl det --impl exec:COMMAND")
        for words in (("pow", "-f", "fp32"), ("exp", "-f", "fp64"), ("softmax", "-f", "fp32", "--shape", "8")):
            second = self.limits(*words, "-e", "det")[1]
            form = "" if words[2] == "fp32" else f"-f {words[2]} "
            more = "--shape 8 --distribution normal " if words[0] == "softmax" else ""
            self.assertEqual(second, f"More inputs, no proof: detcheck sweep {words[0]} {form}{more}--impl det --impl exec:COMMAND")
        self.assertEqual(self.limits("exp", "-f", "fp16"), [])

    def test_all_pairs_of_16_bits_are_a_proof(self):
        for name, pairs in (("pow", "4,294,967,296"), ("pown", "939,458,560")):  # those whose n is an integer
            _, second = self.limits(name, "-f", "fp16", "-e", "det")
            self.assertEqual(second, f"Proof by all inputs: detcheck compare {name} -f fp16 --impl det --impl exec:COMMAND")
            words = second.split(": ", 1)[1].replace(" --impl exec:COMMAND", "").split()[1:]
            with subprocess.Popen([os.environ["DETCHECK"], *words, "--impl", "cr"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                self.assertRegex(process.communicate()[1], rf"interrupted after [\d,]+ of {pairs} inputs of ")

    def test_each_command_that_is_printed_runs(self):
        """As a shell reads it, with the port in the place of COMMAND; the proof has all inputs and finds where the port differs. Those that
        are no proof get fewer inputs here."""
        worker = os.path.join(os.path.dirname(os.environ["DETCHECK"]), "detcheck-worker")
        if not os.path.exists(worker):
            self.skipTest("there is no detcheck-worker beside detcheck")
        for words, fewer, differ in ((("exp", "sincos", "-f", "fp16"), "", True),
                                     (("cast", "-f", "fp16", "--to", "fp8_e4m3fn", "--profile", "saturate"), "", False),
                                     (("pow",), " -n 500", None), (("exp", "-f", "fp64"), " -n 500", None)):
            head, command = self.limits(*words, "-e", "det")[1].split(": ", 1)
            is_proof = head == "Proof by all inputs"
            self.assertEqual(is_proof, differ is not None)
            command = command.replace("exec:COMMAND", shlex.quote(f"exec:{worker} cr")) + fewer + " --json report.json"
            done = subprocess.run(["bash", "-c", command], check=False, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**os.environ, "PATH": f"{os.path.dirname(worker)}:{os.environ['PATH']}"}, text=True)
            self.assertEqual(done.returncode, 1 if differ else 0, (command, done.stderr))
            report = json.loads(self.read("report.json"))
            if is_proof:
                self.assertEqual([row["differ"] > 0 for row in report["comparisons"]], [differ] * len(report["comparisons"]), command)
                self.assertEqual({row["tested"] for row in report["comparisons"]}, {65536})
                self.assertEqual(len(report["comparisons"]), 2 if "sincos" in words else 1)
                continue
            counts = [pair["count"] for result in report["results"] for pair in result["differences"]]
            self.assertEqual(len(counts), 1, command)

    def test_one_command_names_all_operations_and_the_port(self):
        text = self.succeed("emit", "exp", "sqrt", "sin", "-f", "fp16,fp32", "-n", 5, "-e", "det")
        path = self.file("limits.json", text)
        lines = self.succeed("verify", path, "--impl", "det,cr", "--operation", "sqrt").splitlines()
        self.assertEqual(lines[-3:], ["Other inputs are not tested: cr can have other bits there.",
                                      "Proof by all inputs: detcheck compare sqrt -f fp16 --impl det --impl cr",
                                      "  and with the formats, roundings and parameters of 1 other group"])
        lines = self.succeed("verify", path, "--impl", "det").splitlines()
        self.assertIn("detcheck compare exp sqrt sin -f fp16 --impl det --impl exec:COMMAND", lines[-2])
        self.assertIn("3 other groups", lines[-1])

    def test_parameters_of_the_file_are_in_the_command(self):
        words = ("cast", "-f", "fp16", "--to", "fp8_e4m3fn", "--profile", "saturate", "-r", "toward-zero", "-e", "det")
        _, second = self.limits(*words)
        command = second.split(": ", 1)[1].replace(" --impl exec:COMMAND", "").split()[1:]
        self.assertIn("all 65,536 inputs equal", self.succeed(*command, "--impl", "cr"))

    @harness.needs_faulty_libm
    def test_the_command_that_proves_a_port_finds_what_vectors_do_not(self):
        """In fp16 libm has det's bits. With a fault at an input that the vectors lack, it passes them and not the proof."""
        path = self.file("v.json", self.succeed("emit", "exp", "-f", "fp16", "-n", 5, "-e", "det"))
        with open(path, encoding="ascii") as stream:
            tested = {test["in"][0] for test in json.load(stream)["testGroups"][0]["tests"]}
        code = next(code for code in range(0x3c01, 0x4000) if f"0x{code:04x}" not in tested)
        number, = struct.unpack("<e", struct.pack("<H", code))
        fault = harness.faulty(at=struct.unpack("<I", struct.pack("<f", number))[0], xor=1 << 16)
        text = self.succeed("verify", path, "--impl", "libm", env=fault)
        words = text.splitlines()[-1].split(": ", 1)[1].replace("exec:COMMAND", "libm").split()[1:]
        for env, said, code in ((None, "all 65,536 inputs equal", 0), (fault, "1 of 65,536 inputs have other bits", 1)):
            done = self.run_program(*words, env=env)
            self.assertIn(said, done.stdout.decode())
            self.assertEqual(done.returncode, code)

    def test_wrong_outputs_are_followed_by_the_command_that_finds_the_cause(self):
        for expect, judged, beside in (("correctly_rounded", "det", "cr"), ("det", "cr", "det")):
            path = self.file(expect + ".json")
            self.succeed("emit", "exp", "-f", "fp16", "--expect", expect, "-o", path)
            text = self.succeed("verify", path, "--impl", judged, code=1)
            command, = re.findall(r"(?m)^  why: detcheck (.+)$", text)
            self.assertEqual(command, f"explain exp -f fp16 --impl {judged} --impl {beside}")
            self.assertIn("outputs differ", self.succeed(*command.split(), code=1))
            self.assertNotIn("why: ", self.succeed("verify", path, "--impl", beside))

    @harness.needs_faulty_libm
    def test_that_command_takes_the_binade_of_the_first_wrong_output(self):
        """In all of fp32 it would take minutes."""
        path = self.file("vectors.json", self.succeed("emit", "exp", "-n", 3, "-e", "det"))
        with open(path, encoding="ascii") as stream:
            tests = json.load(stream)["testGroups"][0]["tests"]
        code = next(code for code in (int(test["in"][0], 16) for test in tests) if 0xbf800000 < code < 0xc0000000)
        done = self.run_program("verify", path, "--impl", "libm", env=harness.faulty(at=code, xor=64))
        words, = re.findall(r"(?m)^  why: detcheck (.+)$", done.stdout.decode())
        self.assertRegex(words, r"^explain exp --range 0x\w{8}:0x\w{8} --impl libm --impl det$")
        first, last = (int(end, 16) for end in words.split()[3].split(":"))
        wrong = int(re.search(r"(?m)^    x .*(0x\w{8})$", done.stdout.decode()).group(1), 16)
        self.assertEqual((first, last), (wrong & ~0x7fffff, wrong | 0x7fffff))
        self.assertIn("outputs differ", self.run_program(*words.split(), env=harness.faulty(at=code, xor=64)).stdout.decode())

    def test_groups_that_pass_share_a_line(self):
        text = self.succeed("emit", "softmax", "-e", "det")
        groups = len(json.loads(text)["testGroups"])
        path = self.file("v.json", text)
        head = f"{path}: softmax fp32 nearest-even det"
        self.assertEqual(self.succeed("verify", path).splitlines()[0], f"{head}: det: {groups} tests in {groups} groups pass")
        lines = self.succeed("verify", path, "--verbose").splitlines()
        self.assertEqual(len({line for line in lines if line.startswith(head + "  --") and line.endswith(": det: 1 test passes")}), groups)
        wrong = re.sub(r'("out": *\[\s*\[\s*")0x\w{8}', r"\g<1>0x12345678", text, count=1)
        self.assertNotEqual(wrong, text)
        path = self.file("v.json", wrong)
        text = self.succeed("verify", path, code=1)
        self.assertEqual(len(re.findall(rf"(?m)^{re.escape(head)}  --.*: det: 1 of 1 test fails$", text)), 1)
        self.assertEqual(len(re.findall(rf"(?m)^{re.escape(head)}: det: {groups - 1} tests in {groups - 1} groups pass$", text)), 1)
        self.assertEqual(text.count(head), 2)

    def test_that_command_names_exact_where_there_is_no_cr_and_nothing_where_no_causes_are_known(self):
        path = self.file("vectors.json")
        self.succeed("emit", "exp", "-f", "fp16", "-r", "up", "-n", "10", "-o", path)
        text = self.succeed("verify", path, "--impl", "lib:libm.so.6:expm1f", code=1)
        command, = re.findall(r"(?m)^  why: detcheck (.+)$", text)
        self.assertEqual(command, "explain exp -f fp16 -r up --impl lib:libm.so.6:expm1f --impl exact")
        self.assertIn("outputs differ", self.succeed(*command.split(), code=1))
        self.succeed("emit", "to_decimal", "-f", "fp16", "--shape", "3", "-n", "1", "-o", path)
        document = json.loads(self.read(path))
        document["testGroups"][0]["tests"][0]["out"][0][0] = "35"
        self.file("vectors.json", json.dumps(document))
        text = self.succeed("verify", path, "--impl", "cr", code=1)
        self.assertIn("got", text)
        self.assertNotIn("why: ", text)

    def test_wrong_outputs_are_not_followed_by_what_vectors_do_not_show(self):
        text = self.succeed("emit", "exp", "-f", "fp16", "-n", 5, "-e", "det")
        path = self.file("v.json", re.sub(r'("out": *\[")0x\w\w\w\w', r"\g<1>0x1234", text, count=1))
        done = self.run_program("verify", path, "--impl", "det")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn(b"Other inputs", done.stdout)

    @harness.needs_faulty_libm
    def test_a_fault_is_found(self):
        path = self.file("v.json", many(20).replace("sqrt", "exp"))
        with open(path, encoding="ascii") as stream:
            document = json.load(stream)
        tests = document["testGroups"][0]["tests"]
        inputs = [test["in"][0] for test in tests]
        results = self.document("eval", "exp", *inputs)["results"]
        for test, result in zip(tests, results):
            test["out"] = [result["want"]]
        self.file("v.json", json.dumps(document))
        done = self.run_program("verify", path, "--json", "-", "--impl", "libm",
                                env=harness.faulty(at=int(inputs[4], 16), xor=4))
        self.assertEqual(done.returncode, 1)
        row, = harness.parse(done.stdout.decode())["results"]
        self.assertEqual([mismatch["in"] for mismatch in row["first"]], [[inputs[4]]])

    def test_expect_chooses_groups(self):
        path = self.file("v.json", self.succeed("emit", "exp", "-f", "bf16", "-n", 5, "-e", "det"))
        self.succeed("verify", path, "--impl", "det", "--expect", "det")
        self.assertIn("nothing was tested", self.refuse("verify", path, "--expect",
                                                        "correctly_rounded"))

    def test_what_is_not_provided_is_no_pass(self):
        path = self.file("v.json", self.succeed("emit", "exp", "-f", "bf16", "-n", 5, "-r", "up"))
        self.assertIn("nothing was tested: det does not provide exp in bf16",
                      self.refuse("verify", path, "--impl", "det", prints=True))
        self.assertIn("nothing was tested", self.refuse("verify", path, "--impl", "det", prints=True,
                                                        *["--skip-missing"]))
        both = self.file("w.json", self.succeed("emit", "exp", "-f", "bf16", "-n", 5, "-r",
                                                "up,nearest-even"))
        self.assertIn("--skip-missing", self.refuse("verify", both, "--impl", "cr", prints=True))
        self.succeed("verify", both, "--impl", "cr", "--skip-missing")


class Size(harness.Case):
    @unittest.skipIf("sanitize" in harness.PROGRAM, "a sanitizer's memory would be measured")
    def test_a_million_tests(self):
        """In less than 3 s and 1 GiB; here 200,000 tests have a fifth of the memory."""
        path = self.file("v.json", many(200000))

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

        done = subprocess.run([harness.PROGRAM, "verify", path, "--impl", "cr"], cwd=self.path,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              preexec_fn=limit)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"200,000 tests pass", done.stdout)


def changed(before, after, count=1):
    assert GOOD.count(before) >= count, before
    return GOOD.replace(before, after, count)


BAD = [
    ("", "is empty"),
    ("\n \n", "the file ends here"),
    ("\ufeff\ufeff" + GOOD, "not JSON"),
    (GOOD[:200], "the file ends here"),
    (GOOD[:-2], "the file ends here"),
    (GOOD[:GOOD.index('"tcId": 7') - 1] + "]}]}", "line 8, column 4"),
    (GOOD + "{}", "line 9, column 1: not JSON: more stands here, after its end"),
    ("[" * 100000, "line 1, column 1: an array where there should be an object"),
    ("[]", 'an array where there should be an object, with "schema": "detcheck/vectors/1"'),
    ("12", "a number where there should be an object"),
    ('{"schema": "detcheck/vectors/1", "notes": ' + '{"a": ' * 100000, "an object in notes"),
    ("\0\1\2" * 1000, "line 1, column 1"),
    (b"\xff" + GOOD.encode(), "not JSON"),
    (changed('"z"', '"\xff"').encode("latin-1"), "not UTF-8"),
    (changed("detcheck/vectors/1", "detcheck/vectors/2"), "schema is 'detcheck/vectors/2'"),
    (changed('"schema": "detcheck/vectors/1", ', ""), "testGroups must stand after schema"),
    (changed('"generator": "x", ', ""), "the document lacks the member generator"),
    (changed('"generator"', '"maker"'), "the document has no member 'maker'"),
    (changed('"oracle"', '"generator"'), "generator appears twice"),
    (changed('"numberOfTests": 3', '"numberOfTests": 4'), "numberOfTests is 4, but there are 3"),
    (changed('"numberOfTests": 3', '"numberOfTests": 3.5'), "no whole number"),
    (changed('"numberOfTests": 3', '"numberOfTests": -3'), "no whole number"),
    (changed('"numberOfTests": 3', '"numberOfTests": "3"'), "numberOfTests is a string where"),
    (changed('"numberOfTests": 3', '"numberOfTests": 99999999999999999999'), "no whole number"),
    (changed('"numberOfTests": 3', '"numberOfTests": null'), "numberOfTests is null where"),
    (changed('"sqrt"', '"sqrtt"'), "did you mean sqrt"),
    (changed('"sqrt"', '"SQRT"'), "is to be written as sqrt"),
    (changed('"fp16"', '"fp17"'), "fp17"),
    (changed('"fp16"', '"half"'), "is to be written as sqrt in fp16"),
    (changed("nearest-even", "nearest"), "unknown rounding 'nearest'"),
    (changed('"correctly_rounded"', '"rounded"'), "expect is 'rounded'"),
    (changed('"parameters": {}', '"parameters": {"to": "fp32"}'), "does not take these"),
    (changed('"parameters": {}', '"parameters": {"frm": "fp32"}'), "no parameter 'frm'"),
    (changed('"parameters": {}', '"parameters": []'), "parameters is an array where"),
    (changed('"parameters": {}, ', ""), "tests must stand after parameters"),
    (changed('"tcId": 2', '"tcId": 1'), "two tests have the tcId 1"),
    (changed('"tcId": 2', '"tcId": 0'), "a tcId is 1 or more"),
    (changed('"tcId": 2', '"tcId": "2"'), "line 7, column"),
    (changed('"tcId": 2, ', ""), "a test lacks the member tcId"),
    (changed('["0x4000"]', '["0x400"]'), "not bits of fp16"),
    (changed('["0x4000"]', '["0x04000"]'), "not bits of fp16"),
    (changed('["0x4000"]', '["4000"]'), "not bits of fp16"),
    (changed('["0x4000"]', '["0X4000"]'), "not bits of fp16"),
    (changed('["0x3da8"]', '["0x3DA8"]'), "lower-case"),
    (changed('["0x3da8"]', '["0x3dag"]'), "not bits of fp16"),
    (changed('["0x3da8"]', "[15784]"), "a number in out"),
    (changed('["0x3da8"]', '"0x3da8"'), "out is a string where there should be an array"),
    (changed('["0x3da8"]', '[["0x3da8"]]'), "arrays"),
    (changed('["0x3da8"]', "[]"), "gives 1 result; here are 1 and 0"),
    (changed('["0x3da8"]', '["0x3da8", "0x3da8"]'), "1 result, and here are more"),
    (changed('["0x4000"]', '["0x4000", "0x4000"]'), "1 operand, and here are more"),
    (changed('["0x7e00"]', '["0xfe00"]'), "a NaN, but not the canonical one, 0x7e00"),
    (changed('["0x7e00"]', '["0x7c01"]'), "a NaN, but not the canonical one"),
    (changed('"distance": 0.25', '"distance": 0.75'), "distance 0.75"),
    (changed('"distance": 0.25', '"distance": -1'), "distance -1"),
    (changed('["hard"]', '["heard"]'), "no flag 'heard'"),
    (changed('"out": ["0x3da8"]', '"out": ["0x3da8"], "det": ["0x3da8"]'), "some tests of a group have the member det"),
    (GOOD.replace(', "flags"', ', "det": [], "flags"'), "gives 1 result; here are 1 and 0"),
    (GOOD.replace(', "flags"', ', "det": ["0x3c00", "0x3c00"], "flags"'), "1 result, and here are more"),
    (GOOD.replace(', "flags"', ', "det": ["0x7e01"], "flags"'), "a NaN, but not the canonical one"),
    (GOOD.replace(', "flags"', ', "det": ["0x3c00"], "flags"').replace("correctly_rounded", "det"),
     "det and out both have det's outputs; leave out one"),
    (changed('"out"', '"ouput"'),
     "a test has no member 'ouput'"),
    (changed('"z"', '"' + "z" * (1 << 21) + '"'), "a mebibyte without a value"),
    (changed('"sqrt"', '"' + "s" * 100001 + '"'), "a text of more than 100000"),
    (changed('"sqrt"', '"sq\\u0000rt"'), "with a NUL"),
    (re.sub(r"\[\n  \{.*\]\}\]\}", "[]}", GOOD, flags=re.DOTALL), "no test groups"),
    (re.sub(r"\[\n   \{.*\]\}\]\}", "[]}]}", GOOD, flags=re.DOTALL), "a group without tests"),
]


# Every square root of fp4_e2m1fn, which has no NaN: those of negative numbers are -0 there.
ROOTS = ("0 1 2 2 3 3 4 4", "8 8 8 8 8 8 8 8")
TABLE = """{"schema": "detcheck/vectors/1", "generator": "x", "oracle": "y", "numberOfTests": 17,
 "notes": {"every": "z"},
 "testGroups": [
  {"operation": "hypot", "format": "fp16", "rounding": "nearest-even", "expect": "correctly_rounded", "parameters": {},
   "tests": [{"tcId": 100, "in": ["0x4000", "0x3c00"], "out": ["0x4079"], "flags": []}]},
  {"operation": "sqrt", "format": "fp4_e2m1fn", "rounding": "nearest-even", "expect": "correctly_rounded", "parameters": {},
   "table": {"tcId": 7, "out": ["%s"]}}]}
""" % " ".join(ROOTS)

BAD_TABLES = [
    ('"tcId": 7, ', "", "a table lacks the member tcId"),
    ('"tcId": 7', '"tcId": 0', "a tcId is 1 or more"),
    ('"tcId": 7', '"tcId": 85', "two tests have the tcId 100"),
    ('"numberOfTests": 17', '"numberOfTests": 2', "numberOfTests is 2, but there are 17"),
    ('"0 1 2', '"1 2', "outputs of a result, and here are fewer"),
    ('"0 1 2', '"0 0 1 2', "outputs of a result, and here are more"),
    ('"0 1 2', '"0  1 2', "'' is not a code of fp4_e2m1fn"),
    ('"0 1 2', '" 0 1 2', "'' is not a code of fp4_e2m1fn"),
    (' 8"]', ' 8 "]', "outputs of a result, and here are more"),
    ('"0 1 2', '"00 1 2', "'00' is not a code of fp4_e2m1fn: among several that is 1 lower-case hex digits"),
    ('"0 1 2', '"0 A 2', "'A' is not a code"),
    ('"0 1 2', '"0x0 1 2', "'0x0' is not a code"),
    ('7, "out": [', '7, "out": ["0", ', "here are fewer"),
    ("%s\"]" % ROOTS[1], "%s\", \"1\"]" % ROOTS[1], "sqrt has 1 result, and here are more"),
    ('"out": ["%s"]' % " ".join(ROOTS), '"out": []', "sqrt gives 1 result; the table has fewer"),
    ('"out": ["%s"]' % " ".join(ROOTS), '"out": [["0"]]', "an array in out"),
    ('"out": ["%s"]' % " ".join(ROOTS), '"out": "0"', "out is a string where there should be an array"),
    ('"table": {', '"table": {"in": ["0"], ', "a table has no member 'in'"),
    ('"table": {', '"tests": [], "table": {', "a group without tests"),
    ("]}}]}", ']}, "tests": []}]}', "a group with both tests and a table"),
    ("]}}]}", ']}, "tininess": "after"}]}', "tininess must stand before tests"),
    ('"table": {', '"tininess": "after", "table": {', "tininess, where a table has no flags_raised"),
    ('"parameters": {},\n   "table"', '"table"', "table must stand after parameters"),
    ('"sqrt"', '"hypot"', "a table is of one operand of at most 8 bits, not of hypot in fp4_e2m1fn"),
    ('"fp4_e2m1fn"', '"fp16"', "a table is of one operand of at most 8 bits, not of sqrt in fp16"),
    ('"sqrt"', '"sum"', "need the parameter shape"),
    (',\n   "table": {"tcId": 7, "out": ["%s"]}' % " ".join(ROOTS), "", "a group lacks the member tests"),
]


class Tables(harness.Case):
    def test_a_table_is_a_test_for_every_input(self):
        path = self.file("v.json", TABLE)
        row = self.document("verify", path, "--impl", "det")["results"][1]
        self.assertEqual((row["operation"], row["tests"], row["mismatches"]), ("sqrt", 16, 0))

    def test_a_wrong_output_of_a_table_has_its_number_and_input(self):
        path = self.file("v.json", TABLE.replace("0 1 2 2", "0 1 2 3"))
        done = self.run_program("verify", path, "--impl", "det", "--json", "-")
        self.assertEqual(done.returncode, 1)
        mismatch, = harness.parse(done.stdout.decode())["results"][1]["first"]
        self.assertEqual((mismatch["tcId"], mismatch["in"], mismatch["got"], mismatch["want"]), (10, ["0x3"], "0x2", ["0x3"]))

    def test_det_stands_beside_out(self):
        outputs = f'"out": ["{" ".join(ROOTS)}"]'
        path = self.file("v.json", TABLE.replace(outputs, outputs + ", " + outputs.replace("out", "det")))
        document = self.document("verify", path, "--impl", "det", "--operation", "sqrt")
        self.assertEqual([row["expect"] for row in document["results"]], ["correctly_rounded", "det"])
        self.assertEqual((document["tests"], document["mismatches"]), (32, 0))
        spoiled = self.file("v.json", TABLE.replace(outputs, outputs + ", " + outputs.replace("out", "det").replace("0 1 2", "0 1 3")))
        self.assertEqual(self.run_program("verify", spoiled, "--impl", "det", "--expect", "det").returncode, 1)
        self.assertEqual(self.run_program("verify", spoiled, "--impl", "det", "--expect", "correctly_rounded").returncode, 0)
        path = self.file("v.json", TABLE.replace(outputs, outputs + ", " + outputs.replace("out", "det"))
                         .replace("correctly_rounded", "det"))
        self.assertIn("det and out both have det's outputs", self.refuse("verify", path, "--impl", "det"))

    def test_two_results_and_what_emit_says_of_them(self):
        """Tables made of what emit writes, in the order of codes: the same tests, and emit takes their inputs."""
        for operation, form in (("sincos", "fp8_e5m2"), ("exp", "fp6_e2m3fn")):
            with self.subTest(operation=operation):
                words = ("emit", operation, "-f", form, "--expect", "both")
                document = harness.parse(self.succeed(*words))
                group, = document["testGroups"]
                tests = sorted(group.pop("tests"), key=lambda test: test["in"])
                group["table"] = {"tcId": 1, **{whose: [" ".join(code[2:] for code in column) for column in
                                                        zip(*(test[whose] for test in tests))] for whose in ("out", "det")}}
                path = self.file("v.json", json.dumps(document))
                found = self.document("verify", path, "--impl", "det", "--expect", "det")
                self.assertEqual((found["tests"], found["mismatches"]), (len(tests), 0))
                again = harness.parse(self.succeed(*words, "--inputs-of", path))["testGroups"][0]["tests"]
                self.assertEqual({(*test["in"], *test["out"], *test["det"]) for test in again},
                                 {(*test["in"], *test["out"], *test["det"]) for test in tests})
                self.assertEqual({tuple(test["flags"]) for test in again}, {("every",)})

    def test_malformed_tables_are_refused(self):
        for before, after, what in BAD_TABLES:
            with self.subTest(what=what, after=after[:60]):
                self.assertEqual(TABLE.count(before), 1, before)
                self.assertIn(what, self.refuse("verify", self.file("v.json", TABLE.replace(before, after)), "--impl", "cr"))

    def test_an_array_of_bits_may_be_one_text(self):
        long = self.succeed("emit", "softmax", "--shape", "2x3", "-n", 1, "--expect", "both")
        document = harness.parse(long)
        tests = [test for group in document["testGroups"] for test in group["tests"]]
        for test in tests:
            for whose in ("in", "out", "det"):
                test[whose] = [" ".join(code[2:] for code in array) for array in test[whose]]
        short = json.dumps(document)
        wanted, found = (harness.parse(self.succeed("verify", self.file("v.json", text), "--impl", "det", "--expect",
                                                    "correctly_rounded", "--json", "-", code=1)) for text in (long, short))
        self.assertEqual(found, wanted)
        self.assertGreater(wanted["mismatches"], 0)
        first = tests[0]["in"][0]
        for after, what in ((first[:-9], "the array ends 1 elements early"), (first + " 00000000", "more elements than its shape"),
                            (first + " ", "more elements than its shape"), (first.replace(" ", "  ", 1), "'' is not a code of fp32"),
                            ("0x" + first, "a text of several without 0x"), (first[1:], "is not a code of fp32"), ("", "'' is not a code of fp32")):
            with self.subTest(what=what, after=after):
                self.assertIn(what, self.refuse("verify", self.file("v.json", short.replace(f'"{first}"', f'"{after}"', 1)),
                                                "--impl", "det"))
        whole = self.succeed("emit", "dyadic.add", "--shape", 2, "-n", 1)
        text = re.sub(r'"in": \[\["(-?\d+)", "(-?\d+)"\]', '"in": ["00000001 00000002"', whole, count=1)
        self.assertNotEqual(text, whole)
        self.assertIn("integers are an array of decimals, not a text",
                      self.refuse("verify", self.file("v.json", text), "--impl", "det"))

    def test_one_operation_of_a_file(self):
        path = self.file("v.json", TABLE)
        for words, tests in (((), 17), (("--operation", "sqrt"), 16), (("--operation", "hypot"), 1)):
            self.assertEqual(self.document("verify", path, "--impl", "det", *words)["tests"], tests)
        self.assertIn("no group is of this operation", self.refuse("verify", path, "--impl", "det", "--operation", "exp"))
        self.assertIn("unknown operation 'nonesuch'", self.refuse("verify", path, "--impl", "det", "--operation", "nonesuch"))


class Refusals(harness.Case):
    def test_one_test_is_no_tests(self):
        one = GOOD[:GOOD.index(',\n   {"tcId": 2')] + "]}]}"
        path = self.file("v.json", re.sub(r'"numberOfTests": \d+', '"numberOfTests": 1', one))
        text = self.succeed("verify", path, "--impl", "cr")
        self.assertTrue(text.endswith(": cr: 1 test passes\n1 test passes\n"), text)

    def test_the_good_file_is_good(self):
        for mark in ("", "\ufeff"):  # which some editors put before a text
            self.succeed("verify", self.file("v.json", mark + GOOD), "--impl", "cr")

    def test_malformed_vectors_are_refused(self):
        for content, what in BAD:
            with self.subTest(what=what, content=content[:60]):
                path = self.file("v.json", content)
                self.assertIn(what, self.refuse("verify", path, "--impl", "cr"))

    def test_the_place_is_told(self):
        path = self.file("v.json", changed('["0x3da8"]', '["0x3DA8"]'))
        line = GOOD.splitlines()[6]
        column = line.index('"0x3da8"') + len('"0x3da8"')
        self.assertIn(f"v.json, line 7, column {column}: ", self.refuse("verify", path))

    def test_endless_junk_is_refused_after_a_mebibyte(self):
        """A gibibyte of it is not read: the first byte decides, or the first mebibyte."""
        for byte in (b"x", b" ", b"[", b'"'):
            with self.subTest(byte=byte):
                path = os.path.join(self.path, "junk")
                with open(path, "wb") as stream:
                    stream.write(byte * (4 << 20))
                    stream.truncate(1 << 30)
                self.refuse("verify", path)
                os.remove(path)

    def test_wrong_words_and_missing_files_are_refused(self):
        path = self.file("v.json", GOOD)
        for words, what in (((), "needs a file"), (("nowhere.json",), "cannot read nowhere.json"),
                            ((self.path,), "cannot read"),
                            ((path, "--max-ulp", "x"), "--max-ulp"),
                            ((path, "--max-ulp", "-1"), "--max-ulp"),
                            ((path, "--expect", "libm"), "--expect"),
                            ((path, "--impl", "libn"), "libm"),
                            ((path, "--first", "x"), "--first"),
                            ((path, "--json", "/nowhere/x"), "/nowhere/x")):
            with self.subTest(words=words):
                self.assertIn(what, self.refuse("verify", *words))

    def test_members_may_stand_in_any_order_that_can_be_streamed(self):
        self.file("v.json", json.dumps(json.loads(GOOD), sort_keys=True))
        self.succeed("verify", "v.json", "--impl", "cr")


if __name__ == "__main__":
    unittest.main()
