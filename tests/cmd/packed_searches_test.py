"""llama.cpp's searches for scales (q2_K to q6_K, q8_K, iq4_nl) against packed_searches.py, which shares no code with the program: the
oracle runs the code of det for these layouts, so that no other test compares them with anything but a few blocks of ggml's own."""

import os
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401
from harness import Case  # noqa: E402
from packed_searches import LAYOUTS  # noqa: E402

KINDS = ("normal", "ties", "zeros", "denormals", "spread", "one-sided")  # without NaN and infinities
WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "packed_searches.py")
CALL = 65536  # numbers


class Searches(Case):
    def sweep(self, layout, kind, calls, fault=""):
        """The number of bytes, and of those that differ."""
        result, = self.results("packed.quantise", "--layout", layout, "--quantiser", "llama-cpp", "--distribution", kind, "--samples", calls,
                               "--threads", 1, "--timeout", 600, "--seed", os.environ.get("SEED", "1"), "--impl", f"exec:{sys.executable} -B {WORKER}{fault}")
        found, = result["implementations"]
        self.assertEqual(found["unanswered"], 0)
        return found["tested"], found["incorrectly_rounded"]

    def hold(self, kinds, calls):
        blocks = dict.fromkeys(LAYOUTS, 0)
        for layout in LAYOUTS:
            for kind in kinds(layout):
                with self.subTest(layout=layout, kind=kind):
                    tested, different = self.sweep(layout, kind, calls)
                    self.assertGreater(tested, 0)
                    self.assertEqual(different, 0)
                    blocks[layout] += calls * CALL // LAYOUTS[layout][0]
        return blocks

    def test_another_text_of_the_searches_writes_the_same_bytes(self):
        self.hold(lambda layout: [KINDS[list(LAYOUTS).index(layout) % len(KINDS)]], 1)

    def test_a_changed_byte_is_found(self):
        self.assertEqual(self.sweep("q4_K", "normal", 1, " faulty")[1], 1)

    def slow_all_kinds_of_blocks(self):
        for layout, blocks in self.hold(lambda layout: KINDS, int(os.environ.get("CASES", "64"))).items():
            print(f"{layout}: {blocks:,} blocks, 0 different bytes", file=sys.stderr, flush=True)


if __name__ == "__main__":
    unittest.main()
