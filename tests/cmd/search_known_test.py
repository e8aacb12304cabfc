"""What `detcheck search` finds from no given start in glibc 2.36: at least these errors."""

import os
import unittest

from harness import Case

# Function: ulps, and evaluations, of which a minute of one idle core makes some 10^9. Larger errors are known: acosh
# 2.2399, cbrt 3.66, exp 0.51035.
KNOWN = {
    "acosh": (2.223, 60_000_000),
    "cbrt": (3.61, 60_000_000),
    "exp": (0.509, 60_000_000),
}


class Known(Case):
    def test_at_least_as_large(self):
        platform = self.document("env")["platform"]
        if (platform["libc"], platform["libm_variant"]) != ("glibc 2.36", "fma"):
            self.skipTest("the figures are those of glibc 2.36 with FMA, not of "
                          f"{platform['libc']}, {platform['libm_variant']}")
        threads = os.cpu_count() or 1
        for function, (error, evaluations) in KNOWN.items():
            with self.subTest(function=function):
                result, = self.document("search", function, "-f", "fp64", "--evaluations", evaluations, "--threads",
                                        threads)["results"]
                self.assertGreaterEqual(result["implementations"][0]["max_ulp"]["error"], error)


if __name__ == "__main__":
    unittest.main()
