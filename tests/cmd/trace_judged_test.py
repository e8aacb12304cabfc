"""What the exact oracle says of attention, convolutions and norms of channels in two traces, held against sums of fractions and
functions in fp64; and of how many outputs it says it, where judging all would take too long."""

import itertools
import json
import math
import os
import resource
import subprocess
import tempfile
import unittest
from fractions import Fraction

import harness
import planted_traces
import trace_files
from planted_traces import F, numpy

D = numpy.float64
ATTENTION, NAMES = "aten._scaled_dot_product_flash_attention_for_cpu.default", ["query", "key", "value", "attn_mask"]


def draw(*shape, seed=3):
    return F(numpy.random.default_rng(seed + sum(shape)).standard_normal(shape))


def attention(q, k, v, mask=None, is_causal=False):
    """In fp64, with groups of heads; a key that is hidden is left out, whatever it is."""
    y = numpy.zeros(q.shape, D)
    scale = D(F(1 / math.sqrt(q.shape[3])))
    for b, h, i in itertools.product(*map(range, q.shape[:3])):
        g = h // (q.shape[1] // k.shape[1])
        seen = i + 1 if is_causal else k.shape[2]
        s = D(k[b, g, :seen]) @ D(q[b, h, i]) * scale + (0 if mask is None else D(mask[i, :seen]))
        kept = ~numpy.isneginf(s)
        e = numpy.exp(s[kept] - s[kept].max()) if kept.any() else s[kept]
        y[b, h, i] = e @ D(v[b, g, :seen][kept]) / e.sum() if kept.any() else 0
    return y


def convolution(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Fractions, summed, as fp64: no result here lies near a half of fp32."""
    samples, outputs, each = x.shape[0], w.shape[0], w.shape[1]
    padded = numpy.pad(x, [(0, 0), (0, 0)] + [(padding, padding)] * (x.ndim - 2))
    sides = [(have - (taps - 1) * dilation - 1) // stride + 1 for have, taps in zip(padded.shape[2:], w.shape[2:])]
    y = numpy.zeros((samples, outputs, *sides), D)
    for place in itertools.product(range(samples), range(outputs), *map(range, sides)):
        group = place[1] // (outputs // groups)
        total = Fraction(float(bias[place[1]])) if bias is not None else Fraction(0)
        for tap in itertools.product(range(each), *map(range, w.shape[2:])):
            at = [where * stride + step * dilation for where, step in zip(place[2:], tap[1:])]
            total += Fraction(float(w[(place[1], *tap)])) * Fraction(float(padded[(place[0], group * each + tap[0], *at)]))
        y[place] = float(total)
    return y


def normed(x, axes, weight, bias, sides):
    m = D(x).mean(axes, keepdims=True)
    v = ((D(x) - m) ** 2).mean(axes, keepdims=True)
    return (D(x) - m) / numpy.sqrt(v + D(F(1e-5))) * D(weight).reshape(sides) + D(bias).reshape(sides)


def groups(x, weight, bias, group):
    n, c, *spots = x.shape
    y = normed(x.reshape(n, group, -1), (2,), [1], [0], (1,)).reshape(x.shape)
    return y * D(weight).reshape(1, c, *[1] * len(spots)) + D(bias).reshape(1, c, *[1] * len(spots))


def batch(x, weight, bias):
    return normed(x, (0, *range(2, x.ndim)), weight, bias, (1, -1, *[1] * (x.ndim - 2)))


class JudgedTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def traces(self, name, inputs, outputs, attributes=None, names=()):
        places = []
        for side in range(2):
            trace = planted_traces.Trace(os.path.join(self.folder, str(side)), "torch")
            trace.add(name, inputs, outputs[side], attributes=attributes, names=names)
            places.append(trace.write())
        return places

    def compared(self, places, *words):
        run = subprocess.run([harness.PROGRAM, "trace", "compare", *places, *words], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        return run.stdout

    def judged(self, places, *words):
        row, = json.loads(self.compared(places, "--json", "-", *words))["operations"]
        self.assertEqual(row["verdict"], "parted")
        return row["judgement"]

    def hold(self, name, inputs, exact, attributes=None, names=()):
        """Both sides are off in outputs of their own; figures of those that differ are counted here, too."""
        right = F(exact)
        here, there = (numpy.where(numpy.random.default_rng(side).random(right.shape) < 0.4, numpy.nextafter(right, F(way)), right)
                       for side, way in ((1, 9), (2, -9)))
        differ = here != there
        expected = [int(differ.sum()), *(int((differ & (side != right)).sum()) for side in (here, there))]
        expected += [int((abs(one - exact) < abs(other - exact))[differ].sum()) for one, other in ((D(here), D(there)), (D(there), D(here)))]
        found = self.judged(self.traces(name, inputs, (here, there), attributes, names))
        self.assertEqual(found["differ"], expected[0], found)
        self.assertEqual([found[key] for key in ("outputs", "wrong_here", "wrong_there", "nearer_here", "nearer_there")], expected, found)

    def test_queries_of_attention(self):
        q, k, v = draw(2, 4, 6, 8), draw(2, 2, 6, 8), draw(2, 2, 6, 8, seed=4)
        self.hold(ATTENTION, [q, k, v], attention(q, k, v), None, NAMES)
        self.hold(ATTENTION, [q, k, v], attention(q, k, v, is_causal=True), {"is_causal": True}, NAMES)
        mask = numpy.where(draw(6, 6) > 0.5, F(-math.inf), draw(6, 6))
        mask[2] = -math.inf  # which has no key
        self.hold(ATTENTION, [q, k, v, mask], attention(q, k, v, mask), None, NAMES)

    def test_a_causal_query_does_not_see_what_comes_later(self):
        q, k, v = draw(1, 1, 5, 4), draw(1, 1, 5, 4), draw(1, 1, 5, 4, seed=4)
        k[0, 0, 3], v[0, 0, 4] = math.nan, math.inf
        exact = attention(q, k, v, is_causal=True)
        here, there = F(exact), F(exact)
        there[0, 0, :3] = numpy.nextafter(there[0, 0, :3], F(9))
        found = self.judged(self.traces(ATTENTION, [q, k, v], (here, there), {"is_causal": True}, NAMES))
        self.assertEqual([found[key] for key in ("outputs", "wrong_here", "wrong_there")], [12, 0, 12])

    def test_outputs_of_convolutions(self):
        for x, w, bias, asked in ((draw(2, 4, 9), draw(6, 4, 3), draw(6), {}),
                                  (draw(1, 4, 7, 6), draw(4, 2, 3, 2), None, {"stride": 2, "padding": 1, "groups": 2}),
                                  (draw(2, 2, 8, 8), draw(4, 1, 3, 3), draw(4), {"padding": 2, "dilation": 2, "groups": 2})):
            given = {key: [value] * (x.ndim - 2) if key != "groups" else value for key, value in asked.items()}
            self.hold("aten.convolution.default", [x, w] + ([bias] if bias is not None else []),
                      convolution(x, w, bias, **asked), {"transposed": False, **given}, ["input", "weight", "bias"])

    def test_an_order_of_a_convolution_is_found(self):
        """Sums from the left and from the right of a convolution of one tap, which is a product of matrices."""
        x, w = draw(1, 24, 8), draw(3, 24, 1)
        sides = [F(step(w[:, :, 0], x[0]))[None] for step in (planted_traces.from_the_left, planted_traces.from_the_right)]
        found = self.judged(self.traces("aten.convolution.default", [x, w], sides, {"transposed": False, "stride": [1], "padding": [0]},
                                        ["input", "weight"]))
        self.assertEqual(found["cause"], "both-sides")
        self.assertRegex(found["says"], "here makes one sum from the left, .* there makes one sum from the right, .*all 24 outputs")

    def test_groups_and_channels_of_norms(self):
        for name, x, exact, attributes in (("aten.native_group_norm.default", draw(3, 6, 7), lambda *given: groups(*given, 2), {"group": 2}),
                                           ("aten.native_batch_norm.default", draw(2, 4, 3, 5), batch, {"training": True})):
            weight, bias = draw(x.shape[1]), draw(x.shape[1], seed=5)
            self.hold(name, [x, weight, bias], exact(x, weight, bias), {**attributes, "eps": 1e-5}, ["input", "weight", "bias"])

    def test_norms_of_onnx_are_known_by_places_as_their_operands_have_the_names_of_the_graph(self):
        x, weight, bias = draw(6, 32), draw(32), draw(32, seed=5)
        away = D(x) - D(x).mean(-1, keepdims=True)
        scaled = D(x) / numpy.sqrt((D(x) ** 2).mean(-1, keepdims=True) + D(F(1e-5))) * D(weight)
        layer = away / numpy.sqrt((away ** 2).mean(-1, keepdims=True) + D(F(1e-5))) * D(weight) + D(bias)
        for name, exact, operands in (("onnx.LayerNormalization", layer, [weight, bias]), ("onnx.RMSNormalization", scaled, [weight])):
            self.hold(name, [x, *operands], exact, {"axis": -1, "epsilon": float(F(1e-5))}, ["tokens", "gamma", "beta"])

    def test_one_operation_beside_several_is_judged_as_the_one(self):
        """A product and a sum behind it, and a runtime's one operation for both, whose sum begins with what is added."""
        x, w, c = draw(4, 32), draw(32, 6), draw(6)
        product = planted_traces.from_the_left(x, w)
        sides = [F(product + c), planted_traces.products(x, w, start=numpy.broadcast_to(c, (4, 6)))]
        exact = numpy.array([[float(sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, column)), Fraction(float(more))))
                              for column, more in zip(w.T, c)] for row in x])
        differ = sides[0] != sides[1]
        for order in (0, 1):
            places = []
            for side in (order, 1 - order):
                trace = planted_traces.Trace(os.path.join(self.folder, f"{order}.{side}"), "onnxruntime")
                if side:
                    trace.add("onnx.Gemm", [x, w, c], sides[1], "fused")
                else:
                    trace.add("onnx.MatMul", [x, w], product, "dense")
                    trace.add("onnx.Add", [product, c], sides[0], "bias")
                places.append(trace.write())
            found = self.judged(places)
            self.assertEqual(found["outputs"], int(differ.sum()))
            self.assertEqual([found["wrong_here"], found["wrong_there"]],
                             [int((differ & (sides[side] != F(exact))).sum()) for side in (order, 1 - order)])
            self.assertEqual((found["operation"], found["cause"]), ("matmul", "both-sides"))
            self.assertRegex(found["cause_there" if order else "cause_here"], "one sum from the left, in fp32, with rounded products, then c")
            self.assertRegex(found["cause_here" if order else "cause_there"], "one sum from the left, in fp32, with rounded products, onto c")
            self.assertIn("Compared with exact results, as one matmul: of all ", self.compared(places))

    def large(self):
        """Attention of 4,096 queries and keys, where every output differs: there all are off by an ulp, but the first, which is right there
        and not here, and one that is far off."""
        q, k, v = draw(1, 1, 4096, 4), draw(1, 1, 4096, 4, seed=5), draw(1, 1, 4096, 4, seed=6)
        s = D(q[0, 0]) @ D(k[0, 0]).T * D(F(0.5))
        e = numpy.exp(s - s.max(-1, keepdims=True))
        here = F(e @ D(v[0, 0]) / e.sum(-1, keepdims=True))[None, None]
        there = numpy.nextafter(here, F(9))
        there[0, 0, 0, 0], here[0, 0, 0, 0] = here[0, 0, 0, 0], there[0, 0, 0, 0]
        there[0, 0, 2345, 3] = 100
        return self.traces(ATTENTION, [q, k, v], (here, there), None, NAMES)

    def test_of_many_outputs_some_are_judged_and_it_is_said_how_many(self):
        places = self.large()
        page, document = (os.path.join(self.folder, name) for name in ("page.html", "c.json"))
        text = self.compared(places, "--json", document, "--page", page)
        with open(document, encoding="utf-8") as stream:
            found = json.load(stream)["operations"][0]["judgement"]
        self.assertEqual(found["differ"], 4096 * 4)
        self.assertTrue(200 < found["outputs"] < 4096, found)
        self.assertEqual((found["wrong_here"], found["wrong_there"]), (1, found["outputs"] - 1))
        self.assertGreater(found["error_there"], 1e6)
        says = f"of {found['outputs']:,} judged outputs, among 16,384 that differ, 1 is wrong here and {found['wrong_there']:,} there."
        self.assertIn(f"Compared with exact results: {says}", text)
        with open(page, encoding="utf-8") as stream:
            self.assertIn(says, stream.read())

    def slow_the_same_are_drawn_again_and_all_are_judged_if_asked_for(self):
        places = self.large()
        figures = [self.judged(places)["outputs"] for _ in range(2)]
        self.assertEqual(figures[0], figures[1])
        found = self.judged(places, "--judge", "all")
        self.assertEqual((found["outputs"], found["differ"], found["wrong_here"], found["wrong_there"]), (16384, 16384, 1, 16383))

    def test_one_output_is_and_two_are_not_finite(self):
        x = draw(8)
        for count, says in ((1, "; 1 is NaN or infinite on one side."), (2, "; 2 are NaN or infinite on one side.")):
            there = F(numpy.exp(D(x)))
            there[:count] = numpy.nan
            self.assertIn(says, self.compared(self.traces("aten.exp.default", [x], (F(numpy.exp(D(x))), there))))

    def slow_many_rows_that_part_take_no_longer_than_is_given_to_all(self):
        """Two ways of exp, thousands of times: the first are judged, and of the others is said that they are not."""
        with tempfile.TemporaryDirectory() as folder:
            places = [os.path.join(folder, side) for side in ("here", "there")]
            for side, place in enumerate(places):
                run, draw = trace_files.Run(), numpy.random.default_rng(1)
                for number in range(4000):
                    x = F(draw.standard_normal(64))
                    run.add("aten.exp.default", [x], [numpy.nextafter(numpy.exp(x), F(99 * side))], path=f"layers.{number}")
                run.write(place, recorder="torch")
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = subprocess.run([harness.PROGRAM, "trace", "compare", *places, "--json", "-"], capture_output=True, text=True, check=False)
            spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        rows = json.loads(done.stdout)["operations"]
        told = [row["judgement"].get("not_judged", "") for row in rows]
        first = told.index("the time for judging was spent on rows before it; --judge all judges it, too")
        self.assertEqual((len(rows), {row["verdict"] for row in rows}, set(told[:first]), len(set(told[first:]))), (4000, {"parted"}, {""}, 1))
        self.assertTrue(first > 20 and spent < 60, (first, spent))
        self.assertTrue(all("command" in row["judgement"] for row in rows))

    def test_how_many_is_a_word(self):
        run = subprocess.run([harness.PROGRAM, "trace", "compare", "a", "b", "--judge", "few"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (2, "detcheck: --judge is some or all, not 'few'\n"))


if __name__ == "__main__":
    unittest.main()
