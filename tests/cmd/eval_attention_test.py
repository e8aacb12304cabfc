"""Exact gradients of attention where queries of different denominators make a fraction together, such as 1 / (1 + x) - 1 / (1 + x)^2 -
x / (1 + x)^2 = 0 with x a power of e: designed and drawn, beside sums of 300 digits."""

import decimal
import random
import struct
import unittest
from fractions import Fraction

from harness import Case

GONE = decimal.Decimal("-inf")
decimal.getcontext().prec = 300


def shares(scores):
    powers = [decimal.Decimal(0) if score == GONE else decimal.Decimal(score).exp() for score in scores]
    return [power / sum(powers) for power in powers]


class Call:
    """Queries without scores of their own: a mask says what these are. g of a query has a number for each key, and the value of a key is
    1 there; q of a query is (x, 0, ...)."""

    def __init__(self, keys, rows):
        self.keys, self.rows = keys, rows  # scores, x, g

    def text(self):
        width = self.keys
        q = [x if at == 0 else 0 for _, x, _ in self.rows for at in range(width)]
        v = [int(at == key) for key in range(self.keys) for at in range(width)]
        g = [one for _, _, own in self.rows for one in own]
        return " ".join(float(one).hex() for one in (*q, *[0] * (self.keys * width), *v, *g, *(s for scores, _, _ in self.rows for s in scores)))

    def dk(self):
        """Element 0 of that of key 0."""
        sums, scale = decimal.Decimal(0), decimal.Decimal(struct.unpack("f", struct.pack("f", self.keys ** -0.5))[0])
        for scores, x, g in self.rows:
            p = shares(scores)
            mean = sum(one * decimal.Decimal(own) for one, own in zip(p, g))
            sums += scale * p[0] * (decimal.Decimal(g[0]) - mean) * decimal.Decimal(x)
        return sums

    def dv(self):
        """Element 0 of that of key 0."""
        return sum(shares(scores)[0] * decimal.Decimal(g[0]) for scores, _, g in self.rows)


def rows_of_values(a, b):
    """Queries whose first key has parts of dv that add up to 0."""
    none, zero = [0, 0, 0], [GONE] * 2
    return [
        [([0, a, *zero], 0, [-1, *none]), ([0, a, a, 2 * a], 0, [1, *none]), ([a, 0, a, 2 * a], 0, [1, *none])],
        [([0, a, *zero], 0, [1, *none]), ([0, b, *zero], 0, [1, *none]), ([0, a, b, a + b], 0, [-2, *none]),
         ([a, 0, b, a + b], 0, [-1, *none]), ([b, a, 0, a + b], 0, [-1, *none])],
        [([0, a, *zero], 0, [2, *none]), ([0, 0, a, a], 0, [-4, *none])],
        [([0, 0, a, a], 0, [2, *none]), ([0, a, b, a + b], 0, [-1, *none]), ([b, a, 0, a + b], 0, [-1, *none])],
    ]


def rows_of_keys(a):
    """The same of dk: x (1 + x)^2 = x + 2 x^2 + x^3 over (1 + x)^4."""
    return [([0, a, GONE, GONE], -1, [1, 0, 0, 0]), ([0, a, a, 2 * a], 1, [1, 0, 1, 0]), ([a, 0, a, 2 * a], 1, [1, 1, 0, 0])]


class Together(Case):
    def exact(self, call, which):
        """Element 0 of dk or dv of key 0: what the oracle says, and its fp32 number."""
        path = self.file("call.txt", call.text())
        shape = f"1x1x{len(call.rows)}x{call.keys}x{call.keys}"
        document = self.document("eval", "attention_gradient", "--shape", shape, "--bias", "mask", "--impl", "det", "--inputs", path)
        result = next(one for one in document["results"] if one["operation"] == f"attention_gradient.{which}")
        element = result["elements"][0]
        return element["exact"], struct.unpack("f", struct.pack("I", int(element["want"], 16)))[0]

    def expect(self, call, which, wanted):
        """A fraction, or None: what the digits say."""
        value = call.dk() if which == "k" else call.dv()
        exact, number = self.exact(call, which)
        if wanted is None:
            self.assertGreater(abs(value), decimal.Decimal("1e-200"))
            self.assertEqual(number, struct.unpack("f", struct.pack("f", float(value)))[0])
            return
        self.assertLess(abs(value - decimal.Decimal(wanted.numerator) / wanted.denominator), decimal.Decimal("1e-280"))
        self.assertEqual(Fraction(exact), wanted)

    def test_values(self):
        random.seed(8)
        for _ in range(3):
            a, b = (random.choice((1, -1)) * random.randint(1, 1 << 20) / 2 ** 18 for _ in range(2))
            for rows in rows_of_values(a, b):
                even = ([0, 0, 0, 0], 0, [3, 0, 0, 0])
                random.shuffle(rows)
                self.expect(Call(4, rows), "v", Fraction(0))
                self.expect(Call(4, [*rows, even]), "v", Fraction(3, 4))
                scores, x, g = rows[0]
                self.expect(Call(4, [(scores, x, [g[0] * (1 + 2 ** -20), *g[1:]]), *rows[1:]]), "v", None)

    def test_keys(self):
        for a in (1, -0.75, 0.3125, 7 / 1024):
            rows = rows_of_keys(a)
            self.expect(Call(4, rows), "k", Fraction(0))
            self.expect(Call(4, [*rows, ([0, 0, GONE, GONE], 6, [1, 0, 0, 0])]), "k", Fraction(3, 4))
            scores, x, g = rows[1]
            self.expect(Call(4, [rows[0], (scores, x * (1 + 2 ** -20), g), rows[2]]), "k", None)

    def test_a_query_of_many_keys_has_zeros(self):
        """An element of keys that are all 0 there, of more keys than a product of divisors may have terms of."""
        keys = 1100
        numbers = [1, 1, *(x for at in range(keys) for x in (at / 64, 0)), *(at * at % 97 for at in range(2 * keys)), 1, 2]
        path = self.file("call.txt", " ".join(map(str, numbers)))
        document = self.document("eval", "attention_gradient", "--shape", f"1x1x1x{keys}x2", "--impl", "det", "--inputs", path)
        self.assertEqual(document["results"][0]["elements"][1]["exact"], "0")


if __name__ == "__main__":
    unittest.main()
