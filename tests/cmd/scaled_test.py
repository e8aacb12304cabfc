"""The scaled operations as a user meets them: ours is right, scaling helps, and the article's formulas
are found wrong where they are."""

import unittest

from harness import Case

NAMES = ("add", "sub", "mul", "div", "max", "min", "relu", "gelu", "reduce_max", "softmax", "matmul",
         "cast", "rebalance")
GRADIENTS = ("relu", "sigmoid", "tanh", "gelu", "exp")
PRODUCTS = ("matmul", "mul_gradient", "matmul_gradient", "convolution", "convolution_gradient", "sum")


class Scaled(Case):
    def outcomes(self, name, *words):
        shape = "3x9x4" if name == "matmul" else "5x23"
        results = self.document("sweep", f"scaled.{name}", "--shape", shape, *words)["results"]
        return {(one["operation"].split(".")[-1], each["name"]): each
                for one in results for each in one["implementations"]}

    def test_ours_is_right(self):
        for name in NAMES:
            for family, more in (("signs", ("--per", "row")),
                                 ("apart", ("--format", "fp8_e4m3fn,bf16")),
                                 ("small", ("--scale", "power", "--format", "fp8_e5m2fnuz"))):
                words = ("--static", "power") if name == "matmul" else ()
                outcomes = self.outcomes(name, "--distribution", family, "--impl", "det", *more,
                                         *words)
                for (result, _), one in outcomes.items():
                    self.assertTrue(one["provided"])
                    self.assertEqual(one["incorrectly_rounded"], 0, (name, family, result))

    def test_ours_is_right_along_axes_and_backward(self):
        for name in PRODUCTS + ("mean",) + tuple(f"{each}_gradient" for each in GRADIENTS):
            shape = "2x3x5"
            for words in (("--distribution", "signs"), ("--distribution", "apart", "--format", "fp8_e4m3fn,fp32", "--scale", "power")):
                more = ("--static", "power") if name in PRODUCTS else ()
                more += ("--of", "second") if name[-12:] in ("mul_gradient", "ion_gradient") and "power" in words else ()
                results = self.document("sweep", f"scaled.{name}", "--shape", shape, "--impl", "det", *words, *more)["results"]
                for one in results:
                    self.assertEqual(one["implementations"][0]["incorrectly_rounded"], 0, (name, words, one["operation"]))

    def test_ours_is_right_backward_along_an_axis(self):
        for name in ("reduce_max", "softmax"):
            for words in (("--distribution", "signs"), ("--distribution", "near", "--axis", 0, "--scales", "3"),
                          ("--distribution", "apart", "--format", "fp8_e4m3fn,bf16", "--scale", "power")):
                results = self.document("sweep", f"scaled.{name}_gradient", "--shape", "2x3", "--impl", "det", *words)["results"]
                for one in results:
                    self.assertEqual(one["implementations"][0]["incorrectly_rounded"], 0, (name, words, one["operation"]))
        self.assertEqual(self.wanted("scaled.reduce_max_gradient", 1, 3, 3, 2, 1, 8, 2, "--shape", 4),
                         [["0x0000", "0x4400", "0x4400", "0x0000"], ["0x40000000"]])
        self.assertEqual(self.wanted("scaled.softmax_gradient", 5, 5, 1, 1, 3, 1, "--shape", 2),
                         [["0xb800", "0x3800"], ["0x3f800000"]])
        # Two equal elements far above others: on which side of g/4 the result lies.
        for x, g, rounding, data in (
                ((0, 0, -30000, -30001), (1, 0, "0x1p-20", -1e10), "up", "0x3e800001"),  # not the nearest of the others decides
                ((0, 0, -30000, -30001), (1, 0, "0x1p-20", 1e10), "down", "0x3e7fffff"),
                ((0, 0, -30000), (1, 0, 0), "toward-zero", "0x3e7fffff"),  # its first order is 0, the second is not
                ((0, 0, -30000, -60000), (1, 0, 0, -2), "up", "0x3e800001"),
                ((0, 0, -30000, -60000), (1, 0, 0, 2), "down", "0x3e7fffff")):
            found = self.wanted("scaled.softmax_gradient", *x, 1, *g, 1, "--shape", len(x), "-f", "fp32", "-r", rounding)
            self.assertEqual(found[0][0], data, (x, g))

    def test_a_gradient_beside_a_mask_where_the_first_far_terms_cancel(self):
        """(1 + t) / (2 + t)^2 for t = e^-(10^9) is 1/4 less t^2 / 16 and more: no term in t."""
        for rounding, want in (("up", "0x3e800000 0xbe7fffff 0x80000000"), ("down", "0x3e7fffff 0xbe800000 0x80000001")):
            with self.subTest(rounding=rounding):
                self.assertEqual(self.wanted("scaled.softmax_gradient", 0, 0, -1e9, 1, 1, 0, 0, 1, "--shape", 3, "-f", "fp32",
                                             "-r", rounding)[0], want.split())

    def test_scaling_keeps_what_numbers_lose(self):
        for name in ("add", "mul", "gelu", "matmul"):
            for family in ("small", "large"):
                outcomes = self.outcomes(name, "--distribution", family, "--format", "fp8_e4m3fn")
                ours, numbers = (outcomes["data", which] for which in ("det", "unscaled"))
                self.assertLess(ours["mean_ulp"], 0.5)
                right = numbers["correctly_rounded"] / numbers["tested"]
                self.assertLess(right, 0.5, (name, family))

    def test_the_article_is_wrong_about_signs(self):
        for name in ("add", "max", "relu", "softmax", "reduce_max"):  # add's values are right, beside a negative scale
            outcomes = self.outcomes(name, "--distribution", "signs", "--per", "row", "--samples", 4,
                                     "--impl", "det,article", *["--strict-scale"] * (name == "add"))
            wrong = sum(outcomes[result, "article"]["incorrectly_rounded"] +
                        outcomes[result, "article"]["nan_mismatches"] for result in ("data", "scale"))
            self.assertGreater(wrong, 0, name)

    def shapes(self, name, per, *values):
        """The number of elements of the data and of the scales that eval makes of rows of two."""
        results = self.document("eval", f"scaled.{name}", *values, "--shape", "3x2", "--per", per,
                                "--impl", "det")["results"]
        for one in results:
            for element in one["elements"]:
                self.assertEqual(element["implementations"][0]["got"], element["want"])
        return [[element["want"] for element in one["elements"]] for one in results]

    def test_one_scale_stays_one(self):
        """Of every operation with --per one, but of softmax, whose rows have a scale each."""
        for name in NAMES:
            if name == "matmul":
                continue
            values = [1, 2, 3, 4, 5, 6, 1]
            if name in ("add", "sub", "mul", "div", "max", "min"):
                values *= 2
            data, scales = self.shapes(name, "one", *values)
            self.assertEqual(len(data), 1 if name == "reduce_max" else 6, name)
            self.assertEqual(len(scales), 3 if name == "softmax" else 1, name)
            each = values[:6] + 3 * values[6:7]
            data, scales = self.shapes(name, "row", *(each * (len(values) // 7)))
            self.assertEqual(len(data), 3 if name == "reduce_max" else 6, name)
            self.assertEqual(len(scales), 3, name)

    def test_one_n_serves_all_rows_of_one_scale(self):
        # 6 2^-13 = 49152 / 2^16: the largest does not overflow fp16 just when n is -13.
        data, scales = self.shapes("rebalance", "one", 1, 2, 3, 4, 5, 6, 1)
        self.assertEqual(data, ["0x7000", "0x7400", "0x7600", "0x7800", "0x7900", "0x7a00"])
        self.assertEqual(scales, ["0x39000000"])
        self.assertEqual(self.shapes("reduce_max", "one", 1, 2, 9, 4, 5, 6, -2), [["0xbc00"], ["0x40000000"]])
        self.assertEqual(self.shapes("reduce_max", "row", 1, 2, 9, 4, 5, 6, 1, -1, 1)[0],
                         ["0x4000", "0xc400", "0x4600"])

    def wanted(self, *words):
        return [[element["want"] for element in one["elements"]]
                for one in self.document("eval", *words)["results"]]

    def check_det(self, *words):
        """What is wanted, which det returns."""
        wanted = []
        for result in self.document("eval", *words, "--impl", "det")["results"]:
            wanted.append([element["want"] for element in result["elements"]])
            self.assertEqual([element["implementations"][0]["got"] for element in result["elements"]], wanted[-1])
        return wanted

    def test_the_largest_is_found_however_far_apart_scales_are(self):
        # 0.5 2^-167, -1 2^924, 0.25 2^1: beside 2^924 both positive ones are beyond all numbers.
        words = ("--scale", "power", "--shape", 3, "--scales", 3, "--second-scales", 1)
        self.assertEqual(self.check_det("scaled.reduce_max_gradient", 0.5, -1, 0.25, -167, 924, 1, 1, 0, *words)[0],
                         ["0x0000", "0x0000", "0x3c00"])
        self.assertEqual(self.check_det("scaled.reduce_max_gradient", 0, -1, 1, 2000, 924, -1000, 1, 0, *words)[0],
                         ["0x0000", "0x0000", "0x3c00"])

    def test_what_double_loses_of_a_sum_does_not_change_a_measured_scale(self):
        # 57344, the largest number, and 2^-80 beside it.
        words = ("scaled.sum", 1.75, 1, 15, -80, "-f", "fp8_e5m2", "--scale", "power", "--shape", 2, "--scales", 2)
        self.assertEqual(self.check_det(*words, "--static", "measured"), [["0x7b"], ["0x00000000"]])
        words = words[:4] + (-30,) + words[5:]
        self.assertEqual(self.check_det(*words, "--static", "measured"), [["0x77"], ["0x00000001"]])

    def test_a_static_scale_of_ones_own(self):
        words = ("scaled.sum", 1, 2, 3, 4, 0.5, "--shape", 4, "-f", "fp16")
        for static, data, scale in (("4", "0x4100", "0x40000000"), ("3.5", "0x41b7", "0x3fe00000"), ("0x1.cp+1", "0x41b7", "0x3fe00000"),
                                    ("0x1p-3", "0x5500", "0x3d800000")):
            self.assertEqual(self.check_det(*words, "--static", static), [[data], [scale]], static)
        self.assertEqual(self.check_det("scaled.sum", 1, 2, 3, 4, -1, "--scale", "power", *words[6:], "--static", "16"), [["0x3900"], ["0x00000003"]])
        document = self.document("eval", *words, "--static", "3.5")
        self.assertEqual(document["results"][0]["parameters"]["static"], "0x1.cp+1")
        for static, said in (("0", "a normal number above 0"), ("-1", "a normal number above 0"), ("0.1", "that fp32 has exactly"),
                             ("1e-40", "a normal number"), ("3.5x", "--static"), ("root", "or a number")):
            self.assertIn(said, self.refuse("eval", *words, "--static", static))
        self.assertIn("a power of two", self.refuse("eval", "scaled.sum", 1, 2, 1, "--scale", "power", "--shape", 2, "--static", "3"))

    def test_a_margin_leaves_room_where_something_is_not_0(self):
        words = ("scaled.rebalance", 3, 0, 0, "-0", 1, 1, "--shape", 4, "--scales", 2, "-f", "fp16", "--to", "fp8_e4m3fn")
        self.assertEqual(self.check_det(*words), [["0x7c", "0x00", "0x00", "0x80"], ["0x3c000000", "0x3f800000"]])
        self.assertEqual(self.check_det(*words, "--margin", 3), [["0x64", "0x00", "0x00", "0x80"], ["0x3d800000", "0x3f800000"]])
        self.assertEqual(self.check_det(*words, "--margin", 3, "--by", "squares")[1][1], "0x3f800000")
        self.assertIn("-64 to 64", self.refuse("eval", *words, "--margin", 65))

    def test_rounding_is_of_data_and_of_the_sign_of_a_cancelled_sum(self):
        self.assertEqual(self.wanted("scaled.sub", 3, 3, 3, 3), [["0x0000"], ["0x40400000"]])
        self.assertEqual(self.wanted("scaled.sub", 3, 3, 3, 3, "-r", "down"), [["0x8000"], ["0x40400000"]])
        self.assertEqual(self.wanted("scaled.add", "-0", 1, 0, 1, "-r", "down")[0], ["0x8000"])
        self.assertEqual(self.wanted("scaled.add", 0, 1, 0, 1, "-r", "down")[0], ["0x0000"])
        scales = {tuple(self.wanted("scaled.softmax", 0, 1, 2, 1, "-r", mode)[1])
                  for mode in ("nearest-even", "up", "down")}
        self.assertEqual(len(scales), 1)

    def test_signs_of_zeros_and_infinities_are_those_of_the_values(self):
        """unscaled multiplies out and computes on numbers: of these, which fp32 holds, it is as right as ours."""
        data, scales = ("0", "-0", "1", "-2", "inf", "-inf", "nan"), ("0", "-0", "1", "-4")
        count = len(data) * len(scales)
        both = [one for one in data for _ in scales], [*scales] * len(data)
        shape = ("--shape", f"{count}x1", "--scales", f"{count}x1", "--second-shape", f"1x{count}", "--second-scales", f"1x{count}")
        for name in ("add", "sub", "mul", "div", "max", "min", "step", "div_gradient", "relu_gradient"):
            words = ("eval", f"scaled.{name}", *both[0], *both[1], *both[0], *both[1], "-f", "fp32")
            document = self.document(*words, *shape, "--impl", "det,unscaled")
            elements = document["results"][0]["elements"]
            self.assertEqual(len(elements), count * count)
            wrong = [(divmod(at, count), element) for at, element in enumerate(elements)
                     for one in element["implementations"] if one["verdict"] != "correctly rounded"]
            self.assertEqual(wrong, [], name)
        self.assertEqual([element["want"] for element in self.document(
            "eval", "scaled.div", "-f", "fp32", "1", "-2", "0xc06ccccd", "1", "1", "0", "--shape", "2")["results"][0]["elements"]],
            ["0xff800000", "0x7f800000"])
        elements = self.document("eval", "scaled.rescale", "-f", "fp32", "5", "0", "1", "-3", "--impl", "det,unscaled")["results"][0]["elements"]
        self.assertEqual([[element["want"]] + [one["verdict"] for one in element["implementations"]] for element in elements],
                         [["0x80000000", "correctly rounded", "correctly rounded"]])

    def test_powers_at_the_infinities(self):
        for words, want in (("scaled.exp inf 1000 1 --to fp8_e4m3fnuz --profile onnx-19 --shape 2", ["0x80", "0x7f"]),
                            ("scaled.exp_gradient inf inf -inf 1 0 1 inf 1 --shape 3", ["0x7fc00000", "0x7f800000", "0x7fc00000"])):
            elements = self.document("eval", *words.split(), "-f", "fp32", "--impl", "det,unscaled")["results"][0]["elements"]
            self.assertEqual([element["want"] for element in elements], want)
            self.assertEqual({one["verdict"] for element in elements for one in element["implementations"]
                              if one["provided"]}, {"correctly rounded"})

    def test_the_text_of_a_run_of_one_operation_is_whole(self):
        """Of four operands and an implementation that libraries could be known by."""
        text = self.succeed("sweep", "scaled.add", "--shape", 4, "--distribution", "near", "-n", 1, "--impl", "unscaled")
        self.assertIn("fingerprint", text)

    def test_shapes_and_scales_of_sums_and_lines(self):
        """How many data and scales there are, and a value of each."""
        for words, data, scales in (
                (("sum", 1, 2, 3, 4, 5, 6, 1, "--shape", "2x3", "--axis", 0, "--static", "one"), ("0x4500", 3), 1),
                (("sum", 1, 2, 3, 4, 5, 6, 1, 1, "--shape", "2x3", "--per", "row", "--static", "one"), ("0x4600", 2), 2),
                (("mean", 1, 2, 3, 4, 5, 6, 1, "--shape", "2x3"), ("0x4300", 1), 1),
                (("reduce_max", 1, 2, 3, 4, 5, 6, 1, 2, "--shape", "2x3", "--axis", 0, "--scales", "2x1"), ("0x4400", 3), 1),
                (("softmax", 1, 1, 3, 4, 5, 6, 1, "--shape", "3x2", "--axis", 0), ("0x24b0", 6), 2),
                (("rebalance", 1, 2, 3, 4, 1, 1, "--shape", 4, "--scales", 2), ("0x7400", 4), 2),
                (("matmul", 1, 2, 3, 4, 1, 1, 1, 1, "--shape", "2x1x2", "--second-shape", "2x1", "--static", "one"),
                 ("0x4200", 2), 1),
                (("convolution", 1, 2, 3, 4, 1, 1, 1, 1, "--shape", "1x1x4", "--second-shape", "1x1x2", "--stride", 2,
                  "--static", "one"), ("0x4200", 2), 1)):
            found = self.wanted("scaled." + words[0], *words[1:])
            self.assertEqual((found[0][0], len(found[0]), len(found[1])), (*data, scales), words)

    def test_bad_input_is_refused_with_what_would_be_right(self):
        for words, said in ((("scaled.add", "--format", "fp64"), "fp32, fp16"),
                            (("scaled.softmax", "--per", "column"), "column"),
                            (("scaled.matmul", "--shape", "3x4"), "ROWSxINNERxCOLUMNS"),
                            (("scaled.matmul", "--scale", "power"), "--static"),
                            (("scaled.add", "--scale", "some"), "--scale"),
                            (("scaled.softmax", "--shape", "2x3", "--axis", 2), "only 2 dimensions"),
                            (("scaled.softmax", "--shape", "2x3", "--scales", 3), "differ along its axis"),
                            (("scaled.matmul", "--shape", "2x3", "--second-shape", "2x3"), "can be multiplied"),
                            (("scaled.convolution", "--shape", "2x3"), "--second-shape of outputs"),
                            (("scaled.convolution", "--shape", "1x3x2", "--second-shape", "1x1x1"), "--groups"),
                            (("scaled.convolution", "--shape", "1x1x2", "--second-shape", "1x1x3"), "--padding"),
                            (("scaled.convolution", "--shape", "1x1x2", "--scales", "2"), "not along the axes"),
                            (("scaled.convolution", "--shape", "1x1x2", "--per", "row"), "--scales"),
                            (("scaled.sum", "--scales", "5"), "divisors"),
                            (("scaled.softmax_gradient", "--shape", "2x3", "--second-scales", 3), "differ along its axis"),
                            (("scaled.reduce_max_gradient", "--per", "row"), "--scales"),
                            (("scaled.sum", "--impl", "article", "--distribution", "near"), "open"),
                            (("scaled.gelu", "--impl", "article", "--distribution", "near"), "open")):
            self.assertIn(said, self.refuse("sweep", *words))


if __name__ == "__main__":
    unittest.main()
