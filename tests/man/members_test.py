"""The manual pages against the program: every member of a document is told of, and none that does not
exist; examples print what they show.

Environment: as for pages.py; FAULTY_LIBM, if set, is the library of tests/programs/faulty_libm.c."""

import json
import os
import platform
import re
import shlex
import shlex
import shutil
import sys
import tempfile
import unittest

from pages import PAGES, examples, masked, members, page, page_members, run

REPORT = ("detcheck-report.7", "detcheck-report-tally.7", "detcheck-report-errors.7", "detcheck-report-events.7", "detcheck-report-flags.7",
          "detcheck-report-explain.7")

FAULTY_LIBM = os.environ.get("FAULTY_LIBM")

# One that tells flags and errno.
WORKER = "exec:" + " ".join(map(shlex.quote, (sys.executable, os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "impl", "remote", "faulty_worker.py"))))

# Members that no implementation there is can bring about in a test.
PAIRS = {"results[].differences[]." + name
         for name in ("a", "b", "count", "first", "first[].input", "first[].a", "first[].b",
                      "by_binade", "by_binade[].exponent", "by_binade[].count")}
# Faults of flags and of errno, which cmd/sweep_flags_test.py plants.
FAULTS = {f"results[].implementations[].{part}.faults[].{name}" for part in ("flags", "errno")
          for name in ("fault", part.rstrip("s"), "count", *(f"{row}{member}" for row in ("first", "worst")
                       for member in ("", ".input", ".got", ".seen", ".required", ".permitted", ".binades")))}
EVENTS = {"results[].implementations[].events[]." + name for name in ("kind", "input")}


class Members(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        self.addCleanup(directory.cleanup)
        self.inputs = os.path.join(directory.name, "inputs")
        with open(self.inputs, "w", encoding="ascii") as stream:
            stream.write("0.5\n-1\n0x7fc00000\n")
        self.policy = os.path.join(directory.name, "policy.json")
        with open(self.policy, "w", encoding="ascii") as stream:
            json.dump({"schema": "detcheck/policy/1",
                       "rules": [{"promise": {"ulp": 0.25}, "max_violations": 1000, "max_mean_ulp": 1},
                                 {"operation": "log", "implementation": "det", "promise": {"same_bits": "cr"},
                                  "max_violations": 1000}]}, stream)

    def compare(self, described, documents, excepted=frozenset()):
        found = set().union(*map(members, documents))
        self.assertEqual(found - described, set(), "members that the page does not tell of")
        self.assertEqual(described - found - excepted, set(), "members that no document has")

    def test_report(self):
        runs = [["sweep", "exp", "-f", "fp8_e5m2"],
                ["sweep", "sincos", "-f", "fp8_e4m3fn", "-r", "up"],
                ["sweep", "pow", "-f", "fp16", "-n", "1024", "--run-length", "64", "--seed", "7"],
                ["sweep", "pown", "-f", "fp16", "-n", "64", "--impl", "det"],
                ["sweep", "fma", "--special", "-f", "fp8_e4m3fnuz"],
                ["sweep", "exp", "--inputs", self.inputs, "--strict-nan"],
                ["sweep", "cumsum", "--shape", "4x5", "--samples", "7", "--impl", "det"],
                ["sweep", "dyadic.mul", "--shape", "300", "--distribution", "pairs", "--s1", "3", "--q", "2"],
                # One of them is not provided by libm.
                ["sweep", "sqrt", "-f", "fp8_e5m2", "-r", "nearest-even,nearest-away"],
                # No libm rounds all of these correctly.
                ["sweep", "unary", "-f", "fp64", "-r", "up", "-n", "2000"],
                # A NaN in comes out as it is, and is a mismatch.
                ["sweep", "log", "--range", "0xffc00000:0xffc00001", "--strict-nan"],
                ["sweep", "exp", "--range", "1:1", "--flags", "--errno", "--impl", "libm,lut"],
                ["sweep", "exp", "-n", "100", "--range", "1:2", "--impl", "det"],
                ["sweep", "sin", "-f", "fp16", "--show", "all", "--impl", "det"],
                ["sweep", "exp", "-f", "fp16", "--shard", "1/2", "--impl", "libm"],
                ["sweep", "log", "-n", "1000", "--range", "1:2", "--impl", "det,cr", "--policy", self.policy],
                ["sweep", "exp", "-n", "100", "--range", "1:2", "--impl", "det", "--policy", self.policy],
                ["sweep", "cumsum", "--shape", "5", "--samples", "4", "--impl", "det", "--shard", "2/2"],
                ["search", "acosh", "--evaluations", "70000", "--accept", "flushed", "--without", "built"],
                ["invariance", "exp", "-f", "fp16", "--range", "1:1.5", "--impl", "libm,det", "--property", "position,stride,threads,processor",
                 "--variant", "DETCHECK_LEVEL=none"],
                ["search", "exp", "--evaluations", "70000", "--for", "boundary", "--range", "0.5:1"],
                ["sweep", "from_decimal", "-n", "1", "--impl", "libm"],
                ["invariance", "sum", "--distribution", "normal", "--shape", "4", "-n", "1", "--property", "batch", "--impl", "det"]]
        kinds = [row["name"] for row in json.loads(run("list", "--json", "-"))["implementations"]]
        # Of blocks, whose reports cmd/mx_test.py reads.
        excepted = {"results[].implementations[].saturated", "results[].implementations[].vanished"}
        # Of neighbours that run the wrong way and of a function that is not odd, which cmd/measured_test.py has.
        excepted |= {f"results[].implementations[].{part}.first{name}" for part in ("monotony", "symmetry")
                     for name in ("", ".input", ".got", ".other", ".other.input", ".other.got")}
        # Of an output that changes, and of a crash meanwhile, which cmd/invariance_test.py has.
        excepted |= {"results[].implementations[].invariance[].first." + name
                     for name in ("input", "reference", "got", "where", "command")}
        excepted |= {f"results[].implementations[].events[].{name}" for name in ("property", "where", "command")}
        excepted |= {f"results[].implementations[].invariance[].{name}" for name in ("not_asked", "unrepeatable")}
        # A call that reports a wrong end: cmd/decimal_effects_test.py has one.
        excepted |= {f"results[].implementations[].lengths.first{name}" for name in ("", ".input", ".got", ".want")}
        # Of inputs that are no call of C, which cmd/calls_test.py has.
        excepted |= {f"results[].implementations[].{name}.not_called" for name in ("explanation", "invariance[]")}
        # Of a crash and of a cause that cmd/explain_test.py has.
        excepted |= {f"results[].implementations[].explanation.{side}.{name}" for side in "ab" for name in (
            "event_counts", "first_event", "asked_no_further", "libraries_except", *(f"first_event.{member}" for member in ("kind", "input", "command")))}
        excepted |= {f"results[].implementations[].explanation.explanations[].{name}" for name in (
            "of_magnitudes", "from_below", "to_below", "no_cause", "part_of")}
        # Of two implementations, which cmd/search_test.py has.
        excepted |= FAULTS
        excepted |= {f"results[].inputs.search.parts[].{name}[].difference" for name in ("best", "growth")}
        # Intel's SVML is no part of a system, and its many accuracies would show nothing more; MPFR alone is slow.
        vectors = {"svml", "exact"}
        if platform.machine() not in ("x86_64", "AMD64"):  # where alone those are called, and libm's bits depend on the processor
            vectors |= {"sleef", "libmvec"}
            excepted.add("results[].implementations[].invariance[].variants[].changed")
        bare = [name for name in kinds if not name.endswith(":") and name not in vectors]
        if len(bare) > 1:
            runs.append(["sweep", "unary", "-n", "20000", "--impl", ",".join(bare)])
        else:
            excepted |= PAIRS
        documents = [json.loads(run(*words, "--json", "-")) for words in runs]
        # Of the second pair most differences have no simple cause.
        documents += [json.loads(run("explain", *words, "--json", "-", code=1)) for words in (
            ["exp", "-f", "fp16", "--impl", "cr,det"], ["erfc", "-n", "5000", "--impl", "libm,det"])]
        # Of files of fingerprints and of causes by place, which cmd/explain_test.py has.
        excepted |= {"results[].implementations[].explanation." + name for name in (
            "blocks", "blocks_differ", "note", *(f"explanations[].{row}" for row in ("from", "to", "period", "same_as", "wrong")),
            *(f"explanations[].wrong.{member}" for member in ("input", "a", "b", "command")),
            *(f"{side}.fingerprints.{inputs}" for side in "ab" for inputs in ("all", "samples", "special")))}
        if shutil.which("cc"):  # whose constants are those of another rounding
            pair = os.path.join(os.path.dirname(self.inputs), "pair")
            with open(pair, "w", encoding="ascii") as stream:
                stream.write("1 3\n")
            documents.append(json.loads(run("explain", "div", "-r", "down", "--folded", "cc -O2", "--inputs", pair, "--json", "-", code=1)))
        else:
            excepted |= {name for name in page_members("\n".join(page(name) for name in REPORT)) if ".explanation.folded" in name}
        if FAULTY_LIBM:
            faulty = {"LD_PRELOAD": FAULTY_LIBM, "FAULT_AT": "3f800000", "FAULT_MODE": "up",
                      "FAULT_SET": "7fc00000", "ASAN_OPTIONS": "verify_asan_link_order=0"}
            documents.append(json.loads(run("sweep", "exp", "--range", "1:1", "--json", "-",
                                            env=faulty, code=1)))
        else:
            excepted |= EVENTS
        self.compare(page_members("\n".join(page(name) for name in REPORT)), documents, excepted)

    def test_input_of_arrays(self):
        document = json.loads(run("sweep", "cumsum", "--shape", "4x5", "--samples", "7", "--impl", "det",
                                  "--json", "-"))
        worst = document["results"][0]["implementations"][0]["max_ulp"]["input"]
        self.assertEqual(worst["shape"], [4, 5])
        self.assertLess(worst["draw"], 7)
        self.assertLess(worst["element"], 20)
        told = page("detcheck-report.7").split("names one element of a result.")[1].split(".Pp")[0]
        self.assertEqual(set(re.findall(r"^\.Va (\w+)", told, re.MULTILINE)), set(worst))

    def test_eval(self):
        runs = [["eval", "exp", "0.5", "--got", "1"], ["eval", "sincos", "1"],
                ["eval", "sqrt", "2", "-r", "nearest-away"],
                ["eval", "atan2", "0x43ac06af99d1f8ae", "0x433e62db8902179b", "-f", "fp64"],  # whose distance is a bound
                ["eval", "cumsum", "1", "2", "3"],
                ["eval", "from_decimal", "1.5x", "--impl", "libm"],
                ["eval", "cumsum", "1", "2", "--impl", "det,libm"]]
        documents = [json.loads(run(*words, "--json", "-")) for words in runs]
        documents.append(json.loads(run("eval", "sqrt", "-1", "--flags", "--errno", "--impl", WORKER, "--json", "-",
                                        env={"TELLS": "6,17,2,1"})))
        # What misbehaves on arrays is in impl/remote/arrays_test.py.
        unseen = {"results[].elements[].implementations[].event"}
        excepted = {"results[].implementations[].event"} | unseen
        if FAULTY_LIBM:
            faulty = {"LD_PRELOAD": FAULTY_LIBM, "FAULT_AT": "3f800000", "FAULT_MODE": "up",
                      "ASAN_OPTIONS": "verify_asan_link_order=0"}
            documents.append(json.loads(run("eval", "exp", "1", "--json", "-", env=faulty, code=1)))
            excepted = unseen
        self.compare(page_members(page("detcheck-eval.1")), documents, excepted)

    def test_list_and_env(self):
        for command in ("list", "env"):
            with self.subTest(command=command):
                self.compare(page_members(page(f"detcheck-{command}.1")),
                             [json.loads(run(command, "--json", "-"))])

    def test_kinds_and_ends_that_the_page_names(self):
        text = "".join(page(name) for name in REPORT)
        for kind in ("all", "range", "samples", "special", "file", "search"):
            self.assertRegex(text, rf"(?m)^\.Ql {kind}( |$)")
        for kind in ("crash", "hang", "exit", "rounding-changed", "flushing-changed", "precision-changed",
                     "traps-changed", "registers-changed", "direction-changed", "answered-twice", "given-up",
                     "not-written", "answers-differ"):
            self.assertIn(f"\n.It Sy {kind}\n", text)
        report = json.loads(run("sweep", "exp", "-f", "fp8_e5m2", "--json", "-"))
        buckets = report["results"][0]["implementations"][0]["histogram"]
        ends = [bucket["up_to_ulp"] for bucket in buckets]
        self.assertIsNone(ends.pop())
        self.assertEqual(ends[0], 0)
        self.assertLess({2.0 ** power for power in range(-4, 25)}, set(ends))
        self.assertTrue(all(float(end * 1024).is_integer() for end in ends))

    def test_identities_that_the_page_states(self):
        report = json.loads(run("sweep", "unary", "-f", "fp16,fp8_e4m3fn", "-r", "nearest-even,up",
                                "-n", "3000", "--json", "-"))
        for entry in report["results"]:
            for one in entry["implementations"]:
                if not one["provided"]:
                    continue
                with self.subTest(operation=entry["operation"], format=entry["format"]):
                    self.assertEqual(one["tested"], one["correctly_rounded"]
                                     + one["incorrectly_rounded"] + one["nan_mismatches"])
                    self.assertEqual(one["judged_in_ulps"],
                                     sum(bucket["count"] for bucket in one["histogram"]))
                    self.assertEqual(entry["oracle"]["fast"] + entry["oracle"]["exact"],
                                     one["tested"])
                    self.assertLessEqual(one["sign_mismatches"], one["incorrectly_rounded"])
                    self.assertLessEqual(one["correctly_rounded"], one["faithful"])


class Examples(unittest.TestCase):
    maxDiff = 4000

    def test_examples_print_what_they_show(self):
        count = 0
        for name in sorted(PAGES):
            for kind, command, output in examples(page(name)):
                with self.subTest(command=command):
                    words = shlex.split(command)
                    self.assertEqual(words[0], "detcheck")
                    printed = run(*words[1:])
                    if kind == "mask":
                        printed, output = masked(printed), masked(output)
                    self.assertEqual(printed, output)
                    count += 1
        self.assertGreaterEqual(count, 5)

    def test_operations_in_examples_exist(self):
        table = json.loads(run("list", "--json", "-"))["operations"]
        groups = re.search(r"groups: ([\w,;\s]+)\)", run("list", "operations")).group(1)
        known = set(re.split(r"[,;]\s+", groups)).union(*([row["name"], *row["aliases"]] for row in table))
        named = {name for page_name in PAGES
                 for words in re.findall(r"^(?:\.Dl )?\$ detcheck sweep (.*)$", page(page_name), re.MULTILINE)
                 for name in re.split(r" -|\||\\", words)[0].split()}
        self.assertGreater(len(named), 10)
        self.assertEqual(named - known, set())


if __name__ == "__main__":
    unittest.main()
