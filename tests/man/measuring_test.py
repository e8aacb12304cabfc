"""The scripts of man/tables call the program with options that it has."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

TABLES = Path(__file__).resolve().parents[2] / "man" / "tables"
sys.path.insert(0, str(TABLES))
sys.dont_write_bytecode = True
import lines_files  # noqa: E402

PROGRAM = os.environ["DETCHECK"]


class Lines(unittest.TestCase):
    def test_lines_are_counted_and_the_wrong_ones_named(self):
        """exp(1), exp(2) and exp(3) in fp32, the second in another last place, and the third with a flag too many."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "exp.txt"
            for text, wrong in (("1 0x1.5bf0a8p+1 inexact\n2 0x1.d8e64ap+2 inexact\n3 0x1.415e5cp+4 inexact|underflow\n", ["exp.txt:2", "exp.txt:3 (flags)"]),
                                ("1 0x1.5bf0a8p+1\n", [])):
                path.write_text(text, encoding="ascii")
                lines, tests, reasons, found = lines_files.judged(PROGRAM, "table", path, "--operation", "exp", "-f", "fp32")
                self.assertEqual((lines, tests, reasons, found), (text.count("\n"), text.count("\n"), {}, wrong))

    def test_operations_of_two_results_are_left_out(self):
        known = lines_files.operations(PROGRAM)
        self.assertTrue({"exp", "pow", "fma"} <= known)
        self.assertFalse({"sincos", "frexp"} & known)

    def test_inputs_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "auto-libm-test-in"
            path.write_text("exp 1\nexp pi/6\nlog 2\n", encoding="ascii")
            self.assertEqual(lines_files.of_inputs(PROGRAM, "glibc", path, "exp", "fp32"), 3)
            self.assertEqual(lines_files.of_inputs(PROGRAM, "glibc", path, "sin", "fp32"), 0)


if __name__ == "__main__":
    unittest.main()
