"""The published tables of largest errors (published/README.md has their sources): what `eval` says of each printed
input and output must be the error that is printed beside them.
"""

import csv
import os
import unittest

from harness import Case

FOLDER = os.path.join(os.path.dirname(__file__), "published")
JULIA = os.path.join(FOLDER, "max_ulp_julia_1.12.7.csv")
CUDA = os.path.join(FOLDER, "max_ulp_cuda_11.2_v100.csv")
NOT_HERE = {"j0", "j1", "y0", "y1"}  # Bessel functions are no operations of this program


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


class Published(Case):
    def judged(self, row):
        words = (row["operation"], row["input_bits"], "--format", row["format"])
        result, = self.document("eval", *words, "--got", row["output_bits"])["results"]
        given, = [one for one in result["implementations"] if one["name"] == "got"]
        self.assertEqual(int(given["got"], 16), int(row["output_bits"], 16))
        return result, given

    def test_julias_largest_errors_are_reproduced(self):
        table = rows(JULIA)
        self.assertEqual(len(table), 72)
        for row in table:
            with self.subTest(operation=row["operation"], format=row["format"]):
                _, given = self.judged(row)
                self.assertAlmostEqual(given["error"], float(row["ulp"]), delta=1e-8)

    def test_cudas_largest_errors_and_correct_results_are_reproduced(self):
        table = [row for row in rows(CUDA) if row["operation"] not in NOT_HERE]
        self.assertEqual(len(table), 25)
        for row in table:
            with self.subTest(operation=row["operation"]):
                result, given = self.judged(row)
                self.assertEqual(result["want"], row["correctly_rounded_bits"])
                # Three digits, rounded up.
                printed = float(row["ulp"])
                last_digit = float("1e" + row["ulp"].split("e")[1]) / 100
                self.assertLessEqual(given["error"], printed)
                self.assertGreater(given["error"], printed - last_digit)


if __name__ == "__main__":
    unittest.main()
