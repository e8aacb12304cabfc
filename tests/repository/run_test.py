"""tests/run.py, by which CTest runs the tests of Python, and tests/tier.c, by which it runs those of cmocka: skipped cases, exit
codes, and the tiers of tests/slow.txt."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from sources import ROOT, read

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
            environment = {name: value for name, value in os.environ.items() if name not in ("TIER", "TEST_NAME")}
            done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "run.py"), path], stderr=subprocess.PIPE, text=True,
                                  check=False, env=environment)
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


class Tiers(unittest.TestCase):
    """A test of Python and one of cmocka with methods of the same names, of which a list has one."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        self.addCleanup(self.folder.cleanup)
        path = os.path.join(self.folder.name, "a_test.py")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(TEST.format("print('one')").replace("self.assertEqual(1, 1)", "print('other')"))
        self.programs = {"Case.": [sys.executable, os.path.join(ROOT, "tests", "run.py"), path], "": [os.environ["TIERED"]]}

    def run_tier(self, class_of, tier, *listed):
        """The exit code, what the methods printed, and the last line on stderr."""
        path = os.path.join(self.folder.name, "list.txt")
        with open(path, "w", encoding="utf-8") as stream:
            stream.writelines(f"mine {class_of}{name} 1.00\nanother {class_of}test_other 1.00\n" for name in listed)
        environment = {**os.environ, "SLOW_TESTS": path, "TEST_NAME": "mine", "TIER": tier}
        done = subprocess.run(self.programs[class_of], env=environment, capture_output=True, text=True, check=False)
        ran = [line for line in done.stdout.splitlines() if line in ("one", "other")]
        return done.returncode, ran, done.stderr.splitlines()

    def test_each_method_is_in_one_tier(self):
        for class_of in self.programs:
            with self.subTest(class_of=class_of):
                code, ran, said = self.run_tier(class_of, "quick", "test_one")
                self.assertEqual((code, ran), (0, ["other"]))
                self.assertRegex("\n".join(said), "without 1 of 2 (methods|tests), which the label slow runs")
                code, ran, said = self.run_tier(class_of, "slow", "test_one")
                self.assertEqual((code, ran), (0, ["one"]))
                self.assertRegex("\n".join(said), "1 of 2 (methods|tests), which the default run leaves out")

    def test_a_listed_method_that_is_not_there_is_a_failure(self):
        for class_of in self.programs:
            for tier in ("quick", "slow"):
                with self.subTest(class_of=class_of, tier=tier):
                    code, _, said = self.run_tier(class_of, tier, "test_one", "test_gone")
                    self.assertEqual(code, 1)
                    self.assertIn(f"lists {class_of}test_gone", said[-1])

    def test_times_are_of_each_method(self):
        for class_of, command in self.programs.items():
            with self.subTest(class_of=class_of):
                path = os.path.join(self.folder.name, f"{class_of}seconds")
                environment = {name: value for name, value in os.environ.items() if name not in ("TIER", "TEST_NAME")}
                subprocess.run(command, env={**environment, "SECONDS_TO": path}, capture_output=True, check=True)
                with open(path, encoding="utf-8") as stream:
                    self.assertEqual([line.split()[0] for line in stream], [f"{class_of}test_one", f"{class_of}test_other"])


class List(unittest.TestCase):
    def test_every_listed_test_is_one_of_ctest(self):
        output = subprocess.run(["ctest", "--test-dir", os.environ["BUILD"], "-N"], capture_output=True, text=True, check=True).stdout
        known = set(re.findall(r"^ *Test *#\d+: (\w+)", output, re.MULTILINE))
        rows = [line.split() for line in read("tests/slow.txt").splitlines() if not line.startswith("#")]
        self.assertGreater(len(rows), 100)
        tests = {row[0] for row in rows}
        self.assertEqual((tests | {f"{test}_slow" for test in tests}) - known, set(), "run cmake, or tests/slow.py")
        self.assertEqual(rows, sorted(rows), "tests/slow.py writes it sorted")


if __name__ == "__main__":
    unittest.main()
