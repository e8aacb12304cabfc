"""The JSON report of a sweep: its fields, that its sums agree, and that nothing outside "run"
depends on the number of threads or on when it was made."""

import re
import unittest

from harness import Case, parse, without_run
from report_checks import COUNTS, check_document, check_result, order_of


class ReportFields(Case):
    def report(self, *words):
        document = self.document("sweep", *words)
        check_document(self, document)
        self.assertIs(document["complete"], True)
        return document["results"]

    def test_every_input_of_fp16(self):
        result, = self.report("exp", "--format", "fp16")
        check_result(self, result)
        self.assertEqual(result["operation"], "exp")
        self.assertEqual(result["format"], "fp16")
        self.assertEqual(result["rounding"], "nearest-even")
        self.assertEqual(result["inputs"]["kind"], "all")
        self.assertEqual(result["inputs"]["count"], 65536)
        libm = result["implementations"][0]
        # 2 * 1023 NaNs in, so as many out; exp is a number everywhere else.
        self.assertEqual(libm["judged_in_ulps"], 65536 - 2046)
        self.assertEqual(libm["nan_mismatches"], 0)
        self.assertEqual(libm["max_ulp"]["input"], "0x25cf")
        self.assertAlmostEqual(libm["max_ulp"]["error"], 0.5000281367, places=9)
        # A finite input lies in one of the 24 + 16 exponents of subnormals and normals.
        self.assertEqual([row["exponent"] for row in libm["by_binade"]], list(range(-24, 16)))

    def test_nan_outputs_have_no_error(self):
        result, = self.report("sqrt", "--format", "fp16")
        check_result(self, result)
        libm = result["implementations"][0]
        # All of 0x8001..0xfc00 (negative, -infinity too) has no root, besides the NaNs.
        self.assertEqual(libm["judged_in_ulps"], 65536 - 2046 - 0x7c00)
        self.assertEqual(libm["incorrectly_rounded"], 0)
        self.assertEqual(libm["worst"], [])

    def test_two_results_are_two_entries(self):
        results = self.report("sincos", "--format", "fp16")
        self.assertEqual([one["operation"] for one in results], ["sincos.sin", "sincos.cos"])
        for result in results:
            check_result(self, result)
        sine, cosine = (one["implementations"][0] for one in results)
        self.assertNotEqual(sine["fingerprint"], cosine["fingerprint"])
        # Both are NaN for the same inputs as the sine by itself.
        alone = self.libm("sin", "--format", "fp16")
        self.assertEqual(sine["judged_in_ulps"], alone["judged_in_ulps"])

    def test_several_operands_are_arrays(self):
        for operation, operands in (("pow", 2), ("fma", 3)):
            results = self.report(operation, "--samples", 20000, "--seed", 3)
            check_result(self, results[0], operands=operands)
            self.assertEqual(len(results[0]["implementations"][0]["max_ulp"]["input"]), operands)

    def test_group_in_several_formats_and_roundings(self):
        words = ("unary", "--special", "--format", "bf16,fp8_e5m2", "--rounding", "up,nearest-even")
        results = self.report(*words)
        for result in results:
            check_result(self, result)
        entries = [(one["operation"], one["format"], one["rounding"]) for one in results]
        self.assertEqual(len(entries), len(set(entries)))
        for format_name in ("bf16", "fp8_e5m2"):
            for rounding in ("up", "nearest-even"):
                self.assertIn(("exp", format_name, rounding), entries)
                self.assertIn(("sincos.cos", format_name, rounding), entries)

    def test_what_libm_lacks_is_said_and_not_counted(self):
        results = self.report("softplus", "exp", "--format", "fp16", "--special")
        for result in results:
            check_result(self, result)
        softplus = results[0]["implementations"][0]
        self.assertIs(softplus["provided"], False)
        self.assertIn("softplus", softplus["reason"])
        self.assertIs(results[1]["implementations"][0]["provided"], True)

    def test_directed_roundings_stay_below_an_ulp_where_right(self):
        results = self.report("sqrt", "--format", "fp16", "--rounding", "up,down,toward-zero")
        for result in results:
            check_result(self, result)
            libm = result["implementations"][0]
            # Widened, computed and narrowed in one direction: two roundings are as good as one.
            self.assertEqual(libm["incorrectly_rounded"], 0)
            self.assertGreater(libm["max_ulp"]["error"], 0.9)
            self.assertLess(libm["max_ulp"]["error"], 1)

    def test_just_below_an_ulp_is_not_written_as_one(self):
        # tanh x is 1 less about e^-64: toward zero, the largest number below 1 is right, and its
        # error as near to 1 as a double can be without reaching it.
        words = ("tanh", "--range", "32:32", "--rounding", "toward-zero")
        libm = self.libm(*words)
        self.assertEqual((libm["max_ulp"]["got"], libm["incorrectly_rounded"]), ("0x3f7fffff", 0))
        self.assertLess(libm["max_ulp"]["error"], 1)


class Tables(Case):
    """The text of a run of several."""

    def test_columns_stand_under_their_headings(self):
        for words in (("sincos", "exp", "-f", "fp16,fp8_e4m3b11fnuz", "-r", "up,nearest-away"),
                      ("arrays", "--shape", "3x3x3", "-n", "4"),
                      ("scaled", "-n", "2", "-f", "fp8_e4m3fnuz", "--shape", "2x2", "--to", "fp8_e5m2"),
                      ("sqrt", "exp", "-f", "fp8_e5m2", "-i", "cr", "-i", "lib:libm.so.6")):
            text = self.run_program("sweep", *words).stdout.decode()
            ends, held = [], 0
            for line in text.splitlines():
                if not line:
                    ends = []
                elif "not correct" in line:
                    ends = [found.end() for found in re.finditer("not correct|share|largest ulp|over 1 ulp|NaN/sign|not as 1st", line)]
                elif ends and re.search(r" \d+ +\S+ +(?:\S+ +%|\S+) ", line):
                    held += 1
                    for end in ends:
                        self.assertRegex(line[end - 1:end + 1], r"^\S ?$", line)
            self.assertGreater(held, 3, words)

    def test_operations_are_listed_in_columns(self):
        lines = self.succeed("list", "operations").split("p3109)\n")[1].splitlines()
        rows = {row["name"]: row for row in self.document("list", "operations")["operations"]}
        columns = {}
        for line in lines:
            row = rows[line.split("(")[0].strip()]
            family = row["family"] if "[]" in line or row["family"] == "p3109" else ""
            if family == "p3109" and "[" in line:
                family = "blocks of p3109"
            columns.setdefault(family, set()).add(line.index(" " + row["formula"], line.index(")")))
        self.assertEqual({family: len(found) for family, found in columns.items()}, dict.fromkeys(columns, 1))
        self.assertLessEqual({"", "arrays", "dyadic", "kernels", "onnx", "scaled"}, set(columns))


class ReportStability(Case):
    """The whole text, "run" aside, byte for byte."""

    def text(self, *words, threads):
        return without_run(self.succeed("sweep", *words, "--json", "-", "--threads", threads))

    def same_for_all_threads(self, *words):
        alone = self.text(*words, threads=1)
        for threads in (2, 7):
            self.assertEqual(self.text(*words, threads=threads), alone, words)
        return alone

    def test_a_sweep_of_all_inputs_is_the_same_for_any_threads(self):
        self.same_for_all_threads("exp", "sin", "sincos", "rsqrt", "log10", "--format", "fp16")

    def test_samples_over_several_blocks(self):
        # 300,000 outputs are more than 4 fingerprint blocks and 73 slices.
        self.same_for_all_threads("exp", "--samples", 300000)
        self.same_for_all_threads("cosh", "--samples", 20000, "--seed", 5, "--format", "fp64")

    def test_more_than_a_batch(self):
        # Inputs are handed out in batches of 2^20; the second one must go on where the first ends.
        self.same_for_all_threads("sqrt", "--samples", 1200000)

    def test_a_sweep_of_special_values_is_the_same_for_any_threads(self):
        self.same_for_all_threads("tgamma", "--special")
        self.same_for_all_threads("pow", "--special", "--format", "fp16")

    def test_a_sweep_of_a_range_is_the_same_for_any_threads(self):
        self.same_for_all_threads("sinh", "--range", "0x42b17200:0x42b2ffff")
        self.same_for_all_threads("hypot", "--range", "1:2", "--range", "-0x1p-124:0x1p-124", "--format", "bf16")

    def test_file_of_pairs(self):
        lines = "".join(f"{x * 0.37} {5 - x * 0.11}\n" for x in range(9000))
        path = self.file("pairs", lines)
        words = ("sweep", "pow", "--inputs", path, "--json", "-", "--threads")
        texts = [self.succeed(*words, threads, notes=True) for threads in (1, 2, 7)]
        result, = parse(texts[0])["results"]
        self.assertEqual(result["inputs"]["kind"], "file")
        check_result(self, result, operands=2)
        self.assertEqual(len({without_run(text) for text in texts}), 1)

    def test_samples_of_pairs_and_triples(self):
        self.same_for_all_threads("atan2", "--samples", 30000)
        self.same_for_all_threads("fma", "--samples", 30000, "--format", "bf16")

    def test_directed_sweeps_are_the_same_for_any_threads(self):
        self.same_for_all_threads("exp", "--format", "fp16", "--rounding", "up,down,toward-zero")

    def test_ranges_that_begin_and_end_inside_a_block(self):
        # All of these come to the fast oracle; 0x3f7 to 0x3f8 also changes the binade.
        for operation in ("exp", "sin", "log", "tanh"):
            self.same_for_all_threads(operation, "--range", "0x3f7fabcd:0x3f80fff1")
        self.same_for_all_threads("exp", "--range", "0xc2cf0001:0xc2d00aaa", "--rounding", "up")

    def test_file_and_stdout_say_the_same(self):
        words = ("sweep", "exp", "--format", "fp16", "--json")
        self.succeed(*words, "report.json")
        with open(self.path + "/report.json", encoding="utf-8") as stream:
            self.assertEqual(without_run(stream.read()), without_run(self.succeed(*words, "-")))


class ReportParts(Case):
    """What a whole range comes to is what its parts come to, wherever it is cut."""

    SUMS = (*COUNTS, "histogram", "by_binade")

    def parts(self, operation, *ends, rounding="nearest-even"):
        found = []
        for first, last in zip(ends, ends[1:]):
            words = ("--range", f"{first:#010x}:{last - 1:#010x}", "--rounding", rounding)
            found += self.results(operation, *words)
        return found

    def added(self, parts, name):
        values = [part["implementations"][0][name] for part in parts]
        if name == "histogram":
            return [sum(row) for row in zip(*([b["count"] for b in one] for one in values))]
        if name == "by_binade":
            profile = {}
            for row in (row for one in values for row in one):
                largest, wrong = profile.get(row["exponent"], (0, 0))
                profile[row["exponent"]] = (max(largest, row["max_ulp"]), wrong + row["incorrect"])
            return profile
        return sum(values)

    def check(self, operation, *ends, rounding="nearest-even"):
        whole = self.parts(operation, ends[0], ends[-1], rounding=rounding)
        parts = self.parts(operation, *ends, rounding=rounding)
        for name in self.SUMS:
            self.assertEqual(self.added(parts, name), self.added(whole, name), name)
        rows = [part["implementations"][0] for part in parts]
        largest = whole[0]["implementations"][0]["max_ulp"]
        self.assertIn(largest, [row["max_ulp"] for row in rows])
        worst = sorted((row for one in rows for row in one["worst"]),
                       key=lambda row: order_of(row, "nearest-even"))[:10]
        self.assertEqual(worst, whole[0]["implementations"][0]["worst"])
        judged = self.added(whole, "judged_in_ulps")
        mean = sum(row["mean_ulp"] * row["judged_in_ulps"] for row in rows) / judged
        self.assertAlmostEqual(mean, whole[0]["implementations"][0]["mean_ulp"], delta=1e-14)

    def test_where_a_polynomial_decides(self):
        self.check("exp", 0x3F7F0000, 0x3F7F0001, 0x3F7FABCD, 0x3F800000, 0x3F80FFFF, 0x3F810000)
        self.check("sin", 0x40490000, 0x40490FDB, 0x40490FDC, 0x404A1234, rounding="down")

    def test_where_the_result_is_next_to_a_line(self):
        # tanh x is x less a trifle for small x, and 1 less a trifle for large.
        self.check("tanh", 0x30000000, 0x30000FFF, 0x30001001, 0x30012345)
        self.check("tanh", 0x42000000, 0x42007777, 0x42010000, rounding="toward-zero")

    def test_around_zero_and_among_nans(self):
        self.check("sin", 0, 1, 0x1000, 0x800000 - 0x7F0000)
        self.check("exp", 0x7F7F0000, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FC00001, 0x7FC01000)


class Oracles(Case):
    """The fast oracle changes nothing but the time."""

    RANGES = {"exp": "0x3f7fe5cd:0x3f801000", "log": "0x3f7ff000:0x3f800fff",
              "sin": "0x40490000:0x40490fff", "tanh": "0x41100000:0x41100fff",
              "cosh": "0x42b2d000:0x42b2dfff", "expm1": "0xc18a0000:0xc18a0fff",
              "atan": "0x30000000:0x30000fff", "erfc": "0x41200000:0x412003ff",
              "lgamma": "0xc01d3000:0xc01d33ff", "sqrt": "0x00000000:0x00001fff"}

    def compare(self, operation, *words):
        (fast,), (exact,), (mpfr,) = (
            self.results(operation, *words, "--impl", "libm", "--oracle", which)
            for which in ("auto", "exact", "mpfr"))
        self.assertEqual(exact, mpfr)
        check_result(self, fast)
        self.assertEqual(exact["oracle"]["fast"], 0)
        mine, theirs = fast["implementations"][0], exact["implementations"][0]
        # The fast one's errors are within 2^-21 ulp of the exact ones.
        self.assertAlmostEqual(mine["mean_ulp"], theirs["mean_ulp"], delta=2 ** -21)
        mine["mean_ulp"], mine["error_sum"] = theirs["mean_ulp"], theirs["error_sum"]
        self.assertEqual({**fast, "oracle": None}, {**exact, "oracle": None})
        return fast["oracle"]["fast"]

    def test_the_oracles_give_one_report(self):
        decided = 0
        for operation, ends in self.RANGES.items():
            for rounding in ("nearest-even", "up", "toward-zero"):
                decided += self.compare(operation, "--range", ends, "--rounding", rounding)
        self.assertGreater(decided, 95000)  # of 3 * 49,716

    def test_rechecks_are_asked_for_and_counted(self):
        words = ("exp", "--range", "0x3f800000:0x3f80ffff", "--recheck")
        once, often = (self.results(*words, n)[0]["oracle"] for n in (1, 100))
        self.assertGreater(once["rechecked"], 0)
        self.assertEqual(often["rechecked"], 100 * once["rechecked"])

    def test_wrong_words_are_refused(self):
        self.assertIn("auto, exact or mpfr", self.refuse("sweep", "exp", "--oracle", "delphi"))
        for word in ("0", "x", "-1"):
            self.assertIn("--recheck", self.refuse("sweep", "exp", "--recheck", word))


if __name__ == "__main__":
    unittest.main()
