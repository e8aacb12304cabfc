"""Causes of quantisers: pairs of them, whose differences are explained whole, and functions of Python that part from a rule in one
thing, which is named.

Environment: that of the tests of the program; PYTHON_PACKAGE.
"""

import importlib.util
import os
import sys
import unittest

from harness import Case, parse, some

TORCHAO = ("torchao", "torchao-ceil", "torchao-even", "torchao-rceil")
# All quantisers of layouts for which more than one follows rules.
PAIRS = {
    "nvfp4": ("torchao", "modelopt", "triton-nearest", "transformer-engine", "four-over-six", "cudnn"),
    "mxfp4": (*TORCHAO, "triton-up", "triton-down", "modelopt"), "mxfp6_e2m3": TORCHAO, "mxfp6_e3m2": TORCHAO,
    "mxfp8_e4m3": (*TORCHAO, "triton-up", "triton-down", "modelopt", "transformer-engine", "cudnn"),
    "mxfp8_e5m2": (*TORCHAO, "triton-up", "triton-down", "transformer-engine", "cudnn"),
    "q8_0": ("llama-cpp", "llama-cpp-avx2")}
# llama.cpp's q8_0, with a rule that can be another one.
KERNEL = """
import numpy as np
def blocks(x, by, stores_first=False):
    x = x.reshape(-1, 32)
    largest = np.abs(x).max(axis=1, keepdims=True)
    scale = (largest / np.float32(by)).astype(np.float32)
    with np.errstate(all="ignore"):
        quotient = x * np.where(scale != 0, np.float32(1) / scale, np.float32(0)).astype(np.float32)
        if stores_first:
            quotient = x / scale.astype(np.float16).astype(np.float32)
    codes = np.copysign(np.floor(np.abs(quotient) + np.float32(0.5)), quotient).astype(np.int32).astype(np.int8)
    return np.concatenate([scale.astype(np.float16).view(np.uint8), codes.view(np.uint8)], axis=1).reshape(-1)
def as_it_is(x, tensor):
    return blocks(x, 127)
def divided(x, tensor):
    return blocks(x, 127, True)
def by_half_span(x, tensor):
    return blocks(x, 127.5)
"""


class Quantise(Case):
    def explained(self, *words, code=1, **options):
        """The causes in their order, which leave nothing."""
        done = self.run_program("explain", "packed.quantise", *words, "--shape", 4096, "--json", "-", **options)
        self.assertEqual(done.returncode, code, done.stderr)
        document = parse(done.stdout)
        self.follows_schema(document)
        [result] = document["results"]
        explanation = result["implementations"][0]["explanation"]
        rows = explanation.get("explanations", [])
        self.assertEqual(explanation.get("unexplained", 0), 0)
        self.assertEqual(sum(row["adds"] for row in rows if row.get("cause")), explanation["differ"])
        return [row["hypothesis"] for row in rows if row.get("cause")]

    def test_what_two_quantisers_do_otherwise_is_named(self):
        for layout, quantisers in PAIRS.items():
            for turn, one in enumerate(quantisers):
                for other in some([each for each in quantisers if each != one], 1, turn):
                    with self.subTest(layout=layout, one=one, other=other):
                        self.assertTrue(self.explained("--layout", layout, "--quantiser", one, "--impl", "det", "--impl", f"quantiser:{other}"))

    def test_one_rule_is_the_cause(self):
        found = self.explained("--layout", "mxfp4", "--quantiser", "torchao", "--impl", "det", "--impl", "quantiser:torchao-ceil")
        self.assertEqual(found, ["quantised-power-above"])
        found = self.explained("--layout", "mxfp4", "--quantiser", "torchao-ceil", "--impl", "det", "--impl", "quantiser:torchao")
        self.assertEqual(found, ["quantised-not-power-above"])

    def test_two_changes_that_help_only_together(self):
        """The definition divides by the largest element and rounds the power to nearest; it has no rules that explain could read."""
        for layout, quantiser, causes in (("mxfp4", "triton-down", ["quantised-by-last", "quantised-scale-to-nearest-or-infinity"]),
                                          ("mxfp8_e4m3", "torchao", ["quantised-scale-to-nearest-or-infinity", "quantised-by-last"])):
            with self.subTest(layout=layout):
                self.assertEqual(self.explained("--layout", layout, "--quantiser", quantiser, "--distribution", "normal", "--impl", "det",
                                                "--impl", "quantiser:maximum"), causes)
                done = self.run_program("explain", "packed.quantise", "--layout", layout, "--quantiser", quantiser, "--distribution", "normal",
                                        "--shape", "4096", "--impl", "det", "--impl", "quantiser:maximum", "--json", "-")
                explanation = parse(done.stdout)["results"][0]["implementations"][0]["explanation"]
                pair = [row for row in explanation["explanations"] if row.get("cause")]
                self.assertEqual([(row["explains"], row["predicts_wrongly"]) for row in pair], [(explanation["differ"], 0)] * 2)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not there")
    def test_a_function_that_parts_in_one_rule(self):
        self.file("kernel.py", KERNEL)
        environment = {"PYTHONPATH": os.environ["PYTHON_PACKAGE"], "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
        for name, causes in (("as_it_is", []), ("divided", ["quantised-divided"]), ("by_half_span", ["quantised-by-half-span"])):
            with self.subTest(name=name):
                self.assertEqual(self.explained("--layout", "q8_0", "--quantiser", "llama-cpp", "--distribution", "normal", "--impl", "det",
                                                "--impl", f"py:./kernel.py:{name}", code=bool(causes), env=environment), causes)

    def test_a_rule_that_gets_equal_bytes_wrong_says_so(self):
        """Least squares are no rule, so that the nearest rule is wrong for a part of the bytes that both have."""
        done = self.run_program("explain", "packed.quantise", "--layout", "int8", "--quantiser", "torchao", "--impl", "det", "--impl",
                                "quantiser:squares", "--samples", "1", "--shape", "256", "--json", "-")
        explanation = parse(done.stdout)["results"][0]["implementations"][0]["explanation"]
        rows = [row for row in explanation["explanations"] if row.get("cause")]
        self.assertTrue(any(row["predicts_wrongly"] for row in rows), rows)
        self.assertGreater(explanation["unexplained"], 0)

    def test_a_quantiser_without_rules_is_refused(self):
        done = self.refuse("explain", "packed.quantise", "--layout", "q4_0", "--quantiser", "maximum", "--impl", "det", "--impl",
                           "quantiser:llama-cpp", "--shape", "4096")
        self.assertIn("--quantiser maximum has none for q4_0: it is a definition or a search", done)
        self.assertIn("there is no quantiser 'torch'", self.refuse("sweep", "packed.quantise", "--impl", "quantiser:torch"))


if __name__ == "__main__":
    unittest.main()
