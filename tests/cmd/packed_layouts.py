"""Block formats, read a second time: by shifts of a block's bytes, as the readers of each format are written, and in fractions.

READERS[layout](bytes) is a Block. Nothing here knows of the program's tables."""

import functools
import math
import struct
from fractions import Fraction as F


class Format:
    """Codes of a floating-point format, of sign, exponent and fraction; `most` is the largest finite magnitude's code."""

    def __init__(self, width, fraction, bias, most, nan=None, is_signed=True):
        self.width, self.fraction, self.bias, self.most, self.nan, self.is_signed = width, fraction, bias, most, nan, is_signed

    def number(self, code):
        sign = -1 if self.is_signed and code >> (self.width - 1) else 1
        code &= (1 << (self.width - self.is_signed)) - 1
        if code > self.most:
            return None
        exponent, fraction = code >> self.fraction, code & ((1 << self.fraction) - 1)
        if exponent:
            fraction |= 1 << self.fraction
        return sign * fraction * F(2) ** (max(exponent, 1) - self.bias - self.fraction)

    def special(self, code):
        """A number that is none, in fp64: infinity where the format has one behind its largest number."""
        magnitude = code & ((1 << (self.width - self.is_signed)) - 1)
        if magnitude <= self.most:
            return float(self.number(code))
        infinite = magnitude == self.most + 1 and self.nan != magnitude
        return (-1 if self.is_signed and code >> (self.width - 1) else 1) * (math.inf if infinite else math.nan)

    def code(self, x):
        """The code of the nearest number; of two, the even one; at most the largest."""
        if self.most > 0x10000 and F(float(x)) == x and 0 < abs(x) < 2 ** 127:
            return struct.unpack("<I", struct.pack("<f", float(x)))[0]
        low, high = 0, self.most
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.number(middle) <= abs(x) else (low, middle - 1)
        if low < self.most:
            below, above = abs(x) - self.number(low), self.number(low + 1) - abs(x)
            low += below > above or (below == above and low % 2)
        return low | (x < 0 and self.is_signed) << (self.width - 1)


class PowersOfTwo(Format):
    def number(self, code):
        return F(2) ** (code - 127) if code < 255 else None


FP16, FP32 = Format(16, 10, 15, 0x7bff, 0x7e00), Format(32, 23, 127, 0x7f7fffff, 0x7fc00000)
E4M3, E8M0 = Format(8, 3, 7, 0x7e, 0x7f), PowersOfTwo(8, 0, 127, 254, 255, False)
ELEMENTS = {"mxfp4": Format(4, 1, 1, 7), "mxfp6_e2m3": Format(6, 3, 1, 31), "mxfp6_e3m2": Format(6, 2, 3, 31),
            "mxfp8_e4m3": E4M3, "mxfp8_e5m2": Format(8, 2, 15, 0x7b, 0x7e)}


class Block:
    """Codes of elements, and the codes of the scale, sub-scale, minimum, sub-minimum and zero point of each of them; None where
    there is none. table[code] is what a code of an element is; codes that are equal numbers stand for the sign that they have."""

    def __init__(self, codes, table, scale, scale_format, **more):
        count = len(codes)
        self.codes, self.table, self.scale_format = codes, table, scale_format
        self.scale = scale * (count // len(scale)) if len(scale) < count else scale
        self.sub = self.minimum = self.subminimum = self.zero = self.sums = None
        self.zeros = range(0)  # that can be stored
        self.subs, self.subtracts, self.has_negative_zero, self.nan, self.special = range(0), False, False, None, {}
        self.__dict__.update(more)

    @functools.cached_property
    def ascending(self):
        """(number, code) of all finite elements, of equal ones the first."""
        first = {}
        for code, n in enumerate(self.table):
            if n is not None:
                first.setdefault(F(n), code)
        return sorted(first.items())

    def place(self, i, tensor=1):
        """(scale, zero point, minimum) of element i, where all of them are finite."""
        scale, low = self.scale_format.number(self.scale[i]), F(0)
        if scale is None:
            return None
        if self.minimum is not None:
            low = self.scale_format.number(self.minimum[i])
            low = low if low is None or self.subminimum is None else low * self.subminimum[i]
            if low is None:
                return None
        return scale * (1 if self.sub is None else self.sub[i]) * tensor, self.zero[i] if self.zero else 0, -low if self.subtracts else low

    def float(self, i, tensor):
        """Element i in fp64, for infinities, NaN and signs of zero."""
        scale = self.scale_format.special(self.scale[i]) * (1 if self.sub is None else self.sub[i])
        n = self.table[self.codes[i]]
        n = self.special[self.codes[i]] if n is None else (-0.0 if n == 0 and self.codes[i] and self.has_negative_zero else float(n))
        value = scale * (n - (self.zero[i] if self.zero else 0.0)) * tensor
        if self.minimum is None:
            return value
        low = self.scale_format.special(self.minimum[i]) * (1 if self.subminimum is None else self.subminimum[i])
        return value - low if self.subtracts else value + low

    def number(self, i, tensor=1):
        scale, zero, low = self.place(i, tensor)
        return scale * (self.table[self.codes[i]] - zero) + low


def integer(data, at, size):
    return int.from_bytes(bytes(data[at:at + size]), "little")


def nibbles(data, at, count):
    """GGUF's order: low halves first, then high ones."""
    return [b & 15 for b in data[at:at + count]] + [b >> 4 for b in data[at:at + count]]


def low_first(data, at, count, width):
    whole = int.from_bytes(bytes(data[at:]), "little")
    return [whole >> width * i & (1 << width) - 1 for i in range(count)]


def each(values, count):
    return [value for value in values for _ in range(count)]


def signed(width):
    return [code - (1 << width) * (code >> (width - 1)) for code in range(1 << width)]


def less(count, bias):
    return [code - bias for code in range(count)]


def gguf_32(bits, bias, has_minimum):
    def read(b):
        at = 4 if has_minimum else 2
        codes = nibbles(b, at + 4 * (bits == 5), 16)
        if bits == 5:
            codes = [c | (integer(b, at, 4) >> i & 1) << 4 for i, c in enumerate(codes)]
        more = {"minimum": [integer(b, 2, 2)] * 32} if has_minimum else {}
        return Block(codes, less(1 << bits, bias), [integer(b, 0, 2)], FP16, **more)
    return read


def six_bits(b):
    subs, minima = [], []
    for j in range(8):
        subs.append(b[4 + j] & 63 if j < 4 else b[8 + j] & 15 | b[j] >> 6 << 4)
        minima.append(b[8 + j] & 63 if j < 4 else b[8 + j] >> 4 | b[4 + j] >> 6 << 4)
    return each(subs, 32), each(minima, 32)


def q2_k(b):
    codes = [b[16 + 32 * half + i] >> shift & 3 for half in range(2) for shift in (0, 2, 4, 6) for i in range(32)]
    return Block(codes, less(4, 0), [integer(b, 80, 2)], FP16, sub=each([s & 15 for s in b[:16]], 16), minimum=[integer(b, 82, 2)] * 256,
                 subminimum=each([s >> 4 for s in b[:16]], 16), subs=range(16), subtracts=True)


def q3_k(b):
    low = [b[32 + 32 * half + i] >> shift & 3 for half in range(2) for shift in (0, 2, 4, 6) for i in range(32)]
    codes = [c | (b[i % 32] >> i // 32 & 1) << 2 for i, c in enumerate(low)]
    subs = [(b[96 + j % 8] >> 4 * (j // 8) & 15 | (b[104 + j % 4] >> 2 * (j // 4) & 3) << 4) - 32 for j in range(16)]
    return Block(codes, less(8, 4), [integer(b, 108, 2)], FP16, sub=each(subs, 16), subs=range(-32, 32))


def q45_k(bits):
    def read(b):
        at = 48 if bits == 5 else 16
        codes = [b[at + 32 * (j // 2) + i] >> 4 * (j % 2) & 15 for j in range(8) for i in range(32)]
        if bits == 5:
            codes = [c | (b[16 + i % 32] >> i // 32 & 1) << 4 for i, c in enumerate(codes)]
        subs, minima = six_bits(b)
        return Block(codes, less(1 << bits, 0), [integer(b, 0, 2)], FP16, sub=subs, minimum=[integer(b, 2, 2)] * 256, subminimum=minima,
                     subs=range(64), subtracts=True)
    return read


def q6_k(b):
    codes = []
    for half in range(2):
        low, high = b[64 * half:64 * half + 64], b[128 + 32 * half:160 + 32 * half]
        codes += [low[i + 32 * (part % 2)] >> 4 * (part // 2) & 15 | (high[i] >> 2 * part & 3) << 4 for part in range(4) for i in range(32)]
    return Block(codes, less(64, 32), [integer(b, 208, 2)], FP16, sub=each([signed(8)[s] for s in b[192:208]], 16), subs=range(-128, 128))


def q8_k(b):
    sums = [struct.unpack("<h", bytes(b[260 + 2 * j:262 + 2 * j]))[0] for j in range(16)]
    return Block(list(b[4:260]), signed(8), [integer(b, 0, 4)], FP32, sums=sums)


IQ4_NL = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]
NF4 = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
       -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
       0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0]
FP4 = [sign * x for sign in (1, -1) for x in (0.0, 5.208333333e-03, 0.66666667, 1.0, 0.33333333, 0.5, 0.16666667, 0.25)]


def floats(numbers):
    return [F(struct.unpack("<f", struct.pack("<f", x))[0]) for x in numbers]


def floating(name, count, at, scale, scale_bytes):
    def read(b):
        of = ELEMENTS[name]
        return Block(low_first(b, at, count, of.width), [of.number(c) for c in range(1 << of.width)], [integer(b, 0, scale_bytes)], scale,
                     has_negative_zero=True, nan=of.nan, special=[of.special(c) for c in range(1 << of.width)])
    return read


def table(numbers):
    return lambda b: Block([half for x in b[4:36] for half in (x >> 4, x & 15)], floats(numbers), [integer(b, 0, 4)], FP32)


def integers(width, has_zero):
    def read(b):
        numbers = less(16, 0) if has_zero and width == 4 else signed(width)
        zero = {"zero": [(b[4] if width == 4 else signed(8)[b[4]])] * 32, "zeros": range(256) if width == 4 else range(-128, 128)} if has_zero else {}
        return Block(low_first(b, 4 + has_zero, 32, width), numbers, [integer(b, 0, 4)], FP32, **zero)
    return read


def gptq(b):
    words = [[integer(b, 4 * (8 * row + column), 4) for column in range(8)] for row in range(16)]
    zeros = [(integer(b, 512, 4) >> 4 * column & 15) + 1 for column in range(8)]
    return Block([words[k // 8][column] >> 4 * (k % 8) & 15 for k in range(128) for column in range(8)], less(16, 0),
                 [integer(b, 516 + 2 * c, 2) for c in range(8)], FP16, zero=zeros * 128, zeros=range(1, 17))


def awq(b):
    order = (0, 2, 4, 6, 1, 3, 5, 7)  # the column that each nibble has

    def columns(word):
        return [word >> 4 * order.index(column) & 15 for column in range(8)]
    return Block([c for k in range(128) for c in columns(integer(b, 4 * k, 4))], less(16, 0), [integer(b, 516 + 2 * c, 2) for c in range(8)], FP16,
                 zero=columns(integer(b, 512, 4)) * 128, zeros=range(16))


# The number of elements, of bytes, and the reader.
LAYOUTS = {
    "q4_0": (32, 18, gguf_32(4, 8, False)), "q4_1": (32, 20, gguf_32(4, 0, True)), "q5_0": (32, 22, gguf_32(5, 16, False)),
    "q5_1": (32, 24, gguf_32(5, 0, True)), "q8_0": (32, 34, lambda b: Block(list(b[2:]), signed(8), [integer(b, 0, 2)], FP16)),
    "q2_K": (256, 84, q2_k), "q3_K": (256, 110, q3_k), "q4_K": (256, 144, q45_k(4)), "q5_K": (256, 176, q45_k(5)), "q6_K": (256, 210, q6_k),
    "q8_K": (256, 292, q8_k), "iq4_nl": (32, 18, lambda b: Block(nibbles(b, 2, 16), IQ4_NL, [integer(b, 0, 2)], FP16)),
    "nvfp4": (16, 9, floating("mxfp4", 16, 1, E4M3, 1)), "mxfp4": (32, 17, floating("mxfp4", 32, 1, E8M0, 1)),
    "mxfp6_e2m3": (32, 25, floating("mxfp6_e2m3", 32, 1, E8M0, 1)), "mxfp6_e3m2": (32, 25, floating("mxfp6_e3m2", 32, 1, E8M0, 1)),
    "mxfp8_e4m3": (32, 33, floating("mxfp8_e4m3", 32, 1, E8M0, 1)), "mxfp8_e5m2": (32, 33, floating("mxfp8_e5m2", 32, 1, E8M0, 1)),
    "mxint8": (32, 33, lambda b: Block(list(b[1:]), [F(c, 64) for c in signed(8)], [b[0]], E8M0)),
    "int4": (32, 20, integers(4, False)), "int8": (32, 36, integers(8, False)), "uint4_zero": (32, 21, integers(4, True)),
    "int8_zero": (32, 37, integers(8, True)), "gptq": (1024, 532, gptq), "awq": (1024, 532, awq),
    "fp8_1x128": (128, 132, floating("mxfp8_e4m3", 128, 4, FP32, 4)), "fp8_128x128": (16384, 16388, floating("mxfp8_e4m3", 16384, 4, FP32, 4)),
    "nf4": (64, 36, table(NF4)), "fp4": (64, 36, table(FP4))}
