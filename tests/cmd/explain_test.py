"""`detcheck explain`: implementations that are wrong on purpose, in one way each, and the cause that is named for it.

Environment: EXPLAINED_LIBRARY, the library of explained_library.c.
"""

import ctypes
import json
import math
import os
import platform
import random
import re
import shlex
import shutil
import struct
import subprocess
import sys
import unittest

import harness

TABLE = os.path.join(harness.SCHEMAS, "libraries.json")
ADAPTERS = os.path.join(os.path.dirname(__file__), "..", "..", "src", "impl", "adapters")
LIBRARY = os.environ["EXPLAINED_LIBRARY"]


def options_of_fma():
    """What has a compiler contract into fma on this processor: nothing on aarch64, and None where it has no fma."""
    if platform.machine() in ("aarch64", "arm64"):
        return []
    if not os.path.exists("/proc/cpuinfo"):
        return None
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        return ["-mfma"] if " fma " in stream.read() else None


FMA = options_of_fma()


def function(name):
    return f"lib:{LIBRARY}:{name}"


def half_toward_zero(compute, code):
    """The fp16 number that the fp64 result is truncated to."""
    x, = struct.unpack("<e", struct.pack("<H", code))
    try:
        y = compute(x)
    except OverflowError:
        y = math.inf
    if not math.isfinite(y):
        return struct.pack("<e", y)
    unit = 2.0 ** (max(math.frexp(y)[1], -13) - 11)
    return struct.pack("<e", math.copysign(min(math.floor(abs(y) / unit) * unit, 65504), y))


class Explain(harness.Case):
    def explain(self, *words, status=1):
        done = self.run_program("explain", *words, "--json", "explained.json")
        self.assertEqual(done.returncode, status, done.stderr)
        with open(os.path.join(self.path, "explained.json"), encoding="utf-8") as stream:
            document = json.load(stream)
        self.hold_to_schema(document)
        rows = [implementation.get("explanation", {}) for result in document["results"] for implementation in result["implementations"]]
        for row in rows:
            if "explanations" in row:
                self.hold_to_itself(row)
        self.said = done.stdout.decode()
        self.hold_text_to_itself(self.said, rows)
        return document

    def hold_to_itself(self, row):
        """What stands in one row agrees, whatever was planted: the causes and what they leave are all differences, and what
        explains some and predicts no input wrongly is a cause, the same as one, or none for a reason that is told."""
        explanations = row["explanations"]
        causes = {one["cause"]: one for one in explanations if "cause" in one}
        of_blocks = "blocks" in row
        if not of_blocks:
            self.assertEqual(sum(one["adds"] for one in causes.values()) + row["unexplained"], row["differ"])
        self.assertEqual(sorted(causes), list(range(1, len(causes) + 1)))
        by_chance = bool(explanations) and explanations[0]["hypothesis"] == "repetition"
        for one in explanations:
            stands = "cause" in one or "same_as" in one
            is_true = one["explains"] and not one["predicts_wrongly"] and one["verdict"] != "none"
            self.assertFalse(stands and one["verdict"] == "none", one)
            self.assertIn(one.get("same_as", 1), [*causes, 1])
            self.assertEqual("no_cause" in one, bool(is_true and not stands), one)
            if one["explains"] and not one["predicts_wrongly"] and not by_chance:
                self.assertNotEqual(one["verdict"], "none", one)
            if one.get("no_cause") == "right":
                self.assertEqual(row[f"{one['side']}_correctly_rounded"], row["differ"], one)
            elif one.get("no_cause") == "covered" and one["tested"] == row["tested"] and not of_blocks:
                self.assertLessEqual(one["explains"], row["differ"] - row["unexplained"], one)

    def hold_text_to_itself(self, text, rows):
        """Under "wrong elsewhere, so no causes" nothing stands that predicts no input wrongly, and "no simple cause" is said where some is left."""
        heading = ""
        for line in text.splitlines():
            if line.startswith("  ") and not line.startswith("   "):
                heading = line.strip()
            if heading == "wrong elsewhere, so no causes":
                self.assertNotIn("predicts 0 wrongly", line)
            if heading == "true, but no causes" and line.startswith("   "):
                self.assertRegex(line, r"predicts 0 wrongly.*; ([AB] is right wherever|so few of them|the causes explain)")
        self.assertEqual("no simple cause explains" in text, any(row.get("unexplained") for row in rows if "unexplained" in row))

    def explanation(self, *words, status=1):
        result, = self.explain(*words, status=status)["results"]
        implementation, = result["implementations"]
        return implementation["explanation"]

    def row(self, *words):
        return self.explanation(*words)

    def causes(self, row):
        """The causes with those that cannot be told from each, by side: [{"rounded-down a", ...}]"""
        told = sorted((one for one in row["explanations"] if "cause" in one), key=lambda one: one["cause"])
        def name(one):
            return one["hypothesis"] + (" " + one["side"] if "side" in one else "")
        return [{name(cause)} | {name(one) for one in row["explanations"] if one.get("same_as") == cause["cause"]}
                for cause in told]

    def expect(self, row, *causes, verdict="all"):
        """That these are the causes, which explain everything, and that nothing else is blamed."""
        self.assertEqual(self.causes(row), [set(one.split(", ")) for one in causes], row)
        self.assertEqual(row["unexplained"], 0)
        self.assertEqual(sum(one.get("adds", 0) for one in row["explanations"]), row["differ"])
        if len(causes) == 1:
            self.assertEqual(row["explanations"][0]["verdict"], verdict)
        for one in row["explanations"]:
            if "cause" not in one and "same_as" not in one:
                self.assertNotEqual(one["verdict"], "all", one)


class Whole(Explain):
    def test_each_cause_of_the_table_is_planted_somewhere_here(self):
        """In each of these explain() holds the whole output to itself; wrong_roundings_test.py does for its own."""
        source, here = "", os.path.dirname(__file__)
        for name in (__file__, os.path.join(here, "wrong_roundings.py"), os.path.join(here, "explain_near_test.py")):
            with open(name, encoding="utf-8") as stream:
                source += stream.read()
        row = self.row("exp", "-f", "fp16", "--impl", "cr", "--impl", function("one_interval"))
        names = {one["hypothesis"] for one in row["explanations"]}
        self.assertGreater(len(names), 20)
        self.assertEqual({name for name in names if not re.search(rf'[", ]{name}[ "]', source) and "-in-" not in name}, set())
        narrow = {name.rpartition("-")[2] for name in names if "-in-" in name}  # whose names test_narrower_formats makes
        self.assertLessEqual(narrow, {"fp32", "tf32", "bf16", "fp16"})

    def test_what_is_true_of_the_side_that_is_right_is_said_to_be_so(self):
        # Next to 1, exp(-x) of tiny x is 1: A rounded to anything. Its results were under "no causes", with "predicts 0 wrongly".
        codes = b"".join(struct.pack("<I", 0x3f800000 - (i & 1)) for i in range(64))
        row = self.row("exp", "--range", "0xa47ff000:0xa47ff03f", "--impl", "libm", "--impl", "file:" + self.file("codes", codes))
        self.assertEqual((row["differ"], row["unexplained"]), (32, 32))
        self.assertEqual({one["no_cause"] for one in row["explanations"] if one["hypothesis"] == "results-in-tf32" and one["side"] == "a"},
                         {"right"})

    def test_an_input_that_costs_a_process_is_asked_for_once(self):
        # However often it is met: the search for it starts some ten workers, which each pass over the inputs did again.
        worker = os.path.join(os.path.dirname(__file__), "..", "impl", "remote", "faulty_worker.py")
        record = os.path.join(self.path, "record")
        done = self.run_program("explain", "sqrt", "--range", "0x3f800000:0x3f800063", "--threads", 1, "--impl", function("one_interval"),
                                "--impl", f"exec:{shlex.quote(sys.executable)} -E -s -S {shlex.quote(worker)}", "--json", "-",
                                env={"FAULTS": "crash@3f800032", "RECORD": record})
        self.assertEqual(done.returncode, 1, done.stderr)
        row = json.loads(done.stdout)["results"][0]["implementations"][0]["explanation"]
        self.assertEqual((row["b"]["event_counts"], row["differ"]), ({"crash": 1}, 99))
        with open(record, encoding="utf-8") as stream:
            starts = sum("sqrt" in line for line in stream)
        self.assertLess(starts, 20)


class Bits(Explain):
    def test_flushed_inputs(self):
        words = ("cbrt", "--samples", "20000", "--range", "-0x1p-125:0x1p-125", "--impl", "cr")
        self.expect(self.row(*words, "--impl", function("flushed_inputs")), "flushed-inputs b")
        self.expect(self.row(*words, "--impl", function("flushed_inputs_to_plus")), "flushed-inputs-to-plus-zero b")

    def test_flushed_results(self):
        pairs = "".join(f"{sign}{x}p-{e} {y}p-63\n" for sign in ("", "-") for x in ("0x1.8", "0x1.4", "0x1.23456")
                        for y in ("0x1", "0x1.1", "0x1.2345") for e in (1, 60, 70))
        words = ("mul", "--inputs", self.file("pairs", pairs), "--impl", "libm")
        self.expect(self.row(*words, "--impl", function("flushed_results")), "flushed-results b")
        self.expect(self.row(*words, "--impl", function("flushed_results_to_plus")), "flushed-results-to-plus-zero b")

    def test_directions(self):
        words = ("sin", "--range", "-3:-2.984375", "--impl", "cr")
        self.expect(self.row(*words, "--impl", function("rounded_up")),
                    "rounded-up b, rounded-toward-zero b, rounded-by-fp64-toward-zero b")
        values = self.file("values", "".join(f"{sign}{(i / 1024).hex()}\n" for sign in ("", "-") for i in range(256, 3000)))
        words = ("sin", "--inputs", values, "--impl", "cr")
        for name, cause in (("rounded_up", "rounded-up"), ("rounded_down", "rounded-down"),
                            ("rounded_toward_zero", "rounded-toward-zero b, rounded-by-fp64-toward-zero"),
                            ("rounded_away", "rounded-away-from-zero")):
            row = self.row(*words, "--impl", function(name))
            self.expect(row, cause + " b")
            self.assertEqual(row["a_correctly_rounded"], row["differ"])
            self.assertEqual(row["b_correctly_rounded"], 0)

    def test_truncation_of_a_wider_result(self):
        """Of tiny numbers and beyond fp64 too; the side that is right everywhere is not blamed."""
        row = self.row("exp", "--samples", "20000", "--impl", function("truncated"), "--impl", "cr")
        self.assertEqual(self.causes(row), [{"rounded-by-fp64-toward-zero a"}, {"nan-bits"}])
        self.assertEqual((row["unexplained"], row["b_correctly_rounded"]), (0, row["differ"]))

    def test_truncation_next_to_an_asymptote(self):
        """Of tanh just below 1 and x, and of erf just below 1: fp64 sees the distance."""
        for operation, compute in (("tanh", math.tanh), ("erf", math.erf)):
            codes = self.file("codes", b"".join(half_toward_zero(compute, code) for code in range(65536)))
            row = self.row(operation, "-f", "fp16", "--impl", "cr", "--impl", "file:" + codes)
            self.assertEqual(self.causes(row)[0], {"rounded-by-fp64-toward-zero b"}, operation)
            cause, = (one for one in row["explanations"] if one.get("cause") == 1)
            self.assertEqual((row["unexplained"], cause["predicts_wrongly"]), (0, 0), operation)

    def hold_against_mpfr_alone(self, operation, form, codes, right, outputs, *words):
        """The same inputs by the fast oracle and by MPFR alone; outputs are wrong in any way."""
        size = len(outputs) // len(codes)
        sides = ("--impl", right, "--impl", "file:" + self.file("outputs", outputs))
        first, last = (f"{code:#0{2 + 2 * size}x}" for code in (codes[0], codes[-1]))
        inputs = self.file("inputs", "".join(f"{code:#0{2 + 2 * size}x}\n" for code in codes))
        rows = [self.row(operation, "-f", form, *words, *which, *sides)
                for which in (("--range", f"{first}:{last}"), ("--inputs", inputs))]
        where = operation, words, rows[0]["differ"]
        self.assertEqual(*([row[f"{side}_correctly_rounded"] for side in "ab"] for row in rows), where)
        self.assertEqual(*({(one["hypothesis"], one["side"]): one for one in row["explanations"] if "side" in one and
                            one["hypothesis"].startswith("rounded")} for row in rows), where)

    def test_inputs_in_a_row_are_judged_as_others(self):
        """Of lines through 0, a quarter of each sign, whose halves are middles between subnormal numbers, and at 1; of exp around -2^-54, where it
        begins to be 1 in fp64, and where it begins to be infinite there."""
        chosen = random.Random(1)
        positive, negative = range(0x2000), range(0x8000, 0xa000)
        functions = (("j1", "nearest-even", positive), ("j1", "nearest-away", negative), ("tanh", "nearest-even", negative),
                     ("sin", "up", positive), ("erf", "nearest-even", positive), ("log1p", "down", negative))
        for operation, rounding, half in harness.some(functions, 1):
            self.succeed("table", operation, "-f", "fp16", "-r", rounding, "--as", "raw", "-o", "right")
            with open(os.path.join(self.path, "right"), "rb") as stream:
                right = struct.unpack("<65536H", stream.read())[half.start:half.stop]
            of_half = "file:" + self.file("right of half", struct.pack("<8192H", *right))
            moved = struct.pack("<8192H", *(max(0, min(65535, code + chosen.choice((-1, 0, 1)))) for code in right))
            self.hold_against_mpfr_alone(operation, "fp16", half, of_half, moved, "-r", rounding)
        for first, outputs in ((0xa47ff000, (0x3f800000, 0x3f7fffff)), (0x44317000, (0x7f800000, 0x7f7fffff))):
            wrong = struct.pack("<4096I", *(chosen.choice(outputs) for _ in range(4096)))
            self.hold_against_mpfr_alone("exp", "fp32", range(first, first + 4096), "libm", wrong)

    def test_rounded_twice(self):
        # exp2(x log2 e) in fp32 has the same two differences.
        self.expect(self.row("exp", "-f", "fp16", "--impl", function("by_double_exp"), "--impl", "cr"),
                    "rewritten a, rounded-twice-by-fp32 a")
        hard = self.file("hard", "0x65d890d3\n0x4c5d65a5\n0x4d604ebe\n0x41178feb\n0x1f116ab8\n0x66a8c860\n0x3c413d3a\n")
        self.expect(self.row("log", "--inputs", hard, "--impl", "cr", "--impl", function("by_double_log")),
                    "rounded-twice-by-fp64 b")

    def test_a_rare_cause_among_millions_of_inputs(self):
        """One of log's results is right in fp32 and wrong if rounded to fp64 first; a first look does not see it."""
        row = self.row("log", "--range", "0x41000000:0x41400000", "--impl", "cr", "--impl", function("by_double_log"))
        self.expect(row, "rounded-twice-by-fp64 b")
        self.assertEqual((row["differ"], row["first"]["input"]), (1, "0x41178feb"))
        tested = {(one["hypothesis"], one["side"]): one["tested"] for one in row["explanations"] if "side" in one}
        self.assertEqual(tested["rounded-twice-by-fp64", "b"], 0x400001)  # it stands where they differ: all are looked at
        self.assertEqual(tested["rounded-twice-by-x87", "b"], 1)          # and this does not
        self.assertEqual(tested["rounded-up", "b"], 1048576)              # which the first look refutes

    def test_ties_away_from_zero(self):
        pairs = "".join(f"{(1 + i / 2 ** 12).hex()} {sign}{(1 + (2 * j + 1) / 2 ** bits).hex()}\n"
                        for i in range(1, 400, 6) for j in range(0, 60, 7) for sign in ("", "-") for bits in (12, 15, 17))
        words = ("mul", "--inputs", self.file("pairs", pairs), "--impl", "libm")
        self.expect(self.row(*words, "--impl", function("ties_away")), "rounded-to-nearest-away b")

    def test_to_nearest_where_another_rounding_is_asked_for(self):
        words = ("sqrt", "-r", "up", "--range", "1:1.015625", "--impl", "libm")
        self.expect(self.row(*words, "--impl", function("to_nearest")),
                    "rounded-to-nearest-even b, rounded-to-nearest-away b")

    @unittest.skipUnless(ctypes.CDLL(LIBRARY).long_double_digits() == 64, "long double is not x87's")
    def test_rounded_twice_by_x87(self):
        words = ("sqrt", "-f", "fp64", "--samples", "30000", "--range", "1:4", "--impl", "libm")
        self.expect(self.row(*words, "--impl", function("by_long_double")), "rounded-twice-by-x87 b")

    def test_narrower_formats(self):
        """tf32 and fp16 differ where numbers are tiny or huge alone, so these are among the inputs and the results."""
        ways = (("computed", "in_{}", "exp", "-20:16"), ("inputs", "{}_first", "log", "0x1p-20:0x1p20"),
                ("results", "{}_last", "exp", "-20:16"))
        for turn, form in enumerate(("bf16", "tf32", "fp16")):
            for where, name, operation, values in harness.some(ways, 1, turn):
                self.expect(self.row(operation, "--range", values, "--samples", "500", "--impl", "cr", "--impl",
                                     function(name.format(form))), f"{where}-in-{form} b")
        for where, name, _, _ in harness.some(ways, 1):
            self.expect(self.row("exp", "-f", "fp64", "--samples", "5000", "--range", "0.125:8", "--impl",
                                 function(name.format("float")), "--impl", "libm"), f"{where}-in-fp32 a")

    def test_against_the_right_result_of_what_neither_det_nor_cr_has(self):
        row = self.row("fma", "-f", "bf16", "-n", "20000", "--impl", "libm", "--impl", "exact")
        self.assertIn("rounded-twice-by-fp32 a", self.causes(row)[0])
        self.assertEqual((row["unexplained"], row["b_correctly_rounded"], len(self.causes(row))), (0, row["differ"], 1))

    def test_the_right_result_is_that_of_others(self):
        for operation in ("exp", "sin", "lgamma", "sincos"):
            document = self.explain(operation, "-f", "fp16", "-n", "5000", "--impl", "cr", "--impl", "exact", status=0)
            self.assertEqual({result["implementations"][0]["explanation"]["tested"] for result in document["results"]}, {5000})
        for rounding in ("up", "toward-zero"):
            row = self.explanation("sqrt", "-r", rounding, "-n", "5000", "--range", "0:4", "--impl", "libm", "--impl", "exact", status=0)
            self.assertEqual((row["tested"], row["differ"]), (5000, 0))
        done = self.run_program("sweep", "sum", "-n", "2", "--impl", "exact")
        self.assertIn(b"exact has no sum", done.stdout + done.stderr)

    def test_nan_bits_and_zero_signs(self):
        self.expect(self.row("log", "--special", "--impl", "cr", "--impl", function("nan_payload")), "nan-bits")
        self.expect(self.row("sin", "--range", "0x80000000:0x80000001", "--impl", "cr", "--impl", function("zero_sign")), "zero-signs")

    def test_nans_that_compare_passes_over_are_counted(self):
        words = ("log", "--special", "--impl", "cr", "--impl", function("nan_payload"))
        row = self.row(*words)
        text = self.succeed("explain", *words, code=1)
        passed_over, = re.findall(r"(?m)^  ([\d,]+) of these are NaNs with other bits, which compare and sweep pass over$", text)
        self.assertEqual(passed_over.replace(",", ""), str(row["differ"]))
        self.assertIn(" inputs equal; ", self.succeed("compare", *words))

    def test_equal_is_equal(self):
        row = self.explanation("exp", "-f", "fp16", "--impl", "cr", "--impl", "det", "--range", "1:2", status=0)
        self.assertTrue(row["equal"])
        self.assertEqual((row["differ"], row["unexplained"]), (0, 0))

    def test_equal_samples_prove_nothing_of_other_inputs(self):
        for words, of in ((("-n", "1000"), "; of 4,294,967,296 inputs"), (("-f", "fp64", "-n", "1000"), "; of 2^64 inputs"),
                          (("--range", "1:1.5"), "; of 4,294,967,296 inputs"), (("-f", "fp16"), "")):
            text = self.succeed("explain", "sqrt", *words, "--impl", "cr", "--impl", "det")
            first = text.splitlines()[0]
            self.assertTrue(first.endswith(": equal" + of), first)
            tested, = re.findall(r"(?m)^  0 of ([\d,]+) inputs differ" + ("; no others were compared$" if of else "$"), text)
            self.assertIn(f"  {tested} ", first.replace("all ", ""))
        for words, where in ((("-n", "1000"), "(on these inputs alone: 1,048,576 samples and special inputs; --all tells more)"),
                             (("-f", "fp16"), "(on all inputs)")):
            text = self.succeed("explain", "exp", *words, "--impl", "libm")
            self.assertRegex(text, r"(?m)^  A has the bits of: .* " + re.escape(where) + "$")
            self.assertIn("\n  whether it is right, and why not: add --impl cr\n", text)
        self.assertNotIn("add --impl", self.succeed("explain", "exp", "-f", "fp16", "--impl", "cr"))


class Where(Explain):
    def test_one_interval(self):
        row = self.row("exp", "-f", "fp16", "--impl", "cr", "--impl", function("one_interval"))
        self.expect_last(row, "one-interval")
        self.assertEqual((row["explanations"][0]["from"], row["explanations"][0]["to"]), ("0x3c00", "0x3d00"))

    def test_one_input_is_no_interval(self):
        row = self.row("exp", "-f", "fp16", "--range", "0x3a00:0x3c00", "--impl", "cr", "--impl", function("one_interval"))
        self.expect_last(row, "one-interval")
        self.assertIn("one input alone", row["explanations"][0]["says"])
        self.assertTrue(row["explanations"][0]["says"].endswith(": 1 (0x3c00)"), row["explanations"][0]["says"])

    def test_few_differences_of_samples_tell_no_cause(self):
        """Strata put one sample and two into the interval; sixteen times as many show it, and so do all inputs of a range."""
        for samples, found in ((512, 1), (1024, 2), (16384, 32)):
            row = self.row("exp", "-n", samples, "--range", "0x0:0x3fffffff", "--impl", "cr", "--impl", function("one_interval"))
            interval, = (one for one in row["explanations"] if one["hypothesis"] == "one-interval")
            self.assertEqual(row["differ"], found)
            self.assertEqual(row["unexplained"], found if found < 4 else 0)
            self.assertEqual("cause" in interval, found >= 4)
            self.assertEqual("too few differences to name a cause; ten times as many (-n)" in self.said, found < 4)
            self.assertNotIn("one input alone", self.said)
        self.expect_last(self.row("exp", "-f", "fp16", "-n", 513, "--range", "0x3a00:0x3c00", "--impl", "cr", "--impl", function("one_interval")),
                         "one-interval")

    def test_an_interval_that_ends_at_zero_is_no_bound(self):
        row = self.row("exp", "-f", "fp16", "--impl", "cr", "--impl", function("tiny_negative"))
        one, = [one for one in row["explanations"] if one["hypothesis"] == "one-interval"]
        self.assertEqual(one["from"], "0x8400")
        self.assertIn(one["to"], ("0x8000", "0x0000"))
        self.assertIn("from -6.1", one["says"])

    def test_a_rare_cause_stays_beside_mantissas(self):
        row = self.row("sqrt", "-f", "fp16", "--impl", "cr", "--impl", function("entry_and_zero"))
        self.assertIn("zero-signs", {name for cause in self.causes(row) for name in cause})

    def test_differences_here_and_there_are_no_interval(self):
        """Between two intervals, and between the places of an entry, most inputs agree; what rounding makes fades away."""
        for operation, *sides in (("exp", "cr", function("two_intervals")), ("exp", "cr", function("one_of_sixteen")),
                                  ("cosh", "libm", "det", "--samples", "100000")):
            form = "bf16" if len(sides) == 2 else "fp32"
            with self.subTest(sides=sides):
                row = self.row(operation, "-f", form, "--impl", sides[0], "--impl", *sides[1:])
                self.assertNotIn({"one-interval"}, self.causes(row))
                self.assertGreater(row["unexplained"], 0)

    def test_what_a_few_have_right_by_chance_is_no_cause_beside_a_place(self):
        """2 of 19,326 differences are where fp32 rounds sin in fp16 twice."""
        row = self.row("sin", "-f", "fp16", "--impl", function("sine_off_beyond_100"), "--impl", function("sine"))
        self.expect(row, "beyond-a-bound")
        self.assertEqual((row["unexplained"], row["explanations"][0]["adds"]), (0, row["differ"]))

    def expect_last(self, row, cause, verdict="all"):
        """That this explains all, or all but what follows from computing fp16 in fp32."""
        causes = self.causes(row)
        self.assertEqual(causes[-1], {cause}, row)
        self.assertIn(causes[:-1], ([], [{"rounded-twice-by-fp32 b"}]))
        self.assertEqual(row["unexplained"], 0)
        if len(causes) == 1:
            self.assertEqual(row["explanations"][0]["verdict"], verdict)
        row["explanations"] = row["explanations"][len(causes) - 1:]

    def test_beyond_a_bound(self):
        row = self.row("cos", "-f", "fp16", "--impl", "cr", "--impl", function("beyond_a_bound"))
        self.expect_last(row, "beyond-a-bound")
        self.assertEqual(row["explanations"][0]["from"], "0x5640")  # 100

    def test_a_bound_of_positive_numbers(self):
        row = self.row("log", "-f", "fp16", "--impl", "cr", "--impl", function("beyond_of_one_sign"))
        self.expect_last(row, "beyond-a-bound")
        self.assertEqual(row["explanations"][0]["from"], "0x5640")  # 100

    def test_a_bound_of_one_sign_says_nothing_of_the_other(self):
        for name, ends, says in (("saturates_above", ("0x4900", "0x7c00"), "x >= 10"), ("saturates_below", ("0xc880", "0xfc00"), "x <= -9")):
            row = self.row("exp", "-f", "fp16", "--impl", "cr", "--impl", function(name))
            self.expect_last(row, "beyond-a-bound")
            one = row["explanations"][0]
            self.assertIn(f": {says} (", one["says"])
            self.assertEqual((one["from"], one["to"]), ends)
            self.assertNotIn("of_magnitudes", one)
        row = self.row("cos", "-f", "fp16", "--impl", "cr", "--impl", function("beyond_a_bound"))
        one, = (one for one in row["explanations"] if one["hypothesis"] == "beyond-a-bound")
        self.assertIn(": |x| >= 100 (", one["says"])
        self.assertTrue(one["of_magnitudes"])

    def test_two_bounds(self):
        row = self.row("exp", "-f", "fp16", "--impl", "cr", "--impl", function("saturates_both"))
        self.expect_last(row, "beyond-a-bound")
        one = row["explanations"][0]
        self.assertIn(": x >= 10 (0x4900) and x <= -2", one["says"])
        self.assertEqual((one["from"], one["from_below"], "of_magnitudes" in one), ("0x4900", "0xc000", False))

    def test_a_range_reduction_that_goes_wrong_gradually(self):
        row = self.row("sin", "-f", "bf16", "--impl", "cr", "--impl", function("reduced_by_float_pi"))
        self.assertEqual(self.causes(row), [{"beyond-a-bound"}])
        self.assertLess(row["unexplained"] * 64, row["differ"])
        first, = struct.unpack("<f", struct.pack("<I", int(row["explanations"][0]["from"], 16) << 16))
        self.assertTrue(100 <= first <= 5000, first)

    def test_isolated_differences_hide_no_bound(self):
        words = ("cos", "-f", "fp16", "--impl", "det", "--impl", function("beyond_and_isolated"))
        row = self.row(*words)
        self.assertEqual(self.causes(row), [{"beyond-a-bound"}])
        one = row["explanations"][0]
        self.assertEqual((one["from"], row["unexplained"], one["explains"]), ("0x5640", 2, row["differ"] - 2))
        self.assertEqual((row["first_unexplained"]["input"], one["example"]["input"]), ("0x4200", "0x5640"))

    def test_where_a_function_begins_is_no_bound(self):
        row = self.row("acosh", "-f", "fp16", "--impl", "libm", "--impl", function("wrong_from_one"))
        self.assertNotIn({"beyond-a-bound"}, self.causes(row))

    def test_a_special_case_of_small_numbers(self):
        for name in ("interval_of_magnitudes", "small_numbers"):
            row = self.row("sin", "-f", "fp16", "--impl", "cr", "--impl", function(name))
            self.expect_last(row, "one-interval")
            one = row["explanations"][0]
            self.assertEqual((one["to"], one["of_magnitudes"]), ("0x2600", True))
            self.assertEqual(one["from"] == "0x2400", name == "interval_of_magnitudes")
            self.assertIn("|x| from", one["says"])

    def test_what_was_not_tried_is_told(self):
        words = ("log", "-f", "fp16", "--impl", "cr", "--impl", function("one_entry"), "--range", "1:4")
        row = self.row(*words)
        untried, = (one for one in row["explanations"] if one["hypothesis"] == "same-mantissas")
        self.assertEqual(untried["tested"], 0)
        self.assertIn("8 binades in a row", untried["why"])
        self.assertIn("not tried", self.run_program("explain", *words).stdout.decode())

    def test_one_entry_of_a_table(self):
        row = self.row("log", "-f", "fp16", "--impl", "cr", "--impl", function("one_entry"))
        self.expect_last(row, "same-mantissas", verdict="part")
        self.assertEqual(row["explanations"][0]["period"], 1)

    def test_a_tail(self):
        row = self.row("exp", "--range", "1:1.015625", "--impl", function("tail") + ",array", "--impl", "cr")
        self.expect(row, "position a", verdict="part")

    def test_a_tail_of_vectors(self):
        row = self.row("exp", "--samples", "1001", "--range", "1:2", "--impl", function("vector_tail") + ",array", "--impl", "cr")
        self.expect(row, "position a")
        self.assertIn("far from the ends", row["explanations"][0]["says"])

    def test_what_depends_on_the_calls_before(self):
        plants = (("exp", "after_another", "-f", "fp16"), ("exp", "each_thousandth", "-f", "fp16"),
                  ("exp", "remembered", "--range", "1:1.0625"), ("exp", "after_another_array,array", "-f", "fp16"),
                  ("cbrt", "flushing_first", "--range", "0x1:0x1000", "--threads", "1"))
        for number, (operation, name, *words) in enumerate(plants):
            for side, pair in harness.some((("b", ("cr", function(name))), ("a", (function(name), "cr"))), 1, number):
                row = self.row(operation, *words, "--impl", pair[0], "--impl", pair[1])
                self.assertEqual(self.causes(row), [{"repetition " + side}], name)
                self.assertEqual((row["unexplained"], row["explanations"][0]["adds"]), (0, row["differ"]))
                self.assertNotIn("no causes", self.said)

    def test_what_explains_all_as_well_is_told_beside_the_cause(self):
        """The last element is at fault, and subnormal: that the right side takes it for zero explains it, too. In the other
        case vectors flush, and what is left over does not."""
        words = ("exp", "--range", "0x0:0x10", "--impl", function("vector_tail") + ",array", "--impl", "cr")
        row = self.row(*words)
        self.assertEqual(row["differ"], 1)
        cause, = self.causes(row)
        self.assertLessEqual({"position a", "flushed-inputs b", "flushed-inputs-to-plus-zero b"}, cause)
        self.expect(row, ", ".join(cause))
        told = self.run_program("explain", *words).stdout.decode()
        self.assertIn("equally explained by: B treats subnormal inputs as zeros of their sign\n"
                      "     equally explained by: B treats subnormal inputs as +0\n", told)
        self.assertIn("(1 input looked at); predicts 0 wrongly", told)
        self.assertIn("  1 of 17 inputs differs\n", told)
        row = self.row("cbrt", "--samples", "20000", "--range", "0x0p0:0x1p-125", "--impl", function("flushing_vectors") + ",array",
                       "--impl", "cr")
        self.expect(row, "flushed-inputs a, flushed-inputs-to-plus-zero a, position a")

    def test_two_causes(self):
        row = self.row("cbrt", "--samples", "60000", "--range", "0:0x1p-110", "--impl", "cr", "--impl",
                       function("two_causes"))
        self.expect(row, "flushed-inputs b, flushed-inputs-to-plus-zero b", "one-interval")


class Crashes(Explain):
    def test_the_side_and_the_input_are_named(self):
        for name, kind, words in (("crashes_at_one", "crash", ()), ("hangs_at_one", "hang", ("--timeout", "1")),
                                  ("exits_at_one", "exit", ())):
            words = ("cbrt", "--range", "0.99609375:1.00390625", *words, "--impl", function(name))
            row = self.row(*words, "--impl", "cr")
            self.assertEqual((row["equal"], row["unanswered"], row["a"]["event_counts"]), (False, 1, {kind: 1}))
            first = row["a"]["first_event"]
            self.assertEqual((first["kind"], first["input"]), (kind, "0x3f800000"))
            self.assertIn("detcheck eval cbrt 0x3f800000", first["command"])
            self.assertNotIn("event_counts", row["b"])

    def test_in_words(self):
        words = ("cbrt", "--range", "0.99609375:1.00390625", "--impl", function("crashes_at_one"))
        done = self.run_program("explain", *words[:3], "--impl", "cr", *words[3:])
        text = done.stdout.decode()
        self.assertEqual(done.returncode, 1)
        self.assertIn(": not all inputs are answered\n", text)
        self.assertIn("  B crash: 1\n     the first, crash, at\n       x  1  0x1p+0  0x3f800000\n", text)
        self.assertNotIn("outputs differ", text)
        self.assertEqual(self.explanation(*words)["a"]["event_counts"], {"crash": 1})
        self.run_program("explain", *words, "--impl", "cr", "--json", "why.json")
        self.succeed("report", "why.json", "-o", "page.html")
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            self.assertIn("crash: 1, the first by detcheck eval cbrt 0x3f800000", stream.read())


    def test_what_hangs_now_and_then_ends_a_question(self):
        """At every 40th call: whose bits they are wants 65,536 calls more, of which each hang would cost the time limit."""
        done = self.run_program("explain", "exp", "-f", "fp16", "-n", "100", "--threads", "1", "--timeout", "1", "--impl",
                                function("hangs_now_and_then"), "--impl", "libm", "--json", "why.json", timeout=240)
        self.assertIn(b"  A was not called further to find whose bits it has: a call did not return\n", done.stdout)
        self.assertIn(b"  it is not known whose bits A has", done.stdout)
        with open(os.path.join(self.path, "why.json"), encoding="utf-8") as stream:
            document = json.load(stream)
        self.hold_to_schema(document)
        explanation = document["results"][0]["implementations"][0]["explanation"]
        self.assertEqual((explanation["a"]["asked_no_further"], "asked_no_further" in explanation["b"]), (["libraries"], False))

    def test_a_port_with_few_wrong_outputs_is_said_to_be_det_first(self):
        """With places, and without a cause that predicts bits."""
        exp = "exp(x)"
        for wrong, where in (({1.5: 2}, ": at 1.5"), ({1.5: 2, -1.75: 3, 0.25: 7}, ": from -1.75 to 1.5")):
            formula = exp
            for at, value in wrong.items():
                formula = f"select(x == {at}, {value}, {formula})"
            for order in (0, 1):
                sides = [f"steps@fp16:det: {formula}", "det"][::1 - 2 * order]
                done = self.run_program("explain", "exp", "-f", "fp16", "--impl", sides[0], "--impl", sides[1])
                self.assertEqual(done.returncode, 1)
                lines = done.stdout.decode().splitlines()
                self.assertEqual(lines[3], f"  {'AB'[order]} has det's bits but at {len(wrong)} of 65,536 inputs{where}")
                self.assertIn("look for a constant that is off in its last bit", lines[4])
        many = self.run_program("explain", "exp", "-f", "fp16", "--impl", "steps@fp16:det: select(x > 1, 7, exp(x))", "--impl", "det")
        self.assertNotIn("det's bits but at", many.stdout.decode())

    def test_an_interrupted_run_says_what_it_has_found(self):
        for other, found in (("steps@fp32:det: exp(x)", "all equal"), ("steps@fp32:det: select(x < 1e-40, 2, exp(x))", r"[\d,]+ have other bits, such as that of x = 0x00000000")):
            process = self.start("explain", "exp", "--impl", other, "--impl", "det", "--threads", 1)
            self.wait_until(lambda started=process: harness.seconds_used(started) > 2, process)
            code, said, complaint = self.stop(process)
            self.assertEqual((code, said), (130, ""))
            match = re.fullmatch(rf"detcheck: interrupted after ([\d,]+) of 4,294,967,296 inputs of exp in fp32: {found}", complaint.splitlines()[-1])
            self.assertTrue(match, complaint)
            self.assertGreater(int(match.group(1).replace(",", "")), 1 << 16)

    def test_inputs_that_show_wrong_ports_are_looked_at_before_all(self):
        """One of vectors/mutants-fp32.txt, and for the other port none."""
        with open(os.path.join(harness.SCHEMAS, "mutants-fp32.txt"), encoding="ascii") as stream:
            codes = [int(line.split()[1], 16) for line in stream if line.startswith("exp ")]
        code = next(code for code in codes if 0x3f800000 < code < 0x3fffffff)
        for wrong in (code, next(other for other in range(code, code + 100) if other not in codes)):
            x, = struct.unpack("<f", struct.pack("<I", wrong))
            port = f"steps@fp32:det: select(x == {x!r}, 7, exp(x))"
            process = self.start("explain", "exp", "--impl", port, "--impl", "det", "--threads", 1)
            self.wait_until(lambda started=process: harness.seconds_used(started) > 1, process)
            _, _, complaint = self.stop(process)
            self.assertEqual("note: " in complaint, wrong == code, complaint)
            if wrong != code:
                continue
            found = re.search(r"note: (.*) differs from det at 1 of (\d+) inputs that show wrong ports, from (\S+) to (\S+); --range (\S+) explains", complaint)
            self.assertEqual((found.group(1), int(found.group(2)), found.group(5)), (port, len(set(codes)), "0x3f800000:0x3fffffff"))
            self.assertEqual({struct.pack("<f", float(found.group(i))) for i in (3, 4)}, {struct.pack("<I", code)})

    def test_progress_names_each_step_and_is_never_at_the_end_of_one(self):
        done = self.run_program("explain", "exp", "--range", "1:2", "--impl", "libm", "--impl", "det", "--threads", 1,
                                env={"DETCHECK_PROGRESS": "0.0001"})
        lines = done.stderr.decode().splitlines()
        steps = [re.fullmatch(r"detcheck: exp: ([a-z ]+?) +(\d+\.\d) %  .* left", line) for line in lines]
        self.assertTrue(all(steps), lines)
        self.assertLessEqual({"a first look", "all inputs"}, {step.group(1) for step in steps})
        last = {}
        for step in steps:
            name, share = step.group(1), float(step.group(2))
            self.assertTrue(share >= last.get(name, 0) or share < 1, lines)
            last[name] = share

    def test_what_an_interrupt_leaves_unasked(self):
        process = self.start("explain", "cbrt", "--range", "2:2.5", "-n", "100", "--timeout", "1000", "--impl",
                             function("waits_far_from_two"), "--impl", "libm", env={"WAITS": os.path.join(self.path, "word")})
        self.wait_until(lambda: self.has("word"), process)
        _, said, _ = self.stop(process)
        for side in "AB":
            self.assertIn(f"  it is not known whose bits {side} has: interrupted\n", said)


class Rebuild(Explain):
    TEXT = "float f(float x) { return ((0.0417f * x + 0.1667f) * x + 0.5f) * x + 1; }\n"

    @unittest.skipUnless(shutil.which("cc") and FMA is not None, "needs cc and a processor with FMA")
    def test_contraction(self):
        source = self.file("f.c", self.TEXT)
        for name, how in (("on", "fast"), ("off", "off")):
            subprocess.run(["cc", "-O2", *FMA, "-ffp-contract=" + how, "-shared", "-fPIC", source, "-o",
                            os.path.join(self.path, name + ".so")], check=True)
        cc = shlex.join(["cc", "-O2", *FMA])
        words = ("exp", "--range", "0.5:0.51171875", "--impl", f"lib:{self.path}/on.so:f", "--impl", f"lib:{self.path}/off.so:f")
        row = self.row(*words, "--rebuild", f"{cc} -ffp-contract=off {source}")
        self.expect(row, "rebuilt b")
        self.assertIn("-ffp-contract=off", row["explanations"][0]["says"])
        row = self.row(*words, "--rebuild", f"contraction: {cc} -ffp-contract=fast {source} -shared -fPIC -o {{}}",
                       "--rebuild", f"without: {cc} -ffp-contract=off {source}")
        self.expect(row, "contraction a, without b")

    def test_a_command_that_fails(self):
        done = self.run_program("explain", "exp", "-f", "fp16", "--impl", "cr,det", "--rebuild", "false")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"the command fails", done.stderr)
        self.assertEqual("detcheck: --rebuild: no-such-compiler -O2: there is no program no-such-compiler in PATH",
                         self.refuse("explain", "exp", "-f", "fp16", "--impl", "cr,det", "--rebuild", "no-such-compiler -O2").strip())
        done = self.run_program("explain", "exp", "-f", "fp16", "--impl", "cr,det", "--rebuild", "position: true {}")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"position is already the name of a hypothesis of detcheck", done.stderr)
        done = self.run_program("explain", "exp", "-f", "fp16", "--impl", "cr,det", "--rebuild", "true # {}")
        self.assertIn(b"the command writes no library", done.stderr)


class Files(Explain):
    def fingerprints(self, name, implementation, called=None, operation="sin"):
        path = os.path.join(self.path, name)
        self.succeed("sweep", operation, "--range", "-3:-2.984375", "--impl", implementation, "--fingerprints", path)
        if called:
            with open(path, encoding="utf-8") as stream:
                lines = [f"implementation {called}\n" if line.startswith("implementation ") else line for line in stream]
            self.file(name, "".join(lines))
        return path

    def test_a_file_of_another_machine(self):
        """Of one side the blocks are known by digests alone, and which rounding it has is found all the same."""
        there = self.fingerprints("there", function("rounded_up"), "lib:/nowhere/libgpu.so:sinf")
        row = self.row(there, self.fingerprints("here", "cr"))
        self.assertEqual(row["unit"], "block")
        self.assertEqual(self.causes(row), [{"rounded-up a", "rounded-toward-zero a", "rounded-by-fp64-toward-zero a"}])
        self.assertEqual(row["explanations"][0]["verdict"], "all")
        self.assertEqual(row["unexplained"], 0)

    def test_pages_and_gates_call_blocks_blocks(self):
        """Which inputs differ is not known of digests: their number is that of blocks."""
        first, block = 0x4b000000, 65536
        codes = bytearray(struct.pack(f"<{5 * block}I", *range(first, first + 5 * block)))  # whole numbers, which trunc keeps
        for i in range(4):
            codes[4 * block * i] ^= 1
        for name, implementation in (("here", "libm"), ("there", "file:" + self.file("codes", bytes(codes)))):
            self.succeed("sweep", "trunc", "--range", f"{first:#x}:{first + 5 * block - 1:#x}", "--impl", implementation,
                         "--fingerprints", os.path.join(self.path, name))
        row = self.row(*(os.path.join(self.path, name) for name in ("here", "there")))
        self.assertEqual((row["unit"], row["tested"], row["differ"]), ("block", 5, 4))
        self.succeed("report", "explained.json", "-o", "page.html")
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            page = stream.read()
        for says in (f">4 of 5 blocks differ, {row['unexplained']} without a simple cause<",
                     ": 4 of 5 blocks of outputs have other bits than those of libm,",
                     f"Differences: 4 of 5 blocks; without a simple cause: {row['unexplained']}. "):
            self.assertIn(says, page)
        self.assertNotIn("4 differences", page)
        self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"explanation": {"*": 0}}]}))
        for words, says in ((("--max-differences", "0"), "blocks in which two implementations differ | 0 | 4 |"),
                            (("--policy", "policy.json"), "blocks that differ by other causes, or by none | 0 | 4 |")):
            done = self.run_program("gate", "explained.json", *words, "--markdown", "-")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(says, done.stdout.decode())

    def test_inputs_that_the_table_does_not_have(self):
        zeros = self.file("outputs", b"\0" * 4 * 256)
        text = self.succeed("explain", "sin", "--range", "0x3f800000:0x3f8000ff", "--impl", "file:" + zeros)
        self.assertIn("these inputs do not show whose bits A has", text)

    def test_files_say_which_inputs_they_are_of(self):
        for words, says in ((("sin", "-n", "5000", "--seed", "3"),
                             "5,000 sampled inputs, seed 3, of 0x00000000-0xffffffff: equal; of 4,294,967,296 inputs"),
                            (("sin", "--range", "1:2"), "8,388,609 inputs of 0x3f800000-0x40000000: equal; of 4,294,967,296 inputs"),
                            (("sin", "-f", "fp16"), "65,536 inputs of 0x0000-0xffff: equal"),
                            (("sin", "-f", "fp16", "--special"),
                             r"[\d,]+ inputs with the digest xxh3-128:[0-9a-f]{32}: equal; of 65,536 inputs")):
            self.succeed("sweep", *words, "--impl", "det", "--fingerprints", "a")
            first = self.succeed("explain", "a", "a", "--json", "explained.json").splitlines()[0]
            self.assertRegex(first, "  (?:" + (says if "digest" in says else re.escape(says)) + ")$")
            with open(os.path.join(self.path, "explained.json"), encoding="utf-8") as stream:
                inputs = json.load(stream)["results"][0]["inputs"]
            self.assertIn(f"  {inputs['description']}: equal", first)

    def test_files_of_two_that_run_here(self):
        row = self.row(self.fingerprints("a", function("rounded_up")), self.fingerprints("b", "cr"), "--run-named")
        self.assertEqual(row["unit"], "input")
        self.expect(row, "rounded-up a, rounded-toward-zero a, rounded-by-fp64-toward-zero a")

    def test_reports(self):
        for name, implementation in (("a.json", "det"), ("b.json", "cr")):
            self.succeed("sweep", "exp", "-f", "fp16", "--impl", implementation, "--json", os.path.join(self.path, name))
        row = self.row(os.path.join(self.path, "a.json"), os.path.join(self.path, "b.json"))
        self.expect(row, "rounded-twice-by-fp32 a")

    def test_reports_and_files_of_inputs_of_all_kinds(self):
        for words in (("--range", "0.5:1", "--range", "0.5:1"), ("-n", "5000"), ("-n", "5000", "--range", "-2:4", "--seed", "7"),
                      ("--special",)):
            form = ("pow", "-f", "fp8_e4m3fn") if words.count("--range") > 1 else ("sin", "-f", "fp32")
            right, wrong = ("cr", "det") if form[0] == "pow" else ("cr", function("rounded_up"))
            for name, implementation in (("a", wrong), ("b", right)):
                self.succeed("sweep", *form, *words, "--impl", implementation, "--json", os.path.join(self.path, name + ".json"),
                             "--fingerprints", os.path.join(self.path, name))
            for end in ("", ".json"):
                a, b = (os.path.join(self.path, name + end) for name in "ab")
                if form[0] == "pow":
                    self.assertNotIn("which inputs", self.run_program("explain", a, b).stdout.decode())
                    continue
                row = self.row(a, b, "--run-named")
                self.assertEqual(row["unit"], "input", words)

    def test_files_choose_no_code(self):
        """Nobody's command runs because a file names it, unless that is asked for."""
        here = self.fingerprints("here", "cr")
        for name in ("exec:touch there", "exec:sh -c 'touch there'", "py:there", "lib:./there.so", "file:here", "svml:ha:/there.so"):
            path = self.fingerprints("a", function("rounded_up"), name)
            for words in (("explain", path, here), ("compare", path, here), ("compare", here, path)):
                done = self.run_program(*words)
                said = (done.stdout + done.stderr).decode()
                self.assertEqual(done.returncode, 1, said)
                self.assertIn(f"{name} was not run, since only a file names it; --run-named runs it", said)
                self.assertNotIn("there", os.listdir(self.path))
        path = self.fingerprints("a", "cr", "exec:touch there")
        same = self.succeed("explain", path, here)  # equal, so that nothing would be gained by running it
        self.assertIn(": equal", same)
        self.assertNotIn("was not run", same)
        path = self.fingerprints("a", function("rounded_up"), "exec:touch there")
        self.run_program("compare", path, here, "--run-named")
        self.assertIn("there", os.listdir(self.path))
        self.assertIn("no effect with --impl", self.refuse("compare", "exp", "--impl", "det,cr", "--run-named"))

    def test_reports_of_other_commands_are_refused(self):
        self.succeed("sweep", "exp", "-f", "fp16", "--impl", "cr", "--json", "sweep.json")
        self.run_program("explain", "exp", "-f", "fp16", "--impl", "libm,cr", "--json", "explain.json")
        self.succeed("invariance", "exp", "-f", "fp16", "--range", "1:1.25", "--impl", "det", "--property", "length", "--json", "invariance.json")
        for name in ("explain", "invariance"):
            self.assertIn(f"{name}.json is a report of detcheck {name}", self.refuse("explain", "sweep.json", name + ".json"))

    def test_outputs_of_another_machine(self):
        """file: is an implementation like others, also where it is asked for inputs out of their order: zeros."""
        codes = bytearray(b"".join(struct.pack("<H", code) for code in range(65536)))  # x, of a function that gives x
        for code in range(1, 0x400):  # whose subnormal inputs are flushed
            struct.pack_into("<H", codes, 2 * code, 0)
            struct.pack_into("<H", codes, 2 * (0x8000 + code), 0x8000)
        flushed = self.file("codes", bytes(codes))
        for code in range(65536):
            struct.pack_into("<H", codes, 2 * code, code)
        whole = self.file("whole", bytes(codes))
        row = self.row("ceil", "-f", "fp16", "--impl", "file:" + flushed, "--impl", "file:" + whole)
        self.assertEqual(row["differ"], 2 * 0x3ff)
        self.expect(row, "flushed-inputs a, flushed-results a")

    def test_whoever_is_right_everywhere_is_right_where_the_sides_differ(self):
        """Functions that the fast oracle knows by a pattern of codes, by a fit and as a line."""
        codes = self.file("codes", b"".join(struct.pack("<H", code) for code in range(65536)))
        for impl, names in (("libm", "ceil floor trunc round roundeven rint nearbyint logb"),
                            ("cr", "sqrt exp sin atan cbrt tgamma lgamma erf sinpi")):
            for name in harness.some(names.split(), 1, 1):
                row = self.row(name, "-f", "fp16", "--impl", impl, "--impl", "file:" + codes)
                self.assertEqual((row["a_correctly_rounded"], row["differ"] > 30000), (row["differ"], True), name)
        first, count = 0x41000000, 0x8000
        codes = b"".join(struct.pack("<I", code) for code in range(first, first + count))
        ways = (("trunc",), ("modf",), ("roundeven",), ("rint", "-r", "up"), ("nearbyint", "-r", "down"))
        for operation, *words in harness.some(ways, 2, 1):
            results = 2 if operation == "modf" else 1
            document = self.explain(operation, *words, "--range", f"{first:#x}:{first + count - 1:#x}", "--impl", "libm",
                                    "--impl", "file:" + self.file("codes", codes * results))
            rows = [result["implementations"][0]["explanation"] for result in document["results"]]
            self.assertEqual([row["a_correctly_rounded"] for row in rows], [row["differ"] for row in rows], operation)
            self.assertEqual([row["differ"] > 30000 for row in rows], [True] * results, operation)

    def test_the_page_tells_of_it(self):
        self.run_program("explain", "exp", "-f", "fp16", "--impl", "libm,cr", "--json", "why.json")
        self.succeed("sweep", "exp", "-f", "fp16", "--json", "r.json")
        # Beside a report that has no cr, the two go by their own names.
        for name, files in (("libm", ("r.json", "why.json")), ("A", ("why.json",))):
            self.succeed("report", *files, "-o", "page.html")
            with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
                page = stream.read()
            self.assertIn("returns the exact result rounded to fp32 first, and then again", page)
            self.assertIn(f"{name} returns the exact result rounded to fp32", page)
            self.assertIn(f"{name}: libm, ", page)


class Reports(Explain):
    """What explain writes is a report: gates judge it, and it merges."""

    def setUp(self):
        super().setUp()
        self.run_program("explain", "exp", "-f", "fp16", "--impl", "cr", "--impl", function("one_interval"), "--json",
                         "why.json")

    def gate(self, code, *words, **limits):
        self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [limits]}))
        policy = ("--policy", "policy.json") if limits else ()
        done = self.run_program("gate", "why.json", *policy, *words, "--json", "-")
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code == 2 else {one["check"]: one for one in json.loads(done.stdout)["checks"]}

    def test_a_gate_allows_causes_by_their_names(self):
        by_fp32, in_interval = "rounded-twice-by-fp32", "one-interval"
        checks = self.gate(1, explanation={"*": 0})
        both = int(checks["*"]["found"])
        alone = self.gate(1, explanation={by_fp32: "any", "*": 0})
        rest = int(alone["*"]["found"])
        self.assertTrue(0 < rest < both)
        self.assertIn("detcheck eval exp 0x", alone["*"]["command"])
        self.gate(0, explanation={by_fp32: "any", in_interval: rest, "*": 0})
        self.gate(1, explanation={by_fp32: "any", in_interval: rest - 1, "*": 0})
        self.gate(0, explanation={by_fp32: both - rest, "*": rest})
        self.gate(0, explanation={"unexplained": 0})

    def test_a_name_that_is_no_hypothesis_passes_nowhere(self):
        self.assertIn(b"no such hypothesis was tried", self.gate(2, explanation={"contraction": "any", "*": 10000}))
        self.assertIn(b"explanation", self.gate(2, explanation={}))
        self.assertIn(b"explanation", self.gate(2, explanation={"*": "many"}))

    def test_counts_of_differences_are_limits(self):
        found = self.gate(1, max_differences=0)["max_differences"]
        self.assertEqual(self.gate(0, "--max-differences", found["found"])["max_differences"]["status"], "passed")
        self.gate(1, "--max-differences", str(int(found["found"]) - 1))
        self.assertEqual(self.gate(0, "--max-unexplained", "0")["max_unexplained"]["found"], "0")
        self.assertIn(b"no limit applies to anything", self.gate(2, "--max-ulp", "1"))

    def test_a_baseline_and_an_update(self):
        self.gate(0, "--baseline", "why.json")
        self.succeed("gate", "why.json", "--update", "new.json")
        self.succeed("gate", "why.json", "--policy", "new.json")

    def test_merging(self):
        self.run_program("explain", "exp", "-f", "fp16", "--impl", "det,cr", "--json", "other.json")
        document = json.loads(self.succeed("merge", "why.json", "other.json"))
        self.assertEqual([one["parameters"]["against"] for one in document["results"]], ["cr", "det"])
        for name, values in (("low", "0:1"), ("high", "1.5:2")):
            self.run_program("explain", "exp", "-f", "fp16", "--range", values, "--impl", "det,cr", "--json", name)
        done = self.run_program("merge", "low", "high")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"explain all inputs in one run", done.stderr)


class Libraries(Explain):
    def test_whose_bits(self):
        for name in ("det", "cr"):
            side = self.explanation("exp", "--special", "--impl", name, status=0)["a"]
            self.assertTrue(any(one.startswith("detcheck " + name) for one in side["libraries"]), side)
            self.assertEqual(side["inputs"], ["samples", "special"])

    def test_why_none_is_named(self):
        """Special inputs alone tell that it is none of them; of a worker that does not answer all of them nothing is told."""
        for name, says in (("flushed_inputs", "  A has the bits of no library in the table (on 1,691 special inputs)\n"),
                           ("crashes_near_one", "  it is not known whose bits A has: it does not answer all inputs")):
            text = self.succeed("explain", "cbrt", "--range", "2:2.5", "--impl", function(name))
            self.assertIn(says, text)

    def test_an_input_that_was_just_shown_rules_a_library_out(self):
        """1.5 is not among the samples: on these the side that is wrong there has the platform's bits."""
        words = ("sin", "--range", "0x3fbfffac:0x3fc00054", "--impl", function("sine_off_at_three_halves"), "--impl")
        row = self.row(*words, "libm")
        self.assertEqual((row["differ"], row["a"]["libraries_except"], "libraries_except" in row["b"]), (1, 1, False))
        self.assertRegex(self.said, r"A has the bits of: .*, but not at 1 of 169 inputs\n")
        self.assertNotRegex(self.said, r"B has the bits of: .*, but")
        libm = next(name for name in row["b"]["libraries"] if row["b"]["detail"].startswith(name + ","))
        self.assertNotIn(libm, row["a"]["libraries"])  # B is this one, so that A is not
        self.assertEqual(set(row["a"]["libraries"]), set(row["b"]["libraries"]) - {libm})
        self.assertNotRegex(self.said, rf"A has the bits of: (.*, )?{re.escape(libm)}(, | \()")
        row = self.row(*words, function("sine"))
        self.assertEqual((row["a"]["libraries_except"], row["b"]["libraries_except"]), (1, 1))
        self.assertRegex(self.said, r"B has the bits of: .*, but one of A and B not at 1 of 169 inputs\n")

    def test_a_library_that_is_the_cause_is_not_ruled_out(self):
        """glibc without FMA is in the list, and differs from glibc at this input: no side has its bits "but not at 1 input"."""
        worker = os.path.join(os.path.dirname(harness.PROGRAM), "detcheck-worker")
        there = f"exec:env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2_Usable,-AVX2,-FMA4 {worker}"
        if self.run_program("compare", "exp", "--range", "32.5:32.6", "--impl", "libm", "--impl", there).returncode == 0:
            self.skipTest("this C library has no variants of libm, or is not told which to take by GLIBC_TUNABLES")
        text = self.row("exp", "--range", "32.5:32.6", "--impl", "libm", "--impl", there) and self.said
        self.assertIn("libm-without-fma", text)
        self.assertRegex(text, r"(?m)^  libraries are known by 1,048,576 samples and special inputs, at which A and B are equal, and have the bits of: .*glibc")
        self.assertNotIn("has the bits of", text)

    def test_a_sweep_and_a_comparison_name_who_it_is(self):
        self.succeed("table", "exp2", "-f", "fp16", "--as", "raw", "-o", "outputs")
        text = self.succeed("sweep", "exp2", "-f", "fp16", "--impl", "file:outputs", "--fingerprints", "file.txt",
                            "--json", "file.json")
        self.assertIn("has the bits of        detcheck cr: correctly rounded", text)
        self.assertNotIn("has the bits of", self.succeed("sweep", "exp2", "-f", "fp16", "--impl", "libm", "--range", "1:2"))
        self.succeed("table", "exp2", "-f", "fp16", "--as", "raw", "-o", "others")
        both = self.succeed("explain", "exp2", "-f", "fp16", "--impl", "file:others", "--impl", "file:outputs")
        self.assertEqual(len(re.findall(r"(?m)^  both have the bits of: .*detcheck cr", both)), 1)
        self.assertNotRegex(both, r"(?m)^  [AB] has the bits of")
        self.succeed("sweep", "exp2", "-f", "fp16", "--impl", "det", "--fingerprints", "det.txt", "--json", "det.json")
        for pair in (("file.txt", "det.txt"), ("file.json", "det.json")):
            done = self.run_program("compare", *pair, "--json", "-")
            row, = json.loads(done.stdout)["comparisons"]
            self.assertEqual(row["a_libraries"][0], "detcheck cr: correctly rounded")
            self.assertEqual(row["b_libraries"][0], "detcheck det")
            self.assertIn(b"A has the bits of detcheck cr", self.run_program("compare", *pair).stdout)

    def dump(self, frames):
        """The outputs in what a worker wrote. A block of a few inputs more has its last one so often (detcheck-exec(7))."""
        with open(os.path.join(self.path, frames), "rb") as stream:
            data = stream.read()
        at, outputs = 16 + struct.unpack_from("<I", data, 12)[0], b""
        while at < len(data):
            count, = struct.unpack_from("<I", data, at + 4)
            outputs += data[at + 8:at + 8 + 4 * (count - count % 16)]
            at += 8 + 4 * count + 4
        return self.file("dump", outputs)

    @unittest.skipUnless(shutil.which("musl-gcc"), "needs musl-gcc")
    def test_a_dump_of_musl(self):
        """Samples in fp32, of an adapter that is linked to musl; then codes without a name, as another machine may have left
        them."""
        subprocess.run(["musl-gcc", "-O2", "-ffp-contract=off", "-D_GNU_SOURCE", "-static",
                        os.path.join(ADAPTERS, "c_adapter.c"), "-o", "m"], cwd=self.path, check=True)
        words = ("sin", "--samples", "1048576", "--seed", "1")
        self.succeed("sweep", *words, "--threads", "1", "--impl", f"exec:{self.path}/m | tee {self.path}/frames")
        side = self.explanation(*words, "--impl", "file:" + self.dump("frames"), status=0)["a"]
        self.assertEqual((side["libraries"], side["inputs"]), (["musl 1.2.3"], ["samples"]))
        with open(TABLE, encoding="utf-8") as stream:
            table = json.load(stream)["libraries"]
        for operation in ("sin", "cos", "exp", "log"):
            side = self.explanation(operation, "--special", "--impl", f"exec:{self.path}/m", status=0)["a"]
            same = [one["name"] for one in table
                    if side["fingerprints"].items() <= one["functions"].get(operation + " fp32", {}).items()]
            self.assertIn("musl 1.2.3", same)
            self.assertEqual(side["libraries"], same)  # glibc has musl's exp and log: the same source
            if operation in ("sin", "cos"):
                self.assertEqual(same, ["musl 1.2.3"])


class Numpy(Explain):
    @unittest.skipUnless(subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False)
                         .returncode == 0, "numpy is not installed")
    def test_two_dispatch_settings(self):
        """No simple cause is blamed for a difference of whole algorithms, and each run is known by its bits: without AVX512
        numpy's tan is libm's."""
        adapter = f"{sys.executable} {ADAPTERS}/numpy_adapter.py"
        limited = "NPY_DISABLE_CPU_FEATURES=X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
        words = ("tan", "-n", "20000", "--range", "-8:8", "--impl", "exec:" + adapter, "--impl",
                 f"exec:env '{limited}' {adapter}")
        done = self.run_program("explain", *words, "--json", "-")
        if done.returncode == 0:
            self.skipTest("on this processor numpy has one tan")
        self.assertEqual(done.returncode, 1, done.stderr)
        result, = json.loads(done.stdout)["results"]
        explanation = result["implementations"][0]["explanation"]
        blamed = {one["hypothesis"] for one in explanation["explanations"] if "cause" in one}
        self.assertLessEqual(blamed, {"position", "one-interval", "beyond-a-bound", "same-mantissas"})
        platform = self.explanation("tan", "-n", "20000", "--impl", "libm", status=0)["a"]["fingerprints"]
        self.assertEqual(explanation["b"]["fingerprints"], platform)
        self.assertNotEqual(explanation["a"]["fingerprints"], platform)


if __name__ == "__main__":
    unittest.main()
