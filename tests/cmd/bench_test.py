"""`detcheck bench`: what is there is timed, and its errors are those of a sweep."""

import json
import os
import unittest

from harness import Case

QUICK = ("--rounds", 3, "--elements", 500)
WHOLE = ("--seconds", 1000)  # so that no slow machine cuts the inputs that are counted here


class Bench(Case):
    def lines(self, operation, *words):
        result, = self.document("bench", operation, *QUICK, *WHOLE, *words)["results"]
        self.assertEqual(result["operation"], operation)
        return result["reference"], {(one["name"], one["form"]): one
                                     for one in result["implementations"]}

    def test_a_long_name_is_whole(self):
        name = "steps:" + "+".join("x" * 200)
        _, lines = self.lines("exp2", "--impl", "libm", "--impl", name, "--errors", "1:1.001")
        self.assertEqual({one for one, _ in lines}, {"libm", name})

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

    def test_functions_of_two_operands_are_called_in_a_plain_loop(self):
        """What stands around a call that is watched takes ten times as long as libm's pow."""
        for name in ("fp32", "fp64"):
            result, = self.document("bench", "pow", *QUICK, "--seconds", 1, "-f", name, "--impl", "det,libm")["results"]
            times = {(one["name"], one["form"]): one["nanoseconds"] for one in result["implementations"]}
            self.assertLess(times["libm", "scalar"], 4 * times["det", "scalar"])

    def test_one_number_at_a_time_takes_65536_or_more(self):
        """The numbers of a short array would come back so soon that a processor learns every branch."""
        made = os.path.join(self.path, "made")
        for elements, numbers in ((500, 65536), (100000, 100000)):
            self.succeed("bench", "exp", "-f", "fp64", "--rounds", 3, "--elements", elements, "--seconds", 1, "--impl",
                         f"lib:{os.environ['MEASURED_LIBRARY']}:recurring_exp", env={"RECURRING": made})
            with open(made, encoding="utf-8") as stream:
                self.assertEqual(int(stream.read()), numbers)

    def test_fp64(self):
        result, = self.document("bench", "exp", *QUICK, *WHOLE, "-f", "fp64", "--impl", "libm")["results"]
        libm, = result["implementations"]
        self.assertEqual((result["format"], libm["form"], libm["max_ulp_inputs"]), ("fp64", "scalar", 2 ** 24))
        self.assertLess(0.5, libm["max_ulp"])
        self.assertLess(libm["max_ulp"], 1)
        self.assertIn("fp32 and fp64, not in fp16", self.refuse("bench", "exp", "-f", "fp16"))
        self.assertIn("--exhaustive is for fp32", self.refuse("bench", "exp", "-f", "fp64", "--exhaustive"))
        self.assertIn("det has no digamma in fp64", self.refuse("bench", "digamma", "-f", "fp64", "--impl", "det"))
        _, lines = self.lines("exp", *WHOLE, "-f", "fp64", "--impl", "det,cr")
        self.assertLess(lines["det", "array"]["max_ulp"], 0.545)
        self.assertLess(lines["cr", "scalar"]["max_ulp"], 0.5 + 1e-12)

    def slow_operands_that_are_integers_in_c(self):
        """They are drawn as integers, so that there are calls to be timed, and errors of more than NaN."""
        result, = self.document("bench", "scalbn", *QUICK, *WHOLE, "-f", "fp64", "--range", "1:9", "--impl", "libm")["results"]
        libm, = result["implementations"]
        self.assertGreater(libm["nanoseconds"], 0)
        self.assertEqual(libm["max_ulp"], 0.5)  # of subnormal results, which a call alone can have

    def slow_what_takes_too_long_has_fewer_inputs_and_rounds(self):
        """MPFR takes a tenth of a millisecond for each of jn's inputs: 2^24 of them half an hour, and libm takes as many steps as the
        order says. Both lines say so."""
        said = self.succeed("bench", "jn", "--impl", "libm", "--range", "0:100000", "--elements", 512, "--rounds", 101, "--seconds", 1,
                            "--json", "made.json")
        with open(os.path.join(self.path, "made.json"), encoding="utf-8") as stream:
            result, = json.load(stream)["results"]
        libm, = result["implementations"]
        self.assertGreater(libm["max_ulp"], 1)
        self.assertTrue(16 <= libm["max_ulp_inputs"] < 2 ** 20, libm["max_ulp_inputs"])
        self.assertIn(f"largest errors over {libm['max_ulp_inputs']} inputs (16,777,216 take longer than 1 s)\n", said)
        rounds = result["rounds"]
        self.assertTrue(1 <= rounds < 101, rounds)
        self.assertIn(f"\n  medians of {rounds} round{'s' * (rounds > 1)} (101 take longer than 1 s)\n", said)

    def test_what_is_quick_has_all_inputs_and_rounds(self):
        self.assertNotIn("take longer", self.succeed("bench", "exp", *QUICK, *WHOLE, "--errors", "1:1.5", "--impl", "libm"))
        result, = self.document("bench", "sum", *QUICK)["results"]
        self.assertEqual(result["rounds"], 3)
        self.assertNotIn("medians", self.succeed("bench", "sum", *QUICK))

    def test_inputs_without_a_result_are_not_timed(self):
        _, lines = self.lines("acosh", "--impl", "libm", "--range", "0:2")
        self.assertIn(("libm", "scalar"), lines)
        self.assertIn("finite", self.refuse("bench", "log", *QUICK, "--impl", "libm",
                                            "--range", "-2:-1"))

    def test_a_table_of_ratios(self):
        words = ("bench", "exp", "log", *QUICK, "--errors", "1:1.5", "--impl", "det,cr,libmvec")
        done = self.run_program(*words)
        if done.returncode:
            self.skipTest(done.stderr.decode().strip())  # libmvec is glibc's, on x86-64 and others
        table = done.stdout.decode().split("time of array forms over another's", 1)[1].splitlines()[1:4]
        self.assertEqual(table[0].split(), ["det/libmvec"])
        for line, operation in zip(table[1:], ("exp", "log")):
            name, ratio = line.split()
            self.assertEqual(name, operation)
            self.assertGreater(float(ratio), 0)
        results = self.document(*words)["results"]
        for result in results:
            lines = {(one["name"], one["form"]): one for one in result["implementations"]}
            self.assertEqual([name for name, one in lines.items() if "ratio" in one], [("libmvec", "array")])
            # det is the reference, so that its time over another's is the other's speed.
            self.assertEqual(result["reference"], "det")
            self.assertAlmostEqual(lines["libmvec", "array"]["ratio"], lines["libmvec", "array"]["speed"], places=12)
        self.assertNotIn("time of array forms", self.succeed("bench", "exp", *QUICK, "--errors", "1:1.5", "--impl", "det"))

    def test_instructions_are_limited(self):
        result, = self.document("bench", "exp", *QUICK, "--errors", "1:1.5", "--impl", "det",
                                "--instructions", "baseline")["results"]
        self.assertTrue(all(one["detail"].endswith(", baseline") for one in result["implementations"]))
        self.assertIn("baseline, avx2 or avx512", self.refuse("bench", "exp", "--instructions", "avx3"))
        _, lines = self.lines("scaled.add", "--instructions", "baseline")
        self.assertTrue(lines["det", "array"]["detail"].endswith(", baseline"))

    def test_arrays_are_timed_beside_plain_loops(self):
        for words, operation, names in ((("sum",), "sum", ["plain", "det", "cr"]),
                                        (("scaled.matmul", "-f", "fp8_e4m3fn", "--shape", "3x5x7", "--impl", "plain,det"),
                                         "scaled.matmul", ["plain", "det"]),
                                        (("scaled.convolution", "-f", "fp16", "--shape", "3x5x7"),
                                         "scaled.convolution", ["plain", "det"]),
                                        (("scaled.rescale", "-f", "bf16", "--to", "fp8_e5m2"), "scaled.rescale", ["plain", "det"]),
                                        (("dyadic.step", "-f", "int32"), "dyadic.step", ["plain", "det"]),
                                        (("dyadic.from_real",), "dyadic.from_real", ["plain", "det"]),
                                        (("dyadic.affine", "-f", "int8", "--shape", "3x5x7"), "dyadic.affine", ["plain", "det"]),
                                        (("dyadic.matmul", "--shape", "3x5x7"), "dyadic.matmul", ["plain", "det"]),
                                        (("mx.quantise", "--to", "mxfp4_e2m1"), "mx.quantise", ["copy", "det"]),
                                        (("cast", "--to", "fp8_e5m2", "--profile", "onnx-24"), "cast", ["copy", "det"])):
            result, = self.document("bench", *words, "--rounds", 2, "--elements", 500)["results"]
            rows = result["implementations"]
            self.assertEqual((result["operation"], result["reference"], [row["name"] for row in rows]),
                             (operation, names[0], names))
            for row in rows:
                self.assertGreater(row["nanoseconds"], 0)
                self.assertNotIn("max_ulp", row)
            self.assertEqual(rows[0]["speed"], 1)

    def test_a_blas_that_is_missing_is_left_out_and_told(self):
        words = ("bench", "matmul", "--shape", "4x4x4", "--rounds", 1)
        done = self.run_program(*words, "--impl", "det", "--impl", "blas:/none.so")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"/none.so", done.stderr)
        self.assertNotIn(b"blas", done.stdout)
        self.assertIn("/none.so", self.refuse(*words, "--impl", "blas:/none.so"))
        self.assertIn("plain, det, blas", self.refuse(*words, "--impl", "libm"))

    def test_bad_input_is_refused_with_what_would_be_right(self):
        for words, what in ((("bench",), "needs an operation"),
                            (("bench", "expp"), "did you mean exp"),
                            (("bench", "exp", "--range", "2:1"), "A < B"),
                            (("bench", "exp", "--range", "2"), "A:B"),
                            (("bench", "exp", "--range", "1:inf"), "A:B"),
                            (("bench", "exp", "--rounds", "0"), "--rounds"),
                            (("bench", "exp", "--elements", "1e9"), "--elements"),
                            (("bench", "exp", "--seconds", "0"), "--seconds"),
                            (("bench", "exp", "--impl", "lib"), "libm"),
                            (("bench", "sum", "--axis", 0), "not --axis"),
                            (("bench", "sum", "exp"), "runs of their own"),
                            (("bench", "dyadic.to_real", "-f", "int32", "--to", "fp16"), "to fp32 alone"),
                            (("bench", "dyadic.dot", "-f", "int64"), "dyadic.dot in int64"),
                            (("bench", "sincos", "sum"), "no loops"),
                            (("bench", "sum", "-f", "fp64"), "sum in fp64"),
                            (("bench", "sum", "--exhaustive"), "on numbers"),
                            (("bench", "matmul", "--shape", "4x4"), "ROWSxINNERxCOLUMNS"),
                            (("bench", "scaled.convolution", "--shape", "4x4"), "CHANNELSxROWSxCOLUMNS"),
                            (("bench", "exp", "--to", "fp16"), "takes no --to"),
                            (("bench", "mish", *QUICK, "--impl", "libm"), "nothing")):
            self.assertIn(what, self.refuse(*words))


if __name__ == "__main__":
    unittest.main()
