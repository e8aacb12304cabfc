"""How `detcheck sweep` and `search` print results: values between commas, plots, or nothing."""

import csv
import io
import os
import re
import unittest

import harness

BLOCKS = "▁▂▃▄▅▆▇█"


class Case(harness.Case):
    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return stream.read()


class Csv(Case):
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


class Quiet(Case):
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
