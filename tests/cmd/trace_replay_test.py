"""Recorded operations computed again, and whether both sides would agree by an implementation."""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

import harness
import planted_traces
from planted_traces import numpy


def replay(*words):
    """The exit code, what is printed, and what is said of trouble."""
    run = subprocess.run([harness.PROGRAM, "trace", "replay", *words], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout, run.stderr


class ReplayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.usual = planted_traces.model(os.path.join(folder.name, "here"))
        cls.here = cls.usual.write()
        cls.halves = planted_traces.model(os.path.join(folder.name, "halves"), {(1, "down"): planted_traces.in_two_halves}).write()
        cls.narrow = planted_traces.model(os.path.join(folder.name, "narrow"), {(0, "cast"): lambda x: numpy.float32(x + 1)}).write()

    def number_of(self, path):
        return next(i for i, one in enumerate(self.usual.operations) if one["path"] == path)

    def test_an_operation_is_computed_again_by_any_implementation(self):
        number = self.number_of("layers.1.mlp.down")
        inputs, output = self.usual.arrays[number]
        pairs = planted_traces.in_pairs(*inputs)
        for words in (str(number), "layers.1.mlp.down"):
            code, text, _ = replay(self.here, words, "--impl", "sequential,pairwise")
            self.assertEqual(code, 1)
            self.assertIn(f"operation {number} of 42, layers.1.mlp.down, aten.mm.default\n", text)
            self.assertIn("  sequential  matmul: 0 of 384 outputs are not those recorded\n", text)
            self.assertIn(f"  pairwise  matmul: {numpy.count_nonzero(pairs != output)} of 384 outputs are not", text)

    def test_all_operations_of_a_name_are(self):
        code, text, _ = replay(self.here, "aten.mm.default", "--impl", "sequential")
        self.assertEqual(code, 0)
        self.assertEqual(text.count("  sequential  matmul: 0 of "), 15)

    def test_nothing_is_claimed_of_what_it_has_not(self):
        code, text, _ = replay(self.here, self.halves, "--impl", "sequential")
        self.assertEqual(code, 1)
        self.assertTrue(text.startswith("With sequential it is not known whether both sides agree to the end.\n"))
        self.assertRegex(text, r"\nThe first obstacle: operation 25, layers\.1\.mlp\.exp, aten\.exp\.default: sequential is a way ")
        code, text, _ = replay(self.here, self.narrow, "--impl", "det")
        self.assertEqual(code, 1)
        self.assertTrue(text.startswith("With det it is not known whether both sides agree to the end.\n"
                                        "The first obstacle: operation 12, layers.0.mlp.narrow, mine.narrow: "))
        self.assertIn("  1 not computed, and parted by themselves\n", text)

    def test_trouble_is_one_line(self):
        for words, said in (((self.here,), "needs a trace and operations, or two traces"),
                            ((self.here, "42"), "has no operation 42; it has 42, from 0"),
                            ((self.here, "aten.mmm"), "no operation of the name or path 'aten.mmm'"),
                            ((self.here, "3", "--json", "-"), "--json has no effect with trace replay"),
                            ((self.here, self.halves, "--json", "-"), "--json has no effect with trace replay"),
                            ((self.here, self.halves, "--page", "-"), "--page has no effect with trace replay"),
                            ((self.here, "12"), "nothing was computed again")):
            code, _, trouble = replay(*words)
            self.assertEqual(code, 2)
            self.assertIn(said, trouble)
            self.assertEqual(trouble.count("\n"), 1)


F = numpy.float32


class Run(planted_traces.Trace):
    """A small model, all of whose operations are recorded. What is planted in it:"""

    def __init__(self, folder, product=planted_traces.from_the_left, exp=lambda x: planted_traces.by_double(math.exp, x),
                 x=None, bias=None, epsilon=1e-5, twice=False, unknown=lambda x: x, drawn=None, mean=None):
        super().__init__(folder, "torch")
        random = numpy.random.default_rng(3)
        weights = [F(random.standard_normal((16, 16)) / 4) for _ in range(4)]
        first = F(random.standard_normal((4, 16)))
        x = first if x is None else x(first)
        x = self.add("mine.rotate", [x], unknown(x[::-1].copy()), "rotate")
        for layer in range(2):
            path = f"layers.{layer}."
            one = F(numpy.ones(16)) if mean is None or not layer else mean
            h = self.add("aten._fused_rms_norm.default", [x, one], planted_traces.norm(x, one, epsilon), path + "norm",
                         {"normalized_shape": [16], "eps": epsilon if layer else 1e-5}, ["input", "weight"])
            q = self.add("aten.mm.default", [h, weights[layer]], product(h, weights[layer]), path + "up")
            e = self.add("aten.exp.default", [q], exp(q), path + "exp")
            if twice and layer:
                e = self.add("aten.mul.Tensor", [e], e, path + "scale", {"other": 1.0})
            t = self.add("aten.t.default", [weights[2 + layer]], weights[2 + layer].T.copy(), path + "t")
            d = self.add("aten.mm.default", [e, t], product(e, t), path + "down")
            x = self.add("aten.add.Tensor", [x, d], F(x + d), path + "residual")
        if bias is not None:
            x = self.add("aten.add.Tensor", [x, bias], F(x + bias), "bias")
        if drawn is not None:
            self.add("aten.bernoulli.default", [first], drawn, "drawn")
            self.operations[-1]["random"] = True


def one_ulp_up(x):
    x = x.copy()
    x[1, 3] = numpy.nextafter(x[1, 3], F(9))
    return x


WORKER = """
import os, struct, sys
sys.path.insert(0, {folder!r})
sys.dont_write_bytecode = True
from worker import give, take
take(struct.unpack("<8s6I32s32s32s32s", take(160))[6])
give(b"detreply", struct.pack("<2I", 0, 4), b"test")
while True:
    kind, count, first = struct.unpack("<2IQ", take(16))
    kind == 1 or take(4 * count)
    give(b"answ", struct.pack("<I", count), os.urandom(4 * count), b"done")
"""


class BothSidesTest(unittest.TestCase):
    """Of two runs the end is claimed to agree where nothing is in the way, and else what is in the way first is named."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.count = folder.name, 0

    def written(self, trace=Run, **planted):
        self.count += 1
        return trace(os.path.join(self.folder, str(self.count)), **planted).write()

    def sides(self, here, there, *words):
        return replay(self.written(**here), self.written(**there), *words)

    def assert_in_the_way(self, answer, said):
        code, text, trouble = answer
        self.assertEqual((code, trouble), (1, ""), text)
        lines = text.splitlines()
        self.assertEqual(lines[0], "With det it is not known whether both sides agree to the end.")
        self.assertEqual(lines[1], "The first obstacle: operation " + said)

    def test_both_sides_agree_by_what_has_all_that_parted(self):
        code, text, _ = self.sides({}, {"product": planted_traces.in_two_halves, "exp": planted_traces.exp_by_two})
        self.assertEqual((code, text.splitlines()), (0, [
            "With det both sides agree to the end, as far as these traces tell.",
            "  10 pairs of operations computed from both sides' recorded inputs, with equal outputs for equal inputs; 2 of "
            "them have equal inputs",
            "  2 that only move elements, or are exact",
            "  1 not computed, with equal inputs and equal outputs; the first: operation 0, rotate, mine.rotate: "
            "the table of names has no row for mine.rotate",
            "  7 of their inputs come from no recorded operation, and have the same bits on both sides"]))

    def test_another_input_is_named(self):
        self.assert_in_the_way(self.sides({}, {"x": one_ulp_up}),
                               "0, rotate, mine.rotate: input 0 (4x16 fp32) differs, and no recorded operation returned it")

    def test_another_weight_is(self):
        weight = F(numpy.ones(16))
        weight[5] += F(2.0**-23)
        self.assert_in_the_way(self.sides({}, {"mean": weight}), "7, layers.1.norm, aten._fused_rms_norm.default: "
                               "input 1, weight (16 fp32) differs, and no recorded operation returned it")

    def test_another_zero_is_that_gives_another_infinity(self):
        traces = []
        for zero in (0.0, -0.0):
            trace = planted_traces.Trace(os.path.join(self.folder, f"zero{zero}"), "torch")
            u = numpy.array([zero, 2], F)
            trace.add("aten.reciprocal.default", [u], numpy.array([math.copysign(math.inf, zero), 0.5], F))
            traces.append(trace.write())
        self.assert_in_the_way(replay(*traces), "0, aten.reciprocal.default: input 0 (2 fp32) differs, and no recorded "
                               "operation returned it")

    def test_another_attribute_is(self):
        self.assert_in_the_way(self.sides({}, {"epsilon": 1e-6}), "7, layers.1.norm, aten._fused_rms_norm.default: "
                               "other attributes: eps 1e-05 here, 1e-06 there")

    def test_an_operation_without_a_partner_is(self):
        self.assert_in_the_way(self.sides({}, {"twice": True, "exp": planted_traces.exp_by_two}),
                               "10 there, layers.1.scale, aten.mul.Tensor: it has no partner")

    def test_equal_outputs_of_other_inputs_are_no_repetition(self):
        # Rounded to halves, exponentials of numbers a little apart are equal here; det has others.
        halves = lambda x: F(numpy.round(2 * numpy.exp(x)) / 2)
        runs = [Run(os.path.join(self.folder, product.__name__), product=product, exp=halves)
                for product in (planted_traces.from_the_left, planted_traces.in_two_halves)]
        given, made = ([[one["digest"] for one in run.operations[3][side]] for run in runs] for side in ("inputs", "outputs"))
        self.assertNotEqual(*given)
        self.assertEqual(*made)
        code, text, _ = replay(*(run.write() for run in runs))
        self.assertEqual(code, 0, text)
        self.assertNotIn("repeat", text)
        # Of what it has not this is no sign of a pair that gives equal outputs of equal inputs.
        traces = []
        for x in (1.25, 1.5):
            trace = planted_traces.Trace(os.path.join(self.folder, f"floor{x}"), "torch")
            given = trace.add("aten.sqrt.default", [numpy.array([2.25], F)], numpy.array([x], F))
            trace.add("mine.floor", [given], numpy.array([1], F), "floor")
            traces.append(trace.write())
        self.assert_in_the_way(replay(*traces), "1, floor, mine.floor: the table of names has no row for mine.floor")

    def test_equal_bits_of_other_operations_are_not_the_same_input(self):
        # y is 1 on both sides, here by the first operation, there by the second, which det may give other bits.
        traces = []
        for side, values in enumerate(((1, 2), (2, 1))):
            trace = planted_traces.Trace(os.path.join(self.folder, f"origin{side}"), "torch")
            for k, value in enumerate(values):
                trace.add("aten.exp.default", [numpy.array([5 + k], F)], numpy.array([value], F), f"exp.{k}")
            trace.add("aten.sin.default", [numpy.array([1], F)], numpy.array([0.84], F), "sin")
            traces.append(trace.write())
        self.assert_in_the_way(replay(*traces), "2, sin, aten.sin.default: input 0 (1 fp32) comes from different operations "
                               "in the two traces")

    def test_random_numbers_are_in_the_way_unless_they_are_the_same(self):
        drawn = F(numpy.arange(64).reshape(4, 16) % 2)
        self.assert_in_the_way(self.sides({"drawn": drawn}, {"drawn": 1 - drawn}),
                               "13, drawn, aten.bernoulli.default: the table of names has no row for aten.bernoulli.default")
        code, text, _ = self.sides({"drawn": drawn}, {"drawn": drawn, "product": planted_traces.in_two_halves})
        self.assertEqual(code, 0, text)

    def test_what_parted_elsewhere_is_not_known_to_repeat(self):
        # The second pair was equal, on inputs that det may change.
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, f"elsewhere{side}"), "torch")
            for k, value in enumerate((2, 3 + side)):
                trace.add("mine.step", [numpy.array([k], F)], numpy.array([value], F), f"step.{k}")
            traces.append(trace.write())
        self.assert_in_the_way(replay(*traces), "0, step.0, mine.step: operation 1 of that name returned different outputs for equal inputs")

    def test_a_literal_number_is_an_operand_of_the_format_that_numpy_gives_it(self):
        x = numpy.random.default_rng(6).uniform(1, 9, 40).astype(F)
        for name in "add subtract multiply divide power".split():
            function = getattr(numpy, name)
            for number in (1, 0.1, -3, 2.5):
                for dtype in (F,) if name == "power" else (numpy.float16, F, numpy.float64):
                    trace = planted_traces.Trace(os.path.join(self.folder, f"literal.{name}.{number}.{dtype.__name__}"))
                    of_type = x.astype(dtype)
                    values = (lambda a, b: function(a, b)) if name != "power" else (lambda a, b: numpy.float64(a) ** numpy.float64(b))
                    right = values(of_type, dtype(number)).astype(dtype)
                    trace.add(f"numpy.{name}", [of_type], right, attributes={"x2": number}, names=["x1"])
                    if number > 0 and name != "power":
                        trace.add(f"numpy.{name}", [of_type], values(dtype(number), of_type), attributes={"x1": number}, names=["x2"])
                    code, text, trouble = replay(trace.write(), f"numpy.{name}", "--impl", "cr")
                    wrong = re.findall(r"(\d+) of 40 outputs are not", text)
                    self.assertEqual((wrong, trouble), (["0"] * len(trace.operations), ""), (name, number, dtype, text))

    def test_a_move_that_parted_is_none(self):
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, f"moves.{side}"))
            x = numpy.arange(6, dtype=F)
            trace.add("numpy.exp", [x], planted_traces.by_double(numpy.exp, x))
            trace.add("numpy.flip", [x], x[::-1] + F(side))
            traces.append(trace.write())
        self.assert_in_the_way(replay(*traces), "1, numpy.flip: it returned different outputs for equal inputs")

    def test_memory_that_nobody_wrote_is_in_the_way_of_who_reads_it_alone(self):
        for reads in (False, True):
            traces = []
            for side in range(2):
                trace = planted_traces.Trace(os.path.join(self.folder, f"memory.{reads}.{side}"))
                x = numpy.arange(6, dtype=F)
                out = trace.add("numpy.empty", [], F([7, 8 + side]))
                trace.add("numpy.exp", [x], planted_traces.by_double(numpy.exp, x))
                if reads:
                    trace.add("numpy.exp", [out], planted_traces.by_double(numpy.exp, out))
                traces.append(trace.write())
            if reads:
                self.assert_in_the_way(replay(*traces), "2, numpy.exp: input 0 (2 fp32) differs, and no recorded operation returned it")
            else:
                self.assertEqual(replay(*traces)[0], 0)

    def test_an_implementation_that_does_not_repeat_itself_is_named_with_the_operation(self):
        worker = os.path.join(self.folder, "worker_at_random.py")
        remote = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "impl", "remote")
        with open(worker, "w", encoding="utf-8") as file:
            file.write(WORKER.format(folder=remote))
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, f"random{side}"), "torch")
            trace.add("aten.exp.default", [numpy.zeros(8, F)], numpy.ones(8, F), "exp")
            traces.append(trace.write())
        code, text, _ = replay(*traces, "--impl", f"exec:{sys.executable} -E -s -S {worker}")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"The first obstacle: operation 0, exp, aten\.exp\.default: \S.* returned other bits for the same inputs and "
                               "attributes the second time\n")
        self.assertIn("\n  1 that returned other bits when repeated\n", text)

    def test_where_nothing_was_computed_the_number_says_so(self):
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, f"nothing{side}"), "torch")
            trace.add("mine.step", [numpy.zeros(8, F)], numpy.ones(8, F), "step")
            traces.append(trace.write())
        code, text, _ = replay(*traces)
        self.assertEqual(code, 0)
        self.assertIn("\n  0 pairs of operations computed from both sides' recorded inputs", text)
        self.assertIn("\n  1 not computed, with equal inputs and equal outputs", text)

    def test_a_run_that_died_has_no_end(self):
        here, there = self.written(), self.written()
        path = os.path.join(there, "trace.json")
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**document, "complete": False}, file)
        code, text, _ = replay(here, there)
        self.assertEqual(code, 1)
        self.assertIn("\nA trace is incomplete: its run went on after the last recorded operation.\n", text)


if __name__ == "__main__":
    unittest.main()
