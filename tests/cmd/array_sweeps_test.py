"""Sweeps of arrays by the program: orders that part or do not, threads, the gate, clients,
small formats and mistakes."""

import json
import os
import random
import unittest

import harness


class ArraySweeps(harness.Case):
    def test_a_gate_judges_arrays(self):
        self.succeed("sweep", "logsumexp", "--distribution", "large", "--shape", 50, "--json", "r.json")
        passed = self.run_program("gate", "r.json", "--max-ulp", 2)
        self.assertEqual(passed.returncode, 1)  # the naive one
        self.assertIn(b"detcheck sweep logsumexp --shape 50 --distribution large --samples 1 --seed 1",
                      passed.stdout)

    def test_reports_and_lists_say_what_accumulates(self):
        for options, said in ((("-f", "bf16"), "fp32"), (("-f", "fp64"), "fp64"),
                              (("-f", "fp32", "--accumulate", "fp64"), "fp64"),
                              (("-f", "fp16", "--dtype", "fp64"), "fp64")):
            results = self.document(
                "sweep", "sum", "mean", "cumsum", "dot", "logsumexp", "logcumsumexp", "softmax", "log_softmax",
                "--distribution", "normal", "--shape", 5, *options)["results"]
            for one in (one for result in results for one in result["implementations"]):
                exact = one["detail"] in ("exact sum, rounded once", "the exact result, rounded once")
                self.assertEqual(exact, one["name"] == "cr")
                self.assertTrue(exact or one["detail"].endswith(f"; accumulated in {said}"), one["detail"])
        rows = json.loads(self.succeed("list", "operations", "--json", "-"))["operations"]
        for row in rows:
            self.assertEqual("implementations" in row, "shape" in row["parameters"], row["name"])
            for one in row.get("implementations", ()):
                self.assertTrue(one["detail"])

    def test_a_sweep_of_values_of_ones_own(self):
        path = self.file("own.txt", "# two calls of dot of length 2, a last one that cancels\n[[1, 2], [3, 4]] [[0.5, -0.5], [1, 1]]\n"
                                    "1e8 -1e8, 1 1\n")
        words = ("sweep", "dot", "--shape", 2, "--inputs", path, "-f", "fp32", "-i", "sequential")
        result = self.document(*words)["results"][0]
        self.assertRegex(result["inputs"].pop("identity"), "^xxh3-128:[0-9a-f]{32}$")
        self.assertEqual(result["inputs"], {"kind": "arrays", "description": f"3 calls from {path[-100:]}"[:111], "count": 3})
        self.assertNotIn("distribution", result["parameters"])
        one = result["implementations"][0]
        self.assertEqual((one["tested"], one["incorrectly_rounded"]), (3, 0))
        codes = [self.document("eval", "dot", *call, "-f", "fp32")["results"][0]["elements"][0]["want"]
                 for call in (("1", "2", "3", "4"), ("0.5", "-0.5", "1", "1"), ("1e8", "-1e8", "1", "1"))]
        vectors = self.file("same.txt", "\n".join(["0x3f800000 0x40000000 0x40400000 0x40800000", "0x3f000000 0xbf000000 0x3f800000",
                                                   "0x3f800000 0x4cbebc20 0xccbebc20 0x3f800000 0x3f800000"]))
        same = self.document(*words[:5], vectors, *words[6:])["results"][0]["implementations"][0]
        self.assertEqual(one["fingerprint"], same["fingerprint"])
        self.assertEqual(codes, ["0x41300000", "0x00000000", "0x00000000"])
        other = self.document(*words[:5], self.file("other.txt", "1 2 3 4 " * 3), *words[6:])["results"][0]["implementations"][0]
        self.assertNotEqual(one["fingerprint"], other["fingerprint"])
        # Parts of it make the whole again, and not parts of two files.
        for number, of in ((1, path), (2, path), (2, self.file("less.txt", "1 2 3 5 " * 3))):
            self.succeed(*words[:5], of, *words[6:], "--shard", f"{number}/2", "--json", f"{number}{of == path}.json")
        self.succeed("merge", "1True.json", "2True.json", "-o", "whole.json")
        with open(os.path.join(self.path, "whole.json"), encoding="utf-8") as stream:
            merged = json.load(stream)["results"][0]
        self.assertEqual((merged["inputs"]["count"], merged["implementations"][0]["fingerprint"]), (3, one["fingerprint"]))
        self.assertNotEqual(self.run_program("merge", "1True.json", "2False.json", "-o", "no.json").returncode, 0)
        for more, said in (((path, "--shape", "5"), "dot of that shape needs 10 values a call"),
                           ((path, "--distribution", "normal"), "--distribution and --inputs exclude each other"),
                           ((path, "--samples", "2"), "--samples is for arrays drawn at random"),
                           ((path, "--inputs-as", "glibc"), "--inputs-as is for operations on numbers"),
                           ((self.file("bad.txt", "1 2 3 x"),), "bad.txt: value 4: 'x' is not a number")):
            self.assertIn(said, self.refuse("sweep", "dot", "--inputs", *more))

    def test_an_accumulation_that_does_not_hold_the_results(self):
        for words, said in ((("sum", "-f", "fp64", "--accumulate", "fp32"), "--accumulate needs fp64 for"),
                            (("dot", "-f", "fp16", "--accumulate", "bf16"), "needs fp16, fp32 or fp64 for"),
                            (("sum", "-f", "fp8_e5m2", "--accumulate", "tf32"), "needs fp16, bf16, fp32 or fp64 for"),
                            (("softmax", "--dtype", "fp64", "--accumulate", "fp32"), "results in fp64"),
                            (("matmul", "--accumulate", "tf32"), "not tf32")):
            self.assertIn(said, self.refuse("sweep", *words))
        self.assertIn("--accumulate", self.refuse("eval", "sum", 1, 2, "-f", "fp64", "--accumulate", "fp32"))
        for words, said in ((("softmax", "-f", "fp16", "--accumulate", "fp16", "-i", "libm"),
                             b"libm accumulates in fp32 or fp64 here, not in fp16"),
                            (("sum", "-f", "bf16", "--accumulate", "bf16", "-i", "lib:libm.so.6:expf"),
                             b"functions of C have float or double, and no bf16")):
            done = self.run_program("sweep", *words)
            self.assertEqual((done.returncode, said in done.stderr), (2, True), done.stderr)
        self.assertIn("--accumulate", self.refuse("sweep", "scaled.add", "--accumulate", "fp32"))

    def test_only_cr_gives_the_same_bits_for_any_order_of_the_elements(self):
        """cr gives the same bits for any order of the elements, of every format; other orders do not."""
        source = random.Random(3)
        text = self.succeed("emit", "sum", "mean", "dot", "-f", "fp32,fp64,fp16,bf16", "--distribution",
                            "cancelling", "--shape", 1025, "-n", 2)
        document = json.loads(text)
        for group in document["testGroups"]:
            for test in group["tests"]:
                rows = list(zip(*test["in"]))
                source.shuffle(rows)
                test["in"] = [list(column) for column in zip(*rows)]
        path = self.file("permuted.json", json.dumps(document))
        self.assertIn("24 tests pass", self.succeed("verify", path, "--impl", "cr", "--first", 0))
        for name in ("det", "sequential", "pairwise", "blocked"):
            self.assertEqual(self.run_program("verify", path, "--impl", name).returncode, 1)

    def test_threads_change_nothing(self):
        for words in (("sum", "logcumsumexp", "softmax", "matmul", "--distribution", "normal", "--samples", 2),
                      ("cumsum", "--shape", 700, "--exclusive", "--reverse", "--dtype", "fp16", "--samples", 9),
                      ("scaled.softmax", "scaled.matmul", "scaled.rebalance", "--distribution", "near",
                       "--samples", 3),
                      ("dyadic.requantise", "dyadic.add", "--s1", 5, "--stochastic", 7, "--samples", 3)):
            words = ("sweep", *words, "--json", "-")
            one = self.succeed(*words, "--threads", 1)
            self.assertIn('"fingerprint":', one)
            self.assertEqual(harness.without_run(one),
                             harness.without_run(self.succeed(*words, "--threads", 8)))

    def test_no_program_that_the_oracle_computes_passes_for_one_of_its_own(self):
        det, cr = self.results("rms_norm", "--distribution", "normal", "--samples", 2, "-i", "det,cr")[0]["implementations"]
        self.assertEqual((det["provided"], det["detail"]),
                         (True, "in pairs of fp32, blocks of 1024 in 64 lanes, then a binary tree"))
        self.assertEqual((cr["provided"], cr["detail"]), (True, "what the oracle finds, rounded once"))

    def test_orders_part_and_the_report_says_so(self):
        results = self.results("sum", "--distribution", "cancelling", "--shape", 1000, "--samples", 8)
        self.assertEqual(len(results), 1)
        result = results[0]
        self.assertEqual(result["parameters"]["distribution"], "cancelling")
        self.assertEqual(result["parameters"]["shape"], [1000])
        self.assertEqual(result["inputs"]["kind"], "arrays")
        self.assertEqual(result["inputs"]["count"], 8)
        tested = {one["name"]: one for one in result["implementations"]}
        self.assertEqual(sorted(tested), ["blocked", "cr", "det", "pairwise", "sequential"])
        self.assertTrue(all(one["tested"] == 8 for one in tested.values()))
        self.assertEqual(tested["cr"]["incorrectly_rounded"], 0)
        self.assertGreater(tested["sequential"]["incorrectly_rounded"], 0)
        apart = {(one["a"], one["b"]): one["count"] for one in result["differences"]}
        self.assertEqual(len(apart), 10)
        self.assertGreater(apart["det", "sequential"], 0)
        worst = tested["sequential"]["max_ulp"]["input"]
        self.assertEqual(worst["shape"], [1000])
        self.assertLess(worst["draw"], 8)
        self.assertEqual(worst["element"], 0)

    def test_a_family_for_each_line_of_the_table(self):
        table = self.succeed("sweep", "logsumexp", "--shape", 20).splitlines()
        self.assertTrue(table[0].startswith("logsumexp "))
        names = {line.split()[0] for line in table[2:] if line}
        self.assertLessEqual({"normal", "cancelling", "outlier", "minus_infinity", "special"}, names)

    def test_narrow_formats_are_swept(self):
        for name in ("fp16", "bf16", "fp8_e4m3fn", "fp8_e5m2", "fp64"):
            results = self.results("sum", "softmax", "--distribution", "normal", "--shape", 65, "-f",
                                   name)
            for result in results:
                for one in result["implementations"]:
                    self.assertTrue(one["provided"])
                    if one["name"] == "cr":
                        self.assertEqual(one["incorrectly_rounded"], 0)

    @harness.needs_faulty_libm
    def test_a_fault_of_libm_is_found(self):
        words = ("softmax", "--distribution", "large", "--shape", 8, "--impl", "libm", "--samples", 4)
        good = self.results(*words)[0]["implementations"][0]
        faulty = harness.faulty(at=0, xor=1 << 20)  # of expf(0), which every line calls
        bad = json.loads(self.succeed("sweep", *words, "--json", "-", env=faulty))
        bad = bad["results"][0]["implementations"][0]
        self.assertGreater(bad["over_1_ulp"], good["over_1_ulp"])

    def test_mistakes_are_told(self):
        self.assertIn("none of an array", self.refuse("sweep", "sum", "--shape", "3x4", "--axis", 2))
        self.assertIn("ROWSxINNERxCOLUMNS", self.refuse("sweep", "matmul", "--shape", 8))
        self.assertIn("did you mean normal?",
                      self.refuse("sweep", "sum", "--distribution", "normale"))
        self.assertIn("more than", self.refuse("sweep", "sum", "--shape", "100000x100000"))
        self.assertIn("--range is for operations on numbers",
                      self.refuse("sweep", "sum", "--range", "0:1"))
        self.assertIn("needs 12 values", self.refuse("eval", "sum", 1, 2, "--shape", "3x4"))
        self.assertIn("blocked is a way to work on arrays",
                      self.refuse("sweep", "exp", "--impl", "blocked"))
        self.refuse("sweep", "sum", "--shape", "0")
        self.refuse("sweep", "softmax", "--exclusive")

    def test_shuffled_inputs_give_one_fingerprint_where_order_does_not_count(self):
        for words in (("sum", "dot", "-f", "fp32"), ("mean", "-f", "fp64"), ("sum", "dot", "-f", "bf16")):
            prints = [
                {(result["operation"], one["name"]): one["fingerprint"]
                 for result in self.results(*words, "--distribution", name, "--shape", 1000, "--samples", 40)
                 for one in result["implementations"] if one["provided"]}
                for name in ("normal", "shuffled")]
            self.assertEqual(prints[0].keys(), prints[1].keys())
            for (operation, name), fingerprint in prints[0].items():
                # What det, pairwise and the like accumulate in fp32 may well round to the same bf16.
                if name == "cr":
                    self.assertEqual(fingerprint, prints[1][operation, name], words)
                elif "bf16" not in words:
                    self.assertNotEqual(fingerprint, prints[1][operation, name], (name, words))


if __name__ == "__main__":
    unittest.main()
