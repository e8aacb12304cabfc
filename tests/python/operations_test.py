"""Scaled, dyadic and MX operations in Python (detcheck.scaled, .dyadic, .mx): on trial by the program's oracle, beside det;
against fractions where the program asks nothing; what out=, threads= and strides change; bad arguments."""

import fractions
import math
import pathlib
import re
import unittest
import unittest.mock

import with_numpy

import numpy as np

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

import detcheck
from detcheck import dyadic, mx, scaled
from detcheck._functions import shared


def one(function, **options):
    return lambda x, scale: function((x, scale), **options)


def two(function, **options):
    return lambda x, x_scale, y, y_scale: function((x, x_scale), (y, y_scale), **options)


def with_scale(function):
    """Scales of dyadic numbers as the array that the program reads."""
    return lambda *operands: tuple(np.int32(result) if isinstance(result, int) else result for result in function(*operands))


def requantised(**options):
    return lambda x, multiplier, shift, zero, rounding: detcheck.requantise(
        x, *(int(one[0]) for one in (multiplier, shift, zero)), rounding=rounding, **options)


def step(weights, velocities, gradients):
    weights, velocities, gradients = (x.astype(np.int32) for x in (weights, velocities, gradients))
    dyadic.step((weights, 3), velocities, (gradients, 5), lr_shift=2, momentum_shift=1, clip=100)
    return weights, velocities


MATRIX = {"shape": "4x6"}
# Operation, function, options of the program.
TRIALS = [
    *((f"scaled.{name}", two(getattr(scaled, name)), MATRIX) for name in (
        "add sub mul div max min step div_gradient relu_gradient sigmoid_gradient tanh_gradient gelu_gradient exp_gradient softmax_gradient").split()),
    *((f"scaled.{name}", one(getattr(scaled, name)), MATRIX) for name in (
        "relu gelu exp log sigmoid tanh cast rebalance softmax").split()),
    *((f"scaled.{name}", one(getattr(scaled, name), axis=1, keepdims=True), {**MATRIX, "axis": 1}) for name in "sum mean reduce_max".split()),
    *((f"scaled.{name}", one(getattr(scaled, name)), {"shape": "24"}) for name in "sum mean reduce_max".split()),
    ("scaled.add", two(scaled.add), {**MATRIX, "scale": "power", "format": "bf16", "scales": "4x2"}),
    ("scaled.exp", one(scaled.exp, compute="auto"), {**MATRIX, "compute": "auto"}),
    ("scaled.cast", one(scaled.cast, to="fp8_e4m3fn", profile="saturate"), {**MATRIX, "to": "fp8_e4m3fn", "profile": "saturate"}),
    ("scaled.rebalance", one(scaled.rebalance, by="squares", to="fp8_e5m2"), {**MATRIX, "by": "squares", "to": "fp8_e5m2"}),
    ("scaled.rebalance", one(scaled.rebalance, margin=2, to="fp8_e5m2"), {**MATRIX, "margin": 2, "to": "fp8_e5m2"}),
    ("scaled.rescale", lambda x, x_scale, y, y_scale: scaled.rescale((x, x_scale), y_scale), MATRIX),
    ("scaled.reduce_max_gradient", two(scaled.reduce_max_gradient, axis=1), {**MATRIX, "axis": 1}),
    ("scaled.matmul", two(scaled.matmul, threads=3), {"shape": "2x4x6", "second_shape": "6x3", "scales": "4x2"}),
    ("scaled.matmul", two(scaled.matmul, static="one"), {"shape": "4x6", "second_shape": "6x3", "static": "one"}),
    ("scaled.matmul", two(scaled.matmul, static=3.5), {"shape": "4x6", "second_shape": "6x3", "static": "3.5"}),
    ("scaled.matmul", two(scaled.matmul, static="measured", to="fp8_e4m3fn", threads=3), {
        "shape": "40x6", "second_shape": "6x3", "scales": "4x1", "static": "measured", "to": "fp8_e4m3fn", "distribution": "apart"}),
    ("scaled.convolution", two(scaled.convolution, stride=2, padding=1), {"shape": "2x4x6", "second_shape": "3x4x2", "stride": 2, "padding": 1}),
    ("scaled.convolution", two(scaled.convolution, groups=2, static="one", to="fp32"), {
        "shape": "2x4x6x3", "second_shape": "2x2x2x2", "groups": 2, "static": "one", "to": "fp32", "scales": "2x4x1x1", "second_scales": "2x1x1x1"}),
    *((f"scaled.{name}_gradient", two(getattr(scaled, f"{name}_gradient"), of=of, shape=(shape, other)[of == "second"], **more),
       {"of": of, "shape": "x".join(map(str, shape)), "second_shape": "x".join(map(str, other)), **more})
      for name, shape, other, more in (("matmul", (2, 3, 4), (4, 5), {"static": "one"}), ("convolution", (2, 4, 6), (4, 2, 3), {"groups": 2, "padding": 1}))
      for of in ("first", "second")),
    *(("scaled.mul_gradient", two(scaled.mul_gradient, shape=shape), {"of": of, "shape": "3x4", "second_shape": "1x4"})
      for of, shape in (("first", (3, 4)), ("second", (1, 4)))),
    ("dot", lambda x, y, c: detcheck.det.dot(x, y, c=c[0]), {"shape": "300", "addend": True}),
    ("matmul", lambda x, y, c: detcheck.det.matmul(x, y, c=c), {"shape": "3x40x5", "addend": True}),
    *((f"{name}_gradient", getattr(detcheck.det, f"{name}_gradient"), {**MATRIX, "axis": axis, "format": form})
      for name in ("logcumsumexp", "logsumexp", "log_softmax") for axis, form in ((0, "fp32"), (1, "fp16"))),
    *((operation, with_scale(function), {"format": "int16", "shape": "24", "on_overflow": "saturate", **options}) for operation, function, options in (
        ("dyadic.add", lambda x, y: dyadic.add((x, 3), (y, 5), on_overflow="saturate"), {"s1": 3, "s2": 5}),
        ("dyadic.sub", lambda x, y: dyadic.sub((x, 3), (y, 5), align="finer", on_overflow="saturate"), {"s1": 3, "s2": 5, "align": "finer"}),
        ("dyadic.mul", lambda x, y: dyadic.mul((x, 3), (y, 5), 4, seed=7, on_overflow="saturate"), {"s1": 3, "s2": 5, "q": 4, "stochastic": 7}),
        ("dyadic.div", lambda x, y: dyadic.div((x, 3), (y, 5), 4, accumulator=64, on_overflow="saturate"), {"s1": 3, "s2": 5, "p": 4, "accumulator": 64}),
        ("dyadic.mul", lambda x, y: dyadic.mul((x, 3), (y, 5), -4, on_overflow="saturate"), {"s1": 3, "s2": 5, "q": -4}),
        ("dyadic.div", lambda x, y: dyadic.div((x, 3), (y, 5), -2, on_overflow="saturate"), {"s1": 3, "s2": 5, "p": -2}),
        ("dyadic.add", lambda x, y: dyadic.add((x, 70), (y, 5), on_overflow="saturate"), {"s1": 70, "s2": 5}),
        ("dyadic.equal", lambda x, y: dyadic.equal((x, 3), (y, 5)), {"s1": 3, "s2": 5}),
        ("dyadic.align", lambda x: dyadic.align((x, 3), 1, on_overflow="saturate"), {"s1": 3, "target": 1}),
        ("dyadic.relu_gradient", lambda g, x: dyadic.relu_gradient((g, 2), (x, 3)), {"s1": 2, "s2": 3}),
        ("dyadic.relu", lambda x: dyadic.relu((x, 3)), {"s1": 3}),
        ("dyadic.requantise", lambda x: dyadic.requantise((x, 3), 1, bits=6), {"s1": 3, "target": 1, "bits": 6}),
        ("dyadic.gradient", lambda g, x: dyadic.gradient((g, 2), (x, 3), 1, bits=6, unsigned=True), {
            "s1": 2, "s2": 3, "target": 1, "bits": 6, "unsigned": True}),
        ("dyadic.dot", lambda x, y, c: dyadic.dot((x, 3), (y, 5), 2, c=c[0], on_overflow="saturate"),
         {"s1": 3, "s2": 5, "q": 2, "addend": True}),
        ("dyadic.matmul", lambda x, y, c: dyadic.matmul((x, 3), (y, 5), 2, c=c, on_overflow="saturate"),
         {"s1": 3, "s2": 5, "q": 2, "shape": "3x4x5", "addend": True}),
        ("dyadic.dot", lambda x, y: dyadic.dot((x, 3), (y, 5), 2, on_overflow="saturate"), {"s1": 3, "s2": 5, "q": 2}),
        ("dyadic.matmul", lambda x, y: dyadic.matmul((x, 3), (y, 5), 2, on_overflow="saturate"), {"s1": 3, "s2": 5, "q": 2, "shape": "3x4x5"}),
        ("dyadic.affine", lambda w, x, b: dyadic.affine((w, 3), (x, 5), (b, 6), 2, on_overflow="saturate"), {
            "s1": 3, "s2": 5, "s3": 6, "q": 2, "shape": "3x4x5"}),
        ("dyadic.mse", lambda x, y: dyadic.mse((x, 3), (y, 5), 2, on_overflow="saturate"), {"s1": 3, "s2": 5, "p": 2}))),
    *(("requantise", requantised(form=form, to=to),
       {"shape": "50", "form": form, "rounding": rounding, "to": to, "samples": 4})
      for form, rounding, to in (("once", "nearest-even", "int8"), ("once", "nearest-up", "uint8"), ("once", "down", "int16"), ("gemmlowp", "nearest-even", "uint16"),
                                 ("tosa", "nearest-even", "int32"), ("tosa-double", "nearest-even", "int8"), ("fp32", "nearest-even", "uint8"))),
    ("dyadic.step", step, {"format": "int16", "shape": "24", "s1": 3, "s2": 5, "lr_shift": 2, "momentum_shift": 1, "clip": 100}),
    ("dyadic.from_real", with_scale(lambda x: dyadic.from_real(x, 6, bits=12)), {"shape": "24", "target": 6, "bits": 12}),
    ("dyadic.to_real", lambda x: dyadic.to_real((x, 6), "float64"), {"shape": "24", "format": "int64", "s1": 6, "to": "fp64"}),
]


class Gradients(unittest.TestCase):
    X, G = np.float32([[1, 2, 3], [0, -1, 5]]), np.float32([[1, 0, -2], [0.5, 4, 0]])

    def test_scans_are_exclusive_and_from_the_end(self):
        turned = detcheck.det.logcumsumexp_gradient(self.X[:, ::-1], self.G[:, ::-1], axis=-1)[:, ::-1]
        reverse = detcheck.det.logcumsumexp_gradient(self.X, self.G, axis=-1, reverse=True)
        np.testing.assert_array_equal(turned, reverse)
        exclusive = detcheck.det.logcumsumexp_gradient(self.X, self.G, axis=-1, exclusive=True)
        shifted = detcheck.det.logcumsumexp_gradient(self.X[:, :-1], self.G[:, 1:], axis=-1)
        np.testing.assert_array_equal(exclusive, np.pad(shifted, ((0, 0), (0, 1))))

    def test_a_gradient_of_a_sum_goes_to_all_and_out_may_be_x(self):
        x = self.X.copy()
        given = detcheck.det.logsumexp_gradient(x, np.float32(2), out=x)
        self.assertIs(given, x)
        np.testing.assert_allclose(given, 2 * np.exp(self.X) / np.exp(self.X).sum(), rtol=1e-6)
        self.assertAlmostEqual(float(detcheck.det.log_softmax_gradient(self.X, self.G).sum()), 0, places=6)

    def test_bad_arguments_are_said(self):
        for call in (lambda: detcheck.det.logsumexp_gradient(self.X, self.G), lambda: detcheck.det.log_softmax_gradient(self.X, self.G[0]),
                     lambda: detcheck.det.log_softmax_gradient(self.X, self.G, reverse=True),
                     lambda: detcheck.det.log_softmax_gradient(self.X, self.G.astype(np.float16)),
                     lambda: detcheck.cr.log_softmax_gradient):
            self.assertRaises((TypeError, AttributeError), call)
        self.assertRaises(ValueError, detcheck.det.logsumexp_gradient, self.X, self.G, axis=2)


IMAGES, TAPS = np.ones((1, 2, 5), np.float32), np.ones((2, 2, 3), np.float32)


def back(**given):
    return scaled.convolution_gradient(TAPS, np.ones((1, 2, 3), np.float32), (1, 2, 5), **given)


# What a struct of C would take for another number, modulo 2^32 or 2^64.
NUMBERS_THAT_WRAP = [(f"{name}=", lambda call=call, **given: call(**given), numbers)
                     for name, numbers in (("stride", (0, -1, 1 << 63, (1 << 64) + 1)), ("dilation", (0, -1, 1 << 63, (1 << 64) + 1)),
                                           ("padding", (-1, 1 << 63, 1 << 64)))
                     for call in (lambda **given: scaled.convolution(IMAGES, TAPS, **given), back)] + [
    ("groups=", back, (0, -1, (1 << 64) + 1)), ("margin=", lambda **given: scaled.rebalance(IMAGES, **given), (1 << 32, -(1 << 32) - 1)),
    ("opset=", lambda **given: detcheck.quantise(IMAGES, 1.0, **given), ((1 << 32) + 21,)),
    ("block=", lambda **given: detcheck.quantise(np.ones(64, np.float32), np.ones(1, np.float32), **given), (-1, (1 << 64) + 32)),
    ("axis=", lambda **given: detcheck.quantise(IMAGES, 1.0, **given), (1 << 32,)),
    ("clip=", lambda **given: dyadic.step(*((np.zeros(1, np.int32), 0), np.zeros(1, np.int32), (np.zeros(1, np.int32), 0)), **given), (1 << 64,)),
    ("random_bits=", lambda **given: mx.quantise(IMAGES, rounding="stochastic", random=0, **given), ((1 << 32) + 8,)),
    ("random_bits=", lambda **given: detcheck.convert(IMAGES, "fp16", rounding="stochastic", random=0, **given), ((1 << 32) + 8,))]


class Backward(unittest.TestCase):
    def test_a_quotient_by_its_divisor_rounds_once(self):
        draw = np.random.default_rng(3)
        x, y, g = (draw.normal(0, 4, 500).astype(np.float16) for _ in range(3))
        product = scaled.mul((x, np.int32(-7)), (g, np.int32(20)), to="fp32")
        got, scale = scaled.div_gradient(product, (y, np.int32(-3)), to="fp16")
        self.assertEqual(int(scale), -7 + 20 + 6)
        for one in zip(x, y, g, got):
            a, b, c, found = map(fractions.Fraction, map(float, one))
            want = -a * c / b ** 2
            if abs(want) < 65504:
                self.assertLessEqual(abs(found - want), fractions.Fraction(float(np.spacing(np.float16(float(want))))) / 2)


class OnTrial(unittest.TestCase):
    def same_bits(self, operation, function, options):
        report = detcheck.sweep(operation, function, "det", **{"samples": 1, **options})
        for result in report.results:
            entries = [entry for entry in result.implementations]
            self.assertEqual([entry.tested > 0 and entry.unanswered == 0 for entry in entries], [True, True])
            self.assertEqual(len({entry.fingerprint for entry in entries}), 1, (operation, options, result.inputs))

    def test_scaled_and_dyadic_operations_are_those_of_the_program(self):
        for operation, function, options in TRIALS:
            with self.subTest(operation=operation, **options):
                self.same_bits(operation, function, options)

    def test_c_is_rounded_with_the_exact_sum(self):
        report = detcheck.sweep("dot", lambda x, y, c: detcheck.cr.dot(x, y, c=c[0]), "cr", samples=1, shape="300", addend=True)
        for result in report.results:
            self.assertEqual(len({entry.fingerprint for entry in result.implementations}), 1, result.inputs)

    def test_blocks_are_those_of_the_program_by_every_profile(self):
        for to in mx.FORMATS:
            for profile in mx.profiles():
                try:
                    mx.conversion(to, profile, "nearest-even", 0)
                except ValueError:
                    continue  # of other formats
                with self.subTest(to=to, profile=profile):
                    self.same_bits("mx.quantise", lambda x: mx.quantise(x, to, profile=profile), {
                        "to": to, "profile": profile, "shape": "3x700", "distribution": "mixed"})
            self.same_bits("mx.quantise", lambda x: mx.quantise(x, to, axis=0), {
                "to": to, "shape": "700x3", "axis": 0, "format": "bf16", "distribution": "mixed"})
            for shape in ("3x70", "3x64"):
                self.same_bits("mx.dequantise", lambda *blocks: mx.dequantise(blocks, "bf16", format=to), {
                    "shape": shape, "from_": to, "to": "bf16"})

    def test_an_operation_with_other_bits_is_told_apart(self):
        with self.assertRaises(AssertionError):
            self.same_bits("scaled.add", two(scaled.sub), MATRIX)


def rounded(x, rounding):
    below = math.floor(x)
    if rounding in ("nearest-even", "nearest-away"):
        twice = 2 * (x - below)
        return below + (twice > 1 or (twice == 1 and (below % 2 == 1 if rounding == "nearest-even" else x > 0)))
    return {"down": below, "up": math.ceil(x), "toward-zero": int(x)}[rounding]


def product(x, y, s1, s2, q, rounding, random_bits=None):
    """dyadic.mul by the parameters that it is handed."""
    exact = x.astype(np.int64) * y.astype(np.int64)
    rest = (exact & (1 << q) - 1).astype(np.uint64)
    up = rest > (random_bits & np.uint64((1 << q) - 1)) if random_bits is not None else rest > (0 if rounding == "up" else 1 << q)
    return ((exact >> q) + up).astype(np.int32), np.int32(s1 + s2 - q)


def at_another_scale(x, a, y, b):
    """scaled.mul beside four times the scale that the program puts there, and the other sign."""
    c = -4 * np.float32(a * b)
    return (x.astype(np.float64) * y * float(a) * float(b) / float(c)).astype(x.dtype), c


class Here(unittest.TestCase):
    x = np.random.default_rng(3).standard_normal((64, 96)).astype(np.float32)

    def wrong(self, *words, **options):
        results = detcheck.sweep(*words, **options).results
        return [entry.incorrectly_rounded if entry.provided else entry.reason for one in results for entry in one.implementations]

    def test_a_function_gets_the_parameters_that_it_names(self):
        options = {"format": "int16", "distribution": "uniform", "shape": "300", "s1": 2, "s2": 5, "q": 3}
        for more in ({"rounding": "down"}, {"rounding": "up"}, {"stochastic": 7}, {"stochastic": 1 << 40}):
            self.assertEqual(self.wrong("dyadic.mul", product, **options, **more), [0, 0], more)
        self.assertGreater(self.wrong("dyadic.mul", product, **options)[0], 0)  # which it takes for down
        with self.assertRaisesRegex(Exception, "only in nearest-even, as it has no parameter rounding"):
            detcheck.sweep("dyadic.mul", lambda x, y: (x, y[:1]), rounding="up", **options)
        seen = []

        def relu(x, scale, **given):
            seen.append(given)
            return x, scale
        self.wrong("scaled.relu", relu, shape="2x3", per="row", distribution="near", to="fp16")
        self.assertEqual(seen[0], {"to": "fp16", "per": "row", "rounding": "nearest-even", "random_bits": None})

    def test_operands_are_cast_as_dtype_says(self):
        kinds = []

        def cumsum(x, axis):
            kinds.append(x.dtype)
            return x.cumsum(axis)
        self.assertEqual(self.wrong("cumsum", cumsum, format="fp16", dtype="fp32", shape="1x1", axis=1, distribution="normal"), [0])
        self.assertEqual(set(kinds), {np.dtype(np.float32)})

    def test_results_beside_another_scale_are_judged_by_value(self):
        options = {"shape": "64", "distribution": "near", "format": "fp16"}
        self.assertEqual(self.wrong("scaled.mul", at_another_scale, **options), [0, 0])
        self.assertEqual(self.wrong("scaled.mul", at_another_scale, strict_scale=True, **options), [64, 1])
        wrong = self.wrong("scaled.mul", lambda *given: (at_another_scale(*given)[0], np.float32(1)), **options)
        self.assertEqual((wrong[0] > 60, wrong[1]), (True, 0))  # whose data are not those of that scale
        zeros = detcheck.sweep("scaled.mul", lambda *given: (at_another_scale(*given)[0], np.float32(0)), **options).results[0]
        self.assertEqual(zeros.implementations[0].incorrectly_rounded, 64)
        for factor in (2.0 ** -24, 2.0 ** 24):  # at which fp16 overflows, or has no bits left
            given = (lambda x, a, y, b, c=factor: ((x.astype(np.float64) * y / c).astype(x.dtype), np.float32(a * b * np.float32(c))))
            self.assertGreater(self.wrong("scaled.mul", given, **options)[0], 32)

    def test_results_of_another_shape_are_told_at_once(self):
        for operation, options, function, pattern in (
                ("cumsum", {"shape": "8"}, lambda x, axis: x.cumsum(axis)[:-1], r"the shape \(7,\) where the inputs have \(8,\)"),
                ("cumsum", {"shape": "8"}, lambda x, axis: x.cumsum(axis)[None], r"the shape \(1, 8\) where the inputs have \(8,\)"),
                ("cumsum", {"shape": "2x4"}, lambda x, axis: x.cumsum(axis).reshape(2, 4), r"\(2, 4\) where the inputs have \(8,\)"),
                ("cumsum", {"shape": "2x4", "axis": 1}, lambda x, axis: x.cumsum(axis).T, r"\(4, 2\) where the inputs have \(2, 4\)"),
                ("softmax", {"shape": "2x4"}, lambda x, axis: np.zeros((4, 2), x.dtype), r"\(4, 2\) where the inputs have \(2, 4\)"),
                ("sum", {"shape": "8"}, lambda x, axis: np.zeros((2, 2), x.dtype), r"\(2, 2\) where the result has \(1,\)"),
                ("sum", {"shape": "2x4", "axis": 1}, lambda x, axis: x.sum(0), r"\(4,\) where the result has \(2,\)"),
                ("matmul", {"shape": "2x3x4"}, lambda x, y, axis: (x @ y).T, r"\(4, 2\) where the result has \(2, 4\)"),
                ("scaled.mul", {"shape": "4"}, lambda x, a, y, b: (x[:3], np.float32(1)), r"\(3,\) where the inputs have \(4,\)"),
                ("scaled.mul", {"shape": "2x4"}, lambda x, a, y, b: (x.T, np.float32(1)), r"\(4, 2\) where the inputs have \(2, 4\)"),
                ("scaled.mul", {"shape": "4"}, lambda x, a, y, b: (x, np.float32([1, 1])), r"\(2,\) where the result has \(\)")):
            with self.subTest(operation=operation, **options), self.assertRaisesRegex(detcheck.CallableError, pattern):
                detcheck.sweep(operation, function, **options, distribution="near" if "." in operation else "normal",
                               timeout=300)  # longer than the test may take

    def test_dyadic_roundings_are_those_of_fractions(self):
        v = np.arange(-40, 41, dtype=np.int32)
        for rounding in ("down", "up", "toward-zero", "nearest-even", "nearest-away"):
            found = dyadic.align((v, 5), 2, rounding=rounding)
            self.assertEqual(found.scale, 2)
            self.assertEqual(found.mantissas.tolist(), [rounded(fractions.Fraction(int(one), 8), rounding) for one in v], rounding)
        up = [dyadic.align((np.full(1000, 3, np.int32), 3), 0, seed=seed).mantissas.mean() for seed in range(20)]
        self.assertTrue(0.33 < np.mean(up) < 0.42, np.mean(up))

    def test_scaled_operations_have_the_numbers_of_the_header(self):
        header = pathlib.Path(__file__).resolve().parents[2] / "src" / "detmath" / "scaled_arrays.h"
        macro = header.read_text(encoding="utf-8").split("#define DETMATH_SCALED_OPERATIONS", 1)[1].split("\n\n", 1)[0]
        self.assertEqual(list(scaled.OPERATIONS), re.findall(r"^ +(?:ONE|TWO|BRANCHED)\((\w+)\)", macro, re.MULTILINE))

    def test_scaled_numbers_mean_data_times_scale(self):
        x, y = scaled.Scaled(np.float16([[1, 2], [3, 4]]), np.float32(0.5)), (np.float16([[1], [2]]), np.float32(0.5))
        total = scaled.add(x, y, to="fp32")
        self.assertEqual((total.data * total.scale).tolist(), [[1, 1.5], [2.5, 3]])
        product = scaled.matmul(x, np.eye(2, dtype=np.float16), static="one")
        self.assertEqual((product.data * product.scale).tolist(), [[0.5, 1], [1.5, 2]])
        each = scaled.mul((np.float16([1, 1]), np.int32([3, -1])), np.float16([1, 1]))
        self.assertEqual((each.data.tolist(), each.scale.tolist()), ([1, 1], [3, -1]))

    def test_what_becomes_of_results_is_told(self):
        """Beside the same results in fp32, at the same scales: which are beyond the last number that rounds to one."""
        edges = {"fp16": 65520, **({"fp8_e4m3fn": 464, "fp8_e5m2": 61440} if ml_dtypes else {})}
        draw, told = np.random.default_rng(7), [0, 0]
        f32, windows = np.float32, {"stride": 2, "padding": 1}
        for number in range(240):
            size = f32(2.0 ** draw.integers(-2, 18))
            x, y, z, w = ((draw.standard_normal(shape).astype(f32) * size, f32(draw.choice([0.5, 1, 3])))
                          for shape in ((6, 8), (6, 8), (8, 5), (8, 1)))
            image, taps = (x[0].reshape(2, 4, 6), x[1]), (y[0][:, :4].reshape(3, 4, 2), y[1])
            calls = [lambda **to: scaled.mul(x, y, **to), lambda **to: scaled.gelu(x, **to), lambda **to: scaled.cast(x, **to),
                     lambda **to: scaled.matmul(x, z, threads=3, static="one", **to), lambda **to: scaled.sum(x, axis=1, **to),
                     lambda **to: scaled.rescale(x, y[1], **to), lambda **to: scaled.reduce_max(x, axis=0, **to),
                     lambda **to: scaled.convolution(image, taps, **windows, **to), lambda **to: scaled.softmax(x, **to),
                     lambda **to: scaled.softmax_gradient(x, y, **to), lambda **to: scaled.mean(x, **to),
                     lambda **to: scaled.reduce_max_gradient(x, (y[0][:1], y[1]), axis=0, **to),
                     lambda **to: scaled.matmul_gradient(z, (x[0][:, :5], x[1]), **to), lambda **to: scaled.mul_gradient(x, y, shape=(1, 8), **to)]
            form, one = draw.choice(list(edges)), calls[number % len(calls)]
            profile = draw.choice(["ieee", "saturate"]) if form != "fp16" else "ieee"
            wide = np.abs(np.float64(one(to="fp32").data))
            with scaled.watch() as seen:
                found = one(to=form, profile=profile)
            self.assertEqual(seen.overflowed, bool((wide > edges[form]).any()), (number, form))
            self.assertFalse(seen.infinite)
            told[seen.overflowed] += 1
            again = one(to=form, profile=profile)
            self.assertEqual((np.asarray(again.data).tobytes(), np.asarray(again.scale).tobytes()),
                             (np.asarray(found.data).tobytes(), np.asarray(found.scale).tobytes()))
        self.assertGreater(min(told), 40)
        with scaled.watch() as seen:
            scaled.div(f32([1, 2]), f32([1, 0]))
            with scaled.watch() as inner:
                scaled.log(f32([1]))
            scaled.cast(f32([65520]), to="fp16")
        self.assertEqual((seen.overflowed, seen.infinite, inner.overflowed, inner.infinite), (True, True, False, False))

    def test_blocks_hold_what_they_can(self):
        x = np.float32([[1, 2, 448, -0.5] * 8] * 3)
        blocks = mx.quantise(x)
        self.assertEqual((blocks.elements.shape, blocks.scales.shape), ((3, 32), (3, 1)))
        self.assertEqual(mx.dequantise(blocks, format="mxfp8_e4m3").tolist(), x.tolist())
        up = mx.dequantise(mx.quantise(x + np.float32(0.03), rounding="up"), format="mxfp8_e4m3")
        self.assertTrue((up[:, :2] >= x[:, :2] + np.float32(0.03)).all())
        bits = np.arange(96, dtype=np.uint32).reshape(3, 32) * 2654
        drawn = mx.quantise(x * np.float32(1.03), rounding="stochastic", random=bits, random_bits=16)
        self.assertEqual(drawn.elements.shape, x.shape)

    def test_out_and_strides_and_threads_change_no_bit(self):
        x = (self.x, np.float32(0.75))
        out = (np.empty(self.x.T.shape, np.float32).T, np.empty((), np.float32))
        expected = scaled.tanh(x)
        found = scaled.tanh(x, out=out)
        self.assertIs(found.data, out[0])
        turned = scaled.tanh((self.x.T[::-1], np.float32(0.75))).data[::-1].T
        for other in (found.data, turned):
            self.assertEqual(other.tobytes(), expected.data.tobytes())
        products = [scaled.matmul(x, (self.x.T, np.float32(2)), threads=threads).data.tobytes() for threads in (1, 2, 5)]
        self.assertEqual(len(set(products)), 1)
        integers = (self.x * 1000).astype(np.int8)
        layers = [dyadic.matmul((integers, 3), (integers.T, 4), 3, seed=9, threads=threads).mantissas for threads in (1, 2, 5)]
        self.assertEqual(len({one.tobytes() for one in layers}), 1)
        self.assertEqual((dyadic.matmul((integers, 3), (integers.T, 4)).mantissas == integers.astype(np.int32) @ integers.T.astype(np.int32)).all(), True)
        place = np.empty((96, 96), np.int32)
        self.assertIs(dyadic.matmul((np.ascontiguousarray(integers.T), 0), (integers, 0), out=place).mantissas, place)
        blocks = (np.empty(self.x.shape, mx.type_of("mxfp8_e4m3")), np.empty((64, 3), mx.type_of(mx.SCALES)))
        self.assertIs(mx.quantise(self.x, out=blocks).elements, blocks[0])

    def test_threads_share_elements_along_any_axis(self):
        generator = np.random.default_rng(3)
        divisors = {extent: [k for k in range(1, extent + 1) if extent % k == 0] for extent in (1, 2, 4, 6, 12)}
        was_shared = []

        def in_parts(count, threads, compute, least):
            was_shared.append(count > 1 and threads > 1)
            return shared(count, threads, compute, 1)

        def operand(extents):
            data = [extent if generator.random() < 0.8 else 1 for extent in extents][int(generator.integers(0, 2)):]
            x = generator.standard_normal(data).astype(generator.choice([np.float32, np.float16]))
            scales = [int(generator.choice(divisors[extent])) for extent in data][int(generator.integers(0, 2)):]
            return np.asfortranarray(x), np.exp2(generator.integers(-4, 4, scales)).astype(np.float32)

        with unittest.mock.patch.object(scaled, "shared", in_parts):
            for _ in range(60):
                extents = generator.choice([2, 4, 6, 12], 3).tolist()
                x, y = operand(extents), operand(extents)
                try:
                    wanted = scaled.add(x, y, threads=1)
                except ValueError:  # numbers of scales of which neither divides the other
                    continue
                for threads in (2, 5):
                    out = tuple(np.zeros_like(one) for one in wanted)
                    scaled.add(x, y, threads=threads, out=out if wanted.scale.ndim else None)
                    found = scaled.add(x, y, threads=threads)
                    for one, other in zip(found, wanted):
                        self.assertEqual((one.shape, one.tobytes()), (other.shape, other.tobytes()))
                    if wanted.scale.ndim:
                        self.assertEqual([one.tobytes() for one in out], [one.tobytes() for one in wanted])
        self.assertGreater(sum(was_shared), 60)

    def test_what_cannot_be(self):
        i, f = np.arange(4, dtype=np.int32), np.ones((2, 3), np.float32)
        for kind, pattern, call in (
                (OverflowError, "the accumulator overflows", lambda: dyadic.mul((i << 28, 0), (i, 0), on_overflow="report")),
                (ZeroDivisionError, "dyadic.div: a division by zero", lambda: dyadic.div((i, 0), (i, 0))),
                (ValueError, "lr_shift= or momentum_shift= is not from 0 to 63", lambda: dyadic.step((i.copy(), 0), i.copy(), (i.copy(), 0), lr_shift=64)),
                (ValueError, "beyond -65535 to 65535", lambda: dyadic.align((i, 0), 1 << 40)),
                (ValueError, "a NaN is not a dyadic number", lambda: dyadic.from_real(np.float32([np.nan]), 3)),
                (ValueError, "there is no rounding 'even'", lambda: dyadic.align((i, 0), 1, rounding="even")),
                (TypeError, "integers that 32 bits hold, not int64", lambda: dyadic.add((i.astype(np.int64), 0), (i, 0))),
                (TypeError, "not float32", lambda: dyadic.relu((f, 0))),
                (ValueError, "needs matrices", lambda: scaled.matmul(f, f)),
                (ValueError, "scaled.add: ", lambda: scaled.add(f, np.ones((2, 2), np.float32))),
                (TypeError, "3 could be either", lambda: scaled.add((f, 3), f)),
                (TypeError, "scales are fp32, or int32", lambda: scaled.relu((f, np.float64(3)))),
                (ValueError, "scaled.softmax: ", lambda: scaled.softmax((f, np.float32([1, 2, 3])))),
                (ValueError, "there is no axis 2", lambda: scaled.sum(f, axis=2)),
                (ValueError, "there is no strategy 'root'", lambda: scaled.sum(f, static="root")),
                (ValueError, "that fp32 has exactly, not 0.1", lambda: scaled.sum(f, static=0.1)),
                (ValueError, "a normal number above 0", lambda: scaled.sum(f, static=-1)),
                (ValueError, "where scales are powers of two", lambda: scaled.sum((f, np.int32(3)), static=3)),
                (TypeError, "out= of scaled.add", lambda: scaled.add(f, f, out=(f[:1], np.float32([1])))),
                (TypeError, "takes fp32, fp16 or bf16, not int32", lambda: mx.quantise(i)),
                (ValueError, "operator set 0: an operator set is 10 or more", lambda: detcheck.quantise(f, 1.0, opset=0)),
                (TypeError, "'mxfp9' is not a format of blocks", lambda: mx.quantise(f, "mxfp9")),
                (ValueError, "there is no profile 'ieee' for blocks", lambda: mx.quantise(f, profile="ieee")),
                (ValueError, "has no conversion to mxint8", lambda: mx.quantise(f, "mxint8", profile="torchao-floor")),
                (ValueError, "are bytes in the shape", lambda: mx.dequantise((np.zeros((2, 40), np.uint8), np.zeros((2, 1), np.uint8)), format="mxint8")),
                (ValueError, "there is no axis 5", lambda: mx.quantise(f, axis=5)),
                *((ValueError, f"{what} is a whole number", lambda what=what, number=number, call=call: call(**{what[:-1]: number}))
                  for what, call, numbers in NUMBERS_THAT_WRAP for number in numbers),
                (ValueError, "PTRDIFF_MAX", lambda: scaled.convolution(IMAGES, TAPS, padding=1 << 62)),
                (ValueError, "for each of 1 axes", lambda: scaled.convolution(IMAGES, TAPS, stride=(1, 2))),
                (ValueError, "for each of 1 axes", lambda: scaled.convolution(IMAGES, TAPS, dilation=())),
                (ValueError, "three dimensions or more", lambda: scaled.convolution_gradient(TAPS, IMAGES, (1, 2))),
                (ValueError, "lr_shift= or momentum_shift=", lambda: dyadic.step((i.copy(), 0), i.copy(), (i.copy(), 0), lr_shift=(1 << 32) + 1)),
                (ValueError, "beyond -65535 to 65535", lambda: dyadic.mse((i, 0), (i, 0), (1 << 32) + 1))):
            with self.assertRaisesRegex(kind, pattern):
                call()


if __name__ == "__main__":
    unittest.main()
