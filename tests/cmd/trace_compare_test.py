"""`detcheck trace compare`, `show` and `record`: traces of runs with planted differences, and what is true of them worked out here."""

import json
import os
import random
import shutil
import stat
import sys
import unittest

import harness
import tensor_files
import trace_files
from trace_files import numpy

WIDTH, LAYERS, LONG = 24, 5, 1300
MATMULS, NORMS = "linear", "norm"


def softmax(x):
    e = numpy.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Model:
    """A small stack of layers in fp32; `plant` maps the name of an operation, or its place in the run, to another way."""

    def __init__(self, run, plant=None, weights=1):
        self.run, self.plant, self.random = run, plant or {}, numpy.random.default_rng(weights)

    def draw(self, *shape):
        return self.random.standard_normal(shape).astype(numpy.float32)

    def call(self, name, path, function, *inputs, **more):
        function = self.plant.get((path, name), function)
        return self.run.add(name, inputs, [function(*inputs)], path=path, **more)

    def forward(self):
        x = self.draw(3, WIDTH)
        for layer in range(LAYERS):
            path = f"layers.{layer}"
            w, gain = self.draw(WIDTH, WIDTH), self.draw(WIDTH)
            h = self.call(NORMS, f"{path}.norm", lambda a, g: (a / numpy.sqrt((a * a).mean(-1, keepdims=True) + 1e-6) * g).astype("f4"),
                          x, gain, attributes={"eps": 1e-6}, source=f"model.py:{10 + layer}")
            h = self.call(MATMULS, f"{path}.mlp", lambda a, b: a @ b, h, w)
            h = self.call("softmax", f"{path}.mlp", softmax, h)
            x = self.call("add", path, numpy.add, x, h)
        return x


def backwards(a, b):
    """The same product, summed from the other end."""
    return numpy.array([[sum((x * y for x, y in zip(row[::-1], column[::-1])), numpy.float32(0)) for column in b.T] for row in a], "f4")


def ordinals(array):
    signed = array.view(numpy.int32).astype(numpy.int64)
    return numpy.where(signed < 0, -(signed & 0x7fffffff), signed)


class TraceCase(harness.Case):

    def make(self, name, plant=None, keep=True, weights=1, edit=None, **more):
        run = trace_files.Run(keep, **more)
        Model(run, plant, weights).forward()
        if edit:
            edit(run)
        run.write(os.path.join(self.path, name))
        return run

    def compared(self, *words, code=1):
        return harness.parse(self.succeed("trace", "compare", "here", "there", "--json", "-", "--all", *words, code=code))

    def verdicts(self, document):
        return [row["verdict"] for row in document["operations"]]


class CompareTest(TraceCase):

    def test_the_same_run_is_equal_and_says_of_how_many(self):
        self.make("here")
        self.make("there")
        text = self.succeed("trace", "compare", "here", "there")
        self.assertTrue(text.startswith("Equal: 20 pairs of operations have the same outputs.\n"), text)
        document = self.compared(code=0)
        self.assertEqual(document["verdicts"], {"equal": 20})
        self.hold_to_schema(document, "trace-comparison")

    def test_each_planted_difference_is_the_first_to_part_and_no_other_operation_is(self):
        ways = {MATMULS: backwards, NORMS: lambda a, g: (a / numpy.sqrt((a * a).mean(-1, keepdims=True) + 1e-5) * g).astype("f4"),
                "softmax": lambda a: softmax(a.astype("f8")).astype("f4"), "add": lambda a, b: numpy.nextafter(a + b, numpy.float32(9))}
        here = self.make("here")
        for layer, (name, way) in enumerate(ways.items()):
            path = f"layers.{layer}" + {MATMULS: ".mlp", "softmax": ".mlp", NORMS: ".norm"}.get(name, "")
            with self.subTest(name=name):
                there = self.make("there", {(path, name): way})
                place = next(i for i, line in enumerate(here.operations) if (line["path"], line["name"]) == (path, name))
                document = self.compared()
                self.hold_to_schema(document, "trace-comparison")
                expected = []
                for a, b in zip(here.operations, there.operations):
                    same = [[x["digest"] for x in a[side]] == [x["digest"] for x in b[side]] for side in ("inputs", "outputs")]
                    expected.append("equal" if same[1] else "parted" if same[0] else "followed")
                self.assertEqual(self.verdicts(document), expected)
                self.assertEqual(expected.index("parted"), place)
                row = document["operations"][place]
                self.assertEqual((row["path"], row["name"], row["here"], row["there"]), (path, name, place, place))
                text = self.succeed("trace", "compare", "here", "there", code=1)
                self.assertTrue(text.startswith(f"First to part: {path}, {name} "), text)
                self.assertIn(f"at operation {place} of 20", text.splitlines()[0])
                self.assertIn("No other operation parts by itself; all other differences follow from inputs that differ.", text)
            shutil.rmtree(os.path.join(self.path, "there"))

    def test_distances_are_those_of_the_elements(self):
        outputs = {}

        def noted(key):
            def edit(run):
                outputs[key] = {number: tensors for number, tensors in run.files.items()}
            return edit

        here = self.make("here", edit=noted("here"))
        there = self.make("there", {("layers.1.mlp", MATMULS): backwards}, edit=noted("there"))
        kept = {}
        for side, run in (("here", here), ("there", there)):
            arrays = {f"{number}:{name}": numpy.array(codes, numpy.uint32).view("f4") for number, tensors in run.files.items()
                      for name, _, _, codes in tensors}
            kept[side] = [[arrays[tensor["kept"]] for tensor in line["outputs"]] for line in run.operations]
        for row, a, b in zip(self.compared()["operations"], kept["here"], kept["there"]):
            far = numpy.abs(ordinals(a[0]) - ordinals(b[0]))
            if not far.any():
                self.assertNotIn("elements", row)
                continue
            differ = int((a[0].view("u4") != b[0].view("u4")).sum())
            self.assertEqual((row["elements"], row["differ"], row["largest"]), (far.size, differ, int(far.max())))
            self.assertEqual(sum(one["count"] for one in row["ulps"]), differ)
            half = sorted(far[far > 0])[(differ + 1) // 2 - 1]
            self.assertTrue(half <= row["middle"] < max(2 * half, 2), (half, row["middle"]))

    def test_other_weights_are_other_inputs_and_not_a_cause(self):
        self.make("here")
        self.make("there", weights=2)
        document = self.compared()
        self.assertNotIn("parted", self.verdicts(document))
        self.assertEqual(self.verdicts(document)[0], "other inputs")
        self.assertIn("First with other inputs: layers.0.norm", self.succeed("trace", "compare", "here", "there", code=1))

    def test_what_was_written_through_a_view_follows_what_wrote_it(self):
        """A cache that a slice of it is written in: what it is then is given by detcheck.written. Another weight of the cache's shape
        is no cache, also behind a write that differs."""
        def cached(name, bad, weight=0):
            cache, run = numpy.zeros((6, 4), "f4"), trace_files.Run()
            run.add("aten.zeros.default", [], [cache.copy()])
            for step in range(6):
                x = numpy.arange(4, dtype="f4") + step
                k = run.add("aten.mul.Tensor", [x], [x * numpy.float32(3 if step == bad else 2)])
                view = run.add("aten.slice.Tensor", [cache.copy()], [cache[step:step + 1].copy()], attributes={"start": step})
                run.add("aten.copy_.default", [view, k], [k.reshape(1, 4)], in_place=[0])
                run.operations[-1]["inputs"][0] = {"type": "fp32", "shape": [1, 4], "left_out": "overwritten"}
                before = cache.copy()
                cache[step] = k
                run.add("detcheck.written", [before, k.reshape(1, 4)], [cache.copy()])
                run.add("aten.slice.Tensor", [cache.copy()], [cache[:step + 1].copy()], attributes={"end": step + 1})
                run.add("aten.mm.default", [x, numpy.full((6, 4), weight, "f4")], [numpy.float32([weight + step])])
            run.write(os.path.join(self.path, name), recorder="torch")

        cached("here", None)
        cached("there", 2)
        verdicts = self.verdicts(self.compared())
        self.assertEqual([i for i, one in enumerate(verdicts) if one == "parted"], [1 + 6 * 2])
        self.assertNotIn("other inputs", verdicts)
        cached("there", 2, weight=1)
        self.assertEqual(self.verdicts(self.compared())[6::6], ["other inputs"] * 6)

    def test_other_attributes_are_told(self):
        def edit(run):
            run.operations[4]["attributes"] = {"eps": 1e-5}
            run.operations[0]["attributes"] = {}

        self.make("here")
        self.make("there", {("layers.1.norm", NORMS): lambda a, g: a * g}, edit=edit)
        text = self.succeed("trace", "compare", "here", "there", code=1)
        self.assertIn("Inputs equal; attributes differ: eps 1e-06 here, 1e-05 there.", text)
        self.assertEqual(self.compared()["operations"][0]["attributes"], "eps 1e-06 here, not given there")

    def test_without_tensors_it_says_what_records_them(self):
        self.make("here", keep=False)
        self.make("there", {("layers.2.mlp", "softmax"): lambda a: softmax(a.astype("f8")).astype("f4")}, keep=False)
        text = self.succeed("trace", "compare", "here", "there", code=1)
        self.assertIn("by how much is not known, as their tensors were not kept", text)
        self.assertIn("--keep names=layers.2.mlp -- COMMAND", text)
        self.assertEqual(self.verdicts(self.compared()).index("parted"), 10)

    def test_outputs_of_two_shapes_are_told_as_such(self):
        x = numpy.arange(12, dtype="f4")
        for outputs in ((x.reshape(3, 4), x.reshape(2, 6)), (x.reshape(3, 4), x.reshape(3, 4)[:2] + 1)):
            for name, output in zip(("here", "there"), outputs):
                run = trace_files.Run()
                run.add("view", [x], [output])
                run.write(os.path.join(self.path, name))
            shapes = ["x".join(map(str, output.shape)) for output in outputs]
            document = self.compared()
            self.hold_to_schema(document, "trace-comparison")
            self.assertEqual(self.verdicts(document), ["parted"])
            text = self.succeed("trace", "compare", "here", "there", code=1)
            self.assertIn(f"Inputs equal. Outputs are not alike: {shapes[0]} fp32 here, {shapes[1]} fp32 there.", text)
            self.assertNotIn("--keep", text)

    def test_zeros_of_two_signs_are_told_as_such(self):
        for name, zero in (("here", 0.0), ("there", -0.0)):
            run = trace_files.Run()
            run.add("mul", [numpy.float32([1, 2])], [numpy.array([zero, 2], "f4")])
            run.write(os.path.join(self.path, name))
        self.assertIn("1 of 2 outputs differs, a zero of another sign.", self.succeed("trace", "compare", "here", "there", code=1))

    def test_nans_of_other_bits_are_equal_and_one_in_place_of_a_number_is_not(self):
        quiet, payload = numpy.array([1, numpy.nan], "f4"), numpy.array([0x3f800000, 0xffc00001], "u4").view("f4")
        for outputs, code in (([quiet, payload], 0), ([quiet, numpy.array([1, 2], "f4")], 1)):
            for name, output in zip(("here", "there"), outputs):
                run = trace_files.Run()
                run.add("sqrt", [numpy.array([1, -1], "f4")], [output])
                run.write(os.path.join(self.path, name))
            document = self.compared(code=code)
            self.assertEqual(self.verdicts(document), ["parted" if code else "equal"])
            if code:
                self.assertEqual(document["operations"][0]["not_finite"], 1)

    def test_beside_a_trace_of_nothing_nothing_was_compared(self):
        self.make("here")
        trace_files.Run().write(os.path.join(self.path, "there"))
        for words in (("here", "there"), ("there", "here")):
            done = self.run_program("trace", "compare", *words, "--json", "c.json")
            self.assertEqual((done.returncode, done.stderr), (2, b""))
            self.assertIn(b"\nNothing was compared; 20 have no partner.\n", done.stdout)

    def test_of_one_and_of_two_outputs_it_is_said_how_far_each_is_off(self):
        x = numpy.float32([1, 2, 3, 4])
        for moved, says in (((1,), "1 of 4 outputs differs, by 1 ulp."), ((1, 1), "2 of 4 outputs differ, 1 ulp each."),
                            ((1, 5), "2 of 4 outputs differ, one by up to 1 ulp, the other by 5."),
                            ((1, 1, 5), "3 of 4 outputs differ, half of them by up to 1 ulp, the most by 5.")):
            for side in range(2):
                run = trace_files.Run()
                off = numpy.zeros(4, numpy.int32)
                off[:len(moved)] = numpy.multiply(moved, side)
                run.add("mine", [x], [(x.view(numpy.int32) + off).view(numpy.float32)])
                run.write(os.path.join(self.path, ("here", "there")[side]))
            self.assertIn(says, self.succeed("trace", "compare", "here", "there", code=1))

    def test_attention_without_dropout_draws_nothing(self):
        x = numpy.float32([[[[1, 2], [3, 4]]]])
        for dropout, draws in (({}, False), ({"dropout_p": 0.0}, False), ({"dropout_p": 0.5}, True)):
            for side in range(2):
                run = trace_files.Run()
                run.add("aten._scaled_dot_product_flash_attention_for_cpu.default", [x, x, x], [x + numpy.float32(side)], attributes=dropout, random=True)
                run.write(os.path.join(self.path, ("here", "there")[side]))
            self.assertEqual("it draws random numbers" in self.succeed("trace", "compare", "here", "there", code=1), draws)

    def test_a_run_that_died_is_compared_as_far_as_it_goes(self):
        self.make("here")
        run = self.make("there")
        del run.operations[13:]
        run.write(os.path.join(self.path, "there"), complete=False)
        document = self.compared()
        self.assertEqual(self.verdicts(document), ["equal"] * 13 + ["here alone"] * 7)
        for words, said in ((("here", "there"), "The trace there is incomplete"), (("there", "here"), "The trace here is incomplete"),
                            (("there", "there"), "Both traces are incomplete")):
            text = self.succeed("trace", "compare", *words, code=int(words[0] != words[1]))
            self.assertTrue(text.startswith(said), text)
            self.assertIn("of a run that did not come to its end", text)

    def test_a_single_number_that_differs_is_shown_with_both_values(self):
        one, other = numpy.float32(1e-5), numpy.float32(1e-6)
        for keep, said in ((True, f"a number of fp32, {one:.9g} here, {other:.9g} there"), (False, "a number of fp32")):
            for name, value in (("here", one), ("there", other)):
                run = trace_files.Run(keep=keep)
                run.add("jax.add", [numpy.ones(4, "f4"), numpy.array(value)], [numpy.ones(4, "f4") + value])
                run.write(os.path.join(self.path, name))
            document = self.compared()
            self.assertEqual((self.verdicts(document), document["operations"][0]["input"]), (["other inputs"], said))
            self.assertIn(f"An input differs that no recorded operation returned: {said}.", self.succeed("trace", "compare", "here", "there", code=1))

    def test_a_setting_that_a_torn_trace_has_lost_is_not_said_to_be_unset(self):
        for name, complete in (("here", True), ("there", False)):
            run = self.make(name)
            run.environment = {"threads": "2"} if complete else {"cpu": "x"}
            run.write(os.path.join(self.path, name), complete=complete)
        text = self.succeed("trace", "compare", "here", "there")
        self.assertIn("threads: 2 here, not recorded there\n", text)
        self.assertIn("cpu: not set here, x there\n", text)

    def test_a_trace_that_is_torn_off_is_read_up_to_there(self):
        """As the recorder writes it: an operation on each line, and what it knows of the run behind them."""
        document = self.make("here").document()
        lines = ",\n".join(json.dumps(line) for line in document["operations"])
        for named_first in (True, False):
            name = f'"recorder":{json.dumps(document["recorder"])}'
            head = '{"schema":"detcheck/trace/1",\n' + (name + "," if named_first else "") + '"operations":[\n'
            tail = "\n],\n" + ("" if named_first else name + ",\n") + '"environment":{"cpu":"x"},\n"left_out":[],\n"complete":true}\n'
            whole = head + lines + tail
            self.make("there")
            for cut, pairs in ((len(whole), 20), (len(whole) - 9, 20), (len(head + lines) + 9, 20), (len(head + lines) + 2, 20),
                               (len(head + lines) - 9, 19), (len(head + lines) // 2, None), (len(head) - 3, "refused")):
                self.file("there/trace.json", whole[:cut])
                if pairs == "refused":
                    self.assertIn("there/trace.json, line 2, column", self.refuse("trace", "compare", "here", "there"))
                    continue
                found = self.compared(code=0 if pairs == 20 else 1)
                self.assertEqual(found["pairs"], pairs or whole[:cut].count("\n") - 2)
                self.assertEqual(found["there"]["complete"], cut == len(whole))

    def test_an_input_that_is_overwritten_as_a_whole_is_none(self):
        for left_out, verdict in (("overwritten", "parted"), ("sparse", "unclear")):
            def edit(run, left_out=left_out):
                out = {"type": "fp32", "shape": [3, 24], "left_out": left_out}
                run.operations[1]["inputs"].append(out)

            self.make("here", edit=edit)
            self.make("there", {("layers.0.mlp", MATMULS): backwards}, edit=edit)
            self.assertEqual(self.verdicts(self.compared())[1], verdict)

    def test_what_was_not_compared_is_told_beside_what_is_equal(self):
        def edit(run):
            for tensor in run.operations[5]["outputs"]:
                del tensor["digest"], tensor["kept"]
                tensor["left_out"] = "sparse"

        for name in ("here", "there"):
            self.make(name, edit=edit)
        self.assertIn("Equal: 19 pairs of operations have the same outputs; 1 more was not compared.\n",
                      self.succeed("trace", "compare", "here", "there"))

    def test_without_digests_nothing_is_compared(self):
        def edit(run):
            for line in run.operations:
                for tensor in line["inputs"] + line["outputs"]:
                    for name in ("digest", "kept"):
                        tensor.pop(name, None)
                    tensor["left_out"] = "sparse"

        for name in ("here", "there"):
            self.make(name, edit=edit)
        self.assertIn("Nothing was compared", self.succeed("trace", "compare", "here", "there", code=2))


class PairingTest(TraceCase):

    def pairs(self, document):
        return {(row["here"], row["there"]) for row in document["operations"] if row["here_count"] and row["there_count"]}

    def test_what_was_put_in_has_no_partner_and_all_others_have_theirs(self):
        generator = random.Random(os.environ.get("SEED", "7"))
        for turn in range(200 if harness.EXHAUSTIVE else 4):
            with self.subTest(turn=turn):
                runs = [self.make(name) for name in ("here", "there")]
                truth = [list(range(20)), list(range(20))]
                for side, run in enumerate(runs):
                    for _ in range(generator.randrange(4)):
                        place = generator.randrange(len(run.operations) + 1)
                        extra = trace_files.Run(keep=False)
                        extra.add(f"extra{side}", [numpy.float32([place])], [numpy.float32([generator.random()])])
                        run.operations[place:place] = extra.operations
                        truth[side].insert(place, None)
                    run.write(os.path.join(self.path, ("here", "there")[side]))
                document = self.compared(code=0 if len(truth[0]) + len(truth[1]) == 40 else 1)
                self.assertEqual(self.pairs(document), {(truth[0].index(i), truth[1].index(i)) for i in range(20)})
                self.assertEqual(document["verdicts"].get("here alone", 0), truth[0].count(None))
                self.assertEqual(document["verdicts"].get("there alone", 0), truth[1].count(None))

    def test_what_has_no_partner_is_named_before_the_first_that_parted_or_has_other_inputs(self):
        x, y = numpy.float32([[1, 2]]), numpy.float32([[3, 4]])
        for name, given, first in (("parted", x, "First to part"), ("other inputs", y, "First with other inputs")):
            for side in range(2):
                run = trace_files.Run()
                run.add("mul", [x], [x * 2], path="up")
                if side:
                    run.add("cast", [x * 2], [x * 3], path="put.in")
                run.add("add", [given if side else x], [x * (5 + side)], path="down")
                run.write(os.path.join(self.path, ("here", "there")[side]))
            with self.subTest(first=name):
                text = self.succeed("trace", "compare", "here", "there", code=1)
                self.assertRegex(text, f"(?s)^{first}: down, add.*\nBefore it, 1 operation has no partner, and 0 have other inputs; "
                                       "the first of these: put.in, cast")

    def test_what_was_moved_is_found_by_its_inputs(self):
        self.make("here")

        def edit(run):
            run.operations.insert(2, run.operations.pop(13))
            for number, line in enumerate(run.operations):
                line["path"] = f"other.{number}"

        self.make("there", edit=edit)
        document = self.compared(code=0)
        expected = [i for i in range(20) if i != 13]
        expected.insert(2, 13)
        self.assertEqual(self.pairs(document), {(here, there) for there, here in enumerate(expected)})
        self.assertEqual(document["moved"], 1)

    def test_independent_operations_of_one_place_in_another_order_are_no_difference(self):
        """Known by attributes, or by inputs; also where what comes before has parted."""
        x = numpy.arange(1, 13, dtype="f4")
        for step in (0, 1):
            for orders in (((2, 5), (5, 2)), ((2, 5, 7), (7, 2, 5)), ((2, 5, 2), (5, 2, 2))):
                for name, order in zip(("here", "there"), orders):
                    run = trace_files.Run()
                    h = run.add("exp", [x], [x + numpy.float32(step if name == "there" else 0)], path="a")
                    made = {}
                    for factor in order:
                        made[factor] = run.add("mul", [h], [h * numpy.float32(factor)], path="a", attributes={"other": factor})
                    for factor in order:
                        run.add("add", [h, made[factor]], [h + made[factor]], path="b")
                    run.write(os.path.join(self.path, name))
                document = self.compared(code=step)
                self.assertEqual([row["attributes"] for row in document["operations"] if row.get("attributes")], [])
                self.assertEqual(document["verdicts"].get("parted", 0), step)
                self.assertEqual(document["verdicts"].get("other inputs", 0), 0)

    def test_an_operation_stands_beside_the_run_that_does_the_same(self):
        """here one gelu, there the steps of it, and the other way round."""
        x = numpy.random.default_rng(3).standard_normal((4, 5)).astype("f4")
        one, steps = trace_files.Run(), trace_files.Run()
        for run in (one, steps):
            h = run.add("linear", [x], [x * 2], path="up")
            if run is one:
                h = run.add("gelu", [h], [h * numpy.float32(.5) * (1 + numpy.tanh(h))], path="act")
            else:
                t = run.add("tanh", [h], [numpy.tanh(h)], path="act")
                t = run.add("add", [t], [1 + t], path="act")
                h = run.add("mul", [t, h], [numpy.nextafter(h * numpy.float32(.5) * t, numpy.float32(9))], path="act")
            run.add("linear", [h], [h * 3], path="down")
        for names in (("here", "there"), ("there", "here")):
            one.write(os.path.join(self.path, names[0]))
            steps.write(os.path.join(self.path, names[1]))
            rows = self.compared()["operations"]
            self.assertEqual([row["verdict"] for row in rows], ["equal", "parted", "followed"])
            counts = rows[1]["here_count"], rows[1]["there_count"]
            self.assertEqual(counts, (1, 3) if names[0] == "here" else (3, 1))

    def test_operations_of_two_names_pair_where_they_give_the_same_alone(self):
        x = numpy.arange(1, 13, dtype="f4")
        for same in (True, False):
            for name in ("here", "there"):
                run = trace_files.Run()
                h = run.add("exp", [x], [x + 3], path="a")
                run.add("plus" if name == "here" else "minus", [h], [h + numpy.float32(1 if name == "here" or same else 2)], path="a")
                run.write(os.path.join(self.path, name))
            self.assertEqual(self.verdicts(self.compared(code=0 if same else 1)), ["equal", "equal"] if same else ["equal", "here alone", "there alone"])

    def test_a_run_with_an_input_that_parted_before_does_not_part(self):
        """The one operation takes two tensors, of which one parted; the steps there take the other one and a number."""
        x, number = numpy.arange(1, 13, dtype="f4"), numpy.float32([2])
        for name in ("here", "there"):
            run = trace_files.Run()
            h = run.add("exp", [x], [x + numpy.float32(3 if name == "here" else 4)], path="a")
            if name == "here":
                run.add("fused", [x, h], [x - 7], path="b")
            else:
                t = run.add("step", [x, number], [x * 5], path="b")
                run.add("end", [t], [x - 8], path="b")
            run.write(os.path.join(self.path, name))
        self.assertEqual(self.verdicts(self.compared()), ["parted", "followed"])

    def test_a_run_ends_where_all_inputs_have_come_in(self):
        """Attention: the query, which is scaled first, has the shape of what it gives; behind it comes what the other side has not."""
        q = numpy.random.default_rng(4).standard_normal((4, 6)).astype("f4")
        k, v = numpy.random.default_rng(5).standard_normal((2, 6, 6)).astype("f4")
        one, steps = trace_files.Run(), trace_files.Run()
        given = softmax(q * 2 @ k) @ v
        for run in (one, steps):
            if run is one:
                given = run.add("attention", [q, k, v], [given])
                run.add("squeeze", [given + 1], [given.reshape(-1)])
            else:
                scaled = run.add("mul", [q], [q * 2])
                shares = run.add("softmax", [run.add("matmul", [scaled, k], [scaled @ k])], [softmax(scaled @ k)])
                given = run.add("matmul", [shares, v], [numpy.nextafter(given, numpy.float32(9))])
                run.add("clone", [given], [given])
        for names in (("here", "there"), ("there", "here")):
            one.write(os.path.join(self.path, names[0]))
            steps.write(os.path.join(self.path, names[1]))
            rows = [row for row in self.compared()["operations"] if row["verdict"] == "parted"]
            self.assertEqual([row["largest"] for row in rows], [1])
            self.assertEqual({rows[0]["here_count"], rows[0]["there_count"]}, {1, 4})

    def test_long_runs_with_many_changes_pair_in_their_order(self):
        """More than a window of Myers' algorithm: every fifth operation is another one there."""
        runs = [trace_files.Run(False), trace_files.Run(False)]
        x = numpy.float32([1])
        for number in range(LONG):
            for side, run in enumerate(runs):
                name = f"op{number % 7}" if number % 5 or not side else "other"
                if number % 11 or side:
                    run.add(name, [x + number], [x - number], path=f"layer.{number // 100}")
        for side, run in enumerate(runs):
            run.write(os.path.join(self.path, ("here", "there")[side]))
        document = self.compared()
        truth = [[n for n in range(LONG) if n % 11], list(range(LONG))]
        wrong = [pair for pair in self.pairs(document) if truth[0][pair[0]] != truth[1][pair[1]]]
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(len(self.pairs(document)), sum(1 for n in range(LONG) if n % 11 and n % 5))


class ShowTest(TraceCase):

    def test_a_trace_and_one_of_its_operations(self):
        run = self.make("here", threads="2")
        text = self.succeed("trace", "show", "here")
        self.assert_holds(text, "20 operations, 55 tensors", "threads: 2", "        5          1  linear")
        text = self.succeed("trace", "show", "here", "4")
        self.assert_holds(text, "operation 4  norm  layers.1.norm  model.py:11", "eps = 1e-06", run.operations[4]["outputs"][0]["digest"])
        self.assertEqual(self.succeed("trace", "show", "here", "layers.1.norm"), text)
        self.assertEqual(self.succeed("trace", "show", "here", "norm").count("operation "), 5)
        self.assertIn("no operation 20; it has 20, from 0", self.refuse("trace", "show", "here", "20"))


class RecordTest(TraceCase):

    def python(self, body):
        path = self.file("python", "#!/bin/sh\n" + body)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return {"DETCHECK_PYTHON": path}

    def test_the_command_goes_to_the_package(self):
        env = self.python('shift 3; printf "%s\\n" "$@"')  # -c, what Python runs, and what it calls the command
        said = self.succeed("trace", "record", "-o", "t", "--keep", "all", "--", "python", "a.py", "--x", env=env)
        self.assertEqual(said.split(), "trace record -o t --keep all -- python a.py --x".split())

    def test_without_python_or_the_package_one_line_says_so(self):
        self.assertIn("cannot be run", self.refuse("trace", "record", "-o", "t", "--", "true", env={"DETCHECK_PYTHON": "/no/python"}))
        env = {"DETCHECK_PYTHON": sys.executable, "PYTHONPATH": "", "PYTHONNOUSERSITE": "1"}
        self.assertIn("needs the package detcheck of Python", self.refuse("trace", "record", "-o", "t", "--", "true", env=env))
        self.assertIn("needs a folder and a command", self.refuse("trace", "record", "--", "true"))


class HostileTest(TraceCase):
    """What is no trace: one line, exit 2."""

    PLACES = [
        ("schema", "detcheck/trace/2", "its schema should be detcheck/trace/1"),
        ("operations", {}, "operations should be an array"),
        ("complete", 1, "complete should be true or false"),
        ("environment", {"a": 1}, "environment.a should be a string"),
        ("left_out", [{"what": "x", "count": -1}], "left_out[0].count should be a whole number"),
    ]
    TENSORS = [
        ("digest", "00", "operations[3].inputs[1].digest should be 32 hexadecimal digits"),
        ("digest", "G" * 32, "should be 32 hexadecimal digits"),
        ("kept", "../../etc:x", "kept should be the number of a file"),
        ("kept", "1/../2:x", "kept should be the number of a file"),
        ("kept", "99999999999999:x", "kept should be the number of a file"),
        ("shape", [2 ** 53, 2 ** 53], "shape is of more elements than any file"),
        ("shape", [-1], "shape should be up to 64 whole numbers"),
        ("shape", [1] * 65, "shape should be up to 64 whole numbers"),
        ("shape", [1.5], "shape should be up to 64 whole numbers"),
        ("type", None, "type should be a string"),
    ]

    def test_each_mistake_is_named_with_its_place(self):
        run = self.make("here")
        for name, value, says in self.PLACES:
            run.write(os.path.join(self.path, "there"), **{name: value})
            self.assertIn(says, self.refuse("trace", "compare", "here", "there"))
        for name, value, says in self.TENSORS:
            run = self.make("there")
            run.operations[3]["inputs"][1][name] = value
            run.write(os.path.join(self.path, "there"))
            self.assertIn(says, self.refuse("trace", "compare", "here", "there"))
        self.assertIn("cannot read", self.refuse("trace", "compare", "here", "nowhere"))
        self.file("plain")
        self.assertIn("a trace is a folder", self.refuse("trace", "compare", "here", "plain"))

    def test_what_is_no_regular_file_is_not_waited_for(self):
        self.make("here")
        for name, make in (("pipe", os.mkfifo), ("folder", os.mkdir)):
            os.mkdir(os.path.join(self.path, name))
            make(os.path.join(self.path, name, "trace.json"))
            done = self.run_program("trace", "compare", "here", name)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertEqual(done.stderr.decode(), f"detcheck: {name}/trace.json is not a regular file\n")

    def test_tensors_are_looked_for_in_the_folder_alone(self):
        self.make("here")
        self.make("there", {("layers.0.mlp", MATMULS): backwards})
        tensors = os.path.join(self.path, "there", "tensors")
        shutil.move(os.path.join(tensors, "1.safetensors"), os.path.join(self.path, "secret"))
        os.symlink(os.path.join(self.path, "secret"), os.path.join(tensors, "1.safetensors"))
        self.assertIn("is not a file inside the trace", self.refuse("trace", "compare", "here", "there"))
        shutil.move(tensors, os.path.join(self.path, "elsewhere"))
        os.symlink(os.path.join(self.path, "elsewhere"), tensors)
        self.assertIn("is not a folder inside the trace", self.refuse("trace", "compare", "here", "there"))

    def test_a_file_of_tensors_that_is_another_one_is_told(self):
        self.make("here")
        run = self.make("there", {("layers.0.mlp", MATMULS): backwards})
        run.files[1] = [(name, kind, (shape[1], shape[0]), codes) if name == "output.0" else (name, kind, shape, codes)
                        for name, kind, shape, codes in run.files[1]]
        run.write(os.path.join(self.path, "there"))
        self.assertIn("is 24x3 of fp32, and trace.json says 3x24 fp32", self.refuse("trace", "compare", "here", "there"))

    def test_changed_elements_are_told_with_their_file_and_name(self):
        """One bit of one kept tensor that is read; what is not read may be anything."""
        self.make("here")
        there = self.make("there", {("layers.0.mlp", MATMULS): backwards})
        for number, name, refused in ((0, "output.0", True), (1, "input.1", True), (1, "output.0", True), (5, "input.1", False)):
            with self.subTest(number=number, name=name):
                kept = [(title, kind, shape, [codes[0] ^ 1, *codes[1:]] if title == name else codes)
                        for title, kind, shape, codes in there.files[number]]
                self.assertNotEqual(kept, there.files[number])
                path = os.path.join(self.path, "there", "tensors", f"{number}.safetensors")
                with open(path, "rb") as stream:
                    before = stream.read()
                with open(path, "wb") as stream:
                    stream.write(tensor_files.safetensors(kept))
                if refused:
                    self.assertIn(f"there/tensors/{number}.safetensors: the elements of '{name}' do not match their digest",
                                  self.refuse("trace", "compare", "here", "there", "--json", "c.json"))
                    self.assertFalse(os.path.exists(os.path.join(self.path, "c.json")))
                else:
                    self.succeed("trace", "compare", "here", "there", code=1)
                with open(path, "wb") as stream:
                    stream.write(before)

    def mutate_header(self, generator, data):
        """One member of a tensor's line says something else: shapes that are huge, data that overlap, other types and names."""
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8:8 + length])
        name = generator.choice([key for key in header if key != "__metadata__"])
        begin, end = header[name]["data_offsets"]
        extents = header[name]["shape"]
        member, value = generator.choice([
            ("shape", [2 ** 32] * 2), ("shape", [2 ** 63, 2]), ("shape", [0, *extents]), ("shape", [*extents[1:], -1]), ("shape", extents[::-1]),
            ("shape", [1] * 65), ("shape", None), ("dtype", "F64"), ("dtype", "BF16"), ("dtype", "I32"), ("dtype", "F4"), ("dtype", 7),
            ("data_offsets", [end, begin]), ("data_offsets", [begin, 2 ** 63]), ("data_offsets", [begin, end - 4]), ("data_offsets", [0, end]),
            ("data_offsets", [begin - 4, end]), ("data_offsets", [begin]), ("data_offsets", [2 ** 64, 2 ** 64])])
        header[name][member] = value
        if generator.random() < .2:
            header[generator.choice(["input.9", "../x", "", "__metadata__", name + "\0"])] = header.pop(name)
        text = json.dumps(header).encode()
        return len(text).to_bytes(8, "little") + text + data[8 + length:]

    def mutate(self, generator, folder):
        """One change to one file of a trace: of its bytes, or of a value of its JSON."""
        names = ["trace.json"] * 3 + [os.path.join("tensors", name) for name in os.listdir(os.path.join(folder, "tensors"))]
        path = os.path.join(folder, generator.choice(names))
        with open(path, "rb") as stream:
            data = bytearray(stream.read())
        if path.endswith("json") and generator.random() < .6:
            document = json.loads(data)
            line = generator.choice(document["operations"])
            tensor = generator.choice(line["inputs"] + line["outputs"])
            value = generator.choice([None, -1, 0, 1e308, 2 ** 53, 2 ** 64, "", "0" * 32, "0:output.0", "7:../x", [], {}, True, [2 ** 40] * 3,
                                      "fp64", [[]] * 3, {"a": {}}, "\u202e"])
            target = generator.choice([document, line, tensor, line.get("attributes", {})])
            target[generator.choice(list(target) or ["x"])] = value
            data = json.dumps(document).encode()
            if generator.random() < .05:
                data = data.replace(b'"inputs": [', b'"inputs": ' + b"[" * generator.choice([900, 100000]), 1)
        elif path.endswith("safetensors") and generator.random() < .6:
            data = self.mutate_header(generator, data)
        elif generator.random() < .3:
            del data[generator.randrange(len(data)):]
        else:
            for _ in range(generator.randrange(1, 4)):
                place = generator.randrange(min(len(data), generator.choice([16, 300, 10 ** 6])))
                data[place] = generator.choice([0, 255, 34, 48, 57, 91, 93, 123, data[place] ^ 1 << generator.randrange(8)])
        with open(path, "wb") as stream:
            stream.write(data)

    def mutated(self, count):
        generator = random.Random(int(os.environ.get("SEED", "11")))
        self.make("here")
        self.make("whole", {("layers.0.mlp", MATMULS): backwards, ("layers.3", "add"): lambda a, b: a - b})
        refused = 0
        for number in range(count):
            with self.subTest(number=number):
                shutil.rmtree(os.path.join(self.path, "there"), ignore_errors=True)
                shutil.copytree(os.path.join(self.path, "whole"), os.path.join(self.path, "there"))
                self.mutate(generator, os.path.join(self.path, "there"))
                done = self.run_program("trace", "compare", *generator.choice((("here", "there"), ("there", "here"))),
                                        "--json", "out.json")
                complaint = done.stderr.decode(errors="replace")
                self.assertIn(done.returncode, (0, 1, 2), complaint)
                if done.returncode == 2 and b"Nothing was compared" not in done.stdout:
                    refused += 1
                    self.assertEqual((complaint.count("\n"), complaint[:10]), (1, "detcheck: "))
                    self.assertEqual(done.stdout, b"")
                    self.assertFalse(os.path.exists(os.path.join(self.path, "out.json")))
                else:
                    self.assertEqual(complaint, "")
                    os.remove(os.path.join(self.path, "out.json"))
        self.assertGreater(refused, count // 4)

    def test_changed_traces_are_refused_in_one_line_or_read(self):
        self.mutated(12)

    def slow_ten_thousand_changed_traces(self):
        self.mutated(int(os.environ.get("CASES", "10000")))


if __name__ == "__main__":
    unittest.main()
