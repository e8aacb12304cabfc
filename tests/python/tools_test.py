"""The package in other people's tools: what pytest shows of failures, fixtures and markers, what a notebook that nbconvert
executes has, what mypy says of the package and of a caller. Each is skipped where the tool is missing."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import with_numpy

SOURCES = pathlib.Path(sys.argv.pop(1))

TESTS = """
import detcheck, numpy as np, pytest

def by_lane(x):
    y = np.exp(x)
    y[::7] = np.nextafter(y[::7], np.array(np.inf, y.dtype))
    return y

def test_too_far():
    detcheck.assert_max_ulp(np.exp, "exp", format="fp16", max_ulp=0.1)

def test_other_bits():
    detcheck.assert_same_bits(np.exp, by_lane, "exp", format="fp16", samples=3000)

def test_special(special_inputs, hard_inputs):
    assert np.isnan(special_inputs("fp16")).any() and len(hard_inputs("exp", "fp32")) > 3

def test_raises():
    detcheck.sweep("exp", lambda x: 1 // 0, format="fp16")

@pytest.mark.detcheck_exhaustive
def test_long():
    assert False
"""

CELLS = ["import detcheck, numpy", 'report = detcheck.sweep("exp", numpy.exp, format="fp16")\nreport', "print(report.max_ulp < 0.51)",
         'detcheck.sweep("exp", lambda x: x[:3], format="fp16")']

CALLER = """
import numpy
import detcheck
from detcheck import dyadic, scaled
report: detcheck.Report = detcheck.sweep("exp", numpy.exp, format="fp16")
largest: float = report.max_ulp
total: scaled.Scaled = scaled.add(numpy.ones(3), numpy.ones(3), to="fp16")
detcheck.sweep(3.5)
scaled.add(1)
"""


def lacks(*names):
    return [name for name in names if importlib.util.find_spec(name) is None]


class Tools(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) if hasattr(self, "enterContext") else pathlib.Path(
            tempfile.mkdtemp())

    def run_module(self, *words, **options):
        return subprocess.run([sys.executable, "-m", *words], cwd=self.folder, capture_output=True, text=True, check=False, timeout=250, **options)

    @unittest.skipIf(lacks("pytest"), "there is no pytest")
    def test_pytest(self):
        (self.folder / "test_it.py").write_text(TESTS)
        done = self.run_module("pytest", "-p", "detcheck.pytest_plugin", "-p", "no:cacheprovider", "--color=no", "test_it.py")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for pattern in (r"3 failed, 1 passed, 1 skipped", r"E +AssertionError: exp in fp16 by numpy:exp: the largest error is 0\.5\d* ulp, beyond 0\.1",
                        r"E +x = 0x\w{4} \([^)]*\)  got 0x\w{4} \([^)]*\)  want 0x\w{4} \([^)]*\)  0\.\d+ ulp",
                        r"E +again: detcheck\.eval\('exp', '0x\w{4}', format='fp16', impl=\[numpy\.exp\]\)",
                        r"numpy:exp and test_it:by_lane give different bits for \d+ inputs"):
            self.assertRegex(done.stdout, pattern)
        self.assertNotRegex(done.stdout, r"/(_\w+|adapter)\.py")  # the failure is the caller's
        self.assertRegex(done.stdout, r"E +detcheck._program.CallableError: \S+ raised ZeroDivisionError: .* for 4,096 inputs of fp16 from 0x[01]000")
        again = self.run_module("pytest", "-p", "detcheck.pytest_plugin", "-p", "no:cacheprovider", "--detcheck-exhaustive", "-k", "long", "test_it.py")
        self.assertIn("1 failed, 4 deselected", again.stdout)

    @unittest.skipIf(lacks("nbconvert", "nbformat", "ipykernel"), "there is no nbconvert with ipykernel")
    def test_a_notebook(self):
        import nbformat
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
        nbformat.write(book, str(self.folder / "book.ipynb"))
        done = self.run_module("nbconvert", "--execute", "--allow-errors", "--to", "notebook", "--output", "out.ipynb", "book.ipynb")
        self.assertEqual(done.returncode, 0, done.stderr)
        cells = nbformat.read(str(self.folder / "out.ipynb"), 4).cells
        shown, = [one for one in cells[1].outputs if one.output_type == "execute_result"]
        self.assertIn("<iframe srcdoc=", shown.data["text/html"])
        self.assertIn("not correctly rounded", shown.data["text/plain"])
        progress = "".join(one.text for one in cells[1].outputs if one.output_type == "stream")
        self.assertNotIn("\x1b", progress)
        self.assertEqual(cells[2].outputs[0].text, "True\n")
        error, = [one for one in cells[3].outputs if one.output_type == "error"]
        self.assertEqual(error.ename, "CallableError")
        self.assertRegex(error.evalue, r"returned the shape \(3,\) where the inputs have")

    @unittest.skipIf(lacks("mypy"), "there is no mypy")
    def test_types(self):
        package = pathlib.Path(importlib.util.find_spec("detcheck").origin).parents[1]
        environment = {**os.environ, "MYPYPATH": str(package)}
        settings = ["--config-file", str(SOURCES / "pyproject.toml"), "--cache-dir", str(self.folder / "cache")]
        done = self.run_module("mypy", *settings, "-p", "detcheck", env=environment)
        self.assertEqual(done.returncode, 0, done.stdout)
        (self.folder / "caller.py").write_text(CALLER)
        done = self.run_module("mypy", *settings, "caller.py", env=environment)
        self.assertRegex(done.stdout, r"(?s)caller\.py:8: .*caller\.py:9: .*Found 2 errors in 1 file")


if __name__ == "__main__":
    unittest.main()
