"""detcheck reveal finds the orders of sums inside of softmax, log_softmax, logsumexp and rms_norm, which a library has on
purpose, and claims nothing else.

The truth stands here, as nested tuples made by other code than the library's and the program's. Environment:
INNER_SUM_LIBRARY.
"""

import os
import unittest

from harness import Case

LIBRARY = os.environ["INNER_SUM_LIBRARY"]
ARRAYS = 300


def left(items):
    items = list(items)
    tree = items[0]
    for item in items[1:]:
        tree = (tree, item)
    return tree


def right(n):
    return left(range(n - 1, -1, -1))


def from_left(n):
    return left(range(n))


def lanes(n):
    if n < 8:
        return from_left(n)
    whole = n - n % 8
    parts = [left(range(l, whole, 8)) for l in range(8)]
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [(parts[i], parts[i + half]) for i in range(half)]
    return left([parts[0], *range(whole, n)])


def halves(n, first=0):
    return first if n == 1 else (halves(n // 2, first), halves(n - n // 2, first + n // 2))


def blocks(n):
    return left([left(range(at, min(at + 16, n))) for at in range(0, n, 16)])


def at_random(n):
    items, state = list(range(n)), n
    while len(items) > 1:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        a, b = (state >> 33) % len(items), (state >> 13 & 0xFFFFF) % (len(items) - 1)
        b += b >= a
        items[a] = (items[a], items[b])
        items[b] = items[-1]
        items.pop()
    return items[0]


def star(n):
    return tuple(range(n))


FP32, SQUARES = ["fp32, nearest-even"], ["fp32, nearest-even, products rounded to fp32"]
# Of each function: the tree, the additions, what else is said.
TRUTH = {
    "softmax_left": (from_left, FP32, {"exponentials": "measured", "shares": "divided"}),
    "softmax_right": (right, FP32, {"exponentials": "measured", "shares": "divided"}),
    "softmax_lanes": (lanes, FP32, {"exponentials": "measured", "shares": "multiplied"}),
    "softmax_halves": (halves, FP32, {"exponentials": "measured", "shares": "divided"}),
    "softmax_blocks": (blocks, FP32, {"exponentials": "measured", "shares": "multiplied"}),
    "softmax_random": (at_random, FP32, {"exponentials": "measured", "shares": "divided"}),
    "softmax_kahan": (star, ["fp32, nearest-even, kahan"], {"exponentials": "measured", "shares": "divided"}),
    "softmax_bf16": (from_left, ["bf16, nearest-even"], {"exponentials": "measured", "shares": "divided"}),
    "logsumexp_left": (from_left, FP32, {}),
    "logsumexp_lanes": (lanes, FP32, {}),
    "logsumexp_halves": (halves, FP32, {}),
    "logsumexp_random": (at_random, FP32, {}),
    "log_softmax_left": (from_left, FP32, {}),
    "log_softmax_lanes": (lanes, FP32, {}),
    "log_softmax_halves": (halves, FP32, {}),
    "log_softmax_random": (at_random, FP32, {}),
    "rms_norm_left": (from_left, SQUARES, {}),
    "rms_norm_lanes": (lanes, SQUARES, {}),
    "rms_norm_halves": (halves, SQUARES, {}),
    "rms_norm_random": (at_random, SQUARES, {}),
    "rms_norm_fused": (from_left, FP32, {}),
    "rms_norm_reciprocal": (lanes, SQUARES, {}),
}


def canonical(tree):
    if isinstance(tree, int):
        return str(tree)
    return "(" + " ".join(sorted(map(canonical, tree))) + ")"


def read_tree(additions):
    totals = []
    for _, *children in additions:
        items = [child if child >= 0 else totals[~child] for child in children if child != "zero"]
        totals.append(items[0] if len(items) == 1 else tuple(items))
    return totals[-1]


class InnerSums(Case):
    def reveal(self, name, terms, *words, code=0):
        operation = name.rsplit("_", 1)[0]
        document = self.document("reveal", operation, "--impl", f"lib:{LIBRARY}:{name}", "--lengths", terms, "--arrays", ARRAYS,
                                 *words, code=code)
        result, = document["results"]
        return result

    def test_orders_and_arithmetic_that_are_there_are_found(self):
        for name, (tree, additions, says) in TRUTH.items():
            for terms in (33, 48):
                with self.subTest(name=name, terms=terms):
                    result = self.reveal(name, terms)
                    length, = result["lengths"]
                    self.assertEqual((length["state"], length["different"]), ("revealed", 0))
                    self.assertGreaterEqual(length["replayed"], ARRAYS)
                    self.assertEqual(canonical(read_tree(length["tree"])), canonical(tree(terms)))
                    self.assertEqual(result["additions"], additions)
                    self.assertEqual({word: result[word] for word in says}, says)

    def test_random_trees_of_many_lengths_are_found(self):
        for terms in [*range(3, 20), 64, 131]:
            length, = self.reveal("softmax_random", terms)["lengths"]
            self.assertEqual(length["state"], "revealed", terms)
            self.assertEqual(canonical(read_tree(length["tree"])), canonical(at_random(terms)), terms)

    def test_what_is_no_order_is_not_called_one(self):
        """A sum that is off now and then, one whose largest term comes up on the way, exponentials that are not known."""
        for name in ("softmax_odd", "softmax_online", "rms_norm_odd", "logsumexp_rough", "log_softmax_rough"):
            with self.subTest(name=name):
                length, = self.reveal(name, 40, code=1)["lengths"]
                self.assertEqual(length["state"], "best-fit")
                self.assertGreater(length["different"], 0)
        length, = self.reveal("softmax_threads", 40, code=1)["lengths"]
        self.assertEqual(length["state"], "not-repeatable")

    def test_additions_that_results_do_not_show_are_open(self):
        """A sum in fp64 comes out as an exact one, rounded to fp32: that it may be one in any order is said."""
        for name in ("logsumexp_fp64", "log_softmax_fp64"):
            length, = self.reveal(name, 40)["lengths"]
            self.assertEqual(length["state"], "revealed")
            self.assertTrue(any("in any order in a format so wide" in line for line in length["open"]), length["open"])

    def test_results_of_few_bits_are_not_said_to_show_an_order(self):
        length, = self.reveal("rms_norm_halves", 40, "-f", "fp16", code=1)["lengths"]
        self.assertEqual(length["state"], "not-told")
        self.assertIn("results in fp16 do not show", length["why"])

    def test_logarithms_in_narrow_formats_show_an_order(self):
        """The logarithm of what is little above 1 has all of its bits, in any format."""
        for form in ("fp16", "bf16"):
            length, = self.reveal("log_softmax_lanes", 40, "-f", form)["lengths"]
            self.assertEqual((length["state"], canonical(read_tree(length["tree"]))), ("revealed", canonical(lanes(40))), form)

    def test_lengths_have_one_rule_and_rows_share_calls(self):
        result = self.reveal("softmax_lanes", "4:40")
        self.assertEqual((result["revealed"], result["rule"]),
                         (37, "8 lanes, l, l + 8 \u2026, folded 4, 2, 1, the rest from the left"))
        alone, = self.reveal("softmax_halves", 64)["lengths"]
        rows, = self.reveal("softmax_halves", 64, "--shape", "16x64")["lengths"]
        self.assertEqual((alone["state"], rows["state"], rows["tree"]), ("revealed", "revealed", alone["tree"]))
        self.assertLess(4 * rows["calls"]["tree"], alone["calls"]["tree"])

    def test_the_order_that_is_written_is_that_of_the_sum(self):
        self.reveal("softmax_halves", "30:40", "--output", "made.order")
        each = self.document("sweep", "sum", "--shape", 37, "-n", 60, "--distribution", "normal", "--impl", "order:made.order")["results"]
        self.assertEqual(len(each), 1)

    def test_text_says_whose_terms_they_are(self):
        done = self.run_program("reveal", "softmax", "--impl", f"lib:{LIBRARY}:softmax_lanes", "--lengths", 9, "--arrays", 60)
        text = done.stdout.decode()
        self.assertIn("terms: e^(x - the largest x), those that it returns where the sum is 2", text)
        self.assertIn("shares: terms times the rounded 1/sum", text)


if __name__ == "__main__":
    unittest.main()
