"""Rows of units of which no hardware was at hand, beside a second writing of what their sources say, in fractions: MI100's,
MI250's and MI300X's, BFDOT and TDPFP16PS, fp64 and whole numbers."""
import math
import random
import unittest
from fractions import Fraction

import unit_cases

# Bits of the significand and the bias, and whether -0's code is the only NaN.
FORMATS = {'fp16': (11, 15, False), 'bf16': (8, 127, False), 'tf32': (11, 127, False), 'fp32': (24, 127, False),
           'fp64': (53, 1023, False), 'fp8_e4m3fnuz': (4, 8, True), 'fp8_e5m2fnuz': (3, 16, True)}
WIDTHS = {'fp16': 16, 'bf16': 16, 'tf32': 19, 'fp32': 32, 'fp64': 64, 'fp8_e4m3fnuz': 8, 'fp8_e5m2fnuz': 8, 'int8': 8}
CASES = 600


def power(exponent):
    return Fraction(2) ** exponent


def exponent(value):
    value = abs(value)
    found = value.numerator.bit_length() - value.denominator.bit_length()
    return found - (power(found) > value)


class Code:
    """A finite code: its number, and the exponent that hardware goes by."""

    def __init__(self, code, name):
        precision, bias, _ = FORMATS[name]
        field = code >> (precision - 1) & ((1 << (WIDTHS[name] - precision)) - 1)
        fraction = code & ((1 << (precision - 1)) - 1)
        self.exponent = max(field, 1) - bias
        self.value = (fraction + (field > 0) * (1 << (precision - 1))) * power(self.exponent - precision + 1)
        self.subnormal = field == 0
        if code >> (WIDTHS[name] - 1):
            self.value = -self.value


def nearest(value, unit):
    below = math.floor(value / unit)
    rest = value / unit - below
    return (below + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below % 2))) * unit


def odd(value, unit):
    cut = math.trunc(value / unit)
    return (cut if cut * unit == value or cut % 2 else cut + (1 if value > 0 else -1)) * unit


def rounded(value, precision=24, least=-126, to=nearest):
    """A fraction to a format; subnormal numbers stay."""
    return to(value, power(max(exponent(value), least) - precision + 1)) if value else value


def flushed(value, to=nearest):
    """A fraction to fp32 without subnormal numbers: small is what rounds to less than the least normal one, had exponents no end."""
    free = rounded(value, least=-10000, to=to)
    return free if abs(free) >= power(-126) else Fraction(0)


def code_of(value, name):
    precision, bias, _ = FORMATS[name]
    if not value:
        return 0
    at = max(exponent(value), 1 - bias)
    whole = abs(value) / power(at - precision + 1)
    assert whole.denominator == 1
    code = whole.numerator + ((at + bias - 1) << (precision - 1))
    return code | (1 << (WIDTHS[name] - 1) if value < 0 else 0)


def mi100(a, b, c):
    return rounded(sum((x.value * y.value for x, y in zip(a, b)), c.value))


def mi250(a, b, c):
    sums = [Fraction(0) if x.subnormal or y.subnormal else flushed(x.value * y.value) for x, y in zip(a, b)]
    while len(sums) > 1:
        sums = [flushed(sums[i] + sums[i + 1]) for i in range(0, len(sums), 2)]
    return flushed(sums[0] + (0 if c.subnormal else c.value))


def group(a, b):
    """A sum of products that are cut to 24 bits, and its exponent; None where all are zero."""
    terms = [(x.value * y.value, x.exponent + y.exponent) for x, y in zip(a, b) if x.value * y.value]
    if not terms:
        return None
    most = max(e for _, e in terms)
    return sum(math.trunc(v / power(most - 24)) for v, _ in terms) * power(most - 24), most


def down(value, unit):
    return math.floor(value / unit) * unit


def mi300x(a, b, c):
    """In 8 bits even and odd products are groups, and a c far below is left out."""
    eight = len(a) == 16
    groups = [g for g in ((group(a[0::2], b[0::2]), group(a[1::2], b[1::2])) if eight else (group(a, b),)) if g]
    if not groups:
        return c.value
    most = max(e for _, e in groups)
    total = sum(down(v, power(most - 24)) for v, _ in groups)
    top = max(most, c.exponent) if c.value else most
    other = Fraction(0) if not c.value or (eight and c.exponent < top - 25) else down(c.value, power(top - 24))
    return rounded(down(total, power(top - 31)) + other)


def neon(a, b, c):
    products = [Fraction(0) if x.subnormal or y.subnormal else flushed(x.value * y.value, odd) for x, y in zip(a, b)]
    return flushed(flushed(sum(products), odd) + (0 if c.subnormal else c.value), odd)


def amx_fp16(a, b, c):
    sums = [Fraction(0), Fraction(0)]
    for i, (x, y) in enumerate(zip(a, b)):
        sums[i % 2] = flushed(sums[i % 2] + x.value * y.value)
    return flushed(flushed(sum(sums)) + (0 if c.subnormal else c.value))


def fp64(a, b, c):
    total = c.value
    for x, y in zip(a, b):
        total = rounded(total + x.value * y.value, 53, -1022)
    return total


ROWS = [('mi100', 'fp16', 'fp32', 4, mi100), ('mi100', 'bf16', 'fp32', 2, mi100), ('mi250', 'fp16', 'fp32', 4, mi250),
        ('mi250', 'bf16', 'fp32', 4, mi250), ('mi300x', 'fp16', 'fp32', 8, mi300x), ('mi300x', 'bf16', 'fp32', 8, mi300x),
        ('mi300x', 'tf32', 'fp32', 4, mi300x), ('mi300x', 'fp8_e4m3fnuz', 'fp32', 16, mi300x),
        ('mi300x', 'fp8_e5m2fnuz', 'fp32', 16, mi300x), ('neon-bf16', 'bf16', 'fp32', 2, neon),
        ('amx-fp16', 'fp16', 'fp32', 32, amx_fp16), ('a100', 'fp64', 'fp64', 4, fp64)]


class Models(unittest.TestCase):
    def draw(self, name, kind):
        """About 1, over many exponents, or where products are about the least normal number of fp32."""
        precision, bias, _ = FORMATS[name]
        spread = ((-2, 2), (-9, 5), (-66, -60))[kind if WIDTHS[name] > 8 else kind % 2]
        most = (1 << (WIDTHS[name] - precision)) - 2
        field = min(max(bias + self.random.randint(*spread), 0), most)
        return self.random.getrandbits(1) << (WIDTHS[name] - 1) | field << (precision - 1) | \
            self.random.getrandbits(precision - 1)

    def draw_c(self, name, kind):
        precision, bias, _ = FORMATS[name]
        field = max(bias + self.random.randint(*((-3, 3), (-30, 6), (-127, -124))[kind]), 0)
        return self.random.getrandbits(1) << (WIDTHS[name] - 1) | field << (precision - 1) | \
            self.random.getrandbits(precision - 1)

    def nearly_half(self, name, call):
        """c and half of its last bit, and 2^-31 of c more or less: what the sum of products keeps beside c decides."""
        a, b = [0] * call, [0] * call
        for at, exponents in ((0, (-5, -5)), (2, (-8, -9))):
            a[at], b[at] = (code_of(power(e) * self.random.choice((1, -1)), name) for e in exponents)
        return a, b, 14 + 127 << 23 | self.random.getrandbits(23)

    def test_rows_are_what_their_sources_say(self):
        self.random = random.Random(54)
        cases = []
        for unit, name, result, call, model in ROWS:
            for number in range(CASES):
                kind = number % 3
                a, b = ([self.draw(name, kind) for _ in range(call)] for _ in range(2))
                if any(x == 1 << (WIDTHS[name] - 1) for x in a + b) and FORMATS[name][2]:
                    continue
                c = self.draw_c(result, kind)
                if unit == 'mi300x' and number % 8 == 0:
                    a, b, c = self.nearly_half(name, call)
                want = model([Code(x, name) for x in a], [Code(x, name) for x in b], Code(c, result))
                if not want:
                    continue  # of which sign is another question
                cases.append(f"{unit} {name} {result} | {' '.join('%x' % x for x in a)} | {' '.join('%x' % x for x in b)} | "
                             f"{c:x} | {code_of(want, result):x}")
        for _ in range(CASES):
            a, b = ([self.random.randint(-128, 127) for _ in range(32)] for _ in range(2))
            c = self.random.choice((0, 2**31 - 1, -2**31))
            want = (c + sum(x * y for x, y in zip(a, b))) % 2**32
            cases.append(f"h100 int8 int32 | {' '.join('%x' % (x % 256) for x in a)} | "
                         f"{' '.join('%x' % (x % 256) for x in b)} | {c % 2**32:x} | {want:x}")
        rows, first = unit_cases.held(cases)
        for row in rows:
            print(*row)
        self.assertEqual(first, '')
        self.assertEqual(len(rows), len(ROWS) + 1)
        self.assertEqual(sum(row[3] for row in rows), len(cases))
        self.assertGreater(min(row[3] for row in rows), CASES // 3)


if __name__ == '__main__':
    unittest.main()
