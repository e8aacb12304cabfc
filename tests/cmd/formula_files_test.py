"""Files of formulas, and special values: what is known of a formula beside its steps."""

import json
import os
import struct
import unittest

from harness import Case

# Texts of files, and where they go wrong.
WRONG_FILES = [("sech2(x) = 1/\n", "1:14: a number, a name"), ("a(x) = x\na(x) = x + 1\n", "2:1: a appears twice"),
               ("x + 1\n", "1:1: a formula with a name"), ("\n# a\n  f(x) =  1/cosch(x)\n", "3:13: 'cosch' is unknown; did you mean cosh?"),
               ("f(x) = x\n  f(0) = 1/(\n", "2:13: a number"), ("f(x) = x +\n  f(0) = 1\n", "2:3: a number"),
               ("f(x) = x\nf(0, 1) = 1\n", "2:6: the formula has 1 operand"), ("f(x) = x\nf(0) = y\n", "2:8: 'y' is unknown"),
               ("f(x) = x\nformats: bf16, fp17\n", "2:16: unknown format 'fp17'"), ("f(x) = x\nformats: int8\n", "2:10: a format of real numbers"),
               ("f(x) = x\nformats:\n", "2:9: a format should stand here"), ("f(x) = x\ndomain: 1:0\n", "2:9: a range should stand here, the lower end first"),
               ("f(x) = x\ndomain: 0x3f80:0x4000\n", "2:9: a range"), ("f(x, y) = x*y\ndomain: 0:1 0:1 0:2\n", "2:9: one range should stand here, or 2"),
               ("f(x) = x\nlandmarks: 1 two\n", "2:14: a number should stand here"), ("domain: 1:2\n", "1:1: a formula should stand above"),
               ("f(x) = x\n  bogus: 3\n", "2:3: 'bogus:' is unknown; there are formats:, domain: and landmarks:"),
               ("f(x) = x\ndomain: 1:2\nformats: bf16\ndomain: 1:3\n", "4:1: domain: appears twice"),
               ("f(x) = x" + " + x" * 30000 + "\n", "1:100001: the formula and its special values have more than 100000"), ("f(x) = " + "x" * 300000, "1:200001: a line of more than 200000")]
# Special values in the text of a formula: the first that fits; 0 fits both zeros.
MANY = "f(x) = 1/x; f(-0) = 7; f(0) = 3; f(inf) = 5; f(nan) = 9; f(-inf) = -0; f(0.5) = x"
PAIRS = "f(x, y) = x/y; f(0, 0) = 1; f(x, nan) = x; f(0, y) = y"
GIVEN = [(MANY, "-0", "7"), (MANY, "0", "3"), (MANY, "inf", "5"), (MANY, "nan", "9"), (MANY, "-inf", "-0"), (MANY, "0.5", "0.5"), (MANY, "4", "0.25"),
         (PAIRS, "0 0", "1"), (PAIRS, "0 1", "1"), (PAIRS, "nan 0", "nan"), (PAIRS, "2 nan", "2"), (PAIRS, "-0 3", "3"), (PAIRS, "3 2", "1.5"),
         ("sinc(x) = sin(x)/x; sinc(0) = 1", "-0", "1"), ("f(x) = x; f(0) = pi", "0", "3.141592653589793238462643383279502884197...")]
NOTED = """# What is known of formulas.
gate(x) = x/(1 + exp(-x))
  gate(-inf) = -0
  formats: bf16, fp16
  domain: -40:40
  landmarks: 0, -1.2784645
turn(q, r, t) = q*cos(t) + r*sin(t)
  domain: -4:4, -4:4, 0:6.25
spike(x) = x
  formats: fp64, fp32
  landmarks: 1.2001953125
  domain: 0.5:2
"""
def single(code):
    return struct.unpack(">f", bytes.fromhex(code[2:]))[0]


class Files(Case):
    def sweep(self, operation, *words):
        return self.document("sweep", operation, *words, notes=True)["results"][0]

    def exact(self, formula, *inputs, form="fp64"):
        return self.document("eval", formula, *inputs, "-f", form)["results"][0]["exact"]

    def text(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return stream.read()

    def test_a_file_names_formulas(self):
        self.file("my.formulas", "# gradients\nsech2(x) = 1/cosh(x)^2\n\nturn(q, r, t) = q*cos(t) + r*sin(t)\n")
        by = ("--operations", "my.formulas")
        self.assertEqual(self.document("eval", "sech2", "0", *by)["results"][0]["want"], "0x3f800000")
        self.assertEqual(self.document("eval", "turn", "1", "2", "0", *by)["results"][0]["want"], "0x3f800000")
        self.assertIn("unknown operation", self.refuse("eval", "other", "0", *by))
        self.refuse("eval", "exp", "0", "--operations", "none.formulas")

    def test_a_wrong_file_is_one_line_with_line_and_column(self):
        for text, says in WRONG_FILES:
            with self.subTest(text=text[:40]):
                self.file("bad.formulas", text)
                line = self.refuse("eval", "exp", "0", "--operations", "bad.formulas")
                self.assertIn("bad.formulas:" + says, line)
                self.assertLess(len(line), 900)

    def test_special_values_replace_the_steps(self):
        for formula, operands, exact in GIVEN:
            with self.subTest(formula=formula, operands=operands):
                self.assertEqual(self.exact(formula, *operands.split(), form="fp32"), exact)

    def test_a_file_says_formats_domain_and_landmarks(self):
        self.file("my.formulas", NOTED)
        by = ("--operations", "my.formulas")
        one = self.sweep("gate", "--impl", "steps:x/(1 + exp(-x))", *by)
        self.assertEqual((one["format"], one["operation"]), ("bf16", "gate(x) = x/(1 + exp(-x)); gate(-inf) = -0"))
        self.assertEqual(self.count_of(one), 2 * (0x4220 + 1))  # -40 to 40, of which 40 is 0x4220
        self.assertEqual(self.count_of(self.sweep("gate", "--all", "--impl", "steps:x/(1 + exp(-x))", *by)), 1 << 16)
        self.assertIn("is on bf16, fp16, and fp32 is none of its formats", self.refuse("eval", "gate", "1", "-f", "fp32", *by))
        sampled = ("sweep", "turn", "-n", "100", "--impl", "steps:x*cos(z) + y*sin(z)", *by)
        done = self.run_program(*sampled)
        self.assertIn("taking inputs from -4:4, -4:4, 0:6.25", done.stderr.decode().split("\n")[0])
        self.assertIn("from -4:4 and -4:4 and 0:6.25", done.stdout.decode())
        self.succeed("emit", "turn", "-n", "200", "-o", "turn.vectors", *by)
        drawn = [test["in"] for group in json.loads(self.text("turn.vectors"))["testGroups"] for test in group["tests"] if test["flags"] == ["random"]]
        self.assertGreater(len(drawn), 50)
        for q, r, t in drawn:
            self.assertLessEqual(abs(single(q)), 4)
            self.assertLessEqual(abs(single(r)), 4)
            self.assertTrue(0 <= single(t) <= 6.25)
        self.assertIn("steps:x", self.succeed("bench", "spike", "--impl", "steps:x", "--rounds", "3", "--errors", "1:1.0001", *by))

    def test_landmarks_drive_special_inputs_and_searches(self):
        self.file("my.formulas", NOTED)
        by = ("--operations", "my.formulas", "--impl", "steps:select(|x - 1.2001953125| < 1e-12, 2*x, x)")
        for operation, finds in (("spike", True), ("same(x) = x", False)):
            searched = self.sweep_or_search("search", operation, "--range", "0.5:2", "--evaluations", "20000", "--threads", "1", *by)
            self.assertEqual(searched["max_ulp"]["error"] > 1e10, finds)
            special = self.sweep(operation, "-f", "fp64", "--special", *by)["implementations"][0]
            self.assertEqual(special["incorrectly_rounded"] == 5, finds)

    def sweep_or_search(self, *words):
        return self.document(*words, notes=True)["results"][0]["implementations"][0]

    @staticmethod
    def count_of(result):
        return result["implementations"][0]["tested"]


if __name__ == "__main__":
    unittest.main()
