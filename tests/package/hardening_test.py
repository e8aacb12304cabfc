"""The program has what makes a mistake in it harder to use: its ELF file says so.

Environment: DETCHECK; SANITIZE, the sanitizers that it is built with.
"""

import os
import platform
import shutil
import subprocess
import unittest

PROGRAM = os.environ["DETCHECK"]
GLIBC = platform.libc_ver()[0] == "glibc"


def read(*words):
    done = subprocess.run(["readelf", "--wide", *words, PROGRAM], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=True)
    return done.stdout.decode()


@unittest.skipUnless(platform.system() == "Linux" and shutil.which("readelf"), "there is no readelf, or no ELF")
@unittest.skipIf(os.environ["SANITIZE"], "sanitizers take the place of the C library's checks")
class Hardening(unittest.TestCase):
    def test_symbols_are_bound_at_the_start_and_read_only(self):
        flags = [line for line in read("--dynamic").splitlines() if "(FLAGS_1)" in line or "(FLAGS)" in line]
        self.assertRegex(" ".join(flags), r"\bNOW\b|\bBIND_NOW\b")
        self.assertIn("GNU_RELRO", read("--segments"))

    def test_the_place_of_the_code_is_drawn(self):
        self.assertIn("DYN (", read("--file-header"))

    def test_the_stack_is_not_executed(self):
        stack, = [line.split() for line in read("--segments").splitlines() if "GNU_STACK" in line]
        self.assertIn("RW", stack)
        self.assertNotIn("RWE", stack)

    @unittest.skipUnless(GLIBC, "the checks are glibc's")
    def test_stack_and_buffers_are_checked(self):
        symbols = read("--dyn-syms")
        self.assertIn("__stack_chk_fail@", symbols)
        self.assertRegex(symbols, r"__(snprintf|memcpy|fprintf|printf|vsnprintf)_chk@")

    @unittest.skipUnless(platform.machine() == "x86_64", "it is of x86-64")
    def test_jumps_go_to_marked_places_only(self):
        if "IBT" not in read("--notes") and "endbr64" not in self.disassembly():
            self.fail("no function begins with endbr64")

    def disassembly(self):
        done = subprocess.run(["objdump", "--disassemble=main", PROGRAM], stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()


if __name__ == "__main__":
    unittest.main()
