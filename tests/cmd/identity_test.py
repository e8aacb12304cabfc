"""explain names rewritings: for each row of src/explain/identity.c an implementation that computes just that, step by step, is
named with it, and with no other cause. Environment: where EXHAUSTIVE is set, all of them in fp16 and bf16; else a third of them in
one of the two, by turns."""

import json
import os
import re
import unittest

from harness import EXHAUSTIVE, Case, some

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "explain", "identity_rows.c")
ONE_FUNCTION = (("exp2", "pow(2, x)"), ("exp10", "pow(10, x)"), ("logsigmoid", "-(softplus(-x))"))
# Powers by squaring are looked for where exponents are whole.
WHOLE = ("-f", "fp16", "--range", "0.5:2", "--range", "3:3"), ("-f", "fp16", "--range", "0.5:2", "--range", "-13:-13")

TIES = ("-f", "fp16", "--range", "1:2048", "--range", "2:2")  # of quotients


def rows():
    with open(SOURCE, encoding="utf-8") as stream:
        text = re.sub(r'"\n\s+"', "", stream.read().split("} rows[] = {")[1].split("\n};")[0])
    return [(operation, formula, re.sub(r"\) = .*", ")", formula)) for operation, formula in re.findall(r'\{"(\w+)",\s+"([^"]+)"\}', text)]


class Identities(Case):
    def explained(self, operation, a, b, *words):
        """What explain says of two implementations; None where one of them has no such operation, or both have the same bits."""
        done = self.run_program("explain", operation, "--impl", a, "--impl", b, "--json", "explained.json", *words)
        complaint = done.stderr.decode()
        if done.returncode == 2:
            self.assertIn("does not provide", complaint)
            return None
        with open(os.path.join(self.path, "explained.json"), encoding="utf-8") as stream:
            document = stream.read()
        self.hold_to_schema(json.loads(document))
        return None if done.returncode == 0 else json.loads(document)["results"][0]["implementations"][0]["explanation"]

    def hold(self, explanation, called):
        causes = [one for one in explanation["explanations"] if one.get("cause") and one["hypothesis"] != "nan-bits"]
        self.assertEqual([one["hypothesis"] for one in causes], ["rewritten"])
        self.assertEqual((causes[0]["side"], causes[0]["predicts_wrongly"], explanation["unexplained"]), ("a", 0, 0))
        self.assertIn(f"computes {called}, each step rounded to ", causes[0]["says"])

    def named(self, operation, formula, called, form):
        """Holds what is said of a row's planted implementation; false where so few of its bits are others than the right ones that
        they say more than one thing."""
        for count in ("4000", "60000"):
            way = "steps:libm: " if re.search(r"\b(?:fmod|remainder)\(", formula) else "steps:"  # which det has not
            explanation = self.explained(operation, way + formula, "exact", "-f", form, "-n", count, "--threads", "1")
            if explanation and explanation["differ"] >= 16:
                self.hold(explanation, called)
                return True
        return False

    def test_each_rewriting_is_named(self):
        """Against the right result, which every operation has. Of what is one function of det that computes in fp32, few bits of
        narrow formats are wrong: that is named in fp32."""
        self.assertGreater(len(rows()), 75)
        forms = ("fp16", "bf16")
        for number, (operation, formula, called) in enumerate(some(rows(), 28)):
            for form in some(forms, 1, number):
                form = "fp16" if "bf16" in formula else form
                with self.subTest(operation=operation, formula=formula, form=form):
                    if called.startswith("by_squaring"):
                        for words in WHOLE:
                            self.hold(self.explained(operation, "steps:" + formula, "exact", *words), called)
                    elif called.startswith("ties_away"):  # which samples hardly meet
                        self.hold(self.explained(operation, "steps:libm: " + formula, "exact", *TIES), called)
                    elif not self.named(operation, formula, called, form):
                        self.assertIn((operation, formula), ONE_FUNCTION)
                        self.assertTrue(self.named(operation, formula, called, "fp32"))

    def test_each_rewriting_is_named_in_a_format_between(self):
        """In fp32 or fp64, by det or, as C has it, by libm; where so few bits are wrong that another rewriting has the same ones, that
        may be named."""
        ways = [f"steps@{between}:{whose}: " for between in ("fp32", "fp64") for whose in ("det", "libm")]
        held = 0
        for number, (operation, formula, called) in enumerate(some(rows(), 24)):
            for way in some(ways, 1, number):
                with self.subTest(operation=operation, formula=formula, way=way):
                    explanation = called == formula and self.explained(operation, way + formula, "exact", "-f", "fp16", "-n", "20000", "--threads", "1")
                    if not explanation or explanation["differ"] < 16:
                        continue
                    held += 1
                    causes = [one for one in explanation["explanations"] if one.get("cause") and one["hypothesis"] != "nan-bits"]
                    self.assertIn([one["hypothesis"] for one in causes], (["rewritten"], ["zero-signs"]))
                    self.assertEqual((causes[0].get("side", "a"), causes[0].get("predicts_wrongly", 0), explanation["unexplained"]), ("a", 0, 0))
        self.assertGreater(held, 8 if EXHAUSTIVE else 2)

    def test_the_format_of_the_steps_and_whose_functions_are_named(self):
        for spelling, says in (("steps@fp32: 1/(1 + exp(-x))", "computes 1/(1 + exp(-x)), each step rounded to fp32 and the result from there"),
                               ("steps:1/(1 + exp(-x))", "computes 1/(1 + exp(-x)), each step rounded to bf16 (functions by det)")):
            causes = [one for one in self.explained("sigmoid", spelling, "cr", "-f", "bf16")["explanations"] if one.get("cause") == 1]
            self.assertIn(says, causes[0]["says"])

    def test_the_own_steps_of_a_formula_are_named(self):
        for formula, form, way in (("x/sqrt(y)", "fp16", "steps"), ("sech2(x) = 1/cosh(x)^2", "fp32", "steps:libm")):
            with self.subTest(formula=formula):
                self.hold(self.explained(formula, f"{way}: {formula}", "exact", "-f", form, "-n", "4000"), formula)
        explanation = self.explained("x/sqrt(y)", "steps: x*rsqrt(y)", "exact", "-f", "fp16", "-n", "4000")
        self.assertFalse([one for one in explanation["explanations"] if one["hypothesis"] == "rewritten" and one.get("cause")])

    def test_a_product_that_is_rounded_is_no_fused_one(self):
        explanation = self.explained("fma", "libm", "steps:x*y + z", "-f", "fp16", "-n", "20000")
        causes = [one for one in explanation["explanations"] if one.get("cause") == 1]
        self.assertEqual((causes[0]["hypothesis"], causes[0]["side"], causes[0]["verdict"]), ("rewritten", "b", "all"))

    def test_what_is_no_rewriting_is_not_named(self):
        explanation = self.explained("tanh", "steps:tanh(x)*(1 + 2^-9)", "det", "-f", "fp16")
        self.assertFalse([one for one in explanation["explanations"] if one["hypothesis"] == "rewritten" and one.get("cause")])

    def test_a_sigmoid_spelled_out_is_named(self):
        """As C has it, by libm's exp, where libm has no sigmoid."""
        for operation, formula in (("tanh", "2/(1 + exp(-2*x)) - 1"), ("silu", "x*(1/(1 + exp(-x)))"), ("gelu", "x/(1 + exp(-1.702*x))"),
                                   ("gelu_tanh", "x/(1 + exp(-1.5957691216057308*(x + 0.044715*x*x*x)))")):
            with self.subTest(operation=operation):
                explanation = self.explained(operation, "steps@fp32:libm: " + formula, "exact", "-f", "fp32", "-n", "20000")
                self.hold(explanation, formula)


if __name__ == "__main__":
    unittest.main()
