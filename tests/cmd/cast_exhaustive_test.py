"""All 2^32 fp32 inputs of conversions, label exhaustive: kernels against the exact rule for every target,
rounding and profile, and the interval table, expanded, against the fingerprint of the 2^32 results.
The environment may choose: CAST_TARGETS="fp8_e4m3fn bf16".
"""

import os
import unittest

from formats import FORMATS, ROUNDINGS
from harness import Case, parse
from recount_test import has_xxhash, xxh3

TARGETS = os.environ.get("CAST_TARGETS", " ".join(FORMATS)).split()
BLOCK = 1 << 16


class Exhaustive(Case):
    def sweep(self, *words):
        done = self.run_program("sweep", "cast", "--from", "fp32", *words, "--impl", "det",
                                "--json", "-", timeout=3600)
        if done.returncode:
            self.assertIn(b"has no rule for", done.stderr)
            return None
        result, = parse(done.stdout)["results"]
        return result["implementations"][0]

    def test_every_target_rounding_and_profile(self):
        listed = {row["name"]: row for row in self.document("list", "parameters")["parameters"]}
        run = 0
        for target in TARGETS:
            for profile in listed["profile"]["choices"]:
                for rounding in [*ROUNDINGS, "stochastic"]:
                    words = ["--to", target, "--profile", profile, "-r", rounding]
                    if rounding == "stochastic":
                        # The rules of a profile do not depend on random bits.
                        if profile != "ieee":
                            continue
                        words += ["--random-bits", "12", "--random", "1234"]
                    one = self.sweep(*words)
                    if not one:
                        break
                    run += 1
                    self.assertEqual(one["tested"], 2 ** 32)
                    self.assertEqual((one["incorrectly_rounded"], one["nan_mismatches"],
                                      one["nan_bits_differ"]), (0, 0, 0), words)
        self.assertGreater(run, len(TARGETS) * 5)

    @unittest.skipUnless(has_xxhash(), "no shared library of xxHash")
    def test_expanded_intervals_are_the_results(self):
        for target in ("fp8_e4m3fn", "fp8_e5m2fnuz", "fp4_e2m1fn"):
            form = FORMATS[target]
            rows = [[int(cell, 16) for cell in line.split(",")] for line in self.succeed(
                "table", "cast", "--from", "fp32", "--to", target, "--as", "csv").splitlines()[1:]]
            digests, block = bytearray(), b""
            for first, last, code in rows:
                code = form.nan if form.is_nan(code) else code  # one NaN for all, as fingerprints do
                byte, left = bytes([code]), last - first + 1
                part = min(left, BLOCK - len(block))
                block, left = block + byte * part, left - part
                if len(block) == BLOCK:
                    digests += xxh3(block)
                    digests += xxh3(byte * BLOCK) * (left // BLOCK)
                    block = byte * (left % BLOCK)
            self.assertEqual(block, b"")
            self.assertEqual("xxh3-128:" + xxh3(bytes(digests)).hex(),
                             self.sweep("--to", target)["fingerprint"])


if __name__ == "__main__":
    unittest.main()
