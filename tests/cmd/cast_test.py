"""Conversions against an independent reference: values and roundings in exact fractions (formats.py,
from the formulas of the definitions) and the special values as the tables of ONNX's page on float 8
state them. The tables that the program prints are held against it: every code of fp16 and bf16, and of
fp32 every interval, at both ends, which is where ties are.
"""

import itertools
import unittest

from formats import FORMATS, INFINITY, NAN, ROUNDINGS, Format
import harness
from harness import Case

LARGEST = "FLT_MAX"
# ONNX, operator Cast: rows x of the two tables for version 19, and what version 24 changed.
COLUMNS = ("fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz")
SATURATED = {"infinity": (LARGEST, NAN, LARGEST, NAN), "overflow": (LARGEST,) * 4}
SATURATED_24 = {"infinity": (LARGEST,) * 4, "overflow": (LARGEST,) * 4}
UNSATURATED = {"infinity": (NAN, NAN, INFINITY, NAN), "overflow": (NAN, NAN, INFINITY, NAN)}
PROFILES = {"onnx-19": SATURATED, "onnx-19-unsaturated": UNSATURATED, "onnx-24": SATURATED_24,
            "onnx-24-unsaturated": UNSATURATED}


def magnitude_code(form, what):
    """The code of a special outcome without its sign; None stands for any NaN."""
    return {LARGEST: form.greatest, INFINITY: form.greatest + 1, NAN: None}[what]


def expected(source, target, code, rounding, profile):
    """The code that the tables state, or None for any NaN."""
    negative, value = source.decode(code)
    sign = target.sign if negative else 0
    column = COLUMNS.index(target.name)
    if value == NAN:
        return None
    if value == INFINITY:
        what = magnitude_code(target, PROFILES[profile]["infinity"][column])
        return None if what is None else what | sign
    if value == 0:
        return sign if target.family != "fnuz" else 0
    # As if the exponent had no end: a wider format of the same precision.
    endless = Format("endless", 12, target.fraction_bits, target.bias)
    rounded = endless.value(endless.encode(value, rounding))
    if abs(rounded) > target.value(target.greatest):
        inward = {"toward-zero": True, "up": negative, "down": not negative}.get(rounding, False)
        what = PROFILES[profile]["overflow"][column]
        what = target.greatest if inward else magnitude_code(target, what)
        return None if what is None else what | sign
    return target.encode(value, rounding, negative)


class Reference(Case):
    def rows(self, *words):
        lines = self.succeed("table", "cast", *words, "--as", "csv").splitlines()
        return lines[0], [line.split(",") for line in lines[1:]]

    def check(self, source, target, pairs, rounding, profile):
        for code, got in pairs:
            want = expected(source, target, code, rounding, profile)
            good = target.is_nan(got) if want is None else got == want
            if not good:
                self.fail(f"{source.name} to {target.name}, {rounding}, {profile}: "
                          f"{source.bits(code)} gives {target.bits(got)}, not {want}")

    def test_every_code_of_small_formats(self):
        for target in map(FORMATS.get, COLUMNS):
            for source in map(FORMATS.get, ("fp8_e5m2", "fp8_e4m3fnuz")):
                for profile, rounding in zip(itertools.cycle(PROFILES), ROUNDINGS):
                    _, rows = self.rows("--from", source.name, "--to", target.name, "--profile",
                                        profile, "-r", rounding)
                    pairs = [(int(row[0], 16), int(row[2], 16)) for row in rows]
                    self.assertEqual([code for code, _ in pairs], list(range(1 << source.width)))
                    self.check(source, target, pairs, rounding, profile)

    def test_every_code_of_fp16_and_bf16(self):
        for source, target, profile in (("fp16", "fp8_e4m3fn", "onnx-19"),
                                        ("bf16", "fp8_e5m2fnuz", "onnx-24-unsaturated")):
            source, target = FORMATS[source], FORMATS[target]
            _, rows = self.rows("--from", source.name, "--to", target.name, "--profile", profile)
            self.assertEqual(len(rows), 65536)
            # Some of them: exact fractions are slow.
            pairs = [(int(row[0], 16), int(row[2], 16)) for row in rows[::31]]
            self.check(source, target, pairs, "nearest-even", profile)

    def test_intervals_of_fp32(self):
        source = FORMATS["fp32"]
        for target in map(FORMATS.get, COLUMNS):
            cases = itertools.product(PROFILES, ROUNDINGS)
            for profile, rounding in itertools.islice(cases, COLUMNS.index(target.name) % 2, None, 3):
                heading, rows = self.rows("--from", "fp32", "--to", target.name, "--profile",
                                          profile, "-r", rounding)
                self.assertEqual(heading, "first,last,code")
                rows = [[int(cell, 16) for cell in row] for row in rows]
                self.assertEqual((rows[0][0], rows[-1][1]), (0, 0xFFFFFFFF))
                for before, after in itertools.pairwise(rows):
                    self.assertEqual(before[1] + 1, after[0])
                    self.assertNotEqual(before[2], after[2])
                pairs = [(end, row[2]) for row in rows for end in row[:2]]
                self.check(source, target, pairs, rounding, profile)


class RoundingOfProfiles(Case):
    """ONNX's Cast rounds up to float8e8m0 where no round_mode is given, and nothing else has a rounding of its own."""

    def outputs(self, *words):
        return [(result["rounding"], next(one["got"] for one in result["implementations"] if one["name"] == "det"))
                for result in self.document("eval", "cast", *words, "--json", "-")["results"]]

    def test_scales_are_rounded_up_by_onnx(self):
        values = ("1.25", "1.5", "1.75", "2", "0x1.000002p-126", "0x1.fffffep+127")
        for profile, last in (("onnx-24", "0xfe"), ("onnx-24-unsaturated", "0xff")):
            words = ("--to", "fp8_e8m0fnu", "--profile", profile, *values)
            self.assertEqual(self.outputs(*words), [("up", code) for code in ("0x80", "0x80", "0x80", "0x80", "0x02", last)])
            for rounding, codes in (("nearest-even", ("0x7f", "0x80", "0x80", "0x80", "0x01", last)),
                                    ("nearest-away", ("0x7f", "0x80", "0x80", "0x80", "0x01", last)),
                                    ("down", ("0x7f", "0x7f", "0x7f", "0x80", "0x01", "0xfe"))):
                self.assertEqual(self.outputs(*words, "-r", rounding), [(rounding, code) for code in codes])

    def test_no_other_conversion_changes(self):
        for to, profile in (("fp8_e8m0fnu", "ieee"), ("fp8_e8m0fnu", "saturate"), ("fp8_e8m0fnu", "ml_dtypes"),
                            ("fp8_e4m3fn", "onnx-24"), ("fp4_e2m1fn", "onnx-24-unsaturated")):
            (rounding, _), = self.outputs("--to", to, "--profile", profile, "1.25")
            self.assertEqual(rounding, "nearest-even", (to, profile))

    def test_every_command_has_it(self):
        words = ("cast", "--to", "fp8_e8m0fnu", "--profile", "onnx-24")
        swept, other = self.document("sweep", *words, "exp", "-f", "fp16", "--all", "--impl", "det", "--json", "-")["results"]
        self.assertEqual((swept["rounding"], other["rounding"]), ("up", "nearest-even"))
        self.assertEqual(swept["implementations"][0]["incorrectly_rounded"], 0)
        group, = harness.parse(self.succeed("emit", *words, "-n", 1))["testGroups"]
        self.assertEqual(group["rounding"], "up")
        codes = [self.succeed("table", *words, "-f", "fp8_e5m2", *more) for more in ((), ("-r", "up"), ("-r", "nearest-even"))]
        self.assertEqual(codes[0], codes[1])
        self.assertNotEqual(codes[0], codes[2])


class Sweeps(Case):
    def implementations(self, *words):
        result, = self.results("cast", *words)
        return result, result["implementations"]

    def compare(self, *words, right=True):
        """By runs of results, and one by one."""
        options = ("cast", "--from", words[0], "--to", words[1], "-r", words[2], *words[3:])
        # Of what is wrong everywhere the program says so where it takes long.
        one_way, other_way = (self.results(*options, *oracle, notes=not right) for oracle in ((), ("--oracle", "exact")))
        self.assertEqual([result["format"] for result in one_way], words[0].split(","))
        for fast_result, slow_result in zip(one_way, other_way, strict=True):
            for fast, slow in zip(fast_result["implementations"], slow_result["implementations"], strict=True):
                self.assertAlmostEqual(fast.pop("mean_ulp"), slow.pop("mean_ulp"), delta=1e-7)
                del fast["error_sum"], slow["error_sum"]  # of which the mean is a part
                self.assertEqual(fast, slow, (fast_result["format"], *words))
                if right:
                    self.assertEqual(fast["incorrectly_rounded"] + fast["nan_mismatches"], 0)

    def test_runs_and_single_judgements_agree(self):
        for words in (("fp16", "fp8_e4m3fn", "nearest-even", "ieee"),
                      ("fp16", "fp4_e2m1fn", "up", "saturate"),
                      ("bf16", "fp8_e8m0fnu", "nearest-away", "onnx-24"),
                      ("bf16", "fp8_e5m2fnuz", "down", "ml_dtypes"),
                      ("fp16", "bf16", "toward-zero", "ieee")):
            self.compare(*words[:3], "--profile", words[3], "--impl", "det")

    def test_runs_from_every_small_format(self):
        small = ",".join(name for name in FORMATS if FORMATS[name].width <= 8)
        for target in FORMATS:
            self.compare(small, target, "nearest-even", "--impl", "det")

    def test_runs_where_the_target_has_all_numbers(self):
        """Around zero, the ends of the subnormal numbers, a binade, and overflow; right, and by a detour."""
        ranges = ("0x0:0xfff", "0x7ff800:0x8007ff", "0x3f7ff800:0x3f8007ff", "0x7f7ff800:0x7f8007ff",
                  "0x80000000:0x80000fff", "0xff7ff800:0xff8007ff")
        for target, range_ in itertools.product(("fp32", "fp64"), ranges):
            self.compare("fp32", target, "nearest-even", "--impl", "det", "--range", range_)
            self.compare("fp32", target, "up", "--via", "bf16", "--range", range_, right=False)
        for source in ("fp16", "bf16", "tf32"):
            self.compare(source, "fp32", "down", "--impl", "det")
            self.compare(source, "fp64", "down", "--via", "fp8_e5m2", right=False)

    def test_two_steps_round_twice(self):
        """bf16 keeps 8 bits, fp8_e4m3fn 4: whatever lies just beyond a middle is lost on the way."""
        result, (direct, steps) = self.implementations(
            "--from", "fp16", "--to", "fp8_e4m3fn", "--via", "bf16")
        source, between, target = map(FORMATS.get, ("fp16", "bf16", "fp8_e4m3fn"))
        wrong = []
        for code in range(1 << 15):  # of one sign; the other is alike
            value = source.value(code)
            if value in (NAN, INFINITY):
                continue
            middle = between.value(between.encode(value))
            if target.encode(value) != target.encode(middle):
                wrong.append(code)
        self.assertEqual(direct["incorrectly_rounded"], 0)
        self.assertGreater(len(wrong), 100)
        difference, = result["differences"]
        self.assertEqual(difference["count"], 2 * len(wrong))
        self.assertEqual([row["input"] for row in difference["first"]],
                         [source.bits(code) for code in wrong[:10]])

    def test_look_up_tables(self):
        for words in (("exp", "-f", "fp8_e4m3fn"), ("mul", "-f", "fp8_e5m2"), ("sqrt", "-f", "bf16"),
                      ("cast", "--from", "fp16", "--to", "fp8_e3m4", "--profile", "ml_dtypes")):
            result, = self.results(*words, "--impl", "lut")
            lut, = result["implementations"]
            self.assertEqual(lut["incorrectly_rounded"] + lut["nan_mismatches"], 0)
            self.assertEqual(lut["tested"], lut["correctly_rounded"])

    def test_stochastic_rounding_needs_the_same_numbers(self):
        words = ("--from", "fp16", "--to", "fp8_e5m2", "-r", "stochastic")
        seen = [self.implementations(*words, *more, "--impl", "det")[1][0]["fingerprint"]
                for more in ((), ("--random-seed", 1), ("--random-seed", 2), ("--random", 0),
                             ("--threads", 1))]
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[4])
        self.assertEqual(len(set(seen)), 3)

    def test_stochastic_rounding_and_adding_before_the_cut(self):
        """Whoever adds R' and cuts has the results of 2^N - 1 - R' here: all fractions of 8 bits, on both sides of 0."""
        codes = [sign | 0x3f800000 + (fraction << 8) for sign in (0, 0x80000000) for fraction in range(256)]
        for added in (0, 1, 2, 127, 128, 200, 254, 255):
            found = self.document("eval", "cast", "-f", "fp32", "--to", "bf16", "-r", "stochastic", "--random-bits", 8, "--random", 255 - added,
                                  "--impl", "det", *map(hex, codes))["results"]
            wanted = [hex(code + (added << 8) >> 16) for code in codes]
            self.assertEqual([one["want"] for one in found], wanted)
            self.assertEqual([one["implementations"][0]["got"] for one in found], wanted)

    def test_refusals(self):
        self.assertIn("onnx-19 has no rule for fp6_e2m3fn",
                      self.refuse("sweep", "cast", "--to", "fp6_e2m3fn", "--profile", "onnx-19"))
        self.assertIn("needs --to", self.refuse("sweep", "cast"))
        self.assertIn("not rounded stochastically", self.refuse("sweep", "exp", "-r", "stochastic"))
        self.assertIn("one of several", self.refuse("sweep", "cast", "--to", "e5m2"))
        self.assertIn("more than the 4 bits", self.refuse(
            "sweep", "cast", "--to", "fp16", "-r", "stochastic", "--random-bits", 4, "--random", 16))
        self.assertIn("no raw form", self.refuse("table", "cast", "--from", "fp32", "--to",
                                                 "fp8_e5m2", "--as", "raw"))
        self.assertIn("neither a format nor an operation", self.refuse("table", "zzzzzzzzzz"))
        self.assertIn("softmax has no table", self.refuse("table", "softmax"))
        self.assertIn("2^32", self.refuse("table", "exp", "--format", "fp32"))
        self.assertIn("--as needs text, markdown", self.refuse("table", "exp", "--as", "xml"))


if __name__ == "__main__":
    unittest.main()
