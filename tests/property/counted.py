"""Formats as IEEE 754, the OCP specifications and ONNX's page on float 8 have them, and one rounding for all: the
numbers of one sign of a format are counted from 0 up, and go on beyond the largest as if exponents had no end."""

from fractions import Fraction

NAN = "nan"
INF = "inf"
ZERO = Fraction(0)


def binary_exponent(x):
    """floor(log2 x) of a fraction above 0."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if x >= two(e) else e - 1


def two(k):
    return Fraction(1 << k) if k >= 0 else Fraction(1, 1 << -k)


class Value:
    """NaN, an infinity, or a number: its sign, its magnitude, and whether it is a trifle (1, -1) above or below that."""
    __slots__ = ("kind", "negative", "size", "trifle")

    def __init__(self, kind, negative=False, size=ZERO, trifle=0):
        self.kind, self.negative, self.size, self.trifle = kind, bool(negative), size, trifle

    def signed(self):
        return -self.size if self.negative else self.size

    def is_zero(self):
        return self.kind == "num" and not self.size and not self.trifle

    def __repr__(self):
        return f"{'-' if self.negative else ''}{self.kind if self.kind != 'num' else float(self.size)}{self.trifle or ''}"


def number(x, zero_negative=False):
    """A fraction as a Value; 0 with that sign."""
    x = Fraction(x)
    return Value("num", x < 0 or (x == 0 and zero_negative), abs(x))


class Format:
    """style: "ieee" has infinities and NaNs behind the last number, "one nan" one NaN there, "numbers" neither, "no -0" a
    NaN where -0 would be, and "unsigned" powers of two alone, and a NaN behind them."""

    def __init__(self, name, exponent_bits, fraction_bits, bias, style):
        self.name, self.bias, self.style, self.fraction_bits = name, bias, style, fraction_bits
        self.width = exponent_bits + fraction_bits + (style != "unsigned")
        self.sign = 0 if style == "unsigned" else 1 << (self.width - 1)
        tops = 1 << (exponent_bits + fraction_bits)
        step = 1 << fraction_bits
        self.last = {"ieee": tops - step - 1, "one nan": tops - 2, "numbers": tops - 1, "no -0": tops - 1,
                     "unsigned": tops - 2}[style]
        self.least = 1 - bias if style != "unsigned" else -bias  # the exponent of the smallest normal numbers
        self.infinity = tops - step if style == "ieee" else None
        self.nan = {"ieee": tops - step // 2, "one nan": tops - 1, "numbers": None, "no -0": tops,
                    "unsigned": tops - 1}[style]

    def size_of(self, count):
        """The magnitude that stands at this place of the count."""
        if self.style == "unsigned":
            return two(count + self.least)
        lead, rest = divmod(count, 1 << self.fraction_bits)
        if lead == 0:
            return rest * two(self.least - self.fraction_bits)
        return (rest + (1 << self.fraction_bits)) * two(self.least + lead - 1 - self.fraction_bits)

    def largest(self):
        return self.size_of(self.last)

    def read(self, code):
        negative, count = bool(code & self.sign), code & ~self.sign
        if self.style == "no -0" and code == self.nan:
            return Value(NAN, True)  # as its bit is
        if count <= self.last:
            return Value("num", negative, self.size_of(count))
        return Value(INF, negative) if count == self.infinity else Value(NAN, negative)

    def place(self, value):
        """Where a number other than 0 of a format without it stands in the count: the place at or below it, and how far it is
        on the way to the next."""
        size = value.size
        if self.style == "unsigned":
            e = binary_exponent(size) if size else self.least - 1
            count, rest = e - self.least, size / two(e) - 1 if size else ZERO
        elif size == 0:
            count, rest = 0, ZERO
        else:
            e = max(binary_exponent(size), self.least)
            steps = size / two(e - self.fraction_bits)
            whole = steps.numerator // steps.denominator
            count, rest = ((e - self.least) << self.fraction_bits) + whole, steps - whole
        if value.trifle < 0 and rest == 0:
            count, rest = count - 1, Fraction(1)
        return count, rest

    def rounded(self, value, rounding, chance=None):
        """The place in the count that rounding chooses, beyond the last one too. chance: (bits, a random number)."""
        count, rest = self.place(value)
        trifle = value.trifle
        if rounding == "stochastic":
            bits, random = chance
            steps = rest * two(bits)
            whole = steps.numerator // steps.denominator
            if trifle < 0 and whole == steps:
                whole -= 1
            return count + (whole > random)
        if rest == 0 and trifle == 0:
            return count
        if rounding in ("up", "down"):
            return count + ((rounding == "up") != value.negative)
        if rounding == "toward-zero":
            return count
        twice = 2 * rest
        if twice != 1:
            return count + (twice > 1)
        if trifle:
            return count + (trifle > 0)
        # In formats of one digit neither is even: the larger (IEEE 754-2019, 4.3.1).
        return count + (rounding == "nearest-away" or self.style == "unsigned" or count % 2)


FORMATS = {one.name: one for one in (
    Format("fp4_e2m1fn", 2, 1, 1, "numbers"), Format("fp6_e2m3fn", 2, 3, 1, "numbers"),
    Format("fp6_e3m2fn", 3, 2, 3, "numbers"), Format("fp8_e3m4", 3, 4, 3, "ieee"), Format("fp8_e4m3", 4, 3, 7, "ieee"),
    Format("fp8_e4m3b11fnuz", 4, 3, 11, "no -0"), Format("fp8_e4m3fn", 4, 3, 7, "one nan"),
    Format("fp8_e4m3fnuz", 4, 3, 8, "no -0"), Format("fp8_e5m2", 5, 2, 15, "ieee"),
    Format("fp8_e5m2fnuz", 5, 2, 16, "no -0"), Format("fp8_e8m0fnu", 8, 0, 127, "unsigned"),
    Format("fp16", 5, 10, 15, "ieee"), Format("bf16", 8, 7, 127, "ieee"), Format("tf32", 8, 10, 127, "ieee"),
    Format("fp32", 8, 23, 127, "ieee"), Format("fp64", 11, 52, 1023, "ieee"))}


def philox(counter, key):
    """The first word of what Philox4x32-10 (Salmon and others, 2011) makes of them."""
    c = [counter & 0xffffffff, counter >> 32 & 0xffffffff, 0, 0]
    k0, k1 = key & 0xffffffff, key >> 32 & 0xffffffff
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k0, b & 0xffffffff, (a >> 32) ^ c[3] ^ k1, a & 0xffffffff]
        k0, k1 = (k0 + 0x9E3779B9) & 0xffffffff, (k1 + 0xBB67AE85) & 0xffffffff
    return c[0]
