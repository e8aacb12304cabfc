"""The commands of the README's recipes run, in their order, in one folder, and end with 0, with no more than notes.

Label exhaustive: one of them sweeps all of fp32. Environment: SOURCE, DETCHECK.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from sources import ROOT, read

PROGRAM = os.environ["DETCHECK"]
# What lines name that is the reader's own; tests/cmd has such: invariance_test.py, compare_tensors_test.py, trace_compare_test.py.
OWN = ("./libvendor.so", "./worker", "there.npz", "model.py", "there.trace")


def recipes():
    """The lines of shell in the parts of the README between the recipes and detmath."""
    text = read("README.md").split("## Recipes\n")[1].split("## detmath")[0]
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]


class Readme(unittest.TestCase):
    def test_recipes_run_as_they_stand(self):
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            os.symlink(os.path.join(ROOT, "src"), os.path.join(folder, "src"))
            environment = {**os.environ, "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]}
            lines = recipes()
            self.assertGreater(len(lines), 12)
            for line in lines:
                if any(name in line for name in OWN):
                    continue
                with self.subTest(line=line):
                    if "numpy" in line and subprocess.run(["python3", "-c", "import numpy"], stderr=subprocess.DEVNULL,
                                                          check=False).returncode:
                        self.skipTest("numpy is missing: " + line)  # the adapter says so; tests/impl/adapters_test.py has that
                    done = subprocess.run(line, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, text=True, check=False)
                    # Where two differ, explain ends with 1.
                    codes = (0, 1) if line.startswith("detcheck explain") else (0,)
                    self.assertIn(done.returncode, codes, done.stdout[-2000:])
                    self.assertNotRegex(done.stdout, "(?m)^detcheck: (?!note: )")
                if "--json here.json" in line:  # as if from another machine, too
                    shutil.copy(os.path.join(folder, "here.json"), os.path.join(folder, "there.json"))


if __name__ == "__main__":
    unittest.main()
