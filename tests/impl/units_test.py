"""`mma:` computes dot and matmul in calls of a matrix unit, in the order and with the arithmetic that its row says: held to a
model of that in fractions. The rows themselves are held to hardware in tests/order/units."""
import math
import random
import struct
import unittest
from fractions import Fraction

from harness import Case


def number(code):
    return Fraction(struct.unpack('<e', struct.pack('<H', code))[0])


def eighth(code):
    """fp8_e4m3fn, of which no NaN is drawn."""
    field, fraction = code >> 3 & 15, code & 7
    value = Fraction(8 + fraction, 8) * Fraction(2) ** (field - 7) if field else Fraction(fraction, 512)
    return -value if code >> 7 else value


def exponent(value, least):
    """Of the first bit, or the least of the format, where it is subnormal."""
    value = abs(value)
    found = value.numerator.bit_length() - value.denominator.bit_length()
    found -= Fraction(2) ** found > value
    return max(found, least)


def cut(value, unit):
    return math.trunc(value / unit) * unit


def called(a, b, c, bits, least, precision):
    """c and products in one node, cut to that precision of fp32. `least` is the exponent of the factors' subnormal numbers, or those
    of a's and b's."""
    least_a, least_b = least if isinstance(least, tuple) else (least, least)
    terms = [(c, exponent(c, -126))] if c else []
    terms += [(x * y, exponent(x, least_a) + exponent(y, least_b)) for x, y in zip(a, b) if x * y]
    if not terms:
        return Fraction(0)
    unit = Fraction(2) ** (max(e for _, e in terms) - bits)
    total = sum(cut(value, unit) for value, _ in terms)
    return cut(total, Fraction(2) ** (exponent(total, -126) - precision + 1)) if total else total


def chain(a, b, call, bits, least=-14, precision=24):
    total = Fraction(0)
    for at in range(0, len(a), call):
        total = called(a[at:at + call], b[at:at + call], total, bits, least, precision)
    return total


def by_halves(a, b):
    """Calls of 32 products as b200 has them of 8 bits: widened to fp16, two of each four and then the others, c by a plain addition."""
    total = Fraction(0)
    for at in range(0, len(a), 32):
        one = Fraction(0)
        for half in range(2):
            picked = [i for i in range(at, min(at + 32, len(a))) if (i - at) // 2 % 2 == half]
            one = called([a[i] for i in picked], [b[i] for i in picked], one, 25, -14, 24)
        total = fp32(total + one)
    return total


def rounded(value, precision, least):
    """To nearest even, of formats whose largest numbers are not reached."""
    unit = Fraction(2) ** (exponent(value, least) - precision + 1) if value else Fraction(1)
    return round(value / unit) * unit


def fp32(value):
    """To nearest even."""
    return rounded(value, 24, -126)


def code(value):
    return '0x%08x' % struct.unpack('<I', struct.pack('<f', float(value)))[0]


def scaled_rows(draw, rows, inner, columns):
    """Codes of fp8_e4m3fn with a scale in fp32 for each row of a and each column of b, and their numbers."""
    lines = [[draw.getrandbits(1) << 7 | draw.randrange(0x18, 0x58) for _ in range(inner)] for _ in range(rows + columns)]
    scales = [fp32(Fraction(draw.uniform(0.01, 3.0))) * draw.choice((1, -1)) for _ in lines]
    codes = [c for line in lines[:rows] for c in line] + [int(code(s), 16) for s in scales[:rows]]
    codes += [line[k] for k in range(inner) for line in lines[rows:]] + [int(code(s), 16) for s in scales[rows:]]
    numbers = [[eighth(c) for c in line] for line in lines]
    return codes, numbers[:rows], scales[:rows], numbers[rows:], scales[rows:]


class Units(Case):
    def evaluate(self, operation, names, codes, *options):
        words = [w for name in names for w in ('--impl', name)]
        text = self.document('eval', operation, '--format', 'fp16', *words, *options, *('0x%04x' % c for c in codes))
        elements = text['results'][0]['elements']
        return {name: [e['implementations'][i]['got'] for e in elements] for i, name in enumerate(names)}

    def test_dot_is_a_chain_of_calls(self):
        draw = random.Random(52)
        for length in (1, 4, 7, 8, 16, 17, 50, 129):
            codes = [draw.getrandbits(1) << 15 | draw.randint(10, 19) << 10 | draw.getrandbits(10) for _ in range(2 * length)]
            a, b = ([number(c) for c in part] for part in (codes[:length], codes[length:]))
            got = self.evaluate('dot', ['mma:v100', 'mma:a100', 'mma:h100'], codes, '--dtype', 'fp32', '--shape', str(length))
            for name, call, bits in (('mma:v100', 4, 23), ('mma:a100', 8, 24), ('mma:h100', 16, 25)):
                self.assertEqual(got[name], [code(chain(a, b, call, bits))], (name, length))

    def test_matmul_by_parts(self):
        draw = random.Random(53)
        rows, inner, columns = 3, 70, 11
        codes = [draw.getrandbits(1) << 15 | draw.randint(11, 18) << 10 | draw.getrandbits(10)
                 for _ in range((rows + columns) * inner)]
        a = [[number(c) for c in codes[i * inner:(i + 1) * inner]] for i in range(rows)]
        rest = codes[rows * inner:]
        b = [[number(rest[k * columns + j]) for k in range(inner)] for j in range(columns)]
        # Parts are whole calls: of 70 products, four of 18 each come to 32, 32 and 6; 20 products are two calls.
        parts = {'mma:h100': inner, 'mma:h100,split-k=4': 32, 'mma:h100,promote=20': 32, 'mma:h100,split-k=1': inner}
        got = self.evaluate('matmul', list(parts), codes, '--dtype', 'fp32', '--shape', f'{rows}x{inner}x{columns}')
        for name, part in parts.items():
            want = []
            for x in a:
                for y in b:
                    total = None
                    for at in range(0, inner, part):
                        one = chain(x[at:at + part], y[at:at + part], 16, 25)
                        total = one if total is None else fp32(total + one)
                    want.append(code(total))
            self.assertEqual(got[name], want, name)
        self.assertNotEqual(got['mma:h100'], got['mma:h100,split-k=4'])

    def test_scales_come_after_the_unit(self):
        """Sums of h100's fp8 in 14 bits, times the row's scale, times the column's, each rounded to fp32, and then to bf16. Of 8
        bits the result has det's scale, and 1 over it, rounded to fp32, is a factor more."""
        rows, inner, columns = 5, 100, 7
        codes, a, s, b, r = scaled_rows(random.Random(57), rows, inner, columns)
        for cut, part in (('', inner), (',promote=32', 32)):
            sums = []
            for x in a:
                for y in b:
                    parts = [chain(x[at:at + part], y[at:at + part], 32, 13, -6, 14) for at in range(0, inner, part)]
                    total = parts[0]
                    for one in parts[1:]:
                        total = fp32(total + one)
                    sums.append(total)
            scales = [(x, y) for x in s for y in r]
            values = [fp32(fp32(z * x) * y) for z, (x, y) in zip(sums, scales)]
            for to in ('fp32', 'bf16', 'fp8_e4m3fn'):
                document = self.document('eval', 'scaled.matmul', '-f', 'fp8_e4m3fn', '--to', to, '--impl', 'mma:h100' + cut, '--static',
                                         'one', '--per', 'row', '--shape', f'{rows}x{inner}x{columns}', *('0x%02x' % c for c in codes))
                got, own = ([int(e['implementations'][0]['got'], 16) for e in r['elements']] for r in document['results'])
                if to == 'fp32':
                    self.assertEqual(got, [int(code(v), 16) for v in values])
                elif to == 'bf16':
                    self.assertEqual(got, [int(code(rounded(v, 8, -126)), 16) >> 16 for v in values])
                else:
                    shares = [fp32(v * fp32(1 / fp32(abs(x * y)))) for v, (x, y) in zip(values, scales)]
                    self.assertEqual([eighth(c) for c in got if c & 127 != 127], [rounded(v, 4, -6) for v in shares if abs(v) < 464])
                    self.assertGreater(len([v for v in shares if abs(v) < 464]), 20)
                want = [0x3f800000] * len(got) if to != 'fp8_e4m3fn' else [int(code(fp32(abs(x * y))), 16) for x, y in scales]
                self.assertEqual(own, want)

    def scaled(self, units, lines, words):
        """The elements of scaled.matmul from fp8_e4m3fn to fp32, of codes of lines in turn."""
        names = [w for unit in units for w in ('--impl', 'mma:' + unit)]
        document = self.document('eval', 'scaled.matmul', '-f', 'fp8_e4m3fn', '--to', 'fp32', '--static', 'one', *words, *names,
                                 *('0x%02x' % c for line in lines for c in line))
        elements = document['results'][0]['elements']
        return {unit: [e['implementations'][i]['got'] for e in elements] for i, unit in enumerate(units)}

    def test_factors_of_two_formats(self):
        """fp8_e4m3fn times fp8_e5m2, down to the least numbers of both; each counts with its own exponent in alignment, but where the
        unit widens both with that of fp16."""
        draw = random.Random(59)
        rows, inner, columns = 6, 90, 5
        a, b = ([[draw.getrandbits(1) << 7 | draw.randrange(*span) for _ in range(inner)] for _ in range(lines)]
                for lines, span in ((rows, (0, 0x2f)), (columns, (0x20, 0x78))))
        # 2^-9 * 2^15, the opposite of it, and 2^-6 * 2^-12: of the least number of fp8_e4m3fn the exponent is -6, and -9 in fp16.
        a[0] = [0x01, 0x81, 0, 0, 0x08] + [0] * (inner - 5)
        b[0] = [0x78, 0x78, 0, 0, 0x0c] + [0] * (inner - 5)
        codes = [*a, [0x3f800000], *([line[k] for line in b] for k in range(inner)), [0x3f800000]]
        got = self.scaled(('h100', 'ada', 'b200'), codes, ('--second-format', 'fp8_e5m2', '--shape', f'{rows}x{inner}x{columns}'))
        pairs = [([eighth(c) for c in x], [number(c << 8) for c in y]) for x in a for y in b]
        for unit, call in (('h100', 32), ('ada', 16)):
            self.assertEqual(got[unit], [code(chain(x, y, call, 13, (-6, -14), 14)) for x, y in pairs], unit)
        self.assertEqual(got['b200'], [code(by_halves(x, y)) for x, y in pairs])
        self.assertEqual((got['b200'][0], got['h100'][0]), (code(2 ** -18), code(0)))

    def test_scales_along_the_terms(self):
        """Each part that has its own scales is a sum from zero; times both scales it is added in fp32, rounded once."""
        draw = random.Random(60)
        rows, inner, columns = 4, 192, 6
        a, b = ([[draw.getrandbits(1) << 7 | draw.randrange(0x10, 0x60) for _ in range(inner)] for _ in range(n)] for n in (rows, columns))
        s, r = ([[fp32(Fraction(draw.uniform(0.01, 3.0))) for _ in range(n)] for _ in range(m)] for n, m in ((3, rows), (2, 3)))
        codes = [*a, *([int(code(v), 16) for v in line] for line in s), *([line[k] for line in b] for k in range(inner)),
                 *([int(code(v), 16) for v in line] for line in r)]
        words = ('--shape', f'{rows}x{inner}x{columns}', '--scales', f'{rows}x3', '--second-scales', '3x2')
        got = self.scaled(('h100', 'b200'), codes, words)
        for unit in ('h100', 'b200'):
            want = []
            for i in range(rows):
                for j in range(columns):
                    total = Fraction(0)
                    for part in range(3):
                        x, y = ([eighth(c) for c in line[64 * part:64 * part + 64]] for line in (a[i], b[j]))
                        one = chain(x, y, 32, 13, -6, 14) if unit == 'h100' else by_halves(x, y)
                        total = fp32(fp32(s[i][part] * r[part][j // 3]) * one + total)
                    want.append(code(total))
            self.assertEqual(got[unit], want, unit)

    def test_scaled_batches_are_products_of_their_own(self):
        """Matrices that broadcast, one scale for each: the second matrix alone gives the second half of what both give."""
        words = ['scaled.matmul', '-f', 'fp8_e5m2', '--to', 'fp32', '--impl', 'mma:ada', '--second-shape', '40x3']
        draw = random.Random(58)
        a, b = ([draw.getrandbits(1) << 7 | draw.randrange(0x30, 0x4c) for _ in range(n)] for n in (2 * 4 * 40, 40 * 3))
        s, r = (0x3fc00000, 0x40200001), 0x3e99999a

        def products(shape, scales, codes, own):
            operands = [*('0x%02x' % c for c in codes), *('0x%08x' % c for c in own), *('0x%02x' % c for c in b), '0x%08x' % r]
            document = self.document('eval', *words, '--shape', shape, '--scales', scales, '--second-scales', '1', *operands)
            return [e['implementations'][0]['got'] for e in document['results'][0]['elements']]

        both = products('2x4x40', '2x1x1', a, s)
        self.assertEqual(both, products('4x40', '1', a[:160], s[:1]) + products('4x40', '1', a[160:], s[1:]))
        self.assertEqual(len(set(both)), 24)

    def test_lists_may_hold_units_and_their_options(self):
        done = self.document('sweep', 'matmul', '--format', 'fp16', '--impl', 'mma:h100,mma:h100,split-k=2,det,mma:a100',
                             '--shape', '2x64x2')
        names = [i['name'] for i in done['results'][0]['implementations']]
        self.assertEqual(names, ['mma:h100', 'mma:h100,split-k=2', 'det', 'mma:a100'])

    def test_shorter_calls(self):
        """mma.sync.m16n8k8 in place of m16n8k16; of an A100 a call of 16 is two of 8 anyway."""
        draw = random.Random(55)
        codes = [draw.getrandbits(1) << 15 | draw.randint(10, 19) << 10 | draw.getrandbits(10) for _ in range(2 * 80)]
        a, b = ([number(c) for c in part] for part in (codes[:80], codes[80:]))
        got = self.evaluate('dot', ['mma:h100', 'mma:h100,tile=8', 'mma:h100,tile=4,promote=20'], codes, '--dtype', 'fp32', '--shape', '80')
        self.assertEqual(got['mma:h100,tile=8'], [code(chain(a, b, 8, 25))])
        parts = [chain(a[at:at + 20], b[at:at + 20], 4, 25) for at in range(0, 80, 20)]
        total = parts[0]
        for one in parts[1:]:
            total = fp32(total + one)
        self.assertEqual(got['mma:h100,tile=4,promote=20'], [code(total)])
        self.assertEqual(len({got[name][0] for name in got}), 3)

    def test_options_are_words_of_all_units(self):
        words = ['sweep', 'matmul', '--format', 'fp16', '--shape', '3x80x5', '--samples', '2', '--distribution', 'normal']
        given = self.document(*words, '--tile', '8', '--impl', 'mma:h100,det', '--split-k', '2', '--impl', 'mma:a100')
        spelled = self.document(*words, '--impl', 'mma:h100,tile=8,split-k=2,det,mma:a100,tile=8,split-k=2')
        both = [[(i['name'], i['fingerprint']) for i in done['results'][0]['implementations']] for done in (given, spelled)]
        self.assertEqual(*both)
        self.assertEqual([name for name, _ in both[0]], ['mma:h100,tile=8,split-k=2', 'det', 'mma:a100,tile=8,split-k=2'])
        for options, says in ((('--tile', '8', '--impl', 'mma:h100,tile=4'), 'tile= is given twice'),
                              (('--split-k', '2', '--impl', 'mma:h100,promote=32'), 'together or twice'),
                              (('--split-k', '2', '--impl', 'det'), '--split-k has no effect without --impl mma:UNIT'),
                              (('--tile', '0', '--impl', 'mma:h100'), '--tile needs')):
            self.assertIn(says, self.refuse(*words, *options, prints=True))

    def test_whole_numbers_are_added_modulo_a_power_of_two(self):
        for operation, shape in (('dyadic.matmul', '3x700x2'), ('dyadic.dot', '1400')):
            done = self.document('sweep', operation, '--impl', 'det,mma:h100,mma:a100,split-k=3', '--shape', shape, '--samples', '1',
                                 '--distribution', 'edges', '--s1', '3')
            for result in done['results']:
                prints = [i['fingerprint'] for i in result['implementations']]
                self.assertEqual(prints, prints[:1] * 3)
                self.assertTrue(all(i['tested'] for i in result['implementations']))

    def test_whole_numbers_saturate(self):
        """140,000 times 127 * 127 are more than an int32 holds; then as many of the opposite, of which all but the first are seen."""
        count = 140000
        path = self.file('mantissas.txt', ' '.join(['127'] * (2 * count) + ['127'] * count + ['-127'] * count) + '\n')
        want = {'wrap': 0, 'saturate': 2 ** 31 - 1 - count * 127 * 127}
        for overflow, sum_ in want.items():
            done = self.document('eval', 'dyadic.dot', '--shape', str(2 * count), '--on-overflow', overflow, '--impl', 'mma:h100',
                                 '--inputs', path)
            self.assertEqual(int(done['results'][0]['elements'][0]['implementations'][0]['got'], 0), sum_ % 2 ** 32)

    def test_levels_give_the_same_bits(self):
        def outputs(**environment):
            done = self.document('sweep', 'matmul', '--format', 'fp16,bf16', '--impl', 'mma:h100,mma:a100', '--dtype',
                                 'fp32', env=environment)
            return [i['fingerprint'] for r in done['results'] for i in r['implementations']]

        best = outputs()
        self.assertGreaterEqual(len(best), 4)
        self.assertEqual(best, outputs(DETCHECK_LEVEL='baseline'))

    def test_accumulators_and_formats(self):
        codes = [0x3c00, 0x1000, 0x3c00, 0x3c00]  # 1 + 2^-11 is not fp16's, and cut to nothing where sums are
        for options, want in ((('--dtype', 'fp32'), '0x3f801000'), ((), '0x3c00'), (('--accumulate', 'fp16'), '0x3c00')):
            got = self.evaluate('dot', ['mma:h100'], codes, '--shape', '2', *options)
            self.assertEqual(got['mma:h100'], [want], options)

    def test_what_is_wrong_is_said_in_a_line(self):
        for words, text in (
                (('matmul', '--impl', 'mma:h101'), "no matrix unit 'h101'; there are: v100, a100, "),
                (('matmul', '--impl', 'mma:'), "the implementation 'mma:' is incomplete"),
                (('matmul', '--impl', 'mma:h100,split-k=0'), "split-k= needs a number from 1 to 1048576, not '0'"),
                (('matmul', '--impl', 'mma:h100,split-k=2,promote=4'), 'together or twice'),
                (('matmul', '--impl', 'mma:h100,tiles=4'), "not 'tiles=4'"),
                (('matmul', '--impl', 'mma:h100,tile=4,tile=8'), 'tile= is given twice'),
                (('matmul', '-f', 'fp16', '--dtype', 'fp32', '--impl', 'mma:h100,tile=5'), 'takes 16 products of fp16; tile= takes a divisor of that'),
                (('matmul', '-f', 'bf16', '--dtype', 'fp32', '--impl', 'mma:mi250,tile=2'), 'for units that add all at once'),
                (('matmul', '--impl', 'mma:v100', '--format', 'bf16'), 'v100 has no products of bf16 summed in fp32'),
                (('sum', '--impl', 'mma:h100', '--format', 'fp16'), 'a matrix unit has dot, matmul, mx.matmul, scaled.matmul, dyadic.dot and dyadic.matmul, not sum'),
                (('exp', '--impl', 'mma:h100', '--format', 'fp16'), 'dyadic.dot and dyadic.matmul, not exp'),
                (('scaled.matmul', '-f', 'fp8_e4m3fn', '--impl', 'mma:a100'), 'a100 has no products of fp8_e4m3fn summed in fp32'),
                (('scaled.matmul', '-f', 'fp8_e4m3fn', '--second-format', 'fp16', '--impl', 'mma:h100'),
                 'h100 has no products of fp8_e4m3fn and fp16 in one call'),
                (('scaled.matmul', '--scale', 'power', '--static', 'one', '--impl', 'mma:h100'), 'fp32 numbers; give --scale fp32 or none'),
                (('scaled.matmul', '--profile', 'saturate', '--to', 'fp16', '--impl', 'mma:h100'), 'only det has the roundings of --profile'),
                (('scaled.matmul', '--shape', '4x64', '--second-shape', '64x4', '--scales', '4x2', '--second-scales', '1', '--impl', 'mma:h100,promote=32'),
                 'differ along the terms already divide them'),
                (('dyadic.matmul', '--accumulator', '64', '--impl', 'mma:h100'), 'adds modulo 2^32, or saturates: --accumulator 32 --on-overflow wrap or saturate'),
                (('dyadic.matmul', '--q', '3', '--impl', 'mma:h100'), 'shifts nothing and transposes nothing'),
                (('dyadic.matmul', '--impl', 'mma:mi300x'), 'mi300x has no products of int8 summed in int32'),
                (('matmul', '--impl', 'det,lib:x'), "each has an option of its own")):
            self.assertIn(text, self.refuse('sweep', *words, prints=True))


if __name__ == '__main__':
    unittest.main()
