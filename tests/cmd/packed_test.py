"""Packed blocks as a user meets them: each layout read a second time (packed_layouts.py), definitions held against fractions, and
each rule of a program written down once more here."""

import hashlib
import math
import random
import struct
import unittest
from bisect import bisect_right
from fractions import Fraction as F

from harness import Case, some
from packed_layouts import FP32, LAYOUTS
from packed_made import MADE
from packed_made import numbers as given_numbers

SPECIAL = (0x7fc00000, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff, 1, 0x80000001, 0x80000000, 0)


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number(code):
    return struct.unpack("<f", struct.pack("<I", code))[0]


def single(x):
    """fp64 to fp32. What one operation on fp32 numbers gives in fp64 is rounded right so."""
    return number(FP32.code(F(x))) if math.isfinite(x) else x


def numbers(drawn, count, kind):
    """Codes of fp32: of a normal distribution, of eighths, of subnormal numbers, or with special numbers among them."""
    if kind == "ties":
        return [bits(drawn.randint(-64, 64) / 8) for _ in range(count)]
    if kind == "subnormal":
        return [drawn.randint(0, 1) << 31 | drawn.getrandbits(20) for _ in range(count)]
    codes = [bits(drawn.gauss(0, 1)) for _ in range(count)]
    return [drawn.choice(SPECIAL) if kind == "special" and drawn.random() < 0.1 else code for code in codes]


KINDS = ("normal", "ties", "subnormal", "special")


def tensor_of(layout, drawn):
    return bits(drawn.choice((1.0, 0.0123, 3e-5))) if layout == "nvfp4" else bits(1.0)


def finite(codes):
    return [F(number(code)) for code in codes if math.isfinite(number(code))]


def nearest_element(block, i, code, tensor):
    """The code of element i that is nearest to a number of fp32, and, of two, even."""
    x, place = number(code), block.place(i, tensor)
    if math.isnan(x) and block.nan is not None:
        return block.nan
    if place is None or place[0] == 0 or math.isnan(x):
        quotient = F(block.zero[i] if block.zero else 0)
    elif math.isinf(x):
        quotient = (1 if (x > 0) == (place[0] > 0) else -1) * F(10) ** 60
    else:
        quotient = (F(x) - place[2]) / place[0] + place[1]
    at = bisect_right(block.ascending, (quotient, 256))
    near = sorted(block.ascending[max(at - 1, 0):at + 1], key=lambda one: (abs(one[0] - quotient), one[1] % 2))
    n, of = near[0]
    if n == 0 and block.has_negative_zero and not math.isnan(x):
        return of | (math.copysign(1, x) < 0) << (len(block.table).bit_length() - 2)
    return of


MX = {"mxfp4": "mxfp4_e2m1", "mxfp6_e2m3": "mxfp6_e2m3", "mxfp6_e3m2": "mxfp6_e3m2", "mxfp8_e4m3": "mxfp8_e4m3", "mxfp8_e5m2": "mxfp8_e5m2",
      "mxint8": "mxint8"}
MINIMA = ("q4_1", "q5_1", "q2_K", "q3_K", "q4_K", "q5_K", "q6_K")


def nearest(x, values):
    """The code of the nearest of ascending values; of two, the even code."""
    return min(range(len(values)), key=lambda code: (abs(values[code] - x), code % 2))


E4M3 = [(code & 7) * 2.0 ** -9 if code < 8 else (8 + (code & 7)) * 2.0 ** ((code >> 3) - 10) for code in range(127)]
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def signed_integers(x, zero):
    """llama.cpp's q4_0 and q5_0: the number of the largest magnitude becomes -zero; halves go up."""
    largest = 0.0
    for v in x:
        largest = v if abs(v) > abs(largest) else largest
    scale = single(largest / -zero)
    inverse = single(1 / scale) if scale else 0.0
    codes = [min(2 * zero - 1, int(single(single(v * inverse) + zero + 0.5))) for v in x]
    return struct.pack("<e", scale), codes


def write_q4_0(x):
    scale, q = signed_integers(x, 8)
    return scale + bytes(q[i] | q[i + 16] << 4 for i in range(16))


def write_q5_0(x):
    scale, q = signed_integers(x, 16)
    high = sum((q[i] >> 4) << i for i in range(32))
    return scale + high.to_bytes(4, "little") + bytes(q[i] & 15 | (q[i + 16] & 15) << 4 for i in range(16))


def write_q8_0(x):
    scale = single(max(map(abs, x)) / 127)
    inverse = single(1 / scale) if scale else 0.0
    away = [int(math.copysign(math.floor(abs(single(v * inverse)) + 0.5), v)) for v in x]
    return struct.pack("<e", scale) + bytes(q & 255 for q in away)


def write_nvfp4(x, code, quotient):
    q = [nearest(min(6, abs(quotient(v))), E2M1) | 8 * (v < 0) for v in x]
    return bytes([code]) + bytes(q[i] | q[i + 1] << 4 for i in range(0, 16, 2))


def torchao(x, tensor):
    scale = single(single(max(map(abs, x)) / 6) / tensor)
    code = nearest(min(448, max(2 ** -6, scale)), E4M3)
    reciprocal = single(single(1 / tensor) / E4M3[code])
    return write_nvfp4(x, code, lambda v: single(v * reciprocal))


def modelopt(x, tensor):
    scale = single(max(map(abs, x)) / single(6 * tensor)) or 1.0
    code = nearest(max(2 ** -9, scale), E4M3)
    both = single(E4M3[code] * tensor)
    return write_nvfp4(x, code, lambda v: single(v / both))


def deepseek(x, _):
    scale = single(max(map(abs, x)) / 448)
    return struct.pack("<f", scale) + bytes(nearest(min(448, abs(single(v / scale))), E4M3) | 128 * (v < 0) for v in x)


E5M2 = [(code & 3) * 2.0 ** -16 if code < 4 else (4 + (code & 3)) * 2.0 ** ((code >> 2) - 17) for code in range(124)]


def by_power(values, code, factor, x):
    """Elements of MX behind the scale's code."""
    q = [nearest(min(values[-1], abs(single(v * factor))), values) for v in x]
    signs = [math.copysign(1, v) < 0 for v in x]
    if len(values) == 8:
        q = [one | 8 * sign for one, sign in zip(q, signs)]
        return bytes([code]) + bytes(q[i] | q[i + 1] << 4 for i in range(0, len(q), 2))
    return bytes([code]) + bytes(one | 128 * sign for one, sign in zip(q, signs))


def triton(values, by, add):
    """The power of two not below (add is 2^23 - 1) or not above (0) the largest magnitude over `by`."""
    def write(x, _):
        code = bits(single(max(map(abs, x)) / by)) + add >> 23
        return by_power(values, code, single(2.0 ** (127 - code)) if code else 0.0, x)
    return write


def triton_nearest(x, tensor):
    x = [single(v / tensor) for v in x]
    code = nearest(min(448, single(max(map(abs, x)) / 6)), E4M3)
    return write_nvfp4(x, code, lambda v: single(v * (single(1 / E4M3[code]) if code else 0)))


def transformer_engine(x, tensor):
    multiplier = single(single(1 / tensor) * single(1 / 6))
    code = nearest(min(448, single(max(map(abs, x)) * multiplier)), E4M3)
    both = single(E4M3[code] * tensor)
    factor = min(single(1 / both), number(0x7f7fffff)) if both else number(0x7f7fffff)
    return write_nvfp4(x, code, lambda v: single(v * factor))


def modelopt_mxfp8(x, _):
    largest = single(max(map(abs, x)) / 448)
    power = max(-127, math.ceil(single(math.log2(largest)))) if largest else -127
    return by_power(E4M3, power + 127, 2.0 ** -power, x)


def cudnn(x, tensor):
    """The scale rounded up to its format, and numbers divided by it."""
    x = [single(v / tensor) for v in x]
    scale = single(max(map(abs, x)) / 6)
    code = next(code for code, value in enumerate(E4M3) if value >= scale)
    return write_nvfp4(x, code, lambda v: single(v / E4M3[code]))


def by_reciprocal(values, largest):
    """TransformerEngine: the largest magnitude times 1 / `largest`, rounded up to a power of two."""
    def write(x, _):
        code = bits(single(max(map(abs, x)) * single(1 / largest))) + 0x7fffff >> 23
        return by_power(values, code, 2.0 ** (127 - code), x)
    return write


WRITERS = (("llama-cpp", "q4_0", 32, lambda x, _: write_q4_0(x)), ("llama-cpp", "q5_0", 32, lambda x, _: write_q5_0(x)),
           ("llama-cpp", "q8_0", 32, lambda x, _: write_q8_0(x)), ("torchao", "nvfp4", 16, torchao),
           ("modelopt", "nvfp4", 16, modelopt), ("modelopt", "mxfp8_e4m3", 32, modelopt_mxfp8),
           ("triton-up", "mxfp4", 32, triton(E2M1, 6, 0x7fffff)), ("triton-up", "mxfp8_e4m3", 32, triton(E4M3, 448, 0x7fffff)),
           ("triton-up", "mxfp8_e5m2", 32, triton(E5M2, 57344, 0x7fffff)), ("triton-down", "mxfp4", 32, triton(E2M1, 4, 0)),
           ("triton-down", "mxfp8_e4m3", 32, triton(E4M3, 256, 0)), ("triton-down", "mxfp8_e5m2", 32, triton(E5M2, 32768, 0)),
           ("triton-nearest", "nvfp4", 16, triton_nearest), ("transformer-engine", "nvfp4", 16, transformer_engine), ("deepseek", "fp8_1x128", 128, deepseek),
           ("cudnn", "nvfp4", 16, cudnn), ("cudnn", "mxfp8_e4m3", 32, triton(E4M3, 448, 0x7fffff)),
           ("cudnn", "mxfp8_e5m2", 32, triton(E5M2, 57344, 0x7fffff)), ("transformer-engine", "mxfp8_e4m3", 32, by_reciprocal(E4M3, 448)),
           ("transformer-engine", "mxfp8_e5m2", 32, by_reciprocal(E5M2, 57344)))


class Packed(Case):
    def bytes_of(self, operation, *words):
        """The bytes that an operation wants, from codes and options: the oracle and the implementation agree on them."""
        words = [f"{word:#x}" if isinstance(word, int) else word for word in words]
        [result] = self.document("eval", operation, *words)["results"]
        wanted = [int(one["want"], 16) for one in result["elements"]]
        self.assertEqual([int(one["implementations"][0]["got"], 16) for one in result["elements"]], wanted)
        return wanted

    def quantised(self, layout, quantiser, codes, tensor):
        return self.bytes_of("packed.quantise", *codes, tensor, "--layout", layout, "--quantiser", quantiser, "--shape", str(len(codes)), "--impl", "det")

    def assert_nearest(self, block, codes, tensor):
        wanted = [nearest_element(block, i, code, F(number(tensor))) for i, code in enumerate(codes)]
        self.assertEqual(block.codes, wanted)
        if block.sums:
            self.assertEqual(block.sums, [sum(block.table[c] for c in block.codes[16 * j:16 * j + 16]) for j in range(16)])

    def test_layouts_are_read_as_here(self):
        for layout, (count, size, read) in LAYOUTS.items():
            drawn = random.Random(layout)
            for turn in range(1 if size > 1000 else 2 if size > 300 else 4):
                mask = 0xff if turn % 2 else 0xbf  # no infinite scale of fp16
                data, tensor = [drawn.getrandbits(8) & mask for _ in range(size)], tensor_of(layout, drawn)
                block, got = read(data), self.bytes_of("packed.dequantise", *data, tensor, "--layout", layout, "--shape", str(count), "--impl", "cr")
                with self.subTest(layout=layout, turn=turn):
                    self.assertEqual(len(got), count)
                    for i, code in enumerate(got):
                        self.assertEqual(code, self.read_code(block, i, tensor), f"element {i}")

    def test_blocks_of_mx_are_those_of_the_operations_on_elements(self):
        """The same elements and scale, as bytes and as arrays, stand for the same numbers."""
        for layout, element in MX.items():
            count, size, read = LAYOUTS[layout]
            drawn = random.Random(layout)
            for scale in (0, 1, 127, 200, 254, 255):
                data = [scale] + [drawn.getrandbits(8) for _ in range(size - 1)]
                words = ("--shape", str(count), "--to", "bf16", "--impl")
                as_bytes = self.bytes_of("packed.dequantise", *data, bits(1.0), "--layout", layout, *words, "cr")
                as_arrays = self.bytes_of("mx.dequantise", *read(data).codes, scale, "--from", element, *words, "det")
                with self.subTest(layout=layout, scale=scale):
                    self.assertEqual(as_bytes, as_arrays)

    def read_code(self, block, i, tensor):
        """What element i is in fp32; 0x7fc00000 for NaN."""
        if block.place(i) is not None and block.table[block.codes[i]] is not None:
            exact = block.number(i, F(number(tensor)))
            if abs(exact) >= 2 ** 128 - 2 ** 103:
                return 0x7f800000 | (exact < 0) << 31
            return FP32.code(exact) if exact else bits(block.float(i, 1.0))
        value = block.float(i, number(tensor))
        return 0x7fc00000 if math.isnan(value) else bits(value)

    def test_nearest_codes_for_given_scales(self):
        for layout, (count, size, read) in LAYOUTS.items():
            drawn = random.Random(layout)
            for kind in some(KINDS, 1 if size > 1000 else 2 if size > 300 else 4, size):
                codes, tensor = numbers(drawn, count, kind), tensor_of(layout, drawn)
                given = self.quantised(layout, "maximum", numbers(drawn, count, kind), tensor)
                if kind == "special":
                    given = [drawn.getrandbits(8) for _ in range(size)]
                got = self.bytes_of("packed.nearest", *codes, tensor, *given, "--layout", layout, "--shape", str(count), "--impl", "det")
                with self.subTest(layout=layout, kind=kind):
                    block, before = read(got), read(given)
                    for name in ("scale", "sub", "minimum", "subminimum", "zero"):
                        self.assertEqual(getattr(block, name), getattr(before, name))
                    self.assert_nearest(block, codes, tensor)

    def test_the_largest_magnitude_gives_scales(self):
        for layout, (count, size, read) in LAYOUTS.items():
            drawn = random.Random(layout + "m")
            for kind in some(KINDS, 1 if size > 1000 else 2 if size > 300 else 4, size):
                codes, tensor = numbers(drawn, count, kind), tensor_of(layout, drawn)
                block = read(self.quantised(layout, "maximum", codes, tensor))
                with self.subTest(layout=layout, kind=kind):
                    self.assert_scales_by_maximum(block, codes, F(number(tensor)))
                    self.assert_nearest(block, codes, tensor)

    def assert_scales_by_maximum(self, block, codes, tensor):
        count, elements = len(codes), [n for n, _ in block.ascending]
        share = count if block.sub is None else count // (8 if block.subs == range(64) else 16)
        columns = 8 if count == 1024 else 1
        groups = [codes[g::columns] if columns > 1 else codes[g * share:(g + 1) * share] for g in range(columns if columns > 1 else count // share)]
        extents = [self.extent(block, finite(group)) for group in groups]
        both = min(-elements[0], elements[-1]) if block.zero is None and block.minimum is None else elements[-1] - elements[0]
        at = [g if columns > 1 else g * share for g in range(len(groups))]  # an element of each group
        sizes, lows = [size / (both * tensor) for _, size in extents], [low for low, _ in extents]
        if block.sub is None:
            self.assertEqual([block.scale[i] for i in at], [block.scale_format.code(size) for size in sizes])
        else:
            self.assert_two_levels(block.scale_format, block.scale[0], block.subs, [block.sub[i] for i in at], sizes)
        if block.subminimum is not None:
            self.assert_two_levels(block.scale_format, block.minimum[0], block.subs, [block.subminimum[i] for i in at], [-low for low in lows])
        elif block.minimum is not None:
            self.assertEqual(block.minimum[0], block.scale_format.code(lows[0]))
        if block.zero is not None:
            scales = [block.place(i)[0] for i in at]
            wanted = [elements[0] - (low / scale if scale else 0) for low, scale in zip(lows, scales)]
            self.assertEqual([block.zero[i] for i in at], [min(max(round(z), block.zeros[0]), block.zeros[-1]) for z in wanted])

    def extent(self, block, group):
        """(minimum, range or largest magnitude)"""
        low, high = (min(group), max(group)) if group else (F(0), F(0))
        if block.zero is not None or block.subtracts:
            low, high = min(low, 0), max(high, 0) if block.zero is not None else high
        if block.zero is None and block.minimum is None:
            return F(0), max(abs(low), abs(high))
        return low, high - low

    def assert_two_levels(self, form, code, integers, stored, wanted):
        """A scale is the largest over the largest integer that there is with both signs; integers are the nearest to quotients by it."""
        self.assertEqual(code, form.code(max(0, *wanted) / integers[-1]))
        unit = form.number(code)
        self.assertEqual(stored, [min(max(round(one / unit), integers[0]), integers[-1]) if unit else 0 for one in wanted])

    def test_blocks_of_zeros(self):
        """Where a scale has no 0, it is the smallest."""
        for layout in ("q4_0", "nvfp4", "mxfp4", "mxint8", "int8_zero", "q6_K", "nf4"):
            count, _, read = LAYOUTS[layout]
            for quantiser in ("maximum",) if layout == "q6_K" else ("maximum", "squares"):
                block = read(self.quantised(layout, quantiser, [0] * count, bits(1.0)))
                with self.subTest(layout=layout, quantiser=quantiser):
                    self.assertEqual(block.scale[0], 0)
                    self.assertEqual(set(map(block.number, range(count))), {0})

    def test_least_squares(self):
        for layout, (count, size, read) in LAYOUTS.items():
            if layout in MINIMA:
                self.assertIn(f"the quantiser squares has no rule for {layout}: detcheck cannot find the least sum if a part of a block has a minimum or shares a scale;", self.refuse("sweep", "packed.quantise", "--layout", layout, "--quantiser", "squares"))
                continue
            if size > 300:
                continue  # the same code, with more numbers
            drawn = random.Random(layout + "s")
            for kind in some(("ties", "normal", "special"), 2, size):
                codes, tensor = numbers(drawn, count, kind), tensor_of(layout, drawn)
                block = read(self.quantised(layout, "squares", codes, tensor))
                with self.subTest(layout=layout, kind=kind):
                    self.assert_nearest(block, codes, tensor)
                    self.assert_least(block, finite(codes), F(number(tensor)))

    def test_least_squares_with_a_negative_scale_of_the_tensor(self):
        count, _, read = LAYOUTS["nvfp4"]
        drawn = random.Random("negative")
        for tensor in (-1.0, -0.0123):
            codes = numbers(drawn, count, "normal")
            block = read(self.quantised("nvfp4", "squares", codes, bits(tensor)))
            self.assert_nearest(block, codes, bits(tensor))
            self.assert_least(block, finite(codes), F(number(bits(tensor))))

    def test_least_squares_without_a_scale_of_the_tensor(self):
        count, _, read = LAYOUTS["nvfp4"]
        codes = numbers(random.Random("none"), count, "normal")
        for tensor in (0.0, math.inf, -math.inf, math.nan):
            self.assertEqual(read(self.quantised("nvfp4", "squares", codes, bits(tensor))).scale[0], 0)

    def assert_least(self, block, group, tensor):
        """No other scale, of those next to the vertices of parabolas that a grid of scales finds, has a smaller sum."""
        found = block.place(0, tensor)
        form, ends = block.scale_format, (float(block.ascending[0][0]), float(block.ascending[-1][0]))
        least = self.exact_sum(block, group, found[0], found[1])
        largest, tried = float(max(map(abs, group))), set()
        for zero in [0] if block.zero is None else {*some(block.zeros, 3), found[1], min(found[1] + 1, block.zeros[-1])}:
            both = form.is_signed and block.zero is None and -ends[0] != ends[1]
            for step in range(8 if block.zero is None else 4):
                for sign in (1, -1) if both else (1,):
                    scale = sign * largest / max(abs(ends[0] - zero), abs(ends[1] - zero)) * 2.5 * 0.85 ** step / float(tensor)
                    vertex = self.vertex(block, group, F(scale) * tensor, zero) / tensor
                    code = form.code(vertex if form.is_signed else max(vertex, 0))
                    tried |= {(other, zero) for other in (code - 1, code, code + 1) if other >= 0 and form.number(other) is not None}
        for code, zero in tried:
            value = form.number(code) * tensor
            self.assertGreaterEqual(self.exact_sum(block, group, value, zero), least, (float(value), zero))

    def vertex(self, block, group, scale, zero):
        """The best scale for the codes that are nearest at another."""
        numbers_ = self.near(block, group, scale, zero)
        squares = sum(n * n for n in numbers_)
        return sum(n * x for n, x in zip(numbers_, group)) / squares if squares else F(0)

    def exact_sum(self, block, group, scale, zero):
        return sum((n * scale - x) ** 2 for n, x in zip(self.near(block, group, scale, zero), group))

    def near(self, block, group, scale, zero):
        if not scale:
            return [F(0)] * len(group)
        found = []
        for x in group:
            at = bisect_right(block.ascending, (x / scale + zero, 256))
            found.append(min((n - zero for n, _ in block.ascending[max(at - 1, 0):at + 1]), key=lambda n, x=x: abs(n * scale - x)))
        return found

    def test_quantisers_write_what_is_written_here(self):
        for quantiser, layout, count, write in WRITERS:
            drawn = random.Random(layout)
            for turn in range(4):
                x = [single(drawn.gauss(0, 1)) if turn % 2 else drawn.randint(-64, 64) / 16 for _ in range(count)]
                tensor = single(0.0123) if layout == "nvfp4" and turn > 1 else 1.0
                x[0] = 7.0 if turn == 0 else x[0]
                [result] = self.document("eval", "packed.quantise", *(v.hex() for v in x), tensor.hex(), "--layout",
                                         layout, "--quantiser", quantiser, "--shape", count, "--impl", "det")["results"]
                with self.subTest(quantiser=quantiser, layout=layout, turn=turn):
                    self.assertEqual(bytes(int(one["want"], 16) for one in result["elements"]), write(x, tensor))

    def test_bytes_are_those_of_packages(self):
        for quantiser, layouts in MADE.items():
            for layout, made in layouts.items():
                data = b"".join(bytes(self.quantised(layout, quantiser, given_numbers(special), bits(1.0))) for special in (False, True))
                with self.subTest(quantiser=quantiser, layout=layout):
                    self.assertEqual(hashlib.sha256(data).hexdigest()[:16], made)

    def test_a_quantiser_without_a_rule_is_refused(self):
        says = self.refuse("sweep", "packed.quantise", "--layout", "q2_K", "--quantiser", "torchao")
        self.assertIn("the quantiser torchao has no rule for q2_K", says)


if __name__ == "__main__":
    unittest.main()
