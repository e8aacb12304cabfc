"""Kernels of libraries (library_kernels.py): each does what detcheck's does, with the parameters of the call. Libraries that are
not here are left out, and what they lack."""

import importlib
import inspect
import re
import types
import unittest

import with_numpy  # noqa: F401

import numpy as np

import detcheck
from detcheck import _callables, kernels, library_kernels

rng = np.random.default_rng(1)


def drawn(*shape):
    return rng.standard_normal(shape).astype(np.float32)


X, W, B, POSITIONS, MASK = drawn(3, 64), drawn(64), drawn(64), np.array([3, 70, 4000]), drawn(5, 9)
IMAGE, TAPS, SCORES, CLASSES = drawn(2, 4, 7, 6), drawn(6, 2, 3, 3), drawn(5, 9), np.array([0, 8, 3, 5, -100])
TABLE, BAGS = drawn(11, 8), rng.integers(0, 11, (4, 3))
WEIGHTS = drawn(4, 3)
STEP = [drawn(9), drawn(9), drawn(9), drawn(9) ** 2]
RATES = {"learning_rate": 0.125, "beta1": 0.75, "beta2": 0.875, "epsilon": 1e-6, "weight_decay": 0.25, "step": 3}
TIES = np.round(drawn(3, 16))
Q, K, V = drawn(1, 4, 5, 16), drawn(1, 2, 9, 16), drawn(1, 2, 9, 16)
G, ONE = drawn(3, 64), drawn(1, 1, 1)
LINE, BEGINS, OF_LINE, GQ = BAGS.reshape(-1), np.array([0, 2, 2, 9]), WEIGHTS.reshape(-1), drawn(1, 4, 5, 16)
GB, GC, GP, EACH = drawn(4, 8), drawn(2, 6, 5, 4), drawn(2, 4, 4, 4), np.abs(drawn(9))
KEPT = int(BAGS[1, 1])
# An operation, operands, parameters as a library's function takes them, and det's call.
CALLS = [
    ("rms_norm", (X, W), {"epsilon": 1e-5}, lambda: kernels.rms_norm(X, W, epsilon=1e-5)),
    ("rms_norm", (X,), {"epsilon": 0.5}, lambda: kernels.rms_norm(X, epsilon=0.5)),
    ("layer_norm", (X, W, B), {"epsilon": 0.5}, lambda: kernels.layer_norm(X, W, B, epsilon=0.5)),
    ("l2_norm", (X, W, B), {"epsilon": 100.0}, lambda: kernels.l2_norm(X, W, B, epsilon=100.0)),
    ("l2_norm", (X, W, B), {"epsilon": 0.0}, lambda: kernels.l2_norm(X, W, B, epsilon=0.0)),
    ("silu_mul", (X, X[::-1].copy()), {}, lambda: kernels.silu_mul(X, X[::-1])),
    ("gelu_mul", (X, X[::-1].copy()), {"approximate": "tanh"}, lambda: kernels.gelu_mul(X, X[::-1], approximate="tanh")),
    ("swiglu", (X,), {}, lambda: kernels.swiglu(X)),
    ("rope", (X, POSITIONS), {}, lambda: kernels.rope(X, POSITIONS)),
    ("rope", (X[0], POSITIONS[:1].copy()), {}, lambda: kernels.rope(X[0], POSITIONS[0])),
    ("rope", (X, POSITIONS), {"base": 500000.0, "factor": 8.0, "rotary": 32, "interleaved": True},
     lambda: kernels.rope(X, POSITIONS, base=500000, factor=8, rotary=32, interleaved=True)),
    ("attention", (Q, K, V), {}, lambda: kernels.attention(Q, K, V)),
    ("attention", (Q, K, V), {"causal": 1, "window": 4}, lambda: kernels.attention(Q, K, V, causal=True, window=4)),
    ("attention", (Q, K, V, MASK), {"bias": "mask", "causal": 1}, lambda: kernels.attention(Q, K, V, mask=MASK, causal=True)),
    ("attention", (Q, K, V, W[:4].copy()), {"bias": "alibi"}, lambda: kernels.attention(Q, K, V, slopes=W[:4])),
    ("attention", (Q, K, V), {"soft_cap": 5.0}, lambda: kernels.attention(Q, K, V, soft_cap=5)),
    ("group_norm", (IMAGE, W[:4].copy(), B[:4].copy()), {"groups": 2, "epsilon": 0.5},
     lambda: kernels.group_norm(IMAGE, 2, W[:4], B[:4], epsilon=0.5)),
    ("group_norm", (ONE,), {"epsilon": 0.5}, lambda: kernels.group_norm(ONE, 1, epsilon=0.5)),
    ("batch_norm", (ONE,), {"epsilon": 0.5}, lambda: kernels.batch_norm(ONE, epsilon=0.5)),
    ("batch_norm", (IMAGE, W[:4].copy(), B[:4].copy()), {"epsilon": 0.5}, lambda: kernels.batch_norm(IMAGE, W[:4], B[:4], epsilon=0.5)),
    ("cross_entropy", (SCORES, CLASSES), {}, lambda: kernels.cross_entropy(SCORES, CLASSES, reduction="none")),
    ("cross_entropy", (SCORES[1], CLASSES[1:2].copy()), {}, lambda: kernels.cross_entropy(SCORES[1], CLASSES[1])),
    ("cross_entropy", (SCORES, CLASSES), {"smoothing": 0.25, "reduction": "mean"},
     lambda: kernels.cross_entropy(SCORES, CLASSES, smoothing=0.25, reduction="mean")),
    ("embedding_bag", (TABLE, BAGS), {"mode": "mean"}, lambda: kernels.embedding_bag(TABLE, BAGS, mode="mean")),
    ("embedding_bag", (TABLE, BAGS), {"mode": "max", "padding_index": int(BAGS[1, 1])},
     lambda: kernels.embedding_bag(TABLE, BAGS, mode="max", padding_index=int(BAGS[1, 1]))),
    ("embedding_bag", (TABLE, BAGS, WEIGHTS), {"mode": "sum", "weighted": True},
     lambda: kernels.embedding_bag(TABLE, BAGS, mode="sum", weights=WEIGHTS)),
    ("cross_entropy", (SCORES, CLASSES, EACH), {"weighted": True}, lambda: kernels.cross_entropy(SCORES, CLASSES, weight=EACH, reduction="none")),
    ("cross_entropy", (SCORES, CLASSES, EACH), {"weighted": True, "reduction": "mean"},
     lambda: kernels.cross_entropy(SCORES, CLASSES, weight=EACH, reduction="mean")),
    ("cross_entropy", (SCORES, CLASSES, EACH), {"weighted": True, "smoothing": 0.25, "reduction": "mean"},
     lambda: kernels.cross_entropy(SCORES, CLASSES, weight=EACH, smoothing=0.25, reduction="mean")),
    ("embedding_bag_offsets", (TABLE, LINE, BEGINS), {"mode": "mean"}, lambda: kernels.embedding_bag(TABLE, LINE, mode="mean", offsets=BEGINS)),
    ("embedding_bag_offsets", (TABLE, LINE, BEGINS), {"mode": "max", "padding_index": KEPT},
     lambda: kernels.embedding_bag(TABLE, LINE, mode="max", offsets=BEGINS, padding_index=KEPT)),
    ("embedding_bag_offsets", (TABLE, LINE, BEGINS, OF_LINE), {"mode": "sum", "weighted": True},
     lambda: kernels.embedding_bag(TABLE, LINE, mode="sum", offsets=BEGINS, weights=OF_LINE)),
    ("average_pool", (IMAGE,), {"window": 3}, lambda: kernels.average_pool(IMAGE, 3)),
    ("average_pool", (IMAGE,), {"window": 3, "stride": 2, "padding": 1, "ceil_mode": True},
     lambda: kernels.average_pool(IMAGE, 3, stride=2, padding=1, ceil_mode=True)),
    ("average_pool", (IMAGE,), {"window": 2, "padding": 1, "count_include_pad": True},
     lambda: kernels.average_pool(IMAGE, 2, padding=1, count_include_pad=True)),
    ("convolution", (IMAGE, TAPS, W[:6].copy()), {"stride": 2, "padding": 2, "groups": 2},
     lambda: kernels.convolution(IMAGE, TAPS, W[:6], stride=2, padding=2, groups=2)),
    ("convolution", (IMAGE, TAPS), {"dilation": 2, "groups": 2}, lambda: kernels.convolution(IMAGE, TAPS, dilation=2, groups=2)),
    ("sgd", STEP[:2], {"learning_rate": 0.5, "weight_decay": 0.25}, lambda: kernels.sgd(*STEP[:2], learning_rate=0.5, weight_decay=0.25)),
    ("sgd", STEP[:3], {"learning_rate": 0.5, "momentum": 0.75, "nesterov": True},
     lambda: kernels.sgd(*STEP[:3], learning_rate=0.5, momentum=0.75, nesterov=True)),
    ("adam", STEP, RATES, lambda: kernels.adam(*STEP, **RATES)),
    ("adamw", STEP, RATES, lambda: kernels.adamw(*STEP, **RATES)),
    ("sort", (TIES,), {"reverse": True}, lambda: kernels.sort(TIES, reverse=True)),
    ("sort", (TIES,), {}, lambda: kernels.sort(TIES)),
    ("top_k", (X,), {"k": 5}, lambda: kernels.top_k(X, 5)),
    ("top_k", (X,), {"k": 5, "reverse": True}, lambda: kernels.top_k(X, 5, reverse=True)),
    ("argmax", (X,), {}, lambda: kernels.argmax(X)),
    ("rms_norm_gradient", (X, X[::-1].copy(), W), {"epsilon": 0.5}, lambda: kernels.rms_norm_gradient(X, X[::-1], W, epsilon=0.5)),
    ("layer_norm_gradient", (X, X[::-1].copy(), W), {"epsilon": 0.5}, lambda: kernels.layer_norm_gradient(X, X[::-1], W, epsilon=0.5)),
    ("l2_norm_gradient", (X, G, W), {"epsilon": 0.5}, lambda: kernels.l2_norm_gradient(X, G, W, epsilon=0.5)),
    ("group_norm_gradient", (IMAGE, IMAGE[::-1].copy(), W[:4].copy()), {"groups": 2, "epsilon": 0.5},
     lambda: kernels.group_norm_gradient(IMAGE, IMAGE[::-1], 2, W[:4], epsilon=0.5)),
    ("batch_norm_gradient", (IMAGE, IMAGE[::-1].copy(), W[:4].copy()), {"epsilon": 0.5},
     lambda: kernels.batch_norm_gradient(IMAGE, IMAGE[::-1], W[:4], epsilon=0.5)),
    ("layer_norm_weight_gradient", (X, G), {"epsilon": 0.5}, lambda: kernels.layer_norm_weight_gradient(X, G, epsilon=0.5)),
    ("l2_norm_weight_gradient", (X, G), {"epsilon": 0.5}, lambda: kernels.l2_norm_weight_gradient(X, G, epsilon=0.5)),
    ("group_norm_weight_gradient", (IMAGE, IMAGE[::-1].copy()), {"groups": 2, "epsilon": 0.5},
     lambda: kernels.group_norm_weight_gradient(IMAGE, IMAGE[::-1], 2, epsilon=0.5)),
    ("batch_norm_weight_gradient", (IMAGE, IMAGE[::-1].copy()), {"epsilon": 0.5},
     lambda: kernels.batch_norm_weight_gradient(IMAGE, IMAGE[::-1], epsilon=0.5)),
    ("rms_norm_weight_gradient", (X, G), {"epsilon": 0.5}, lambda: kernels.rms_norm_weight_gradient(X, G, epsilon=0.5)),
    ("attention_gradient", (Q, K, V, GQ), {"causal": 1}, lambda: kernels.attention_gradient(Q, K, V, GQ, causal=True)),
    ("attention_gradient", (Q, K, V, GQ, MASK), {"bias": "mask"}, lambda: kernels.attention_gradient(Q, K, V, GQ, mask=MASK)),
    ("convolution_gradient", (IMAGE, TAPS, GC), {"stride": 2, "padding": 2, "groups": 2},
     lambda: kernels.convolution_gradient(IMAGE, TAPS, GC, stride=2, padding=2, groups=2)),
    ("average_pool_gradient", (GP,), {"window": 3, "stride": 2, "padding": 1, "ceil_mode": True, "shape": IMAGE.shape},
     lambda: kernels.average_pool_gradient(GP, IMAGE.shape, 3, stride=2, padding=1, ceil_mode=True)),
    ("embedding_bag_gradient", (BAGS, GB), {"mode": "mean", "padding_index": KEPT, "shape": TABLE.shape},
     lambda: kernels.embedding_bag_gradient(BAGS, GB, 11, mode="mean", padding_index=KEPT)),
    ("embedding_bag_gradient", (BAGS, GB, WEIGHTS), {"mode": "sum", "weighted": True, "shape": TABLE.shape},
     lambda: kernels.embedding_bag_gradient(BAGS, GB, 11, mode="sum", weights=WEIGHTS)),
    ("embedding_bag_offsets_gradient", (LINE, BEGINS, GB), {"mode": "mean", "shape": TABLE.shape},
     lambda: kernels.embedding_bag_gradient(LINE, GB, 11, mode="mean", offsets=BEGINS)),
    ("embedding_bag_weight_gradient", (TABLE, BAGS, GB), {"padding_index": KEPT},
     lambda: kernels.embedding_bag_weight_gradient(TABLE, BAGS, GB, padding_index=KEPT)),
    ("embedding_bag_offsets_weight_gradient", (TABLE, LINE, BEGINS, GB), {},
     lambda: kernels.embedding_bag_weight_gradient(TABLE, LINE, GB, offsets=BEGINS)),
    ("silu_mul_gradient", (X, X[::-1].copy(), G), {}, lambda: kernels.silu_mul_gradient(X, X[::-1], G)),
    ("gelu_mul_gradient", (X, X[::-1].copy(), G), {"approximate": "tanh"},
     lambda: kernels.gelu_mul_gradient(X, X[::-1], G, approximate="tanh")),
    ("swiglu_gradient", (X, G[:, :32].copy()), {}, lambda: kernels.swiglu_gradient(X, G[:, :32])),
    ("geglu_gradient", (X, G[:, :32].copy()), {}, lambda: kernels.geglu_gradient(X, G[:, :32])),
    ("softmax_gradient", (X, G), {}, lambda: kernels.softmax_gradient(X, G)),
    ("rope_gradient", (X, POSITIONS), {}, lambda: kernels.rope_gradient(X, POSITIONS)),
    ("cross_entropy_gradient", (SCORES, CLASSES, W[:5].copy()), {"smoothing": 0.25},
     lambda: kernels.cross_entropy_gradient(SCORES, CLASSES, W[:5], smoothing=0.25)),
]
LINES, FLAT, ROWS = {"shape": "24x296", "axis": -1}, {"shape": "1216"}, {"shape": "24x296", "affine": "weight"}
FEW, FEW_ROWS = {"shape": "4x300", "axis": -1}, {"shape": "4x300", "affine": "weight"}  # of more lines XLA compiles other steps for some
OF_TORCH, OF_XLA = "functions as in PyTorch's vectors)", "functions as XLA's on the CPU)"
VECTOR_SUMS = "sums (in (8|16) lanes, folded|as PyTorch's vectors of (256|512) bits)"  # where both give the same bits, the first is named
XLA_SUMS = "sums as XLA's on the CPU, in windows of 32"
# A library, an operation, its options, and what is said of the form.
FORMS = [
    ("torch", "softmax", {"format": "fp64", "shape": "4x40", "axis": -1}, "(form torch, SUMS, " + OF_TORCH),
    ("torch", "softmax", LINES, "(form torch, SUMS, " + OF_TORCH),
    ("torch", "log_softmax", LINES, "(form torch, SUMS"),
    ("torch", "silu_mul", FLAT, "(form hugging-face, " + OF_TORCH),
    ("torch", "silu_mul", {"format": "fp64", **FLAT}, "(form hugging-face, " + OF_TORCH),
    ("torch", "softmax_gradient", LINES, "(form torch, SUMS, " + OF_TORCH),
    ("torch", "log_softmax_gradient", LINES, "(form torch-fused, SUMS, " + OF_TORCH),
    ("torch", "cross_entropy_gradient", {"shape": "32x40"}, "(form torch, SUMS, " + OF_TORCH),
    ("torch", "silu_mul_gradient", FLAT, "(form torch-fused, " + OF_TORCH),
    ("torch", "gelu_mul", {"approximate": "tanh", **FLAT}, "(form torch-fused, " + OF_TORCH),
    ("torch", "gelu_mul_gradient", {"approximate": "tanh", **FLAT}, "(form torch, " + OF_TORCH),
    ("torch", "layer_norm_gradient", ROWS, "(form torch-fused, SUMS)"),
    ("torch", "rms_norm_gradient", ROWS, "(form torch, sums as torch.sum)"),
    ("jax", "rms_norm", FEW_ROWS, f"(form xla, {XLA_SUMS})"), ("jax", "layer_norm", FEW_ROWS, f"(form xla, {XLA_SUMS})"),
    ("jax", "softmax", FEW, f"(form torch, {XLA_SUMS}, {OF_XLA}"), ("jax", "log_softmax", FEW, f"(form torch, {XLA_SUMS}, {OF_XLA}"),
    ("jax", "silu_mul", FLAT, "(form liger, " + OF_XLA), ("jax", "gelu_mul", {"approximate": "tanh", **FLAT}, "(form torch, " + OF_XLA),
]
# What a library's own kernel has not, beside numpy's erf.
LACKS = {("torch", "soft_cap"), ("jax", "soft_cap"), ("onnxruntime", "smoothing"), ("onnxruntime", "l2_norm 100.0"), ("onnxruntime", "padding_index")}


class LibraryKernels(unittest.TestCase):
    def check(self, name):
        try:
            module = importlib.import_module(name)
        except ImportError:
            self.skipTest(f"skipped, because {name} is not here")
        convert = {"torch": lambda x: module.from_numpy(x), "jax": lambda x: module.numpy.asarray(x)}.get(name, lambda x: x)
        checked = 0
        for operation, operands, parameters, want in CALLS:
            function = library_kernels.kernel_of(module, name, operation)
            if not function or any((name, one) in LACKS for one in (f"{operation} {parameters.get('epsilon')}", *parameters)):
                continue
            with self.subTest(operation=operation, **parameters):
                found, wanted = function(*(convert(one.copy()) for one in operands), **parameters), want()
                for one, exact in zip(found, wanted) if isinstance(found, tuple) else [(found, wanted)]:
                    np.testing.assert_allclose(np.asarray(one), exact, rtol=2e-5, atol=2e-5 if "rope" not in operation else 2e-3)
                checked += 1
        return checked

    def test_numpy(self):
        self.assertEqual(self.check("numpy"), 46)

    def test_torch(self):
        self.assertEqual(self.check("torch"), 71)

    def test_jax(self):
        self.assertEqual(self.check("jax"), 71)

    def test_onnxruntime(self):
        self.assertEqual(self.check("onnxruntime"), 35)

    def test_gradients_take_the_operands_of_their_operation(self):
        """What a function's parameters are is asked before it is called."""
        operands = {one["name"]: one["operands"] for one in detcheck.list("operations").to_dict()["operations"]}
        names = [*library_kernels.GRADIENTS, *library_kernels.WEIGHT_GRADIENTS]
        for name in names:
            made = types.SimpleNamespace(pulled=None, sides=None)
            setattr(made, name.replace("_weight", "").replace("_gradient", ""), lambda x, weight=None, *, dim=-1, epsilon=None: x)
            signature = inspect.signature(library_kernels.gradient_of(made, name))
            signature.bind(*[None] * operands[name], dim=-1, epsilon=1)
            with self.assertRaises(TypeError):
                signature.bind(*[None] * operands[name], groups=1)
        self.assertGreater(len(names), 14)

    def test_libraries_follow_forms(self):
        """What `explain` names gives every bit of theirs."""
        for library, operation, words, form in FORMS:
            with self.subTest(library=library, operation=operation, **words):
                try:
                    importlib.import_module(library)
                except ImportError:
                    continue
                found = detcheck.explain(operation, impl=[_callables.by_name(library)], samples=2, distribution="normal", **words).to_dict()["results"]
                said = [[one["says"] for one in row["implementations"][0]["explanation"]["explanations"] if one["verdict"] == "all"] for row in found]
                for each in said:
                    self.assertRegex("; ".join(each), re.escape(form).replace("SUMS", VECTOR_SUMS))

    def test_norms_that_jax_compiles_as_a_whole_follow_a_form(self):
        try:
            import jax
        except ImportError:
            self.skipTest("skipped, because jax is not here")
        made = library_kernels.LIBRARIES["jax"](jax)
        for name, affine in (("rms_norm", "weight"), ("layer_norm", "bias")):
            def compiled(x, weight=None, bias=None, *, axis=-1, epsilon=0.0, norm=getattr(made, name), sides=2 if affine == "bias" else 1):
                return jax.jit(lambda x, *own: norm(x, *own, axis=axis, epsilon=epsilon))(x, *(weight, bias)[:sides])
            found = detcheck.explain(name, impl=[compiled], library="jax", samples=2, distribution="normal", shape="4x300", affine=affine).to_dict()["results"]
            said = [one["says"] for one in found[0]["implementations"][0]["explanation"]["explanations"] if one["verdict"] == "all"]
            self.assertIn(f"(form xla-fused, {XLA_SUMS})", "; ".join(said))

    def test_onnxruntime_has_no_epsilon(self):
        try:
            import onnxruntime
        except ImportError:
            self.skipTest("skipped, because onnxruntime is not here")
        function = library_kernels.kernel_of(onnxruntime, "onnxruntime", "l2_norm")
        for epsilon in (1e-7, 100.0):
            with self.assertRaises(ValueError):
                function(X, epsilon=epsilon)

    def test_parameters_of_the_call_reach_the_function(self):
        seen = []

        def rope(x, position, *, base, rotary, interleaved=False, factor=None):
            seen.append((base, rotary, interleaved, factor, position.dtype))
            return kernels.rope(x, position, base=base, rotary=rotary, interleaved=interleaved)

        report = detcheck.sweep("rope", rope, samples=1, shape="3x8", base="500000", rotary=4, interleaved=True)
        self.assertEqual(seen[0][:4], (500000.0, 4, 1, None))
        self.assertEqual(seen[0][4], np.int64)
        self.assertLess(report.rows()[0]["max_ulp"], 2)


if __name__ == "__main__":
    unittest.main()
