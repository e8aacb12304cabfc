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


def header_of(operation, rounding, text=b"", operands=1):
    """What detcheck sends first, of fp32."""
    header = b"detcheck" + struct.pack("<6I", 1, operands, 1, 4, 4, len(text))
    return header + b"".join(name.ljust(32, b"\0") for name in (operation, b"fp32", b"fp32", rounding)) + text


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
        self.assertLessEqual({"flags", "errno"}, own.keys())
        for member in ("flags", "errno"):
            self.assertEqual(own[member], served[member])

    def test_what_it_does_not_have_is_said(self):
        done = self.run_program("sweep", "sigmoid", "-n", 100, "--impl", through("libm"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"sigmoid", done.stderr)

    def test_a_rounding_that_it_does_not_know_is_refused(self):
        for rounding, status in ((b"nearest-even", 0), (b"to-the-moon", 1)):
            done = subprocess.run([WORKER, "cr"], input=header_of(b"sin", rounding), capture_output=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(done.stdout[:8], b"detreply")
            self.assertEqual(struct.unpack_from("<I", done.stdout, 8)[0], status)
            if status:
                self.assertIn(b"unknown rounding 'to-the-moon'", done.stdout)

    def test_arrays_that_are_no_call_end_it_with_one_line(self):
        def call(operand, result):
            shapes = b"".join(struct.pack("<2I8Q", len(one), 4, *one, *[0] * (8 - len(one))) for one in (operand, result))
            return struct.pack("<2IQ", 4, 1, 0) + shapes + bytes(4096)

        header = header_of(b"softmax", b"nearest-even", b"arrays=1\noperand1=fp32\nresult1=fp32\n", operands=1)
        for operand, result in (((100000,), (1,)), ((1 << 33, 1 << 31), (1 << 33, 1 << 31)), ((1 << 62, 4), (1 << 62, 4)), ((0,), (0,))):
            with self.subTest(operand=operand):
                done = subprocess.run([WORKER, "det"], input=header + call(operand, result), capture_output=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)
                self.assertRegex(done.stderr, b"no elements|elements|another shape than the operands make it")
        done = subprocess.run([WORKER, "det"], input=header + call((4,), (4,))[:176], capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_what_is_no_request_ends_it_with_one_line(self):
        header = header_of(b"sin", b"nearest-even")
        for sent, says in ((b"", b"does not begin"), (b"x" * 200, b"does not begin"),
                           (header + struct.pack("<2IQ", 4, 1, 0), b"kind 4, which was not offered"),
                           (header + struct.pack("<2IQ", 2, 1 << 16, 0), b"kind 2, which was not offered"),
                           (header + struct.pack("<2IQ", 2, 4, 0) + b"abc", b"ends before its codes do")):
            with self.subTest(sent=sent[:24]):
                done = subprocess.run([WORKER], input=sent, capture_output=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)
                self.assertIn(says, done.stderr)

    def test_a_name_that_is_none_is_refused(self):
        for words in (["nonesuch"], ["--nonesuch"], ["det", "cr"]):
            done = subprocess.run([WORKER, *words], input=b"", capture_output=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
