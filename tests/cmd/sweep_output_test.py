"""How `detcheck sweep` and `search` print results: values between commas, plots, or nothing."""

import csv
import fractions
import io
import os
import re
import shlex
import struct
import sys
import unittest

import harness

BLOCKS = "▁▂▃▄▅▆▇█"


class Csv(harness.Case):
    def test_it_says_what_the_report_says(self):
        words = ("exp", "sincos", "lgamma", "-f", "fp16,bf16", "--impl", "cr,det,libm")
        rows = list(csv.DictReader(io.StringIO(self.succeed("sweep", *words, "--csv", "-t", 2, "--json", "report.json"))))
        results = harness.parse(self.read("report.json"))["results"]
        expected = [(result, one) for result in results for one in result["implementations"]]
        self.assertEqual(len(rows), len(expected))
        self.assertEqual(len(rows), 2 * 4 * 3)
        for row, (result, one) in zip(rows, expected):
            with self.subTest(row=row):
                self.assertEqual((row["operation"], row["format"], row["implementation"]),
                                 (result["operation"], result["format"], one["name"]))
                self.assertEqual(row["provided"], "true" if one["provided"] else "false")
                if not one["provided"]:
                    self.assertEqual(row["tested"], "")
                    continue
                for name in ("tested", "unanswered", "incorrectly_rounded", "faithful", "over_1_ulp", "nan_mismatches", "sign_mismatches"):
                    self.assertEqual(int(row[name]), one[name], name)
                largest = one["max_ulp"]
                self.assertEqual((float(row["max_ulp"]), *(row[name] for name in ("input", "got", "want"))),
                                 tuple(largest[name] for name in ("error", "input", "got", "want")))
                self.assertEqual(row["fingerprint"], one["fingerprint"])

    def test_parameters_and_arrays(self):
        row, = csv.DictReader(io.StringIO(self.succeed("sweep", "cast", "-f", "fp16", "--to", "fp8_e4m3fn", "--impl", "cr", "--csv")))
        self.assertIn("--to fp8_e4m3fn", row["parameters"])
        rows = list(csv.DictReader(io.StringIO(self.succeed("sweep", "sum", "-f", "fp16", "--shape", "1x8", "-n", 20, "--impl", "det", "--csv"))))
        self.assertRegex(rows[0]["input"], r"^element \d+ of draw \d+, shape 1x8")

    def test_a_search_prints_the_same_columns(self):
        rows = list(csv.DictReader(io.StringIO(self.succeed("search", "pow", "-f", "fp32", "--seconds", 1, "--impl", "cr", "--csv"))))
        self.assertEqual([row["implementation"] for row in rows], ["cr"])

    def test_options_that_contradict(self):
        for words, what in ((("--csv", "--quiet"), "--csv has no effect with --quiet"), (("--plot", "--csv"), "--plot has no effect with --csv"),
                            (("--csv", "--json", "-"), "--csv has no effect with --json -")):
            self.assertIn(what, self.refuse("sweep", "exp", "-f", "fp16", *words))


NAMES = ("operation", "format", "rounding", "inputs", "impl")
FIGURES = ("not correct", "share", "largest ulp", "over 1 ulp", "NaN/sign", "not as 1st")


def read_tables(text):
    """The rows of the tables, each with what stands above its table, and the last line."""
    *parts, total = text.strip().split("\n\n")
    for part in parts:
        lines = part.splitlines()
        if re.fullmatch(r"  the same bits in \d+ of \d+ cases(, apart from NaNs in \d+)?", lines[1]):
            continue  # behind the tables: where implementations differ
        at, = (number for number, line in enumerate(lines) if "not correct" in line)
        names = [name for name in NAMES if name in lines[at].split("not correct")[0].split()]
        figures = [figure for figure in FIGURES if figure in lines[at]]
        legend = dict(line.split(maxsplit=1) for line in lines[1:at])
        for line in lines[at + 1:]:
            if line.startswith(" "):
                continue  # what more there is to say of the row above
            words = re.sub(" %", "", line).split(maxsplit=len(names))
            row = dict(zip(names, words), above=lines[0].split() if at else [])
            row["impl"] = legend.get(row.get("impl"), row.get("impl"))
            row.update(zip(figures, words[len(names)].split()))
            yield row


NEGATIVE_NANS = """
import struct, sys
name = sys.stdin.readline().split()[2]
with open(sys.argv[1] + "/" + name, "rb") as stream:
    outputs = list(struct.unpack("<65536H", stream.read()))
outputs[0x3c00] ^= name == "exp"
print("ready bits negative", flush=True)
for line in sys.stdin:
    code = outputs[int(line, 16)]
    print(hex(code | 0x8000 if code == 0x7e00 and name == "sqrt" else code), flush=True)
"""


class Tables(harness.Case):
    RUNS = (
        ("unary", "binary", "-f", "fp16", "-n", 300, "--impl", "det,cr,libm"),
        ("exp", "sincos", "-f", "fp16,bf16,fp32", "-r", "rne,up", "-n", 100, "--impl", "cr,libm"),
        ("log", "-f", "fp16,bf16", "--impl", "cr"),
        ("sum", "exp", "-f", "fp16,fp32", "-n", 2),
        ("matmul", "softmax", "-f", "fp16", "-n", 2, "--impl", "det"),
        ("exp", "log", "-f", "fp16,bf16", "--impl", "steps:1+x+x*x/2+x*x*x/6+x*x*x*x/24", "--impl", "cr"),
    )

    def test_rows_of_80_columns_say_what_the_report_says(self):
        for run in self.RUNS:
            with self.subTest(run=run):
                text = self.succeed("sweep", *run, "-t", 2, "--json", "report.json")
                for line in text.splitlines():
                    self.assertLessEqual(len(line), 80, line)
                results = harness.parse(self.read("report.json"))["results"]
                expected = [(result, one) for result in results for one in result["implementations"]]
                rows = list(read_tables(text))
                self.assertEqual(len(rows), len(expected))
                for row, (result, one) in zip(rows, expected):
                    for column, value in (("operation", result["operation"]), ("format", result["format"]),
                                          ("rounding", result["rounding"]), ("impl", one["name"])):
                        self.assertIn(value, [row[column]] if row.get(column) else row["above"], (column, row))
                    if not one["provided"]:
                        self.assertEqual(row["not correct"], "-")
                        continue
                    self.assertEqual([int(row[name].replace(",", "")) for name in ("not correct", "over 1 ulp", "NaN/sign")],
                                     [one["incorrectly_rounded"], one["over_1_ulp"], one["nan_mismatches"] + one["sign_mismatches"]])
                    largest = one["max_ulp"]["error"] if one.get("max_ulp") else 0
                    shown = row["largest ulp"].replace("-", "0")  # six digits behind the point, or as many as there is room for
                    digits = len(shown.partition(".")[2])
                    self.assertTrue(digits == 6 or largest == 0 or largest >= 1e4, shown)
                    self.assertAlmostEqual(float(shown), largest, delta=10.0 ** -digits if largest < 1e6 else largest / 100)

    def test_cases_in_which_implementations_differ_are_counted(self):
        """The numbers are those of the report; what one implementation lacks is no case."""
        report = self.file("report.json")
        text = self.succeed("sweep", "exp", "sin", "tanh", "-f", "fp16", "--impl", "libm,det", "--impl", "hellas", "--json", report)
        found = {}
        for result in harness.parse(self.read(report))["results"]:
            for pair in result["differences"]:
                if pair["a"] == "libm":
                    found.setdefault(pair["b"], {})[result["operation"]] = pair["count"]
        self.assertEqual(set(found["hellas"]), {"exp", "sin"})
        for name, counts in found.items():
            same = sum(not count for count in counts.values())
            lines = "".join(f"  {operation} fp16 nearest-even: other bits for {count:,} inputs\n" for operation, count in counts.items() if count > 1)
            self.assertIn(f"\nlibm and {name}:\n  the same bits in {same} of {len(counts)} cases\n{lines}", text)
        self.assertNotIn("the same bits", self.succeed("sweep", "exp", "sin", "-f", "fp16", "--impl", "det"))

    def test_arrays_of_two_implementations_that_differ_are_counted_and_shown_by_a_command(self):
        words = ("sweep", "sum", "-n", 2, "--impl", "det,sequential")
        text = self.succeed(*words)
        results = self.document(*words)["results"]
        families = {result["parameters"]["distribution"]: result["differences"][0]["count"] for result in results}
        apart = {family: count for family, count in families.items() if count}
        self.assertIn(f"\ndet and sequential:\n  the same bits in {len(families) - len(apart)} of {len(families)} cases\n", text)
        found = dict(re.findall(r"(?m)^  sum fp32 nearest-even: (\w+): other bits for (\d+) elements?$", text))
        self.assertEqual(len(found), min(10, len(apart)))
        self.assertEqual(found, {family: str(apart[family]) for family in found})
        command, = re.findall(r"(?m)^  next: detcheck (eval .*)$", text)
        lines = self.succeed(*command.split()).splitlines()
        bits = {name: re.search(r"(0x\w{8})$", line).group(1) for line in lines for name in ("det", "sequential"[:10]) if line.split()[0] == name}
        self.assertEqual(len(set(bits.values())), 2)
        family = command.split("--distribution ")[1].split()[0]
        one = self.succeed(*words, "--distribution", family)
        self.assertIn("to see it   detcheck " + command + "\n", one)
        self.assertNotIn("next:", self.succeed("sweep", "sum", "-n", 2, "--impl", "det,sequential,pairwise"))
        alike = self.succeed("sweep", "sum", "-n", 2, "--shape", 1, "--impl", "det,sequential")
        self.assertIn("\ndet and sequential:\n  the same bits in 11 of 11 cases\n", alike)
        self.assertNotIn("next:", alike)

    def test_nans_with_other_bits_are_counted_below_the_table(self):
        """A worker reads outputs of cr from tables, gives the NaNs of sqrt another sign, and changes one number of exp: those counts
        of its side, none of cr's."""
        for name in ("exp", "sqrt"):
            self.succeed("table", name, "-f", "fp16", "--as", "raw", "-o", os.path.join(self.path, name))
        inputs = self.file("inputs", "0x3c00\n0x4000\n0x7e00\n0x7c01\n0xfe01\n0xbc00\n")  # two numbers with a square root, four without
        mine = f"exec-text:{sys.executable} {self.file('worker.py', NEGATIVE_NANS)} {self.path}"
        for sides, counts in (("cr", mine), "0 and 4"), ((mine, "cr"), "4 and 0"):
            text = self.succeed("sweep", "exp", "sqrt", "-f", "fp16", "--inputs", inputs, "--impl", sides[0], "--impl", sides[1])
            self.assertIn("\n  the same bits in 1 of 2 cases, apart from NaNs in 1\n"
                          "  exp fp16 nearest-even: other bits for 1 input\n"
                          f"  sqrt fp16 nearest-even: {counts} NaNs are not 0x7e00\n\n", text)

    def test_one_value_stands_above(self):
        text = self.succeed("sweep", "exp", "log", "-f", "fp16", "--impl", "cr")
        self.assertRegex(text, r"^fp16  nearest-even  cr\noperation not correct +share")
        text = self.succeed("sweep", "exp", "-f", "fp16,bf16", "--impl", "cr")
        self.assertRegex(text, r"^exp  nearest-even  cr\nformat +not correct")


def half(code):
    return fractions.Fraction(struct.unpack("<e", struct.pack("<H", int(code, 16)))[0])


class Operands(harness.Case):
    """Of arrays: the operands beside the largest error, and the line that shows it again."""

    def read_worst(self, *words):
        """Of a sweep by one implementation: the element's number, the bits of got and want, the operands that are shown, and what
        the line prints as JSON."""
        text = self.succeed("sweep", *words, "-f", "fp16")
        element, got, want = re.search(r" at   element (\d+) of .*\n +got .* (0x\w+)\n +want .* (0x\w+)\n", text).groups()
        shown = [(place, way, values.split()) for place, way, values in
                 re.findall(r"operand \d from (\[[\d,]+\]) (on|down)\n((?: {28}\S.*\n)+)", text)]
        line, = re.findall(r" to see it   detcheck (.*)\n", text)
        result, = harness.parse(self.succeed(*shlex.split(line), "--json", "-"))["results"]
        answer, = result["elements"]
        self.assertEqual((answer["want"], answer["implementations"][0]["got"]), (want, got))
        for place, way, values in shown:
            self.assertLessEqual(len(values), 8)
        return int(element), want, shown, result["input"]

    def hold(self, values, codes):
        """Decimals against codes, as far as they are printed."""
        self.assertEqual(len(values), len(codes))
        for value, code in zip(values, codes):
            self.assertAlmostEqual(float(value), float(half(code)), delta=2e-3 * abs(half(code)))

    def test_a_product_has_its_row_and_its_column(self):
        element, want, ((a, on, row), (b, down, column)), (left, right) = self.read_worst(
            "matmul", "--shape", "6x8x4", "--distribution", "normal", "-n", 3, "--impl", "cr")
        self.assertEqual((a, on, b, down), (f"[{element // 4},0]", "on", f"[0,{element % 4}]", "down"))
        rows, columns = left[element // 4 * 8:element // 4 * 8 + 8], right[element % 4::4]
        self.hold(row, rows)
        self.hold(column, columns)
        exact = sum(half(x) * half(y) for x, y in zip(rows, columns))
        self.assertEqual(want, "0x%04x" % struct.unpack("<H", struct.pack("<e", float(exact))))

    def test_a_sum_has_its_line(self):
        element, want, ((place, _, line),), (codes,) = self.read_worst(
            "sum", "--shape", "5x3", "--axis", -1, "--distribution", "normal", "-n", 20, "--seed", 7, "--impl", "cr")
        self.assertEqual(place, f"[{element},0]")
        self.hold(line, codes[3 * element:3 * element + 3])
        exact = sum(half(code) for code in codes[3 * element:3 * element + 3])
        self.assertEqual(want, "0x%04x" % struct.unpack("<H", struct.pack("<e", float(exact))))

    def test_elsewhere_they_stand_around_the_element(self):
        for words in (("softmax", "--shape", "40", "--impl", "det"), ("cumsum", "--shape", "40", "--impl", "det"),
                      ("layer_norm", "--shape", "3x20", "--impl", "det")):
            with self.subTest(words=words):
                element, _, ((place, _, values), *_), (codes, *_) = self.read_worst(*words, "--distribution", "normal", "-n", 3)
                *rows, column = (int(index) for index in place[1:-1].split(","))
                first = column + 20 * sum(rows)
                self.assertTrue(first <= element < first + 8)
                self.hold(values, codes[first:first + 8])

    def test_numbers_have_none(self):
        self.assertNotIn("to see it", self.succeed("sweep", "exp", "-f", "fp16", "--impl", "cr"))

    def test_what_cannot_be_drawn_is_refused(self):
        for words, what in (((), "--draw needs --shape"), (("1", "--shape", 4), "leave out the others"),
                            (("--shape", 4, "--element", 4), "--element 4: the result has elements 0 to 3"),
                            (("--shape", 4, "--distribution", "nonsense"), "nonsense")):
            with self.subTest(words=words):
                self.assertIn(what, self.refuse("eval", "softmax", "-f", "fp16", "--draw", 0, *words))
        self.assertIn("is for operations on arrays", self.refuse("eval", "exp", "1", "--draw", 0))
        self.assertIn("--seed has no effect without --draw", self.refuse("eval", "softmax", "1", "2", "--seed", 2))


class Quiet(harness.Case):
    def test_nothing_is_printed_and_files_are_written(self):
        self.assertEqual(self.succeed("sweep", "exp", "log", "-f", "fp16", "--impl", "cr", "-q", "--json", "report.json"), "")
        self.assertEqual(len(harness.parse(self.read("report.json"))["results"]), 2)
        self.assertEqual(self.succeed("sweep", "exp", "-f", "fp16", "--impl", "cr", "--quiet"), "")


class Plots(harness.Case):
    def test_all_have_one_scale_within_80_columns(self):
        """Two terms of a series are off by far, det hardly. The axes of both end at the figure that the text has."""
        text = self.succeed("sweep", "exp", "-f", "fp16", "--range", "0:1", "--impl", "det", "--impl", "steps:1+x", "--plot")
        plots = re.findall(r"\n(exp by \S+: .*)\n((?: .*\n)+)", text)
        self.assertEqual(len(plots), 2)
        for line in text[text.index(plots[0][0]):].splitlines():
            self.assertLessEqual(len(line), 80, line)
        tops = {plot.split()[0] for _, plot in plots}
        figures = [float(figure) for figure in re.findall(r"largest error +(\d\S*) ulp", text)]
        self.assertEqual({float(top) for top in tops}, {max(figures)})
        self.assertTrue(all(any(block in plot for block in BLOCKS) for _, plot in plots))


if __name__ == "__main__":
    unittest.main()
