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

    def test_what_whole_runs_leave_over_is_told(self):
        operands = ("--range", "0x3f800000:0x3f80000f", "--range", "0x40000000:0x40000063")  # 16 and 100
        for samples, length, count, left in ((10000, 32, 1536, " that leave 64 over"), (10000, 4, 1600, ""),
                                             (1024, 32, 1024, ""), (1600, 64, 1024, " that leave 576 over")):
            (result,) = self.results("hypot", *operands, "--samples", samples, "--run-length", length, "--impl", "libm")
            self.assertEqual(result["inputs"]["count"], count)
            self.assertIn(f" in runs of {length}{left} from", result["inputs"]["description"])

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
        for words in (("--run-length", 256), ("--samples", 100, "--run-length", 256),
                      ("--samples", 3000, "--run-length", 3), ("--samples", 0, "--run-length", 2),
                      ("--samples", 2 ** 20, "--run-length", 2 ** 19),
                      ("--samples", 1024, "--run-length", 0), ("--all", "--run-length", 16),
                      ("--range", "0x3f800000:0x3f800007", "--samples", 1024, "--run-length", 16)):
            with self.subTest(words):
                self.refuse("sweep", "pow", *words)

    def test_samples_in_fp64_are_runs(self):
        lengths = {4095: 0, 8191: 0, 8192: 2, 1000000: 128}
        for samples, length in lengths.items():
            (result,) = self.results("exp", "-f", "fp64", "--impl", "libm", "--samples", samples)
            self.assertEqual(result["inputs"].get("run_length", 0), length)
            self.assertEqual(result["inputs"]["count"], samples)
            self.assertGreaterEqual(result["oracle"]["fast"] if length else result["oracle"]["exact"], 0.999 * samples)
            self.assertEqual("in runs of %d" % length in result["inputs"]["description"], length > 0)
        (pairs,) = self.results("pow", "-f", "fp64", "--impl", "libm", "--samples", 1 << 16)
        self.assertEqual(pairs["inputs"]["run_length"], 16)
        # Nothing is to be gained for what the filter does not know, and in narrower formats.
        for words in (("fma", "-f", "fp64"), ("mul", "-f", "fp64"), ("pow", "-f", "fp32"), ("exp", "-f", "fp32")):
            (result,) = self.results(*words, "--impl", "libm", "--samples", 8192)
            self.assertNotIn("run_length", result["inputs"])
        # A range of few values is drawn from as it is, and with --run-length 1 so is any.
        for words in (("--range", "0x3ff0000000000000:0x3ff0000000003fff"), ("--run-length", 1)):
            (result,) = self.results("exp", "-f", "fp64", "--impl", "libm", "--samples", 8193, *words)
            self.assertNotIn("run_length", result["inputs"])

    def test_a_run_that_is_cut_short_and_values_that_are_left_over(self):
        words = ("-f", "fp64", "--impl", "libm", "--range", "1:2", "--samples", 1000, "--run-length", 256, "--oracle")
        (fast,), (exact,) = (self.results("log", *words, which) for which in ("auto", "mpfr"))
        self.assertEqual((fast["inputs"]["count"], fast["oracle"]["fast"]), (1000, 1000))
        for result in (fast, exact):
            del result["oracle"]
            for name in ("mean_ulp", "error_sum"):
                del result["implementations"][0][name]
        self.assertEqual(fast, exact)


if __name__ == "__main__":
    unittest.main()
