"""Operations on arrays by exec:, lib: and file:, in sweeps, eval and verify.

Environment: DETCHECK; FAULTY_LIBRARY, of faulty_library.c; the worker is array_worker.py beside this file.
"""

import os
import platform
import shlex
import struct
import sys
import unittest

from harness import NO_LIMIT, Case, is_emulated, parse, without_run

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = f"exec:{shlex.quote(sys.executable)} -E -s -S {shlex.quote(os.path.join(HERE, 'array_worker.py'))}"
NUMBERS_WORKER = WORKER.replace("array_worker", "faulty_worker")
FAULTY = "lib:" + os.environ["FAULTY_LIBRARY"]
NORMAL = ("--distribution", "normal", "-n", 3)


class Arrays(Case):
    def sweep(self, implementation, *words, operation="sum", faults="", code=None, draw=NORMAL, **settings):
        done = self.run_program("sweep", operation, *draw, "--impl", implementation, "--impl",
                                "sequential", "--json", "-", *words, env={"FAULTS": faults, **settings})
        self.assertEqual(done.returncode, (1 if faults else 0) if code is None else code, done.stderr)
        return done

    def outcome(self, implementation, *words, **options):
        """The implementation's part of the report, and in how many elements it and sequential differ."""
        result, = parse(self.sweep(implementation, *words, **options).stdout.decode())["results"]
        return result["implementations"][0], result["differences"][0]["count"]

    def check_same(self, implementation, *words, **options):
        entry, differences = self.outcome(implementation, *words, **options)
        self.assertEqual((differences, entry["unanswered"], entry["events"]), (0, 0, []))
        self.assertGreater(entry["tested"], 60)
        self.assertIsNotNone(entry["fingerprint"])

    def complaint(self, *words, **options):
        done = self.sweep(*words, code=2, **options)
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()


class Early(Arrays):
    def test_badly_wrong_is_told_long_before_the_end(self):
        # The worker does not know mean, and returns 0.
        line = self.first_note("sweep", "mean", "--shape", "4x5", "--distribution", "normal", "-n", 1048576, "--impl",
                               "det", "--impl", WORKER)
        self.assertRegex(line, r"^detcheck: note: exec:.*: [0-9,]+ of the first [0-9,]+ outputs of mean are off by more "
                               r"than 4 ulps, NaN or of the wrong sign, as for element 0 of draw \d+, shape 4x5; "
                               r"the sweep goes on$")


class Protocol(Arrays):
    def lines(self, *words, **options):
        path = os.path.join(self.path, "record")
        self.sweep(WORKER, *words, "--threads", 1, RECORD=path, **options)
        with open(path, encoding="ascii") as stream:
            return stream.read().splitlines()

    def test_header_and_calls(self):
        lines = self.lines("--shape", "3x5", "--axis", 1)
        self.assertEqual(lines[0], "1 1 1 4 4 sum fp32 fp32 arrays=1 operand1=fp32 result1=fp32 axis=1 gaps=1")
        self.assertEqual(lines[1:], ["4 1 True 3x5:4 3:4"] * 3)

    def test_several_operands_in_several_formats(self):
        draw = ("--distribution", "near", "-n", 1)
        lines = self.lines("-f", "fp8_e4m3fn", "--shape", "2x4", operation="scaled.add", draw=draw)
        self.assertTrue(lines[0].startswith(
            "1 4 2 1 1 scaled.add fp8_e4m3fn fp8_e4m3fn arrays=1 operand1=fp8_e4m3fn operand2=fp32 "
            "operand3=fp8_e4m3fn operand4=fp32 result1=fp8_e4m3fn result2=fp32"), lines[0])
        self.assertEqual(lines[1], "4 1 True 2x4:1 1:4 2x4:1 1:4 2x4:1 1x1:4")

    def test_integers(self):
        lines = self.lines("--shape", "7", operation="dyadic.add", draw=("--distribution", "pairs", "-n", 1))
        self.assertIn("1 2 2 1 4 dyadic.add int8 int32 arrays=1 operand1=int8 operand2=int8", lines[0])
        self.assertEqual(lines[1], "4 1 True 7:1 7:1 7:4 1:4")

    def test_same_bits_as_the_same_order(self):
        for operation in ("sum", "cumsum", "dot"):
            self.check_same(WORKER, operation=operation)

    def test_a_worker_for_numbers_is_told_apart(self):
        """One of version 1 that replies to whatever it is asked that it is ready."""
        for worker, settings in ((WORKER, {"STARTS": "numbers"}), (NUMBERS_WORKER, {})):
            entry, = parse(self.sweep(worker, "--impl", "det", **settings).stdout.decode())["results"]
            entry = entry["implementations"][0]
            self.assertFalse(entry["provided"])
            self.assertIn("it is ready for numbers, not for arrays", entry["reason"])

    def test_a_worker_that_refuses(self):
        done = self.run_program("sweep", "sum", *NORMAL, "--impl", NUMBERS_WORKER, env={"STARTS": "refuse"})
        self.assertEqual((done.returncode, done.stderr),
                         (2, b"detcheck: nothing was tested: it does not feel like it\n"))

    def test_threads_change_nothing(self):
        texts = {without_run(self.sweep(WORKER, "--threads", threads, faults="crash@31").stdout.decode())
                 for threads in (1, 3)}
        self.assertEqual(len(texts), 1)


class Faults(Arrays):
    def check_lost(self, implementation, faults, kind, *words, operation="sum", elements=1):
        entry, _ = self.outcome(implementation, *words, operation=operation, faults=faults)
        shape = int(faults.split("@")[1].split(",")[0], 0)
        self.assertEqual(entry["event_counts"], {kind: 3})
        self.assertEqual([event["input"] for event in entry["events"]],
                         [{"shape": [shape], "draw": draw, "element": 0} for draw in range(3)])
        self.assertEqual(entry["unanswered"], 3 * elements)
        self.assertIsNone(entry["fingerprint"])

    def test_of_a_process(self):
        for fault, kind in (("crash", "crash"), ("exit", "exit"), ("short", "exit")):
            with self.subTest(fault=fault):
                self.check_lost(WORKER, f"{fault}@31", kind)
        for fault in ("hang", "stall"):
            with self.subTest(fault=fault):
                self.check_lost(WORKER, f"{fault}@31", "hang", "--timeout", "1.5")

    def test_of_a_scan_all_elements_are_lost(self):
        self.check_lost(WORKER, "crash@31", "crash", operation="cumsum", elements=31)

    def test_an_answer_that_is_none(self):
        for fault in ("junk", "count"):
            complaint = self.complaint(WORKER, faults=f"{fault}@31")
            self.assertIn("its output is not an answer to a call of sum", complaint)

    def test_one_wrong_bit_is_counted(self):
        _, differences = self.outcome(WORKER, faults="wrong@31", code=0)
        self.assertEqual(differences, 3)

    def test_of_a_library(self):
        for fault, kind in (("crash", "crash"), ("exit", "exit")):
            self.check_lost(FAULTY + ":sum", f"{fault}@0x1f", kind)
        self.check_lost(FAULTY + ":sum", "hang@0x1f", "hang", "--timeout", "1.5")

    @unittest.skipIf(is_emulated(), NO_LIMIT)
    @unittest.skipUnless(platform.system() == "Linux" and "address" not in os.environ.get("SANITIZE", ""),
                         "what a process writes to is limited on Linux; AddressSanitizer writes to much")
    def test_arrays_that_a_process_has_no_memory_for_are_no_verdict(self):
        complaint = self.refuse("sweep", "sum", "--shape", 3000000, "--distribution", "uniform", "-n", 1, "--impl",
                                FAULTY + ":sum", "--memory", 8)
        self.assertIn(":sum: out of memory for the arrays of a call of sum", complaint)

    def test_a_library_that_changes_the_rounding(self):
        for words in ((), ("--no-isolation",)):
            entry, differences = self.outcome(FAULTY + ":sum", *words, faults="up@0x1f")
            self.assertEqual(entry["event_counts"], {"rounding-changed": 3})
            self.assertEqual((entry["unanswered"], differences), (0, 0))


class Library(Arrays):
    def test_same_bits_as_the_same_order(self):
        for operation, symbol in (("sum", "sum"), ("dot", "dot"), ("cumsum", "running_sum"), ("matmul", "product")):
            for words in ((), ("--no-isolation",)):
                with self.subTest(operation=operation, words=words):
                    self.check_same(f"{FAULTY}:{symbol}", *words, operation=operation)

    def test_formats_axes_and_directions(self):
        shape = ("--shape", "5x7x6")
        for words in (("--axis", 0), ("--axis", 1, "--reverse"), ("--axis", -1, "--exclusive"),
                      ("-f", "fp16"), ("-f", "bf16", "--dtype", "fp32", "--axis", 1)):
            with self.subTest(words=words):
                self.check_same(FAULTY + ":running_sum", *shape, *words, operation="cumsum")
        self.check_same(FAULTY + ":wide_sum", *shape, "-f", "fp64", "--axis", 1)
        self.check_same(FAULTY + ":wide_sum", *shape, "-f", "fp32", "--dtype", "fp64", "--axis", 1)
        self.check_same(FAULTY + ":wide_sum", *shape, "-f", "fp32", "--accumulate", "fp64", "--axis", 1)
        self.check_same(FAULTY + ":product", "--shape", "9x7x8", "-f", "fp16", operation="matmul")
        self.check_same(FAULTY + ":running_sum", "--shape", "67x1", "--axis", 1, "--exclusive",
                        operation="cumsum")

    def test_what_is_left_as_it_was_is_no_answer(self):
        for operation, symbol, shape in (("cumsum", "leave_last", "4x9"), ("matmul", "leave_product", "3x4x5")):
            for words in ((), ("--no-isolation",)):
                with self.subTest(operation=operation, words=words):
                    entry, _ = self.outcome(f"{FAULTY}:{symbol}", "--shape", shape, *words, operation=operation, code=1)
                    self.assertEqual((entry["event_counts"], entry["tested"]), ({"not-written": 3}, 0))

    def test_what_there_is_no_signature_for(self):
        refusals = (("sum", "", "C has no name for sum: name the function, lib:PATH:SYMBOL"),
                    ("sum", ":sum,array", "',array' is for functions of numbers; leave it out for sum"),
                    ("sum", ":summ", "it has sum"))
        for operation, symbol, reason in refusals:
            done = self.run_program("sweep", operation, *NORMAL, "--impl", FAULTY + symbol)
            self.assertEqual(done.returncode, 2)
            self.assertIn(reason, done.stderr.decode())
        self.assertIn("there is no signature in C for scaled.add", self.refuse(
            "sweep", "scaled.add", "--distribution", "near", "--impl", FAULTY + ":sum"))
        self.assertIn("nearest-even only", self.refuse(
            "sweep", "sum", *NORMAL, "-r", "up", "--impl", FAULTY + ":sum"))


class File(Arrays):
    def vectors(self, operation, *words):
        """The codes of the results of the calls that a sweep makes with the same words."""
        self.succeed("emit", operation, *words, "--expect", "det", "-o", "made.json")
        with open(os.path.join(self.path, "made.json"), encoding="ascii") as stream:
            group, = parse(stream.read())["testGroups"]
        return [[int(code, 16) for code in test["out"][0]] for test in group["tests"]]

    def test_outputs_call_by_call(self):
        words = ("--shape", 33, "--distribution", "uniform", "--seed", 5)
        results = self.vectors("cumsum", *words, "--count", 4)
        self.assertEqual([len(result) for result in results], [33] * 4)
        codes = b"".join(struct.pack("<33I", *result) for result in results)
        wrong = bytearray(codes)
        wrong[4 * (33 * 2 + 7)] ^= 1
        for content, differences in ((codes, 0), (wrong, 1)):
            name = "file:" + self.file("out.bin", bytes(content))
            result, = self.results("cumsum", *words, "-n", 4, "--impl", name, "--impl", "det")
            self.assertEqual(result["differences"][0]["count"], differences)
        self.assertEqual(result["differences"][0]["first"][0]["input"],
                         {"shape": [33], "draw": 2, "element": 7})
        path = self.file("short.bin", codes[:-1])
        self.assertIn("has 527 bytes, where the results of all calls of cumsum make 528", self.refuse(
            "sweep", "cumsum", *words, "-n", 4, "--impl", "file:" + path))

    def test_shapes_of_a_sweep(self):
        path = self.file("zeros.bin", bytes(4 * 24 * 3))
        result, = self.results("sum", *NORMAL, "--impl", "file:" + path)
        self.assertEqual(result["implementations"][0]["tested"], 72)

    def test_one_run_only(self):
        path = self.file("zeros.bin", bytes(4))
        self.assertIn("name one operation, format, rounding and --distribution",
                      self.refuse("sweep", "sum", "--impl", "file:" + path))
        self.assertIn("name one operation, format, rounding\n",
                      self.refuse("sweep", "exp", "log", "--impl", "file:" + path))

    def test_not_of_vectors(self):
        self.succeed("emit", "sum", *NORMAL[:2], "--shape", 3, "--count", 2, "-o", "made.json")
        path = self.file("zeros.bin", bytes(8))
        self.assertIn("holds the outputs of a sweep", self.refuse(
            "verify", "made.json", "--impl", "file:" + path))


class Elsewhere(Arrays):
    """eval and verify."""

    def setUp(self):
        super().setUp()
        self.succeed("emit", "cumsum", "--distribution", "uniform", "--shape", 4, "--count", 6, "-o", "made.json")

    def verify(self, *words, faults=""):
        return self.run_program("verify", "made.json", *words, env={"FAULTS": faults})

    def test_verify(self):
        for implementation in (WORKER, FAULTY + ":running_sum"):
            self.assertEqual(self.verify("--impl", implementation, "--max-ulp", 8).returncode, 0)
        done = self.verify("--impl", WORKER, "--max-ulp", 8, "--json", "-", faults="wrong@4")
        self.assertEqual(done.returncode, 0)
        self.assertGreater(parse(done.stdout.decode())["results"][0]["within_max_ulp"], 0)
        self.assertEqual(self.verify("--impl", WORKER, faults="wrong@4").returncode, 1)

    def test_verify_tells_of_crashes(self):
        for implementation in (WORKER, FAULTY + ":running_sum"):
            done = self.verify("--impl", implementation, faults="crash@4")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("  test 1: crash\n  test 2: crash\n", done.stdout.decode())
            done = self.verify("--impl", implementation, "--json", "-", faults="crash@4")
            result, = parse(done.stdout.decode())["results"]
            self.assertEqual(result["mismatches"], 6)
            self.assertEqual(result["first"][0], {"tcId": 1, "event": "crash"})

    def test_verify_names_a_command_that_cannot_run(self):
        for words in ((), ("--skip-missing",)):
            done = self.verify("--impl", "exec:false", *words)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"ended with status 1", done.stderr)

    def test_eval(self):
        text = self.succeed("eval", "sum", 1, 2, 3, "--impl", WORKER)
        self.assertIn("6  0x1.8p+2  0x40c00000\n             0 ulp, correctly rounded", text)
        done = self.run_program("eval", "sum", 1, 2, 3, "--impl", WORKER, env={"FAULTS": "crash@3"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("no answer: crash", done.stdout.decode())
        done = self.run_program("eval", "sum", 1, 2, 3, "--impl", WORKER, "--json", "-",
                                env={"FAULTS": "crash@3"})
        element, = parse(done.stdout.decode())["results"][0]["elements"]
        self.assertEqual(element["implementations"][0]["event"], "crash")
        self.assertIn("ended with status 1", self.refuse("eval", "sum", 1, 2, "--impl", "exec:false"))


if __name__ == "__main__":
    unittest.main()
