"""Samples of pairs in runs: the fast oracle judges them, and says what MPFR alone says; and the words
that --run-length does not take. tests/sweep/domain_runs_test.c looks at the inputs themselves."""

import unittest

from harness import Case


class RunLength(Case):
    def test_fast_and_exact_agree(self):
        decided = 0
        for operation in ("pow", "atan2", "hypot", "logaddexp", "div"):
            for rounding in ("nearest-even", "toward-zero", "up", "down"):
                if operation == "logaddexp" and rounding != "nearest-even":
                    continue  # nothing gives it
                words = ("--samples", 1 << 14, "--run-length", 256, "--seed", 7, "-r", rounding,
                         "--impl", "det" if operation == "logaddexp" else "libm", "--oracle")
                (fast,), (exact,) = (self.results(operation, *words, which)
                                     for which in ("auto", "mpfr"))
                decided += fast["oracle"]["fast"]
                self.assertEqual(exact["oracle"]["fast"], 0)
                for result in (fast, exact):
                    del result["oracle"]
                    for name in ("mean_ulp", "error_sum"):
                        del result["implementations"][0][name]
                self.assertEqual(fast, exact, (operation, rounding))
                self.assertEqual(fast["inputs"]["run_length"], 256)
                self.assertIn("in runs of 256", fast["inputs"]["description"])
        self.assertGreater(decided, 150000)  # of 17 * 16,384

    def test_a_run_that_follows_another_has_its_own_operand(self):
        # Of 4 runs that the last operand has, every fourth follows the one before it.
        words = ("--range", "1:1000", "--range", "0x40000000:0x4000007f", "--samples", 1 << 14,
                 "--run-length", 32, "--impl", "libm", "--oracle")
        (fast,), (exact,) = (self.results("hypot", *words, which) for which in ("auto", "mpfr"))
        self.assertGreater(fast["oracle"]["fast"], 10000)
        for result in (fast, exact):
            del result["oracle"]
            for name in ("mean_ulp", "error_sum"):
                del result["implementations"][0][name]
        self.assertEqual(fast, exact)

    def test_runs_of_one_are_samples(self):
        words = ("--samples", 1024, "--impl", "libm")
        (plain,), (ones,), (other,) = (
            self.results("hypot", *words, *more)
            for more in ((), ("--run-length", 1), ("--run-length", 1, "--seed", 2)))
        self.assertEqual(plain, ones)
        self.assertNotIn("run_length", plain["inputs"])
        self.assertNotEqual(plain["implementations"][0]["fingerprint"],
                            other["implementations"][0]["fingerprint"])

    def test_run_lengths_that_make_no_sense_are_refused(self):
        for words in (("--run-length", 256), ("--samples", 1000, "--run-length", 256),
                      ("--samples", 3000, "--run-length", 3), ("--samples", 0, "--run-length", 2),
                      ("--samples", 2 ** 20, "--run-length", 2 ** 19),
                      ("--samples", 1024, "--run-length", 0), ("--all", "--run-length", 16),
                      ("--range", "1:2", "--samples", 1024, "--run-length", 16)):
            with self.subTest(words):
                self.refuse("sweep", "pow", *words)


if __name__ == "__main__":
    unittest.main()
