"""Causes of conversions: each row of the table has a function of converting_library.c that does just that, and is named with it
and with nothing else.

Environment: that of the tests of the program; CONVERTING_LIBRARY.
"""

import os
import unittest

from harness import Case, parse, some

LIBRARY = os.environ["CONVERTING_LIBRARY"]
SAMPLES = {"fp32": ("-n", 200000), "fp64": ("--inputs", "inputs"), "int64": ("--inputs", "integers"), "uint64": ("-n", 3000)}  # of fp16 and bf16 all inputs are asked
TIES = ("--range", "0x3e000000:0x3e07ffff")  # codes of fp32, 64 of which lie between two numbers of fp16

# A cause, and the function of converting_library.c without its format.
ROUNDINGS = [
    ("converted-toward-zero", "cut"), ("converted-up", "upward"), ("converted-down", "downward"),
    ("converted-away-from-zero", "outward")]
AT_TIES = [
    ("converted-to-nearest-away", "ties_away"), ("converted-to-nearest-odd", "ties_odd"), ("converted-to-nearest-zero", "ties_zero")]
FLUSHED = [("converted-to-flushed", "flushed_results"), ("converted-to-flushed-plus-zero", "flushed_results_to_plus"),
           ("subnormal-results-cut", "subnormal_cut")]
OTHERS = [
    ("overflow-to-largest", "overflow_largest"), ("overflow-to-nan", "overflow_nan"),
    ("infinity-to-largest", "infinity_largest"), ("infinity-to-nan", "infinity_nan"),
    ("nan-keeps-sign", "nan_signed"), ("nan-to-zero", "nan_nothing"), ("nan-to-largest", "nan_biggest"),
    ("nan-to-signed-largest", "nan_largest")]
# (cause, function, target, source, more words)
PLANTS = [(*row, "fp8_e5m2", source, ()) for source in ("fp16", "bf16") for row in ROUNDINGS + AT_TIES + FLUSHED + OTHERS]
PLANTS += [(*row, "fp8_e4m3fn", source, ()) for source in ("fp16", "bf16") for row in ROUNDINGS + AT_TIES + FLUSHED]
PLANTS += [(*row, "fp16", "fp32", ()) for row in ROUNDINGS + FLUSHED + OTHERS if "infinity-" not in row[0]]
PLANTS += [(*row, "fp16", "fp32", TIES) for row in AT_TIES]
PLANTS += [(*row, "fp16", "bf16", ()) for row in OTHERS]
PLANTS += [
    ("carry-lost", "carry_lost", "fp8_e5m2", "fp16", ()), ("carry-lost", "carry_lost", "fp16", "fp32", ()),
    ("converted-by-bf16", "by_bf16", "fp8_e4m3fn", "fp16", ()), ("converted-by-bf16", "by_bf16", "fp8_e5m2", "fp32", ()),
    ("converted-by-bf16", "by_bf16", "fp16", "fp32", ()), ("converted-by-fp16", "by_fp16", "fp8_e4m3fn", "fp32", ()),
    ("converted-by-fp16", "by_fp16", "bf16", "fp32", ()),
    ("overflow-to-infinity", "overflow_infinite", "fp8_e5m2", "bf16", ("--profile", "saturate")),
    ("overflow-to-infinity", "overflow_infinite", "fp16", "fp32", ("--profile", "saturate")),
    ("infinity-to-infinity", "infinity_infinite", "fp8_e5m2", "fp16", ("--profile", "saturate")),
    ("converted-to-nearest-even", "right", "fp8_e5m2", "fp16", ("-r", "toward-zero")),
    ("converted-from-flushed", "flushed_inputs", "bf16", "fp32", ()),
    ("converted-from-flushed-to-plus-zero", "flushed_inputs_to_plus", "bf16", "fp32", ()),
    ("nan-to-canonical", "saturating", "fp8_e4m3fn", "fp16", ("--profile", "onnx-reference")),
    ("profile-saturate", "saturating", "fp8_e5m2", "fp16", ()), ("profile-ml_dtypes", "signed_everywhere", "fp8_e4m3fn", "fp16", ())]
WITHOUT_FORMAT = [
    ("converted-by-fp32", "double_by_fp32", "fp16", "fp64"), ("nan-keeps-payload", "payload_bf16", "bf16", "fp32"),
    ("nan-cut", "nan_cut_bf16", "bf16", "fp32"), ("nan-rounded", "nan_rounded_bf16", "bf16", "fp32")]

SATURATED = ("--profile", "saturate")
INTEGERS = [
    ("converted-to-nearest-up", "ties_up_int8", "int8", "fp16", SATURATED), ("nan-to-least", "nan_least_int8", "int8", "bf16", SATURATED),
    ("profile-wrap-cut", "cast_int8", "int8", "fp16", SATURATED), ("profile-x86-cut", "cast_int16", "int16", "fp32", SATURATED),
    ("converted-by-fp64", "from_int64_by_double", "fp32", "int64", ()),
    ("converted-in-parts", "in_parts_fp64", "fp64", "uint64", ()),
    ("wrapped-by-int64", "wrapped_int32", "int32", "fp64",
     ("--profile", "wrap", "-r", "toward-zero", "--range", "0x43dffffffffff000:0x43e0000000000fff")),
    ("converted-by-half", "by_half_int32", "int32", "fp32", (*SATURATED, "-r", "nearest-up")),
    ("random-from-the-other-end", "random_upward_bf16", "bf16", "fp32", ("-r", "stochastic", "--random", 77))]


class Casts(Case):
    def test_inputs_in_a_row_are_taken_together(self):
        """What is counted of runs of inputs is what is counted of each one: inputs of a file are looked at one by one."""
        codes = self.file("all.txt", "".join(f"0x{code:04x}\n" for code in range(1 << 16)))
        for function in some(("right", "cut", "upward", "ties_odd", "by_bf16", "overflow_nan", "infinity_largest", "nan_signed", "nan_nothing",
                              "flushed_inputs", "flushed_results_to_plus", "saturating"), 4):
            words = ("cast", "-f", "fp16", "--to", "fp8_e5m2", "-j", "-", "--impl", "det", "--impl", f"lib:{LIBRARY}:{function}_e5m2,float")
            found = []
            for inputs in ((), ("--inputs", codes)):
                done = self.run_program("explain", *words, *inputs)
                explanation = parse(done.stdout)["results"][0]["implementations"][0]["explanation"]
                found.append({key: value for key, value in explanation.items() if key not in ("a", "b")})
            self.assertEqual(found[0]["tested"], 1 << 16)
            self.assertEqual(found[0], found[1], function)

    def explained(self, function, target, source, *words, code=1):
        """The causes, with the rows that explain as much, of a function beside det."""
        short = "" if source in SAMPLES else ",float"
        inputs = () if "--range" in words else SAMPLES.get(source, ())
        done = self.run_program("explain", "cast", "-f", source, "--to", target, "--impl", "det", "--impl",
                                f"lib:{LIBRARY}:{function}{short}", *inputs, *words, "--json", "-")
        self.assertEqual(done.returncode, code, done.stderr)
        result, = parse(done.stdout)["results"]
        self.follows_schema(parse(done.stdout))
        return result["implementations"][0]

    def setUp(self):
        super().setUp()
        # Just above the middle of two numbers of fp16, where fp32 rounds down to it; and elsewhere.
        codes = [0x3f10020000000000 + (at << 42) + at for at in range(1, 400)] + [0x3f10000000000000 + (at << 36) for at in range(4000)]
        self.file("inputs", "".join(f"0x{code:016x}\n" for code in codes))

        # Next to the middle of two numbers of fp32, which fp64 rounds to it.
        codes = [(1 << 62) + (at << 39) + (1 << 38) + (at % 200 + 1) * (-1) ** (at // 2) for at in range(400)]
        self.file("integers", "".join(f"0x{code:x}\n" for code in codes))

    def check(self, cause, function, target, source, *words):
        one = self.explained(function, target, source, *words)
        explanation = one["explanation"]
        causes = [(row["hypothesis"], row.get("side"), row["predicts_wrongly"])
                  for row in explanation["explanations"] if row.get("cause")]
        equals = [row["hypothesis"] for row in explanation["explanations"] if row.get("same_as") and not row["predicts_wrongly"]]
        self.assertEqual(causes, [(cause, "b", 0)], (function, source, target))
        if not cause.startswith("profile-"):
            self.assertEqual([name for name in equals if not name.startswith("profile-")], [], (function, source, target))
        self.assertEqual(explanation["unexplained"], 0)
        self.assertGreater(explanation["differ"], 0)

    def test_each_is_named_and_nothing_else(self):
        for cause, name, target, source, words in some(PLANTS, 17):
            kind = {"fp8_e5m2": "e5m2", "fp8_e4m3fn": "e4m3fn"}.get(target, target)
            with self.subTest(cause=cause, source=source, target=target):
                self.check(cause, f"{name}_{kind}", target, source, *words)
        for cause, name, target, source in WITHOUT_FORMAT:
            with self.subTest(cause=cause):
                self.check(cause, name, target, source)

    def test_integers(self):
        for cause, name, target, source, words in INTEGERS:
            with self.subTest(cause=cause):
                self.check(cause, name, target, source, *words)

    def test_integers_have_no_subnormal_numbers(self):
        for target, source, unasked in (("int8", "fp16", "converted-to-flushed"), ("fp32", "int64", "converted-from-flushed")):
            function = {"int8": "cast_int8", "fp32": "from_int64_by_double"}[target]
            rows = self.explained(function, target, source, *(SATURATED if target == "int8" else ()))["explanation"]["explanations"]
            self.assertEqual([row["hypothesis"] for row in rows if row["hypothesis"].startswith(unasked)], [])

    def test_places_say_nothing_of_functions(self):
        rows = self.explained("cut_e5m2", "fp8_e5m2", "fp16")["explanation"]["explanations"]
        says = {row["hypothesis"]: row["says"] for row in rows}
        self.assertIn("all differences lie beyond a bound", says["beyond-a-bound"])
        self.assertEqual([one for one in says.values() if "reduction" in one or "polynomial" in one], [])

    def test_one_alone(self):
        self.assertIn("explain of conversions needs two implementations, --impl A --impl B",
                      self.refuse("explain", "cast", "--to", "bf16", "--impl", "det"))

    def test_two_that_share_nothing(self):
        for function, words, causes in (
                ("cut_nan_signed_e5m2", (), {"converted-toward-zero", "nan-keeps-sign"}),
                ("cut_saturating_e5m2", (), {"converted-toward-zero", "overflow-to-largest"}),
                ("overflow_infinite_e5m2", ("--profile", "saturate", "-r", "nearest-away"), {"overflow-to-infinity", "converted-to-nearest-even"})):
            with self.subTest(function=function):
                explanation = self.explained(function, "fp8_e5m2", "bf16", *words)["explanation"]
                found = {row["hypothesis"]: row["predicts_wrongly"] for row in explanation["explanations"] if row.get("cause")}
                self.assertEqual(found, dict.fromkeys(causes, 0))
                self.assertEqual(explanation["unexplained"], 0)

    def test_two_that_are_alike(self):
        one = self.explained("right_e5m2", "fp8_e5m2", "fp16", code=0)
        self.assertEqual((one["explanation"]["tested"], one["explanation"]["differ"]), (65536, 0))

    def test_random_bits(self):
        words = ("explain", "cast", "-f", "fp32", "--to", "bf16", "-r", "stochastic", "--impl", "det", "--impl",
                 f"lib:{LIBRARY}:random_bf16", "-n", 1000)
        for bits in ((), ("--random", 77), ("--random-seed", 5)):
            done = self.run_program(*words, *bits)
            self.assertIn(b"0 of 1,000 inputs differ", done.stdout)

    def test_random_bits_of_each_input(self):
        words = ("-r", "stochastic", "-n", 5000, "--seed", 3, "--random-seed", 7)
        self.check("random-from-the-other-end", "random_upward_bf16", "bf16", "fp32", *words)
        one = self.explained("random_upward_bf16", "bf16", "fp32", *words)
        # The line that evaluates an example alone has the random bits that the input met.
        done = self.run_program("explain", "cast", "-f", "fp32", "--to", "bf16", "--impl", "det", "--impl",
                                f"lib:{LIBRARY}:random_upward_bf16", *words)
        line = next(line for line in done.stdout.decode().splitlines() if " --random " in line).split()
        outputs = self.document(*line[1:])["results"][0]
        example = next(row for row in one["explanation"]["explanations"] if row.get("cause"))["example"]
        self.assertEqual([side["got"] for side in outputs["implementations"]], [example["a"], example["b"]])
        self.assertNotEqual(example["a"], example["b"])

    def recorded(self, target, source, function, *words):
        """Reports and files of fingerprints of det and of a function."""
        for name, kind in (("det", "det"), ("other", f"lib:{LIBRARY}:{function}")):
            self.succeed("sweep", "cast", "-f", source, "--to", target, *words, "--impl", kind, "--json", f"{name}.json",
                         "--fingerprints", f"{name}.txt")

    def test_reports_and_files_of_fingerprints(self):
        for target, source, function, cause, words in (
                ("fp8_e5m2", "fp16", "cut_e5m2,float", "converted-toward-zero", ()),
                ("fp8_e5m2", "fp16", "saturating_e5m2,float", "profile-saturate", ("--profile", "ieee")),
                ("bf16", "fp32", "random_upward_bf16", "random-from-the-other-end", ("-r", "stochastic", "-n", 3000))):
            with self.subTest(cause=cause):
                self.recorded(target, source, function, *words)
                # Both run; and where one may not, its blocks are known by their digests.
                for files, named, of_blocks in (("json", True, False), ("txt", True, False), ("txt", False, True)):
                    done = self.run_program("explain", f"det.{files}", f"other.{files}", *(("--run-named",) if named else ()), "--json", "-")
                    self.assertEqual(done.returncode, 1, done.stderr)
                    explanation = parse(done.stdout)["results"][0]["implementations"][0]["explanation"]
                    causes = [row["hypothesis"] for row in explanation["explanations"] if row.get("cause")]
                    self.assertEqual(causes, [cause], (files, named))
                    self.assertEqual((explanation["unexplained"], "blocks" in explanation), (0, True) if of_blocks else (0, files == "txt"))

    def test_every_row_has_a_plant(self):
        planted = {plant[0] for plant in PLANTS + WITHOUT_FORMAT + INTEGERS}
        one = self.explained("cut_e5m2", "fp8_e5m2", "fp16")
        asked = {row["hypothesis"] for row in one["explanation"]["explanations"] if "tested" in row}
        known = {name for name in asked if not name.startswith("profile-")} - {
            "nan-bits", "zero-signs", "repetition", "position", "one-interval", "beyond-a-bound", "same-mantissas"}
        self.assertEqual(known - planted, set())


if __name__ == "__main__":
    unittest.main()
