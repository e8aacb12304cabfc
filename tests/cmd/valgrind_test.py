"""det and cr under valgrind, whose fused multiply-add loses the sign of zero: the same bits, and no error of memory."""

import shutil
import subprocess
import unittest

from harness import Case, PROGRAM, environment


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Valgrind(Case):
    def test_zero_keeps_its_sign(self):
        command = [PROGRAM, "eval", "silu", "0x80000000", "--impl", "det,cr"]
        plain = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
        under = subprocess.run(["valgrind", "-q", "--error-exitcode=99", *command], capture_output=True, text=True,
                               env=environment(), check=False)
        self.assertEqual((under.returncode, under.stderr), (0, ""), under.stdout)
        self.assertEqual(under.stdout, plain.stdout)


if __name__ == "__main__":
    unittest.main()
