"""The last line of a failed assertion, which shows the worst input again: it runs as it stands, and shows what the assertion found.
Run by a Python that has numpy: ADAPTER_PYTHON names one."""

import math
import re
import shlex
import subprocess
import unittest

import with_numpy  # noqa: F401
import numpy  # noqa: F401: the lines say numpy.exp
import numpy as np

import detcheck


def by_lane(x):
    y = np.exp(x)
    y[::2] = np.nextafter(y[::2], np.array(np.inf, y.dtype))
    return y


def too_large(x):
    return np.exp(x) * x.dtype.type(1.01)


NAMELESS = {"too large": lambda x: np.exp(x) * x.dtype.type(1.01), "as it is": lambda x: x}


class Lines(unittest.TestCase):
    def line_of(self, call):
        with self.assertRaises(AssertionError) as caught:
            call()
        line, = re.findall(r"(?m)^    again: (.*)\Z", str(caught.exception))
        return line

    def shows(self, call, operation, *values, **names):
        """The call fails, and its line, run in this module with these names, is about the operation and shows such values."""
        line = self.line_of(call)
        if line.startswith("detcheck."):
            text = str(eval(line, {**globals(), **names}))  # pylint: disable=eval-used
        else:
            command, *words = shlex.split(line)
            self.assertEqual(command, "detcheck")
            done = subprocess.run([detcheck.program(), *words], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 2, done.stderr)
            text = done.stdout
        self.assertIn(operation, text.splitlines()[0])
        for value in values:
            self.assertIn(value, text)
        return line

    def test_functions_with_names(self):
        self.shows(lambda: detcheck.assert_max_ulp(np.exp, "exp", format="fp16", max_ulp=0.1), "exp in fp16", "numpy:exp")
        self.shows(lambda: detcheck.assert_max_ulp(too_large, "exp", format="fp16", max_ulp=0.6), "exp in fp16", "not faithful")
        self.shows(lambda: detcheck.assert_correctly_rounded(math.gamma, "tgamma", format="fp64", samples=100, scalar=True), "tgamma in fp64")
        self.shows(lambda: detcheck.assert_max_ulp(np.power, "pow", format="fp16", samples=1000, max_ulp=0.1), "pow in fp16")
        self.shows(lambda: detcheck.assert_max_ulp(np.exp, "exp", format="fp16", inputs=[1.0, 2.5], max_ulp=0.01), "exp in fp16", "2.5")
        self.shows(lambda: detcheck.assert_max_ulp(np.sum, "sum", format="fp16", samples=2, max_ulp=0.001), "sum  fp16")

    def test_names_of_the_program_and_of_modules(self):
        line = self.shows(lambda: detcheck.assert_max_ulp("libm", "exp", format="fp16", max_ulp=0.1), "exp in fp16", "libm")
        self.assertTrue(line.startswith("detcheck eval exp 0x"), line)
        line = self.shows(lambda: detcheck.assert_same_bits("numpy:exp", "libm", "exp", format="fp32", samples=5000), "exp in fp32", "libm")
        self.assertTrue(line.startswith("detcheck.eval('exp', '0x"), line)  # a Python of the shell may lack numpy

    def test_functions_without_names_are_called_f_and_g(self):
        here = r"  # f is <lambda> of assertion_lines_test.py, line \d+$"
        large, same = NAMELESS.values()
        line = self.shows(lambda: detcheck.assert_max_ulp(large, "exp", format="fp16", max_ulp=0.6), "exp in fp16", "not faithful", f=large)
        self.assertRegex(line, r"impl=\[f\]\)" + here)
        line = self.shows(lambda: detcheck.assert_same_bits(np.exp, same, "exp", format="fp16"), "exp in fp16", g=same)
        self.assertRegex(line, r"impl=\[numpy.exp, g\]\)" + here.replace("f is", "g is"))
        line = self.shows(lambda: detcheck.assert_invariant(lambda x: by_lane(x), "exp", format="fp16", property="position"),  # pylint: disable=unnecessary-lambda
                          "exp  fp16", "position", f=by_lane)
        self.assertRegex(line, r"impl=\[f\]\)" + here)


if __name__ == "__main__":
    unittest.main()
