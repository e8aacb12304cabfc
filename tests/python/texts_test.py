"""The package on functions of Python that read numbers from texts and write them: float, numpy's types, repr and functions of a user,
here and by name. What is wrong in some of them is counted beside Python's fractions."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

import with_numpy  # noqa: F401  pylint: disable=unused-import

import numpy

import detcheck

TEXTS = ["0.1", "1e23", "9007199254740993", "1.00000005960464477539062500001", "-7e-324", "1.5"]
MODULE = '''
def g17(x):
    return "%.17g" % x


def with_digits(x, digits, style):
    return f"{x:.{digits}{style[0]}}"


def shouts(text):
    raise RuntimeError("x" * 50000 + " is too long")
'''


def truncated(text):
    """A reader that cuts the digits behind the 17th off."""
    sign, text = text[:text[:1] in "+-"], text[text[:1] in "+-":]
    digits, _, exponent = text.partition("e")
    whole, _, behind = digits.partition(".")
    kept = (whole + behind)[:max(17, len(whole))]
    return float(f"{sign}{kept}e{int(exponent or 0) + len(whole) - len(kept)}")


class Texts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for name, text in (("shown.py", MODULE), ("texts", "\n".join(TEXTS))):
            with open(name, "w", encoding="ascii") as stream:
                stream.write(text)

    def entry(self, *words, **given):
        result, = detcheck.sweep(*words, **given).to_dict()["results"]
        return result["implementations"][0]

    def right(self, *words, **given):
        entry = self.entry(*words, **given)
        self.assertEqual((entry["incorrectly_rounded"], entry["nan_mismatches"], entry["events"]), (0, 0, []), entry["name"])
        self.assertGreater(entry["tested"], 5)

    def test_functions_here_and_by_name_read(self):
        for one in (float, "builtins:float", numpy.float64, "numpy:float64"):
            self.right("from_decimal", one, inputs="texts")
        for one in (numpy.longdouble(0).dtype.type, "numpy:longdouble"):
            with self.assertRaisesRegex(detcheck.Error, "; for fp64 it has to return"):
                detcheck.sweep("from_decimal", one, inputs="texts")

    def test_numpy_rounds_a_text_twice_to_fp32(self):
        for one in (numpy.float32, "numpy:float32"):
            entry = self.entry("from_decimal", one, inputs="texts", to="fp32")
            self.assertEqual(entry["incorrectly_rounded"], sum(
                Fraction(text) == Fraction(TEXTS[3]) for text in TEXTS))

    def test_what_is_wrong_is_counted(self):
        wrong = sum(truncated(text) != float(text) for text in [*TEXTS, "9007199254740993.00000001"])
        self.assertEqual(wrong, 1)
        entry = self.entry("from_decimal", truncated, inputs=self.file("9007199254740993.00000001", *TEXTS))
        self.assertEqual(entry["incorrectly_rounded"], wrong)
        self.assertEqual(self.entry("from_decimal", float, inputs=self.file("1_000", "1,5", "0x1p3"))["nan_mismatches"], 2)

    def file(self, *lines):
        with open("lines", "w", encoding="ascii") as stream:
            stream.write("\n".join(lines))
        return "lines"

    def test_functions_write(self):
        for one in (repr, str, "builtins:repr", lambda x: f"{x!r}"):
            self.right("to_decimal", one, distribution="powers", samples=1)
        self.right("to_decimal", lambda x: "%.17g" % x, style="general", digits=17, distribution="ties", samples=1)
        self.right("to_decimal", "./shown.py:g17", style="general", digits=17, distribution="ties", samples=1)
        for style in ("exponent", "fixed", "general"):
            self.right("to_decimal", "./shown.py:with_digits", style=style, digits=3, distribution="normal", samples=1)
        self.right("to_decimal", numpy.format_float_scientific, format="fp32", distribution="normal", samples=1)
        entry = self.entry("to_decimal", lambda x: "%.16g" % x, style="general", digits=17, distribution="ends", samples=1)
        self.assertGreater(entry["incorrectly_rounded"], 0)

    def test_a_function_of_something_else_is_refused_in_a_line(self):
        for words, said in ((("from_decimal", str), "returned str; for fp64 it has to return"),
                            (("from_decimal", "math:sin"), r"math:sin raised TypeError: must be real number, not str for the text '0.5'"),
                            (("to_decimal", "math:sin"), "returned float, which is not a text"),
                            (("from_decimal", "numpy:float32"), "for fp64 it has to return float64; say --to fp32"),
                            (("from_decimal", "numpy"), "numpy has no from_decimal"),
                            (("from_decimal", "./shown.py:shouts"), "raised RuntimeError: xxx")):
            with self.subTest(words=words), self.assertRaisesRegex(detcheck.Error, said) as caught:
                detcheck.sweep(*words, inputs="texts")
            self.assertLess(len(str(caught.exception)), 600)
        with self.assertRaisesRegex(detcheck.Error, "computes only in nearest-even, as it has no parameter rounding"):
            detcheck.sweep("from_decimal", float, inputs="texts", rounding="up")

    def test_the_commands_of_the_page_print_what_it_says(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "detcheck-decimal.7.in")
        with open(path, encoding="ascii") as stream:
            shown = dict(re.findall(r'^\.\\" (program|commands): digits.py\n\.Bd -literal.*?\n(.*?)^\.Ed$', stream.read(), re.MULTILINE | re.DOTALL))
        with open("digits.py", "w", encoding="ascii") as stream:
            stream.write(shown["program"])
        command, output = re.match(r"\$ detcheck (.*?[^\\])\n(.*)", shown["commands"].replace("\\e\n", ""), re.DOTALL).groups()
        done = subprocess.run([sys.executable, "-m", "detcheck", *command.split()], capture_output=True, check=True, text=True)
        self.assertEqual(done.stdout, output)

    def test_no_line_of_an_error_is_too_long(self):
        """Whoever raises it, and wherever it is shown; its end is there."""
        def fails(text):
            raise RuntimeError("y" * 50000 + " is too long")

        def late(text):
            return fails(text) if text == TEXTS[2] else float(text)

        for words in (("from_decimal", late), ("exp", fails)):
            with self.assertRaises(detcheck.CallableError) as caught:
                detcheck.sweep(*words, **({"inputs": "texts"} if words[0] != "exp" else {"format": "fp16"}))
            self.assertLess(len(str(caught.exception)), 700)
            self.assertIn("yyy is too long for", str(caught.exception))
        with self.assertRaisesRegex(detcheck.Error, "is not a number; write a decimal") as caught:
            detcheck.eval("sin", "z" * 50000)
        self.assertLess(len(str(caught.exception)), 700)
        done = subprocess.run([sys.executable, "-m", "detcheck", "sweep", "from_decimal", "--inputs", "texts", "--impl", "py:./shown.py:shouts"],
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertTrue(all(len(line) < 800 for line in done.stderr.splitlines()), done.stderr[:3000])


if __name__ == "__main__":
    unittest.main()
