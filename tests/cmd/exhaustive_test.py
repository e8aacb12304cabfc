"""Every fp32 input, label exhaustive: the report of the main job is consistent, and for some functions
the fast oracle and the exact one alone give the same report. Slow: minutes for exp, an hour and more for all.

EXHAUSTIVE="exp log" chooses the functions; EXHAUSTIVE_RANGE=0x3f800000:0x3fffffff a part of the inputs,
so that a long comparison can be done in shares."""

import os
import unittest

from harness import Case, parse

# In processor time log takes a quarter of an hour, sin half an hour, tanh an hour.
FUNCTIONS = os.environ.get("EXHAUSTIVE", "exp").split()
RANGE = os.environ.get("EXHAUSTIVE_RANGE", "0x00000000:0xffffffff")
FIRST, LAST = (int(end, 16) for end in RANGE.split(":"))
INPUTS = LAST - FIRST + 1


class Exhaustive(Case):
    def report(self, operation, oracle):
        self.run_long("sweep", operation, "--impl", "libm", "--json", operation + oracle,
                      "--oracle", oracle, *(() if INPUTS == 2 ** 32 else ("--range", RANGE)))
        with open(os.path.join(self.path, operation + oracle), encoding="utf-8") as stream:
            return parse(stream.read())

    def run_long(self, *words):
        done = self.run_program(*words, timeout=4 * 3600)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_report_adds_up(self):
        for operation in FUNCTIONS:
            result = self.report(operation, "auto")["results"][0]
            one = result["implementations"][0]
            self.assertEqual(one["tested"], INPUTS)
            self.assertEqual(one["correctly_rounded"] + one["incorrectly_rounded"]
                             + one["nan_mismatches"], INPUTS)
            self.assertEqual(sum(bucket["count"] for bucket in one["histogram"]),
                             one["judged_in_ulps"])
            self.assertEqual(result["oracle"]["fast"] + result["oracle"]["exact"], INPUTS)
            # At least once in every block of 2^18, but for those of NaNs.
            if INPUTS == 2 ** 32:
                self.assertGreaterEqual(result["oracle"]["rechecked"],
                                        (2 ** 32 - 2 ** 24) / 2 ** 18)

    def test_fast_and_exact_agree(self):
        for operation in FUNCTIONS:
            fast, exact = (self.report(operation, oracle)["results"][0]
                           for oracle in ("auto", "exact"))
            means = [result["implementations"][0].pop("mean_ulp") for result in (fast, exact)]
            self.assertAlmostEqual(means[0], means[1], delta=1e-6)
            del fast["oracle"], exact["oracle"]
            for result in (fast, exact):
                del result["implementations"][0]["error_sum"]  # what the mean is made of
            self.assertEqual(fast, exact)


if __name__ == "__main__":
    unittest.main()
