"""The wheel: built by pip, installed where there is no compiler, and used there. Arguments: the sources, the build."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile

SOURCES, BUILD = sys.argv.pop(1), sys.argv.pop(1)
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
    def wheel(self, folder, **environment):
        """The wheel that pip builds; what pip prints if it builds none."""
        pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), SOURCES]
        done = subprocess.run(pip, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        wheel, = folder.glob("detcheck-*-py3-none-*.whl")
        return wheel

    def use(self, folder, wheel):
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

    def test_it_is_built_installed_and_used(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.use(folder, self.wheel(folder))

    def test_it_takes_the_installed_program(self):
        """A prefix with the program and the archive of this build; the package then has the very program, and its own detmath."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for part, file in (("bin", "detcheck"), ("lib", "libdetmath.a")):
                (folder / "usr" / part).mkdir(parents=True)
                shutil.copy(pathlib.Path(BUILD) / file, folder / "usr" / part / file)
            program = folder / "usr" / "bin" / "detcheck"
            wheel = self.wheel(folder, DETCHECK_PROGRAM=str(program))
            with zipfile.ZipFile(wheel) as files:
                self.assertEqual(files.read("detcheck/bin/detcheck"), program.read_bytes())
                self.assertEqual({name for name in files.namelist() if name.endswith(".so")},
                                 {f"detcheck/lib/lib{one}.so" for one in ("detmath", "detmath_order", "detcheck_tensor")})
            self.use(folder, wheel)
            os.remove(folder / "usr" / "lib" / "libdetmath.a")
            with self.assertRaisesRegex(AssertionError, r"DETCHECK_PROGRAM=\S+ has to be an\s+installed\s+detcheck 0"):
                self.wheel(folder, DETCHECK_PROGRAM=str(program))


if __name__ == "__main__":
    unittest.main()
