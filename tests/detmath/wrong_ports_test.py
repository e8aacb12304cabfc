"""Wrong ports of det fail the vectors of `emit --expect det`, and det itself passes them.

Words: the folder of the sources, detcheck, the compiler. A port is det's headers with one place changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM, COMPILER = sys.argv[1:4]
PORT = """#include <detmath/families.h>
#include <detmath/families_f64.h>
float port_exp(float x);
float port_exp(float x) {
    return detmath_expf(x);
}
float port_sin(float x);
float port_sin(float x) {
    return detmath_sinf(x);
}
double port_exp_f64(double x);
double port_exp_f64(double x) {
    return detmath_exp(x);
}
"""


# The function, the file, what stands there once, and what stands in its place. Each differs from det in few inputs of all.
COEFFICIENT, EVEN = "detmath_fmaf(r, 0x1.555a64p-5f, 0x1.555b8cp-3f)", "DETMATH_L(fmaf)(square, 0x1.6bb106p-10f, -0x1.55554ap-5f)"
REST = "DETMATH_L(fmaf)(r, slope_low, first_low)"
PORTS = [
    ("exp", "exp.h", COEFFICIENT, COEFFICIENT.replace("a64p", "a66p")),
    ("exp", "exp.h", COEFFICIENT, COEFFICIENT.replace("a64p", "a62p")),
    ("exp", "exp.h", COEFFICIENT, "(detmath_productf(r, 0x1.555a64p-5f) + 0x1.555b8cp-3f)"),
    ("sin", "trigonometric_lanes.inc", EVEN, "(DETMATH_L(productf)(square, 0x1.6bb106p-10f) - 0x1.55554ap-5f)"),
    ("sin", "trigonometric_lanes.inc", f"slope, {REST})", "slope, DETMATH_L(productf)(r, slope_low) + first_low)"),
    ("exp_f64", "exp_f64_lanes.inc", "0x1.5555555555557p-3", "0x1.5555555555558p-3"),
    ("exp_f64", "exp_f64_lanes.inc", "0x1.5555555555557p-3", "0x1.5555555555556p-3"),
    ("exp_f64", "exp_f64_lanes.inc", "DETMATH_L(fma)(r, c1, c0)", "(DETMATH_L(product)(r, c1) + c0)"),
]


class WrongPorts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        cls.addClassCleanup(held.cleanup)
        cls.folder = held.name

    def compile(self, file=None, before="", after=""):
        """A library of the port."""
        headers = os.path.join(self.folder, "detmath")
        shutil.copytree(os.path.join(SOURCE, "src", "detmath"), headers,
                        ignore=shutil.ignore_patterns("library", "ports", "*.md", "*.sollya"))
        if file:
            path = os.path.join(headers, file)
            with open(path, encoding="ascii") as stream:
                text = stream.read()
            self.assertEqual(text.count(before), 1, f"{file}: {before}")
            with open(path, "w", encoding="ascii") as stream:
                stream.write(text.replace(before, after))
        library = os.path.join(self.folder, f"port{len(os.listdir(self.folder))}.so")
        words = [COMPILER, "-std=c11", "-shared", "-fPIC", "-O2", "-ffp-contract=off", "-w", "-I", self.folder,
                 "-x", "c", "-", "-o", library]
        subprocess.run(words, input=PORT, text=True, check=True)  # without a word of functions that nobody calls
        shutil.rmtree(headers)
        return library

    def verify(self, library, function):
        """`function` may end in _f64."""
        name, form = function.removesuffix("_f64"), "fp64" if function.endswith("_f64") else "fp32"
        vectors = os.path.join(self.folder, f"{function}.json")
        if not os.path.exists(vectors):
            subprocess.run([PROGRAM, "emit", name, "-f", form, "--expect", "det", "-n", "20", "-o", vectors], check=True)
        return subprocess.run([PROGRAM, "verify", vectors, "--impl", f"lib:{library}:port_{function}"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def check_det(self, *functions):
        library = self.compile()
        for function in functions:
            done = self.verify(library, function)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(f"--impl det --impl lib:{library}:port_{function}", done.stdout)

    def check_wrong_ports(self, *functions):
        ports = [port for port in PORTS if port[0] in functions]
        self.assertEqual(len(ports), 3 * len(functions) - functions.count("sin"))
        for function, file, before, after in ports:
            with self.subTest(function=function, after=after):
                done = self.verify(self.compile(file, before, after), function)
                self.assertEqual(done.returncode, 1, done.stdout)

    # To make vectors of fp32 takes long: emit searches all inputs for the hardest.
    def test_det_passes_in_fp32(self):
        self.check_det("exp", "sin")

    def test_det_passes_in_fp64(self):
        self.check_det("exp_f64")

    def test_wrong_ports_fail_in_fp32(self):
        self.check_wrong_ports("exp", "sin")

    def test_wrong_ports_fail_in_fp64(self):
        self.check_wrong_ports("exp_f64")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
