"""The rows of numpy in detcheck-library-orders(7) are what reveal finds of numpy here: some are measured again by the script that
measured them, in fewer arrays. The data file has every row of that script.
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
    rows = library_orders.DATA.rows("orders")

    def test_the_data_have_all_rows_in_their_order(self):
        self.assertEqual(list(dict.fromkeys(row["row"] for row in self.rows)), list(library_orders.ROWS))

    @unittest.skipUnless(platform.machine() == "x86_64", "the page is of x86-64")
    def test_numpy_sums_as_the_page_says(self):
        runs = library_orders.DATA.read()["runs"]
        measured, = {found for row in self.rows if row["library"] == "numpy" for found in re.findall(r"numpy ([\d.]+)", runs[row["run"]]["versions"])}
        if not SINCE <= version(numpy.__version__) <= version(measured):
            self.skipTest(f"the page is of numpy {measured}, and here is {numpy.__version__}")
        os.environ["DETCHECK_PYTHON"] = sys.executable
        for name in PAIRWISE + OTHERS if os.environ.get("EXHAUSTIVE") else (PAIRWISE[1], OTHERS[2]):
            with self.subTest(row=name), tempfile.TemporaryDirectory() as folder:
                row = library_orders.ROWS[name]
                result = library_orders.reveal(PROGRAM, row, row[2][0], 1, 300, folder)
                self.assertEqual([length["state"] for length in result["lengths"]], ["revealed"] * 14)
                self.assertEqual([length["different"] for length in result["lengths"]], [0] * 14)
                parts = {row["part"]: row["text"] for row in self.rows if row["row"] == name}
                for part, sentences in zip(("order", "measured"), library_orders.said(result)):
                    self.assertTrue(parts[part].startswith("\n".join(sentences).replace("…", "...")), (sentences, parts[part]))
                self.assertEqual(result.get("known") == "numpy's pairwise sum", name in PAIRWISE)


if __name__ == "__main__":
    unittest.main()
