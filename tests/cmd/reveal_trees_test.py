"""detcheck reveal finds 200 random trees of 2 to 512 terms, and nothing else. Environment: ORDERED_LIBRARY."""

import unittest

from order_trees import at_random, canonical, read_tree
from reveal_test import PLAIN, RevealCase

TREES = 200
LENGTHS = [2 + i * 510 // (TREES - 1) for i in range(TREES)]


class Trees(RevealCase):
    def test_random_trees_are_found(self):
        self.assertEqual((len(set(LENGTHS)), LENGTHS[0], LENGTHS[-1]), (TREES, 2, 512))
        for terms in LENGTHS:
            with self.subTest(terms=terms):
                result = self.reveal("sum_random", terms, arrays=60)
                length, = result["lengths"]
                self.assertEqual((length["state"], length["different"], result["additions"]), ("revealed", 0, PLAIN))
                self.assertEqual(canonical(read_tree(length["tree"])), canonical(at_random(terms)))


if __name__ == "__main__":
    unittest.main()
