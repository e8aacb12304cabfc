"""The dyadic operations as a user meets them: swept against rationals, and refused where they make
no sense. (The kernels are tested on every int8 pair by tests/detmath/dyadic_test.c.)"""

import unittest

from harness import Case

SMALL = ("--shape", "509", "--distribution", "edges")


class Integers(Case):
    def outcomes(self, operation, *words):
        results = self.document("sweep", operation, *words)["results"]
        return {one["operation"]: one["implementations"][0] for one in results}

    def test_no_output_is_wrong(self):
        shifts = {"align": ("--s1", 5, "--target", 2), "add": ("--s1", 5, "--s2", 1),
                  "sub": ("--s1", 2, "--s2", 8, "--align", "finer"),
                  "mul": ("--s1", 5, "--s2", 4, "--q", 7), "div": ("--s1", 3, "--s2", 6, "--p", 9),
                  "requantise": ("--s1", 8, "--target", 1, "--bits", 5, "--unsigned"),
                  "gradient": ("--s1", 3, "--s2", 8, "--target", 1, "--bits", 5)}
        for name, words in shifts.items():
            for more in (("--rounding", "down"), ("--accumulator", 64, "--stochastic", 42),
                         ("--on-overflow", "saturate", "--format", "int32")):
                outcomes = self.outcomes(f"dyadic.{name}", *words, *SMALL, *more)
                self.assertEqual(set(outcomes), {f"dyadic.{name}.mantissa", f"dyadic.{name}.scale"})
                for one in outcomes.values():
                    self.assertEqual(one["incorrectly_rounded"], 0)
                self.assertEqual(outcomes[f"dyadic.{name}.mantissa"]["tested"], 509)

    def test_every_pair_of_int8(self):
        one = self.outcomes("dyadic.mul", "--s1", 3, "--s2", 2, "--q", 4, "--distribution", "pairs")
        self.assertEqual(one["dyadic.mul.mantissa"]["tested"], 65536)
        self.assertEqual(one["dyadic.mul.mantissa"]["incorrectly_rounded"], 0)

    def test_a_seed_gives_one_fingerprint_whatever_the_threads(self):
        words = ("dyadic.requantise", "--s1", 7, "--target", 1, "--format", "int16", "--samples",
                 4, *SMALL)
        prints = {self.outcomes(*words, "--stochastic", seed, "--threads", threads)
                  ["dyadic.requantise.mantissa"]["fingerprint"]
                  for seed, threads in ((1, 1), (1, 2), (1, 8))}
        self.assertEqual(len(prints), 1)
        other = self.outcomes(*words, "--stochastic", 2)["dyadic.requantise.mantissa"]
        self.assertNotIn(other["fingerprint"], prints)

    def test_wide_operands_are_held_in_the_accumulator_first(self):
        """What each operation makes of int64 in 32 bits: wrapped or saturated, as Python's integers are here."""
        x, y = -(1 << 34) - 4, (1 << 33) + 3

        def held(v, how):
            least = -1 << 31
            return (v - least) % (1 << 32) + least if how == "wrap" else max(least, min(-least - 1, v))
        for how in ("wrap", "saturate"):
            a, b = held(x, how), held(y, how)
            wanted = {("add", x, y): held(a + b, how), ("sub", x, y): held(a - b, how),
                      ("mul", x, y): held(a * b, how), ("div", x, y): -(-a // b), ("align", x): a,
                      ("requantise", x): max(-128, a), ("gradient", x, 1): a, ("gradient", 1, y):
                      int(-128 <= b <= 127)}
            for (name, *operands), want in wanted.items():
                with self.subTest(how=how, name=name):
                    results = self.document("eval", f"dyadic.{name}", *operands, "--format", "int64",
                                            "--on-overflow", how)["results"]
                    element = results[0]["elements"][0]
                    self.assertEqual(element["want"], f"0x{want % (1 << 32):08x}")
                    self.assertEqual([one["got"] for one in element["implementations"]], [element["want"]])

    def test_no_divisor_of_a_sweep_is_zero_in_the_accumulator(self):
        for form in ("int8", "int16", "int32", "int64"):
            for family in ("pairs", "uniform", "edges"):
                for bits in (32, 64):
                    outcomes = self.outcomes("dyadic.div", "--p", 3, "--format", form, "--accumulator", bits,
                                             "--shape", 4096, "--distribution", family)
                    self.assertEqual(outcomes["dyadic.div.mantissa"]["incorrectly_rounded"], 0)

    def test_bad_input(self):
        for words, said in ((("dyadic.mul", "--q", 3), "scale"),
                            (("dyadic.add", "--s1", 64), "63"),
                            (("dyadic.add", "--s1", -1), "--s1"),
                            (("dyadic.add", "--format", "fp16"), "integers"),
                            (("exp", "--format", "int8"), "real numbers"),
                            (("cast", "--from", "fp16", "--to", "int8"), "real numbers"),
                            (("cast", "--from", "fp32", "--to", "int64"), "real numbers"),
                            (("cast", "--from", "int8", "--to", "fp32"), "real numbers"),
                            (("dyadic.requantise", "--bits", 64, "--unsigned"), "--bits"),
                            (("dyadic.mul", "--format", "int32", "--on-overflow", "report",
                              "--s1", 9, "--distribution", "uniform"), "overflows")):
            self.assertIn(said, self.refuse("sweep", *words))

    def test_integers_are_no_target_of_cast(self):
        for words in (("eval", "cast", "-128", "--from", "fp16", "--to", "int8"),
                      ("emit", "cast", "--from", "fp16", "--to", "int32"),
                      ("table", "cast", "--from", "fp16", "--to", "int16"),
                      ("sweep", "cast", "-f", "fp32", "--to", "int64")):
            self.assertIn("real numbers", self.refuse(*words))


if __name__ == "__main__":
    unittest.main()
