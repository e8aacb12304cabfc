"""detcheck reveal finds the orders and the arithmetic of a library that has each on purpose, and claims nothing else.

The truth stands here: trees are made by other code than the library's and the program's, as nested tuples. Environment:
ORDERED_LIBRARY.
"""

import json
import os
import signal
import sys
import time
import unittest

from harness import EXHAUSTIVE, Case, seconds_used, some
from order_trees import at_random, blocks, canonical, lanes, left, read_tree, star

LIBRARY = os.environ["ORDERED_LIBRARY"]
ADAPTERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "impl", "adapters")
ARRAYS = 400
# Adds in pairs, and ends after as many sums as its argument says.
MORTAL = f"""import os, struct, sys
sys.path.append({ADAPTERS!r})
from adapter import serve
left = int(sys.argv[1])
def pairwise(terms):
    half = len(terms) // 2
    return pairwise(terms[:half]) + pairwise(terms[half:]) if half else terms[0]
def compute(codes, shapes):
    global left
    left -= len(codes) // 8 // shapes[0][-1]
    if left < 0:
        os._exit(3)
    sums = [pairwise(terms) for terms in struct.iter_unpack(f"<{{shapes[0][-1]}}d", codes)]
    return [struct.pack(f"<{{len(sums)}}d", *sums)]
serve(lambda request: (compute, "sums in pairs"), arrays=True, without_numpy=True)
"""


# Trees: a term is a number, an addition a tuple.

def split(parts):
    def tree(n):
        cuts = [n * p // parts for p in range(parts + 1)]
        return left([left(range(a, b)) for a, b in zip(cuts, cuts[1:]) if a < b])
    return tree


def halves(first, end):
    n = end - first
    return left(range(first, end)) if n <= 8 else (halves(first, first + n // 2), halves(first + n // 2, end))


def nodes(width):
    def tree(n):
        total = ()
        for at in range(0, n, width):
            total = (*((total,) if total else ()), *range(at, min(at + width, n)))
        return total
    return tree


def doubled(n):
    return left([*range(n // 2 + 1), n // 2, *range(n // 2 + 1, n)])


def doubled_at_once(n):
    return left([*range(n // 2), (n // 2, n // 2), *range(n // 2 + 1, n)])


def sequential(n):
    return left(range(n))


def swapped(n):
    a, b = (n - 1) // 3, 2 * (n - 1) // 3
    return left([*range(a), b, *range(a + 1, b), a, *range(b + 1, n)])


def swapped_reverse(n):
    a, b = (n - 1) // 4, (n - 1) // 2
    return left(n - 1 - (b if i == a else a if i == b else i) for i in range(n))


def waiting(n):
    a = (n - 1) // 3
    return left([*range(a), (a, a + 1), *range(a + 2, n)])


DOUBLED = {"sum_doubled": lambda n: [n // 2], "sum_doubled_at_once": lambda n: [n // 2], "sum_doubled_last": lambda n: [n // 2],
           "sum_doubled_first": lambda n: [0], "sum_overlapping": lambda n: list(range(n // 2 - 3, n // 2))}


PLAIN, FLUSHED = ["fp32, nearest-even"], ["fp32, nearest-even, subnormal results flushed"]
TRUTH = {
    "sum_sequential": (sequential, PLAIN),
    "sum_reverse": (lambda n: left(range(n - 1, -1, -1)), PLAIN),
    "sum_swapped": (swapped, PLAIN),
    "sum_swapped_reverse": (swapped_reverse, PLAIN),
    "sum_waiting": (waiting, PLAIN),
    "sum_lanes_4": (lanes(4), PLAIN),
    "sum_lanes_8": (lanes(8), PLAIN),
    "sum_lanes_16_in_turn": (lanes(16, left), PLAIN),
    "sum_serpentine": (lanes(8, serpentine=True), PLAIN),
    "sum_split_4": (split(4), PLAIN),
    "sum_halves": (lambda n: halves(0, n), PLAIN),
    "sum_random": (at_random, PLAIN),
    "sum_fp64": (sequential, ["fp64, nearest-even"]),
    "sum_fp16": (sequential, ["fp16, nearest-even"]),
    "sum_bf16": (sequential, ["bf16, nearest-even"]),
    "sum_toward_zero": (sequential, ["fp32, toward-zero"]),
    "sum_down": (sequential, ["fp32, down"]),
    "sum_up": (sequential, ["fp32, up"]),
    "sum_to_odd": (sequential, ["fp32, to-odd"]),
    "sum_away": (sequential, ["fp32, nearest-away"]),
    "sum_terms_flushed": (sequential, ["fp32, nearest-even, subnormal operands flushed"]),
    "sum_flushed": (sequential, FLUSHED),
    "sum_lanes_flushed": (lanes(4), ["fp32, nearest-even, subnormal results flushed", "fp32, nearest-even"]),
    "sum_spilled": (sequential, ["fp32, nearest-even", "bf16, nearest-even"]),
    "sum_block_spilled": (sequential, ["fp32, nearest-even", "bf16, nearest-even"]),
    "sum_two_levels": (blocks(32), ["fp32, nearest-even", "fp64, nearest-even"]),
    "sum_dropped": (lambda n: sequential(n - n % 8), PLAIN),
    "sum_doubled": (doubled, PLAIN),
    "sum_doubled_at_once": (doubled_at_once, PLAIN),
    "sum_doubled_last": (lambda n: (sequential(n), n // 2), PLAIN),
    "sum_doubled_first": (lambda n: (sequential(n), 0), PLAIN),
    "sum_overlapping": (lambda n: (left(range(n // 2)), left(range(n // 2 - 3, n))), PLAIN),
    "sum_result_flushed": (sequential, [*PLAIN, *FLUSHED]),
    "sum_meeting_flushed": (lambda n: (left(range(0, n, 2)), left(range(1, n, 2))), [*PLAIN, *FLUSHED]),
    **{f"{operation}_{stage}_terms_flushed": (lanes(8), [*PLAIN, "fp32, nearest-even, subnormal operands flushed"])
       for operation in ("sum", "dot") for stage in ("lanes", "rest")},
    "sum_kahan": (star, ["fp32, nearest-even, kahan"]),
    "sum_neumaier": (star, ["fp32, nearest-even, neumaier"]),
    "sum_double_double": (star, ["fp32, nearest-even, double-double"]),
    "sum_exact": (star, ["fp32, nearest-even, exact"]),
    "sum_fixed": (star, ["fp32, nearest-even, fixed-point, in multiples of 2^-20"]),
    "sum_reproducible": (star, ["fp32, nearest-even, bins, 3 of 13 bits, slices nearest-away, ends at multiples of 13 bits, 0 over, "
                                "totals rounded once"]),
    "sum_shifted": (star, ["fp32, nearest-even, bins, 2 of 16 bits, slices down, ends at multiples of 16 bits, 5 over, "
                           "totals rounded once"]),
    "sum_extracted": (star, ["fp32, nearest-even, {n} terms at once, terms aligned to 33 bits, cut nearest-even"]),
    "sum_nodes_8_24": (nodes(8), ["fp32, toward-zero, 8 terms at once, terms aligned to 24 bits, cut toward-zero"]),
    "sum_nodes_8_25": (nodes(8), ["fp32, toward-zero, 8 terms at once, terms aligned to 25 bits, cut toward-zero"]),
    "sum_nodes_8_sticky": (nodes(8), ["fp32, toward-zero, 8 terms at once, terms aligned to 25 bits, cut to-odd"]), # 24 and a sticky one
    "sum_nodes_16_24": (nodes(16), ["fp32, toward-zero, 16 terms at once, terms aligned to 24 bits, cut toward-zero"]),
    "sum_nodes_16_25": (nodes(16), ["fp32, toward-zero, 16 terms at once, terms aligned to 25 bits, cut toward-zero"]),
    "mean_before": (sequential, PLAIN),
    "mean_after": (sequential, PLAIN),
    "mean_by_reciprocal": (sequential, PLAIN),
    "mean_divided_flushed": (sequential, PLAIN),
    "mean_by_reciprocal_flushed": (sequential, PLAIN),
    "dot_fused": (sequential, PLAIN),
    "dot_rounded": (sequential, ["fp32, nearest-even, products rounded to fp32"]),
    "dot_fp64": (sequential, ["fp64, nearest-even"]),
    "dot_fp16_products": (sequential, ["fp32, nearest-even, products rounded to fp16"]),
    "dot_bf16_products": (sequential, ["fp32, nearest-even, products rounded to bf16"]),
    "dot_spilled_fused": (sequential, ["fp32, nearest-even", "bf16, nearest-even"]),
    "dot_spilled_rounded": (sequential, ["fp32, nearest-even, products rounded to fp32",
                                         "bf16, nearest-even, products rounded to fp32"]),
    "sum_extracted_bare": (star, ["fp32, nearest-even, bins, 2 of 17 bits, slices nearest-even, ends above the largest term, "
                                  "totals added from-largest, negative terms cut one bit lower"]),
    "sum_bf16_terms": (sequential, ["fp32, nearest-even, operands rounded to bf16"]),
    "dot_tf32": (sequential, ["fp32, nearest-even, operands rounded to tf32"]),
    "dot_tf32_cut": (sequential, ["fp32, nearest-even, operands rounded to tf32 toward-zero"]),
    "dot_bf16_factors": (sequential, ["fp32, nearest-even, operands rounded to bf16"]),
    "dot_cut_fused": (sequential, ["fp32, nearest-even", "bf16, toward-zero"]),
    "dot_cut_rounded": (sequential, ["fp32, nearest-even, products rounded to fp32", "bf16, toward-zero, products rounded to fp32"]),
    "dot_ozaki": (star, ["fp32, nearest-even, slices, of both factors: 3 of 8 bits, cut toward-zero, totals rounded once"]),
    "dot_ozaki_int8": (star, ["fp32, nearest-even, slices, of both factors: 4 of 7 bits, cut nearest-even, totals added from-largest"]),
    "dot_ozaki_fp16": (star, ["fp32, nearest-even, slices, of both factors: 2 of 11 bits, cut nearest-even, totals added by-rows"]),
    "dot_ozaki_floor": (star, ["fp32, nearest-even, slices, of both factors: 3 of 8 bits, cut down, totals added from-smallest"]),
    "dot_ozaki_all": (star, ["fp32, nearest-even, slices, of both factors: 2 of 10 bits, cut toward-zero, all products, "
                             "totals added from-smallest"]),
    "matmul_spilled": (sequential, ["fp32, nearest-even", "bf16, nearest-even"]),
    "matmul_split_2": (lambda n: (left(range((n + 1) // 2)), left(range((n + 1) // 2, n))), PLAIN),
    "cumsum_from_zero": (sequential, PLAIN),
}
SCALES = {"mean_before": "terms-times-reciprocal", "mean_after": "sum-divided", "mean_by_reciprocal": "sum-times-reciprocal",
          "mean_divided_flushed": "sum-divided-flushed", "mean_by_reciprocal_flushed": "sum-times-reciprocal-flushed"}


class RevealCase(Case):
    def reveal(self, name, terms, *words, code=0, arrays=ARRAYS):
        operation = name.split("_")[0]
        document = self.document("reveal", operation, "--impl", f"lib:{LIBRARY}:{name}", "--lengths", terms, "--arrays", arrays,
                                 *words, code=code)
        result, = document["results"]
        return result


class Planted(RevealCase):
    def check(self, name, terms):
        tree, additions = TRUTH[name]
        result = self.reveal(name, terms)
        length, = result["lengths"]
        self.assertEqual((length["state"], length["different"]), ("revealed", 0), name)
        self.assertGreaterEqual(length["replayed"], ARRAYS)
        self.assertEqual(canonical(read_tree(length["tree"])), canonical(tree(terms)), name)
        self.assertEqual(sorted(result["additions"]), sorted(line.format(n=terms) for line in additions), name)
        self.assertEqual(result.get("scale"), SCALES.get(name), name)
        return length

    def test_orders_and_arithmetic_that_are_there_are_found(self):
        for turn, name in enumerate(TRUTH):
            for terms in some((67, 100), 1, turn):
                with self.subTest(name=name, terms=terms):
                    length = self.check(name, terms)
                    self.assertEqual(length.get("dropped", []), list(range(64, 67)) if name == "sum_dropped" and terms == 67 else
                                     [96, 97, 98, 99] if name == "sum_dropped" else [])
                    self.assertEqual(length.get("added_twice", []), DOUBLED.get(name, lambda n: [])(terms))

    def test_random_trees_are_found(self):
        for terms in [*some(range(2, 40), 8), *some(range(40, 513, 67), 4)]:
            result = self.reveal("sum_random", terms, arrays=60)
            length, = result["lengths"]
            self.assertEqual(length["state"], "revealed")
            self.assertEqual(canonical(read_tree(length["tree"])), canonical(at_random(terms)), terms)

    def test_sums_are_longer_than_what_narrow_formats_within_them_count(self):
        """All blocks of 32 units end with numbers that bf16 has; not so where one unit is left out."""
        for terms in (300, 512):
            self.check("sum_spilled", terms)

    def test_a_sum_from_one_end_takes_fewer_calls_than_terms(self):
        """Those of the tree, all of them: pairs, and what units and all of them come to."""
        for name, lengths in (("sum_sequential", (2, 3, 4, 8, 9, 200, 257)), ("sum_reverse", (2, 4, 9, 200, 257))):
            for terms in lengths:
                calls = self.reveal(name, terms, arrays=60)["lengths"][0]["calls"]
                self.assertLessEqual(calls["tree"], terms - 1, (name, terms))

    def test_other_orders_take_a_few_calls_more_than_fprev_asks_pairs(self):
        """FPRev asks all pairs of a set's first term, then in each set that joins that at once."""
        def asked(terms, subtree):
            if len(terms) < 2:
                return 0
            sets = {}
            for other in terms[1:]:
                sets.setdefault(subtree(terms[0], other), []).append(other)
            return len(terms) - 1 + sum(asked(part, subtree) for part in sets.values())

        for name in ("sum_halves", "sum_lanes_8"):
            for terms in (16, 64):
                leaves = []

                def walk(tree):
                    found = [tree] if isinstance(tree, int) else [leaf for child in tree for leaf in walk(child)]
                    leaves.append(frozenset(found))
                    return found

                walk(TRUTH[name][0](terms))
                pairs = asked(range(terms), lambda a, b: min(len(one) for one in leaves if a in one and b in one))
                calls = self.reveal(name, terms, arrays=60)["lengths"][0]["calls"]
                self.assertLessEqual(calls["tree"], pairs + 4, (name, terms, pairs))

    def test_terms_of_narrow_formats_tell_orders_too(self):
        """Numbers are chosen that the formats of terms and results hold, and counted as far as these count."""
        for form in ("bf16", "fp16", "fp8_e5m2", "fp8_e4m3fn"):
            for name in ("dot_fused", "sum_lanes_8"):
                result = self.reveal(name, 40, "-f", form)
                length, = result["lengths"]
                self.assertEqual((length["state"], length["different"]), ("revealed", 0), (form, name))
                self.assertNotIn("sorted", length)
                exact = (form, name) == ("fp8_e4m3fn", "sum_lanes_8") # 17 bits and 6 of n are less than fp32 has
                self.assertEqual(result["additions"], ["fp32, nearest-even, exact"] if exact else PLAIN, (form, name))
                tree = star(40) if exact else TRUTH[name][0](40)
                self.assertEqual(canonical(read_tree(length["tree"])), canonical(tree), (form, name))

    def test_narrow_products_that_are_rounded_are_told_from_fused_ones(self):
        """fp32 has all bits of a product of bf16 but in its least numbers: there alone it is rounded."""
        unit = "fp32, toward-zero, 4 terms at once, terms aligned to 24 bits, cut toward-zero"
        rounded = ", products rounded to fp32"
        for name, additions in (("dot_rounded", PLAIN[0] + rounded), ("dot_fused", PLAIN[0]), ("dot_nodes_4_rounded", unit + rounded),
                                ("dot_nodes_4_fused", unit)):
            for words in ((), ("--dtype", "fp32"))["nodes" in name:]:
                result = self.reveal(name, 20, "-f", "bf16", *words, arrays=1000)
                length, = result["lengths"]
                self.assertEqual((length["state"], length["different"]), ("revealed", 0), (name, words))
                found = [one.replace(", zeros positive", "") for one in result["additions"]]
                self.assertEqual(found, [additions], (name, words))
                self.assertEqual([one for one in length.get("open", []) if one.startswith("products are:")], [], (name, words))

    def test_products_that_are_rounded_in_the_rest_alone_are_told_there(self):
        """By the last addition too, which no probe measures."""
        result = self.reveal("dot_rest_rounded", 38, "-f", "fp64")
        length, = result["lengths"]
        self.assertEqual((length["state"], length["different"]), ("revealed", 0))
        self.assertEqual(canonical(read_tree(length["tree"])), canonical(lanes(4)(38)))
        self.assertEqual(result["additions"], ["fp64, nearest-even", "fp64, nearest-even, products rounded to fp64"])
        self.assertEqual(result["rule"], "4 lanes, l, l + 4 \u2026, each (from the left, from +0), folded 2, 1, the rest from the left by addition 1")

    def test_products_of_bf16_that_are_rounded_in_the_rest_alone_overflow_there(self):
        result = self.reveal("dot_rest_rounded_fp32", 38, "-f", "bf16", arrays=2000)
        length, = result["lengths"]
        self.assertEqual((length["state"], length["different"]), ("revealed", 0))
        self.assertEqual(result["additions"], ["fp32, nearest-even", "fp32, nearest-even, products rounded to fp32"])
        self.assertEqual(result["rule"], "4 lanes, l, l + 4 \u2026, each (from the left, from +0), lanes added from the left by addition 1, "
                                         "the rest onto lane 0 from the left by addition 1")

    def test_sums_that_overflow_otherwise_than_the_model_are_open(self):
        """No array that is replayed overflows, so that a sum which stops at 3e38 has the bits of its order."""
        open_of = {name: self.reveal(name, 20, arrays=200)["lengths"][0].get("open", []) for name in ("sum_clamped", "sum_sequential")}
        line, = open_of["sum_clamped"]
        self.assertRegex(line, r"^sums that overflow: for the largest numbers it returns 0x7f61b1e6.*, and the model 0x7f800000")
        self.assertEqual(open_of["sum_sequential"], [])

    def test_one_element_that_is_not_summed_as_the_others_is_named(self):
        length, = self.reveal("matmul_one_element", 20, arrays=1000, code=1)["lengths"]
        self.assertEqual(length["state"], "best-fit")
        self.assertIn("all that differ are element (1, 2), which is not summed as the others are", length["why"])

    def test_every_format_of_terms_has_results_in_fp32(self):
        for form in ("fp16", "bf16", "fp8_e5m2"):
            for operation, terms in some((("sum", 20), ("mean", 20), ("dot", 20), ("matmul", 9), ("cumsum", 20)), 3, len(form)):
                with self.subTest(format=form, operation=operation):
                    result, = self.document("reveal", operation, "-f", form, "--dtype", "fp32", "--impl", "pairwise",
                                            "--lengths", terms, "--arrays", 200)["results"]
                    length, = result["lengths"]
                    self.assertEqual((length["state"], length["different"]), ("revealed", 0))
                    self.assertTrue(result["additions"][0].startswith("fp32, nearest-even"), result["additions"])

    def test_what_a_mean_is_divided_by_hides_no_bits(self):
        """The quotient of what additions keep, or flush, may be a subnormal number, or lie below all of them."""
        for name, form, additions in (("mean_after", "fp16", PLAIN), ("mean_after", "bf16", PLAIN), ("mean_flushed", "fp32", FLUSHED),
                                      ("mean_in_fp64", "fp32", ["fp64, nearest-even"]), ("mean_of_fp64", "fp64", ["fp64, nearest-even"])):
            for terms in some((3, 38, 192, 500), 2, len(name) % 2):
                result = self.reveal(name, terms, "-f", form, arrays=120)
                length, = result["lengths"]
                self.assertEqual((length["state"], length["different"]), ("revealed", 0), (name, form, terms))
                self.assertEqual(canonical(read_tree(length["tree"])), canonical(sequential(terms)), (name, form, terms))
                self.assertEqual((result["additions"], result["scale"]), (additions, "sum-divided"), (name, form, terms))

    def test_lines_of_all_shapes_have_an_order(self):
        shapes = (("matmul", "3x17x5", 17), ("matmul", "1x17x1", 17), ("sum", "4x9", 36), ("sum", "4x9", 9, "--axis", 1),
                  ("sum", "4x9", 4, "--axis", 0), ("sum", "2x3x5", 5, "--axis", 2), ("mean", "4x9", 4, "--axis", 0),
                  ("dot", "4x9", 9, "--axis", 1), ("cumsum", "4x9", 9, "--axis", 1))
        for operation, shape, terms, *words in shapes:
            with self.subTest(operation=operation, shape=shape, words=words):
                result, = self.document("reveal", operation, "--shape", shape, *words, "--impl", "sequential",
                                        "--arrays", 60)["results"]
                length, = result["lengths"]
                self.assertEqual((length["state"], length["terms"]), ("revealed", terms))
                self.assertEqual(canonical(read_tree(length["tree"])), canonical(sequential(terms)))

    def test_a_scan_from_the_end_ends_at_the_first_element(self):
        for words in (("--lengths", 12), ("--shape", "12x3", "--axis", 0), ("--shape", "3x12", "--axis", 1)):
            result, = self.document("reveal", "cumsum", "--reverse", *words, "--impl", "sequential", "--arrays", 60)["results"]
            length, = result["lengths"]
            self.assertEqual((length["state"], result["rule"]), ("revealed", "from the right"), words)
            self.assertEqual(canonical(read_tree(length["tree"])), canonical(left(range(11, -1, -1))), words)

    def test_a_prefix_that_depends_on_what_is_behind_it_is_not_revealed(self):
        """With zeros behind it is a sum from the right."""
        result, = self.document("reveal", "cumsum", "--impl", f"lib:{LIBRARY}:cumsum_from_total", "--shape", 30, "--prefixes",
                                "--lengths", "10:30:10", "--arrays", ARRAYS, code=1)["results"]
        behind = [one["why"].startswith("the result depends on elements behind the prefix: with numbers there it is 0x")
                  for one in result["lengths"] if one["state"] != "revealed"]
        self.assertEqual((result["revealed"], behind), (1, [True, True]))

    def test_each_prefix_of_a_scan_has_its_tree(self):
        def doubling(at, distance):
            if not distance:
                return at
            own = doubling(at, distance // 2)
            return own if at < distance else (own, doubling(at - distance, distance // 2))

        def blelloch(at):
            first, sums = 0, []
            for size in (32, 16, 8, 4, 2, 1):
                if at & size:
                    sums.append(halves_of(first, size))
                    first += size
            return left([*sums, at])

        def halves_of(first, size):
            return first if size == 1 else (halves_of(first, size // 2), halves_of(first + size // 2, size // 2))

        def look_back(at):
            sums = [left(range(first, first + 8)) for first in range(0, at - at % 8, 8)]
            before = left(sums[::-1]) if sums else None
            own = left(range(at - at % 8, at + 1))
            return own if before is None else (before, own)

        truth = {"cumsum_hillis_steele": (lambda at: doubling(at, 32), "Hillis and Steele's scan"),
                 "cumsum_blelloch": (blelloch, "Blelloch's scan"), "cumsum_look_back": (look_back, None),
                 "cumsum_from_zero": (lambda at: sequential(at + 1), None)}
        for name, (tree, known) in some(truth.items(), 2):
            result, = self.document("reveal", "cumsum", "--impl", f"lib:{LIBRARY}:{name}", "--shape", 37, "--prefixes",
                                    "--arrays", 60)["results"]
            self.assertEqual((result["revealed"], result["prefixes_of"], result.get("known")), (37, 37, known), name)
            for length in result["lengths"]:
                self.assertEqual((length["state"], canonical(read_tree(length["tree"]))),
                                 ("revealed", canonical(tree(length["terms"] - 1))), (name, length["terms"]))

    def test_no_format_is_too_narrow_to_draw_arrays_of(self):
        taken = revealed = 0
        for turn, one in enumerate(self.document("list", "formats")["formats"]):
            form = one["name"]
            for operation in some(("sum", "dot", "matmul"), 1, turn):
                with self.subTest(format=form, operation=operation):
                    done = self.run_program("reveal", operation, "-f", form, "--lengths", 8, "--arrays", 60)
                    if done.returncode == 2:
                        self.assertIn("no pair of numbers", done.stderr.decode())
                        continue
                    taken += 1
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    self.assertIn("8 terms: revealed; 0 of" if done.returncode == 0 else "8 terms: not revealed", done.stdout.decode())
                    revealed += done.returncode == 0
        self.assertEqual(taken, 45 if EXHAUSTIVE else 15)
        self.assertEqual(revealed, taken)

    def test_terms_that_single_lengths_drop_cost_no_other_length(self):
        """Rules that drop what is left of totals are no trees of all lengths."""
        result = self.reveal("sum_drops_last", "30:61", arrays=60)
        self.assertEqual({one["terms"]: one["dropped"] for one in result["lengths"] if "dropped" in one},
                         {n: [n - 1] for n in (37, 45, 53, 61)})
        self.assertEqual(result["revealed"], 32)
        self.assertEqual(result.get("rule"), "from the left, from +0")
        self.assertEqual([one["terms"] for one in result["lengths"] if one.get("breaks_rule")], [37, 45, 53, 61])
        text = self.succeed("reveal", "sum", "--impl", f"lib:{LIBRARY}:sum_drops_last", "--lengths", "30:60", "--arrays", 60)
        self.assertIn("\n  dropped: 1 of 53 terms: 52\n  lengths at which not every term is added once: 37, 45, 53\n", text)

    def test_terms_onto_which_others_are_added_are_counted_once(self):
        text = self.succeed("reveal", "sum", "--impl", f"lib:{LIBRARY}:sum_doubled_both", "--lengths", 20, "--arrays", 60)
        self.assertIn("\n  4 is added onto 0 to 3, then onto 0 to 4\n  9 is added onto 0 to 8, then onto 0 to 9\n", text)

    def test_a_term_that_each_addition_claims_twice_is_no_tree(self):
        """Beside large terms it counts once and else twice, so that each of two parts has the copies of their sum."""
        length, = self.reveal("sum_claimed", 64, code=1)["lengths"]
        self.assertIn(length["state"], ("best-fit", "no-tree"))

    def test_what_is_no_order_is_said_with_the_call_that_shows_it(self):
        for name in ("sum_by_threads", "sum_stochastic"):
            length, = self.reveal(name, 50, code=1)["lengths"]
            self.assertEqual(length["state"], "not-repeatable")
            self.assertRegex(length["why"], r"call \d+, of .* arrays, returns 0x[0-9a-f]{8} and, made again, 0x[0-9a-f]{8}")
            self.assertNotIn("replayed", length)

    def test_an_order_by_magnitude_is_said_to_depend_on_the_data(self):
        length, = self.reveal("sum_sorted", 50)["lengths"]
        self.assertEqual((length["state"], length["sorted"], length["different"]), ("revealed", "ascending", 0))
        self.assertIn("depends on the data", length["why"])
        done = self.run_program("reveal", "sum", "--impl", f"lib:{LIBRARY}:sum_sorted", "--lengths", "12:13", "--arrays", 60)
        self.assertIn("  the order depends on the data: terms are sorted by magnitude, the least first, "
                      "of equal ones the negative first\n", done.stdout.decode())
        length, = self.reveal("sum_sorted_by_value", 50)["lengths"]
        self.assertEqual((length["state"], length["sorted"], length["sorted_by"], length["different"]), ("revealed", "ascending", "value", 0))
        self.assertIn("depends on the data: terms are sorted by value, the least first", length["why"])

    def test_what_becomes_of_equal_magnitudes_is_told(self):
        rows = (("sum_sorted_stably", ("ascending", "in-place")), ("sum_sorted", ("ascending", "negative-first")),
                ("sum_sorted_positive_first", ("ascending", "positive-first")), ("sum_sorted_down_stably", ("descending", "in-place")),
                ("sum_sorted_down_positive_first", ("descending", "positive-first")))
        for name, says in some(rows, 2):
            length, = self.reveal(name, 71)["lengths"]
            self.assertEqual((length["state"], length["different"], length["sorted"], length["ties"]), ("revealed", 0, *says), name)
            self.assertEqual([line for line in length.get("open", []) if "ties" in line], [], name)

    def test_other_orders_that_depend_on_the_data_are_not_revealed(self):
        length, = self.reveal("sum_zeros_skipped", 50, code=1)["lengths"]
        self.assertEqual(length["state"], "no-tree")
        self.assertEqual(length["why"], "the order depends on which terms are 0: terms 0 and 49, so large that others are lost beside them, "
                         "meet with 48 others where none is 0, and with 0 where all but one are")
        length, = self.reveal("sum_bins", 50, code=1)["lengths"]
        self.assertEqual(length["state"], "best-fit")
        self.assertGreater(length["different"], 50)

    def test_where_a_sum_begins_with_0_is_told(self):
        """All terms are -0 in one of the arrays: +0 is returned where the sum begins with 0."""
        for name, begins in (("sum_sequential", False), ("sum_fp16", True), ("cumsum_from_zero", True), ("sum_reverse", False), ("sum_reverse_from_zero", True)):
            result = self.reveal(name, 50)
            length, = result["lengths"]
            self.assertEqual("zero" in length["tree"][0], begins, name)
        self.assertEqual(result["rule"], "from the right, from +0")

    def test_long_double_of_x87_is_replayed(self):
        length, = self.reveal("sum_x87", 50)["lengths"]
        self.assertEqual((length["state"], length["different"]), ("revealed", 0))
        self.assertEqual(canonical(read_tree(length["tree"])), canonical(sequential(50)))

    def test_other_ways_to_cut_slices_are_open(self):
        """Four slices of 7 bits, added from the lowest: no array tells them from fewer and wider ones."""
        result = self.reveal("sum_sliced", 20)
        length, = result["lengths"]
        self.assertEqual((length["state"], length["different"]), ("revealed", 0))
        self.assertIn("slices toward-zero, ends above the largest term", result["additions"][0])
        self.assertTrue(any("4 of 7 bits, totals added from-smallest" in line for line in length["open"]), length["open"])

    def test_what_no_model_fits_is_not_called_revealed(self):
        """Where nothing fits, the model that fits best is said not to be it, and how many arrays differ."""
        length, = self.reveal("sum_odd_one", 50, code=1)["lengths"]
        self.assertEqual(length["state"], "best-fit")
        self.assertGreater(length["different"], 0)
        self.assertRegex(length["why"], r"arrays: call \d+ returns 0x[0-9a-f]{8}, the model 0x[0-9a-f]{8}")
        self.assertTrue(all(one["right"] < 8 for one in length["refuted"]["assumptions"])) # by chance
        length, = self.reveal("sum_at_times_more", 50, code=1)["lengths"]
        self.assertEqual((length["refuted"]["arrays"], length["refuted"]["assumptions"]), (16, []))
        done = self.run_program("reveal", "sum", "--impl", f"lib:{LIBRARY}:sum_at_times_more", "--lengths", 50, "--arrays", ARRAYS)
        self.assertRegex(done.stdout.decode(), r"\n  that array refutes more than one assumption: by none of \d\d that were varied")

    def test_which_assumption_the_first_difference_refutes_is_said(self):
        """One array of four is computed otherwise in one thing, which is named, and lets all of these come out right."""
        for name, assumption, instead in (("sum_at_times_reverse", "the order", "from the right"),
                                          ("sum_at_times_fp64", "the format of sums", "fp64"),
                                          ("dot_at_times_rounded", "products", "rounded to fp32")):
            length, = self.reveal(name, 50, code=1)["lengths"]
            first, *others = length["refuted"]["assumptions"]
            self.assertEqual(first, {"assumption": assumption, "instead": instead, "right": length["refuted"]["arrays"]}, name)
            self.assertTrue(all(one["right"] < first["right"] for one in others), name)
            self.assertEqual("the order depends on the data" in length["why"], assumption == "the order", name)
            done = self.run_program("reveal", name.split("_")[0], "--impl", f"lib:{LIBRARY}:{name}", "--lengths", 50, "--arrays", ARRAYS)
            self.assertIn(f'\n  that array refutes an assumption: it comes out right with "{assumption}: {instead}" (16 of 16 that differ)\n',
                          done.stdout.decode())

    def test_a_call_that_seldom_differs_is_made_again(self):
        """Once in 3,001 calls: what differs from the model is called again, and no other array is replayed in its place."""
        length, = self.reveal("sum_seldom_reverse", 30, code=1, arrays=10000)["lengths"]
        self.assertEqual(length["state"], "not-repeatable")
        self.assertRegex(length["why"], r"^call \d+, of [a-z ]+ arrays, returned 0x[0-9a-f]{8} and, made again, 0x[0-9a-f]{8}$")
        self.assertLess(length["calls"]["all"], 12000)

    def test_one_call_that_differs_where_a_rule_is_tried_is_not_passed_over(self):
        """The rule of 30 to 35 terms is tried on 36 first. That it is right in all calls from then on is no reason to say so."""
        result = self.reveal("sum_once_reverse", "30:38", "--no-isolation", code=1, arrays=60)
        of = {one["terms"]: one for one in result["lengths"]}
        self.assertEqual([terms for terms, one in of.items() if one["state"] != "revealed"], [36])
        self.assertEqual(of[36]["state"], "not-repeatable")
        self.assertRegex(of[36]["why"], r"^call \d+, of [a-z ]+ arrays, returned 0x[0-9a-f]{8} and, made again, 0x[0-9a-f]{8}$")
        self.assertEqual(result["revealed"], 8)

    def test_an_order_that_depends_on_signs_is_said_to(self):
        length, = self.reveal("sum_by_sign", 30, code=1)["lengths"]
        self.assertEqual(length["state"], "no-tree")
        self.assertEqual(length["why"], "the order depends on the signs of terms: terms 0 and 14, so large that others are lost beside them, "
                         "meet with 13 others where term 0 and the others are positive, and with 28 where they are negative")

    def test_where_a_term_is_added_twice_is_said(self):
        for name, says in (("sum_doubled", "6 is added onto 0 to 5, then onto 0 to 6"), ("sum_doubled_at_once", "6 is added to itself"),
                           ("sum_doubled_last", "6 is added onto 0 to 5, then onto 0 to 11"),
                           ("sum_doubled_first", "0 is added onto 1, then onto 0 to 11"),
                           ("sum_overlapping", "5 is added onto 3 to 4, then onto 0 to 4")):
            for lengths in some(("12", "11:12"), 1, len(name) % 2):
                done = self.succeed("reveal", "sum", "--impl", f"lib:{LIBRARY}:{name}", "--lengths", lengths, "--arrays", 60)
                self.assertIn(f"\n  {says}\n", done, (name, lengths))

    def test_what_is_rounded_between_blocks_or_in_the_end_is_a_rule(self):
        """Of few arrays none may show it: the rule has to round the totals that are rounded."""
        rows = (("sum_block_spilled", "1:70:6", "from the left, from +0, rounded by addition 1 after every 32, then rounded by addition 1"),
                ("sum_spilled", "33:95:6", "from the left, rounded by addition 1 after every 32"),
                ("sum_result_flushed", "5:40:7", "from the left, then rounded by addition 1"),
                ("sum_meeting_flushed", "20:40:4", "2 lanes, l, l + 2 \u2026, lanes added from the left, then rounded by addition 1"))
        for name, lengths, rule in some(rows, 2):
            result = self.reveal(name, lengths, arrays=60)
            self.assertEqual((result["revealed"], result["rule"]), (len(result["lengths"]), rule), name)
            self.assertEqual([one["terms"] for one in result["lengths"] if "breaks_rule" in one], [], name)
        for lengths in (70, "69:70"):
            done = self.succeed("reveal", "sum", "--impl", f"lib:{LIBRARY}:sum_block_spilled", "--lengths", lengths, "--arrays", 60)
            self.assertIn("\n  totals are rounded after each 32 terms: bf16, nearest-even\n", done)
            self.assertIn("\n  the result is rounded: bf16, nearest-even\n", done)

    def test_a_search_that_no_model_ends_is_cut_off(self):
        """Parameters of additions of several terms are many: what was not tried is said."""
        with self.within(10):
            length, = self.reveal("sum_nodes_odd", 512, code=1)["lengths"]
        self.assertEqual(length["state"], "best-fit")
        self.assertRegex(length["why"], r"; the search ended after \d+ models: others were not tried$")

    def test_an_interrupt_ends_a_search_among_models(self):
        """No call of the implementation is made meanwhile that would notice it."""
        self.interrupt("--impl", f"lib:{LIBRARY}:sum_nodes_odd", "--lengths", 512)

    def test_orders_that_a_line_has_no_room_for_are_counted(self):
        """None is cut in the middle of a word."""
        result, = self.document("reveal", "sum", "--impl", "det", "-f", "fp8_e4m3fn", "--lengths", 4, "--arrays", 300)["results"]
        line, = [one for one in result["lengths"][0]["open"] if one.startswith("how terms meet:")]
        self.assertRegex(line, r", then from the left or \d+ others$")
        self.assertLess(len(line), 256)

    def test_an_implementation_that_ends_is_said_at_each_moment(self):
        """A failure in the middle of a tree is no tree."""
        worker = self.file("worker.py", MORTAL)
        for calls in (1, 40, *range(80, 140, 10), 200):
            implementation = f"exec:{sys.executable} -B {worker} {calls}"
            done = self.run_program("reveal", "sum", "-f", "fp64", "--impl", implementation, "--lengths", 24)
            self.assertEqual((done.returncode, done.stdout, done.stderr.decode()),
                             (2, b"", f"detcheck: {implementation} returned nothing for a call on 24 terms (exit)\n"), calls)

    def test_an_interrupt_ends_calls_of_what_is_built_in(self):
        """Of one length that is replayed for long; of many, of which nothing is then folded nor printed."""
        self.interrupt("--impl", "det", "--lengths", 4096, "-n", 1000000)
        self.interrupt("--impl", "det", "--lengths", "1:4096")

    def interrupt(self, *words):
        process = self.start("reveal", "sum", *words)
        self.wait_until(lambda: seconds_used(process) >= 0.6, process)
        before = last = seconds_used(process)
        process.send_signal(signal.SIGINT)
        while process.poll() is None:
            last = max(last, seconds_used(process))
            time.sleep(0.005)
        out, complaint = process.communicate()
        self.assertEqual((process.returncode, out, complaint), (130, b"", b"detcheck: interrupted\n"))
        self.assert_takes(last - before, 0.5)

    def test_what_is_no_sum_is_said_with_what_all_ones_give(self):
        for name, says in (
                ("sum_first", "1, and terms of 0 give 0: this is not a sum of 30 terms; 29 of them are dropped, and term 0 is the first that is not"),
                ("sum_plus_one", "31, and terms of 0 give 1: this is not a sum of 30 terms"),
                ("sum_over_n", "1, and terms of 0 give 0: this is not a sum of 30 terms, but may be a mean"),
                ("sum_nan_from_12", "NaN, and terms of 0 give NaN: this is not a sum of 30 terms")):
            done = self.run_program("reveal", "sum", "--impl", f"lib:{LIBRARY}:{name}", "--lengths", 30)
            self.assertEqual((done.returncode, done.stderr.decode()), (2, f"detcheck: 30 terms of 1 give {says}\n"))

    def test_elements_that_have_no_order_in_common_are_said_to_differ(self):
        for name, says in (("matmul_last_column", r"elements of the same terms differ: \(0, 0\) is 0x.*, \(0, 3\) is 0x.*"),
                           ("matmul_transposed", r"the result is transposed: element \(i, j\) depends on row j of the first array")):
            length, = self.reveal(name, 9, code=1, arrays=60)["lengths"]
            self.assertEqual((length["state"], "replayed" in length), ("no-tree", False))
            self.assertRegex(length["why"], f"^{says}$")

    def test_products_that_are_rounded_among_others_are_named(self):
        for lengths in ("7", "6:7"):
            done = self.run_program("reveal", "dot", "--impl", f"lib:{LIBRARY}:dot_even_rounded", "--lengths", lengths, "--arrays", 60)
            self.assertIn("of 7 terms, products that are rounded before they are added: 2, 4, 6; the others are fused\n", done.stdout.decode())

    def test_lengths_that_cannot_be_told_leave_the_others(self):
        result = self.reveal("sum_nan_from_12", "9:13", code=1, arrays=60)
        self.assertEqual([length["state"] for length in result["lengths"]], 3 * ["revealed"] + 2 * ["not-told"])
        self.assertEqual(result["lengths"][3]["why"], "12 terms of 1 give NaN, and terms of 0 give NaN: this is not a sum of 12 terms")
        self.assertEqual((result["revealed"], result["rule"]), (3, "from the left"))

    def test_samples_refute_a_model_that_few_arrays_do_not(self):
        """One in 128 sums is odd: the arrays that are replayed miss these, those by which models are tried do not."""
        missed = 0
        for seed in range(1, 5):
            length, = self.reveal("sum_seldom_odd", 50, "--seed", seed, code=1, arrays=12)["lengths"]
            self.assertEqual(length["state"], "best-fit")
            self.assertGreater(length["different"], 0)
            missed += length["replayed"] > 12 # with the samples, of which some differ
        self.assertGreater(missed, 0)

    def test_arrays_of_all_families_are_replayed(self):
        for words, arrays in ((("sum", "--lengths", 9), 1), (("matmul", "--shape", "16x8x16"), 256)):
            result, = self.document("reveal", *words, "--arrays", 3)["results"]
            length, = result["lengths"]
            self.assertEqual((length["calls"]["arrays"], length["replayed"]), (12, 12 * arrays)) # two calls of each of six


class Documents(RevealCase):
    def fingerprints(self, operation, family, *implementations, shape=37):
        words = [word for one in implementations for word in ("--impl", one)]
        result, = self.document("sweep", operation, "--shape", shape, "-n", 60, "--distribution", family, *words)["results"]
        return [one["fingerprint"] for one in result["implementations"]]

    def test_an_order_that_is_written_computes_the_same_bits(self):
        for name in ("sum_lanes_8", "sum_nodes_8_25", "sum_lanes_flushed", "dot_fused", "mean_before", "sum_spilled", "sum_kahan",
                     "sum_reproducible", "dot_ozaki_fp16"):
            with self.subTest(name=name):
                self.reveal(name, "30:37" if EXHAUSTIVE else "36:37", "--output", "made.order", arrays=100)
                for family in ("normal", "cancelling", "denormals", "log_uniform"):
                    each = self.fingerprints(name.split("_")[0], family, "order:made.order", f"lib:{LIBRARY}:{name}")
                    self.assertEqual(len(set(each)), 1, (family, each))

    def write(self, *words, code=0):
        """The order that reveal writes, and what it prints."""
        done = self.run_program("reveal", *words, "--output", "written.order")
        self.assertEqual(done.returncode, code, done.stderr)
        with open(os.path.join(self.path, "written.order"), encoding="utf-8") as file:
            return json.load(file), done.stdout.decode()

    def check_refuses(self, terms):
        done = self.run_program("sweep", "sum", "--shape", terms, "-n", 20, "--impl", "order:written.order")
        self.assertEqual((done.returncode, done.stderr.decode().count("\n")), (2, 1))
        self.assertRegex(done.stderr.decode(), rf"not known for {terms} terms|not for {terms}$")

    def test_an_order_says_nothing_of_lengths_between_steps(self):
        order, _ = self.write("sum", "--lengths", "1:301:100", "--arrays", 60)
        self.assertEqual((order["rule"]["kind"], order["least"], order["most"], order["step"]), ("lanes", 1, 301, 100))
        self.assertNotIn("trees", order)
        self.check_refuses(200)
        self.check_refuses(401)
        for family in ("normal", "cancelling"):
            each = self.fingerprints("sum", family, "order:written.order", "det", shape=201)
            self.assertEqual((len(each), len(set(each))), (2, 1), family)

    def test_a_rule_has_one_hash_for_all_lengths(self):
        """However it was found: of all lengths, in steps, of one, and whichever kind of additions was met first."""
        rows = (("sum_lanes_8", ("20:30", "17:97:8", "33")), ("sum_two_levels", ("100:140:20", "100")),
                ("sum_block_spilled", ("2:70:17", "40:44", "100")), ("sum_lanes_flushed", ("20:30", "17:41:4", "41")))
        for name, each in some(rows, 2):
            found = [self.reveal(name, lengths, arrays=60) for lengths in each]
            self.assertEqual(len({one["order_hash"] for one in found}), 1, (name, [one.get("rule") for one in found]))
        self.assertNotEqual(found[0]["order_hash"], self.reveal("sum_lanes_8", "1:7", arrays=60)["order_hash"])

    def test_orders_in_steps_are_compared_where_both_are_known(self):
        for name in ("sum_lanes_8", "sum_lanes_4"):
            self.reveal(name, "301:401:50", "--output", f"{name}.order", arrays=60)
        self.assertIn("3 of 3 lengths differ", self.succeed("compare", "sum_lanes_8.order", "sum_lanes_4.order", code=1))

    def test_an_order_says_nothing_of_lengths_that_were_not_revealed(self):
        order, text = self.write("sum", "--impl", f"lib:{LIBRARY}:sum_odd_20", "--lengths", "10:40", "--arrays", 60, code=1)
        self.assertEqual((order["least"], order["most"], order["rule"]["kind"]), (21, 40, "sequential"))
        self.assertEqual([tree["terms"] for tree in order["trees"]], list(range(10, 20)))
        self.check_refuses(20)
        self.check_refuses(41)
        self.assertIn("30 of 31 lengths revealed; ", text)
        self.assertRegex(text, r"; [1-9]\d* of 1,[89]\d\d arrays differ\n")  # 60 of each, and of 20 terms some do
        self.assertEqual((order["replayed"], order["different"]), (20 * 120 + 10 * 60, 0))  # the rule is held to 120 of each

    def test_what_is_open_is_in_the_order(self):
        order, text = self.write("dot", "-f", "fp8_e4m3fn", "--lengths", 8, "--arrays", 600)
        said = [line.split("open: ")[1] for line in text.splitlines() if "open: " in line]
        self.assertGreater(len(said), 0)
        self.assertEqual([one["says"] for one in order["open"]], said)

    def test_terms_that_are_products_are_named_so(self):
        for operation, terms in (("sum", "A adds the sum of x[0] to x[4] and x[5]; B adds x[5] and x[6]"),
                                 ("dot", "A adds the sum of x[0]*y[0] to x[4]*y[4] and x[5]*y[5]; B adds x[5]*y[5] and x[6]*y[6]")):
            for name in ("sequential", "pairwise"):
                self.succeed("reveal", operation, "--impl", name, "--lengths", 10, "--arrays", 60, "--output", f"{name}.order")
            self.assertIn(f"10 terms: {terms}\n", self.succeed("compare", "sequential.order", "pairwise.order", code=1))

    def test_lengths_have_one_rule(self):
        result = self.reveal("sum_lanes_8", "1:40", arrays=50)
        self.assertEqual((result["revealed"], result["rule"]),
                         (40, "8 lanes, l, l + 8 \u2026, folded 4, 2, 1, the rest from the left"))
        self.assertEqual([one for one in result["lengths"] if "breaks_rule" in one], [])
        self.assertEqual([one["different"] for one in result["lengths"]], [0] * 40)


    def test_known_orders_are_named(self):
        for words, known in ((("det", "1:300:23"), "det's sum of 64 lanes"), (("pairwise", "1:70:3"), "halves down to 8 terms"),
                             (("sequential", "1:70:3"), None), (("det", "1:60:7"), None)):
            result, = self.document("reveal", "sum", "--impl", words[0], "--lengths", words[1], "--arrays", 50)["results"]
            self.assertEqual(result["revealed"], len(result["lengths"]), words)
            self.assertTrue((result.get("known") or "").startswith(known or ""), words)
            self.assertEqual("known" in result, known is not None, words)


class Options(RevealCase):
    def test_wrong_words_are_one_line(self):
        for words, says in ((["exp"], "not for exp"), (["sum", "--lengths", "0"], "--lengths needs"),
                            (["sum", "--lengths", "9:3"], "--lengths needs"),
                            (["sum", "--lengths", "2:4:18446744073709551615"], "--lengths needs"),
                            (["sum", "--lengths", "2:4:65537"], "--lengths needs"), ([], "needs an operation"),
                            (["sum", "dot", "-o", "x.json"], "--output is for"), (["sum", "--shape", 9, "--prefixes"], "is for cumsum"),
                            (["cumsum", "--prefixes"], "needs the --shape"),
                            (["cumsum", "--prefixes", "--shape", 9, "--lengths", "3:10"], "no prefix of 10"), (["sum", "--arrays", "0"], "--arrays")):
            done = self.run_program("reveal", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stderr.decode().count("\n"), 1, done.stderr)
            self.assertIn(says, done.stderr.decode())

    def test_why_there_is_no_order_to_write_is_said(self):
        for name, says in (("sum_sorted", "sorted first"), ("sum_stochastic", "none was revealed")):
            done = self.run_program("reveal", "sum", "--impl", f"lib:{LIBRARY}:{name}", "--lengths", 20, "--arrays", 60, "--output", "no.json")
            self.assertEqual((done.returncode, says in done.stderr.decode()), (2, True), done.stderr)

    def test_trees_of_many_terms_are_drawn_folded(self):
        """What is added in turn is a line, and what is added as an earlier part; of what is one line or no few the depth is said."""
        rows = {"sum_halves": (64, ["0 \u2026 7 in turn \u2510", "8 \u2026 15 in turn \u2534\u2500\u2510", "16 \u2026 31 likewise \u2500\u2500\u2534\u2500\u2510",
                                    "32 \u2026 63 likewise \u2500\u2500\u2500\u2500\u2534"]),
                "sum_lanes_8": (45, ["0, 8 \u2026 32 in turn \u2510", "4, 12 \u2026 36 in turn \u2534\u2500\u2510", "2 \u2026 38, some of them, likewise \u2500\u2500\u2534\u2500\u2510",
                                     "1 \u2026 39, some of them, likewise \u2500\u2500\u2500\u2500\u2534\u2500\u2510", "40 \u2026 44 in turn \u2500\u2500\u2500\u2500\u2500\u2500\u2534"]),
                "sum_two_levels": (300, ["0 \u2026 31 in turn \u2510", "32 \u2026 63 in turn \u25341\u2510", "64 \u2026 287 in parts likewise, in turn \u2500\u2500\u25341\u2510",
                                         "288 \u2026 299 in turn \u2500\u2500\u2500\u2500\u25341"]),
                "sum_sequential": (100, []), "sum_random": (300, [])}
        for name, (terms, lines) in rows.items():
            text = self.succeed("reveal", "sum", "--impl", f"lib:{LIBRARY}:{name}", "--lengths", terms, "--arrays", 60)
            drawn = [line.strip() for line in text.split(" one after the other\n")[1].split("  calls:")[0].splitlines()]
            self.assertEqual([line for line in drawn if not line.startswith("open: ")], lines, name)

    def test_text_says_the_verdict_first(self):
        done = self.run_program("reveal", "sum", "--impl", f"lib:{LIBRARY}:sum_lanes_4", "--lengths", 9, "--arrays", 100)
        lines = done.stdout.decode().splitlines()
        self.assertEqual(lines[1].strip(), "9 terms: revealed; 0 of 100 arrays differ")
        self.assertEqual(sum(line.count("┴") for line in lines), 8)


if __name__ == "__main__":
    unittest.main()
