"""Kernels of transformers in Python (detcheck.kernels): on trial by the program's oracle, beside det, whose bits they have."""

import unittest

import with_numpy  # noqa: F401

import numpy as np

import detcheck
from detcheck import kernels

SHAPE = {"shape": "4x6"}
# Operation, function, options of the program.
TRIALS = [(name, function, {**SHAPE, **options})
          for name, function in (("rms_norm", kernels.rms_norm), ("layer_norm", kernels.layer_norm),
                                 ("l2_norm", lambda *x, axis=-1: kernels.l2_norm(*x, axis=axis, epsilon=1e-5)))
          for options in ({}, {"affine": "weight"}, {"affine": "bias"}, {"affine": "bias", "format": "fp16"}, {"format": "fp16", "axis": 0})]
TRIALS += [
    ("layer_norm", lambda x, axis: kernels.layer_norm(x, axis=axis, epsilon=0.25), {**SHAPE, "epsilon": "0.25"}),
    ("group_norm", lambda x, w, b: kernels.group_norm(x, 3, w, b), {"shape": "2x6x5", "groups": 3, "affine": "bias"}),
    ("batch_norm", lambda x, w, b: kernels.batch_norm(x, w, b), {"shape": "2x6x5", "affine": "bias"}),
    ("silu_mul", kernels.silu_mul, {"shape": "24"}),
    ("gelu_mul", kernels.gelu_mul, {"shape": "24"}),
    ("gelu_mul", lambda x, u: kernels.gelu_mul(x, u, approximate="tanh"), {"shape": "24", "approximate": "tanh", "format": "fp16"}),
    ("swiglu", kernels.swiglu, SHAPE),
    ("rope", kernels.rope, {"shape": "3x5x8"}),
    ("rope", lambda x, p: kernels.rope(x, p, base=500000, factor=8, rotary=4, interleaved=True),
     {"shape": "3x5x8", "base": "500000", "factor": "8", "rotary": 4, "interleaved": True, "format": "fp16"}),
    ("swiglu", lambda x, axis: kernels.swiglu(x, axis=axis), {"shape": "4x6", "axis": 0}),
    ("geglu", lambda x, axis: kernels.geglu(x, axis=axis, reverse=True), {**SHAPE, "reverse": True}),
    ("attention", kernels.attention, {"shape": "1x2x5x70x8"}),
    ("attention", lambda q, k, v: kernels.attention(q, k, v, causal=True, window=3), {"shape": "2x4x5x7x8", "causal": True, "window": 3, "groups": 2}),
    ("attention", lambda q, k, v, mask: kernels.attention(q, k, v, mask=mask, soft_cap=50),
     {"shape": "1x2x5x7x8", "bias": "mask", "soft_cap": "50", "format": "fp16"}),
    ("attention", lambda q, k, v, slopes: kernels.attention(q, k, v, slopes=slopes), {"shape": "1x2x5x7x8", "bias": "alibi"}),
    ("attention_gradient", lambda q, k, v, g: kernels.attention_gradient(q, k, v, g, causal=True), {"shape": "2x4x3x5x3", "causal": True, "groups": 2}),
    ("attention_gradient", lambda q, k, v, g, mask: kernels.attention_gradient(q, k, v, g, mask=mask, soft_cap=50, window=2),
     {"shape": "1x2x3x4x2", "bias": "mask", "soft_cap": "50", "window": 2, "format": "fp16"}),
    ("cross_entropy", lambda x, t, axis: kernels.cross_entropy(x, t, axis=axis), {"shape": "7x12"}),
    ("cross_entropy", lambda x, t, axis: kernels.cross_entropy(x, t, axis=axis, smoothing=0.125, reduction="mean", ignore_index=3),
     {"shape": "7x12", "axis": 0, "smoothing": "0.125", "reduction": "mean", "ignore_index": 3, "format": "fp16"}),
    ("cross_entropy", lambda x, t, w, axis: kernels.cross_entropy(x, t, axis=axis, smoothing=0.1, weight=w, reduction="mean"),
     {"shape": "4x6", "axis": 0, "smoothing": 0.1, "reduction": "mean", "weighted": True}),
    ("cross_entropy_gradient", lambda x, t, g, w, axis: kernels.cross_entropy_gradient(x, t, g, axis=axis, smoothing=0.5, weight=w),
     {"shape": "7x12", "smoothing": 0.5, "weighted": True, "format": "fp16"}),
    ("cross_entropy_gradient", lambda *x, axis: kernels.cross_entropy_gradient(*x, axis=axis), {"shape": "7x12"}),
    ("cross_entropy_gradient", lambda *x, axis: kernels.cross_entropy_gradient(*x, axis=axis, smoothing=0.125),
     {"shape": "7x12", "axis": 0, "smoothing": "0.125", "format": "fp16"}),
    ("rms_norm_gradient", kernels.rms_norm_gradient, SHAPE),
    ("layer_norm_gradient", lambda *x, axis: kernels.layer_norm_gradient(*x, axis=axis), {"shape": "4x6", "axis": 0, "affine": "weight", "format": "fp16"}),
    ("l2_norm_gradient", kernels.l2_norm_gradient, SHAPE),
    ("group_norm_gradient", lambda x, g, w: kernels.group_norm_gradient(x, g, 3, w), {"shape": "2x6x5", "groups": 3, "affine": "weight"}),
    ("batch_norm_gradient", kernels.batch_norm_gradient, {"shape": "2x6x5", "format": "fp16"}),
    ("rms_norm_weight_gradient", kernels.rms_norm_weight_gradient, SHAPE),
    ("layer_norm_weight_gradient", lambda *x, axis: kernels.layer_norm_weight_gradient(*x, axis=axis), {"shape": "4x6", "axis": 0, "format": "fp16"}),
    ("l2_norm_weight_gradient", kernels.l2_norm_weight_gradient, SHAPE),
    ("group_norm_weight_gradient", lambda x, g: kernels.group_norm_weight_gradient(x, g, 3), {"shape": "2x6x5", "groups": 3}),
    ("batch_norm_weight_gradient", kernels.batch_norm_weight_gradient, {"shape": "2x6x5"}),
    ("silu_mul_gradient", kernels.silu_mul_gradient, {"shape": "24"}),
    ("gelu_mul_gradient", lambda *x: kernels.gelu_mul_gradient(*x, approximate="tanh"), {"shape": "24", "approximate": "tanh", "format": "fp16"}),
    ("swiglu_gradient", kernels.swiglu_gradient, SHAPE),
    ("geglu_gradient", lambda *x, axis: kernels.geglu_gradient(*x, axis=axis, reverse=True), {"shape": "4x6", "axis": 0, "reverse": True}),
    ("softmax_gradient", lambda *x, axis: kernels.softmax_gradient(*x, axis=axis), {"shape": "7x12"}),
    ("rope_gradient", kernels.rope_gradient, {"shape": "3x5x8"}),
    ("embedding_bag", kernels.embedding_bag, {"shape": "3x5x7x4"}),
    ("embedding_bag", lambda x, i: kernels.embedding_bag(x, i, mode="max", padding_index=2), {"shape": "3x5x7x4", "mode": "max", "padding_index": 2}),
    ("embedding_bag", lambda x, i, w: kernels.embedding_bag(x, i, mode="sum", weights=w),
     {"shape": "3x5x7x4", "mode": "sum", "weighted": True, "format": "fp16"}),
    ("average_pool", lambda x: kernels.average_pool(x, 2), {"shape": "2x3x6x7"}),
    ("average_pool", lambda x: kernels.average_pool(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=True),
     {"shape": "2x3x8", "window": 3, "stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": True, "format": "fp16"}),
    ("convolution", kernels.convolution, {"shape": "2x3x6x7"}),
    ("convolution", lambda x, w, b: kernels.convolution(x, w, b, stride=2, padding=1, dilation=2, groups=2),
     {"shape": "2x4x9", "second_shape": "6x2x3", "stride": 2, "padding": 1, "dilation": 2, "groups": 2, "affine": "bias", "format": "fp16"}),
    ("convolution_gradient", kernels.convolution_gradient, {"shape": "2x3x6x7", "second_shape": "4x3x2x3"}),
    ("convolution_gradient", lambda x, w, g: kernels.convolution_gradient(x, w, g, stride=2, padding=1, dilation=2, groups=2),
     {"shape": "2x4x9", "second_shape": "6x2x3", "stride": 2, "padding": 1, "dilation": 2, "groups": 2, "format": "fp16"}),
    ("average_pool_gradient", lambda g: kernels.average_pool_gradient(g, (2, 3, 6, 7), 2), {"shape": "2x3x6x7"}),
    ("average_pool_gradient", lambda g: kernels.average_pool_gradient(g, (2, 3, 8), 3, stride=2, padding=1, ceil_mode=True),
     {"shape": "2x3x8", "window": 3, "stride": 2, "padding": 1, "ceil_mode": True, "format": "fp16"}),
    ("embedding_bag_offsets", lambda x, i, o: kernels.embedding_bag(x, i, offsets=o), {"shape": "3x5x7x4"}),
    ("embedding_bag_gradient", lambda i, g: kernels.embedding_bag_gradient(i, g, 7), {"shape": "3x5x7x4"}),
    ("embedding_bag_offsets_gradient", lambda i, o, g, w: kernels.embedding_bag_gradient(i, g, 7, mode="sum", weights=w, offsets=o, padding_index=2),
     {"shape": "3x5x7x4", "mode": "sum", "weighted": True, "padding_index": 2, "format": "fp16"}),
    ("embedding_bag_weight_gradient", kernels.embedding_bag_weight_gradient, {"shape": "3x5x7x4"}),
    ("embedding_bag_offsets_weight_gradient", lambda x, i, o, g: kernels.embedding_bag_weight_gradient(x, i, g, offsets=o), {"shape": "3x5x7x4"}),
    ("sgd", kernels.sgd, {"shape": "24"}),
    ("sgd", lambda p, g, v: kernels.sgd(p, g, v, momentum=0.5, dampening=0.25, weight_decay=0.125, nesterov=True),
     {"shape": "24", "momentum": "0.5", "dampening": "0.25", "weight_decay": "0.125", "nesterov": True, "format": "fp16"}),
    ("adam", lambda *x: kernels.adam(*x, step=1), {"shape": "24"}),
    ("adamw", lambda *x: kernels.adamw(*x, step=100, beta1=0.5), {"shape": "24", "step": 100, "beta1": "0.5", "format": "fp16"}),
    ("sort", lambda x, axis: kernels.sort(x, axis=axis), {"shape": "7x12", "distribution": "special"}),
    ("sort", lambda x, axis: kernels.sort(x, axis=axis, reverse=True), {"shape": "7x12", "axis": 0, "reverse": True, "format": "fp64"}),
    ("top_k", lambda x, axis: kernels.top_k(x, 3, axis=axis), {"shape": "7x12", "k": 3, "format": "fp16"}),
    ("argmax", lambda x, axis: kernels.argmax(x, axis=axis), {"shape": "7x12"}),
    ("argmax", lambda x, axis: kernels.argmax(x, axis=axis, reverse=True), {"shape": "7x12", "reverse": True}),
]


class Kernels(unittest.TestCase):
    def test_they_are_those_of_the_program(self):
        for operation, function, options in TRIALS:
            with self.subTest(operation=operation, **options):
                report = detcheck.sweep(operation, function, "det", samples=1, **options)
                for result in report.results:
                    entries = result.implementations
                    self.assertEqual([entry.tested > 0 and entry.unanswered == 0 for entry in entries], [True, True])
                    self.assertEqual(len({entry.fingerprint for entry in entries}), 1, result.inputs)

    def test_strides_and_out_change_no_bit(self):
        x = np.random.default_rng(1).standard_normal((5, 8, 6)).astype(np.float32)
        want = kernels.layer_norm(x, axis=1)
        np.testing.assert_array_equal(want, np.moveaxis(kernels.layer_norm(np.ascontiguousarray(np.moveaxis(x, 1, 2))), 2, 1))
        np.testing.assert_array_equal(kernels.layer_norm(x[::-1, ::2, 1:], axis=0), kernels.layer_norm(x[::-1, ::2, 1:].copy(), axis=0))
        given = x.copy()
        self.assertIs(kernels.layer_norm(given, axis=1, out=given), given)
        np.testing.assert_array_equal(given, want)
        np.testing.assert_array_equal(kernels.silu_mul(x[0, ::2].T, x[1, ::2].T), kernels.silu_mul(x[0, ::2].T.copy(), x[1, ::2].T.copy()))

    def test_orders_are_stable_with_nan_above_all(self):
        x = np.array([[0.0, np.nan, -0.0, 2.0, -np.inf, 2.0], [np.nan, np.inf, np.nan, 1.0, 1.0, -1.0]], np.float32)
        values, indices = kernels.sort(x.T, axis=0)
        np.testing.assert_array_equal(indices.T, [[4, 0, 2, 3, 5, 1], [5, 3, 4, 1, 0, 2]])
        np.testing.assert_array_equal(np.signbit(values.T[0, 1:3]), [False, True])
        np.testing.assert_array_equal(kernels.top_k(x[:, ::-1], 4)[1], [[4, 0, 2, 3], [3, 5, 4, 1]])
        np.testing.assert_array_equal(kernels.sort(x, reverse=True)[1], kernels.top_k(x, 6)[1])
        np.testing.assert_array_equal(kernels.argmax(x, reverse=True), [4, 5])
        np.testing.assert_array_equal(kernels.argmax(x), np.argmax(x, axis=-1))
        many = np.random.default_rng(2).integers(-40, 40, (3, 999)).astype(np.float64)
        np.testing.assert_array_equal(kernels.sort(many)[1], np.argsort(many, axis=-1, kind="stable"))

    def test_elements_between_others(self):
        """Fields of records lie at strides that are no whole elements."""
        records = np.zeros(24, [("label", np.uint8), ("x", np.float32)])
        records["x"] = np.random.default_rng(2).standard_normal(24)
        x = records["x"].reshape(4, 6)
        for function in (kernels.rms_norm, kernels.layer_norm, kernels.swiglu, lambda y: kernels.silu_mul(y, y),
                         lambda y: kernels.l2_norm(np.ones((4, 6), np.float32), y[0])):
            np.testing.assert_array_equal(function(x), function(x.copy()))
    def test_weights_of_bags_with_offsets_have_the_gradients_of_bags_alone(self):
        x, g = (np.random.default_rng(3).standard_normal((4, 5)).astype(np.float32) for _ in range(2))
        found = kernels.embedding_bag_weight_gradient(x, [3, 0, 1, 2, 2, 0], g[:3], offsets=[0, 2, 2])
        want = [kernels.embedding_bag_weight_gradient(x, [bag], one[None])[0] for bag, one in (([3, 0], g[0]), ([1, 2, 2, 0], g[2]))]
        np.testing.assert_array_equal(found, np.concatenate(want))

    def test_positions_broadcast(self):
        x = np.random.default_rng(2).standard_normal((2, 3, 5, 8)).astype(np.float32)
        want = np.stack([[kernels.rope(head, np.arange(5)) for head in sample] for sample in x])
        np.testing.assert_array_equal(kernels.rope(x, np.arange(5, dtype=np.int32)), want)
        np.testing.assert_array_equal(kernels.rope(x[:, ::-1].swapaxes(1, 2), np.arange(5)[:, None]), want[:, ::-1].swapaxes(1, 2))
        np.testing.assert_array_equal(kernels.rope(x, 0), x)
        np.testing.assert_array_equal(kernels.rope(x[0, 1, 4], 4), want[0, 1, 4])

    def test_a_pool_whose_only_window_is_cut_off(self):
        """As torch.nn.functional.avg_pool1d has it: 3 elements, 2 apart, of a line of 2."""
        x = np.array([[[1, 2]]], np.float32)
        np.testing.assert_array_equal(kernels.average_pool(x, np.int64(3), stride=2, ceil_mode=True), [[[1.5]]])
        self.assertRaises(ValueError, kernels.average_pool, x, 4, stride=2, ceil_mode=True)

    def test_whole_numbers_beyond_int64_are_refused(self):
        x = np.ones((2, 3), np.float32)
        for call in (lambda: kernels.cross_entropy(x, np.array([2**64 - 100, 0], np.uint64)), lambda: kernels.cross_entropy(x, [0, 1], ignore_index=2**64 + 1),
                     lambda: kernels.embedding_bag(x, [[0]], padding_index=2**64), lambda: kernels.rope(x[:, :2], np.array([2**64 - 1, 0], np.uint64)),
                     lambda: kernels.embedding_bag(x, np.array([[2**63]], np.uint64), padding_index=-2**63)):
            self.assertRaises(ValueError, call)

    def test_pages_of_keys(self):
        """As the keys lie one after the other."""
        rng = np.random.default_rng(3)
        q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 4, 3, 8), (1, 2, 40, 8), (1, 2, 40, 5)))
        pages = np.array([[3, 0, 7], [1, 9, 2]])
        places = (pages[:, :, None] * 4 + np.arange(4)).reshape(2, -1)
        for keys in (9, 11, 12):
            own = [np.stack([pool[0][:, at[:keys]] for at in places]) for pool in (k, v)]
            for more in ({"causal": True}, {"mask": rng.standard_normal((3, keys)).astype(np.float32)}):
                np.testing.assert_array_equal(kernels.attention(q, k, v, pages=pages, page=4, keys=keys, **more), kernels.attention(q, *own, **more))
        np.testing.assert_array_equal(kernels.attention(q, k, v, pages=pages[0], page=4), kernels.attention(q, k, v, pages=pages[[0, 0]], page=4))
        pools = [np.concatenate([one, one[..., ::-1, :]]) for one in (k, v)]  # one for each batch
        np.testing.assert_array_equal(kernels.attention(q, *pools, pages=pages, page=4)[1],
                                      kernels.attention(q[1:], *(one[1:] for one in pools), pages=pages[1:], page=4)[0])
        for bad in ({"keys": 8}, {"keys": 13}, {"pages": pages + 1}, {"pages": pages - 1}, {"pages": pages[[0, 1, 1]]}, {"pages": None, "keys": 3}, {"page": 0},
                    {"pages": pages * 0.5}):
            self.assertRaises(ValueError, kernels.attention, q, k, v, **{"pages": pages, "page": 4, **bad})

    def test_the_argument_of_the_wrong_shape_is_named(self):
        x, q = np.ones((2, 6), np.float32), np.ones((2, 4, 3, 8), np.float32)
        for call, said in ((lambda: kernels.rms_norm(x, x[0, 1:]), "rms_norm: weight has the shape (5,), and (6,) would be right here"),
                           (lambda: kernels.group_norm(q, 2, None, x[0]), "group_norm: bias has the shape (6,), and (4,) would be right here"),
                           (lambda: kernels.layer_norm_gradient(x, x[:1]), "layer_norm_gradient: g has the shape (1, 6), and (2, 6) would be right here"),
                           (lambda: kernels.silu_mul(x, x[0]), "silu_mul: u has the shape (6,), and (2, 6) would be right here"),
                           (lambda: kernels.swiglu_gradient(x, x), "swiglu_gradient: g has the shape (2, 6), and (2, 3) would be right here"),
                           (lambda: kernels.attention(q, q[..., :7], q), "attention: k has the shape (2, 4, 3, 7), and (2, 4, 3, 8) would be right here"),
                           (lambda: kernels.attention(q, q, q[:, :2]), "attention: v has the shape (2, 2, 3, 8), and (2, 4, 3, 8) would be right here"),
                           (lambda: kernels.attention(q, q, q, slopes=x[0]), "attention: slopes has the shape (6,), and (4,) would be right here"),
                           (lambda: kernels.rope(x[:, :5], 1), "rope turns an even number of elements: rotary= is one from 0 to 5, the extent of x's "
                                                               "last axis, not 5")):
            with self.assertRaises(ValueError) as raised:
                call()
            self.assertEqual(str(raised.exception), said)

    def test_bad_arguments_are_said(self):
        x = np.ones((2, 6), np.float32)
        for call in (lambda: kernels.rms_norm(x, np.ones(5, np.float32)), lambda: kernels.rms_norm(x, axis=2),
                     lambda: kernels.group_norm(x, 4), lambda: kernels.group_norm(x, 0), lambda: kernels.swiglu(x[:, :5]),
                     lambda: kernels.attention(x, x, x), lambda: kernels.attention(*[np.ones((1, heads, 2, 4), np.float32) for heads in (3, 2, 2)]),
                     lambda: kernels.top_k(x, 7), lambda: kernels.sort(x, axis=2), lambda: kernels.argmax(x[:, :0]),
                     lambda: kernels.gelu_mul(x, x, approximate="erf"), lambda: kernels.silu_mul(x, x[0]),
                     lambda: kernels.group_norm(x, 2**64 + 3), lambda: kernels.batch_norm(x[0]),
                     lambda: kernels.rope(x, [1, 2, 3]), lambda: kernels.rope(x, 1, rotary=3), lambda: kernels.rope(x, 1, rotary=-2),
                     lambda: kernels.cross_entropy(x, [1, 2, 3]), lambda: kernels.cross_entropy(x, [1, 2], smoothing=2), lambda: kernels.cross_entropy(x, [1, 2], axis=2), lambda: kernels.cross_entropy(x, [1, 2], weight=x[0, 1:]),
                     lambda: kernels.embedding_bag(x, [[1]], mode="least"), lambda: kernels.embedding_bag(x, [[1]], weights=x), lambda: kernels.average_pool(x, 2),
                     lambda: kernels.average_pool(x[None], 2, padding=2), lambda: kernels.average_pool(x[None], 7), lambda: kernels.convolution(x[None], x[None], groups=3),
                     lambda: kernels.convolution(x[None], x[None, :1]), lambda: kernels.sgd(x, x[0]), lambda: kernels.sgd(x, x, learning_rate=-1),
                     lambda: kernels.convolution(x[None], x[None], np.ones(3, np.float32)), lambda: kernels.embedding_bag(x, [[1]], weights=np.ones((1, 1), np.float32)),
                     lambda: kernels.embedding_bag(x, [1, 0], offsets=[1, 2]), lambda: kernels.embedding_bag(x, [1, 0], offsets=[0, 2, 1]),
                     lambda: kernels.embedding_bag(x, [[1, 0]], offsets=[0]), lambda: kernels.embedding_bag_gradient([[1]], x, 2),
                     lambda: kernels.embedding_bag_gradient([[1]], x[:1], 2, mode="max"), lambda: kernels.average_pool_gradient(x[None], (1, 2, 9), 2),
                     lambda: kernels.convolution_gradient(x[None], x[None], x[None]),
                     lambda: kernels.adam(x, x, x, x, step=0), lambda: kernels.adam(x, x, x, x, step=1, beta1=1),
                     lambda: kernels.rope(x, 1, base=0.5), lambda: kernels.rope(x, 1, factor=float("nan"))):
            self.assertRaises(ValueError, call)
        for epsilon in (-1, float("nan"), float("inf"), 1e39, 1e-44, -1e39):
            self.assertRaises(ValueError, kernels.l2_norm, x, epsilon=epsilon)
        for call in (lambda: kernels.rms_norm(x.astype(np.float64)), lambda: kernels.silu_mul(x, x.astype(np.float16)),
                     lambda: kernels.l2_norm(np.arange(3)), lambda: kernels.rms_norm(x.astype(x.dtype.newbyteorder("S"))),
                     lambda: detcheck.det.exp(x.astype(x.dtype.newbyteorder("S"))), lambda: kernels.rope(x, 1.5),
                     lambda: kernels.cross_entropy(x, [1.0, 2.0]), lambda: kernels.embedding_bag(x, [[0.5]]), lambda: kernels.sgd(x.astype(np.float64), x)):
            self.assertRaises(TypeError, call)


if __name__ == "__main__":
    unittest.main()
