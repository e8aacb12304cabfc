"""Exception flags and errno as the commands that take --flags and --errno tell of them."""

import json
import os
import re
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
                (("logb", "0x1p-15", "-f", "fp8_e5m2"), ["inexact"], [], ["none"]),
                (("frexp", "0x1p-16", "-f", "fp8_e5m2"), ["inexact"], [], ["none"]),
                (("logb", "0x1p-14", "-f", "fp8_e5m2"), [], [], ["none"]),
                (("ceil", 7.5, "-f", "fp6_e2m3fn"), ["overflow", "inexact"], [], ["none", "ERANGE"]),
                (("frexp", 1.125, "-f", "fp6_e2m3fn"), ["underflow", "inexact"], [], ["none", "ERANGE"]),
                (("cast", 1e6, "--from", "fp32", "--to", "fp16"), ["overflow", "inexact"], [], ["none", "ERANGE"]),
                (("div", 1, 0), ["divide-by-zero"], [], ["none", "ERANGE"]),
                (("add", "inf", "-inf"), ["invalid"], [], ["none", "EDOM"]),
                (("rootn", "nan", 0), ["invalid"], ["inexact"], ["EDOM"]),
                (("powr", -1, "nan"), [], ["invalid", "inexact"], ["none", "EDOM"]),
                (("yn", 2, 0), ["divide-by-zero"], ["inexact"], ["none", "ERANGE"]),
                (("y1", -1), ["invalid"], ["inexact"], ["none", "EDOM"])):
            with self.subTest(words=words):
                self.assertEqual(self.expected(*words), (required, open_flags, errnos))

    def test_tininess_is_chosen(self):
        # The product is 2^-126 (1 - 2^-26): rounded it is the smallest normal number.
        words = ("mul", "0x1.fffp-64", "0x1.0008p-63")
        self.assertEqual(self.expected(*words, "--tininess", "before")[0], ["underflow", "inexact"])
        self.assertEqual(self.expected(*words, "--tininess", "after")[0], ["inexact"])

    def test_eval_shows_flags_in_words(self):
        text = self.succeed("eval", "exp", 128, "--errno", "--impl", "libm")  # without --flags
        self.assertIn("errno ERANGE, as it should be", text)
        self.assertNotIn("raises", text)
        text = self.succeed("eval", "exp", 128, "--flags", "--errno", "--impl", "libm")
        self.assertIn("  flags     overflow; left open: inexact\n  errno     ERANGE\n", text)

    def test_what_is_left_open_may_be_and_need_not(self):
        if self.run_program("eval", "powr", 1, 1, "-f", "fp32", "--flags", "--impl", "lib:libm.so.6:powf").returncode:
            self.skipTest("there is no libm.so.6")
        # C23 wants invalid of powr(x < 0, NaN), and IEEE 754 does not.
        for words, says in (((-1, "nan"), "raises none, as it may\n"), ((2, 1000), "raises overflow inexact, as it should\n")):
            text = self.succeed("eval", "powr", "-f", "fp32", "--flags", "--impl", "lib:libm.so.6:powf", "--", *words)
            self.assertIn(says, text)

    def test_eval_judges_what_implementations_raise(self):
        for answer in self.document("eval", "log", 0, "--flags", "--errno", "--impl", "libm")["results"][0][
                "implementations"]:
            flags = answer.get("flags")
            if flags is None:
                self.skipTest("libm does not tell its flags here")
            self.assertIn("divide-by-zero", flags["raised"])
            self.assertEqual((flags["missing"], flags["spurious"], flags["cleared"]), ([], [], []))

    def test_calls_with_integers_are_observed(self):
        signalling, told = "0x7f800001", 0
        for words in (("jn", 2, signalling), ("yn", 2, signalling), ("scalbn", signalling, 1), ("ldexp", signalling, 1),
                      ("remquo", signalling, 1), ("frexp", signalling), ("modf", signalling), ("ilogb", signalling),
                      ("lrint", signalling), ("llround", signalling)):
            answer, = self.document("eval", *words, "--flags", "--impl", "libm")["results"][0]["implementations"]
            if answer["provided"] and "flags" in answer:
                told += 1
                with self.subTest(words=words):
                    self.assertEqual(answer["flags"]["raised"], ["invalid"])
        if not told:
            self.skipTest("libm does not tell its flags here")

    def vectors(self, *words):
        path = os.path.join(self.path, "vectors.json")
        self.succeed("emit", *words, "--flags", "-n", 4, "-o", path)
        with open(path, encoding="ascii") as stream:
            return path, stream.read()

    def test_vectors_say_it_of_domain_errors_beside_nan(self):
        _, text = self.vectors("rootn", "powr", "-f", "fp16")
        raised = {(group["operation"], *test["in"]): test["flags_raised"]
                  for group in json.loads(text)["testGroups"] for test in group["tests"]}
        self.assertEqual(raised["rootn", "0x7e00", "0x0000"], ["invalid"])
        self.assertEqual(raised["powr", "0xbc00", "0x7e00"], [])

    def test_vectors_say_what_is_raised(self):
        _, text = self.vectors("log", "add", "-f", "fp16")
        groups = json.loads(text)["testGroups"]
        self.assertEqual({group["tininess"] for group in groups}, {"after"})
        of_input = {tuple(test["in"]): test["flags_raised"] for group in groups for test in group["tests"]}
        self.assertEqual(of_input["0x0000",], ["divide-by-zero"])
        self.assertEqual(of_input["0xbc00",], ["invalid"])
        self.assertEqual(of_input["0x3c00",], [])
        self.assertEqual(of_input["0x7bff", "0x7bff"], ["overflow", "inexact"])
        self.assertEqual(of_input["0x0001", "0x7bff"], ["inexact"])

    def test_vectors_without_flags_are_as_they_were(self):
        path, text = self.vectors("exp", "-f", "fp16")
        plain = self.succeed("emit", "exp", "-f", "fp16", "-n", 4)
        self.assertEqual(re.sub(r', "tininess": "after"|, "flags_raised": \[[^]]*\]', "", text), plain)
        again = self.succeed("emit", "exp", "-f", "fp16", "--inputs-of", path)
        self.assertEqual(again, plain)

    def test_vectors_are_read_to_the_letter(self):
        path, text = self.vectors("exp", "-f", "fp16")
        for wrong, said in (
                (text.replace(', "flags_raised": []', "", 1), "a test lacks flags_raised"),
                (text.replace(', "tininess": "after"', ""), "a test has flags_raised, but its group has no tininess"),
                (text.replace('"after"', '"later"'), "tininess is 'later', not before or after"),
                (text.replace('["inexact"]', '["inexacts"]', 1), "there is no flag 'inexacts'"),
                (text.replace(', "tininess": "after"', "").replace("  ]}", '  ], "tininess": "after"}'),
                 "a test has flags_raised, but its group has no tininess"),
                (re.sub(r', "flags_raised": \[[^]]*\]', "", text).replace(', "tininess": "after"', "").replace(
                    "  ]}", '  ], "tininess": "after"}'), "tininess must stand before tests")):
            with open(path, "w", encoding="ascii") as stream:
                stream.write(wrong)
            self.assertIn(said, self.refuse("verify", path))

    def test_verify_judges_flags(self):
        path, text = self.vectors("log", "-f", "fp16")
        done = self.run_program("verify", path, "--flags", "--impl", "libm", "--json", "-")
        if b"does not report the flags" in done.stderr:
            self.skipTest("libm does not tell its flags here")
        self.assertEqual(json.loads(done.stdout)["results"][0]["flag_mismatches"], 0)
        with open(path, "w", encoding="ascii") as stream:
            stream.write(text.replace('["divide-by-zero"]', '["overflow"]', 1))
        done = self.run_program("verify", path, "--flags", "--impl", "libm", "--json", "-")
        result, = json.loads(done.stdout)["results"]
        self.assertEqual((done.returncode, result["flag_mismatches"]), (1, 1))
        self.assertEqual([first["flags"] for first in result["first"] if "flags" in first],
                         [{"raised": ["divide-by-zero"], "missing": ["overflow"], "spurious": ["divide-by-zero"],
                           "cleared": []}])

    def test_det_and_cr_are_judged_by_what_they_promise(self):
        # exp of a subnormal number and of 89, of which det raises too much, and too little.
        for argument in ("0x1p-149", 89):
            for answer in self.document("eval", "exp", argument, "--flags", "--errno", "--impl", "det,cr")["results"][0][
                    "implementations"]:
                flags = answer["flags"]
                self.assertEqual((flags["promised"], flags["missing"], flags["spurious"], flags["cleared"]),
                                 (False, [], [], []))
                self.assertEqual(answer["errno"], {"got": "none", "right": True})
        self.assertIn("errno none, as it promises\n",
                      self.succeed("eval", "exp", 89, "--flags", "--errno", "--impl", "det"))
        path = os.path.join(self.path, "vectors.json")
        self.succeed("emit", "exp", "-f", "fp32", "--flags", "-n", 4, "-o", path)
        words = ("verify", path, "--flags", "--impl", "det,cr", "--max-ulp", 1)
        for result in json.loads(self.succeed(*words, "--json", "-"))["results"]:
            self.assertEqual((result["flag_mismatches"], result["flags_promised"]), (0, False))
        self.assertIn("flags judged by its promise: it clears none", self.succeed(*words))

    def test_lines_of_testfloat_are_judged_with_flags(self):
        path = os.path.join(self.path, "lines")
        with open(path, "w", encoding="ascii") as stream:
            stream.write("3F800000 33800000 3F800000 01\n7F800000 FF800000 FFC00000 10\n3F800000 3F800000 40000000 01\n")
        words = ("verify", path, "--as", "testfloat", "--operation", "add", "--impl", "libm", "--json", "-")
        self.assertEqual(json.loads(self.succeed(*words))["mismatches"], 0)
        done = self.run_program(*words, "--flags")
        if b"does not report the flags" in done.stderr:
            self.skipTest("libm does not tell its flags here")
        mismatch, = json.loads(done.stdout)["results"][0]["first"]
        self.assertEqual((mismatch["tcId"], mismatch["flags"]["missing"]), (3, ["inexact"]))
        with open(path, "w", encoding="ascii") as stream:
            stream.write("3F800000 33800000 3F800000 21\n")
        self.assertIn("'21' is not a set of flags, which is 00 to 1F", self.refuse(*words))

    def test_flags_of_files_without_them_are_refused(self):
        path = os.path.join(self.path, "plain.json")
        self.succeed("emit", "exp", "-f", "fp16", "-n", 4, "-o", path)
        self.assertIn("no test says which flags are raised", self.refuse("verify", path, "--flags"))
        self.assertIn("sum is on arrays", self.refuse("emit", "sum", "--flags"))
        self.assertIn("no effect without --flags", self.refuse("emit", "exp", "--tininess", "after"))
        self.assertIn("--flags has no effect with --as numpy-csv",
                      self.refuse("emit", "exp", "--flags", "--as", "numpy-csv"))

    def test_what_makes_no_sense_is_refused(self):
        self.assertIn("--tininess needs before or after", self.refuse("eval", "exp", 1, "--flags", "--tininess", "x"))
        self.assertIn("no effect without --flags", self.refuse("eval", "exp", 1, "--inexact"))
        self.assertIn("sum is on arrays", self.refuse("eval", "sum", 1, 2, "--flags"))


if __name__ == "__main__":
    unittest.main()
