"""file: outputs that were computed elsewhere, here by Python."""

import math
import os
import struct
import unittest

from harness import Case

FIRST = 0x3F800000


def sqrt_of(code):
    x, = struct.unpack("<f", struct.pack("<I", code))
    return struct.pack("<f", math.sqrt(x))


class File(Case):
    def entries(self, path, *words, **options):
        results = self.results(*words, "--impl", "file:" + path, **options)
        return [result["implementations"][0] for result in results]

    def test_right_outputs_and_one_wrong_bit(self):
        count = 100000
        words = ("sqrt", "--range", f"{FIRST:#x}:{FIRST + count - 1:#x}")
        outputs = bytearray(b"".join(sqrt_of(FIRST + i) for i in range(count)))
        entry, = self.entries(self.file("right.bin", bytes(outputs)), *words)
        self.assertEqual((entry["tested"], entry["correctly_rounded"]), (count, count))
        libm = self.libm(*words)
        self.assertEqual(entry["fingerprint"], libm["fingerprint"])
        for at in (0, 4095, 65536, count - 1):
            wrong = bytearray(outputs)
            wrong[4 * at] ^= 1
            entry, = self.entries(self.file("wrong.bin", bytes(wrong)), *words, "--threads", 3)
            self.assertEqual(entry["incorrectly_rounded"], 1)
            self.assertEqual(entry["worst"][0]["input"], f"{FIRST + at:#010x}")

    def test_codes_of_every_size_are_read(self):
        for name, size, letter in (("fp16", 65536, "e"), ("fp8_e5m2", 256, None), ("fp64", 1000, "d")):
            with self.subTest(format=name):
                words = ("add", "-f", name, "--range", "1:1", "--range", "1:1")
                width = {"fp16": 2, "fp8_e5m2": 1, "fp64": 8}[name]
                two = {"fp16": b"\0\x40", "fp8_e5m2": b"\x40", "fp64": struct.pack("<d", 2)}[name]
                entry, = self.entries(self.file("two.bin", two), *words)
                self.assertEqual((len(two), entry["correctly_rounded"]), (width, 1))

    def test_two_results_one_after_the_other(self):
        small = [0x20000000 + i for i in range(50)]
        sines = b"".join(struct.pack("<I", code) for code in small)
        path = self.file("both.bin", sines + struct.pack("<f", 1) * 50)
        for entry in self.entries(path, "sincos", "--range", "0x20000000:0x20000031"):
            self.assertEqual(entry["correctly_rounded"], 50)

    def test_operands_of_a_product_the_first_slowest(self):
        values = (1.0, 1.0 + 2 ** -23)
        path = self.file("sums.bin", b"".join(struct.pack("<f", x + y) for x in values for y in (4.0, 4.0 + 2 ** -21)))
        entry, = self.entries(path, "add", "--range", "0x3f800000:0x3f800001", "--range",
                              "0x40800000:0x40800001")
        self.assertEqual((entry["tested"], entry["incorrectly_rounded"]), (4, 0))

    def test_length_that_does_not_match(self):
        for length in (0, 1023, 1025, 4096):
            complaint = self.refuse("sweep", "exp", "-f", "fp8_e5m2", "--impl",
                                    "file:" + self.file("outputs.bin", b"\0" * length), "--impl", "libm",
                                    "--range", "0:1")
            self.assertRegex(complaint, rf"outputs\.bin has {length} bytes, where the outputs of exp for "
                                        rf"\d+ inputs, of 1 byte each, make \d+")

    def test_what_is_no_plain_file(self):
        self.assertIn("no-such-file", self.refuse("sweep", "exp", "--impl", "file:no-such-file"))
        self.assertIn("not a plain file", self.refuse("sweep", "exp", "--impl", "file:" + self.path))
        fifo = os.path.join(self.path, "fifo")
        os.mkfifo(fifo)
        self.assertIn("not a plain file", self.refuse("sweep", "exp", "--impl", "file:" + fifo))

    def test_eval_cannot_use_it(self):
        path = self.file("outputs.bin", b"\0" * 4)
        self.assertIn("outputs of a sweep", self.refuse("eval", "exp", "1", "--impl", "file:" + path,
                                                        prints=True))


if __name__ == "__main__":
    unittest.main()
