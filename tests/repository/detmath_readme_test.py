"""The folded tables of src/detmath/README.md say of each function what the long tables of TRIED.md say, rounded up."""

import math
import re
import unittest

from sources import read

README = read("src/detmath/README.md")
TRIED = read("src/detmath/TRIED.md")
MOST_LINES = 200


def table(text, head):
    """The cells of the rows below the first line that begins so."""
    lines = text[text.index(f"\n{head}") + 1:].split("\n")
    rows = []
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def folded(head, column):
    """[(functions of a row, its cell)]"""
    return [(row[0].split(", "), float(row[column].split(",")[0])) for row in table(README, head)]


def errors(head, column, text=TRIED):
    """{function: largest of its rows}, with the two results of sincos as one."""
    found = {}
    for row in table(text, head):
        name = re.split(r"[.,]", row[0])[0]
        figure = re.match(r"[\d.]+", row[column])
        if figure:
            found[name] = max(found.get(name, 0), float(figure[0]))
    return found


class Tables(unittest.TestCase):
    def agree(self, rows, known, without=()):
        """The rows have the figures of the long table, and no other functions but those `without` a figure there."""
        seen = [name for names, _ in rows for name in names]
        self.assertEqual(sorted(seen), sorted(set(seen)))
        self.assertEqual(set(known) ^ set(seen), set(without))
        for names, figure in rows:
            with self.subTest(names=names):
                largest = max(known[name] for name in names if name in known)
                self.assertEqual(figure, math.ceil(round(largest * 1000, 6)) / 1000)

    def test_one_operand(self):
        known = errors("| function | det: largest", 1)
        self.assertEqual(len(known), 46)
        self.agree(folded("| functions of one operand", 1), known)

    def test_pairs(self):
        pairs = TRIED[TRIED.index("### Pairs"):]
        known = errors("| function | det: largest", 1, pairs)
        self.assertEqual(len(known), 9)
        # What stands in the text below the table: pow where its error is largest.
        known["pow"] = float(re.search(r"pow's is ([\d.]+) ulp", pairs)[1])
        self.agree(folded("| functions of two operands", 1), known)

    def test_fp64(self):
        self.agree(folded("| functions | det: proved", 2), errors("| function | det: proved", 2), {"sincos"})

    def test_proved_bounds_hold_for_each_function_of_a_row(self):
        proved = errors("| function | det: proved", 1)
        for names, figure in folded("| functions | det: proved", 1):
            with self.subTest(names=names):
                self.assertEqual(figure, max(proved[name] for name in names))

    def test_the_page_is_short(self):
        self.assertLessEqual(README.count("\n"), MOST_LINES)
        self.assertTrue(TRIED.startswith("# detmath: measurements, attempts and notes\n\nThis page is for "))


if __name__ == "__main__":
    unittest.main()
