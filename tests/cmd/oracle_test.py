"""The fast oracle against the exact one through the program, on the platform's own libm: ranges where
the two once differed, and one around every landmark that the functions share. tests/sweep/judge/fast_test.c
does the same for spoilt outputs of every function."""

import unittest

from harness import Case

RANGES = [
    # Just above a power of two the number below it is less than an ulp away and no neighbour.
    ("atanh", "0x37000000:0x37000000", "down"),
    ("atanh", "0xb5800000:0xb5800000", "toward-zero"),
    # Errors far below what the fast oracle counts in are not 0.
    ("tgamma", "0xc2380a3d:0xc2381fff", "nearest-even"),
    ("tgamma", "0xc2380a3d:0xc2381fff", "up"),
    # The first input of the largest error, where many share it.
    ("asinh", "0x3685156b:0x368528f3", "up"),
    ("tan", "0x367f7748:0x367fb000", "nearest-even"),
    ("tanh", "0x41d57000:0x41d59000", "down"),
    ("erf", "0x40e29000:0x40e2a000", "toward-zero"),
    # Two results, few inputs, blocks that are covered in part.
    ("sincos", "0x40490f00:0x404912e8", "nearest-even"),
    ("sin", "0x3f800100:0x3f800200", "nearest-even"),
    # Ends of domains, infinity, NaN, subnormals, overflow and underflow, large arguments.
    ("acosh", "0x3f7ff800:0x3f800800", "nearest-even"),
    ("asin", "0xbf7ff800:0xbf800800", "up"),
    ("log", "0x007ff800:0x00800800", "down"),
    ("log", "0x80000000:0x80001000", "nearest-even"),
    ("sqrt", "0x7f7ff800:0x7f800800", "nearest-even"),
    ("exp", "0x42b17000:0x42b18000", "up"),
    ("exp", "0xc2cff000:0xc2d00000", "nearest-even"),
    ("cos", "0x7f7ff000:0x7f7fffff", "nearest-even"),
    ("tan", "0xcb000000:0xcb001000", "toward-zero"),
    ("cbrt", "0x80000000:0x80001000", "nearest-even"),
]


class Oracles(Case):
    def report(self, operation, inputs, rounding, oracle):
        document = self.document("sweep", operation, "--range", inputs, "--rounding", rounding,
                                 "--oracle", oracle)
        results = document["results"]
        means, counts = [], []
        for result in results:
            counts.append(result.pop("oracle"))
            for implementation in result["implementations"]:
                means.append(implementation.pop("mean_ulp"))
                del implementation["error_sum"]  # what the mean is made of
        return results, means, counts

    def test_the_filter_changes_no_verdict(self):
        for operation, inputs, rounding in RANGES:
            with self.subTest(operation=operation, inputs=inputs, rounding=rounding):
                fast, fast_means, counts = self.report(operation, inputs, rounding, "auto")
                exact, exact_means, _ = self.report(operation, inputs, rounding, "exact")
                self.assertEqual(fast, exact)
                for one, other in zip(fast_means, exact_means):
                    self.assertAlmostEqual(one, other, delta=1e-6)
                for result, count in zip(fast, counts):
                    self.assertEqual(count["fast"] + count["exact"], result["inputs"]["count"])

    def test_every_block_is_rechecked(self):
        # However little of a block is swept; a block of 2^18 here.
        for inputs, blocks in (("0x3f400123:0x3f400124", 1), ("0x3f43ffff:0x3f440000", 2),
                               ("0x3f400000:0x3f4fffff", 4)):
            for recheck in (1, 5):
                _, _, counts = self.report_of_recheck(inputs, recheck)
                self.assertEqual(counts[0]["rechecked"], blocks * recheck)

    def report_of_recheck(self, inputs, recheck):
        document = self.document("sweep", "exp", "--range", inputs, "--recheck", recheck)
        return None, None, [result["oracle"] for result in document["results"]]


if __name__ == "__main__":
    unittest.main()
