"""Conversions by functions of others: their types in C, arrays, random bits, blocks with scales, and functions of Python.

Environment: that of the tests of the program; CONVERTING_LIBRARY, of converting_library.c; PYTHON_PACKAGE, the folder that
has the package of Python.
"""

import importlib.util
import os
import sys
import unittest

from harness import Case, parse

LIBRARY = os.environ["CONVERTING_LIBRARY"]
PACKAGE = os.environ["PYTHON_PACKAGE"]


class Sweeps(Case):
    def swept(self, function, source, target, *words, code=0, env=None, package=None):
        """What a sweep says of a function of the library, or of another implementation."""
        given = function if ":" in function else f"lib:{LIBRARY}:{function}"
        done = self.run_program("sweep", "cast", "--from", source, "--to", target, "--impl", given, *words, "--json", "-",
                                env={**(env or {}), **(package or {})})
        self.assertEqual(done.returncode, code, done.stderr)
        entry, = parse(done.stdout)["results"]
        one, = entry["implementations"]
        return entry, one

    def assert_right(self, function, source, target, *words, inputs=None, **options):
        _, one = self.swept(function, source, target, *words, **options)
        self.assertEqual((one["tested"], one["incorrectly_rounded"], one["nan_mismatches"]), (inputs, 0, 0), function)
        return one


class OfC(Sweeps):
    def test_types_follow_from_the_formats(self):
        for function, source, target, words, inputs in (
                ("right_bf16", "fp32", "bf16", ("-n", 100000), 100000),
                ("right_fp16", "fp32", "fp16", ("-n", 100000), 100000),
                ("right_e4m3fn", "fp32", "fp8_e4m3fn", ("-n", 100000), 100000),
                ("bf16_to_fp32", "bf16", "fp32", (), 65536), ("e5m2_to_fp32", "fp8_e5m2", "fp32", (), 256),
                ("e5m2_to_fp64", "fp8_e5m2", "fp64", (), 256), ("fp16_to_e5m2", "fp16", "fp8_e5m2", (), 65536),
                ("fp64_to_fp32", "fp64", "fp32", ("-n", 50000), 50000),
                ("fp64_to_bf16", "fp64", "bf16", ("-n", 50000), 50000)):
            with self.subTest(function=function):
                self.assert_right(function, source, target, *words, inputs=inputs)
        _, one = self.swept("right_bf16", "fp32", "bf16", "-n", 100)
        self.assertIn("uint16_t f(float)", one["detail"])

    def test_integers(self):
        """Of 64 bits, too; and of fewer than a byte, whose functions return an int8_t."""
        words = ("--profile", "x86-avx512", "-n", 50000)
        for function, source, target, more, signature in (
                ("to_int64", "fp64", "int64", words, "uint64_t f(double)"),
                ("to_int64_array,array", "fp64", "int64", words, "void f(uint64_t *, const double *, size_t)"),
                ("to_uint64", "fp64", "uint64", words, "uint64_t f(double)"),
                ("to_uint32", "fp64", "uint32", words, "uint32_t f(double)"),
                ("from_int64", "int64", "fp32", ("-n", 50000), "float f(uint64_t)"),
                ("to_int4", "fp32", "int4", ("--profile", "saturate", "-n", 50000), "uint8_t f(float)"),
                ("to_int4_array,array", "fp32", "int4", ("--profile", "saturate", "-n", 50000),
                 "void f(uint8_t *, const float *, size_t)")):
            with self.subTest(function=function):
                self.assertIn(signature, self.assert_right(function, source, target, *more, inputs=50000)["detail"])

    def test_wrong_bits_are_found(self):
        """By how many: those whose bits below the last one are beyond a half, and ties to an odd one."""
        _, one = self.swept("cut_bf16", "fp32", "bf16", "--range", "0x3f800000:0x3f80ffff")
        self.assertEqual((one["tested"], one["incorrectly_rounded"]), (65536, 32767))
        _, same = self.swept("cut_bf16", "fp32", "bf16", "-r", "toward-zero", "--range", "0x3f800000:0x3f80ffff")
        self.assertEqual(same["incorrectly_rounded"], 0)

    def test_a_function_that_is_handed_codes_and_wants_numbers_gets_a_hint(self):
        for function, source, hinted in (("right_e4m3fn", "fp16", True), ("right_e4m3fn,float", "fp16", False), ("fp16_to_e5m2", "fp16", False)):
            to = "fp8_e5m2" if "e5m2" in function else "fp8_e4m3fn"
            done = self.run_program("sweep", "cast", "-f", source, "--to", to, "--impl", f"lib:{LIBRARY}:{function}")
            self.assertEqual(done.returncode, 0, done.stderr)
            hint = f"{function} is handed codes of fp16; if it takes float, write lib:{LIBRARY}:{function},float\n"
            self.assertEqual(hint in done.stderr.decode(), hinted, done.stderr)

    def test_float_stands_for_narrower_operands(self):
        for source in ("fp16", "bf16"):
            for function, target in (("right_e5m2", "fp8_e5m2"), ("right_e4m3fn", "fp8_e4m3fn")):
                self.assert_right(f"{function},float", source, target, inputs=65536)

    def test_arrays(self):
        words = ("fp32", "bf16", "-n", 100000, "--flags")
        by_number, by_array = self.assert_right("right_bf16", *words, inputs=100000), None
        for more in ((), ("--no-isolation",), ("--threads", 2)):
            by_array = self.assert_right("bf16_array,array", *words, *more, inputs=100000)
            self.assertEqual(by_array["fingerprint"], by_number["fingerprint"])
        self.assertIn("void f(uint16_t *, const float *, size_t)", by_array["detail"])
        self.assertEqual(self.assert_right("bf16_array,array,float", "fp16", "bf16", inputs=65536)["tested"], 65536)
        _, lazy = self.swept("lazy_array,array", "fp32", "bf16", "--range", "1:1.0001", code=1)
        self.assertGreaterEqual(lazy["event_counts"]["not-written"], 1)

    def test_directed_roundings_are_those_of_the_processor(self):
        for rounding in ("up", "down", "toward-zero"):
            self.assert_right("fp64_to_fp32", "fp64", "fp32", "-n", 20000, "-r", rounding, inputs=20000)
        # Others the function has to have by itself.
        self.assert_right("ties_away_bf16", "fp32", "bf16", "-n", 20000, "-r", "nearest-away", inputs=20000)

    def test_random_bits_are_handed_over(self):
        for words in ((), ("--random", 77), ("--random-seed", 9)):
            words = ("-n", 100000, "-r", "stochastic", *words)
            prints = {self.assert_right(function, "fp32", "bf16", *words, *more, inputs=100000)["fingerprint"]
                      for function, more in (("random_bf16", ()), ("random_bf16_array,array", ()),
                                             ("random_bf16", ("--no-isolation",)), ("random_bf16", ("--threads", 2)))}
            self.assertEqual(len(prints), 1)
        # They are those of the place, after a process was lost, too.
        _, one = self.swept("random_bf16", "fp32", "bf16", "--range", "1:1.01", "-r", "stochastic", code=1,
                            env={"CRASH_AT": "0x3f801000"})
        self.assertEqual((one["event_counts"], one["incorrectly_rounded"]), ({"crash": 1}, 0))
        self.assertGreater(one["tested"], 80000)

    def test_what_cannot_be_called(self):
        words = ("sweep", "cast", "--from", "fp32", "--to", "bf16", "-n", 10, "--impl")
        for implementation, message in (
                (f"lib:{LIBRARY}", "C has no name for cast: name the function, lib:PATH:SYMBOL"),
                (f"lib:{LIBRARY}:right_bf", "has no right_bf; "),
                (f"lib:{LIBRARY}:right_bf16,vector=4", "',vector' is for functions of numbers; leave it out for cast"),
                (f"lib:{LIBRARY}:right_bf16,array,vector=4", "',array' and ',vector' are two ways to call")):
            with self.subTest(implementation=implementation):
                self.assertIn(message, self.refuse(*words, implementation))
        self.assertIn("',float' is for operands that float holds; leave it out for fp64",
                      self.refuse("sweep", "cast", "--from", "fp64", "--to", "bf16", "-n", 10,
                                  "--impl", f"lib:{LIBRARY}:right_bf16,float"))
        self.assertIn("',float' is for conversions; leave it out for exp",
                      self.refuse("sweep", "exp", "-n", 10, "--impl", f"lib:{LIBRARY}:right_bf16,float"))

    def test_blocks_with_scales(self):
        for words, function in ((("mx.quantise", "--from", "fp32", "--to", "mxfp8_e5m2"), "quantise_e5m2"),
                                (("mx.dequantise", "--from", "mxfp8_e5m2", "--to", "fp32"), "dequantise_e5m2")):
            for more in ((), ("--shape", "33", "--no-isolation"), ("--shape", "3x70", "--axis", "0")):
                results = self.results(*words, "-n", 3, "--impl", f"lib:{LIBRARY}:{function}", *more)
                self.assertTrue(results)
                for entry in results:
                    one, = entry["implementations"]
                    self.assertGreater(one["tested"], 0)
                    self.assertEqual(one["incorrectly_rounded"], 0, (entry["operation"], entry["inputs"], entry["parameters"]))
        self.assertIn("get no random bits for mx.quantise",
                      self.refuse("sweep", "mx.quantise", "--stochastic", 1, "--to", "mxfp8_e5m2", "-n", 1,
                                  "--impl", f"lib:{LIBRARY}:quantise_e5m2", prints=True))


FUNCTIONS = """
import numpy as np
def bits(x): return x.view(np.uint32).astype(np.int64)
def numbers(x, y): return np.where(np.isnan(x), 0x7fc0, y).astype(np.uint16)
def directed(x, rounding):
    b = bits(x)
    sign, last = b >> 31, b >> 16 & 1
    add = {"nearest-even": 0x7fff + last, "nearest-away": 0x8000 + 0 * b, "toward-zero": 0 * b,
           "up": 0xffff * (1 - sign), "down": 0xffff * sign}[rounding]
    return numbers(x, (b + np.where(np.isinf(x), 0, add) >> 16) - ((np.isfinite(x)) & ((b + add >> 16 & 0x7fff) >= 0x7f80)
                   & {"up": sign == 1, "down": sign == 0}.get(rounding, rounding == "toward-zero")))
def stochastic(x, random, random_bits):
    b = bits(x)
    add = (2 ** random_bits - 1 - random.astype(np.int64)) << 16 - random_bits
    return numbers(x, np.where(np.isinf(x), b, b + add) >> 16)
def whole(x, rounding):
    v = x.astype(np.float64)
    whole = {"nearest-even": np.rint, "toward-zero": np.trunc, "up": np.ceil, "down": np.floor, "nearest-up": lambda v: np.floor(v + 0.5),
             "nearest-away": lambda v: np.copysign(np.floor(abs(v) + 0.5), v)}[rounding](v)
    return np.clip(whole, -128, 127).astype(np.int8)
def plain(x): return directed(x, "nearest-even")
"""


@unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is missing")
class OfPython(Sweeps):
    def of_python(self, name, *words, inputs, target="bf16"):
        path = self.file("functions.py", FUNCTIONS)
        return self.assert_right(f"py:{path}:{name}", "fp32", target, *words, inputs=inputs,
                                 package={"PYTHONPATH": PACKAGE, "DETCHECK_PYTHON": sys.executable})

    def test_roundings(self):
        for rounding in ("nearest-even", "nearest-away", "toward-zero", "up", "down"):
            with self.subTest(rounding=rounding):
                self.of_python("directed", "-r", rounding, "-n", 70000, inputs=70000)

    def test_roundings_to_integers(self):
        halves = self.file("halves.txt", "".join(f"{k / 4}\n" for k in range(-1000, 1000)))
        for rounding in ("nearest-even", "nearest-away", "nearest-up", "toward-zero", "up", "down"):
            with self.subTest(rounding=rounding):
                self.of_python("whole", "-r", rounding, "--profile", "saturate", "--inputs", halves, inputs=2000, target="int8")

    def test_random_bits(self):
        for words in ((), ("--random", "77"), ("--random-seed", "9"), ("--random-bits", "8")):
            with self.subTest(words=words):
                one = self.of_python("stochastic", "-r", "stochastic", "-n", 70000, *words, inputs=70000)
                if "--random-bits" not in words:
                    by_c = self.assert_right("random_bf16", "fp32", "bf16", "-r", "stochastic", "-n", 70000, *words, inputs=70000)
                    self.assertEqual(one["fingerprint"], by_c["fingerprint"])

    def test_a_function_that_takes_neither(self):
        path = self.file("functions.py", FUNCTIONS)
        for rounding, message in (("up", "as it has no parameter rounding"), ("stochastic", "as it has no parameter random, nor rounding")):
            self.assertIn(message, self.refuse("sweep", "cast", "--to", "bf16", "-n", 10, "-r", rounding, "--impl", f"py:{path}:plain",
                                               env={"PYTHONPATH": PACKAGE, "DETCHECK_PYTHON": sys.executable}))


if __name__ == "__main__":
    unittest.main()
