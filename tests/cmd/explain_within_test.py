"""`detcheck explain`: hypotheses about bits that hold in one place.

Environment: EXPLAINED_LIBRARY, the library of explained_library.c.
"""

import struct
import unittest

from explain_test import Explain, function
from harness import some


class Within(Explain):
    """Hypotheses about bits that hold in one place. Next to its ends, which are inputs of the domain, they are wrong, or the
    domain ends."""

    def ends(self, row):
        cause, = (one for one in row["explanations"] if one.get("cause") == 1)
        self.assertEqual((row["unexplained"], cause["explains"], cause["predicts_wrongly"], cause["verdict"]),
                         (0, row["differ"], 0, "all"))
        return cause, tuple(cause.get(name) for name in ("from", "to", "from_below", "to_below"))

    def test_up_to_a_bound(self):
        """Of so many inputs that only buckets of them are counted at first, and, above 4,194,304, some are looked at first."""
        for values, first in some((("0x411e0000:0x41220000", "0x411e0000"), ("0x41000000:0x41420000", "0x41000000")), 1):
            row = self.row("exp", "--range", values, "--impl", function("fp16_below_ten"), "--impl", "cr")
            self.assertIn("computed-in-fp16 a", self.causes(row)[0])
            self.assertEqual(self.ends(row)[1], (first, "0x411fffff", None, None))

    def test_between_two_bounds(self):
        row = self.row("exp", "--range", "0x3f7c0000:0x3f840000", "--impl", "cr", "--impl", function("tf32_above_one"))
        self.assertIn("results-in-tf32 b", self.causes(row)[0])
        self.assertEqual(self.ends(row)[1], ("0x3f800001", "0x3f81ffff", None, None))
        self.assertIn(" for x from 1.0000001 to 1.0156249 (0x3f800001, 0x3f81ffff): B rounds its results to tf32\n", self.said)
        self.assertNotIn("inputs there do", self.said)

    def test_the_interval_of_a_wrong_entry_of_a_table_comes_first(self):
        """Within it the side is as if it were rounded otherwise; the sentence begins with where that is."""
        row = self.row("tanh", "-f", "bf16", "--impl", "cr", "--impl", function("tanh_by_wrong_entry"))
        low, high = (int(end, 16) for end in self.ends(row)[1][:2])
        self.assertTrue(0x3f90 <= low <= 0x3f92 and 0x3fad <= high <= 0x3faf, (low, high))  # 1.125 to 1.375
        self.assertRegex(self.said, r"\n  1\. for \|x\| from 1\.1\d+ to 1\.3\d+ \(0x3f9\w, 0x3fa\w\): B returns the exact result rounded away from zero\n")

    def test_of_both_signs(self):
        row = self.row("exp", "-n", "60000", "--range", "-20:20", "--impl", function("fp16_below_ten"), "--impl", "cr")
        self.assertIn("computed-in-fp16 a", self.causes(row)[0])
        ends = [struct.unpack("<f", struct.pack("<I", int(one, 16)))[0] for one in self.ends(row)[1][:2]]
        self.assertTrue(-10 < ends[0] < -9.5 and 9.5 < ends[1] < 10, ends)
        row = self.row("exp", "-n", "60000", "--range", "-8:8", "--impl", function("fp16_of_negative"), "--impl", "cr")
        self.assertIn("computed-in-fp16 a", self.causes(row)[0])
        first, last = (struct.unpack("<f", struct.pack("<I", int(one, 16)))[0] for one in self.ends(row)[1][:2])
        self.assertTrue(-1.01 < first < -1 and last < -7.9, (first, last))

    def test_two_that_have_nothing_in_common(self):
        row = self.row("exp", "-n", "300000", "--range", "-100:80", "--impl", function("flushed_and_truncated_beyond_eight"), "--impl", "cr")
        self.expect(row, "rounded-toward-zero a, rounded-down a, rounded-by-fp64-toward-zero a", "flushed-results a, flushed-results-to-plus-zero a",
                    verdict="part")
        first, second = (one for one in row["explanations"] if "cause" in one)
        self.assertEqual((first["adds"] + second["adds"], first["predicts_wrongly"], second["predicts_wrongly"]), (row["differ"], 0, 0))
        self.assertGreater(second["adds"], 100)

    def test_what_is_right_as_often_elsewhere_is_no_such_cause(self):
        """Two algorithms differ here and there, and each rounding has long runs of these by chance."""
        for operation in ("sin", "tgamma"):
            row = self.row(operation, "-n", "60000", "--range", "0.1:20", "--impl", "libm", "--impl", "cr")
            self.assertEqual([one["hypothesis"] for one in row["explanations"] if "cause" in one and "period" not in one], [], operation)


if __name__ == "__main__":
    unittest.main()
