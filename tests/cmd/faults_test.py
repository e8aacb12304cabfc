"""A libm with one planted fault: the sweep must find that very input, and nothing else may change.

Each test sweeps twice with the same library in front, once without a fault and once with it, and
compares the two reports field by field.
"""

import decimal
import math
import platform
import struct
import unittest
from fractions import Fraction

from formats import FORMATS, FP16, FP32, FP64
from harness import Case, faulty, needs_faulty_libm

decimal.getcontext().prec = 60
RANGE = ("--range", "0x3f800000:0x3f80ffff")  # 2^16 inputs from 1 on
AT = 0x3F8012AB

# What one wrong number must change. Its largest error, rank and binade may change as well.
WRONG_NUMBER = {"correctly_rounded", "incorrectly_rounded", "fingerprint"}
ERRORS = {"max_ulp", "mean_ulp", "error_sum", "histogram", "by_binade", "worst", "over_1_ulp",
          "faithful", "percentiles"}
WRONG_NAN = {"correctly_rounded", "nan_mismatches", "first_mismatches", "first_nan_mismatch", "fingerprint", "faithful"}


def exp_of(code):
    value = FP32.value(code)
    return Fraction((decimal.Decimal(value.numerator) / value.denominator).exp())


@needs_faulty_libm
class FaultCase(Case):
    def both(self, *words, **settings):
        """libm's entries without and with the fault, result by result."""
        pairs = []
        words += ("--impl", "libm")
        clean = self.results(*words, env=faulty())
        code = 1 if "mode" in settings else 0
        faulted = self.results(*words, env=faulty(**settings), code=code)
        for before, after in zip(clean, faulted, strict=True):
            # Which oracle decides may depend on the output; that both decide all may not.
            decided = [one["oracle"]["fast"] + one["oracle"]["exact"] for one in (before, after)]
            self.assertEqual(decided[0], decided[1])
            same = {"implementations": None, "oracle": None}
            self.assertEqual({**before, **same}, {**after, **same})
            pairs.append((before["implementations"][0], after["implementations"][0]))
        return pairs

    def pair(self, *words, **settings):
        found, = self.both(*words, **settings)
        return found

    def compare(self, before, after, must=frozenset(), may=frozenset()):
        changed = {name for name in {**before, **after} if before.get(name) != after.get(name)}
        self.assertLessEqual(set(before) ^ set(after), {"first_nan_mismatch", "first_sign_mismatch"})
        # The envelope has each error, and how many are not right. Rounded, an error may be the same.
        if "envelope" in before and "correctly_rounded" in changed:
            self.assertIn("envelope", changed)
        changed.discard("envelope")
        self.assertGreaterEqual(changed, must)
        self.assertLessEqual(changed, must | may)

    def moved(self, before, after, name, by=1):
        self.assertEqual(after[name], before[name] + by, name)

    def wrong_number(self, before, after, at, got):
        """One number is wrong, at the input that is written so, and it is among the worst."""
        self.compare(before, after, WRONG_NUMBER, ERRORS)
        self.moved(before, after, "incorrectly_rounded")
        self.moved(before, after, "correctly_rounded", -1)
        row, = [row for row in after["worst"] if row["input"] == at]
        self.assertEqual(row["got"], got)
        kept = [other for other in after["worst"] if other is not row]
        self.assertEqual(kept, before["worst"][:len(kept)])
        return row

    def wrong_nan(self, before, after, at, got=None):
        """One NaN where there should be none, or the reverse."""
        self.compare(before, after, WRONG_NAN, ERRORS | {"judged_in_ulps", "nan_bits_differ"})
        self.moved(before, after, "nan_mismatches")
        self.moved(before, after, "correctly_rounded", -1)
        row, = [row for row in after["first_mismatches"] if row not in before["first_mismatches"]]
        self.assertEqual(row["input"], at)
        if got:
            self.assertEqual(row["got"], got)


class WrongNumber(FaultCase):
    def test_any_one_wrong_bit_is_found(self):
        right = FP32.encode(exp_of(AT))
        for bit in (0, 1, 11, 22, 23, 30, 31):
            before, after = self.pair("exp", *RANGE, at=AT, xor=1 << bit)
            row = self.wrong_number(before, after, FP32.bits(AT), FP32.bits(right ^ 1 << bit))
            self.assertEqual(row["want"], FP32.bits(right))
            error = float(FP32.error(exp_of(AT), right ^ 1 << bit))
            self.assertAlmostEqual(row["error"] / error, 1, places=12)
            self.assertEqual(after["max_ulp"], row)
            self.moved(before, after, "over_1_ulp", by=int(error > 1))
            self.assertEqual(sum(row["incorrect"] for row in after["by_binade"]),
                             sum(row["incorrect"] for row in before["by_binade"]) + 1)

    def test_first_and_last_input(self):
        for at in (0x3F800000, 0x3F80FFFF):
            before, after = self.pair("exp", *RANGE, at=at, xor=2)
            self.wrong_number(before, after, FP32.bits(at), FP32.bits(FP32.encode(exp_of(at)) ^ 2))

    def test_one_ulp_exactly(self):
        # sqrt(4) = 2 is exact, so the next number up is off by one unit, not more.
        before, after = self.pair("sqrt", "--range", "4:4.0009765625", at=0x40800000, xor=1)
        row = self.wrong_number(before, after, "0x40800000", "0x40000001")
        self.assertEqual(row["error"], 1)
        self.moved(before, after, "over_1_ulp", by=0)
        self.moved(before, after, "faithful", by=-1)

    def test_narrow_formats_by_way_of_fp32(self):
        for name, code in (("fp16", 0x3C01), ("bf16", 0x3F81), ("fp8_e5m2", 0x3D)):
            narrow = FORMATS[name]
            wide = FP32.encode(narrow.value(code))
            right = FP32.encode(exp_of(wide))
            got = narrow.encode(FP32.value(right ^ 0x800000))
            before, after = self.pair("exp", "--format", name, at=wide, xor=0x800000)
            self.wrong_number(before, after, narrow.bits(code), narrow.bits(got))

    def test_below_the_narrow_format(self):
        # A bit that is rounded away leaves no trace, as it leaves none in what frameworks return.
        wide = FP32.encode(FP16.value(0x3C01))
        before, after = self.pair("exp", "--format", "fp16", at=wide, xor=1)
        self.compare(before, after)

    def test_a_wrong_bit_is_found_in_fp64(self):
        at = 0x3FF0000000000123
        before, after = self.pair("exp2", "--format", "fp64", "--range",
                                  "0x3ff0000000000000:0x3ff0000000000fff", at=at, xor=0x10)
        self.wrong_number(before, after, FP64.bits(at), after["max_ulp"]["got"])
        self.assertEqual(int(after["max_ulp"]["got"], 16), int(after["max_ulp"]["want"], 16) ^ 0x10)

    def test_one_of_two_results(self):
        words = ("sincos", *RANGE)
        sine, cosine = self.both(*words, at=AT, xor=0x1000, result=1)
        self.compare(*sine)
        row = self.wrong_number(*cosine, FP32.bits(AT), cosine[1]["max_ulp"]["got"])
        self.assertEqual(int(row["got"], 16) ^ int(row["want"], 16), 0x1000)

    def test_one_of_many_pairs(self):
        ranges = ("--range", "0x3f800000:0x3f8000ff", "--range", "0x40000000:0x400000ff")
        at = ["0x3f800044", "0x400000fe"]
        before, after = self.pair("pow", *ranges, at=0x3F800044, xor=0x1000, **{"and": 0x400000FE})
        self.wrong_number(before, after, at, after["max_ulp"]["got"])

    def test_one_flushed_subnormal_is_found(self):
        # exp(-100) is subnormal; a library that flushes returns zero.
        at = FP32.encode(Fraction(-100))
        before, after = self.pair("exp", "--range", "-100.125:-99.875", at=at, set=0)
        row = self.wrong_number(before, after, FP32.bits(at), "0x00000000")
        self.assertAlmostEqual(row["error"], float(exp_of(at) * 2 ** 149), places=6)

    def test_infinity_for_a_number(self):
        before, after = self.pair("exp", *RANGE, at=AT, set=0x7F800000)
        row = self.wrong_number(before, after, FP32.bits(AT), "0x7f800000")
        # Infinity stands for 2^128, and exp(1.0006) lies in [2, 4).
        expected = (Fraction(2) ** 128 - exp_of(AT)) / Fraction(2) ** (1 - 23)
        self.assertAlmostEqual(row["error"] / float(expected), 1, places=12)

    def test_number_for_infinity(self):
        at = FP32.encode(Fraction(100))
        before, after = self.pair("exp", "--range", "99.9375:100.0625", at=at, set=0x7F7FFFFF)
        row = self.wrong_number(before, after, FP32.bits(at), "0x7f7fffff")
        self.assertEqual(row["want"], "0x7f800000")
        self.assertEqual(row["error"], 1)  # 2^128 less the largest number, which is one unit

    def test_more_than_the_worst_ten(self):
        # 16 inputs end in 0xabc of 2^16; ten are shown and all are counted.
        before, after = self.pair("exp", *RANGE, at=0xABC, mask=0xFFF, xor=0x800)
        self.moved(before, after, "incorrectly_rounded", by=16)
        self.assertEqual(len(after["worst"]), 10)
        for row in after["worst"]:
            self.assertTrue(row["input"].endswith("abc"))


class NotANumber(FaultCase):
    def test_nan_for_a_number(self):
        before, after = self.pair("exp", *RANGE, at=AT, set=0x7FC00000)
        self.wrong_nan(before, after, FP32.bits(AT), "0x7fc00000")
        self.moved(before, after, "judged_in_ulps", by=-1)

    def test_number_for_nan(self):
        at = FP32.encode(Fraction(-1))
        before, after = self.pair("sqrt", "--range", "-1.0009765625:-1", at=at, set=0x3F800000)
        self.wrong_nan(before, after, FP32.bits(at), "0x3f800000")

    def test_nan_in_a_narrow_format(self):
        wide = FP32.encode(FP16.value(0x3C01))
        before, after = self.pair("exp", "--format", "fp16", at=wide, set=0x7FC00000)
        self.wrong_nan(before, after, "0x3c01", "0x7e00")

    def test_other_nan_bits_are_counted_and_nothing_more(self):
        at, words = 0x7FC00000, ("sqrt", "--range", "0x7f7fff00:0x7fc000ff")
        before, after = self.pair(*words, at=at, set=0xFFC12345)
        self.compare(before, after, {"nan_bits_differ"})
        self.moved(before, after, "nan_bits_differ")

    def test_other_nan_bits_are_a_mismatch_when_strict(self):
        at, words = 0x7FC00000, ("sqrt", "--range", "0x7fbfffff:0x7fc000ff", "--strict-nan")
        before, after = self.pair(*words, at=at, set=0xFFC12345)
        must = {"nan_bits_differ", "nan_mismatches", "correctly_rounded", "faithful",
                "first_mismatches"}
        self.compare(before, after, must, {"first_nan_mismatch"})  # the fingerprint has NaNs canonical
        self.moved(before, after, "nan_mismatches")


class SignOfZero(FaultCase):
    def test_a_zero_of_the_wrong_sign_is_found(self):
        for at, got in ((0x80000000, 0), (0, 0x80000000)):
            before, after = self.pair("sin", "--special", at=at, set=got)
            self.compare(before, after, WRONG_NUMBER | {"sign_mismatches", "first_mismatches", "first_sign_mismatch"},
                         {"judged_in_ulps", "mean_ulp", "error_sum", "histogram", "faithful"})
            self.moved(before, after, "sign_mismatches")
            self.moved(before, after, "incorrectly_rounded")
            self.moved(before, after, "judged_in_ulps", by=-1)
            row, = after["first_mismatches"]
            self.assertEqual(row, {"input": FP32.bits(at), "got": FP32.bits(got),
                                   "want": FP32.bits(at)})

    def test_sign_of_an_underflow(self):
        # exp never returns -0: not even where the result is too small for any number.
        at = FP32.encode(Fraction(-200))
        before, after = self.pair("exp", "--range", "-201:-199", at=at, set=0x80000000)
        self.moved(before, after, "sign_mismatches")
        self.assertEqual(after["first_mismatches"][0]["want"], "0x00000000")
        profiles = [{row["exponent"]: row["incorrect"] for row in one["by_binade"]}
                    for one in (before, after)]
        self.assertEqual(profiles[1], {**profiles[0], 7: profiles[0][7] + 1})  # 2^7 <= 200 < 2^8

    def test_text_says_so(self):
        text = self.succeed("sweep", "sin", "--special", env=faulty(at=0x80000000, set=0))
        self.assertRegex(text, r"wrong sign of zero +1\n.*-0x0p\+0 +0x80000000\n.*got +0 ")


class RoundingMode(FaultCase):
    """A library that leaves the rounding mode changed: one event, at that input. What follows it is judged as computed
    in that mode and in the right one, and the worse counts: an event says where they differ first."""

    def changed(self, before, after):
        """The inputs at which the mode was changed, and how often answers differ."""
        counts = dict(after["event_counts"])
        differing = counts.pop("answers-differ", 0)
        self.assertEqual({*counts}, {"rounding-changed"})
        self.assertEqual((before["events"], before["tested"], before["unanswered"]), ([], after["tested"], 0))
        if not differing:
            self.compare(before, after, {"events", "event_counts"})
        else:
            self.assertGreater(after["incorrectly_rounded"], before["incorrectly_rounded"])
            self.assertGreaterEqual(after["error_sum"], before["error_sum"])
        return [int(event["input"], 16) for event in after["events"] if event["kind"] == "rounding-changed"], differing

    def changed_mode(self, mode, *words, differs=1):
        before, after = self.pair("exp", *RANGE, *words, at=AT, mode=mode)
        self.assertEqual(self.changed(before, after), ([AT], differs))
        self.assertEqual(after["event_counts"]["rounding-changed"], 1)

    def test_a_rounding_mode_that_was_changed_by_fenv_is_named(self):
        for mode in ("up", "down", "zero"):
            self.changed_mode(mode)

    def test_from_another_mode(self):
        self.changed_mode("down", "--rounding", "up")

    @unittest.skipUnless(platform.machine() in ("x86_64", "AMD64"), "two units only on x86-64")
    def test_one_unit_behind_the_back_of_fenv(self):
        self.changed_mode("mxcsr")
        self.changed_mode("x87", differs=0)

    def test_does_not_reach_the_next_sweep(self):
        # exp leaves the mode changed in its last slice; sin, which follows, must not notice.
        words = ("exp", "sin", *RANGE, "--threads", 1)
        before, after = self.both(*words, at=0x3F80FFFF, mode="zero")
        self.compare(*before, {"events", "event_counts"})
        sine_before, sine_after = after
        self.assertEqual(len(sine_after["events"]), 1)  # sin has the fault, too: its own
        self.compare(sine_before, sine_after, {"events", "event_counts"})

    def test_many_changes_are_counted_and_the_first_are_named(self):
        before, after = self.pair("exp", *RANGE, at=0xF, mask=0x3FF, mode="up")
        named, differing = self.changed(before, after)
        self.assertEqual((after["event_counts"]["rounding-changed"], differing, len(after["events"])), (64, 16, 16))
        self.assertEqual(named, [0x3F80000F + 0x400 * i for i in range(len(named))])
        self.assertGreater(len(named), 8)

    def test_in_a_narrow_format(self):
        wide, = struct.unpack("<I", struct.pack("<f", math.pi))
        code = FP16.encode(FP32.value(wide))
        before, after = self.pair("exp", "--format", "fp16", at=FP32.encode(FP16.value(code)),
                                  mode="down")
        self.compare(before, after, {"events", "event_counts"})
        self.assertEqual(after["events"],
                         [{"kind": "rounding-changed", "input": FP16.bits(code)}])


class Detail(FaultCase):
    def test_report_names_the_library_in_front(self):
        self.assertIn("faulty_libm", self.libm("exp", *RANGE, env=faulty())["detail"])


if __name__ == "__main__":
    unittest.main()
