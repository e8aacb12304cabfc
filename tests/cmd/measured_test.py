"""What is measured beside ulps (sweep --show), counted again in Python over all of fp16: outputs by the same library through ctypes,
exact results by mpmath with 200 bits, and orders and sums by what detcheck-report(7) says of them."""

import ctypes
import functools
import json
import os
import struct
import sys
import unittest
from fractions import Fraction

try:
    import mpmath
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)

from formats import FP16, INFINITY, NAN
from harness import Case, parse, without_run

LIBRARY = os.environ["MEASURED_LIBRARY"]
ALL = range(1 << 16)
FP16_END = mpmath.mpf(2) ** 16  # what infinity stands for
SHARED = ("percentiles", "absolute_error", "relative_error", "monotony", "symmetry")


def call(path, name):
    function = getattr(ctypes.CDLL(path), name)
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
    return function


def narrow(value):
    """A float as a code of fp16."""
    if value != value:
        return FP16.nan
    return struct.unpack("<H", struct.pack("<e", value))[0] if abs(value) < 65520 else 0x7c00 | (value < 0) << 15


@functools.cache
def outputs(path, name):
    function = call(path, name)
    widened = (struct.unpack("<e", struct.pack("<H", code))[0] for code in ALL)
    return [narrow(function(value)) for value in widened]


@functools.cache
def number(code):
    """Of fp16 as mpmath has it, infinity as what it stands for; None for NaN."""
    value = FP16.value(code)
    if value == NAN:
        return None
    if value == INFINITY:
        return FP16_END if code < 0x8000 else -FP16_END
    return mpmath.mpf(value.numerator) / value.denominator


@functools.cache
def exact(name):
    """By code; None where there is no number. Infinity stays infinite."""
    found = []
    with mpmath.workprec(200):
        for code in ALL:
            value = FP16.value(code)
            if value == NAN or (value == INFINITY and name == "sin"):
                found.append(None)
            elif value == INFINITY:
                found.append(mpmath.inf if code < 0x8000 else mpmath.mpf(0))
            else:
                found.append(getattr(mpmath, name)(number(code)))
    return found


def clamped(y):
    return min(max(y, -FP16_END), FP16_END)


def errors(name, got):
    """By code: in ulps, absolute, and relative or None; of outputs that have one."""
    found = {}
    with mpmath.workprec(200):
        for code in ALL:
            y, output = exact(name)[code], number(got[code])
            if y is None or output is None:
                continue
            size = abs(clamped(y))
            ulp = mpmath.ldexp(1, min(max(mpmath.mag(size) - 1 if size else -99, -14), 15) - 10)
            error = abs(output - clamped(y))
            if y == mpmath.inf or size >= 65520:  # the right result of what overflows
                error = mpmath.mpf(0) if got[code] == 0x7c00 else error
            found[code] = (error / ulp, error, error / size if size else None)
    return found


class Measured(Case):
    def swept(self, operation, *words, implementation="libm", show="all"):
        document = self.document("sweep", operation, "-f", "fp16", "--impl", implementation, "--show", show, *words)
        return document["results"][0]["implementations"][0]

    def planted(self, operation, name):
        return self.swept(operation, implementation=f"lib:{LIBRARY}:{name}")

    def assert_errors(self, found, name, got):
        known = errors(name, got)
        ulps = sorted(float(error) for error, _, _ in known.values())
        self.assertEqual(found["judged_in_ulps"], len(ulps))
        for row, share in zip(found["percentiles"], (500, 900, 990, 999), strict=True):
            self.assertEqual(row["percent"], share / 10)
            at = ulps[(len(ulps) * share + 999) // 1000 - 1]
            self.assertTrue(row["above_ulp"] < at <= row["up_to_ulp"] or at == row["above_ulp"] == 0, (row, at))
        for kind, member in ((1, "absolute_error"), (2, "relative_error")):
            sizes = {code: error[kind] for code, error in known.items() if error[kind] is not None}
            told = found[member]
            self.assertEqual(told["outputs"], len(sizes))
            with mpmath.workprec(200):
                mean = mpmath.fsum(sizes.values()) / len(sizes)
                largest = max(sizes.values())
                self.assertLess(abs(told["mean"] - mean), mean * 1e-7)
                self.assertLess(abs(told["max"]["error"] - largest), largest * 1e-6)
                self.assertLess(abs(int(told["sum"], 16) * mpmath.ldexp(1, -1152 if kind == 1 else -128) / len(sizes) - mean), mean * 1e-7)
                witness = int(told["max"]["input"], 16)
                self.assertGreater(sizes[witness], largest * (1 - 1e-6))
            self.assertEqual(told["max"]["got"], FP16.bits(got[witness]))

    def assert_order(self, found, name, got):
        """Pairs of codes that follow one another, of one sign and no NaN."""
        pairs, wrong = 0, []
        for code in ALL:
            if code & 0x7fff >= 0x7c00:  # nothing follows on infinity
                continue
            a, b = number(got[code]), number(got[code + 1])
            y, z = exact(name)[code], exact(name)[code + 1]
            if a is None or b is None:
                continue
            pairs += 1
            if y is not None and z is not None and (b - a) * ((z > y) - (z < y)) < 0:
                wrong.append(code)
        self.assertEqual((found["monotony"]["pairs"], found["monotony"]["wrong"], found["monotony"]["undecided"]), (pairs, len(wrong), 0))
        self.assert_first(found["monotony"]["first"], wrong, got, lambda code: code + 1)
        return len(wrong)

    def assert_first(self, first, wrong, got, other):
        if not wrong:
            self.assertIsNone(first)
            return
        code, also = wrong[0], other(wrong[0])
        self.assertEqual(first, {"input": FP16.bits(code), "got": FP16.bits(got[code]), "other": {"input": FP16.bits(also), "got": FP16.bits(got[also])}})

    def assert_odd(self, found, got):
        numbers = [code for code in ALL if code & 0x7fff <= 0x7c00]
        wrong = [code for code in numbers
                 if got[code ^ 0x8000] != (got[code] if got[code] == FP16.nan else got[code] ^ 0x8000)]
        self.assertEqual((found["symmetry"]["pairs"], found["symmetry"]["wrong"]), (len(numbers), len(wrong)))
        self.assert_first(found["symmetry"]["first"], wrong, got, lambda code: code ^ 0x8000)
        return len(wrong)

    def test_libm_is_as_counted(self):
        for name in ("sin", "exp"):
            with self.subTest(name=name):
                found, got = self.swept(name), outputs("libm.so.6", name + "f")
                self.assert_errors(found, name, got)
                self.assert_order(found, name, got)
                self.assertEqual("symmetry" in found, name == "sin")
                if name == "sin":
                    self.assertEqual(self.assert_odd(found, got), 0)

    def test_a_function_that_is_not_monotone_is_as_counted(self):
        found, got = self.planted("exp", "wavy_exp"), outputs(LIBRARY, "wavy_exp")
        self.assert_errors(found, "exp", got)
        self.assertGreater(self.assert_order(found, "exp", got), 1000)

    def test_a_function_that_is_not_odd_is_as_counted(self):
        found, got = self.planted("sin", "lopsided_sin"), outputs(LIBRARY, "lopsided_sin")
        self.assert_order(found, "sin", got)
        self.assertGreater(self.assert_odd(found, got), 1000)

    def test_however_it_is_cut_it_is_the_same(self):
        """Of 2^19 inputs of fp32, by which the library is asked in many slices."""
        words = ("sweep", "exp", "-f", "fp32", "--range", "0x3f7c0000:0x3f83ffff", "--impl", f"lib:{LIBRARY}:wavy_exp", "--show", "all")
        text = self.succeed(*words, "-t", 1, "--json", "-", notes=True)
        whole = without_run(text)
        self.assertGreater(parse(text)["results"][0]["implementations"][0]["monotony"]["wrong"], 2)
        self.assertEqual(without_run(self.succeed(*words, "-t", 4, "--json", "-", notes=True)), whole)
        shards = [os.path.join(self.path, f"{i}.json") for i in (1, 2, 3)]
        for i, shard in enumerate(shards):
            self.succeed(*words, "--shard", f"{i + 1}/3", "--json", shard, notes=True)
            with open(shard, encoding="utf-8") as stream:
                self.assertGreater(json.load(stream)["results"][0]["implementations"][0]["monotony"]["pairs"], 1 << 16)
        self.assertEqual(without_run(self.succeed("merge", *shards)), whole)
        self.assertEqual(without_run(self.succeed(*words, "--checkpoint", os.path.join(self.path, "kept"), "--json", "-", notes=True)), whole)

    def test_both_oracles_say_the_same_of_neighbours(self):
        for words in (("exp", "-f", "bf16"), ("sin", "-f", "fp32", "-n", "65536", "--run-length", "4096"), ("sin", "-f", "fp32", "-n", "1000"),
                      ("pow", "-f", "fp32", "-n", "8192", "--run-length", "1024"), ("tanh", "-f", "fp16")):
            with self.subTest(words=words):
                fast, exactly = (self.document("sweep", *words, "--impl", "libm,det", "--show", "monotony,symmetry", "--oracle", oracle)
                                 for oracle in ("auto", "exact"))
                for one, other in zip(*(document["results"][0]["implementations"] for document in (fast, exactly)), strict=True):
                    for member in ("monotony", "symmetry"):
                        self.assertEqual(one.get(member), other.get(member))

    def test_it_is_printed_and_reported_only_where_it_is_asked_for(self):
        plain = self.document("sweep", "sin", "-f", "fp16", "--impl", "libm")["results"][0]["implementations"][0]
        self.assertEqual([member for member in SHARED if member in plain], ["percentiles"])
        text = self.succeed("sweep", "sin", "-f", "fp16", "--impl", "libm")
        for said in ("of the errors", "absolute", "wrong way", "f(-x)"):
            self.assertNotIn(said, text)
        text = self.succeed("sweep", "sin", "-f", "fp16", "--impl", "libm", "--show", "percentiles", "--show", "monotony,symmetry")
        self.assert_holds(text, "99.9 % of the errors", "run the wrong way      0 of 63,486 neighbours", "f(-x) is not -f(x)     0 of 63,490 inputs")
        self.assertNotIn("absolute", text)
        self.refuse("sweep", "sin", "--show", "digits")

    def test_what_rounds_in_one_direction_is_not_odd(self):
        for rounding, there in (("up", False), ("toward-zero", True)):
            self.assertEqual("symmetry" in self.swept("sin", "-r", rounding, show="symmetry"), there)
        self.assertIn("symmetry", self.swept("cos", "-r", "up", show="symmetry"))

    def test_digits_are_told_of_what_is_far_off(self):
        text = self.succeed("sweep", "exp", "-f", "fp32", "--range", "1:2", "--impl", f"lib:{LIBRARY}:wavy_exp")
        self.assert_holds(text, "ulp  (2 digits right)")

    def test_errors_beyond_all_doubles_of_ulps(self):
        report = self.file("report.json")
        self.succeed("sweep", "exp", "-f", "fp64", "--range=-690:-689.5", "-n", 50, "--impl", "steps:libm:exp(-x)", "--show", "errors",
                     "--json", report)
        with open(report) as file:
            one = parse(file.read())["results"][0]["implementations"][0]
        largest = one["absolute_error"]["max"]
        got = struct.unpack("<d", struct.pack("<Q", int(largest["got"], 16)))[0]
        self.assertEqual(largest["error"], got)  # beside which the exact result, 10^-300, is nothing
        self.assertEqual(one["relative_error"]["max"]["error"], sys.float_info.max)
        self.succeed("gate", report, "--max-absolute-error", 1e9, "--max-mismatches", 0, code=1)  # which reads its envelope, too

    def test_shards_measure_the_same(self):
        parts = [self.file(name) for name in ("first.json", "second.json")]
        for number, (part, more) in enumerate(zip(parts, (("--show", "symmetry"), ()))):
            self.succeed("sweep", "sin", "-f", "bf16", "--impl", "libm", "--shard", f"{number + 1}/2", "--json", part, *more)
        self.assertIn("only one of the two reports has the measures of sweep --show", self.refuse("merge", *parts))

    def test_symmetry_is_no_limit_of_what_has_none(self):
        report = self.file("report.json")
        self.succeed("sweep", "sin", "exp", "-f", "bf16", "--impl", "libm", "--show", "symmetry", "--json", report)
        self.assertIn("2 cases, 1 of them without a limit", self.succeed("gate", report, "--max-not-symmetric", 0))
        self.succeed("sweep", "exp", "-f", "bf16", "--impl", "libm", "--show", "symmetry", "--json", report)
        self.assertIn("no limit applies to anything", self.refuse("gate", report, "--max-not-symmetric", 0))

    def test_gates_hold_to_limits(self):
        report = self.file("report.json")
        self.succeed("sweep", "sin", "-f", "fp16", "--impl", f"lib:{LIBRARY}:lopsided_sin", "--show", "all", "--json", report)
        more = ("--max-mismatches", "0")
        for limit, good, bad in (("max-p50-ulp", 0.25, 0.1), ("max-p90-ulp", 4, 0.25), ("max-p99-ulp", 16, 1), ("max-p99-9-ulp", 17, 4),
                                 ("max-absolute-error", 0.009, 0.007), ("max-mean-absolute-error", 1e-3, 1e-4), ("max-relative-error", 0.016, 0.007),
                                 ("max-mean-relative-error", 1e-3, 1e-4), ("max-wrong-way", 4000, 1), ("max-not-symmetric", 5000, 1)):
            with self.subTest(limit=limit):
                self.succeed("gate", report, f"--{limit}", good, *more)
                self.succeed("gate", report, f"--{limit}", bad, *more, code=1)
        self.succeed("sweep", "sin", "-f", "fp16", "--impl", "libm", "--json", report)
        for limit, asked in (("max-absolute-error", "errors"), ("max-wrong-way", "monotony"), ("max-not-symmetric", "symmetry")):
            self.assertIn(f"sweep --show {asked} asks for that", self.refuse("gate", report, f"--{limit}", 1))
        self.succeed("gate", report, "--max-p99-ulp", 0.5)
        for limit, says in (("max-relative-error", "needs a number, such as 1e-6, not 'inf'"), ("max-ulp", "needs a number of ulps, such as 0.75, not 'inf'")):
            self.assertIn(says, self.refuse("gate", report, f"--{limit}", "inf"))

    def test_limits_of_what_nothing_was_measured_of_do_not_pass(self):
        report, policy = self.file("report.json"), self.file("policy.json")
        self.succeed("sweep", "exp", "-f", "fp16", "-n", 1000, "--impl", "steps:sqrt(-1 - x*x)", "--show", "all", "--json", report)
        for limit in ("max-mean-ulp", "max-p50-ulp", "max-p90-ulp", "max-p99-ulp", "max-p99-9-ulp", "max-absolute-error", "max-mean-absolute-error",
                      "max-relative-error", "max-mean-relative-error", "max-wrong-way"):
            said = self.refuse("gate", report, f"--{limit}", 0, "--max-mismatches", 1000)
            self.assertIn(f"{limit.replace('-', '_')} was not measured for exp in fp16, nearest-even, by steps:sqrt(-1 - x*x)", said)
        self.succeed("gate", report, "--update", policy)
        self.succeed("gate", report, "--policy", policy)  # which limits none of these
        self.succeed("sweep", "sin", "-f", "fp16", "--impl", "libm", "--show", "symmetry", "--json", report)
        with open(report, encoding="utf-8") as stream:
            document = json.load(stream)
        document["results"][0]["implementations"][0]["symmetry"]["pairs"] = 0
        with open(report, "w", encoding="utf-8") as stream:
            json.dump(document, stream)
        self.assertIn("max_not_symmetric was not measured", self.refuse("gate", report, "--max-not-symmetric", 0))

    def test_infinite_errors_are_counted_apart(self):
        got = [0x7e00 if code & 0x7fff >= 0x7c00 else 0x7c00 for code in ALL]
        sizes = [error for _, _, error in errors("exp", got).values() if error is not None]
        finite = [size for size in sizes if size < mpmath.mpf(2) ** 1024]
        words = ("sweep", "exp", "-f", "fp16", "--impl", "steps:1/(x - x)", "--show", "errors")
        told = self.document(*words)["results"][0]["implementations"][0]["relative_error"]
        self.assertEqual((told["outputs"], told["infinite"]), (len(sizes), len(sizes) - len(finite)))
        self.assertGreater(told["infinite"], 6000)
        with mpmath.workprec(200):
            mean = mpmath.fsum(finite) / len(finite)
            self.assertLess(abs(told["mean"] - mean), mean * 1e-7)
        self.assertIn(f"relative error         infinite at {told['infinite']:,}, ", self.succeed(*words))

    def test_what_is_always_nan_has_no_numbers_right(self):
        self.assertIn("not correctly rounded  0 of 0 numbers; 63,490 NaN mismatches apart", self.succeed("sweep", "exp", "-f", "fp16", "--impl", "steps:sqrt(-1 - x*x)"))

    def test_the_first_wrong_zero_is_shown_behind_many_nans(self):
        """-0 comes after all positive numbers, the large ones of which give NaN."""
        words = ("sweep", "tanh", "-f", "fp16", "--impl", "steps@fp32: (exp(2*x) - 1)/(exp(2*x) + 1)")
        one = self.document(*words)["results"][0]["implementations"][0]
        self.assertEqual([row["want"] for row in one["first_mismatches"]], ["0x3c00"] * 10)
        self.assertEqual(one["first_nan_mismatch"], one["first_mismatches"][0])
        self.assertEqual(one["first_sign_mismatch"], {"input": "0x8000", "got": "0x0000", "want": "0x8000"})
        text = self.succeed(*words)
        self.assertRegex(text, r"first NaN +at +x = [\d.]+ .*\n +got +nan ")
        self.assertRegex(text, r"first wrong zero +at +x = -0 .*\n +got +0 .*\n +want -0 ")
        # A zero of the wrong sign is a number without an error in ulps.
        right, numbers, nans = one["incorrectly_rounded"], one["judged_in_ulps"] + one["sign_mismatches"], one["nan_mismatches"]
        self.assertEqual(one["sign_mismatches"], 1)
        self.assertIn(f"not correctly rounded  {right:,} of {numbers:,} numbers; {nans:,} NaN mismatches apart\n", text)
        parts = [self.file(f"{i}.json", self.succeed(*words, "--shard", f"{i}/3", "--json", "-")) for i in (1, 2, 3)]
        merged = json.loads(self.succeed("merge", *parts))["results"][0]["implementations"][0]
        for name in ("first_mismatches", "first_nan_mismatch", "first_sign_mismatch"):
            self.assertEqual(merged[name], one[name])
        self.file("r.json", self.succeed(*words, "--json", "-"))
        gate = self.run_program("gate", "r.json", "--max-ulp", "1").stdout.decode()
        self.assertRegex(gate, r"max_sign_mismatches .*\n +at +-0  0x8000\n")

    def test_a_small_library_is_told_by_its_functions(self):
        self.assertRegex(self.refuse("sweep", "exp", "--impl", f"lib:{LIBRARY}:nosuch"), "has no nosuch; it has (.*, )?wavy_exp")

    def test_a_mean_is_not_above_the_largest(self):
        """Of one output, whose error the sum rounds."""
        text = self.succeed("sweep", "exp(x)", "--impl", "steps: exp2(x*1.4426950408889634)", "-n", "1", "--run-length", "1", "--seed", "7", "--range", "1:4")
        self.assertIn("largest error          0.651985 ulp", text)
        self.assertIn("mean error             0.651985 ulp", text)

    def test_samples_that_lie_apart_have_no_neighbours(self):
        words = ("sweep", "pow", "--impl", "libm", "-n", "1000", "--show", "monotony")
        self.assertIn("0 of 0 neighbours: samples lie apart; --run-length 64 draws them side by side", self.succeed(*words))
        self.assertNotIn("0 of 0", self.succeed(*words, "--run-length", "64"))


if __name__ == "__main__":
    unittest.main()
