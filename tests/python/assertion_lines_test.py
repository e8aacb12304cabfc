"""The last line of a failed assertion, which shows the worst input again: it runs as it stands, and shows what the assertion found.
Run by a Python that has numpy: ADAPTER_PYTHON names one."""

import importlib.util
import math
import re
import shlex
import subprocess
import sys
import types
import unittest
from unittest import mock

import with_numpy  # noqa: F401
import numpy  # noqa: F401: the lines say numpy.exp
import numpy as np

import detcheck
from detcheck import packed


def by_lane(x):
    y = np.exp(x)
    y[::2] = np.nextafter(y[::2], np.array(np.inf, y.dtype))
    return y


def too_large(x):
    return np.exp(x) * x.dtype.type(1.01)


def planted(name):
    """A function of a private module."""
    def function(x):
        return too_large(x)
    function.__name__, function.__module__ = name, "planted._src"
    return function


NAMELESS = {"too large": lambda x: np.exp(x) * x.dtype.type(1.01), "as it is": lambda x: x}


def int8_of(x, scale, zero):
    """Right but for the code -128, which the first distributions never ask for in these arrays."""
    codes = np.clip(np.rint(x / scale) + zero, -128, 127).astype(np.int8)
    return np.where(codes == -128, np.int8(0), codes)


def q4_0_of(x, *_):
    """Right but for blocks of zeros, whose first byte of codes is one too large."""
    blocks = packed.quantise(np.ravel(x).astype(np.float32), "q4_0", "maximum")
    blocks[~np.ravel(x).reshape(-1, 32).any(axis=1), 2] += 1
    return np.ravel(blocks)


def next_place(x, axis):
    return np.argmax(x, axis) + 1


class Failures(unittest.TestCase):
    def message_of(self, call):
        with self.assertRaises(AssertionError) as caught:
            call()
        return str(caught.exception)

    def line_of(self, call):
        line, = re.findall(r"(?m)^    again: (.*)\Z", self.message_of(call))
        return line


class Lines(Failures):

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
        self.shows(lambda: detcheck.assert_max_ulp(np.sum, "sum", format="fp16", samples=2, max_ulp=0.001), "sum in fp16", "py:numpy:")

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

    def test_a_public_name_stands_for_a_private_one(self):
        private, public = planted("private"), planted("public")
        modules = {name: types.ModuleType(name) for name in ("planted", "planted.nn", "planted.nn.more", "planted._src")}
        for module in ("planted._src", "planted.nn", "planted.nn.more"):
            modules[module].public = public
        modules["planted._src"].private = private
        with mock.patch.dict(sys.modules, modules):
            for function, spelled in ((public, "planted.nn.public"), (private, "planted._src.private")):
                line = self.line_of(lambda function=function: detcheck.assert_max_ulp(function, "exp", format="fp16", samples=100, max_ulp=0.6))
                self.assertTrue(line.endswith(f"impl=[{spelled}])"), line)


class OnArrays(Failures):
    """An operation on arrays is judged in each distribution by itself."""

    def shows_its_inputs(self, message, family, signed, bits):
        """Every input is of the distribution named, is wrong, and has its codes as the integers that they are; eval shows the first."""
        self.assertIn(f", distribution {family}: ", message.splitlines()[0])
        rows = re.findall(r"(?m)^    at shape (\[.*\]), draw (\d+), element (\d+)  got (0x\w+) \((.*)\)  want (0x\w+) \((.*?)\)(?:  |$)", message)
        self.assertGreater(len(rows), 0, message)
        for _, _, _, got, got_number, want, want_number in rows:
            self.assertNotEqual(got, want)
            for code, number in ((got, got_number), (want, want_number)):
                value = int(code, 16)
                self.assertEqual(int(number), value - (signed and value >= 1 << (bits - 1)) * (1 << bits))
        _, draw, element, got, _, want, _ = rows[0]
        line = message.rpartition("again: ")[2]
        for words in (f"distribution='{family}'", f"draw={draw}", f"element={element}"):
            self.assertIn(words, line)
        [result] = eval(line, {**globals()}).to_dict()["results"]  # pylint: disable=eval-used
        [shown] = result["elements"]
        self.assertEqual((shown["implementations"][0]["got"], shown["want"]), (got, want))

    def test_the_inputs_are_of_the_distribution_that_failed(self):
        message = self.message_of(lambda: detcheck.assert_max_ulp(int8_of, "onnx.quantise", to="int8", shape=(4, 64), samples=1, max_ulp=1))
        self.shows_its_inputs(message, "ends", True, 8)

    def test_bytes_are_printed_as_integers(self):
        message = self.message_of(lambda: detcheck.assert_correctly_rounded(q4_0_of, "packed.quantise", layout="q4_0", quantiser="maximum",
                                                                            shape=256, samples=2))
        self.shows_its_inputs(message, "zeros", False, 8)

    def test_bytes_have_no_ulps(self):
        """A code that is one step too small is as wrong as any: the message counts the bytes, and lists them by place."""
        options = {"layout": "q8_0", "quantiser": "llama-cpp", "distribution": "normal", "shape": 65536, "samples": 1}

        def cut(x, *_):
            blocks = packed.quantise(np.ravel(x).astype(np.float32), "q8_0", "llama-cpp")
            wrong.append(int((blocks[:, 2:] == 255).sum()))
            blocks[:, 2:][blocks[:, 2:] == 255] = 0  # -1
            return np.ravel(blocks)
        wrong = []
        for fails in (lambda: detcheck.assert_max_ulp(cut, "packed.quantise", max_ulp=1, **options),
                      lambda: detcheck.assert_correctly_rounded(cut, "packed.quantise", **options)):
            message = self.message_of(fails)
            self.assertIn(f"distribution normal: {wrong[-1]:,} of {65536 // 32 * 34:,} bytes are wrong\n", message)
            self.assertNotIn(" ulp", message.partition("again:")[0])
            places = [int(one) for one in re.findall(r"element (\d+)  got 0x00 \(0\)  want 0xff \(255\)\n", message)]
            self.assertEqual((len(places), places), (5, sorted(places)))

    def test_places_are_printed_as_integers(self):
        for format_ in ("fp32", "fp64"):
            message = self.message_of(lambda format_=format_: detcheck.assert_correctly_rounded(next_place, "argmax", format=format_, shape=8, samples=1))
            self.shows_its_inputs(message, "normal", True, 64)
            self.assertRegex(message, r"other distributions that fail: \w+ \(\d+\), ")

    def test_two_functions(self):
        right = lambda x, scale, zero: np.clip(np.rint(x / scale) + zero, -128, 127).astype(np.int8)  # noqa: E731
        message = self.message_of(lambda: detcheck.assert_same_bits(right, int8_of, "onnx.quantise", to="int8", shape=(4, 64), samples=1))
        self.assertRegex(message, r"(?s)^onnx.quantise in fp32, distribution ends: .*\n    at shape \[4, 64\], draw 0, element \d+  "
                                  r"\S+ 0x80 \(-128\)  \S+ 0x00 \(0\)\n.*distribution='ends', draw=0, element=")

    def test_fp8_is_printed_as_fp8(self):
        """Where ml_dtypes has the type; a code stands alone elsewhere, since numpy has none."""
        for x in (1.03125, -300.0, 0.02099609375, 1.703125):
            message = self.message_of(lambda x=x: detcheck.assert_max_ulp("det", "cast", from_="bf16", to="fp8_e4m3fn", inputs=[x], max_ulp=0.01))
            (code, number, want), = re.findall(r"  got (0x\w\w)(?: \((\S+)\))?  want (\S+) ", message)
            bits = int(code, 16)
            self.assertEqual((want, bool(number)), (code, bool(importlib.util.find_spec("ml_dtypes"))), message)
            if number:
                value = (-1) ** (bits >> 7) * math.ldexp(8 + bits % 8, (bits >> 3) % 16 - 10)
                self.assertLess(abs(value - x), abs(x) / 16)
                self.assertAlmostEqual(float(number) / value, 1, places=5)

    def test_codes_of_a_format_that_no_report_names_have_no_number(self):
        from detcheck._assertions import format_of_result
        for operation in ("mx.quantise.scales", "scaled.add.scale", "dyadic.from_real.mantissa"):
            self.assertEqual(format_of_result({"operation": operation, "format": "fp32", "parameters": {"to": "fp8_e4m3fn"}}), "")


if __name__ == "__main__":
    unittest.main()
