"""In which order a side added, from recorded inputs and outputs alone: which orders are found, of how many outputs, and what is said
where several fit or outputs are too few."""

import os
import subprocess
import tempfile
import unittest

import harness
import planted_traces
from planted_traces import F, from_the_left, in_two_halves, numpy
from trace_planted_test import compare


def total(parts):
    """From the left."""
    parts = list(parts)
    y = parts[0]
    for one in parts[1:]:
        y = F(y + one)
    return y


def folded(parts):
    parts = list(parts)
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [F(parts[i] + parts[i + half]) for i in range(half)]
    return parts[0]


def lanes(a, b, count):
    return [from_the_left(a[:, one::count], b[one::count]) for one in range(count)]


def two_vectors_of_four(a, b):
    eight = lanes(a, b, 8)
    return total(F(eight[i] + eight[i + 4]) for i in range(4))


def unrolled(a, b):
    """Two lanes as far as a multiple of 8; what is left comes onto the first."""
    whole = a.shape[1] // 8 * 8
    even, odd = lanes(a[:, :whole], b[:whole], 2)
    return F(planted_traces.products(a[:, whole:], b[whole:], start=even) + odd)


def blocks(size):
    def by_blocks(a, b):
        return total(from_the_left(a[:, at:at + size], b[at:at + size]) for at in range(0, a.shape[1], size))
    return by_blocks


def blocks_in_lanes(a, b):
    return total(folded(lanes(a[:, at:at + 16], b[at:at + 16], 4)) for at in range(0, a.shape[1], 16))


def six_parts_folded(a, b):
    size = a.shape[1] // 6
    parts = [from_the_left(a[:, at * size:(at + 1) * size], b[at * size:(at + 1) * size]) for at in range(6)]
    three = [F(parts[i] + parts[i + 3]) for i in range(3)]
    return F(F(three[0] + three[2]) + three[1])


# What is planted on a sum of 84 products, and what is said of it.
ORDERS = {
    "two vectors of four lanes": (two_vectors_of_four, "sums in 2 vectors of 4 lanes, the vectors added from the left, the lanes added from the left"),
    "two lanes, unrolled by eight": (unrolled, "sums in 2 lanes up to a multiple of 8 terms, the rest onto the first, added from the left"),
    "blocks of 24": (blocks(24), "sums blocks of 24, each from the left"),
    "blocks of 16 in four lanes": (blocks_in_lanes, "sums blocks of 16, each in 4 lanes, folded"),
    "six parts": (six_parts_folded, "sums 6 parts of 14, folded"),
    "two halves": (in_two_halves, "sums two halves of 42"),
}


class OrdersTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def judged(self, a, b, here, there, *words, name="aten.mm.default"):
        traces = []
        for side, y in enumerate((here, there)):
            trace = planted_traces.Trace(os.path.join(self.folder, str(side)), "torch")
            trace.add(name, [a, b], y)
            traces.append(trace.write())
        self.text = subprocess.run([harness.PROGRAM, "trace", "compare", *traces, *words], capture_output=True, text=True,
                                   check=False).stdout
        return compare(*traces, *words)[0]["judgement"]

    def drawn(self, rows, inner, columns, seed=3):
        generator = numpy.random.default_rng(seed)
        return F(generator.standard_normal((rows, inner))), F(generator.standard_normal((inner, columns)))

    def test_orders_of_the_grid_are_named_on_both_sides(self):
        a, b = self.drawn(8, 84, 8)
        for name in harness.some(ORDERS, 3):
            with self.subTest(name):
                order, says = ORDERS[name]
                found = self.judged(a, b, from_the_left(a, b), order(a, b))
                self.assertEqual(found["cause"], "both-sides", found)
                self.assertEqual(found["cause_here"], "makes one sum from the left, in fp32, with rounded products")
                self.assertEqual(found["cause_there"], says + ", in fp32, with rounded products")
                self.assertEqual((found["fits_here"], found["fits_there"], found["looked"]), (1, 1, 64))
                self.assertGreater(found["tried"], 500)

    def test_a_matrix_whose_edge_is_added_otherwise_has_two_orders(self):
        a, b = self.drawn(8, 84, 8)
        edge = from_the_left(a, b)
        edge[5:] = unrolled(a, b)[5:]
        found = self.judged(a, b, edge, in_two_halves(a, b))
        self.assertEqual(found["cause"], "both-sides", found)
        self.assertRegex(found["cause_here"], r"^makes one sum from the left, in fp32, with rounded products \(4\d of 64 outputs\); the other [12]\d: "
                         "sums in 2 lanes up to a multiple of 8 terms, the rest onto the first, added from the left, in fp32, with rounded products$")

    def test_what_no_order_gives_is_not_shared_out_to_orders(self):
        a, b = self.drawn(8, 84, 8)
        off = from_the_left(a, b)
        off[5:] = numpy.nextafter(off[5:], F(9))
        found = self.judged(a, b, off, in_two_halves(a, b))
        self.assertEqual((found["cause"], found["fits_here"]), ("one-side", 0), found)
        self.assertNotIn("cause_here", found)

    def test_where_several_orders_fit_they_are_listed_and_none_is_named(self):
        """Of 84 products all but the first and the last 8 are zeros."""
        a, b = self.drawn(8, 84, 8)
        a[:, 8:-8] = 0
        found = self.judged(a, b, from_the_left(a, b), in_two_halves(a, b))
        self.assertEqual(found["cause"], "several", found)
        self.assertGreater(found["fits_there"], 1)
        self.assertNotIn("cause_there", found)
        self.assertRegex(found["says"], rf"there one of {found['fits_there']} ways, all in fp32: .*; .*\(all 64 outputs; [\d,]+ ways were tried")
        self.assertIn("More than one cause fits: here ", self.text)

    def test_outputs_that_repeat_others_are_no_evidence(self):
        """64 outputs that are two or three, or else zeros, in an order that is none of the grid, which some of it give by chance."""
        for rows, seed in ((2, 3), (3, 3), (3, 11)):
            a, b = self.drawn(64, 84, 1, seed)
            for rest in (a[:1], 0):
                a[rows:] = rest
                sides = [numpy.random.default_rng(99 + side).permutation(84) for side in range(2)]
                found = self.judged(a, b, *(from_the_left(a[:, one].copy(), b[one].copy()) for one in sides))
                self.assertIn(found["cause"], ("too-few-outputs", "none"), found)
                self.assertFalse({"cause_here", "cause_there"} & set(found), found)

    def test_orders_that_bf16_hides_are_no_one_order(self):
        """Sums in fp32 that are rounded to bf16: shuffled operands would show as little of the order."""
        def codes(x):
            return (planted_traces.bf16(x).view(numpy.uint32) >> 16).astype(numpy.uint16)

        a, b = (planted_traces.bf16(x) for x in self.drawn(6, 24, 6, 4))
        here, there = codes(from_the_left(a, b)), codes(from_the_left(a, b))
        there[numpy.unravel_index(7, there.shape)] ^= 1
        here[3, 3] = codes(in_two_halves(a, b))[3, 3]
        found = self.judged(codes(a), codes(b), here, there)
        self.assertEqual(found["cause"], "too-few-outputs", found)
        self.assertRegex(found["says"], r"all 36 outputs, of which \d distinguish(es)? ways; ")
        self.assertGreater(found["fits_here"], 1)
        self.assertRegex(found["says"], r"here one of \d+ ways: makes one sum from the left, in fp32; ")
        self.assertNotIn("count as one", found["says"])

    def test_an_implementation_that_is_at_hand_is_revealed_and_its_order_held_against_both_sides(self):
        a, b = self.drawn(6, 84, 6)
        sides = from_the_left(a, b), planted_traces.in_pairs(a, b)
        found = self.judged(a, b, *sides, "--impl", "pairwise,sequential")
        self.assertEqual(found["cause"], "both-sides", found)
        self.assertRegex(found["cause_here"], "^adds 84 terms in the order that reveal found for sequential: from the left, in fp32, nearest-even, products "
                         "rounded to fp32$")
        self.assertRegex(found["cause_there"], "^adds 84 terms in the order that reveal found for pairwise: halves down to 8 terms, as --impl pairwise, in ")
        self.assertRegex(found["says"], "each gives all 36 outputs")
        # One that neither side has adds nothing.
        self.assertEqual(self.judged(a, b, *sides, "--impl", "blocked")["cause_there"], "adds halves of halves, down to 8, in fp32, with rounded products")

    def test_of_few_outputs_no_cause_is_told(self):
        for rows, cause in ((1, "too-few-outputs"), (2, "both-sides")):
            a, b = self.drawn(rows, 84, 15)
            found = self.judged(a, b, from_the_left(a, b), in_two_halves(a, b))
            self.assertEqual(found["cause"], cause, found)
            self.assertEqual("cause_here" in found, rows == 2)
            self.assertEqual("Fewer than 16 independent outputs, too few to name the cause: here " in self.text, rows == 1, self.text)


if __name__ == "__main__":
    unittest.main()
