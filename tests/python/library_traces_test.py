"""detcheck-library-traces(7) has every row of the command that writes it, and that command says of two runs of numpy what is true of
them: of one beside itself that nothing parts, and of one whose products are summed otherwise that with det's both are equal.
"""

import os
import sys
import tempfile
import unittest

import with_numpy  # noqa: F401

import numpy

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "man", "tables"))
import library_traces  # noqa: E402
import traced_runs  # noqa: E402

PROGRAM = os.path.join(os.environ["PYTHONPATH"], "detcheck", "bin", "detcheck")
RUN = ["perceptron", "40", "6"]


class Traces(unittest.TestCase):
    def test_the_page_has_all_rows(self):
        there = dict.fromkeys(row["row"] for row in library_traces.DATA.rows("traces"))
        self.assertEqual(list(there), list(library_traces.ROWS))

    def agreeing(self, *sides):
        processes = [library_traces.start(side) for side in sides]
        with tempfile.TemporaryDirectory() as folder:
            found = library_traces.agreeing(PROGRAM, processes, folder)
        for process in processes:
            process.communicate()
        return found

    def test_a_run_beside_itself_and_beside_one_whose_products_are_others(self):
        first, names, last = self.agreeing((RUN, {}), (RUN, {}))
        self.assertEqual((first["verdicts"], names), ({"equal": first["pairs"]}, []))
        self.assertRegex(library_traces.answer(first)["parted"][0], r"^Equal: [1-9]\d* pairs of operations have the same outputs\.$")
        self.assertEqual(library_traces.needed(names, last), [])
        first, names, last = self.agreeing((RUN, {}), ([*RUN, "reversed"], {}))
        self.assertRegex(library_traces.answer(first)["parted"][0], "^First to part: numpy.matmul 6x40, 40x96 fp32, at operation 0 ")
        self.assertEqual(names, ["numpy.matmul"])
        self.assertEqual(last["verdicts"], {"equal": last["pairs"]})
        self.assertRegex(library_traces.needed(names, last)[0], "^Recorded again with det's numpy.matmul, both sides are equal")

    def test_operations_by_det_are_those_of_numpy_but_for_rounding(self):
        draw = numpy.random.default_rng(5)
        x, y, bias = (draw.standard_normal(shape).astype("f4") for shape in ((3, 4, 8), (3, 8, 5), (8,)))
        wide, by = x.astype("f8"), traced_runs.BY_DET
        centred = wide - wide.mean(-1, keepdims=True)
        root = numpy.sqrt(wide.var(-1, keepdims=True) + 1e-5)
        norm = by["aten.native_layer_norm.default"](x, [8], bias, bias, 1e-5)
        pairs = [(by["aten.bmm.default"](x, y), wide @ y), (by["aten.addmm.default"](bias[:5], x[0], y[0]), wide[0] @ y[0] + bias[:5]),
                 (norm[0], centred / root * bias + bias), (norm[1], wide.mean(-1, keepdims=True)), (norm[2], 1 / root)]
        pairs += [(by["aten.mean.dim"](x, axes, keep), wide.mean(tuple(axes), keepdims=keep))
                  for axes in ([-1], [1], [2, 0]) for keep in (True, False)]
        for found, exact in pairs:
            self.assertEqual((found.dtype, found.shape), (numpy.float32, exact.shape))
            numpy.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
