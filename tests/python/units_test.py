"""Matrix units in Python (detcheck.units): the program's bits, and those of fractions for blocks; strides, parts and accumulators;
what is refused."""

import fractions
import json
import unittest

import with_numpy

import numpy as np

import detcheck
from detcheck import mx, units


def drawn(random, shape, spread=6):
    return (random.standard_normal(shape) * 2.0 ** random.integers(-spread, spread, shape)).astype(np.float16)


def bits(array):
    return array.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[array.dtype.itemsize])


class Units(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(52)

    def same(self, one, other):
        np.testing.assert_array_equal(bits(one), bits(other))

    def by_program(self, a, b, implementation, **options):
        operands = [f"0x{code:04x}" for code in (*bits(a).reshape(-1), *bits(b).reshape(-1))]
        shape = "x".join(str(one) for one in (*a.shape, b.shape[1]))
        got = detcheck.eval("matmul", *operands, impl=implementation, format="fp16", dtype="fp32", shape=shape, **options).to_dict()
        codes = [int(one["implementations"][0]["got"], 16) for one in got["results"][0]["elements"]]
        return np.array(codes, np.uint32).view(np.float32).reshape(a.shape[0], b.shape[1])

    def test_bits_are_those_of_the_program(self):
        for unit in ("v100", "a100", "h100", "mi300x", "amx-fp16"):
            for cut in ({}, {"split_k": 3}, {"promote": 20}, {"tile": 4, "split_k": 2}):
                if "tile" in cut and unit == "amx-fp16":
                    continue
                a, b = drawn(self.random, (3, 70)), drawn(self.random, (70, 5))
                words = "".join(f",{name.replace('_', '-')}={value}" for name, value in cut.items())
                with self.subTest(unit=unit, cut=cut):
                    self.same(units.matmul(a, b, unit, **cut), self.by_program(a, b, f"mma:{unit}{words}"))

    def test_blocks_have_the_bits_of_the_program(self):
        """Of mx.matmul: elements and scales of any codes; the last call is not full."""
        for element, name, block, width in (("mxfp8_e5m2", "fp8_e8m0fnu", 32, 8), ("mxfp4_e2m1", "fp8_e4m3fn", 16, 4)):
            a, b = (self.random.integers(0, 1 << width, shape).astype(np.uint8) for shape in ((2, 80), (80, 3)))
            s, t = (self.random.integers(90, 120, shape).astype(np.uint8) for shape in ((2, -(-80 // block)), (-(-80 // block), 3)))
            operands = [f"0x{code:02x}" for code in (*a.reshape(-1), *s.reshape(-1), *b.reshape(-1), *t.reshape(-1))]
            for cut in ({}, {"split_k": 2}):
                words = "".join(f",{key.replace('_', '-')}={value}" for key, value in cut.items())
                got = detcheck.eval("mx.matmul", *operands, impl=f"mma:b200-tcgen05{words}", format=element, scale_format=name,
                                    shape="2x80x3").to_dict()["results"][0]["elements"]
                codes = [int(one["implementations"][0]["got"], 16) for one in got]
                mine = units.matmul(a, b, "b200-tcgen05", format=element, a_scales=s, b_scales=t, scales=name, **cut)
                self.assertEqual(codes, list(bits(mine).reshape(-1)), (element, cut))

    def test_what_changes_no_bits(self):
        a, b = drawn(self.random, (67, 96)), drawn(self.random, (96, 50))
        whole = units.matmul(a, b, "h100", threads=1)
        self.same(units.matmul(a, b, "h100", threads=5), whole)
        self.same(units.matmul(np.asfortranarray(a), b[:, ::-1], "h100")[:, ::-1].copy(), whole)
        self.same(units.matmul(np.repeat(a, 2, 0)[::2], np.repeat(b, 3, 1)[:, ::3], "H100"), whole)
        out = np.full((67, 50), np.nan, np.float32)
        self.assertIs(units.matmul(bits(a), bits(b), "h100", format="fp16", out=out), out)
        self.same(out, whole)
        self.same(np.array([units.dot(a[i], b[:, 7], "h100") for i in range(67)]), whole[:, 7].copy())
        self.assertFalse((bits(whole) == bits(units.matmul(a, b, "a100"))).all())

    def test_c_comes_into_the_first_call(self):
        a, b = drawn(self.random, (4, 32)), drawn(self.random, (32, 8))
        for unit in ("h100", "mi300x"):
            half = units.matmul(a[:, :16].copy(), b[:16].copy(), unit)
            self.same(units.matmul(a[:, 16:].copy(), b[16:].copy(), unit, c=half), units.matmul(a, b, unit))
            into = half.copy()
            units.matmul(a[:, 16:].copy(), b[16:].copy(), unit, c=into, out=into)
            self.same(into, units.matmul(a, b, unit))
        self.assertEqual(units.dot(a[0], b[:, 0] * np.float16(0), "h100", c=np.float32(3)), 3)

    def test_accumulators_and_formats(self):
        a, b = drawn(self.random, (3, 40)), drawn(self.random, (40, 3))
        self.assertEqual(units.matmul(a, b, "h100", accumulate=np.float16).dtype, np.float16)
        self.assertEqual(units.matmul(a.astype(np.float64), b.astype(np.float64), "a100").dtype, np.float64)
        whole = [self.random.integers(-128, 128, shape).astype(np.int8) for shape in ((3, 40), (40, 3))]
        got = units.matmul(*whole, "b200")
        self.assertEqual(got.dtype, np.int32)
        np.testing.assert_array_equal(got, whole[0].astype(np.int32) @ whole[1].astype(np.int32))
        large = np.full((1, 140000), -128, np.int8)  # 2^31 and more, modulo 2^32
        for cut in ({}, {"split_k": 3}):
            self.assertEqual(units.matmul(large, large.T.copy(), "h100", **cut)[0, 0], 140000 * 2**14 - 2**32)
        self.assertEqual(units.matmul(large, large.T.copy(), "h100", saturate=True)[0, 0], 2**31 - 1)
        # What tf32 cannot hold is left out.
        single = [one.astype(np.float32) * np.float32(1 + 2**-12) for one in (a, b)]
        self.same(units.matmul(*single, "h100", format="tf32"),
                  units.matmul(*(((bits(one) >> 13) << 13).view(np.float32) for one in single), "h100", format="tf32"))

    def blocks(self, a, b, a_scales, b_scales, block):
        """In fractions: exact, as few terms of small formats are where no more than 24 bits are needed."""
        value = [fractions.Fraction(one) for one in (0, 0.5, 1, 1.5, 2, 3, 4, 6)]
        total = fractions.Fraction(0)
        for k, (x, y) in enumerate(zip(a, b)):
            sign = -1 if (x ^ y) & 8 else 1
            total += sign * value[x & 7] * value[y & 7] * a_scales[k // block] * b_scales[k // block]
        return total

    def test_blocks_with_scales(self):
        a, b = (self.random.integers(0, 16, shape).astype(np.uint8) for shape in ((3, 48), (48, 4)))
        # 1, 1.125, 1.5, 2 and 3 in fp8_e4m3fn.
        codes, numbers = np.array([0x38, 0x39, 0x3c, 0x40, 0x44], np.uint8), [fractions.Fraction(n) / 8 for n in (8, 9, 12, 16, 24)]
        picks = [self.random.integers(0, 5, shape) for shape in ((3, 3), (3, 4))]
        got = units.matmul(a, b, "b200-tcgen05", format="mxfp4_e2m1", a_scales=codes[picks[0]], b_scales=codes[picks[1]],
                           scales="fp8_e4m3fn")
        for i in range(3):
            for j in range(4):
                want = self.blocks(a[i], b[:, j], [numbers[p] for p in picks[0][i]], [numbers[p] for p in picks[1][:, j]], 16)
                self.assertEqual(got[i, j], want)
        powers = [self.random.integers(120, 135, shape).astype(np.uint8) for shape in ((3, 2), (2, 4))]
        got = units.matmul(a, b, "rtx-blackwell", format="mxfp4_e2m1", a_scales=powers[0], b_scales=powers[1], scales="fp8_e8m0fnu")
        for i in range(3):
            for j in range(4):
                exact = [[fractions.Fraction(2) ** (int(p) - 127) for p in line] for line in (powers[0][i], powers[1][:, j])]
                self.assertEqual(got[i, j], self.blocks(a[i], b[:, j], *exact, 32))

    def test_blocks_that_were_quantised(self):
        x, y = (self.random.standard_normal(shape).astype(np.float32) for shape in ((5, 96), (96, 6)))
        left, right = mx.quantise(x, "mxfp8_e4m3"), mx.quantise(y, "mxfp8_e4m3", axis=0)
        got = units.matmul(left.elements, right.elements, "b200-tcgen05", format="mxfp8_e4m3", a_scales=left.scales,
                           b_scales=right.scales, scales="fp8_e8m0fnu")
        plain = mx.dequantise(left, format="mxfp8_e4m3") @ mx.dequantise(right, format="mxfp8_e4m3", axis=0)
        np.testing.assert_allclose(got, plain, rtol=0, atol=1e-4)

    def test_rows_and_their_parameters(self):
        rows = units.list()
        self.assertGreater(len(rows), 60)
        self.assertEqual(len(set(rows)), len(rows))
        for row in rows:
            given = {"scales": row.scales, "block": row.block} if row.scales else {}
            one = units.parameters(row.name, row.format, accumulate=row.accumulator, **given)
            self.assertEqual((one["name"], one["format"], one["accumulator"], one["source"]),
                             (row.name, row.format, row.accumulator, row.source))
            self.assertEqual(one["node"]["result"], row.accumulator)
        self.assertEqual(units.parameters("h100")["node"]["aligned_bits"], 25)
        json.dumps(units.parameters("mi250", "bf16"))

    def test_what_is_refused(self):
        a = np.ones((2, 2), np.float16)
        for error, text, call in (
                (ValueError, "no matrix unit 'h101'; there are: v100, ", lambda: units.matmul(a, a, "h101")),
                (ValueError, "v100 has no products of fp64", lambda: units.matmul(a.astype(float), a.astype(float), "v100")),
                (ValueError, "it has none with scales", lambda: units.parameters("h100", "mxfp4_e2m1", scales="fp8_e4m3fn")),
                (TypeError, "of one format, not fp16 and fp64", lambda: units.matmul(a, a.astype(float), "h100")),
                (TypeError, "ROWSxINNER and INNERxCOLUMNS", lambda: units.matmul(a, a[:1], "h100")),
                (TypeError, "format= has to name the format of the codes", lambda: units.matmul(bits(a), bits(a), "h100")),
                (TypeError, "an array of float16 has no codes of bf16", lambda: units.matmul(a, a, "h100", format="bf16")),
                (TypeError, "an array of int32 has no codes of tf32", lambda: units.matmul(a.astype("i4"), a.astype("i4"), "h100", format="tf32")),
                (TypeError, "the bytes of numbers in the other order", lambda: units.matmul(*[a.astype(a.dtype.newbyteorder("S"))] * 2, "h100")),
                (ValueError, "give the names of the unit", lambda: units.matmul(a, a, None)),
                (TypeError, "bf16 does not fit an array of uint8", lambda: units.matmul(a.astype(np.uint8), a.astype(np.uint8), "h100", format="bf16")),
                (TypeError, "cannot be combined", lambda: units.matmul(a, a, "h100", split_k=2, promote=3)),
                (ValueError, "split_k= is a whole number from 1 to", lambda: units.matmul(a, a, "h100", split_k=0)),
                (TypeError, "need each other", lambda: units.matmul(a, a, "h100", a_scales=a)),
                (ValueError, "scales of a are bytes in the shape (2, 1)", lambda: units.matmul(
                    a.astype(np.uint8), a.astype(np.uint8), "b200-tcgen05", format="mxfp4_e2m1", a_scales=a, b_scales=a, scales="fp8_e4m3fn")),
                (TypeError, "c= has to be an array of float32", lambda: units.matmul(a, a, "h100", c=a)),
                (TypeError, "out= of matmul", lambda: units.matmul(a, a, "h100", out=a)),
                (TypeError, "dot needs two vectors", lambda: units.dot(a, a, "h100"))):
            with self.subTest(text=text), self.assertRaises(error) as caught:
                call()
            self.assertIn(text, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
