"""`detcheck search`: what it finds is there, and the same is found again."""

import json
import os
import re
import time
import unittest

from harness import Case, parse
from report_checks import check_document

FAULTY = "lib:" + os.environ["FAULTY_LIBRARY"]
PLANTED = "lib:" + os.environ["PLANTED_LIBRARY"]
WORST = "0x3ffb504f333f9de6"  # tests/programs/planted_library.c


class SearchCase(Case):
    def search(self, *words, **options):
        """The one result of a search."""
        result, = self.document("search", *words, **options)["results"]
        return result


class Search(SearchCase):
    def test_the_same_on_any_number_of_threads(self):
        # The last ones are past the survey, and breed.
        for words, count in ((("acosh",), 200000), (("pow", "-f", "fp32"), 200000),
                             (("exp", "--for", "boundary"), 200000), (("acosh", "--range", "1:1.9"), 1000000),
                             (("fma", "-f", "fp16", "--for", "difference", "--impl", "libm", "--impl", "lib:libm.so.6"),
                              200000)):
            with self.subTest(words=words):
                runs = []
                for threads in (1, 3):
                    document = self.document("search", *words, "--evaluations", count, "--threads", threads)
                    check_document(self, document)
                    del document["run"]
                    runs.append(document)
                self.assertEqual(*runs)
                search = runs[0]["results"][0]["inputs"]["search"]
                self.assertEqual(search["evaluations"], count)

    def test_each_of_several_searches_has_its_share(self):
        words = ("search", "exp", "--impl", "libm", "--impl", "lib:libm.so.6", "--evaluations")
        result, = self.document(*words, 3001)["results"]
        self.assertEqual([part["evaluations"] for part in result["inputs"]["search"]["parts"]], [1501, 1500])
        self.assertIn("--evaluations should be 2 or more", self.refuse(*words, 1))

    def test_another_seed_finds_others(self):
        first, second = (self.search("acosh", "--evaluations", 100000, "--seed", seed) for seed in (1, 2))
        self.assertNotEqual(first["inputs"]["search"]["parts"], second["inputs"]["search"]["parts"])

    def test_the_best_grows_and_is_confirmed(self):
        result = self.search("acosh", "--evaluations", 3000000)
        part, = result["inputs"]["search"]["parts"]
        self.assertEqual(part["implementations"], ["libm"])
        growth = part["growth"]
        self.assertEqual(growth, sorted(growth, key=lambda row: (row["evaluations"], row["error"])))
        self.assertEqual(growth[-1]["error"], part["best"][0]["error"])
        worst = result["implementations"][0]["max_ulp"]
        self.assertEqual(worst["input"], part["best"][0]["input"])
        self.assertAlmostEqual(worst["error"], part["best"][0]["error"], delta=2 ** -23)
        shown = self.document("eval", "acosh", worst["input"], "-f", "fp64", "--impl", "libm")
        self.assertAlmostEqual(shown["results"][0]["implementations"][0]["error"], worst["error"], delta=2 ** -23)


class Planted(SearchCase):
    def found(self, *words):
        document = self.document("search", "sqrt", "--threads", 1, *words)
        part, = document["results"][0]["inputs"]["search"]["parts"]
        return part["best"]

    def test_the_run_is_that_of_the_search(self):
        """Not of the judging of what it found."""
        out = self.succeed("search", "log", "--evaluations", "40000", "-t", "1")
        self.assertIn("40,000 inputs in ", out)
        run = parse(self.succeed("search", "log", "--seconds", "0.3", "-t", "1", "--json", "-"))["run"]
        self.assertGreater(run["seconds"], 0.29)

    def test_a_planted_hill_is_found(self):
        best = self.found("--impl", PLANTED, "--evaluations", 10000000, "--range", "0.5:8")
        self.assertGreater(best[0]["error"], 39)

    def test_a_fault_of_one_interval_is_found(self):
        # Of 2^-5 to 2^-8 of a binade; the first lies in one of 4092, in the others' half of the inputs most are 0 or 1.
        for symbol, from_, to, count in (("sin", "-0x1.5p500", "-0x1.48p500", 8000000), ("exp", "300", "301", 3000000),
                                         ("exp", "-0x1.01p-3", "-0x1p-3", 3000000)):
            with self.subTest(symbol=symbol, at=from_):
                result = self.search(symbol, "--evaluations", count, "--impl", f"{PLANTED}:{symbol}_with_fault",
                                     env={"WRONG_FROM": from_, "WRONG_TO": to})
                self.assertGreater(result["implementations"][0]["max_ulp"]["error"], 3.5)

    def test_errors_that_grow_near_zeros_between_poles_are_found(self):
        for seed in (5, 6):
            with self.subTest(seed=seed):
                result = self.search("lgamma", "--evaluations", 3000000, "--seed", seed, "--impl", f"{PLANTED}:lgamma_with_fault",
                                     env={"WRONG_FROM": "0", "WRONG_TO": "1e-4"})
                self.assertGreater(result["implementations"][0]["max_ulp"]["error"], 1000)

    def test_a_survey_that_ends_early_was_everywhere(self):
        best = self.found("--impl", "libm", "--evaluations", 100000)
        binades = {int(row["input"], 16) >> 52 for row in best}
        self.assertGreater(max(binades) - min(binades), 1000)

    def test_a_fault_of_a_special_input_is_found(self):
        # Zero alone: no survey of a binade draws it.
        for words, symbol in ((("exp", "--evaluations", 1000), "exp"),
                              (("pow", "-f", "fp32", "--evaluations", 10000), "powf")):
            with self.subTest(symbol=symbol):
                result = self.search(*words, "--impl", f"{PLANTED}:{symbol}_with_fault",
                                     env={"WRONG_FROM": "0", "WRONG_TO": "1e-320"})
                worst = result["implementations"][0]["max_ulp"]
                self.assertEqual(worst["error"], 4)
                self.assertEqual(int(str(worst["input"] if symbol == "exp" else worst["input"][1]), 16) * 2 % 2**32, 0)

    def test_a_fault_of_pairs_is_found(self):
        result = self.search("pow", "-f", "fp32", "--evaluations", 1000000, "--impl", f"{PLANTED}:powf_with_fault",
                             env={"WRONG_FROM": "2", "WRONG_TO": "2.125"})
        self.assertGreater(result["implementations"][0]["max_ulp"]["error"], 3.5)

    def test_a_known_input_is_judged_and_searched_around(self):
        self.file("known", "0.25\n" + WORST + "\n")
        best = self.found("--impl", PLANTED, "--evaluations", 20000, "--start", "known")
        self.assertEqual(best[0]["input"], WORST)
        self.assertGreater(best[0]["error"], 39.4)

    def test_known_inputs_outside_of_the_range_are_left_out(self):
        self.file("known", "9\n" + WORST + "\n1.5\n")
        document = self.document("search", "sqrt", "--threads", 1, "--impl", PLANTED, "--evaluations", 5000,
                                 "--start", "known", "--range", "1:1.25", "--json", "r")
        for row in document["results"][0]["inputs"]["search"]["parts"][0]["best"]:
            self.assertLessEqual(int(row["input"], 16), 0x3ff4000000000000)
        self.assertLess(document["results"][0]["implementations"][0]["max_ulp"]["error"], 1)

    def test_known_inputs_are_among_those_that_the_report_judges(self):
        known = [int(WORST, 16) + 1000 * i for i in range(100)]  # more than a report lists
        self.file("known", "".join(f"{code:#x}\n" for code in known))
        document = self.document("search", "sqrt", "--threads", 1, "--impl", PLANTED, "--evaluations", 100,
                                 "--start", "known")
        self.assertGreaterEqual(document["results"][0]["implementations"][0]["over_1_ulp"], 100)

    def test_the_largest_difference(self):
        self.file("known", WORST)
        best = self.found("--impl", "libm", "--impl", PLANTED, "--for", "difference", "--evaluations", 20000,
                          "--start", "known")
        self.assertEqual(best[0], {"input": WORST, "difference": 40})

    def test_where_nothing_differs_that_is_said(self):
        document = self.document("search", "exp", "--impl", "libm", "--impl", "lib:libm.so.6", "--for", "difference",
                                 "--evaluations", 20000, "--range", "1:2")
        self.assertEqual(document["results"][0]["inputs"]["description"],
                         "no difference found among 20,000 inputs from 1:2, seed 1")
        self.assertIn("lower bounds: other inputs may have larger errors",
                      self.succeed("search", "exp", "--evaluations", 20000))

    def test_hard_cases_of_every_binade(self):
        document = self.document("search", "exp", "--threads", 1, "--for", "boundary", "--evaluations", 2000000,
                                 "--range", "0x1p-20:0x1p9")
        near = set()
        for row in document["results"][0]["inputs"]["search"]["parts"][0]["best"]:
            self.assertLess(row["distance"], 2 ** -28)
            near.add(int(row["input"], 16) >> 52)
        self.assertGreater(len(near), 7)

    def test_boundaries_are_near(self):
        best = self.found("--for", "boundary", "--evaluations", 200000, "--range", "1:2")
        self.assertLess(best[0]["distance"], 2 ** -30)
        shown = self.document("eval", "sqrt", best[0]["input"], "-f", "fp64", "--impl", "libm")["results"][0]
        self.assertAlmostEqual(float(shown["boundary_distance"]), best[0]["distance"], delta=2 ** -60)


class Refusals(Case):
    def test_bad_input(self):
        complaint = self.refuse("search", "exp", "--axis", "1")
        self.assertIn("search has no option --axis", complaint)
        self.assertNotIn("--axis", self.succeed("search", "--help", "all"))
        known = self.file("known", "x\n")
        for words, complaint in ((("exp", "-f", "fp32"), "'detcheck sweep exp -f fp32 --all'"), (("sum",), "arrays"),
                                 ((), "needs an operation"), (("exp", "--seconds", "0"), "--seconds"),
                                 (("exp", "--seconds", "1", "--evaluations", "1"), "exclude each other"),
                                 (("exp", "--for", "fun"), "--for"), (("exp", "--start", known), "known:1"),
                                 (("exp", "--inputs-as", "tst"), "--start"),
                                 (("exp", "--for", "difference"), "two implementations"),
                                 (("j0", "--for", "difference", "--impl", "libm,det"),
                                  "nothing was tested: det has no j0 in fp64"),
                                 (("cast", "--to", "fp8_e4m3fn", "-f", "fp64"), "name one by --impl"),
                                 (("exp", "--impl", "libm,lib:libm.so.6"), "--impl A --impl B"),
                                 (("exp", "--range", "nan:nan"), "NaN"),
                                 (("exp", "--impl", "exec:true"), "before it reported that it is ready"),
                                 (("exp", "--impl", "exec:/nonexistent"), "there is no program"),
                                 (("exp", "--impl", "file:" + known), "chooses its own")):
            with self.subTest(words=words):
                self.assertIn(complaint, self.refuse("search", *words))

    def test_a_library_that_needs_another_one(self):
        with open(PLANTED.removeprefix("lib:"), "rb") as stream:
            library = stream.read()
        self.assertIn(b"\0libm.so.6\0", library)
        path = self.path + "/needy.so"
        with open(path, "wb") as stream:
            stream.write(library.replace(b"\0libm.so.6\0", b"\0libq.so.6\0"))
        complaint = self.refuse("search", "exp", "--impl", f"lib:{path}:exp_with_fault")
        self.assertIn("libq.so.6", complaint)
        self.assertIn("LD_LIBRARY_PATH", complaint)
        self.assertNotIn("LD_LIBRARY_PATH", self.refuse("search", "exp", "--impl", f"lib:{path}.none"))

    def test_only_inputs_that_are_not_finite(self):
        self.assertIn("no finite", self.refuse("search", "exp", "--range", "inf:inf"))


class Isolation(Case):
    def test_a_crash_is_named_and_the_search_goes_on(self):
        self.file("known", "2\n3\n")
        document = self.document("search", "sqrt", "--impl", FAULTY, "--start", "known", "--evaluations", 20000,
                                 env={"FAULTS": "crash@4000000000000000"}, code=1)
        one = document["results"][0]["implementations"][0]
        self.assertEqual(one["events"], [{"kind": "crash", "input": "0x4000000000000000"}])
        self.assertEqual(document["results"][0]["inputs"]["search"]["evaluations"], 20000)

    def test_calls_that_hang_end_with_the_time(self):
        first, count = 0x4000000000000000, 24
        begun = time.monotonic()
        out = self.run_program("search", "sqrt", "--impl", FAULTY, "--seconds", "3.9", "--timeout", "4", "--range",
                               f"{first:#x}:{first + count - 1:#x}", "--json", "r", timeout=300,
                               env={"FAULTS": ",".join(f"hang@{first + i:x}" for i in range(count))}).stdout.decode()
        with open(self.path + "/r", encoding="utf-8") as stream:
            self.assertEqual(json.load(stream)["results"][0]["implementations"][0]["event_counts"]["hang"], 1)
        self.assertLess(time.monotonic() - begun, 2 * count)  # not 4 seconds for each, but once, when all is judged
        self.assertIn("no number with an error found among 0", out)

    def test_no_time_is_said(self):
        done = self.run_program("search", "exp", "--seconds", "0.000001")
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (2, "detcheck: nothing was tested: no call of exp returned within 1e-06 s; give a longer --seconds\n"))

    def has_error(self, name):
        """Whether a checkpoint of a search has an input with an error: the first ones may have none yet."""
        with open(os.path.join(self.path, name), "rb") as stream:
            return re.search(rb'"growth":\s*\[\{', stream.read())

    def test_an_interrupt_leaves_a_report(self):
        process = self.start("search", "acosh", "--seconds", "600", "--json", "r", "--checkpoint", "kept", "--checkpoint-every", "0")
        self.wait_until(lambda: self.has("kept") and self.has_error("kept"), process)
        code, out, complaint = self.stop(process)
        self.assertEqual(code, 130, complaint)
        self.assertRegex(complaint, r"\Adetcheck: interrupted.*\n\Z")
        self.assertIn("largest error", out)
        with open(self.path + "/r", encoding="utf-8") as stream:
            document = json.load(stream)
        self.assertIs(document["complete"], False)
        self.assertGreater(document["results"][0]["inputs"]["count"], 0)


class Report(Case):
    def test_other_commands_take_it(self):
        for seed in (1, 2):
            self.succeed("search", "acosh", "--evaluations", 300000, "--seed", seed, "--json", f"{seed}.json")
        merged = parse(self.succeed("merge", "1.json", "2.json"))
        with open(self.path + "/1.json", encoding="utf-8") as stream:
            first = json.load(stream)["results"][0]
        result, = merged["results"]
        search = result["inputs"]["search"]
        self.assertEqual(search["evaluations"], 600000)
        self.assertEqual(result["implementations"][0]["tested"], result["inputs"]["count"])
        self.assertGreater(result["inputs"]["count"], first["inputs"]["count"])
        self.assertGreaterEqual(search["parts"][0]["best"][0]["error"],
                                first["inputs"]["search"]["parts"][0]["best"][0]["error"])
        self.file("merged.json", json.dumps(merged))
        self.succeed("gate", "merged.json", "--max-ulp", 3)
        self.assertIn("detcheck eval acosh", self.run_program("gate", "merged.json", "--max-ulp", 1).stdout.decode())
        self.assertIn("equal", self.succeed("compare", "1.json", "1.json"))
        with open(os.path.join(self.path, "1.json"), encoding="utf-8") as stream:
            document = json.load(stream)
        for name in ("implementations", "evaluations", "best", "growth"):  # which merges would else leave out without a word
            altered = json.loads(json.dumps(document))
            del altered["results"][0]["inputs"]["search"]["parts"][0][name]
            self.file("altered.json", json.dumps(altered))
            self.assertIn(f"inputs.search.parts[0].{name} is missing", self.refuse("merge", "altered.json", "-o", "m.json"))
        self.succeed("report", "merged.json", "-o", "page.html")
        with open(self.path + "/page.html", encoding="utf-8") as stream:
            self.assertIn("What the search found", stream.read())

    def test_a_gate_compares_searches_that_found_other_inputs(self):
        def search(fault_to, name):
            self.succeed("search", "exp", "--range", "300:301", "--evaluations", 20000, "--json", name, "--impl",
                         f"{PLANTED}:exp_with_fault", env={"WRONG_FROM": "300", "WRONG_TO": fault_to})
        search("300", "right.json")
        search("300.5", "wrong.json")
        self.succeed("gate", "right.json", "--update", "right")
        self.succeed("gate", "wrong.json", "--update", "wrong")
        for report, code in (("right.json", 0), ("wrong.json", 1)):
            for before in (("--baseline", "right.json"), ("--policy", "right")):
                with self.subTest(report=report, before=before):
                    done = self.run_program("gate", report, *before)
                    self.assertEqual(done.returncode, code, done.stderr)
                    if code:
                        self.assertIn("max_ulp ", done.stdout.decode())
        self.succeed("gate", "right.json", "--policy", "wrong")  # it is better, and nothing else counts
        self.succeed("gate", "right.json", "--baseline", "wrong.json")


class Flushed(Case):
    """Subnormal results that come out as zero, off by up to 2^52 ulps, and 128 ulps near -0.41 besides."""

    def found(self, *words, code=0, seed=1):
        result, = self.document("search", "log1p", "-f", "fp64", "--impl", f"{PLANTED}:log1p_with_fault", "--evaluations", 200000,
                                "--seed", seed, *words, code=code)["results"]
        return result["implementations"][0]

    def is_the_fault(self, sighting):
        self.assertIn(round(sighting["error"]), range(127, 130))
        self.assertIn(sighting["input"][:6], ("0xbfd9", "0xbfda"))

    def test_they_are_told_apart(self):
        for seed in (1, 2, 3):
            one = self.found(seed=seed)
            self.assertGreater(one["max_ulp"]["error"], 1e12)
            self.assertGreater(one["flushed"], 0)
            self.is_the_fault(one["max_ulp_else"])

    def test_what_the_survey_finds_is_followed(self):
        # A slow implementation sees no more than half of the survey in ten seconds: it ended with 77 ulps.
        for seed in (1, 2, 3):
            result, = self.document("search", "log1p", "-f", "fp64", "--impl", f"{PLANTED}:log1p_with_hill", "--evaluations", 600000,
                                    "--seed", seed, "--range", "-1:1", "--accept", "flushed")["results"]
            self.assertGreater(result["implementations"][0]["max_ulp"]["error"], 120)

    def test_they_are_accepted(self):
        one = self.found("--accept", "flushed")
        self.is_the_fault(one["max_ulp"])
        self.assertEqual(one["flushed"], 0)
        self.assertIn("is for a search for errors",
                      self.refuse("search", "log1p", "--for", "boundary", "--accept", "flushed"))
        self.assertIn("--accept needs flushed, not all", self.refuse("search", "log1p", "--accept", "all"))

    def test_what_a_policy_allows_is_no_error(self):
        def policy(ulp):
            return self.file("policy", json.dumps({"schema": "detcheck/policy/1", "rules": [
                {"promise": {"ulp": ulp}, "accept": ["flushed_results", "zero_sign"]}]}))
        one = self.found("--policy", policy(4), code=1)
        self.is_the_fault(one["max_ulp"])
        self.assertGreater(one["promise"]["violations"], 0)
        one = self.found("--policy", policy(200))
        self.assertEqual(one["promise"]["violations"], 0)
        self.is_the_fault(one["max_ulp"])  # allowed, and not hidden


if __name__ == "__main__":
    unittest.main()
