"""The adapter for decimal texts, texts_adapter.py: what Python, numpy, node and the C library read and write, through detcheck, is
what they read and write here."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401  (goes on in a Python that has numpy)
import numpy as np  # noqa: E402

from harness import Case, parse  # noqa: E402

ADAPTERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "impl", "adapters")
# Middles of fp64 and of fp32, cut, whole and with a digit behind; least numbers; what overflows; zeros.
TEXTS = ["1e23", "9007199254740993", "9007199254740993.00000000000000000000000000001", "1.00000005960464477539062500001",
         "1.000000178813934326171875", "-7.4109846876186981626486e-324", "-7.006492321624085355e-46", "1e-46", "-1e-400", "1e39", "1e309",
         "0.1", "-0.0", "000123.4500e-2"]
NUMBERS = [0.1, 2.5, -0.0, 5e-324, 1e23, 123456789.5, 1.7976931348623157e308, -2.0 ** -44]


def adapter(*words):
    return " ".join(["exec:" + sys.executable, "-B", os.path.join(ADAPTERS, "texts_adapter.py"), *words])


def code_of(value):
    kind = "<f" if isinstance(value, np.float32) else "<d"
    return int.from_bytes(struct.pack(kind, value), "little")


class TextsTest(Case):
    def answers(self, operation, values, implementation, *options):
        result, = parse(self.succeed("eval", operation, *options, "--impl", implementation, "--json", "-", "--", *values))["results"]
        return [element["implementations"][0]["got"] for element in result["elements"]]

    def read(self, implementation, *options):
        return [int(got, 16) for got in self.answers("from_decimal", TEXTS, implementation, *options)]

    def write(self, implementation, *options):
        return self.answers("to_decimal", [value.hex() for value in NUMBERS], implementation, *options)

    def assert_right(self, implementation, *words):
        """Of a sweep of a call of each shape, all outputs are."""
        for result in self.results(*words, "-n", "1", "--impl", implementation):
            tally, = result["implementations"]
            self.assertEqual((tally["incorrectly_rounded"], tally["nan_mismatches"], tally["events"]), (0, 0, []), result["parameters"])
            self.assertGreater(tally["tested"], 50)

    def test_python_reads_and_writes(self):
        self.assertEqual(self.read(adapter("python")), [code_of(float(text)) for text in TEXTS])
        for digits in (0, 16, 40):
            for style, letter in (("exponent", "e"), ("fixed", "f"), ("general", "g")):
                self.assertEqual(self.write(adapter("python"), "--style", style, "--digits", str(digits)),
                                 [f"%.{digits}{letter}" % value for value in NUMBERS])
        self.assertEqual([float(text) for text in self.write(adapter("python"))], NUMBERS)
        self.assert_right(adapter("python"), "from_decimal", "--distribution", "halfway")
        self.assert_right(adapter("python"), "to_decimal", "--distribution", "near-ties")

    def test_numpy_reads_and_writes(self):
        with np.errstate(over="ignore"):
            self.assertEqual(self.read(adapter("numpy"), "--to", "fp32"), [code_of(np.float32(text)) for text in TEXTS])
        self.assertEqual(self.read(adapter("numpy")), [code_of(np.float64(text)) for text in TEXTS])
        self.assertEqual(self.write(adapter("numpy"), "--style", "exponent", "--digits", "16"), ["%.16e" % value for value in NUMBERS])
        self.assert_right(adapter("numpy"), "from_decimal", "--distribution", "ends")

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_node_reads_and_writes(self):
        self.assertEqual(self.read(adapter("node")), [code_of(float(text)) for text in TEXTS])
        self.assertEqual([float(text) for text in self.write(adapter("node"))], NUMBERS)
        # Its specification has ties go up.
        self.assertEqual(self.answers("to_decimal", ["2.5", "-0.5", "12.5"], adapter("node"), "--style", "exponent", "--digits", "0"),
                         ["3e+00", "-5e-01", "1e+01"])
        self.assert_right(adapter("node"), "from_decimal", "--distribution", "halfway")
        for grammar in ("javascript", "parse-float"):  # hexadecimal and words, too: Number reads 0x10 and parseFloat stops at its x
            self.assert_right(adapter("node"), "from_decimal", "--grammar", grammar)
        here = [self.answers("from_decimal", ["0x10", "1e1x"], adapter("node"), "--grammar", grammar) for grammar in ("javascript", "parse-float")]
        self.assertEqual([[int(code, 16) for code in codes] for codes in here],
                         [[code_of(16.0), code_of(float("nan"))], [code_of(0.0), code_of(10.0)]])

    @unittest.skipUnless(shutil.which("cc"), "cc is not installed")
    def test_a_command_reads_and_writes(self):
        """The C library's, by a process of lines: as libm by itself."""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "texts_lines")
            subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", os.path.join(ADAPTERS, "texts_lines.c"), "-lm", "-o",
                            program], check=True)
            for words in (["from_decimal", "--distribution", "ends"], ["from_decimal", "--distribution", "words"],
                          ["from_decimal", "--to", "fp32", "--distribution", "fractions"],
                          ["to_decimal", "--style", "exponent", "--digits", "16", "--distribution", "ties"],
                          ["to_decimal", "-f", "fp32", "--style", "hexadecimal", "--distribution", "normal"]):
                for result in self.results(*words, "-n", "1", "--impl", "exec-text:" + program, "--impl", "libm"):
                    self.assertEqual(result["differences"][0]["count"], 0, result["parameters"])
                    self.assertGreater(result["implementations"][0]["tested"], 50)
            done = self.run_program("sweep", "to_decimal", "--distribution", "ends", "-n", "1", "--impl", "exec-text:" + program)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn("nothing was tested: texts_lines has from_decimal and to_decimal in fp32", done.stderr.decode())

    def test_only_numpy_needs_numpy(self):
        """In a Python whose numpy cannot be imported."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "numpy.py"), "w", encoding="ascii") as stream:
                stream.write("raise ImportError('there is none')\n")

            def blind(command):
                return command.replace("exec:", f"exec:env PYTHONPATH={folder} ")

            for who in ("python", *(["node"] if shutil.which("node") else [])):
                self.assertEqual(self.read(blind(adapter(who))), [code_of(float(text)) for text in TEXTS])
                self.assertEqual([float(text) for text in self.write(blind(adapter(who)))], NUMBERS)
            for command in (adapter("numpy"), adapter().replace("texts_", "numpy_")):
                done = self.run_program("sweep", "from_decimal", "--distribution", "normal", "-n", "1", "--impl", blind(command))
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertRegex(done.stderr.decode(), "^detcheck: nothing was tested: [^\n]*cannot import numpy: there is none\n$")

    def test_python_reads_words_by_its_own_grammar(self):
        self.assert_right(adapter("python"), "from_decimal", "--grammar", "python", "--distribution", "words")
        result, *_ = self.results("from_decimal", "--distribution", "words", "-n", "1", "--impl", adapter("python"))
        self.assertGreater(result["implementations"][0]["nan_mismatches"], 100)  # by strtod's, which reads a beginning

    def test_what_it_does_not_know(self):
        for who, words in (("python", ["from_decimal", "--to", "fp32"]), ("python", ["from_decimal", "--grammar", "scanf"]),
                           ("numpy", ["to_decimal", "--style", "hexadecimal"]),
                           ("python", ["from_decimal", "-r", "up"]), ("numpy", ["sum"])):
            done = self.run_program("sweep", *words, "--distribution", "normal", "-n", "1", "--impl", adapter(who))
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertRegex(done.stderr.decode(), r"^detcheck: nothing was tested: (Python|numpy) [^\n]* has no [^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
