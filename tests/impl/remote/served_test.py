"""detcheck-worker: each implementation through it has the bits that it has without.

Environment: DETCHECK; WORKER, the program.
"""

import os
import shlex
import struct
import subprocess
import unittest

from harness import Case, parse

WORKER = os.environ["WORKER"]


def through(name=""):
    return f"exec:{shlex.quote(WORKER)} {name}".rstrip()


class Served(Case):
    def entries(self, *words, code=0):
        done = self.run_program("sweep", *words, "--json", "-")
        self.assertEqual(done.returncode, code, done.stderr)
        return [result["implementations"] for result in parse(done.stdout.decode())["results"]]

    def test_numbers_arrays_and_conversions_are_those_of_the_implementation(self):
        rows = [("sin", "-f", "fp16"), ("sincos", "-f", "bf16"), ("pow", "-n", 3000), ("atan2", "-n", 3000),
                ("exp", "-f", "fp64", "-n", 3000), ("cast", "-f", "fp16", "--to", "fp8_e4m3fn"),
                ("cast", "-f", "fp16", "--to", "fp8_e5m2", "-r", "toward-zero"),
                ("softmax", "-n", 20, "--shape", "4x16"), ("matmul", "-n", 20, "--shape", "8x16x8")]
        for words in rows:
            with self.subTest(words=words):
                for own, served in self.entries(*words, "--impl", "det", "--impl", through("det"), code=0):
                    self.assertEqual(own["fingerprint"], served["fingerprint"])

    def test_without_a_name_it_is_libm_and_says_which(self):
        (own, served), = self.entries("exp", "-f", "fp32", "-n", 5000, "--impl", "libm", "--impl", through())
        self.assertEqual(own["fingerprint"], served["fingerprint"])
        self.assertEqual(own["detail"], served["detail"])

    def test_flags_are_told(self):
        done = self.run_program("sweep", "log", "-f", "fp32", "-n", 2000, "--flags", "--errno", "--json", "-", "--impl",
                                "libm", "--impl", through("libm"))
        own, served = parse(done.stdout.decode())["results"][0]["implementations"]
        self.assertIn("flags", own)
        for member in ("flags", "errno"):
            self.assertEqual(own.get(member), served.get(member))

    def test_what_it_does_not_have_is_said(self):
        done = self.run_program("sweep", "sigmoid", "-n", 100, "--impl", through("libm"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"sigmoid", done.stderr)

    def test_what_is_no_request_ends_it_with_one_line(self):
        header = b"detcheck" + struct.pack("<6I", 1, 1, 1, 4, 4, 0)
        header += b"".join(name.ljust(32, b"\0") for name in (b"sin", b"fp32", b"fp32", b"nearest-even"))
        for sent in (b"", b"x" * 200, header + struct.pack("<2IQ", 4, 1, 0), header + struct.pack("<2IQ", 2, 1 << 16, 0),
                     header + struct.pack("<2IQ", 2, 4, 0) + b"abc"):
            with self.subTest(sent=sent[:24]):
                done = subprocess.run([WORKER], input=sent, capture_output=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)

    def test_a_name_that_is_none_is_refused(self):
        for words in (["nonesuch"], ["--nonesuch"], ["det", "cr"]):
            done = subprocess.run([WORKER, *words], input=b"", capture_output=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
