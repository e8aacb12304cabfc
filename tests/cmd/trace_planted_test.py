"""A difference that is planted in one operation of a model is found as the first, with its cause, and with no other."""

import math
import os
import subprocess
import tempfile
import unittest
import warnings
from fractions import Fraction

import harness
import numpy
import planted_traces
from planted_traces import F

JUDGES = os.environ["TRACE_JUDGES"]

# What is planted, by name: in which layer, in which step, what is computed there, how both sides are run; the cause, what
# is said of here and of there.
LEFT = "makes one sum from the left, in fp32, of rounded products"
TORCH_NORM = r"computes in fp32, times the weight, and rounds once \(form torch, .*\)"
ATTENTION = r"computes in fp32 and rounds once \(form fp32, sums from the left\)"
PLANTS = {
    "another gelu": (2, "gelu", planted_traces.tanh_gelu, {}, "both-sides",
                     "rounds the exact result once", "computes gelu_tanh, rounded once"),
    "a sum from the other end": (1, "up", planted_traces.from_the_right, {}, "both-sides", LEFT,
                                 "makes one sum from the right, in fp32, of rounded products"),
    "a sum in two halves": (1, "down", planted_traces.in_two_halves, {}, "both-sides", LEFT,
                            "sums two halves, in fp32, of rounded products"),
    "a sum in fp64": (2, "q", planted_traces.in_fp64, {}, "both-sides", LEFT, "makes one sum from the left, in fp64"),
    "lanes": (0, "down", planted_traces.in_lanes, {}, "both-sides", LEFT, "sums in 4 lanes, folded, in fp32, of rounded products"),
    "another epsilon": (1, "norm", lambda x, w: planted_traces.norm(x, w, 1e-6), {}, "both-sides", TORCH_NORM,
                        TORCH_NORM + ", epsilon being 1e-6"),
    "results in bf16": (2, "gelu", lambda x: planted_traces.bf16(planted_traces.erf_gelu(x)), {}, "relation",
                        "", "there rounds its results to bf16"),
    "inputs in bf16": (2, "down",
                       lambda a, b: planted_traces.from_the_left(planted_traces.bf16(a), planted_traces.bf16(b)), {},
                       "both-sides", LEFT, LEFT + ", rounds its inputs to bf16 first"),
    "a mask of -1e4": (0, "attention", lambda q, k, v, m: planted_traces.attention(q, k, v, m, hidden=-1e4),
                       {"padded": True}, "both-sides", ATTENTION + r", with \+0 for queries that have no key",
                       ATTENTION + ", with -10000 for -inf in the mask"),
    "a softmax without maximum": (1, "softmax", lambda x: planted_traces.softmax(x, largest=False), {}, "both-sides",
                                  r"divides by the sum, and rounds once \(form onnx, sums from the left\)",
                                  "computes as the formula says, without taking the maximum away"),
    "another exp": (1, "exp", planted_traces.exp_by_two, {}, "both-sides", "",
                    r"computes exp2\(x\*1.4426950408889634\), each step rounded"),
    "another scale": (1, "attention", lambda q, k, v, m: planted_traces.attention(q, k, v, m, scale=1 / 16), {},
                      "both-sides", ATTENTION, ATTENTION + ", with scores scaled by 1/width"),
    "a flush": (0, "up", planted_traces.flushed, {"tiny": True}, "relation", "",
                "there gives zeros of their sign for subnormal results"),
}


def judge(here, there, number):
    """What is found of an operation, by name."""
    run = subprocess.run([JUDGES, here, there, str(number)], capture_output=True, text=True, check=False)
    if run.returncode:
        raise AssertionError(run.stderr)
    return dict((line + " ").split(" ", 1) for line in run.stdout.splitlines())


class PlantedTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", RuntimeWarning)  # -inf less -inf

    def pair(self, layer, step, function, how):
        """Both runs; and which operation has the planted difference."""
        here = planted_traces.model(os.path.join(self.folder, "here"), **how)
        there = planted_traces.model(os.path.join(self.folder, "there"), {(layer, step): function}, **how)
        self.sides = here, there
        return here.write(), there.write(), next(
            number for number, pair in enumerate(zip(here.operations, there.operations))
            if pair[0]["outputs"] != pair[1]["outputs"])

    def test_each_planted_difference_is_found_with_its_cause(self):
        for name in harness.some(PLANTS, 4):
            with self.subTest(name):
                layer, step, function, how, cause, here_says, there_says = PLANTS[name]
                here, there, number = self.pair(layer, step, function, how)
                found = judge(here, there, number)
                self.assertEqual(found["cause"].strip(), cause, found)
                self.assertNotEqual(found["operation"].strip(), "", found)
                self.assertEqual(found["judged"], found["differ"])
                if cause == "relation":
                    self.assertRegex(found["says"], there_says)
                else:
                    self.assertRegex(found["here"].strip(), f"^{here_says}")
                    self.assertRegex(found["there"].strip(), f"^{there_says}$")
                    self.assertEqual(found["looked"], found["outputs"])

    def test_attributes_that_differ_are_the_cause(self):
        here = planted_traces.model(os.path.join(self.folder, "here"))
        there = planted_traces.model(os.path.join(self.folder, "there"),
                                     {(1, "norm"): lambda x, w: planted_traces.norm(x, w, 1e-6)},
                                     {(1, "norm"): {"eps": 1e-6}})
        number = next(number for number, one in enumerate(there.operations) if one["attributes"].get("eps") == 1e-6)
        found = judge(here.write(), there.write(), number)
        self.assertEqual(found["cause"].strip(), "attributes")
        self.assertIn("the attributes differ: eps is 1e-05 here and 1e-06 there", found["says"])
        # Each side is held against what it was asked for, so that neither is far off.
        self.assertLess(max(float(word) for word in found["largest"].split()), 4)

    def test_a_race_in_one_of_twenty_runs_is_no_way_of_computing(self):
        traces = []
        for side in range(2):
            generator = numpy.random.default_rng(3)
            a, b = (F(generator.standard_normal(shape)) for shape in ((3, 24), (24, 5)))
            trace = planted_traces.Trace(os.path.join(self.folder, str(side)))
            for turn in range(20):
                step = planted_traces.from_the_right if (side, turn) == (1, 13) else planted_traces.from_the_left
                trace.add("numpy.matmul", [a, b], step(a, b))
            traces.append(trace.write())
        found = judge(*traces, 13)
        self.assertEqual(found["cause"].strip(), "repetition")
        self.assertIn("there it does not repeat itself: of 20 calls with these inputs 1 gave these outputs, and "
                      "operation 0 gave others", found["says"])

    def test_figures_are_those_of_exact_sums(self):
        here, there, number = self.pair(1, "down", planted_traces.in_two_halves, {})
        found = judge(here, there, number)
        a, b = self.sides[0].arrays[number][0]
        wrong, nearer = [0, 0], [0, 0]
        outputs = [side.arrays[number][1] for side in self.sides]
        for i, k in zip(*numpy.nonzero(outputs[0] != outputs[1])):
            exact = sum(Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a[i], b[:, k]))
            # Rounded to fp64 and then to fp32: no result here lies near a half.
            right = F(float(exact))
            errors = [abs(Fraction(float(one[i, k])) - exact) for one in outputs]
            for side in range(2):
                wrong[side] += outputs[side][i, k] != right
                nearer[side] += errors[side] < errors[1 - side]
        self.assertEqual([int(word) for word in found["wrong"].split()], wrong)
        self.assertEqual([int(word) for word in found["nearer"].split()], nearer)

    def test_no_cause_is_named_that_does_not_give_all_outputs(self):
        def but_one(a, b):
            y = planted_traces.in_two_halves(a, b)
            y[0, 0] = numpy.nextafter(planted_traces.from_the_left(a, b)[0, 0], F(9), dtype=F)
            return y

        found = judge(*self.pair(1, "down", but_one, {}))
        self.assertEqual(found["cause"].strip(), "one-side")
        self.assertEqual(found["there"].strip(), "")
        self.assertRegex(found["says"], "there no simple cause, nearest: sums two halves, .*63 of 64 outputs")


if __name__ == "__main__":
    unittest.main()
