"""`detcheck trace compare`: what stands beside what where the two runs are not made of the same operations, and what is no difference."""

import itertools
import os
import unittest

import trace_files
from planted_traces import F, from_the_left
from trace_compare_test import TraceCase
from trace_files import numpy


class NothingTest(TraceCase):
    """Tensors whose bits say nothing: of memory that nobody wrote, and without elements."""

    def sides(self, build, recorder="torch"):
        for number, name in enumerate(("here", "there")):
            run = trace_files.Run()
            build(run, number)
            run.write(os.path.join(self.path, name), recorder=recorder)

    def test_memory_that_nobody_wrote_does_not_part(self):
        """With digests and without them, of one shape and of two, with a partner and alone; what is read from there follows."""
        for name, recorder in (("aten.empty.memory_format", "torch"), ("aten.new_empty_strided.default", "torch"), ("aten.empty_like.default", "torch"),
                               ("numpy.empty", "numpy")):
            for left_out in (True, False):
                def build(run, side, name=name, left_out=left_out):
                    out = run.add(name, [], [numpy.float32([3 + side, 4])])
                    if left_out:
                        run.operations[-1]["outputs"] = [{"type": "fp32", "shape": [2 + side], "left_out": "uninitialised"}]
                    if side:
                        run.add(name, [], [numpy.float32([9, 9, 9])], path="alone")
                    if not left_out:
                        run.add("aten.view.default", [out], [out])
                    run.add("aten.mul.Tensor", [numpy.float32([1, 2])], [numpy.float32([2, 4 + side])])

                with self.subTest(name=name, left_out=left_out):
                    self.sides(build, recorder)
                    document = self.compared()
                    named = {(row["name"], row["verdict"]) for row in document["operations"]}
                    self.assertEqual(named, {(name, "not compared"), ("aten.mul.Tensor", "parted")} | (
                        set() if left_out else {("aten.view.default", "followed")}))
                    self.assertRegex(self.succeed("trace", "compare", "here", "there", code=1), "^First to part: aten.mul.Tensor")

    def test_memory_that_one_side_alone_names_is_no_difference(self):
        for alone, at in itertools.product((0, 1), (0, 1)):
            def build(run, side, alone=alone, at=at):
                for place in range(2):
                    if place != at:
                        run.add("aten.mul.Tensor", [numpy.float32([1, 2])], [numpy.float32([2, 4])])
                    elif side == alone:
                        run.add("aten.empty.memory_format", [], [numpy.float32([9, 9, 9])])

            with self.subTest(alone=alone, at=at):
                self.sides(build)
                text = self.succeed("trace", "compare", "here", "there")
                self.assertRegex(text, "^Equal: 1 pair")
                self.assertIn("1 without anything to compare", text)

    def test_tensors_without_elements_are_the_same_whatever_their_type(self):
        """As of a cache that is made of a list without numbers, in fp32 here and in fp16 there."""
        def build(run, side):
            kind = ("f4", "f2")[side]
            run.add("aten.lift_fresh.default", [numpy.zeros(0, kind)], [numpy.zeros(0, kind)], path="cache")
            run.add("aten.mul.Tensor", [numpy.float32([1, 2])], [numpy.float32([2, 4 + side])])

        self.sides(build)
        self.assertEqual(self.verdicts(self.compared()), ["equal", "parted"])

    def test_what_computes_is_named_before_what_moves_alone(self):
        def build(run, side):
            x = numpy.float32([1, 2])
            if side:
                run.add("aten.arange.default", [], [numpy.float32([0, 1])])
                run.add("aten.tanh.default", [x], [x / 2])
            run.add("aten.neg.default", [x + 1], [-x - 1])

        self.sides(build)
        self.assertRegex(self.succeed("trace", "compare", "here", "there", code=1), "^First without a partner: aten.tanh.default")


class NumbersTest(TraceCase):

    def test_operations_on_one_number_are_no_group_for_their_shapes(self):
        """One here and two there, of other numbers: all numbers have one shape."""
        for side, folder in enumerate(("here", "there")):
            run = trace_files.Run()
            run.add("aten.mul.Tensor", [numpy.float32([1, 2])], [numpy.float32([2, 4])])
            for place in range(1 + side):
                run.add(f"mine.extra{side}", [numpy.float32([place + 5 * side])], [numpy.float32([place + 9 * side + 3])])
            run.add("aten.neg.default", [numpy.float32([2, 4])], [numpy.float32([-2, -4])])
            run.write(os.path.join(self.path, folder))
        self.assertEqual(self.verdicts(self.compared()), ["equal", "here alone", "there alone", "there alone", "equal"])


class OverloadTest(TraceCase):
    """What an eager run does by aten.mm.default, and a compiled one, without a path, by aten.mm.out."""

    def sides(self, name, other, out=False, changed=0, attributes=({}, {})):
        """Two products between operations that only one side has; `out` is recorded as an input that is overwritten."""
        draw = numpy.random.default_rng(4)
        x, *weights = (F(draw.standard_normal(shape)) for shape in ((8, 32), (32, 8), (8, 16)))
        for side, folder in enumerate(("here", "there")):
            run, y = trace_files.Run(), x + F(side * changed)
            for number, w in enumerate(weights):
                product = from_the_left(y, w)
                z = F(numpy.nextafter(product, F(9))) if side and number == 0 else product
                if not side and not changed:
                    run.add("aten.view.default", [y[None]], [y], path="mlp")
                run.add((name, other)[side], [y, w], [z], **({} if side else {"path": f"mlp.{number}"}), attributes=attributes[side])
                if side and out:
                    run.operations[-1]["inputs"].append({"type": "fp32", "shape": list(z.shape), "left_out": "overwritten", "name": "out"})
                y = z
            run.write(os.path.join(self.path, folder), recorder="torch")

    def rows(self):
        return [(row["name"], row.get("name_there"), row["verdict"]) for row in self.compared()["operations"] if row["name"] != "aten.view.default"]

    def test_overloads_pair_and_are_judged(self):
        for out in (False, True):
            with self.subTest(out=out):
                self.sides("aten.mm.default", "aten.mm.out", out=out)
                self.assertEqual(self.rows(), [("aten.mm.default", "aten.mm.out", "parted"), ("aten.mm.default", "aten.mm.out", "followed")])
                row = next(row for row in self.compared()["operations"] if row["verdict"] == "parted")
                self.assertEqual((row["judgement"]["operation"], row["judgement"]["outputs"]), ("matmul", 64))
                self.assertIn("aten.mm.default here, aten.mm.out there", self.succeed("trace", "compare", "here", "there", code=1))

    def test_inputs_of_overloads_are_held_against_each_other_by_their_place(self):
        self.sides("aten.mm.default", "aten.mm.out", changed=1)
        self.assertEqual([verdict for _, _, verdict in self.rows()], ["other inputs", "followed"])

    def test_attributes_of_overloads_are_held_against_each_other(self):
        self.sides("aten.mm.default", "aten.mm.out", attributes=({"alpha": 1}, {"alpha": 2}))
        row = next(row for row in self.compared()["operations"] if row["verdict"] == "parted")
        self.assertEqual((row["attributes"], row["judgement"]["cause"]), ("alpha 1 here, 2 there", "attributes"))

    def test_other_names_do_not_pair_by_what_is_before_a_point(self):
        for name, other in (("aten.mm.default", "aten.bmm.out"), ("numpy.add.at", "numpy.add.reduce"), ("mine.mm.default", "mine.mm.out")):
            with self.subTest(name=name):
                self.sides(name, other)
                self.assertFalse(any(one and two and one != two for one, two, _ in self.rows()), self.rows())


class SumsThatLookLikeMovesTest(TraceCase):

    def test_what_adds_elements_that_meet_is_no_move(self):
        """One row of a table is added to twice; without accumulate, elements move."""
        x = numpy.float32([1, 2, 3])
        for name, attributes, says in (
                ("aten.index_put_.default", {"accumulate": True}, "adds elements that go to the same place"), ("aten.index_put.default", {"accumulate": False}, "moves"),
                ("aten.index_put_.default", {}, "moves"), ("aten._index_put_impl_.default", {"accumulate": True}, "adds elements that go to the same place"),
                ("aten.scatter.reduce", {"reduce": "add"}, "adds elements that go to the same place"), ("aten.scatter.src", {}, "moves"),
                ("aten.scatter.value_reduce", {"reduce": "multiply"}, "multiplies elements that go to the same place"),
                ("aten.scatter_add.default", {}, "adds elements that go to the same place"), ("aten.scatter_reduce_.two", {"reduce": "mean"}, "adds elements that go to the same place"),
                ("aten.scatter_reduce.two", {"reduce": "amax"}, "compares or selects"), ("aten.index_add_.default", {}, "adds elements that go to the same place"),
                ("jax.scatter-add", {}, "adds elements that go to the same place"), ("jax.scatter", {}, "moves"),
                ("onnx.ScatterND", {"reduction": "add"}, "adds elements that go to the same place"), ("onnx.ScatterND", {"reduction": "none"}, "moves"),
                ("onnx.ScatterElements", {"reduction": "mul"}, "multiplies elements that go to the same place"), ("numpy.add.at", {}, "adds elements that go to the same place")):
            with self.subTest(name=name, attributes=attributes):
                for side, folder in enumerate(("here", "there")):
                    run = trace_files.Run()
                    run.add(name, [x], [x + side], attributes=attributes)
                    run.write(os.path.join(self.path, folder))
                row = self.compared()["operations"][0]
                self.assertIn(f": {says}", row["judgement"]["not_judged"])


class SoftmaxOfOnnxTest(TraceCase):

    def lines(self, x):
        e = numpy.exp(x.astype("f8"))
        return (e / e.sum(-1, keepdims=True)).astype("f4")

    def judged(self, x, attributes, y):
        """How many outputs of `there`, which are `y`, are not the exact result rounded, of how many; or why none was judged."""
        for side, folder in enumerate(("here", "there")):
            run = trace_files.Run()
            run.add("onnx.Softmax", [x], [y if side else y * numpy.float32(1.5)], attributes=attributes)
            run.write(os.path.join(self.path, folder), recorder="onnxruntime")
        found = self.compared()["operations"][0]["judgement"]
        return found.get("not_judged") or (found["wrong_there"] < found["outputs"] // 4, found["outputs"])

    def test_before_opset_13_all_axes_from_the_axis_on_are_one(self):
        x = numpy.random.default_rng(5).standard_normal((2, 3, 4)).astype("f4")
        flat = {axis: self.lines(x.reshape(int(numpy.prod(x.shape[:axis])), -1)).reshape(x.shape) for axis in (0, 1, 2)}
        middle = numpy.ascontiguousarray(numpy.swapaxes(self.lines(numpy.swapaxes(x, 1, 2)), 1, 2))
        for attributes, y, right in (({"opset": 11}, flat[1], True), ({"opset": 12, "axis": 0}, flat[0], True),
                                     ({"opset": 13, "axis": 1}, middle, True), ({"axis": -1}, flat[2], True)):
            with self.subTest(attributes=attributes):
                self.assertEqual(self.judged(x, attributes, y), (right, 24))
        for attributes in ({}, {"axis": 1}):
            self.assertIn("the opset decides whether it works along one axis", self.judged(x, attributes, flat[1]))
        for side, opset, y in (("here", 11, flat[1]), ("there", 13, middle)):  # each side by what it was asked for
            run = trace_files.Run()
            run.add("onnx.Softmax", [x], [y], attributes={"opset": opset, "axis": 1})
            run.write(os.path.join(self.path, side), recorder="onnxruntime")
        found = self.compared()["operations"][0]["judgement"]
        self.assertEqual(found["outputs"], 24)
        self.assertLess(max(found["error_here"], found["error_there"]), 1)


if __name__ == "__main__":
    unittest.main()
