"""tests/run.py, by which CTest runs the tests of Python: what it says of skipped cases, and its exit codes."""

import os
import subprocess
import sys
import tempfile
import unittest

from sources import ROOT

TEST = """
import unittest
class Case(unittest.TestCase):
    def test_one(self):
        {}
    def test_other(self):
        self.assertEqual(1, 1)
if __name__ == "__main__":
    unittest.main()
"""


class Run(unittest.TestCase):
    def run_test(self, line):
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            path = os.path.join(folder, "a_test.py")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(TEST.format(line))
            done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "run.py"), path], stderr=subprocess.PIPE, text=True,
                                  check=False)
        return done.returncode, [said for said in done.stderr.splitlines() if said.startswith("skipped")]

    def test_a_skipped_case_is_not_passed(self):
        self.assertEqual(self.run_test("self.skipTest('there is no sun')"), (77, ["skipped, because there is no sun"]))

    def test_what_was_not_looked_at_within_a_case_is_not_passed(self):
        line = "with self.subTest(): self.skipTest('there is no moon')"
        self.assertEqual(self.run_test(line), (77, ["skipped, because there is no moon"]))

    def test_a_failure_beside_a_skipped_case_is_a_failure(self):
        line = "with self.subTest(): self.skipTest('there is no moon')\n        self.fail()"
        self.assertEqual(self.run_test(line)[0], 1)

    def test_what_passes_passes(self):
        self.assertEqual(self.run_test("pass"), (0, []))


if __name__ == "__main__":
    unittest.main()
