"""Packed blocks as a user meets them: each layout read a second time here, by shifts as its own reader has them."""

import math
import random
import struct
import unittest

from harness import Case


def half(low, high):
    return struct.unpack("<e", bytes((low, high)))[0]


def nibbles(block, start, count):
    """GGUF's order: low halves first, then high ones."""
    return [b & 15 for b in block[start:start + count]] + [b >> 4 for b in block[start:start + count]]


def q4_0(b):
    return [half(*b[:2]) * (q - 8) for q in nibbles(b, 2, 16)]


def q5_1(b):
    bits = int.from_bytes(b[4:8], "little")
    return [half(*b[:2]) * (q | (bits >> i & 1) << 4) + half(*b[2:4]) for i, q in enumerate(nibbles(b, 8, 16))]


def q8_0(b):
    return [half(*b[:2]) * (q - 256 * (q > 127)) for q in b[2:]]


def q4_k(b):
    numbers = []
    for j in range(8):
        if j < 4:
            scale, minimum = b[4 + j] & 63, b[8 + j] & 63
        else:
            scale = b[8 + j] & 15 | b[j] >> 6 << 4
            minimum = b[8 + j] >> 4 | b[4 + j] >> 6 << 4
        codes = [c >> 4 * (j % 2) & 15 for c in b[16 + 32 * (j // 2):48 + 32 * (j // 2)]]
        numbers += [half(*b[:2]) * scale * c - half(*b[2:4]) * minimum for c in codes]
    return numbers


READERS = {"q4_0": (32, 18, q4_0), "q5_1": (32, 24, q5_1), "q8_0": (32, 34, q8_0), "q4_K": (256, 144, q4_k)}


def block_of(seed, count):
    """Bytes whose bit 6 is 0, so that no scale is infinite."""
    state, block = seed, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % (1 << 31)
        block.append(state >> 16 & 0xbf)
    return block


def single(x):
    """fp64 to fp32. What one operation on fp32 numbers gives in fp64 is rounded right so."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


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


WRITERS = (("llama-cpp", "q4_0", 32, lambda x, _: write_q4_0(x)), ("llama-cpp", "q5_0", 32, lambda x, _: write_q5_0(x)),
           ("llama-cpp", "q8_0", 32, lambda x, _: write_q8_0(x)), ("torchao", "nvfp4", 16, torchao),
           ("modelopt", "nvfp4", 16, modelopt), ("deepseek", "fp8_1x128", 128, deepseek))


class Packed(Case):
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

    def test_layouts_are_read_as_here(self):
        for seed in range(3):
            for layout, (count, size, reader) in READERS.items():
                block = block_of(seed, size)
                [result] = self.document("eval", "packed.dequantise", *block, 1, "--layout", layout, "--shape", count,
                                         "--impl", "cr")["results"]
                with self.subTest(layout=layout, seed=seed):
                    self.assertEqual([int(one["want"], 16) for one in result["elements"]],
                                     [struct.unpack("<I", struct.pack("<f", y))[0] for y in reader(block)])

    def test_a_quantiser_without_a_rule_is_refused(self):
        says = self.refuse("sweep", "packed.quantise", "--layout", "q2_K", "--quantiser", "torchao")
        self.assertIn("the quantiser torchao has no rule for q2_K", says)


if __name__ == "__main__":
    unittest.main()
