"""`detcheck trace compare`: what stands beside what where the two runs are not made of the same operations, and what is no difference."""

import itertools
import os
import unittest

import planted_traces
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


class GroupTest(TraceCase):
    """Several operations of one side where the other side has one, or has them in another order."""

    def sides(self, *builds):
        for build, name in zip(builds, ("here", "there")):
            run = trace_files.Run()
            x = F(numpy.random.default_rng(2).standard_normal((8, 32)))
            h = run.add("aten.relu.default", [x], [numpy.maximum(x, F(0))], path="before")
            y = build(run, h)
            run.add("aten.neg.default", [y], [-y], path="after")
            run.write(os.path.join(self.path, name), recorder="torch")

    def parted(self):
        document = self.compared()
        self.assertEqual(self.verdicts(document), ["equal", "parted", "followed"])
        self.hold_to_schema(document, "trace-comparison")
        row = document["operations"][1]
        return (row["here_count"], row["there_count"]), row

    def weight(self):
        return F(numpy.random.default_rng(3).standard_normal((32, 8)))

    def whole(self, run, h):
        return run.add("aten.mm.default", [h, self.weight()], [from_the_left(h, self.weight())], path="mlp")

    def halves(self, run, h, cut=True):
        """With the slices that PyTorch makes of its operands."""
        w, parts = self.weight(), []
        for at in (0, 16):
            a, b = numpy.ascontiguousarray(h[:, at:at + 16]), w[at:at + 16]
            if cut:
                run.add("aten.slice.Tensor", [h], [a], path="mlp", attributes={"dim": 1, "start": at, "end": at + 16})
                run.add("aten.slice.Tensor", [w], [b], path="mlp", attributes={"start": at, "end": at + 16})
            parts.append(run.add("aten.mm.default", [a, b], [from_the_left(a, b)], path="mlp"))
        return run.add("aten.add.Tensor", parts, [F(parts[0] + parts[1])], path="mlp")

    def test_a_product_in_two_halves_stands_beside_one_product_and_is_judged_by_it(self):
        for turn in (False, True):
            builds = (self.halves, self.whole) if turn else (self.whole, self.halves)
            self.sides(*builds)
            counts, row = self.parted()
            self.assertEqual(counts, (7, 1) if turn else (1, 7))
            found = row["judgement"]
            self.assertEqual((row["name"], found["operation"], found["cause"]), ("aten.mm.default", "matmul", "both-sides"), found)
            self.assertEqual((found["cause_there"], found["cause_here"])[turn], "sums two halves of 16, in fp32, of rounded products")
            text = self.succeed("trace", "compare", "here", "there", code=1)
            self.assertIn(f"A group of 7 operations {('there', 'here')[turn]} stands for aten.mm.default {('here', 'there')[turn]}. Inputs equal.", text)

    def test_halves_of_a_transposed_weight_stand_beside_a_linear_layer_and_are_judged_by_its_product(self):
        """u[:, :h] @ w[:, :h].T + u[:, h:] @ w[:, h:].T + b, and addmm of w.T, which a layer transposes first."""
        w, b = numpy.ascontiguousarray(self.weight().T), F(numpy.random.default_rng(4).standard_normal(8))

        def layer(run, h):
            turned = run.add("aten.t.default", [w], [numpy.ascontiguousarray(w.T)], path="mlp.layer")
            return run.add("aten.addmm.default", [b, h, turned], [F(from_the_left(h, turned) + b)], path="mlp.layer")

        def halves(run, h):
            parts = []
            for at in (0, 16):
                u, v = numpy.ascontiguousarray(h[:, at:at + 16]), numpy.ascontiguousarray(w[:, at:at + 16])
                run.add("aten.slice.Tensor", [h], [u], path="mlp")
                run.add("aten.slice.Tensor", [w], [v], path="mlp")
                v = run.add("aten.permute.default", [v], [numpy.ascontiguousarray(v.T)], path="mlp")
                parts.append(run.add("aten.mm.default", [u, v], [from_the_left(u, v)], path="mlp"))
            both = run.add("aten.add.Tensor", parts, [F(parts[0] + parts[1])], path="mlp")
            return run.add("aten.add.Tensor", [both, b], [F(both + b)], path="mlp")

        for turn in (False, True):
            self.sides(*((layer, halves), (halves, layer))[turn])
            counts, row = self.parted()
            found = row["judgement"]
            self.assertEqual((counts, found["operation"]), ((10, 2) if turn else (2, 10), "matmul"), found)
            whole, halved = (found["cause_there"], found["cause_here"])[:: 1 if turn else -1]
            self.assertEqual((whole, halved), ("makes one sum from the left, in fp32, of rounded products, then c",
                                               "sums two halves of 16, in fp32, of rounded products, then c"))

    def test_halves_whose_operands_were_cut_unseen_are_known_by_their_elements(self):
        """As numpy's slices, which are no operations: what takes the result shows what stands beside what."""
        def rows():
            return [(row["verdict"], row["here_count"], row["there_count"]) for row in self.compared()["operations"]]

        self.sides(self.whole, lambda run, h: self.halves(run, h, False))
        counts, row = self.parted()
        self.assertEqual((counts, row["judgement"]["cause_there"]), ((1, 3), "sums two halves of 16, in fp32, of rounded products"))
        # Of other numbers, and where a part of the operands is missing, they are other inputs.
        self.sides(self.whole, lambda run, h: self.halves(run, h + F(1), False))
        self.assertEqual(rows(), [("equal", 1, 1), ("other inputs", 1, 3), ("followed", 1, 1)])

        def first_half_twice(run, h):
            a, b = numpy.ascontiguousarray(h[:, :8]), self.weight()[:8]
            parts = [run.add("aten.mm.default", [a, b], [from_the_left(a, b)], path="mlp")] * 2
            return run.add("aten.add.Tensor", parts, [F(parts[0] + parts[1])], path="mlp")

        self.sides(self.whole, first_half_twice)
        self.assertEqual(rows(), [("equal", 1, 1), ("other inputs", 1, 2), ("followed", 1, 1)])

    def test_a_sum_of_operands_in_another_order_is_one_sum(self):
        a, m = (F(numpy.random.default_rng(seed).standard_normal((8, 32))) for seed in (5, 6))

        def add(run, x, y):
            return run.add("aten.add.Tensor", [x, y], [F(x + y)], path="mlp")

        self.sides(lambda run, x: add(run, add(run, x, a), m), lambda run, x: add(run, x, add(run, a, m)))
        counts, row = self.parted()
        found = row["judgement"]
        self.assertEqual((counts, found["operation"], found["cause"], found["looked"]), ((2, 2), "sum", "both-sides", 256), found)
        self.assertEqual((found["cause_here"], found["cause_there"]),
                         ("makes one sum from the left, in fp32", "makes one sum from the right, in fp32"))
        self.assertIn("A group of 2 operations here stands beside one of 2 there. Inputs equal.",
                      self.succeed("trace", "compare", "here", "there", code=1))

    def test_what_is_folded_into_weights_stands_beside_what_it_is_folded_into(self):
        """A scale behind a product, and a product of scaled weights; with the same weights the scale has no partner."""
        w, scale = self.weight(), numpy.arange(1, 9, dtype=F)

        def steps(run, h):
            y = run.add("aten.mm.default", [h, w], [from_the_left(h, w)], path="mlp")
            return run.add("aten.mul.Tensor", [y, scale], [F(y * scale)], path="mlp")

        def folded(run, h):
            return run.add("aten.mm.default", [h, F(w * scale)], [from_the_left(h, F(w * scale))], path="mlp")

        def other(run, h):
            return run.add("aten.mm.default", [h, w], [F(from_the_left(h, w) + F(1))], path="mlp")

        for there, counts, want in ((folded, (2, 1), ["equal", "other inputs", "followed"]), (other, (1, 1), ["equal", "parted", "here alone", "followed"])):
            for turn in (False, True):
                self.sides(*((steps, there), (there, steps))[turn])
                rows = self.compared()["operations"]
                self.assertEqual([row["verdict"] for row in rows], [one.replace("here", "there") if turn else one for one in want])
                self.assertEqual((rows[1]["here_count"], rows[1]["there_count"]), counts[::-1] if turn else counts)

    def test_a_sum_that_takes_more_does_not_stand_beside_a_part_of_it(self):
        """(x + a) + m beside the sum of all three, stacked; m is computed before on both sides. x + a is none of the latter."""
        w = F(numpy.random.default_rng(5).standard_normal((2, 8, 32)))

        def given(run):
            return [run.add("aten.tanh.default", [one], [planted_traces.by_double(numpy.tanh, one)], path="given") for one in w]

        def steps(run, x):
            a, m = given(run)
            one = run.add("aten.add.Tensor", [x, a], [F(x + a)], path="mlp")
            return run.add("aten.add.Tensor", [one, m], [F(one + m)], path="mlp")

        def whole(run, x):
            a, m = given(run)
            all_three = run.add("aten.stack.default", [m, a, x], [numpy.stack([m, a, x])], path="mlp")
            return run.add("aten.sum.dim_IntList", [all_three], [F(F(m + a) + x)], path="mlp", attributes={"dim": [0]})

        for turn in (False, True):
            self.sides(*((steps, whole), (whole, steps))[turn])
            rows = [(row["verdict"], row["here_count"], row["there_count"]) for row in self.compared()["operations"]]
            self.assertEqual(rows, [("equal", 1, 1)] * 3 + [("parted", 2, 2), ("followed", 1, 1)])

    def test_inputs_are_not_equal_where_one_side_takes_another_tensor(self):
        """A norm whose weight only the one operation takes; and one whose epsilon only the steps take, which is a constant."""
        for taken, verdict in ((numpy.arange(32, dtype=F), "other inputs"), (F([1e-5]), "parted")):
            def steps(run, h):
                square = run.add("aten.square.default", [h], [F(h * h)], path="mlp")
                return run.add("aten.sub.Tensor", [square, h], [F(F(h * h) - h)], path="mlp")

            def whole(run, h, taken=taken):
                return run.add("mine.fused", [h, taken], [F(F(h * h) - h + F(1))], path="mlp")

            for turn in (False, True):
                with self.subTest(verdict=verdict, turn=turn):
                    self.sides(*((steps, whole), (whole, steps))[turn])
                    self.assertEqual(self.verdicts(self.compared()), ["equal", verdict, "followed"])
                    text = self.succeed("trace", "compare", "here", "there", code=1)
                    self.assertEqual("The two take other inputs, which no operation before gave otherwise." in text, verdict == "other inputs", text)

    def test_operands_of_another_place_are_not_from_outside(self):
        """y + (y - a) there beside x + y here, of recorded x and y; and x - y beside x - z, of recorded y and z."""
        a = F(numpy.random.default_rng(5).standard_normal((8, 32)))

        def given(run, one=a):
            return run.add("aten.tanh.default", [one], [planted_traces.by_double(numpy.tanh, one)], path="given")

        def plain(name, other=False):
            def build(run, x):
                y, z = given(run), given(run, F(a + F(1)))
                y = z if other else y
                return run.add(name, [x, y], [F(x + y) if "add" in name else F(x - y)], path="mlp")
            return build

        def more(run, x):
            y, _ = given(run), given(run, F(a + F(1)))
            z = run.add("aten.sub.Tensor", [y, a], [F(y - a)], path="mlp")
            return run.add("aten.add.Tensor", [y, z], [F(y + z)], path="mlp")

        self.sides(plain("aten.add.Tensor"), more)
        self.assertEqual(self.verdicts(self.compared()), ["equal"] * 3 + ["there alone", "followed", "followed"])
        self.sides(plain("aten.sub.Tensor"), plain("aten.sub.Tensor", True))
        row = self.compared()["operations"][3]
        self.assertEqual((row["verdict"], row["input"]), ("other inputs", ""))
        text = self.succeed("trace", "compare", "here", "there", code=1)
        self.assertIn("The two take other inputs, which no operation before gave otherwise.", text)
        self.assertNotIn("no recorded operation gave", text)

    def test_figures_of_a_sum_of_operands_are_those_of_exact_sums(self):
        x = numpy.maximum(F(numpy.random.default_rng(2).standard_normal((8, 32))), F(0))
        a, m = (F(numpy.random.default_rng(seed).standard_normal((8, 32))) for seed in (5, 6))
        outputs = F(F(x + a) + m), F(x + F(a + m))
        exact = F(x.astype("f8") + a + m)  # no sum of three such numbers takes more than 53 bits
        differ = outputs[0] != outputs[1]
        self.test_a_sum_of_operands_in_another_order_is_one_sum()
        found = self.compared()["operations"][1]["judgement"]
        self.assertEqual((found["outputs"], found["wrong_here"], found["wrong_there"]),
                         (int(differ.sum()), *(int((one != exact)[differ].sum()) for one in outputs)))

    def test_a_sum_that_is_taken_twice_counts_twice(self):
        """Twice x, plus a and m, in two orders; and 2(x + a) + m beside 2(m + a) + x, which are two sums."""
        x = numpy.maximum(F(numpy.random.default_rng(2).standard_normal((8, 32))), F(0))
        a, m = (F(numpy.random.default_rng(seed).standard_normal((8, 32))) for seed in (5, 6))

        def add(run, one, other):
            return run.add("aten.add.Tensor", [one, other], [F(one + other)], path="mlp")

        def twice(run, one, other, once):
            both = add(run, one, other)
            return add(run, add(run, both, both), once)

        def right(one, other, once):
            return F(2 * one.astype("f8") + other + once)

        cases = [(lambda run, x: add(run, add(run, add(run, x, x), a), m), lambda run, x: add(run, add(run, x, add(run, a, m)), x),
                  (F(F(F(x + x) + a) + m), F(F(x + F(a + m)) + x)), [right(x, a, m)] * 2),
                 (lambda run, x: twice(run, x, a, m), lambda run, x: twice(run, m, a, x),
                  (F(F(F(x + a) * F(2)) + m), F(F(F(m + a) * F(2)) + x)), [right(x, 2 * a, m), right(m, 2 * a, x)])]
        for here, there, outputs, exact in cases:
            self.sides(here, there)
            counts, row = self.parted()
            found, is_same = row["judgement"], exact[0] is exact[1]
            differ = outputs[0] != outputs[1]
            self.assertEqual((counts, found["outputs"], found["wrong_here"], found["wrong_there"]),
                             ((3, 3), int(differ.sum()), *(int((one != want)[differ].sum()) for one, want in zip(outputs, exact))))
            self.assertEqual(found["cause"] == "attributes", not is_same, found)
            self.assertEqual("the two sides add other operands" in found["says"], not is_same, found)

    def test_a_group_that_is_not_judged_says_which_operation_it_is_for(self):
        a, m = (F(numpy.random.default_rng(seed).standard_normal((8, 32))) for seed in (5, 6))

        def add(run, x, y, alpha=None):
            return run.add("aten.add.Tensor", [x, y], [F(x + F(alpha or 1) * y)], path="mlp", attributes={"alpha": alpha} if alpha else {})

        self.sides(lambda run, x: add(run, add(run, x, a, 2), m, 2), lambda run, x: add(run, add(run, x, m, 2), a, 2))
        self.assertEqual(self.parted()[1]["judgement"]["not_judged"],
                         "several operations stand beside several, and aten.add.Tensor is not judged as an addition of two tensors")

    def test_lists_of_hundreds_of_tensors_are_held_against_each_other(self):
        """Of an optimiser's: one operation of all parameters here, two of them there; one number of the last parameter parted before."""
        many = [F([number, 1]) for number in range(200)]
        for other in (False, True):
            def one(run, h):
                run.add("aten._fused_step.default", many, [F([9, 9, 9])], path="step")
                return h

            def two(run, h, other=other):
                if other:
                    run.add("aten.exp.default", [F([1])], [F([2])], path="put.in")
                given = [*many[:-1], F([7, 7])] if other else many
                run.add("aten._stack_all.default", given, [F([5, 6])], path="step")
                run.add("aten._finish.default", [F([5, 6])], [F([9, 9, 8])], path="step")
                return h

            self.sides(one, two)
            rows = [row for row in self.compared()["operations"] if row["name"] == "aten._fused_step.default"]
            self.assertEqual([(row["verdict"], row["here_count"], row["there_count"]) for row in rows],
                             [("other inputs" if other else "parted", 1, 2)])

    def test_a_compiled_function_of_jax_may_have_weights_in_its_code(self):
        w = self.weight()

        def steps(run, h):
            y = run.add("jax.dot_general", [h, w], [from_the_left(h, w)], path="mlp")
            return run.add("jax.exp", [y], [planted_traces.by_double(numpy.exp, y)], path="mlp")

        def function(name):
            return lambda run, h: run.add(name, [h], [F(planted_traces.by_double(numpy.exp, from_the_left(h, w)) + F(1))], path="mlp")

        for name, verdict in (("jax.jit", "parted"), ("mine.fused", "other inputs")):
            self.sides(steps, function(name))
            self.assertEqual(self.verdicts(self.compared()), ["equal", verdict, "followed"])

    def test_a_constant_that_one_side_computes_does_not_make_a_group_follow(self):
        """A mask that the steps add, and the one operation has in its code."""
        def one(run, h):
            return run.add("aten.softmax.int", [h], [F(planted_traces.softmax(h))], path="mlp", attributes={"dim": -1})

        def steps(run, h):
            zeros = run.add("aten.mul.Scalar", [numpy.ones((8, 32), F)], [numpy.zeros((8, 32), F)], path="mask")
            h = run.add("aten.add.Tensor", [h, zeros], [h], path="mlp")
            e = run.add("aten.exp.default", [h], [planted_traces.by_double(numpy.exp, h)], path="mlp")
            total = run.add("aten.sum.dim_IntList", [e], [planted_traces.sum_of(e)], path="mlp", attributes={"dim": [-1], "keepdim": True})
            return run.add("aten.div.Tensor", [e, total], [F(e / total)], path="mlp")

        self.sides(one, steps)
        rows = {row["name"]: row for row in self.compared()["operations"]}
        self.assertEqual(rows["aten.softmax.int"]["verdict"], "parted")
        self.assertGreater(rows["aten.softmax.int"]["there_count"], 2)
        self.assertEqual(rows["aten.softmax.int"]["judgement"]["operation"], "softmax")


class SeveralOutputsTest(TraceCase):
    """One operation beside a kernel that gives several things, as compilers make them."""

    def sides(self, kernel):
        draw = numpy.random.default_rng(7)
        table, indices = F(draw.standard_normal((10, 4))), numpy.int64([3, 1, 4, 1, 5])
        rows = table[indices]
        for side, folder in enumerate(("here", "there")):
            run = trace_files.Run()
            if side:
                run.add("inductor.cpp_fused_embedding_mean_mul", *kernel(table, indices, rows))
            else:
                run.add("aten.embedding.default", [table, indices], [rows], path="e")
                run.add("aten.mul.Tensor", [rows, F([2, 2, 2, 2])], [rows * F(2)], path="n")
            run.add("aten.neg.default", [rows * F(2)], [-rows * F(2)], path="after")
            run.write(os.path.join(self.path, folder), recorder="torch")

    def rows(self):
        return [(row["name"], row["verdict"]) for row in self.compared()["operations"]]

    def test_an_output_is_held_against_the_one_of_the_same_bits(self):
        for turn in (False, True):
            def kernel(table, indices, rows, turn=turn):
                outputs = [rows * F(2), rows, rows[:, :1]]
                return [table, indices, F([2, 2, 2, 2])], outputs[::-1] if turn else outputs

            with self.subTest(turn=turn):
                self.sides(kernel)
                self.assertEqual(self.rows(), [("aten.embedding.default", "equal"), ("aten.mul.Tensor", "here alone"), ("aten.neg.default", "equal")])

    def test_of_several_outputs_of_one_shape_none_is_held_against_another(self):
        """Which of two is meant nobody knows; one of another shape is none of them."""
        def kernel(table, indices, rows):
            return [table, indices, F([2, 2, 2, 2])], [rows * F(3), rows + F(1), rows[:, :1]]

        self.sides(kernel)
        self.assertEqual({row["verdict"] for row in self.compared(code=0)["operations"]}, {"not compared", "equal"})
        self.assertIn("1 not compared, as outputs have no digest, or no counterpart", self.succeed("trace", "compare", "here", "there"))

    def test_what_a_kernel_gives_besides_makes_who_takes_it_follow(self):
        """The product here is an operation's without a partner; there a kernel's second output, which differs."""
        def kernel(table, indices, rows):
            return [table, indices, F([2, 2, 2, 2])], [rows, F(rows * 2.5)]

        self.sides(kernel)
        place = os.path.join(self.path, "there")
        run = trace_files.Run()
        draw = numpy.random.default_rng(7)
        table, indices = F(draw.standard_normal((10, 4))), numpy.int64([3, 1, 4, 1, 5])
        inputs, outputs = kernel(table, indices, table[indices])
        run.add("inductor.cpp_fused_embedding_mean_mul", inputs, outputs)
        run.add("aten.neg.default", [outputs[1]], [-outputs[1]], path="after")
        run.write(place, recorder="torch")
        self.assertEqual(self.rows(), [("aten.embedding.default", "equal"), ("aten.mul.Tensor", "here alone"), ("aten.neg.default", "followed")])


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
                ("aten.index_put_.default", {"accumulate": True}, "adds elements that meet"), ("aten.index_put.default", {"accumulate": False}, "moves"),
                ("aten.index_put_.default", {}, "moves"), ("aten._index_put_impl_.default", {"accumulate": True}, "adds elements that meet"),
                ("aten.scatter.reduce", {"reduce": "add"}, "adds elements that meet"), ("aten.scatter.src", {}, "moves"),
                ("aten.scatter.value_reduce", {"reduce": "multiply"}, "multiplies elements that meet"),
                ("aten.scatter_add.default", {}, "adds elements that meet"), ("aten.scatter_reduce_.two", {"reduce": "mean"}, "adds elements that meet"),
                ("aten.scatter_reduce.two", {"reduce": "amax"}, "compares or selects"), ("aten.index_add_.default", {}, "adds elements that meet"),
                ("jax.scatter-add", {}, "adds elements that meet"), ("jax.scatter", {}, "moves"),
                ("onnx.ScatterND", {"reduction": "add"}, "adds elements that meet"), ("onnx.ScatterND", {"reduction": "none"}, "moves"),
                ("onnx.ScatterElements", {"reduction": "mul"}, "multiplies elements that meet"), ("numpy.add.at", {}, "adds elements that meet")):
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
            self.assertIn("depends on the opset, which was not recorded", self.judged(x, attributes, flat[1]))
        for side, opset, y in (("here", 11, flat[1]), ("there", 13, middle)):  # each side by what it was asked for
            run = trace_files.Run()
            run.add("onnx.Softmax", [x], [y], attributes={"opset": opset, "axis": 1})
            run.write(os.path.join(self.path, side), recorder="onnxruntime")
        found = self.compared()["operations"][0]["judgement"]
        self.assertEqual(found["outputs"], 24)
        self.assertLess(max(found["error_here"], found["error_there"]), 1)


if __name__ == "__main__":
    unittest.main()
