"""A difference that is planted in one operation of a model is found as the first, with its cause, and with no other."""

import json
import math
import os
import subprocess
import tempfile
import unittest
import warnings
from fractions import Fraction

import harness
import planted_traces
from planted_traces import F, numpy

# What is planted, by name: in which layer, in which step, what is computed there, how both sides are run; the cause, what
# is said of here and of there.
LEFT = "makes one sum from the left, in fp32, with rounded products"
TORCH_NORM = r"computes in fp32, times the weight, and rounds once \(form torch, .*\)"
ATTENTION = r"computes in fp32 and rounds once \(form fp32, sums from the left\)"
ANY_FUNCTIONS = r"(, with functions that do not show whose they are \(\d+ ways give the same\))?"  # glibc's e^x is hardly ever wrong
PLANTS = {
    "another gelu": (2, "gelu", planted_traces.tanh_gelu, {}, "both-sides",
                     "rounds the exact result once", "computes gelu_tanh, rounded once"),
    "a sum from the other end": (1, "up", planted_traces.from_the_right, {}, "both-sides", LEFT,
                                 "makes one sum from the right, in fp32, with rounded products"),
    "a sum in two halves": (1, "down", planted_traces.in_two_halves, {}, "both-sides", LEFT,
                            "sums two halves of 16, in fp32, with rounded products"),
    "a sum in fp64": (2, "q", planted_traces.in_fp64, {}, "both-sides", LEFT,
                      r"adds in fp64, in an order that does not show \(\d+ ways give the same\)"),
    "lanes": (0, "down", planted_traces.in_lanes, {}, "both-sides", LEFT, "sums in 4 lanes, folded, in fp32, with rounded products"),
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
                                  r"divides by the sum, and rounds once \(form onnx, sums from the left\)" + ANY_FUNCTIONS,
                                  "computes as the formula says, without taking the maximum away"),
    "another exp": (1, "exp", planted_traces.exp_by_two, {}, "both-sides", "",
                    r"computes exp2\(x\*1.4426950408889634\), each step rounded"),
    "another scale": (1, "attention", lambda q, k, v, m: planted_traces.attention(q, k, v, m, scale=1 / 16), {},
                      "both-sides", ATTENTION + ANY_FUNCTIONS, ATTENTION + ", with scores scaled by 1/width" + ANY_FUNCTIONS),
    "a flush": (0, "up", planted_traces.flushed, {"tiny": True}, "relation", "",
                "there returns zeros of their sign for subnormal results"),
}


def compare(here, there, *words):
    """The operations that parted by themselves."""
    run = subprocess.run([harness.PROGRAM, "trace", "compare", here, there, *words, "--json", "-"], capture_output=True, text=True,
                         check=False)
    if run.returncode != 1:
        raise AssertionError(run.stderr)
    return [row for row in json.loads(run.stdout)["operations"] if row["verdict"] == "parted"]


class PlantedTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", RuntimeWarning)  # -inf less -inf

    def pair(self, layer, step, function, how, attributes=None):
        """Both runs; what is found of the one operation that parted, which is the planted one."""
        self.sides = (planted_traces.model(os.path.join(self.folder, "here"), **how),
                      planted_traces.model(os.path.join(self.folder, "there"), {(layer, step): function}, attributes, **how))
        here, there = (side.write() for side in self.sides)
        self.number = next(number for number, pair in enumerate(zip(*(side.operations for side in self.sides)))
                           if pair[0]["outputs"] != pair[1]["outputs"])
        parted = compare(here, there)
        self.assertEqual([row["here"] for row in parted], [self.number])
        return parted[0]["judgement"]

    def test_each_planted_difference_is_found_with_its_cause(self):
        for name in harness.some(PLANTS, 4):
            with self.subTest(name):
                layer, step, function, how, cause, here, there = PLANTS[name]
                found = self.pair(layer, step, function, how)
                self.assertEqual(found["cause"], cause, found)
                self.assertGreater(found["outputs"], 0, found)
                if cause == "relation":
                    self.assertRegex(found["says"], f"^{there}, which makes the other side's outputs its own .all (384|768), of which [1-9]")
                else:
                    self.assertRegex(found["cause_here"], f"^{here}")
                    self.assertRegex(found["cause_there"], f"^{there}$")
                    self.assertRegex(found["says"], "each gives all (384|768) outputs")

    def test_attributes_that_differ_are_the_cause(self):
        found = self.pair(1, "norm", lambda x, w: planted_traces.norm(x, w, 1e-6), {}, {(1, "norm"): {"eps": 1e-6}})
        self.assertEqual(found["cause"], "attributes")
        self.assertIn("the attributes differ: eps is 1e-05 here and 1e-06 there", found["says"])
        # Each side is held against what it was asked for, so that neither is far off.
        self.assertLess(max(found["error_here"], found["error_there"]), 4)

    def test_neither_side_of_two_functions_is_nearer(self):
        x = F(numpy.linspace(-3, 3, 64))
        traces = []
        for side, given in enumerate(({}, {"approximate": "tanh"})):
            trace = planted_traces.Trace(os.path.join(self.folder, str(side)), "torch")
            trace.add("aten.gelu.default", [x], (planted_traces.tanh_gelu if side else planted_traces.erf_gelu)(x), attributes=given)
            traces.append(trace.write())
        text = subprocess.run([harness.PROGRAM, "trace", "compare", *traces], capture_output=True, text=True, check=False).stdout
        found = compare(*traces)[0]["judgement"]
        self.assertEqual((found["operation"], found["operation_there"]), ("gelu", "gelu_tanh"))
        # Both are right by their own function, as far as libm rounds right.
        self.assertLess(max(found["wrong_here"], found["wrong_there"]), 4)
        self.assertEqual((found["nearer_here"], found["nearer_there"], found["cause"]), (0, 0, "attributes"))
        self.assertIn("Compared with exact results, each side as its own operation, gelu here and gelu_tanh there: of all ", text)
        self.assertRegex(text, r"aten\.gelu\.default +1 +1 +0 .* -\n")

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
        parted = compare(*traces)
        self.assertEqual([row["here"] for row in parted], [13])
        self.assertEqual(parted[0]["judgement"]["cause"], "repetition")
        self.assertIn("there it does not repeat itself: of 20 calls with these inputs 1 gave these outputs, and "
                      "operation 0 gave others", parted[0]["judgement"]["says"])

    def test_a_setting_that_a_program_changed_for_a_call_is_told_with_the_cause(self):
        """Two threads, which add two halves, are no side that does not repeat itself."""
        generator = numpy.random.default_rng(3)
        a, b = (F(generator.standard_normal(shape)) for shape in ((5, 24), (24, 7)))
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, str(side)))
            trace.environment["threads"] = "1"
            for turn in range(4):
                changes = (side, turn) == (1, 2)
                trace.add("numpy.matmul", [a, b], (planted_traces.in_two_halves if changes else planted_traces.from_the_left)(a, b))
                if side and turn in (2, 3):
                    trace.operations[-1]["settings"] = {"threads": "2" if changes else "1"}
            traces.append(trace.write())
        parted = compare(*traces)
        self.assertEqual([row["here"] for row in parted], [2])
        found = parted[0]["judgement"]
        self.assertEqual((found["cause"], found["cause_there"].partition(",")[0]), ("both-sides", "sums two halves of 12"))
        self.assertTrue(found["says"].endswith("; threads was 1 here and 2 there, as a program changed it"), found["says"])

    def test_other_attributes_are_no_repetition(self):
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, str(side)), "torch")
            x = F(numpy.linspace(-3, 3, 40))
            for gelu, attributes in ((planted_traces.erf_gelu, {}), (planted_traces.tanh_gelu, {"approximate": "tanh"})):
                trace.add("aten.gelu.default", [x], gelu(x) + F(2.0**-20 * side), attributes=attributes)
            traces.append(trace.write())
        for row in compare(*traces):
            self.assertEqual(row["judgement"]["cause"], "one-side")

    def test_figures_are_those_of_exact_sums(self):
        found = self.pair(1, "down", planted_traces.in_two_halves, {})
        a, b = self.sides[0].arrays[self.number][0]
        wrong, nearer = [0, 0], [0, 0]
        outputs = [side.arrays[self.number][1] for side in self.sides]
        different = list(zip(*numpy.nonzero(outputs[0] != outputs[1])))
        for i, k in different:
            exact = sum(Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a[i], b[:, k]))
            right = F(float(exact))  # rounded to fp64 first: no result here lies near a half
            errors = [abs(Fraction(float(one[i, k])) - exact) for one in outputs]
            for side in range(2):
                wrong[side] += int(outputs[side][i, k] != right)
                nearer[side] += int(errors[side] < errors[1 - side])
        self.assertEqual(found["outputs"], len(different))
        self.assertEqual([found["wrong_here"], found["wrong_there"]], wrong)
        self.assertEqual([found["nearer_here"], found["nearer_there"]], nearer)

    def one_operation(self, name, inputs, outputs, attributes=({}, {})):
        """Both sides of one operation, as it is judged."""
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, f"{name}.{side}"), "torch")
            trace.add(name, inputs, outputs[side], attributes=attributes[side])
            traces.append(trace.write())
        parted = compare(*traces)
        self.assertEqual(len(parted), 1)
        return parted[0]["judgement"]

    def test_outputs_of_one_sum_are_evidence_once(self):
        """A softmax whose lines are added from the left here, in four lanes there: 64 outputs of a line tell as much as one."""
        for lines, cause in ((4, "too-few-outputs"), (15, "too-few-outputs"), (24, "both-sides")):
            x = F(numpy.random.default_rng(3).standard_normal((lines, 64)))
            e = planted_traces.by_double(math.exp, F(x - x.max(-1, keepdims=True)))
            lane = [planted_traces.sum_of(e[:, one::4]) for one in range(4)]
            totals = planted_traces.sum_of(e), F(F(lane[0] + lane[2]) + F(lane[1] + lane[3]))
            found = self.one_operation("aten._softmax.default", [x], [F(e / total) for total in totals], [{"dim": -1}] * 2)
            if lines == 24:
                self.assertEqual(found["cause"], cause, found)
                self.assertIn("sums in 4 lanes, folded", found["cause_there"])
            else:
                self.assertIn(found["cause"], (cause, "none"), found)
                self.assertNotIn("cause_there", found)
                self.assertRegex(found["says"], f"all {64 * lines} outputs, which depend on one another in {lines} groups?")

    def test_softmax_of_pytorch_by_vectors_of_two_widths(self):
        """Its kernel is written down here once more: SLEEF's exponential with fused products, vectors that are folded."""
        fused = numpy.vectorize(lambda a, b, c: F(float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)))), otypes=[F])
        x = F(numpy.random.default_rng(4).standard_normal((40, 50)) * 3)
        d = F(x - x.max(-1, keepdims=True))
        q = numpy.rint(F(d * F(1.44269504)))
        s = fused(q, F(-1.428606765330187e-06), fused(q, F(-0.693145751953125), d))
        u = numpy.full_like(s, 0.000198527617612853646)
        for coefficient in (0.00139304355252534151, 0.00833336077630519867, 0.0416664853692054749, 0.16666667163372039795, 0.5):
            u = fused(u, s, F(coefficient))
        e = numpy.ldexp(F(F(1) + fused(F(s * s), u, s)), q.astype(int))
        outputs = []
        for width in (8, 16):
            lanes = numpy.zeros((40, width), F)
            for at in range(0, 50, width):
                lanes[:, :len(e[0, at:at + width])] += e[:, at:at + width]
            while lanes.shape[1] > 1:
                lanes = F(lanes[:, :lanes.shape[1] // 2] + lanes[:, lanes.shape[1] // 2:])
            outputs.append(F(e * F(F(1) / lanes)))
        found = self.one_operation("aten._softmax.default", [x], outputs, [{"dim": -1}] * 2)
        self.assertEqual(found["cause"], "both-sides", found)
        for side, lanes in (("here", 8), ("there", 16)):
            self.assertEqual(found[f"cause_{side}"], "multiplies by the rounded reciprocal of the sum (form torch, "
                                                     f"sums in {lanes} lanes, folded, functions as in PyTorch's vectors)")

    def test_what_no_way_comes_near_is_said_once(self):
        x = F(numpy.linspace(-3, 3, 256))
        found = self.one_operation("aten.exp.default", [x], [F(numpy.cos(x)), F(numpy.sin(x))])
        self.assertEqual((found["cause"], found["says"]), ("none", "no way of computing it comes near"))

    def test_what_comes_nearest_is_counted_over_all_outputs(self):
        x = F(numpy.linspace(-3, 3, 256))
        right = planted_traces.by_double(numpy.exp, x)
        for same in (0, 40):
            off = numpy.concatenate([right[:same], F(right[same:] * F(1 + 2.0**-18))])
            says = self.one_operation("aten.exp.default", [x], [right, off])["says"]
            self.assertIn("(40 of 256 outputs)" if same else "there none, as no way comes near", says)

    def test_outputs_that_nothing_is_known_of_are_read_up_to_a_bound(self):
        for count, cause in ((1 << 16, "relation"), ((1 << 22) + 1, "none")):
            here = F(numpy.arange(count) + 1)
            found = self.one_operation("mine.twice", [F([1])], [here, F(here + here)])
            self.assertEqual((found["cause"], found["outputs"]), (cause, 0))

    def test_copies_into_another_format_are_casts(self):
        x = numpy.linspace(-3, 3, 24) / 3
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, f"copy.{side}"), "torch")
            trace.add("aten.copy_.default", [numpy.zeros(24, F), x], F(x) * F(1 + side * 2.0**-23), names=["self", "src"])
            traces.append(trace.write())
        found = compare(*traces)[0]["judgement"]
        self.assertEqual((found["operation"], found["wrong_here"], found["wrong_there"]), ("cast", 0, found["outputs"]))

    def test_what_is_asked_for_beside_the_usual_is_not_judged(self):
        x = F(numpy.linspace(-3, 3, 24).reshape(4, 6))
        for name, inputs, attributes, why in (
                ("aten.elu.default", [x], {"scale": 2}, "its scale is not 1"),
                ("numpy.sum", [x], {"axis": 1, "initial": 5}, "its initial is not 0"),
                ("numpy.sum", [x, F(x > 0)], {"axis": 1}, "it has inputs besides the array that it works along")):
            y = x if "elu" in name else planted_traces.sum_of(x)[:, 0]
            found = self.one_operation(name, inputs, [y, F(y + F(1))], [attributes] * 2)
            self.assertEqual(found.get("not_judged"), why)

    def test_zeros_of_two_signs_are_no_multiples(self):
        here, there = F([0, -0.0, 0, 3]), F([-0.0, 0, 0, 3])
        one = self.one_operation("aten.neg.default", [F([1, 2, 3, 4])], [here, F([-0.0, -0.0, 0, 3])])
        both = self.one_operation("aten.abs.default", [F([1, 2, 3, 4])], [here, there])
        self.assertEqual(one["says"], "there 1 of 4 outputs is -0 for +0; all others are the same")
        self.assertEqual(both["says"], "here 1 of 4 outputs is -0 for +0, and there 1; all others are the same")
        many = numpy.concatenate([here, F(numpy.arange(4, 19))])
        twice = self.one_operation("aten.mish.default", [many], [many, F(many * F(2))])
        self.assertEqual(twice["says"], "there each output is 2 times that of here (all 19, of which 16 differ)")
        neither = self.one_operation("aten.elu.default", [F([1, 2, 3, 4])], [here, F([-0.0, 0, 0, 6])])
        self.assertNotEqual(neither["cause"], "relation")

    def test_of_few_outputs_no_relation_is_a_cause(self):
        """Those that repeat others do not count: all are 1 here."""
        for outputs, is_cause in ((numpy.arange(1, 16), False), (numpy.full(64, 1), False), (numpy.arange(1, 17), True)):
            here = F(outputs * (1 + 2.0**-20))
            for there in (planted_traces.bf16(here), F(here * F(4))):
                found = self.one_operation("aten.mish.default", [here], [here, there])
                self.assertEqual(found["cause"] == "relation", is_cause, found)
                self.assertEqual("there rounds its results to bf16" in found["says"] or "is 4 times that" in found["says"], is_cause, found)
                unknown = self.one_operation("mine.other", [here], [here, there])
                self.assertEqual(unknown["cause"], "relation" if is_cause else "too-few-outputs")

    def test_attributes_of_memory_are_no_cause(self):
        x = F(numpy.linspace(-3, 3, 64))
        right = planted_traces.by_double(numpy.exp, x)
        both = [right, planted_traces.exp_by_two(x)]
        for name, attributes, cause in (("aten.exp.default", ({"memory_format": "contiguous"}, {"memory_format": "preserve"}), "both-sides"),
                                        ("aten.exp.default", ({"hint": 1}, {"hint": 2}), "both-sides"),
                                        ("mine.exp", ({"order": "C"}, {"order": "F"}), "none"),
                                        ("mine.exp", ({"base": 2}, {"base": 3}), "attributes")):
            found = self.one_operation(name, [x], both, attributes)
            self.assertEqual(found["cause"], cause, found)
            self.assertEqual("the attributes differ" in found["says"], cause == "attributes", found)

    def test_matrices_that_come_last_are_counted_where_they_are(self):
        a, b = F(numpy.arange(60).reshape(5, 1, 12)), F(numpy.arange(5).reshape(5, 1))
        right = F(numpy.einsum("abc,ad->cbd", a, b))
        found = self.one_operation("jax.dot_general", [a, b], [right, F(right + F(1))],
                                   [{"dimension_numbers": [[[0], [0]], [[2], []]]}] * 2)
        self.assertEqual((found["outputs"], found["wrong_here"], found["wrong_there"]), (12, 0, 12))

    def test_operations_on_nothing_are_not_judged(self):
        def of(*shape):
            return numpy.ones(shape, F)

        calls = [("aten.mm", [of(6, 0), of(0, 9)], of(6, 9), {}),
                 ("aten.bmm", [of(2, 3, 0), of(2, 0, 4)], of(2, 3, 4), {}),
                 ("aten.addmm", [of(9), of(6, 0), of(0, 9)], of(6, 9), {}),
                 ("aten.sum.dim_IntList", [of(3, 0)], of(3), {"dim": [1]}),
                 ("aten.mean.dim", [of(0, 3)], of(3), {"dim": [0]}),
                 ("aten.native_layer_norm", [of(3, 0)], of(3), {"normalized_shape": [0]}),
                 ("aten.convolution", [of(1, 0, 4), of(2, 0, 3)], of(1, 2, 2), {}),
                 ("aten.exp", [of(0)], of(4), {})]
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, str(side)), "torch")
            for name, inputs, output, attributes in calls:
                trace.add(name, inputs, F(output + side), attributes=attributes)
            traces.append(trace.write())
        parted = compare(*traces)
        self.assertEqual([row["here"] for row in parted], list(range(len(calls))))
        for row in parted:
            self.assertEqual(row["judgement"]["not_judged"], "an input has no elements")

    def test_no_cause_is_named_that_does_not_give_all_outputs(self):
        def but_one(a, b):
            y = planted_traces.in_two_halves(a, b)
            y[0, 0] = numpy.nextafter(planted_traces.from_the_left(a, b)[0, 0], F(9), dtype=F)
            return y

        found = self.pair(1, "down", but_one, {})
        self.assertEqual(found["cause"], "one-side")
        self.assertNotIn("cause_there", found)
        self.assertRegex(found["says"], "there no simple cause, nearest: sums two halves of 16, .*383 of 384 outputs")


if __name__ == "__main__":
    unittest.main()
