"""The table of detcheck-casts(7) is what the program says now, and for the types and profiles of ONNX
what the tables of ONNX state, as cast_test.py has them."""

import unittest

import cast_test
import profile_table
from formats import FORMATS, Format


class ProfileTable(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.rows = profile_table.table()

    def test_the_page_is_up_to_date(self):
        _, inside, _ = profile_table.page_parts()
        self.assertEqual(inside, profile_table.text(self.rows),
                         "tests/cmd/profile_table.py --write makes it anew")

    def test_formats_profiles_and_inputs(self):
        small = {form.name for form in FORMATS.values() if form.width <= 8}
        self.assertEqual(set(self.rows), small)
        for name, (codes, by_profile) in self.rows.items():
            form = FORMATS[name]
            self.assertLessEqual(set(cast_test.PROFILES) | {"ieee", "ml_dtypes", "ocp"}, set(by_profile))
            # The input above the largest number is the first to be rounded away from it.
            endless = Format("endless", 12, form.fraction_bits, form.bias,
                             "scale" if form.family == "scale" else "ieee")
            greatest = form.value(form.greatest)
            above = profile_table.first_beyond(codes)
            first, second = (endless.value(endless.encode(FORMATS["fp32"].value(bits)))
                             for bits in (above - 2, above))
            self.assertEqual(first, greatest)
            self.assertGreater(second, greatest)

    def test_the_table_agrees_with_the_tables_of_onnx(self):
        for name in cast_test.COLUMNS:
            codes, by_profile = self.rows[name]
            for profile in cast_test.PROFILES:
                for bits, got in zip(profile_table.inputs(codes), by_profile[profile], strict=True):
                    want = cast_test.expected(FORMATS["fp32"], FORMATS[name], bits, "nearest-even",
                                              profile)
                    good = FORMATS[name].is_nan(got) if want is None else got == want
                    self.assertTrue(good, (name, profile, hex(bits), hex(got), want))


if __name__ == "__main__":
    unittest.main()
