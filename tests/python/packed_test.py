"""Blocks as bytes in Python (detcheck.packed): beside q8_0 and q4_0 as numpy computes them here, and the sizes of all layouts beside the
program."""

import os
import sys
import unittest

import with_numpy  # noqa: F401

import numpy as np

from detcheck import packed

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cmd"))

from packed_layouts import LAYOUTS  # noqa: E402

X = np.random.default_rng(7).standard_normal((4, 32)).astype(np.float32)


class Packed(unittest.TestCase):
    def test_layouts_have_the_sizes_of_the_program(self):
        self.assertEqual(packed.LAYOUTS, {name: (count, size) for name, (count, size, _) in LAYOUTS.items()})
        for layout, (count, size) in packed.LAYOUTS.items():
            if size < 100:
                with self.subTest(layout=layout):
                    made = packed.quantise(np.zeros(2 * count, np.float32), layout)
                    self.assertEqual((made.shape, made.dtype), ((2, size), np.uint8))
                    self.assertEqual(np.abs(packed.dequantise(made, layout)).max(), 0)

    def test_q8_0(self):
        """As llama.cpp writes it."""
        made = packed.quantise(X, "q8_0", "llama-cpp")
        scales = (np.abs(X).max(axis=1, keepdims=True) / np.float32(127)).astype(np.float32)
        quotients = X * (np.float32(1) / scales)
        codes = np.copysign(np.floor(np.abs(quotients) + np.float32(0.5)), quotients).astype(np.int8)
        np.testing.assert_array_equal(made[:, :2], scales.astype(np.float16).view(np.uint8))
        np.testing.assert_array_equal(made[:, 2:], codes.view(np.uint8))
        wanted = scales.astype(np.float16).astype(np.float32) * codes
        np.testing.assert_array_equal(packed.dequantise(made, "q8_0"), wanted)
        np.testing.assert_array_equal(packed.dequantise(made.tobytes(), "q8_0"), wanted)

    def test_nearest_codes_keep_scales(self):
        given = packed.quantise(X, "q4_0")
        self.assertTrue((packed.nearest(X / 2, given, "q4_0")[:, :2] == given[:, :2]).all())
        np.testing.assert_array_equal(packed.nearest(X, given, "q4_0"), given)

    def test_the_scale_of_the_tensor(self):
        x = X.reshape(-1, 16)
        np.testing.assert_array_equal(packed.quantise(x, "nvfp4", "torchao", tensor_scale=0.25), packed.quantise(x * 4, "nvfp4", "torchao"))
        made = packed.quantise(x, "nvfp4")
        np.testing.assert_array_equal(packed.dequantise(made, "nvfp4", tensor_scale=0.5), packed.dequantise(made, "nvfp4") / 2)

    def test_long_arrays_go_in_parts(self):
        x = np.tile(X, (200, 1))
        made = packed.quantise(x, "q4_0", "llama-cpp")
        np.testing.assert_array_equal(made, np.tile(packed.quantise(X, "q4_0", "llama-cpp"), (200, 1)))

    def test_what_is_wrong_is_said(self):
        for says, call in (("there is no layout 'q9'", lambda: packed.quantise(X, "q9")),
                           ("made of float32 or float16, not float64", lambda: packed.quantise(X.astype(np.float64), "q4_0")),
                           ("31 are not whole blocks", lambda: packed.quantise(X[0, :31], "q4_0")),
                           ("a block of q4_0 has 18 bytes, and 17 are not whole", lambda: packed.dequantise(bytes(17), "q4_0")),
                           ("blocks are bytes", lambda: packed.dequantise(X, "q4_0")),
                           ("as many blocks of bytes, not 1", lambda: packed.nearest(X, bytes(18), "q4_0")),
                           ("torchao has no rule for q4_0", lambda: packed.quantise(X, "q4_0", "torchao"))):
            with self.subTest(says=says), self.assertRaises(Exception) as raised:
                call()
            self.assertIn(says, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
