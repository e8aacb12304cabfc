"""`detcheck bench`: what is there is timed, and its errors are those of a sweep."""

import unittest

from harness import Case

QUICK = ("--rounds", 3, "--elements", 500)


class Bench(Case):
    def lines(self, operation, *words):
        result, = self.document("bench", operation, *QUICK, *words)["results"]
        self.assertEqual(result["operation"], operation)
        return result["reference"], {(one["name"], one["form"]): one
                                     for one in result["implementations"]}

    def test_every_form_is_timed(self):
        reference, lines = self.lines("exp", "--impl", "det,cr,libm")
        self.assertEqual(reference, "libm")
        self.assertEqual(set(lines), {("det", "array"), ("det", "scalar"), ("cr", "array"),
                                      ("cr", "scalar"), ("libm", "scalar")})
        for one in lines.values():
            self.assertGreater(one["nanoseconds"], 0)
            self.assertGreater(one["speed"], 0)
            self.assertEqual(one["max_ulp_inputs"], 2 ** 26)
        self.assertEqual(lines["libm", "scalar"]["speed"], 1)
        self.assertLess(lines["cr", "array"]["max_ulp"], 0.5 + 1e-12)
        self.assertLess(lines["det", "array"]["max_ulp"], 0.75)

    def test_functions_of_two_operands_are_tried_on_2_24_pairs(self):
        _, lines = self.lines("pow", "--impl", "libm")
        self.assertEqual(lines["libm", "scalar"]["max_ulp_inputs"], 2 ** 24)

    def test_fp64(self):
        result, = self.document("bench", "exp", *QUICK, "-f", "fp64", "--impl", "libm")["results"]
        libm, = result["implementations"]
        self.assertEqual((result["format"], libm["form"], libm["max_ulp_inputs"]), ("fp64", "scalar", 2 ** 24))
        self.assertLess(0.5, libm["max_ulp"])
        self.assertLess(libm["max_ulp"], 1)
        self.assertIn("fp32 and fp64, not in fp16", self.refuse("bench", "exp", "-f", "fp16"))
        self.assertIn("--exhaustive is for fp32", self.refuse("bench", "exp", "-f", "fp64", "--exhaustive"))
        self.assertIn("narrower than fp64", self.refuse("bench", "exp", "-f", "fp64", "--impl", "det"))

    def test_inputs_without_a_result_are_not_timed(self):
        _, lines = self.lines("acosh", "--impl", "libm", "--range", "0:2")
        self.assertIn(("libm", "scalar"), lines)
        self.assertIn("finite", self.refuse("bench", "log", *QUICK, "--impl", "libm",
                                            "--range", "-2:-1"))

    def test_bad_input_is_refused_with_what_would_be_right(self):
        for words, what in ((("bench",), "wants an operation"),
                            (("bench", "expp"), "did you mean exp"),
                            (("bench", "exp", "--range", "2:1"), "A < B"),
                            (("bench", "exp", "--range", "2"), "A:B"),
                            (("bench", "exp", "--range", "1:inf"), "A:B"),
                            (("bench", "exp", "--rounds", "0"), "--rounds"),
                            (("bench", "exp", "--elements", "1e9"), "--elements"),
                            (("bench", "exp", "--impl", "lib"), "libm"),
                            (("bench", "mish", *QUICK, "--impl", "libm"), "nothing")):
            self.assertIn(what, self.refuse(*words))


if __name__ == "__main__":
    unittest.main()
