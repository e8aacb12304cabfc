"""The vectors of functions of which few are committed (make.py, FEW): their outputs are worked out again, by the
definitions of tests/property/functions_reference.py. Nothing of these is the program's."""

import os
import sys
import unittest

import reader

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.join(HERE, "..", "..", "vectors")
sys.dont_write_bytecode = True
sys.path += [VECTORS, os.path.join(HERE, "..", "property")]
import make  # noqa: E402

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)
import functions_reference as reference  # noqa: E402


class Values(unittest.TestCase):
    def check(self, folder):
        width, tested = reference.FORMATS[folder].width, 0
        index = reader.load(make.INDEX)
        for name in make.FEW:
            path, = (path for path in index[name] if path.startswith(folder + "/"))
            group, = (group for group in reader.load(os.path.join(make.SMALL_SET, path))["testGroups"]
                      if group["operation"] == name and group["expect"] == "correctly_rounded" and
                      group["rounding"] == "nearest-even")
            for test in group["tests"]:
                codes = [int(bits, 16) for bits in test["in"]]
                if any(reference.is_signalling(folder, code) for code in codes) or reference.is_beyond(name, folder, codes):
                    continue
                want, = reference.expected(name, folder, codes, ("nearest-even",))
                tested += 1
                self.assertEqual(test["out"], [f"0x{code:0{width // 4}x}" for code in want], (name, test))
        self.assertGreater(tested, 8 * len(make.FEW))

    def test_in_fp16(self):
        self.check("fp16")

    def test_in_fp32(self):
        self.check("fp32")


if __name__ == "__main__":
    unittest.main()
