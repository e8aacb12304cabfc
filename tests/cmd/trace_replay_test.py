"""Recorded operations computed again, and whether both sides would agree by an implementation."""

import os
import subprocess
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
            self.assertIn("  sequential  matmul: 0 of 64 outputs are not those recorded\n", text)
            self.assertIn(f"  pairwise  matmul: {numpy.count_nonzero(pairs != output)} of 64 outputs are not", text)

    def test_all_operations_of_a_name_are(self):
        code, text, _ = replay(self.here, "aten.mm.default", "--impl", "sequential")
        self.assertEqual(code, 0)
        self.assertEqual(text.count("  sequential  matmul: 0 of "), 15)

    def test_both_sides_agree_by_what_has_all_that_parted(self):
        code, text, _ = replay(self.here, self.halves)
        self.assertEqual(code, 0, text)
        self.assertTrue(text.startswith("With det both sides agree to the end, as far as these traces tell.\n"))
        self.assertIn("  39 pairs of operations computed from both sides' recorded inputs", text)
        self.assertIn("  3 not computed, that had equal inputs and gave equal outputs; the first: operation 12, ", text)

    def test_nothing_is_claimed_of_what_it_has_not(self):
        code, text, _ = replay(self.here, self.halves, "--impl", "sequential")
        self.assertEqual(code, 1)
        self.assertTrue(text.startswith("With sequential it is not known whether both sides agree to the end.\n"))
        self.assertRegex(text, r"not computed, that never had equal inputs on both sides; the first: .*aten\.exp\.default")
        code, text, _ = replay(self.here, self.narrow, "--impl", "det")
        self.assertEqual(code, 1)
        self.assertTrue(text.startswith("With det both sides part still"))
        self.assertRegex(text, r"1 not computed, that part by themselves; the first: operation 12, layers\.0\.mlp\.narrow, mine\.narrow")

    def test_other_attributes_are_no_fault_of_the_implementation(self):
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(os.path.dirname(self.here), f"gelus.{side}"), "torch")
            x = numpy.linspace(-3, 3, 24, dtype=numpy.float32)
            gelu = planted_traces.tanh_gelu if side else planted_traces.erf_gelu
            trace.add("aten.gelu.default", [x], gelu(x), attributes={"approximate": "tanh"} if side else {})
            traces.append(trace.write())
        code, text, _ = replay(*traces)
        self.assertEqual(code, 1)
        self.assertTrue(text.startswith("With det both sides part still: they ask for other things.\n"), text)
        self.assertRegex(text, r"  1 computed, of which the sides ask for other things, .*aten\.gelu\.default: approximate not given")

    def test_other_inputs_from_outside_do_not_agree(self):
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(os.path.dirname(self.here), f"inputs.{side}"))
            for x in (numpy.arange(6, dtype=numpy.float32), numpy.arange(6, dtype=numpy.float32) + numpy.float32(side)):
                trace.add("numpy.exp", [x], planted_traces.by_double(numpy.exp, x))
            traces.append(trace.write())
        code, text, _ = replay(*traces)
        self.assertEqual(code, 1)
        self.assertTrue(text.startswith("With det it is not known whether both sides agree to the end.\n"), text)
        self.assertRegex(text, "operation 1, numpy.exp: an input differs that no recorded operation gave")

    def test_a_move_that_parted_is_none(self):
        traces = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(os.path.dirname(self.here), f"moves.{side}"))
            x = numpy.arange(6, dtype=numpy.float32)
            trace.add("numpy.exp", [x], planted_traces.by_double(numpy.exp, x))
            trace.add("numpy.flip", [x], x[::-1] + numpy.float32(side))
            traces.append(trace.write())
        code, text, _ = replay(*traces)
        self.assertEqual(code, 1)
        self.assertRegex(text, r"1 not computed, that part by themselves; the first: operation 1, numpy\.flip")

    def test_trouble_is_one_line(self):
        for words, said in (((self.here,), "wants a trace and operations, or two traces"),
                            ((self.here, "42"), "has no operation 42; it has 42, from 0"),
                            ((self.here, "aten.mmm"), "no operation of the name or path 'aten.mmm'"),
                            ((self.here, "3", "--json", "-"), "--json has no effect with trace replay"),
                            ((self.here, "12"), "nothing was computed again")):
            code, _, trouble = replay(*words)
            self.assertEqual(code, 2)
            self.assertIn(said, trouble)
            self.assertEqual(trouble.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
