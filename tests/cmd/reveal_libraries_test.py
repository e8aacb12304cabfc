"""detcheck reveal folds the lengths of what libraries do into one rule with one arithmetic: models of these in C, each with
what was once got wrong of the library. Environment: MODELS_OF_LIBRARIES.
"""

import os
import unittest

from harness import EXHAUSTIVE, Case, some

MODELS = os.environ["MODELS_OF_LIBRARIES"]
PLAIN = ["fp32, nearest-even"]
# What is to be found of all lengths, none of which breaks the rule.
TRUTH = {
    "sum_lanes_from_zero": ("4 lanes, l, l + 4 \u2026, from +0, lanes added from the left, the rest onto lane 0 from the left", PLAIN),
    "sum_rest_onto_zero": ("4 lanes, l, l + 4 \u2026, from +0, lanes added in pairs of neighbours, the rest from the left", PLAIN),
    "dot_lanes_rounded": ("4 lanes, l, l + 4 \u2026, from +0, lanes added in pairs of neighbours",
                          ["fp32, nearest-even, products rounded to fp32"]),
    "dot_flushed": ("from the left, from +0",
                    ["fp32, nearest-even, products rounded to fp32, subnormal operands, c, products and results flushed"]),
}


# The names of orders, and lengths that tell them.
KNOWN = {
    "sum_numpy": ("numpy's pairwise sum", "8:400:49"),
    "sum_torch": ("torch.sum on the CPU, by vectors of 8", "8:1400:199"),
    "sum_eigen": ("Eigen's sum by vectors of 4", "8:200:31"),
    "sum_einsum": ("numpy.einsum by vectors of 4", "8:200:31"),
    "dot_openblas_sdot": ("OpenBLAS's sdot for AVX2", "8:200:31"),
    "dot_openblas_sdot_wide": ("OpenBLAS's sdot for AVX-512", "8:200:31"),
}


class Libraries(Case):
    def reveal(self, name, lengths, *words, arrays=600):
        result, = self.document("reveal", name.split("_")[0], "--impl", f"lib:{MODELS}:{name}", "--lengths", lengths,
                                "--shape", "8x1", "--axis", 1, "--arrays", arrays, *words)["results"]
        self.assertEqual([one["different"] for one in result["lengths"]], [0] * len(result["lengths"]), name)
        return result

    def test_one_rule_gives_all_lengths(self):
        for name, (rule, additions) in TRUTH.items():
            with self.subTest(name=name):
                result = self.reveal(name, "1:40")
                self.assertEqual(result["revealed"], 40)
                self.assertEqual([one["terms"] for one in result["lengths"] if "breaks_rule" in one], [])
                self.assertEqual((result["rule"], result["additions"]), (rule, additions))

    def test_blocks_that_are_short_at_both_ends_are_a_rule(self):
        result = self.reveal("sum_windows_flushed", "1:60")
        self.assertEqual(result["revealed"], 60)
        self.assertTrue(result["rule"].startswith("blocks of 8 (incomplete ones at both ends)"), result["rule"])
        self.assertLess(sum("breaks_rule" in one for one in result["lengths"]), 8)  # those of one block

    def test_products_that_are_rounded_in_a_tail_alone_are_a_rule(self):
        """OpenBLAS's sdot: fused in fp32, and of the last n mod 32 terms rounded to fp32 and added in fp64."""
        step = 1 if EXHAUSTIVE else 8
        result = self.reveal("dot_openblas_sdot", f"60:140:{step}", arrays=120)
        self.assertEqual(result["revealed"], 80 // step + 1)
        self.assertLess(sum("breaks_rule" in one for one in result["lengths"]), 8 if EXHAUSTIVE else 2)
        self.assertEqual(set(result["additions"]) & {"fp32, nearest-even", "fp64, nearest-even, products rounded to fp32"},
                         {"fp32, nearest-even", "fp64, nearest-even, products rounded to fp32"})
        self.assertEqual(result["known"], "OpenBLAS's sdot for AVX2")

    def test_orders_of_libraries_have_their_names(self):
        for name, (known, lengths) in some(KNOWN.items(), 4):
            with self.subTest(name=name):
                self.assertEqual(self.reveal(name, lengths, arrays=50).get("known"), known)

    def test_lines_are_replayed_together(self):
        """One call has 8 arrays, so that 600 of them are 75 calls."""
        result = self.reveal("sum_rest_onto_zero", 30)
        length, = result["lengths"]
        self.assertEqual((length["calls"]["arrays"], length["replayed"]), (75, 600))
        self.assertLess(length["calls"]["all"], 75 + 72 + 18 * 4 + 60)  # samples, repetitions, the tree and its nodes


if __name__ == "__main__":
    unittest.main()
