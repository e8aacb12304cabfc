"""A sweep's memory does not grow with the number of inputs: 64 MiB are enough for millions."""

import os
import subprocess
import unittest

from harness import PROGRAM, environment

MOST_KIB = 64 * 1024


class Memory(unittest.TestCase):
    def peak(self, *words):
        """The largest resident set of a run, in KiB."""
        process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, env=environment())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss if os.uname().sysname != "Darwin" else usage.ru_maxrss // 1024

    def test_three_million_samples(self):
        self.assertLess(self.peak("sweep", "exp", "--samples", "3000000"), MOST_KIB)

    def test_thirty_million_of_a_range(self):
        # Their outputs would be 128 MiB.
        self.assertLess(self.peak("sweep", "exp", "--range", "0x3c000000:0x3dffffff"), MOST_KIB)

    def test_two_results_of_a_wide_format_on_many_threads(self):
        words = ("sweep", "sincos", "--format", "fp64", "--samples", "1200000", "--threads", "16")
        self.assertLess(self.peak(*words, "--json", "-"), MOST_KIB)


if __name__ == "__main__":
    unittest.main()
