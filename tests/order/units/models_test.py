"""Every row of units beside a second writing of what its source says, in integers of Python: 96 cases of each, with
ALL_CASES=1 10,000; random ones, and some aimed at where sums are cut."""
import os
import random
import unittest

import unit_cases

# Bits of the significand, the bias, the width, and whether there are infinities and NaNs as in IEEE 754, a NaN of all ones
# alone (fn), -0's code alone (fnuz), or neither.
FORMATS = {'fp16': (11, 15, 16, 'ieee'), 'bf16': (8, 127, 16, 'ieee'), 'tf32': (11, 127, 19, 'ieee'), 'fp32': (24, 127, 32, 'ieee'),
           'fp64': (53, 1023, 64, 'ieee'), 'fp8_e4m3fnuz': (4, 8, 8, 'fnuz'), 'fp8_e5m2fnuz': (3, 16, 8, 'fnuz'),
           'fp8_e4m3fn': (4, 7, 8, 'fn'), 'fp8_e5m2': (3, 15, 8, 'ieee'), 'fp6_e3m2fn': (3, 3, 6, 'none'),
           'fp6_e2m3fn': (4, 1, 6, 'none'), 'fp4_e2m1fn': (2, 1, 4, 'none')}
FORMATS.update({'mx' + name: FORMATS[of] for name, of in (('fp8_e4m3', 'fp8_e4m3fn'), ('fp8_e5m2', 'fp8_e5m2'),
                                                          ('fp6_e3m2', 'fp6_e3m2fn'), ('fp6_e2m3', 'fp6_e2m3fn'), ('fp4_e2m1', 'fp4_e2m1fn'))})
CASES = 10000 if os.environ.get('ALL_CASES') else 96


class Number:
    """A finite number: whole * 2^unit; the exponent is the one that hardware goes by, of a subnormal number the least."""

    def __init__(self, whole, unit, exponent, subnormal=False):
        self.whole, self.unit, self.exponent, self.subnormal = whole, unit, exponent, subnormal


def decoded(code, name):
    precision, bias, width, _ = FORMATS[name]
    field = code >> (precision - 1) & ((1 << (width - precision)) - 1)
    fraction = code & ((1 << (precision - 1)) - 1)
    exponent = max(field, 1) - bias
    whole = fraction + (field > 0) * (1 << (precision - 1))
    return Number(-whole if code >> (width - 1) else whole, exponent - precision + 1, exponent, field == 0)


def product(x, y):
    return Number(x.whole * y.whole, x.unit + y.unit, x.exponent + y.exponent)


def shifted(whole, left):
    """whole * 2^left, what is lost cut toward zero."""
    if left >= 0:
        return whole << left
    return -(-whole >> -left) if whole < 0 else whole >> -left


def down(whole, left):
    return whole << left if left >= 0 else whole >> -left


def exact(numbers):
    unit = min((n.unit for n in numbers if n.whole), default=0)
    return sum(n.whole << (n.unit - unit) for n in numbers if n.whole), unit


def code_of(whole, unit, name, how, precision=None):
    """Rounded: 'even', 'cut', 'odd'; overflow is infinite. Zeros are None: of which sign is another question."""
    bits, bias, width, _ = FORMATS[name]
    if not whole:
        return None
    precision = precision or bits
    magnitude = abs(whole)
    exponent = max(magnitude.bit_length() - 1 + unit, 1 - bias)
    drop = exponent - precision + 1 - unit
    kept = shifted(magnitude, -drop)
    rest = magnitude - (kept << drop) if drop > 0 else 0
    if how == 'even' and drop > 0 and (rest << 1) + (kept & 1) > 1 << drop:
        kept += 1
    if how == 'odd' and rest:
        kept |= 1
    if not kept:
        return None
    kept <<= bits - precision
    code = min(kept + ((exponent + bias - 1) << (bits - 1)), ((1 << (width - bits)) - 1) << (bits - 1))
    return code | (1 << (width - 1) if whole < 0 else 0)


def value_of(code, name):
    return decoded(code, name) if code is not None else Number(0, 0, 0)



# ---- NVIDIA: terms are aligned to the largest exponent, cut to some bits, added, and rounded ----

def aligned(terms, c, bits, floor, result, precision=None):
    known = [t for t in terms if t.whole] + ([c] if c.whole else [])
    top = max([t.exponent for t in known] + [floor])
    total = sum(shifted(t.whole, t.unit - top + bits) for t in known)
    return code_of(total, top - bits, result, 'cut' if result == 'fp32' else 'even', precision)


def at_once(bits, floor=-10000, precision=None):
    """floor: the least exponent that counts; a dictionary by formats of results."""
    def model(a, b, c, result):
        least = floor[result] if isinstance(floor, dict) else floor
        return aligned([product(x, y) for x, y in zip(a, b)], c, bits, least, result, precision if result == 'fp32' else None)
    return model


def halves(a, b, c, result):
    """Of each four products two go into a call of 25 bits, the others into one onto that; c is added at the end."""
    floor = {'fp32': -133, 'fp16': -21}[result]
    total = Number(0, 0, 0)
    for half in range(2):
        picked = [i for i in range(len(a)) if i // 2 % 2 == half]
        code = aligned([product(a[i], b[i]) for i in picked], total, 25, floor, result)
        total = value_of(code, result)
    return code_of(*exact([total, c]), result, 'even')


def in_turn(a, b, c, result):
    for x, y in zip(a, b):
        c = value_of(code_of(*exact([c, product(x, y)]), result, 'even'), result)
    return code_of(c.whole, c.unit, result, 'even')


# ---- AMD ----

def mi100(a, b, c, result):
    return code_of(*exact([product(x, y) for x, y in zip(a, b)] + [c]), result, 'even')


def flushed(whole, unit, how='even'):
    """A number of fp32 without subnormal numbers: none where it rounds to less than the least normal one, had exponents no end."""
    if not whole:
        return Number(0, 0, 0)
    magnitude = abs(whole)
    exponent = magnitude.bit_length() - 1 + unit
    drop = exponent - 23 - unit
    kept = shifted(magnitude, -drop)
    rest = magnitude - (kept << drop) if drop > 0 else 0
    kept += how == 'even' and drop > 0 and (rest << 1) + (kept & 1) > 1 << drop
    kept |= how == 'odd' and rest > 0
    if kept.bit_length() - 1 + exponent - 23 < -126:
        return Number(0, 0, 0)
    return Number(-kept if whole < 0 else kept, exponent - 23, exponent)


def code_of_flushed(number):
    return code_of(number.whole, number.unit, 'fp32', 'even')


def unless_subnormal(number):
    return Number(0, 0, 0) if number.subnormal else number


def mi250(a, b, c, result):
    del result
    sums = [flushed(*exact([product(unless_subnormal(x), unless_subnormal(y))])) for x, y in zip(a, b)]
    while len(sums) > 1:
        sums = [flushed(*exact(sums[i:i + 2])) for i in range(0, len(sums), 2)]
    return code_of_flushed(flushed(*exact([sums[0], unless_subnormal(c)])))


def mi300x(groups):
    """In 8 bits even and odd products are groups, and a c far below is left out."""
    def model(a, b, c, result):
        found = []
        for g in range(groups):
            terms = [t for t in (product(x, y) for x, y in zip(a[g::groups], b[g::groups])) if t.whole]
            if terms:
                top = max(t.exponent for t in terms)
                found.append((sum(shifted(t.whole, t.unit - top + 24) for t in terms), top))
        if not found:
            return code_of(c.whole, c.unit, result, 'even')
        top = max(e for _, e in found)
        total = sum(down(whole, e - top) for whole, e in found)  # of 2^(top - 24)
        most = max(top, c.exponent) if c.whole else top
        other = 0 if not c.whole or (groups == 2 and c.exponent < most - 25) else down(c.whole, c.unit - most + 24)
        return code_of(down(total, top - 24 - most + 31) + (other << 7), most - 31, result, 'even')
    return model


# ---- Processors ----

def neon(a, b, c, result):
    del result
    products = [flushed(*exact([product(unless_subnormal(x), unless_subnormal(y))]), 'odd') for x, y in zip(a, b)]
    return code_of_flushed(flushed(*exact([flushed(*exact(products), 'odd'), unless_subnormal(c)]), 'odd'))


def added(total, x, y, flush):
    x, y = (unless_subnormal(one) if flush else one for one in (x, y))
    return flushed(*exact([total, product(x, y)]))


def avx512_bf16(a, b, c, result):
    del result
    return code_of_flushed(added(added(unless_subnormal(c), a[1], b[1], True), a[0], b[0], True))


def amx(flush):
    def model(a, b, c, result):
        del result
        sums = [Number(0, 0, 0), Number(0, 0, 0)]
        for i, (x, y) in enumerate(zip(a, b)):
            sums[i % 2] = added(sums[i % 2], x, y, flush)
        return code_of_flushed(flushed(*exact([flushed(*exact(sums)), unless_subnormal(c)])))
    return model


# ---- Blocks with scales: a and b are lists of (number, scale) ----

def scaled_at_once(a, b, c, result):
    terms = []
    for (x, s), (y, t) in zip(a, b):
        one = product(x, y)
        terms.append(Number(one.whole, one.unit + s.unit + t.unit, one.exponent + s.exponent + t.exponent))
    return aligned(terms, c, 25, -133, result)


def scaled_groups(a, b, c, result):
    """Sixteen products are added exactly; the sum times its scales counts with the exponents of these, be it 0 or not."""
    terms, top = [], max([-126] + ([c.exponent] if c.whole else []))
    for at in range(0, len(a), 16):
        s, t = a[at][1], b[at][1]
        whole, unit = exact([product(x, y) for (x, _), (y, _) in zip(a[at:at + 16], b[at:at + 16])])
        if s.whole and t.whole:
            top = max(top, s.exponent + t.exponent)
            terms.append(Number(whole * s.whole * t.whole, unit + s.unit + t.unit, s.exponent + t.exponent))
    return aligned(terms, c, 35, top, result)


# ---- Rows: products of a call, and the model, by unit and format ----

VOLTA = {'fp32': -10000, 'fp16': -19}
AMPERE = {'fp32': -132, 'fp16': -20}
HOPPER = {'fp32': -133, 'fp16': -21}
NARROW = ('fp8_e4m3fn', 'fp8_e5m2', 'fp6_e3m2fn', 'fp6_e2m3fn', 'fp4_e2m1fn')


def described(unit, name, result):
    if unit == 'v100':
        return 4, at_once(23, VOLTA)
    if unit in ('a100', 'a2', 'ada', 'l40s', 'h100', 'h200', 'b200', 'b200-tcgen05', 'rtx-blackwell'):
        old = unit in ('a100', 'a2', 'ada', 'l40s')
        bits, floor, call = (24, AMPERE, 8) if old else (25, HOPPER, 16)
        if name == 'fp64':
            return 4, in_turn
        if name in ('fp16', 'bf16'):
            return call, at_once(bits, floor)
        if name == 'tf32':
            return call // 2, at_once(bits, floor)
        if name.startswith('mxfp4'):
            return 64, scaled_groups
        if name.startswith('mx'):
            return 32, scaled_at_once
        if unit in ('ada', 'l40s'):
            return 16, at_once(13, precision=14)
        if unit in ('b200-tcgen05', 'rtx-blackwell'):
            return 32, at_once(25, HOPPER)
        return 32, halves if unit == 'b200' or result == 'fp16' else at_once(13, precision=14)
    return {('mi100', 'fp16'): (4, mi100), ('mi100', 'bf16'): (2, mi100), ('mi250', 'fp16'): (4, mi250), ('mi250', 'bf16'): (4, mi250),
            ('mi300x', 'fp16'): (8, mi300x(1)), ('mi300x', 'bf16'): (8, mi300x(1)), ('mi300x', 'tf32'): (4, mi300x(1)),
            ('mi300x', 'fp8_e4m3fnuz'): (16, mi300x(2)), ('mi300x', 'fp8_e5m2fnuz'): (16, mi300x(2)),
            ('avx512-bf16', 'bf16'): (2, avx512_bf16), ('amx-bf16', 'bf16'): (32, amx(True)), ('amx-fp16', 'fp16'): (32, amx(False)),
            ('neon-bf16', 'bf16'): (2, neon)}[unit, name]


class Models(unittest.TestCase):
    def code(self, name, spread):
        """A finite number whose exponent lies in a span, as far as the format has it."""
        precision, bias, width, kind = FORMATS[name]
        most = (1 << (width - precision)) - (2 if kind in ('ieee', 'fn') else 1)
        field = min(max(bias + self.random.randint(*spread), 0), most)
        code = self.random.getrandbits(1) << (width - 1) | field << (precision - 1) | self.random.getrandbits(precision - 1)
        return code if kind != 'fnuz' or code != 1 << (width - 1) else 0

    def operands(self, name, result, call, number):
        """About 1; over many exponents; where products are about the least numbers of the result; few products and a large c; one
        large product that others are cut beside; neighbours that cancel."""
        width, least = FORMATS[name][2], {'fp32': -63, 'fp16': -9, 'fp64': -511}[result]
        spread = ((-2, 2), (-9, 5), (least - 6, least + 3), (-4, 0), (-12, -6), (-3, 3))[number % 6]
        if width <= 8 and number % 6 == 2:
            spread = (-20, -3)
        a, b = ([self.code(name, spread) for _ in range(call)] for _ in range(2))
        c = self.code(result, ((-3, 3), (-30, 6), (2 * least - 1, 2 * least + 4), (10, 26), (-30, 0), (-20, 4))[number % 6])
        if number % 6 == 3:
            for at in range(call):
                if self.random.getrandbits(2):
                    a[at] = 0
        if number % 6 == 4:
            at = self.random.randrange(call)
            a[at], b[at] = self.code(name, (2, 7)), self.code(name, (2, 7))
        if number % 6 == 5:
            for at in range(1, call, 2):
                a[at], b[at] = a[at - 1] ^ (1 << (width - 1)), b[at - 1] ^ self.random.choice((0, 0, 1))
            if FORMATS[name][3] == 'fnuz':
                a, b = ([0 if x == 1 << (width - 1) else x for x in side] for side in (a, b))
        if number % 4 == 0:
            c = 0
        if number % 12 == 8 and width >= 16 and call > 2:
            a, b = self.below_the_least(name, result, call)
        return a, b, c

    def below_the_least(self, name, result, call):
        """Products below the least exponent that terms are aligned to, of which the last is cut off there: what is left in fp32 is
        two or three times the least number less that, and in fp16 half of the least number more than an even one, and that."""
        pairs = {'fp32': ((-75, -73), (-80, -80), (-74, -75)), 'fp16': ((-12, -11), (-23, -24), (-12, -13)),
                 'fp64': ((-500, -500), (-500, -510), (-500, -501))}[result]
        a, b, sign = [0] * call, [0] * call, self.random.choice((1, -1))
        if FORMATS[name][1] < 100 and result == 'fp32':
            pairs = ((-12, -11), (-23, -24), (-12, -13))
        for number, (at, (left, right)) in enumerate(zip(self.random.sample(range(call), 3), pairs)):
            negative = number == 1 and result == 'fp32'
            a[at], b[at] = code_of(-sign if negative else sign, left, name, 'even'), code_of(1, right, name, 'even')
        return a, b

    def nearly_half(self, name, call):
        """c and half of its last bit, and 2^-31 of c more or less: what the sum of products keeps beside c decides."""
        a, b = [0] * call, [0] * call
        for at, exponents in ((0, (-5, -5)), (2, (-8, -9))):
            a[at], b[at] = (code_of(self.random.choice((1, -1)), e, name, 'even') for e in exponents)
        return a, b, 14 + 127 << 23 | self.random.getrandbits(23)

    def scales(self, name, blocks):
        """Powers of two, or numbers with significands, 0 and a sign that does not count among them."""
        if name == 'fp8_e8m0fnu':
            codes = [127 + self.random.randint(-20, 20) for _ in range(blocks)]
            return codes, [Number(1, code - 127, code - 127) for code in codes]
        codes = [self.random.choice((self.random.randint(0, 126), self.random.randint(40, 70))) for _ in range(blocks)]
        return [code | self.random.getrandbits(1) << 7 for code in codes], [decoded(code, name) for code in codes]

    def case(self, unit, words, result, number):
        name, *scale = words.split('/')
        call, model = described(unit, name, result)
        a, b, c = self.operands(name, result, call, number)
        if unit == 'mi300x' and number % 8 == 0:
            a, b, c = self.nearly_half(name, call)
        x, y = ([decoded(code, name) for code in side] for side in (a, b))
        more = ''
        if scale:
            block = int(scale[1])
            sides = [self.scales(scale[0], call // block) for _ in range(2)]
            x, y = ([(one, side[1][i // block]) for i, one in enumerate(numbers)] for numbers, side in zip((x, y), sides))
            more = ''.join(' | ' + ' '.join('%x' % code for code in side[0]) for side in sides)
        want = model(x, y, decoded(c, result), result)
        if want is None:
            return None
        return f"{unit} {words} {result} | {' '.join('%x' % i for i in a)} | {' '.join('%x' % i for i in b)} | {c:x} | {want:x}{more}"

    def whole(self, unit):
        a, b = ([self.random.randint(-128, 127) for _ in range(32)] for _ in range(2))
        c = self.random.choice((0, 2**31 - 1, -2**31, self.random.randint(-2**31, 2**31 - 1)))
        want = (c + sum(x * y for x, y in zip(a, b))) % 2**32
        return f"{unit} int8 int32 | {' '.join('%x' % (x % 256) for x in a)} | {' '.join('%x' % (x % 256) for x in b)} | " \
               f"{c % 2**32:x} | {want:x}"

    def test_rows_are_what_their_sources_say(self):
        self.random = random.Random(54)
        rows = unit_cases.rows()
        held = 0
        for unit, words, result in rows:
            cases = [self.whole(unit) if words == 'int8' else self.case(unit, words, result, number) for number in range(CASES)]
            cases = [case for case in cases if case]
            found, first = unit_cases.held(cases)
            self.assertEqual(first, '')
            self.assertEqual(found, [(unit, words, result, len(cases), 0)])
            self.assertGreater(len(cases), CASES // 2, (unit, words, result))
            held += len(cases)
        print(f'{len(rows)} rows, {held} cases, 0 wrong')
        self.assertGreater(len(rows), 110)


if __name__ == '__main__':
    unittest.main()
