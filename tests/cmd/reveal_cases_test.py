"""detcheck reveal --cases: real units are found among the rows, models that no row has by the grid, and what is refuted is neither.

Wrong cases of rows are counted by another program, UNIT_CASES; planted models are computed here, in fractions.
"""

import os
import pathlib
import random
import struct
import sys
import unittest
from fractions import Fraction

from harness import Case, some

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "order" / "units"))
import unit_cases

A = {"a100", "a2", "ada", "l40s"}
WITHOUT_C = {"h100", "h200"}  # called without c, of 8 bits to fp32


def committed():
    """(unit, file's format, its 400 lines as published)."""
    for unit, name, cases in unit_cases.committed_files():
        yield unit, name, [" | ".join(case) for case in cases]


def bits(value, form):
    return struct.unpack("<" + form[1], struct.pack("<" + form[0], value))[0]


def number(code, form):
    return struct.unpack("<" + form[0], struct.pack("<" + form[1], code))[0]


FP16, FP32 = "eH", "fI"


def families():
    """For each unit, format and result: the units whose rows are the same, by the other program, which compares the rows."""
    rows = unit_cases.table("--same")
    return {row[:3]: {other[0] for other in rows if other[3] == row[3]} for row in rows}


def wrong_cases(unit, name, result, cases):
    """By the other program: how many of the cases a row gets wrong."""
    lines = [line for case in cases for line in unit_cases.lines_of(unit, name, *case.split("|"), with_c=True) if line.split()[2] == result]
    (row,), _ = unit_cases.held(lines)
    assert row[3] == len(cases)
    return row[4]


# ---- Planted models: products of fp16 to fp32 ----

def exponent_of(value):
    """Of a number that is not 0: 2^e <= |value| < 2^(e + 1)."""
    value = abs(value)
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if Fraction(2) ** e <= value else e - 1


def integer(value, how):
    low = value.numerator // value.denominator
    rest = value - low
    if how == "toward-zero":
        return low + (value < 0 and rest > 0)
    if how == "down":
        return low
    if how == "nearest-even":
        return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2))
    if how == "nearest-away":
        return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and value > 0))
    assert how == "odd"
    low = abs(value).numerator // abs(value).denominator
    return (low | (abs(value) != low)) * (-1 if value < 0 else 1)


class Planted:
    def __init__(self, bits=None, alignment="toward-zero", rounding="toward-zero", c="with", call=8, groups=1, normalised=False,
                 precision=24, halves=False):
        self.__dict__.update({name: value for name, value in locals().items() if name != "self"})

    def cut(self, terms, alignment):
        """A sum of (exponent, value), and the exponent that they are aligned to."""
        top = max((e for e, value in terms if value), default=None)
        if top is None or self.bits is None:
            return top, sum(value for _, value in terms)
        if alignment == "sticky":
            unit = Fraction(2) ** (top - self.bits - 1)
            return top, sum(unit * integer(value / unit, "odd") if integer(value / unit / 2, "toward-zero") * 2 * unit != value
                            else value for _, value in terms)
        unit = Fraction(2) ** (top - self.bits)
        return top, sum(unit * integer(value / unit, alignment) for _, value in terms)

    def round(self, value, how, precision=24):
        if not value:
            return value
        unit = Fraction(2) ** (exponent_of(value) - precision + 1)
        return unit * integer(value / unit, how)

    def dot(self, a, b, c):
        products = []
        for x, y in zip(a, b):
            value = Fraction(x) * Fraction(y)
            e = exponent_of(value) if self.normalised and value else value and exponent_of(Fraction(x)) + exponent_of(Fraction(y))
            products.append((e, value))
        if self.halves:
            products = [p for bit in (0, 2) for i, p in enumerate(products) if i & 2 == bit]
        c = Fraction(c)
        total = c if self.c in ("with", "after") else Fraction(0)
        for at in range(0, len(products), self.call):
            terms, with_terms = products[at:at + self.call], [(total and exponent_of(total), total)]
            groups = [terms[g::self.groups] for g in range(self.groups)]
            if self.c == "with" or (at and self.c == "last") or self.c == "unused":
                groups[0] = groups[0] + with_terms
            sums = [self.cut(group, self.alignment) for group in groups]
            value = self.cut([(e or 0, v) for e, v in sums], "toward-zero" if self.alignment == "sticky" else self.alignment)[1] \
                if self.groups > 1 else sums[0][1]
            if self.c == "after":
                value += total
            total = self.round(value, self.rounding, self.precision)
        if self.c == "last":
            total = self.round(total + c, "nearest-even")
        return total


def drawn(count, products=8, seed=1):
    """Factors as fp16 numbers, and c."""
    source = random.Random(seed)
    for i in range(count):
        spread = (1, 4, 7)[i % 3]
        def one(steps=1024):
            return source.choice((-1, 1)) * (1 + source.randrange(steps) / steps) * 2.0 ** source.randint(-spread, spread)
        a, b = [one() for _ in range(products)], [one() for _ in range(products)]
        if i % 4 == 3:
            a[-1], b[-1] = -a[0], b[0]
        yield a, b, one(1 << 23)


def line_of(planted, a, b, c):
    codes = (" ".join("%04x" % bits(x, FP16) for x in factors) for factors in (a, b))
    return " | ".join([*codes, "%08x" % bits(c, FP32), "%08x" % bits(float(planted.dot(a, b, c)), FP32)])


PLANTED = [
    # A sum of 19 bits is never rounded.
    (Planted(bits=19), {"aligned bits": "19", "alignment": "toward-zero", "c": "with the products", "products a call": "8", "groups": "1", "products": "as they are", "result bits": "all"}),
    (Planted(bits=27, rounding="nearest-even"), {"aligned bits": "27", "alignment": "toward-zero", "rounding": "nearest-even"}),
    (Planted(bits=22, alignment="down"), {"aligned bits": "22", "alignment": "down"}),
    (Planted(bits=22, alignment="nearest-even"), {"aligned bits": "22", "alignment": "nearest-even"}),
    (Planted(bits=21, alignment="sticky"), {"aligned bits": "21", "alignment": "toward-zero with a sticky bit"}),
    (Planted(bits=24, call=2), {"aligned bits": "24", "products a call": "2"}),
    (Planted(bits=24, groups=2), {"aligned bits": "24", "groups": "2"}),
    (Planted(bits=24, normalised=True), {"aligned bits": "24", "products": "normalised"}),
    (Planted(bits=26, c="after", rounding="nearest-even"), {"aligned bits": "26", "c": "after their sum, before rounding"}),
    (Planted(bits=24, c="last"), {"aligned bits": "24", "c": "added to the rounded sum"}),
    (Planted(bits=24, c="last", call=4, halves=True), {"aligned bits": "24", "products a call": "halves of registers"}),
    (Planted(bits=24, c="unused"), {"aligned bits": "24", "c": "left out"}),
    (Planted(bits=13, precision=14), {"aligned bits": "13", "result bits": "as many as aligned"}),
    (Planted(bits=24, rounding="down"), {"aligned bits": "24", "rounding": "down"}),
    (Planted(call=2, rounding="nearest-even"), {"products a call": "2", "rounding": "nearest-even"}),
    (Planted(call=1, rounding="odd"), {"products a call": "1", "rounding": "to-odd"}),
]


class RevealCases(Case):
    def reveal(self, lines, format_="fp16", result="fp32", code=0):
        return self.document("reveal", "--cases", self.file("cases", "\n".join(lines) + "\n"), "--format", format_, "--accumulate",
                             result, code=code)

    def test_units_are_found_by_what_they_returned(self):
        pairs, same = [(unit, name, cases, result) for unit, name, cases in committed()
                       for result in ("fp32", "fp16")[:cases[0].count("|") - 2]], families()
        self.assertEqual(len(pairs), 48)
        for unit, name, cases, result in some(pairs, 8):
            with self.subTest(unit=unit, format=name, result=result):
                found = self.reveal(cases, unit_cases.FORMATS[name], result)
                rows = {row["unit"]: row for row in found["units"]}
                fitting = {one for one, row in rows.items() if row["fits"]}
                family = same[unit, unit_cases.FORMATS[name], result]
                self.assertLessEqual(family, fitting)
                if result == "fp32" or name != "fp16":  # rounded to fp16, sums of 23 and of 24 bits may be the same
                    self.assertEqual(fitting, family)
                self.assertEqual({one: wrong_cases(one, name, result, cases) for one in rows},
                                 {one: row["wrong"] for one, row in rows.items()})
                without_c = name in ("e4m3", "e5m2") and result == "fp32" and unit in WITHOUT_C
                self.assertEqual({one for one, row in rows.items() if row.get("without_c")}, WITHOUT_C if without_c else set())
                self.assertGreater(found["fit"], 0)
                self.assertLess(found["fit"], found["tried"] // 4)
                if result == "fp32" and name not in ("e4m3", "e5m2"):
                    self.assertEqual(found["decided"]["aligned bits"], "23" if unit == "v100" else "24" if unit in A else "25")

    def test_planted_models_are_found_by_the_grid(self):
        for planted, expected in PLANTED:
            with self.subTest(**planted.__dict__):
                found = self.reveal([line_of(planted, *case) for case in drawn(600)])
                self.assertEqual([row["unit"] for row in found["units"] if row["fits"] and not row.get("without_c")], [])
                self.assertEqual({axis: found["decided"].get(axis, found["open"].get(axis)) for axis in expected}, expected)

    def test_cases_that_it_chooses_decide(self):
        planted = Planted(bits=23, rounding="nearest-even")
        lines = [line_of(planted, *case) for case in drawn(2, seed=5)]
        before = self.reveal(lines)
        self.assertEqual(len(before["deciding"]), 3)
        self.assertEqual(sorted(one["groups"] for one in before["deciding"]), [one["groups"] for one in before["deciding"]])
        for one in before["deciding"]:
            self.assertEqual(sum(result["models"] for result in one["results"]), min(before["fit"], 500))
            self.assertGreater(len(one["results"]), 1)
            a, b, c = ([number(int(code, 16), form) for code in column.split()]
                       for column, form in zip(one["case"].split("|"), (FP16, FP16, FP32)))
            d = "%08x" % bits(float(planted.dot(a, b, c[0])), FP32)
            self.assertIn("0x" + d, [result["d"] for result in one["results"]])
            lines.append(one["case"] + " " + d)
        after = self.reveal(lines)
        self.assertLess(after["fit"], before["fit"] / 2)
        self.assertGreater(after["fit"], 0)

    def test_what_nothing_gives(self):
        cases = [line_of(Planted(bits=24), *case) for case in drawn(60)]
        cases[7] = cases[7][:-8] + "3f800000"
        found = self.reveal(cases, code=1)
        self.assertEqual((found["fit"], found["deciding"]), (0, []))
        self.assertEqual([row["wrong"] for row in found["units"] if row["unit"] == "a100"], [1])
        self.assertEqual([row["line"] for row in found["units"] if row["unit"] == "a100"], [8])
        text = self.succeed("reveal", "--cases", self.file("cases", "\n".join(cases)), "-f", "fp16", code=1)
        self.assertIn("models that fit: 0 of ", text)
        self.assertRegex(text, r"not a100: 1 wrong; line 8: 0x[0-9a-f]{8} in place of 0x3f800000\n")

    def test_text(self):
        _, _, cases = next(one for one in committed() if one[:2] == ("h100", "fp16"))
        text = self.succeed("reveal", "--cases", "-", "-f", "fp16", input="\n".join(["# a comment", "", *cases]).encode())
        self.assert_holds(text, "-: 400 cases of 16 products of fp16 and c, summed in fp32\n",
                          "units that fit: 5 of 14: h100, h200, b200, b200-tcgen05, rtx-blackwell\n", "    aligned bits: 25\n", "    rounding: toward-zero\n")

    def test_time(self):
        cases = [line_of(Planted(bits=24), *case) for case in drawn(2500)]
        with self.within(5):
            found = self.reveal(cases)
        self.assertGreater(found["tried"], 2000)
        self.assertEqual(found["cases"], 2500)

    def test_files_that_are_no_cases(self):
        good = "3c00 3c00 | 3c00 3c00 | 3f800000 | 40400000\n"
        for content, complaint in (
                ("", "has no case"), ("\n# 1\n", "has no case"), ("3c00", "line 1: 1 column; a case is"),
                ("1|2|3|4|5|6", "line 1: 6 columns"), (good + "3c00 3c00 | 3c00 | 3f800000 | 40400000", "line 2: 1 factors b, in place of"),
                (good + "3c00 | 3c00 | 3f800000 | 40400000", "line 2: 1 factors a, in place of the 2 of line 1"),
                (good + good.replace("3c00", "3c", 1), "line 2: '3c' has 2 digits; a code of fp16 has 4"),
                (good.replace("3f800000", "3f80"), "line 1: '3f80' has 4 digits; a code of fp32 has 8"),
                (good.replace("3c00", "3cx0", 1), "line 1: '3cx0' is not a code in hexadecimal digits"),
                (good.replace("3c00", "3c00" * 9000, 1), "is not a code in hexadecimal digits"),
                (good.replace("3c00", "-3c0", 1), "is not a code"), (good.replace("3c00", "\x1b[1m", 1), "is not a code"),
                (good.replace("40400000", ""), "line 1: there is no d"), (good.replace("40400000", "40400000 00000000"), "more than one"),
                (good.replace("3f800000", "") + good, "line 2: has a c, unlike line 1"),
                (" | | 3f800000 | 40400000", "line 1: a column of factors is empty"),
                (good + "\0" + good, "has a NUL"), ("3c00 " * 65 + "|" + "3c00 " * 65 + "| | 40400000", "more than 64 products"),
                (good * 10001, "has more than 10000 cases"), (b"\xff" * 70, "1 column"), (b"\n" * (65 << 20), "")):
            with self.subTest(complaint=complaint):
                self.assertIn(complaint, self.refuse("reveal", "--cases", self.file("cases", content), "-f", "fp16", "--json", "found"))
                self.assertFalse(os.path.exists(os.path.join(self.path, "found")))
        path = self.file("cases", good.replace("40400000", "40400001"))
        self.assertIn("which no fp16 is", self.refuse("reveal", "--cases", path, "-f", "fp16", "--accumulate", "fp16"))
        path = self.file("cases", good.replace("3c00", "3f800001"))
        self.assertIn("not a code of tf32", self.refuse("reveal", "--cases", path, "-f", "tf32"))

    def test_words_that_do_not_go_together(self):
        path = self.file("cases", "3c00 | 3c00 | | 3f800000\n")
        for words, complaint in (([], "--cases needs --format"), (["-f", "fp16", "dot"], "and 'dot' is one"),
                                 (["-f", "fp16", "--lengths", "4"], "--lengths has no effect with --cases"),
                                 (["-f", "fp8_e8m0fnu"], "it has no sign"), (["-f", "fp16", "--accumulate", "tf32"], "not tf32"),
                                 (["-f", "fp17"], "fp17")):
            self.assertIn(complaint, self.refuse("reveal", "--cases", path, *words))
        self.assertIn("No such file", self.refuse("reveal", "--cases", "nothing", "-f", "fp16"))
        self.assertEqual(self.reveal(["3c00 | 3c00 | | 3f800000"])["c"], False)


class Blocks(Case):
    """Products of blocks with scales, by calls; each row's parameters are held to it in tests/order/units/identify_test.c."""

    def test_a_call_is_found_by_cases_that_are_drawn(self):
        words = "reveal", "mx.matmul", "-f", "mxfp4_e2m1", "--impl", "mma:rtx-blackwell", "--arrays", "200", "--shape", "3x128x2"
        found = self.document(*words)["results"][0]
        self.assertEqual([found[name] for name in ("state", "chosen_by", "replayed", "block", "fit")], ["revealed", 1000, 200, 32, 1])
        self.assertEqual({unit["unit"]: unit["fits"] for unit in found["units"]}, {"b200-tcgen05": True, "rtx-blackwell": True})
        self.assertEqual(found["decided"], {
            "products a call": "64", "products that meet their scales together": "16", "aligned bits": "35", "alignment": "toward-zero",
            "c": "with the products", "rounding": "toward-zero", "subnormal": "kept"})

    def test_what_is_no_such_product_is_refused(self):
        words = "reveal", "mx.matmul", "-f", "mxfp4_e2m1", "--impl", "mma:b200-tcgen05"
        for more, complaint in ((("--lengths", "64"), "--lengths has no effect on mx.matmul"), (("--shape", "1x100x1"), "whole blocks"),
                                (("--to", "fp16"), "--to fp32"), (("--block", "20"), "power of two")):
            self.assertIn(complaint, self.refuse(*words, *more))


if __name__ == "__main__":
    unittest.main()
