"""detcheck invariance: properties of place. A library that depends on one thing is found to depend on that, and on
nothing else; det and cr depend on none.

Environment: DETCHECK; DEPENDENT_LIBRARY is dependent_library.c, DETCHECK_ALTERED the program with faults.
"""

import json
import os
import re
import shlex
import sys
import unittest

from harness import EXHAUSTIVE, Case, parse, some

LIBRARY = os.environ["DEPENDENT_LIBRARY"]
ALTERED = os.environ["DETCHECK_ALTERED"]
NUMBERS = "position length alignment in-place neighbours scalar-form".split()
ARRAYS = "alignment repetition threads processor batch blocking equal-elements thread-count".split()
WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "array_worker.py")
CALLS = {operation: ("--distribution", "normal", "--shape", shape)
         for operation, shape in (("sum", "37"), ("dot", "37"), ("softmax", "37"), ("cumsum", "37"), ("matmul", "5x9x4"))}
RANGE = ("--range", "0x3c01:0x3c04")


class Invariance(Case):
    def properties(self, *words, code=0, env=None):
        """{implementation: {name: outcome}}, of a document that its schema allows."""
        done = self.run_program("invariance", "--json", "-", *words, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        document = parse(done.stdout.decode())
        self.hold_to_schema(document)
        result = document["results"][0]
        self.assertIs(result["parameters"]["invariance"], True)
        return {one["name"]: {each["property"]: each for each in one["invariance"]}
                for one in result["implementations"] if one["provided"]}

    def blamed(self, found, names):
        return [name for name in names if found[name].get("changed")]

    def check_shown_again(self, found, names, env=None):
        """By the line that a report has of each."""
        for name in names:
            words = shlex.split(found[name]["first"]["command"])[1:]
            done = self.run_program(*words, "--max-changed", "0", env=env)
            self.assertEqual(done.returncode, 1, (words, done.stdout, done.stderr))

    def check_numbers(self, symbol, *names):
        implementation = f"lib:{LIBRARY}:{symbol},array"
        found = self.properties("sqrt", "-f", "fp16", *RANGE, "--property", ",".join(NUMBERS), "--impl", implementation)
        self.assertEqual(self.blamed(found[implementation], NUMBERS), [*names], symbol)
        self.check_shown_again(found[implementation], names)
        return found[implementation]

    def check_arrays(self, symbol, operation, *names):
        implementation = f"lib:{LIBRARY}:{symbol}"
        found = self.properties(operation, *CALLS[operation], "--property", ",".join(ARRAYS), "--impl", implementation)
        self.assertEqual(self.blamed(found[implementation], ARRAYS), [*names], symbol)
        self.check_shown_again(found[implementation], names)
        return found[implementation]

    def test_each_dependence_is_named_and_no_other(self):
        self.assertTrue(all(one["tested"] for one in self.check_numbers("right").values()))
        for symbol, name in [(name.replace("-", "_"), name) for name in NUMBERS] + \
                [("long_length", "length"), ("result_alignment", "alignment"), ("memory", "neighbours"), ("rest", "neighbours"),
                 ("rest_of_one", "neighbours")]:
            one = self.check_numbers(symbol, name)[name]
            self.assertEqual((one["inputs"], one["first"]["input"]), (4, "0x3c01"), symbol)
            self.assertNotEqual(one["first"]["reference"], one["first"]["got"])

    def test_what_the_call_before_was_is_a_matter_of_repetition(self):
        names = [*NUMBERS, "repetition", "threads"]
        found = self.properties("sqrt", "-f", "fp16", *RANGE, "--property", ",".join(names), "--impl", f"lib:{LIBRARY}:history,array")
        self.assertEqual(self.blamed(*found.values(), names), ["repetition"])
        self.check_shown_again(*found.values(), ["repetition"])

    def test_an_alignment_is_no_matter_of_time_or_of_threads(self):
        """Codes of fp16 and bf16 are widened into arrays that lie on a boundary whoever calls."""
        names = ["position", "alignment", "repetition", "threads", "processor"]
        forms = [("fp16", RANGE[1]), ("fp32", "0x3f800001:0x3f800004"), ("bf16", "0x3f81:0x3f84")]
        for turn, symbol in enumerate(("alignment", "result_alignment")):
            for form, ends in some(forms, 2 - turn, turn):
                found = self.properties("sqrt", "-f", form, "--range", ends, "--property", ",".join(names), "--variant", "NOTHING=1",
                                        "--impl", f"lib:{LIBRARY}:{symbol},array")
                self.assertEqual(self.blamed(*found.values(), names), ["alignment"], (symbol, form))

    def test_a_function_that_cannot_be_repeated_is_blamed_for_that_alone(self):
        # Not threads: calls of several at once race for the count, and which come first is theirs to say.
        names = [*NUMBERS, "repetition", "rounding", "flags", "processor"]
        forms = [("fp16", RANGE[1]), ("fp32", "0x3f800001:0x3f800004")]
        for turn, symbol in enumerate(("third_call,array", "later_calls,array", "by_chance,array", "number_third_call")):
            for form, ends in some(forms, 1, turn):
                found, = self.properties("sqrt", "-f", form, "--range", ends, "--property", ",".join(names), "--variant", "NOTHING=1",
                                         "--impl", f"lib:{LIBRARY}:{symbol}").values()
                self.assertEqual(self.blamed(found, [name for name in names if name != "scalar-form"]), ["repetition"], (symbol, form))
                self.assertTrue(any(found[name].get("unrepeatable") for name in names), (symbol, form))
        for symbol in ("sum_third_call", "sum_by_chance"):
            found, = self.properties("sum", *CALLS["sum"], "--property", ",".join(ARRAYS), "--impl", f"lib:{LIBRARY}:{symbol}").values()
            self.assertEqual(self.blamed(found, ARRAYS), ["repetition"], symbol)
            self.assertTrue(any(found[name].get("unrepeatable") for name in ARRAYS), symbol)
        self.assertIn("not repeatable: ", self.run_program(
            "invariance", "sqrt", "-f", "fp16", *RANGE, "--property", "length", "--impl", f"lib:{LIBRARY}:third_call,array").stdout.decode())

    def test_each_dependence_of_arrays_is_named_and_no_other(self):
        self.check_arrays("batch", "matmul", "batch")
        self.check_arrays("batch_256", "matmul", "batch")
        self.check_arrays("blocking", "matmul", "blocking")
        self.check_arrays("equal_elements", "softmax", "equal-elements")
        self.check_arrays("thread_count", "sum", "thread-count")
        self.check_arrays("dot_repetition", "dot", "repetition")
        self.check_arrays("dot_thread_count", "dot", "thread-count")
        self.assertTrue(self.check_arrays("dot_right", "dot")["blocking"]["tested"])

    def test_equal_elements_of_two_lines_and_more(self):
        one = self.properties("log_softmax_gradient", "--shape", "33", "--property", "equal-elements", "--impl", "det")["det"]
        self.assertEqual((one["equal-elements"]["tested"], one["equal-elements"]["changed"]), (True, 0))
        done = self.run_program("invariance", "adam", "--distribution", "normal", "--shape", "12", "-n", "1", "--property", "equal-elements", "--impl", "det", "-v")
        self.assertIn("0 of 1 call changes bits", done.stdout.decode())

    def test_large_batches_are_not_asked_of_the_oracle(self):
        """cr of norms asks it for each element: of up to 2^13 in each call, of up to 2^16 in every eighth."""
        words = ("layer_norm", "--affine", "bias", "--shape", 33, "--distribution", "normal", "--property", "batch", "--impl", "cr")
        calls = {one["size"]: one["calls"] for one in self.properties(*words, "-n", 2)["cr"]["batch"]["sizes"]}
        self.assertEqual([calls[size] for size in (129, 255, 1025, 2047)], [2, 1, 1, 0])
        sizes = self.properties(*words, "-n", 1, "--sizes", 2047)["cr"]["batch"]["sizes"]
        self.assertEqual(sizes, [{"size": 2047, "calls": 1}])

    def test_the_sizes_of_batches_are_told_and_can_be_chosen(self):
        usual = sorted({2 ** k + i for k in range(1, 13) for i in (-1, 0, 1)} - {1, 4097})
        words = ("matmul", "--shape", "2x3x2", "--distribution", "normal", "-n", "3", "--property", "batch", "--impl",
                 f"lib:{LIBRARY}:batch_256")
        batch = self.properties(*words)[words[-1]]["batch"]
        calls = {one["size"]: one["calls"] for one in batch["sizes"]}
        self.assertEqual(([*calls], batch["changed"]), (usual, 3))
        # None after one that changes bits; the first row of a batch stays right, so that one call goes on to 257.
        self.assertEqual([calls[size] for size in (2, 255, 256, 257, 511, 4096)], [3, 3, 3, 1, 0, 0])
        self.assertRegex(batch["first"]["where"], r"^row \d+ of a batch of 25[67], and not alone$")
        batch = self.properties(*words, "--sizes", "300,2,255")[words[-1]]["batch"]
        self.assertEqual([one["size"] for one in batch["sizes"]], [2, 255, 300])
        self.assertIn("--sizes 2,255,300 ", batch["first"]["command"])
        batch = self.properties(*words, "--sizes", "255")[words[-1]]["batch"]
        self.assertEqual((batch["sizes"], batch["changed"]), ([{"size": 255, "calls": 3}], 0))
        self.assertIn("      batches of  255: 3 calls\n", self.succeed("invariance", *words, "-v", "--sizes", "255"))
        for sizes, why in (("1", "needs numbers from 2"), ("2,,3", "needs numbers"), ("", "needs numbers, such as"),
                           ("2,2", "has 2 twice"), ("1048577", "needs numbers from 2 to 1048576"), ("2,", "needs numbers from 2")):
            self.assertIn(f"--sizes {why}", self.refuse("invariance", *words, "--sizes", sizes))
        # What is named and fits nowhere is an error, and the least usual size is tried however long the line is.
        long = ("sum", "--distribution", "normal", "--property", "batch", "--impl", "sequential", "--max-changed", "0")
        self.assertIn("no call has a batch of 1048576 lines",
                      self.refuse("invariance", *long, "--shape", "32", "--sizes", "2,1048576"))
        sizes = {one["size"]: one["calls"] for one in
                 self.properties(*long, "--shape", "4096", "-n", "9")["sequential"]["batch"]["sizes"]}
        self.assertEqual((sizes[128], sizes[129], sizes[256], sizes[4096]), (9, 2, 2, 2))
        self.assertEqual(
            self.properties("softmax", "--distribution", "normal", "--shape", "2", "--impl", "det")["det"]
            ["equal-elements"]["why"], "each call has too few elements for it")
        self.assertIn("for the property batch, which", self.refuse("invariance", "exp", "--sizes", "3"))

    def test_an_alignment_of_arrays_is_named_and_no_other(self):
        self.assertTrue(self.check_arrays("sum_right", "sum")["alignment"]["tested"])
        for operation in ("sum", "dot", "cumsum", "matmul"):
            one = self.check_arrays(f"{operation}_alignment", operation, "alignment")["alignment"]
            self.assertEqual(one["changed"], one["inputs"])
        for form in ("fp16", "bf16"):
            for operation, words in some([("sum", ()), ("cumsum", ("--exclusive",))], 1, form == "bf16"):
                found = self.properties(operation, *CALLS[operation], *words, "-f", form, "--property", ",".join(ARRAYS),
                                        "--impl", f"lib:{LIBRARY}:{operation}_alignment")
                self.assertEqual(self.blamed(*found.values(), ARRAYS), ["alignment"], (operation, form))

    def test_a_worker_whose_arrays_depend_on_one_thing(self):
        worker = f"exec:{shlex.quote(sys.executable)} -E -s -S {shlex.quote(WORKER)}"
        words = ("--distribution", "normal", "--shape", "9", "-n", "2", "--property", ",".join(ARRAYS), "--impl", worker,
                 "--variant", "NARROW=1")
        names = ("batch", "repetition", "blocking", "processor", "thread-count", "")
        for operation, own in (("softmax", names[:1]), ("dot", names[2:3])):
            for name in names if EXHAUSTIVE else own:
                found = self.properties(operation, *words, env={"DEPENDS": name})[worker]
                self.assertEqual(self.blamed(found, ARRAYS), [name] if name else [], operation)
                self.check_shown_again(found, [name] if name else [], {"DEPENDS": name})
                self.assertIn("one call at a time", found["threads"]["why"])

    def test_calls_without_lines_are_repeated_whole(self):
        worker = f"exec:{shlex.quote(sys.executable)} -E -s -S {shlex.quote(WORKER)}"
        words = ("scaled.mul", "-f", "fp32", "--distribution", "near", "--shape", "9", "-n", "2", "--property", ",".join(ARRAYS))
        for name in some(["repetition", "processor", "thread-count", ""], 2):
            done = self.run_program("invariance", "--json", "-", *words, "--impl", worker, "--variant", "NARROW=1",
                                    env={"DEPENDS": name})
            data, scale = [{one["property"]: one for one in result["implementations"][0]["invariance"]}
                           for result in parse(done.stdout.decode())["results"]]
            self.assertEqual((self.blamed(data, ARRAYS), self.blamed(scale, ARRAYS)), ([], [name] if name else []))
            self.check_shown_again(scale, [name] if name else [], {"DEPENDS": name})
            self.assertIn("not computed line by line", scale["batch"]["why"])
        for operation, family in (("scaled.mul", "near"), ("dyadic.mul", "pairs"), ("mx.quantise", "normal"), ("onnx.quantise", "normal")):
            found = self.properties(operation, "-n", "2", "--impl", "det", "--property", "repetition,threads", "--distribution", family)["det"]
            self.assertEqual([found[name]["changed"] for name in ("repetition", "threads")], [0, 0])

    def test_the_command_shows_the_first_again(self):
        first = self.check_numbers("alignment", "alignment")["alignment"]["first"]
        words = shlex.split(first["command"])
        self.assertEqual(words[:2], ["detcheck", "invariance"])
        found, = self.properties(*words[2:]).values()
        self.assertEqual((found["alignment"]["inputs"], found["alignment"]["first"]), (1, first))

    def test_a_policy_limits_properties(self):
        """A property that changes the bits of 4 inputs, where 4 or 3 may change; one file has what a sweep is held to, too."""
        words = ("invariance", "sqrt", "-f", "fp16", *RANGE, "--property", "alignment,position", "--impl", f"lib:{LIBRARY}:alignment,array")
        for most, code in ((4, 0), (3, 1)):
            for limits, names in (({"invariance": {"alignment": most, "*": 0}}, {"invariance.alignment": most, "invariance.position": 0}),
                                  ({"max_changed": most}, {"max_changed": most})):
                path = self.file("policy.json", json.dumps({"schema": "detcheck/policy/1",
                                                            "rules": [{**limits, "max_mean_ulp": 0.3, "promise": {"ulp": 1}}]}))
                done = self.run_program(*words, "--policy", path, "--json", "report.json")
                self.assertEqual(done.returncode, code, done.stderr.decode())
                self.assertIn("failed  (" if code else "passed  (", done.stdout.decode())
                with open(os.path.join(self.path, "report.json"), encoding="utf-8") as stream:
                    found = json.load(stream)["results"][0]["implementations"][0]["limits"]
                self.assertEqual({one["name"]: (one["allowed"], one["found"], one["kept"]) for one in found},
                                 {name: (allowed, 4 if allowed else 0, not (code and allowed)) for name, allowed in names.items()})
                self.assertEqual(self.run_program("gate", "report.json", "--policy", path).returncode, code)
        path = self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1}]}))
        self.assertIn('no rule limits "invariance"', self.refuse(*words, "--policy", path))

    def test_det_and_cr_depend_on_nothing(self):
        for words in (("exp", "sincos", "-f", "bf16", "--range", "1:1.5"), ("pow", "-n", "50"), ("tanh", "-f", "fp16", "--special")):
            for name, found in self.properties(*words, "--impl", "det,cr", "--property", ",".join(NUMBERS)).items():
                self.assertEqual((name, self.blamed(found, NUMBERS)), (name, []))
                self.assertTrue(found["length"]["tested"])
        for operation in ("sum", "dot", "softmax", "matmul"):
            found = self.properties(operation, *CALLS[operation], "--impl", "det,cr", "--property", ",".join(ARRAYS))["det"]
            self.assertEqual(self.blamed(found, ARRAYS), [])
            for name in ("alignment", "repetition", "threads", "batch", "blocking"):
                self.assertTrue(found[name]["tested"], (operation, name))
            levels = found["processor"]
            self.assertTrue(levels["tested"] or "one level" in levels["why"], levels)

    def test_a_number_for_each_line_goes_with_its_line(self):
        found = self.properties("rope", "--distribution", "far", "--shape", "3x6", "--impl", "det", "--property", "repetition,batch,blocking")["det"]
        self.assertEqual(self.blamed(found, ("repetition", "batch")), [])
        self.assertTrue(found["batch"]["tested"])
        self.assertIn("along the last axis", found["blocking"]["why"])

    def test_levels_of_det_are_named(self):
        call = ("sum", *CALLS["sum"])
        words = (*call, "--impl", "det", "--property", "processor", "--variant")
        if "has no effect" not in self.why_of("baseline", call):  # where there is another level
            level = self.properties(*words, "DETCHECK_LEVEL=baseline")["det"]["processor"]
            self.assertEqual((level["tested"], level["changed"]), (True, 0))
        for variant in ("DETCHECK_LEVEL=none", "DETCHECK_LEVEL=", "DETCHECK_LEVEL=BASELINE", "OMP_NUM_THREADS=1", "qemu-x86_64"):
            row = self.properties(*words, variant, "--property", "repetition")["det"]["processor"]["variants"][0]
            self.assertEqual((row["variant"], row["tested"]), (variant, False))
            self.assertIn(f"{variant} is not a level of it here; there are: DETCHECK_LEVEL=baseline", row["why"])

    def test_variants_without_effect_are_named(self):
        """The level that det has anyway, and what det does not read; what another library reads is not known."""
        for words in (("sum", *CALLS["sum"]), ("exp", "-f", "fp16", *RANGE)):
            plain = self.properties(*words, "--impl", "det", "--property", "processor,repetition")["det"]["processor"]
            others = [row["variant"] for row in plain.get("variants", [])]
            best, = {f"DETCHECK_LEVEL={name}" for name in ("baseline", "avx2", "avx512")
                     if "has no effect" in self.why_of(name, words)}
            self.assertNotIn(best, others)
            found = self.properties(*words, "--impl", "det", "--property", "processor,repetition", "--variant", best,
                                    *(word for other in others for word in ("--variant", other)))["det"]["processor"]
            self.assertEqual([(row["variant"], row["tested"]) for row in found["variants"]],
                             [(best, False), *((other, True) for other in others)])
        one, other = self.properties("exp", "-f", "fp16", *RANGE, "--impl", "det,libm", "--property", "processor", "--variant", "FOO=1",
                                     *(() if others else ("--property", "repetition"))).values()
        self.assertIn("it has no effect: ", one["processor"]["variants"][0]["why"])
        self.assertEqual(other["processor"]["variants"][0], {"variant": "FOO=1", "tested": True, "changed": 0})

    def why_of(self, name, words):
        found = self.properties(*words, "--impl", "det", "--property", "processor,repetition", "--variant", f"DETCHECK_LEVEL={name}")
        return found["det"]["processor"]["variants"][0].get("why", "")

    def test_variants_of_shards_are_added_up(self):
        def report(name, ends):
            self.succeed("invariance", "sqrt", "-f", "fp16", "--range", ends, "--impl", f"lib:{LIBRARY}:variant,array", "--property",
                         "processor", "--variant", "DEPENDS=1", "--variant", "DEPENDS=2", "--json", self.file(name))
            return name

        self.succeed("merge", report("1.json", "0x3c00:0x3c0f"), report("2.json", "0x3c10:0x3c1f"), "-o", self.file("merged.json"))
        merged, whole = self.read("merged.json"), self.read(report("whole.json", "0x3c00:0x3c1f"))
        self.assertEqual(merged, whole)
        rows = whole["results"][0]["implementations"][0]["invariance"][0]["variants"]
        self.assertEqual([row["changed"] for row in rows[:2]], [8, 32])

    def test_a_level_that_is_tried_is_another_one(self):
        """Of a program whose det and cr have other bits by their baseline alone."""
        for words in (("sum", *CALLS["sum"]), ("exp", "-f", "fp16", *RANGE)):
            done = self.run_program("invariance", *words, "--impl", "det", "--property", "processor", "--json", "-", program=ALTERED,
                                    env={"DETCHECK_FAULT": "baseline_level_off"})
            found, = parse(done.stdout.decode())["results"][0]["implementations"][0]["invariance"]
            if not found["tested"]:
                self.skipTest(found["why"])
            self.assertEqual(found["first"]["where"], "with DETCHECK_LEVEL=baseline")

    def test_what_cannot_be_tested_says_why(self):
        found = self.properties("exp", *RANGE, "-f", "fp16", "--impl", "libm,det", "--property", ",".join(NUMBERS))["libm"]
        for name in NUMBERS:
            self.assertFalse(found[name]["tested"])
            self.assertIn("one number at a time", found[name]["why"])
        self.refuse("invariance", "exp", "--impl", "libm", "--property", "position", prints=True)

    def test_a_wrong_property_or_variant_is_refused_with_those_that_there_are(self):
        self.assertIn("unknown property 'positon'; did you mean position; there are: position, length, alignment",
                      self.refuse("invariance", "exp", "--property", "positon"))
        self.assertIn("exp has none of the properties that --property names; it has: position, length, alignment", self.refuse("invariance", "exp", "--property", "batch"))
        self.assertIn("sum has none of the properties that --property names; it has: alignment, repetition", self.refuse("invariance", "sum", "--property", "position"))
        self.assertIn("batch is not a property of exp, which has: position,", self.refuse("invariance", "exp", "--property", "position,batch"))
        self.succeed("invariance", "sqrt", "sum", "-n", "2", "--property", "scalar-form,batch", "--sizes", "2", "--impl", "det")
        policy = self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"invariance": {"positon": 0}}]}))
        self.assertIn("rule 1: invariance has an unknown property 'positon'; did you mean position; there are: position, length",
                      self.refuse("invariance", "exp", "-n", "2", "--impl", "det", "--policy", policy))
        self.assertIn("--variant FOO=1 is for the property processor, which --property does not name",
                      self.refuse("invariance", "exp", "--property", "length,position", "--variant", "FOO=1"))

    def test_the_verdict_comes_first_and_what_was_not_tested_is_counted(self):
        words = ("invariance", "sqrt", "-f", "fp16", "--range", "0x3c01:0x3c20", "--property", "length,position,threads,stride",
                 "--impl", f"lib:{LIBRARY}:position,array")
        lines = self.succeed(*words).splitlines()
        self.assertEqual(lines[3], "    1 of 3 properties changes bits; 1 not tested")
        self.assertRegex(lines[4], r"^    position         \d+ of 32 inputs change bits$")
        self.assertFalse([line for line in lines if re.match("    (length|threads|stride) ", line)], lines)
        every = self.succeed(*words, "--verbose").splitlines()
        self.assertEqual(every[:4], lines[:4])
        self.assertEqual(len([line for line in every if re.match("    (length|threads|stride|position) ", line)]), 4)
        self.assertEqual(self.succeed(*words, "--quiet"), "")

    def test_one_input_is_one(self):
        text = self.succeed("invariance", "sqrt", "-f", "fp16", "--range", "0x3c01:0x3c01", "--property", "length,position,threads",
                            "-v", "--impl", f"lib:{LIBRARY}:position,array")
        for line in ("length           0 of 1 input changes bits", "position         1 of 1 input changes bits",
                     "the first ones of 1 process among them"):
            self.assertIn(line, text)
        self.assertNotIn("1 inputs", text)
        self.assertIn("alignment        0 of 1 call changes bits",
                      self.succeed("invariance", "sum", *CALLS["sum"], "-n", "1", "--property", "alignment", "--impl", "det", "-v"))

    def test_an_input_that_crashes_is_named_and_the_others_are_answered(self):
        implementation = f"lib:{LIBRARY}:crash,array"
        names = "position,length,repetition,rounding,flags"
        words = ("sqrt", "-f", "fp16", "--range", "0x3d80:0x3f3f", "--property", names, "--impl", implementation)
        found = self.properties(*words, code=1)[implementation]
        for name in names.split(","):
            self.assertEqual((found[name]["inputs"], found[name]["unanswered"], found[name]["changed"]), (446, 2, 0), name)
        done = self.run_program("invariance", *words, "--json", "-")
        one = parse(done.stdout.decode())["results"][0]["implementations"][0]
        self.assertEqual([(row["kind"], row["input"], row["property"]) for row in one["events"]],
                         [("crash", "0x3e00", name) for name in names.split(",")])
        self.assertEqual([*one["event_counts"]], ["crash"])
        done = self.run_program("invariance", "sqrt", "-f", "fp16", "--range", "0x41f0:0x420f", "--property", "repetition",
                                "--impl", implementation, "--json", "-")
        one = parse(done.stdout.decode())["results"][0]["implementations"][0]
        self.assertEqual([(row["kind"], row["input"]) for row in one["events"]], [("exit", "0x4200")])
        self.assertEqual(one["invariance"][0]["inputs"], 31)

    def test_a_condition_that_crashes_is_not_asked_for_ever_again(self):
        """Every input crashes in some arrangements: each costs processes for 4 inputs, and the others are compared."""
        for symbol, name, where, ways in (("crash_beside_nan", "neighbours", "NaN in the elements 1, 3, 5", 6),
                                          ("crash_unaligned", "alignment", "operands 4 and results 4 bytes past", 2)):
            implementation = f"lib:{LIBRARY}:{symbol},array"
            words = ("sqrt", "-f", "fp32", "--range", "0x3f800000:0x3f800007", "--property", name, "--impl", implementation)
            done = self.run_program("invariance", *words, "--json", self.file("report.json"))
            one = self.read("report.json")["results"][0]["implementations"][0]
            self.assertEqual((done.returncode, one["event_counts"]), (1, {"crash": 4 * ways}))
            row, = one["events"]
            self.assertEqual((row["kind"], row["input"]), ("crash", "0x3f800000"))
            self.assertIn(where, row["where"])
            found, = one["invariance"]
            self.assertEqual((found["changed"], found["unanswered"], found["not_asked"]),
                             (0, 0, (found["inputs"] - 4) * ways))
            text = done.stdout.decode()
            for line in ("0 of 8 inputs change bits", f"crash: {4 * ways}", "0x3f800000", where, row["command"]):
                self.assertIn(line, text)
            again = self.run_program(*shlex.split(row["command"])[1:])
            self.assertEqual(again.returncode, 1)
            self.assertIn("crash: ", again.stdout.decode())

    def test_arrays_under_a_variant_that_cannot_be_started(self):
        library, worker = f"lib:{LIBRARY}:thread_count", f"exec:{shlex.quote(sys.executable)} -E -s -S {shlex.quote(WORKER)}"
        for implementation, operation, variant, why in (
                (library, "sum", "env", "runs processes of exec: alone"),
                (worker, "softmax", "no-such-emulator", "there is no program no-such-emulator in PATH")):
            found = self.properties(operation, *CALLS[operation], "-n", "1", "--property", "batch,processor", "--sizes", "2", "--variant", variant,
                                    "--impl", implementation, env={"DEPENDS": ""})[implementation]
            self.assertTrue(found["batch"]["tested"])
            self.assertIn(why, found["processor"]["why"])

    def test_what_no_input_answers_is_not_said_to_keep_its_bits(self):
        done = self.run_program("invariance", "sqrt", "-f", "fp16", *RANGE, "--property", "length,position", "--timeout", "7", "--impl",
                                f"lib:{LIBRARY}:always_crash,array")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none of 4 inputs could be compared", done.stdout.decode())
        self.assertIn("--timeout 7 --property length", done.stdout.decode())
        self.assertNotIn("change bits", done.stdout.decode())

    def test_a_position_is_no_matter_of_the_first_call(self):
        """0x3c00 to 0x3c3f fill one array of a call, whose element 63 stands elsewhere than alone."""
        found = self.properties("sqrt", "-f", "fp16", "--range", "0x3c00:0x3c7f", "--property", "position,repetition,threads",
                                "--impl", f"lib:{LIBRARY}:position,array")
        self.assertEqual(self.blamed(*found.values(), ["position", "repetition", "threads"]), ["position"])

    def test_one_input_that_cannot_be_repeated_hides_no_other(self):
        found, = self.properties("sqrt", "-f", "fp16", "--range", "0x4000:0x4003", "--property", "position", "--impl",
                                 f"lib:{LIBRARY}:noisy_at_two,array").values()
        self.assertEqual((found["position"]["changed"], found["position"]["unrepeatable"]), (3, 1))

    def test_one_place_is_no_matter_of_the_length(self):
        """Places of a longer array are held against others where all of these are alike, and not here."""
        found = self.properties("sqrt", "-f", "fp16", *RANGE, "--property", "position,length", "--impl", f"lib:{LIBRARY}:one_place,array")
        self.assertEqual(self.blamed(*found.values(), ["position", "length"]), ["position"])

    def test_of_too_many_inputs_that_crash_those_are_named_that_were_found(self):
        """20 of 24, where 16 are looked for: not the first of the array, which does not crash."""
        done = self.run_program("invariance", "sqrt", "-f", "fp16", "--range", "0x3ffc:0x4013", "--property", "repetition",
                                "--impl", f"lib:{LIBRARY}:often_crash,array", "--json", "-")
        one = parse(done.stdout.decode())["results"][0]["implementations"][0]
        self.assertEqual(([row["input"] for row in one["events"]], one["event_counts"]), (["0x4000"], {"crash": 16}))
        self.assertEqual(one["invariance"][0]["unanswered"], 24)

    def test_a_function_that_always_crashes_is_given_up(self):
        self.assertIn("answered no input", self.refuse(
            "invariance", "sqrt", "-f", "fp16", "--range", "0x3c00:0x3c7f", "--property", "repetition",
            "--impl", f"lib:{LIBRARY}:always_crash,array", prints=True))

    def test_limits_and_gates(self):
        words = ("sqrt", "-f", "fp16", *RANGE, "--property", "position,length", "--impl", f"lib:{LIBRARY}:position,array")
        self.succeed("invariance", *words, "--max-changed", "4", "--json", self.file("report.json"))
        self.succeed("invariance", *words, "--max-changed", "3", code=1)

        def gate(limits, code):
            policy = self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [limits]}))
            return self.run_program("gate", "report.json", "--policy", policy).returncode == code

        self.assertTrue(gate({"invariance": {"position": 4}}, 0))
        self.assertTrue(gate({"invariance": {"position": 3}}, 1))
        self.assertTrue(gate({"invariance": {"length": 0, "*": 4}}, 0))
        self.assertTrue(gate({"invariance": {"*": 0}}, 1))
        self.assertTrue(gate({"invariance": {"alignment": 0}}, 2))
        self.assertTrue(gate({"invariance": {"positon": 0}}, 2))
        self.assertTrue(gate({"max_ulp": 0}, 2))
        self.assertTrue(gate({"max_changed": 3}, 1))
        self.succeed("report", "report.json", "-o", "page.html")
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            self.assertIn("Inputs whose bits change", stream.read())

    def report(self, name, *words):
        """The name of a report of sqrt by a library that depends on the position, and by det."""
        self.succeed("invariance", "sqrt", "-f", "fp16", *words, "--impl", f"lib:{LIBRARY}:position,array",
                     "--impl", "det", "--json", self.file(name))
        return name

    def document_of(self, text):
        document = parse(text)
        document["run"] = None
        return document

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return self.document_of(stream.read())

    def test_shards_and_properties_merge_into_the_whole(self):
        of_all = ("--property", "position,length,in-place,scalar-form")
        whole = self.read(self.report("whole.json", "--range", "0x3c00:0x3c5f", *of_all))
        shards = [self.report(f"{at}.json", "--range", text, *of_all)
                  for at, text in enumerate(("0x3c00:0x3c1f", "0x3c20:0x3c3f", "0x3c40:0x3c5f"))]
        for names in (shards, shards[::-1]):
            self.assertEqual(self.document_of(self.succeed("merge", *names)), whole)
        parts = [self.report(f"{names}.json", "--range", "0x3c00:0x3c5f", "--property", names)
                 for names in ("length", "scalar-form", "position,in-place")]
        self.assertEqual(self.document_of(self.succeed("merge", *parts)), whole)
        self.assertIn("same properties", self.refuse("merge", shards[0], self.report(
            "other.json", "--range", "0x4000:0x4001", "--property", "position")))
        self.assertIn("different figures", self.refuse("merge", "whole.json", self.altered("whole.json")))

    def test_reports_of_arrays_merge(self):
        """Of shards the first change is that of the first call, by the order of the shapes; a property that one report alone has
        stands before the first that the table has behind it."""
        def report(name, *words):
            self.succeed("invariance", "sum", "-f", "fp16", "--distribution", "normal", "--samples", "2",
                         "--impl", f"lib:{LIBRARY}:sum_alignment", *words, "--json", self.file(name))
            return name

        whole = self.read(report("whole.json", "--property", "alignment,repetition"))
        shards = [report(f"{at}.json", "--property", "alignment,repetition", "--shard", f"{at}/3") for at in (3, 1, 2)]
        self.assertEqual(self.document_of(self.succeed("merge", *shards)), whole)
        self.assertEqual(whole["results"][0]["implementations"][0]["invariance"][0]["first"]["input"],
                         {"shape": [1], "draw": 0, "element": 0})
        both = self.document_of(self.succeed("merge", report("a.json", "--property", "blocking,repetition"),
                                             report("b.json", "--property", "alignment,batch", "--sizes", "2")))
        self.assertEqual([row["property"] for row in both["results"][0]["implementations"][0]["invariance"]],
                         ["alignment", "batch", "blocking", "repetition"])

    def altered(self, name):
        """A copy in which one input more has changed bits."""
        document = self.read(name)
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            document["run"] = json.load(stream)["run"]
        document["results"][0]["implementations"][0]["invariance"][0]["changed"] -= 1
        return self.file("altered.json", json.dumps(document))

    def test_reports_are_compared_by_property(self):
        name = self.report("one.json", *RANGE, "--property", "position,length")
        self.assertIn("equal", self.succeed("compare", name, self.report("again.json", *RANGE, "--property", "position,length")))
        done = self.run_program("compare", name, self.altered(name), "--json", "-")
        row = parse(done.stdout.decode())["comparisons"][0]
        self.assertEqual((done.returncode, row["equal"]), (1, False))
        found, = row["invariance"]
        self.assertEqual([found["property"], found["a"]["changed"], found["b"]["changed"]], ["position", 4, 3])
        text = self.run_program("compare", name, "altered.json").stdout.decode()
        self.assertIn("A 4 of 4 inputs change bits", text)
        self.report("less.json", *RANGE, "--property", "position")
        done = self.run_program("compare", name, "less.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("B has nothing of it", done.stdout.decode())

    def test_update_writes_a_limit_for_each_property(self):
        self.report("report.json", *RANGE, "--property", "position,length,stride")
        self.succeed("gate", "report.json", "--update", "policy.json")
        with open(os.path.join(self.path, "policy.json"), encoding="utf-8") as stream:
            rules = json.load(stream)["rules"]
        self.assertEqual([rule["invariance"] for rule in rules],
                         [{"position": 4, "length": 0}, {"position": 0, "length": 0}])
        self.succeed("gate", "report.json", "--policy", "policy.json")
        rules[0]["invariance"]["position"] = 3
        self.succeed("gate", "report.json", "--policy",
                     self.file("tight.json", json.dumps({"schema": "detcheck/policy/1", "rules": rules})), code=1)


if __name__ == "__main__":
    unittest.main()
