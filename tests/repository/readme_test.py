"""The commands of the README run, in their order, in one folder, and end with 0, with no more than notes.

Label exhaustive: they sweep all 16-bit formats. Environment: SOURCE, DETCHECK.
"""

import os
import re
import subprocess
import tempfile
import unittest

from sources import ROOT, read

PROGRAM = os.environ["DETCHECK"]
# The reader's own machines and files: compare_test.py (a stand-in of ssh) and trace_compare_test.py run such commands.
OWN = ("HOST", "there.trace")
# These end with 1 where two differ, or where a limit is broken.
JUDGES = ("detcheck explain", "detcheck compare", "detcheck gate")


def commands():
    """Those of the ten questions, and the lines of shell behind them."""
    _, questions, code = re.split(r"^## (?:Ten questions|Code that you did not write)\n", read("README.md"), flags=re.MULTILINE)
    shell = re.findall(r"^```sh\n(.*?)^```", code, re.DOTALL | re.MULTILINE)
    return re.findall(r"^- \[.*?`(detcheck .*)`$", questions, re.MULTILINE), [line for block in shell for line in block.splitlines()]


class Readme(unittest.TestCase):
    def test_it_is_short(self):
        self.assertLess(read("README.md").count("\n"), 150)

    def test_commands_run_as_they_stand(self):
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            os.symlink(os.path.join(ROOT, "src"), os.path.join(folder, "src"))
            environment = {**os.environ, "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]}
            questions, shell = commands()
            self.assertEqual(len(questions), 10)
            self.assertGreaterEqual(len(shell), 3)
            for line in questions + shell:
                if any(name in line for name in OWN):
                    continue
                with self.subTest(line=line):
                    if "numpy" in line and subprocess.run(["python3", "-c", "import numpy"], stderr=subprocess.DEVNULL,
                                                          check=False).returncode:
                        self.skipTest("numpy is missing: " + line)  # the adapter says so; tests/impl/adapters_test.py has that
                    done = subprocess.run(line, shell=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, text=True, check=False)
                    codes = (0, 1) if line.startswith(JUDGES) else (0,)
                    self.assertIn(done.returncode, codes, done.stdout[-2000:])
                    self.assertNotRegex(done.stdout, "(?m)^detcheck: (?!note: )")


if __name__ == "__main__":
    unittest.main()
