"""What says nothing of an implementation: inputs that are no call of C, and inputs without an answer.

Environment: PLANTED_LIBRARY, EXPLAINED_LIBRARY.
"""

import json
import os
import re
import struct
import unittest

from harness import Case, parse

PLANTED = "lib:" + os.environ["PLANTED_LIBRARY"]
EXPLAINED = "lib:" + os.environ["EXPLAINED_LIBRARY"]


class GateCase(Case):
    def gate(self, report, *words):
        done = self.run_program("gate", report, *words, "--json", "-")
        failed = {check["check"] for check in parse(done.stdout.decode())["checks"] if check["status"] == "failed"}
        self.assertEqual(done.returncode, int(bool(failed)), done.stderr)
        return failed


class Drawn(Case):
    def one(self, *words, **options):
        result, = self.document(*words, **options)["results"]
        one, = result["implementations"]
        return result["inputs"], one

    def test_repeated_squaring_is_found_by_few_samples(self):
        inputs, one = self.one("sweep", "pown", "-f", "fp64", "--impl", PLANTED, "-n", 20000)
        self.assertEqual((one["tested"], one["not_called"], inputs["integer_operand"]), (20000, 0, 1))
        self.assertGreater(one["over_1_ulp"], 500)

    def test_a_range_of_integers_is_its_integers(self):
        inputs, one = self.one("sweep", "pown", "-f", "fp64", "--impl", PLANTED, "--range", "0.5:2", "--range", "-64:64",
                               "-n", 5000)
        self.assertEqual((one["tested"], one["not_called"]), (5000, 0))
        self.assertGreater(one["max_ulp"]["error"], 5)
        _, one = self.one("sweep", "pown", "-f", "fp16", "--impl", "det", "--range", "1:2", "--range", "-64:64")
        self.assertEqual(one["tested"], 1025 * 129)
        self.assertEqual([["0x0000", "0x5400"], ["0xbc00", "0xd400"]], self.document(
            "sweep", "pown", "-f", "fp16", "--impl", "det", "--range", "1:1", "--range", "-64:64")["results"][0]["inputs"][
                "ranges"][1])

    def test_all_pairs_are_all_calls(self):
        inputs, one = self.one("sweep", "pown", "-f", "fp8_e4m3fn", "--impl", "det", "--all")
        # 0, 1 to 16, and 38 more from there to 448, of both signs.
        self.assertEqual((inputs["count"], one["tested"]), (256 * 109, 256 * 109))

    def test_search_tries_integers(self):
        _, one = self.one("search", "pown", "-f", "fp64", "--impl", PLANTED, "--evaluations", 20000, "--range", "0.5:2",
                          "--range", "-64:64")
        self.assertEqual(one["not_called"], 0)
        self.assertGreater(one["max_ulp"]["error"], 5)

    def test_orders_are_the_usual_ones_unless_they_are_named(self):
        inputs, one = self.one("sweep", "jn", "-f", "fp64", "--impl", "libm", "-n", 256, notes=True)
        self.assertIn("-1024:1024", inputs["description"])
        self.assertEqual(one["tested"], 256)

    def test_vectors_have_integers(self):
        for name, operand in (("pown", 1), ("scalbn", 1)):
            with self.subTest(name=name):
                group, = parse(self.succeed("emit", name, "-f", "fp64", "-n", 20))["testGroups"]
                orders = [struct.unpack(">d", bytes.fromhex(test["in"][operand][2:]))[0] for test in group["tests"]]
                self.assertTrue(all(order == int(order) for order in orders))
                results = [struct.unpack(">d", bytes.fromhex(test["out"][0][2:]))[0] for test in group["tests"]
                           if {"random", "hard"} & set(test["flags"])]
                self.assertGreater(sum(1 for y in results if y and abs(y) < float("inf")), len(results) // 2)


class Endless(Case):
    def test_more_than_a_sweep_can_end_is_said(self):
        running = self.start("sweep", "pown", "-f", "fp64", "--range", "0.5:2", "--range", "-64:64", "--impl", "libm")
        self.assertRegex(running.stderr.readline().decode(), r"note: these are 1,[0-9,]+ pairs; --samples N takes N of them\n")


class Unanswered(GateCase):
    def limits(self, **limits):
        return self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [limits]}))

    def test_what_is_explained(self):
        """Limits of differences hold of what was answered, and where half was not, they fail."""
        sides = ("--impl", f"{EXPLAINED}:every_second,array", "--impl", "cr")
        self.run_program("explain", "exp", "-f", "fp32", "--range", "1:0x1.0001p+0", *sides, "--json", "half.json")
        with open(os.path.join(self.path, "half.json"), encoding="utf-8") as stream:
            told = json.load(stream)["results"][0]["implementations"][0]["explanation"]
        self.assertEqual((told["tested"], told["unanswered"], told["differ"]), (65, 64, 0))
        for words in (("--max-differences", 0), ("--max-unexplained", 0), ("--policy", self.limits(max_differences=0))):
            self.assertEqual(self.gate("half.json", *words), {"max_events", "max_unanswered"}, words)
        few = self.limits(max_differences=0, max_unanswered=63, max_events=64)
        self.assertEqual(self.gate("half.json", "--policy", few), {"max_unanswered"})
        enough = self.limits(max_differences=0, max_events=64)
        self.assertEqual(self.gate("half.json", "--policy", enough), set())

    def test_one_alone(self):
        words = ("exp", "-f", "fp32", "--range", "1:0x1.0001p+0", "--impl", f"{EXPLAINED}:every_second,array")
        done = self.run_program("explain", *words)
        self.assertIn(b"64 inputs without an answer", done.stdout)
        self.run_program("explain", *words, "--json", "one.json")
        self.assertEqual(self.gate("one.json", "--max-differences", 0), {"max_events", "max_unanswered"})


class NeverCalled(GateCase):
    def setUp(self):
        super().setUp()
        self.inputs = self.file("inputs", "2 0.5\n3 2\n4 inf\n5 0.25\n")

    def test_it_is_told(self):
        text = self.succeed("sweep", "pown", "--impl", "det", "--inputs", self.inputs)
        self.assertEqual(text.splitlines()[0], "pown  fp32  nearest-even  ONLY 1 of 4 judged")
        self.assertIn("  never called           3  (no integer of C)\n", text)
        result, = self.document("sweep", "pown", "--impl", "det", "--inputs", self.inputs)["results"]
        one, = result["implementations"]
        self.assertEqual((one["tested"], one["not_called"], one["unanswered"]), (1, 3, 0))
        self.assertIsNotNone(one["fingerprint"])

    def test_it_is_told_of_many(self):
        text = self.succeed("sweep", "pown", "compoundn", "--impl", "det", "--inputs", self.inputs)
        self.assertEqual(text.count("only 1 of 4 judged"), 2)

    def test_it_is_no_test(self):
        done = self.run_program("sweep", "pown", "--impl", "det", "--inputs", self.file("none", "2 0.5\n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"nothing was tested: no input has an integer", done.stderr)

    def test_shards_add_it(self):
        parts = []
        for number in (1, 2):
            path = os.path.join(self.path, f"{number}.json")
            done = self.run_program("sweep", "pown", "--impl", "det", "--inputs", self.inputs, "--shard", f"{number}/2",
                                    "--json", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            parts.append(path)
        whole = os.path.join(self.path, "whole.json")
        self.succeed("merge", *parts, "-o", whole)
        with open(whole, encoding="ascii") as stream:
            self.assertEqual(re.findall(r'"not_called":\s*(\d+)', stream.read()), ["3"])
        self.succeed("gate", whole, "--max-ulp", 1, "--max-not-called", 3)

    def test_limits_that_hold_of_under_half_fail(self):
        self.succeed("sweep", "pown", "--impl", "det", "--inputs", self.inputs, "--json", "few.json")
        for words in (("--max-ulp", 1), ("--max-incorrect", 0), ("--max-not-called", 2, "--max-ulp", 1)):
            self.assertEqual(self.gate("few.json", *words), {"max_not_called"})
        self.assertEqual(self.gate("few.json", "--max-ulp", 1, "--max-not-called", 3), set())
        policy = self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1}]}))
        done = self.run_program("sweep", "pown", "--impl", "det", "--inputs", self.inputs, "--policy", policy)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.succeed("gate", "few.json", "--update", "today.json")
        self.assertEqual(self.gate("few.json", "--policy", "today.json"), set())
        half = self.file("half", "2 0.5\n3 2\n4 3\n5 0.25\n")
        self.succeed("sweep", "pown", "--impl", "det", "--inputs", half, "--json", "half.json")
        self.assertEqual(self.gate("half.json", "--max-ulp", 1), set())
        self.assertEqual(self.gate("half.json", "--max-ulp", 1, "--max-not-called", 1), {"max_not_called"})

    def test_explain_and_invariance_tell_it(self):
        none = self.file("none", "2 0.5\n")
        for words, limit, first in ((("explain", "pown", "--impl", "det", "--impl", "cr"), "--max-differences", ": equal; of 2^64 inputs  ONLY 1 of 4 looked at\n"),
                                    (("explain", "pown", "--impl", "det"), "--max-differences", "  ONLY 1 of 4 looked at\n"),
                                    (("invariance", "pown", "--impl", "det", "--property", "position,repetition"), "--max-changed",
                                     "never called: 3  (no integer of C); ONLY 1 of 4 compared\n")):
            self.assertIn(first, self.succeed(*words, "--inputs", self.inputs, "--json", "few.json"))
            with open(os.path.join(self.path, "few.json"), encoding="utf-8") as stream:
                text = stream.read()
            one, = json.loads(text)["results"][0]["implementations"]
            self.assertEqual((one["tested"], set(re.findall(r'"not_called":\s*(\d+)', text))), (1, {"3"}))
            if len(words) != 4:
                self.assertEqual(self.gate("few.json", limit, 0), {"max_not_called"})
                self.assertEqual(self.gate("few.json", limit, 0, "--max-not-called", 3), set())
            done = self.run_program(*words, "--inputs", none)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"nothing was tested: no input has an integer", done.stderr)
        self.assertEqual(self.run_program(*words, "--inputs", self.inputs, "--max-changed", 0).returncode, 1)

    def test_what_a_sweep_chooses_by_itself_are_calls(self):
        """So that the limit of half fails no honest run."""
        for words in (("-f", "fp8_e5m2", "--all"), ("-f", "fp32", "--special"), ("-f", "fp32", "-n", 3000)):
            self.succeed("sweep", "pown", "rootn", "compoundn", *words, "--impl", "det", "--json", "made.json", notes=True)
            with open(os.path.join(self.path, "made.json"), encoding="utf-8") as stream:
                counts = re.findall(r'"not_called":\s*(\d+)', stream.read())
            self.assertEqual(counts, ["0"] * 3, words)

    def test_the_page_says_it(self):
        report, page = os.path.join(self.path, "report.json"), os.path.join(self.path, "page.html")
        self.succeed("sweep", "pown", "--impl", "det", "--inputs", self.inputs, "--json", report)
        self.succeed("report", report, "-o", page)
        with open(page, encoding="utf-8") as stream:
            self.assertIn("fewer than half of the inputs were judged", stream.read())


if __name__ == "__main__":
    unittest.main()
