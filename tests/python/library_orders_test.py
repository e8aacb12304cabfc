"""What detcheck-library-orders(7) says of numpy is what reveal finds of numpy here: rows of the page, measured again by the command
that writes it, in fewer arrays. The page has every row of that command.
"""

import os
import platform
import re
import sys
import tempfile
import unittest

import with_numpy  # noqa: F401

import numpy

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "man", "tables"))
import library_orders  # noqa: E402

PROGRAM = os.path.join(os.environ["PYTHONPATH"], "detcheck", "bin", "detcheck")
SINCE = (1, 24)  # the oldest one that was seen to sum as the page's
# Rows of sums that numpy makes itself: those of a BLAS depend on which one is there.
PAIRWISE = ("numpy sum fp64", "numpy sum fp32, strided", "numpy mean fp32")
OTHERS = ("numpy sum fp32, axis 0 of Nx8", "numpy cumsum fp32", "numpy einsum dot fp32", "numpy einsum matmul 8xNx8 fp32")


def version(text):
    return tuple(map(int, re.findall(r"\d+", text)[:2]))


class Orders(unittest.TestCase):
    def test_the_page_has_all_rows(self):
        self.assertEqual(list(library_orders.read_rows()), list(library_orders.ROWS))

    @unittest.skipUnless(platform.machine() == "x86_64", "the page is of x86-64")
    def test_numpy_sums_as_the_page_says(self):
        measured, = re.findall(r"(?m)^numpy is ([\d.]+),", library_orders.PAGE.path.read_text(encoding="ascii"))
        if not SINCE <= version(numpy.__version__) <= version(measured):
            self.skipTest(f"the page is of numpy {measured}, and here is {numpy.__version__}")
        os.environ["DETCHECK_PYTHON"] = sys.executable
        rows = library_orders.read_rows()
        for name in PAIRWISE + OTHERS if os.environ.get("EXHAUSTIVE") else (PAIRWISE[1], OTHERS[2]):
            with self.subTest(row=name), tempfile.TemporaryDirectory() as folder:
                row = library_orders.ROWS[name]
                result = library_orders.reveal(PROGRAM, row, row[2][0], 1, 300, folder)
                self.assertEqual([length["state"] for length in result["lengths"]], ["revealed"] * 14)
                self.assertEqual([length["different"] for length in result["lengths"]], [0] * 14)
                said = library_orders.grouped(library_orders.said(result))
                self.assertTrue(rows[name].startswith(said), f"{said}\nThe page says:\n{rows[name]}")
                self.assertEqual(result.get("known") == "numpy's pairwise sum", name in PAIRWISE, said)


if __name__ == "__main__":
    unittest.main()
