"""Exception flags and errno as the commands that take --flags and --errno tell of them."""

import unittest

from harness import Case


class Flags(Case):
    def expected(self, *words):
        result = self.document("eval", *words, "--flags", "--errno")["results"][0]
        return result["flags"]["required"], result["flags"]["open"], result["errno"]

    def test_eval_says_what_a_call_has_to_raise(self):
        for words, required, open_flags, errnos in (
                (("exp", 128), ["overflow"], ["inexact"], ["ERANGE"]),
                (("exp", 128, "-r", "down"), ["overflow"], ["inexact"], ["none", "ERANGE"]),
                (("exp", 128, "--inexact"), ["overflow", "inexact"], [], ["ERANGE"]),
                (("log", 0), ["divide-by-zero"], ["inexact"], ["ERANGE"]),
                (("log", -1), ["invalid"], ["inexact"], ["EDOM"]),
                (("log", "nan"), [], ["inexact"], ["none"]),
                (("log", "0x7f800001"), ["invalid"], [], ["none", "EDOM"]),
                (("pow", 0, "-inf"), [], ["divide-by-zero", "inexact"], ["none", "ERANGE"]),
                (("rint", 1.5), ["inexact"], [], ["none"]),
                (("nearbyint", 1.5), [], [], ["none"]),
                (("cast", 1e6, "--from", "fp32", "--to", "fp16"), ["overflow", "inexact"], [], ["ERANGE"])):
            with self.subTest(words=words):
                self.assertEqual(self.expected(*words), (required, open_flags, errnos))

    def test_tininess_is_chosen(self):
        # The product is 2^-126 (1 - 2^-26): rounded it is the smallest normal number.
        words = ("mul", "0x1.fffp-64", "0x1.0008p-63")
        self.assertEqual(self.expected(*words, "--tininess", "before")[0], ["underflow", "inexact"])
        self.assertEqual(self.expected(*words, "--tininess", "after")[0], ["inexact"])

    def test_eval_shows_flags_in_words(self):
        text = self.succeed("eval", "exp", 128, "--flags", "--errno", "--impl", "libm")
        self.assertIn("  flags     overflow; left open: inexact\n  errno     ERANGE\n", text)

    def test_eval_judges_what_implementations_raise(self):
        for answer in self.document("eval", "log", 0, "--flags", "--errno", "--impl", "libm")["results"][0][
                "implementations"]:
            flags = answer.get("flags")
            if flags is None:
                self.skipTest("libm does not tell its flags here")
            self.assertIn("divide-by-zero", flags["raised"])
            self.assertEqual((flags["missing"], flags["spurious"], flags["cleared"]), ([], [], []))

    def test_what_makes_no_sense_is_refused(self):
        self.assertIn("--tininess wants before or after", self.refuse("eval", "exp", 1, "--flags", "--tininess", "x"))
        self.assertIn("no effect without --flags", self.refuse("eval", "exp", 1, "--inexact"))
        self.assertIn("sum is on arrays", self.refuse("eval", "sum", 1, 2, "--flags"))


if __name__ == "__main__":
    unittest.main()
