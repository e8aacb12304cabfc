"""The wheel: built by pip, installed where there is no compiler, and used there. Argument: the sources."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import venv

SOURCES = sys.argv.pop(1)
USE = """
import detcheck, numpy
report = detcheck.sweep("exp", numpy.exp, detcheck.cr.exp, format="fp16")
first, second = report.entries()
assert first.tested == 65536 and second.incorrectly_rounded == 0, report
"""

if importlib.util.find_spec("scikit_build_core") is None or importlib.util.find_spec("numpy") is None:
    print("SKIPPED: this Python lacks scikit-build-core or numpy")
    sys.exit(77)


class Wheel(unittest.TestCase):
    def test_it_is_built_installed_and_used(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", str(folder), SOURCES]
            subprocess.run(pip, check=True)
            wheel, = folder.glob("detcheck-*-py3-none-*.whl")
            venv.create(folder / "new", with_pip=True)
            python = folder / "new" / "bin" / "python"
            # numpy from where this Python has it, be that an environment too.
            numpy = pathlib.Path(importlib.util.find_spec("numpy").origin).parents[1]
            packages, = (folder / "new" / "lib").glob("python*/site-packages")
            (packages / "numpy.pth").write_text(f"{numpy}\n")
            subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", wheel], check=True)
            clean = {**os.environ, "PATH": f"{folder}/new/bin", "CC": "/nonexistent"}
            clean.pop("PYTHONPATH", None)
            readme = (pathlib.Path(SOURCES) / "README.md").read_text()
            for lines in (USE, *re.findall(r"```python\n(.*?)```", readme, re.DOTALL)):
                subprocess.run([python, "-c", lines], check=True, cwd=folder, env=clean, stdout=subprocess.DEVNULL)
            for words in (["detcheck", "sweep", "exp", "-f", "fp16", "--impl", "py:numpy:exp"],
                          ["python", "-m", "detcheck", "list"], ["detcheck", "survey", "--help"]):
                subprocess.run(words, check=True, cwd=folder, env=clean, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    unittest.main()
