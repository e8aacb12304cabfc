"""Kernels of libraries (library_kernels.py): each does what detcheck's does, with the parameters of the call. Libraries that are
not here are left out, and what they lack."""

import importlib
import unittest

import with_numpy  # noqa: F401

import numpy as np

import detcheck
from detcheck import kernels, library_kernels

rng = np.random.default_rng(1)


def drawn(*shape):
    return rng.standard_normal(shape).astype(np.float32)


X, W, B, POSITIONS, MASK = drawn(3, 64), drawn(64), drawn(64), np.array([3, 70, 4000]), drawn(5, 9)
Q, K, V = drawn(1, 4, 5, 16), drawn(1, 2, 9, 16), drawn(1, 2, 9, 16)
# An operation, operands, parameters as a library's function takes them, and det's call.
CALLS = [
    ("rms_norm", (X, W), {"epsilon": 1e-5}, lambda: kernels.rms_norm(X, W, epsilon=1e-5)),
    ("rms_norm", (X,), {"epsilon": 0.5}, lambda: kernels.rms_norm(X, epsilon=0.5)),
    ("layer_norm", (X, W, B), {"epsilon": 0.5}, lambda: kernels.layer_norm(X, W, B, epsilon=0.5)),
    ("l2_norm", (X, W, B), {"epsilon": 100.0}, lambda: kernels.l2_norm(X, W, B, epsilon=100.0)),
    ("silu_mul", (X, X[::-1].copy()), {}, lambda: kernels.silu_mul(X, X[::-1])),
    ("gelu_mul", (X, X[::-1].copy()), {"approximate": "tanh"}, lambda: kernels.gelu_mul(X, X[::-1], approximate="tanh")),
    ("swiglu", (X,), {}, lambda: kernels.swiglu(X)),
    ("rope", (X, POSITIONS), {}, lambda: kernels.rope(X, POSITIONS)),
    ("rope", (X, POSITIONS), {"base": 500000.0, "factor": 8.0, "rotary": 32, "interleaved": True},
     lambda: kernels.rope(X, POSITIONS, base=500000, factor=8, rotary=32, interleaved=True)),
    ("attention", (Q, K, V), {}, lambda: kernels.attention(Q, K, V)),
    ("attention", (Q, K, V), {"causal": 1, "window": 4}, lambda: kernels.attention(Q, K, V, causal=True, window=4)),
    ("attention", (Q, K, V, MASK), {"bias": "mask", "causal": 1}, lambda: kernels.attention(Q, K, V, mask=MASK, causal=True)),
    ("attention", (Q, K, V, W[:4].copy()), {"bias": "alibi"}, lambda: kernels.attention(Q, K, V, slopes=W[:4])),
    ("attention", (Q, K, V), {"soft_cap": 5.0}, lambda: kernels.attention(Q, K, V, soft_cap=5)),
]
# What a library's own kernel has not, beside numpy's erf.
LACKS = {("torch", "soft_cap"), ("jax", "soft_cap")}


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
            if not function or any((name, one) in LACKS for one in parameters):
                continue
            with self.subTest(operation=operation, **parameters):
                found = np.asarray(function(*map(convert, operands), **parameters))
                np.testing.assert_allclose(found, want(), rtol=2e-5, atol=2e-5 if operation != "rope" else 2e-3)
                checked += 1
        return checked

    def test_numpy(self):
        self.assertEqual(self.check("numpy"), 14)

    def test_torch(self):
        self.assertEqual(self.check("torch"), 13)

    def test_jax(self):
        self.assertEqual(self.check("jax"), 13)

    def test_onnxruntime(self):
        self.assertEqual(self.check("onnxruntime"), 10)

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
