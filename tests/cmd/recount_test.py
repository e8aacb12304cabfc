"""The report recounted: a square root with known faults, every figure computed again in Python.

The faulty libm flips one bit of the output wherever the input's low bits match, so that Python can
say what the output is without asking a libm. Counts, histogram, profile, worst inputs and the
fingerprint then follow from the definitions in ARCHITECTURE.md, "The error in ulps" and "Fingerprints".
"""

import bisect
import ctypes
import functools
import math
import os
import struct
import unittest
from fractions import Fraction

from formats import FP16, FP32, NAN
from harness import Case, faulty, needs_faulty_libm

# Inputs whose fp32 code ends so get a wrong root. Every fp16 code widens to 13 zeros at the end.
FAULT = {"at": 0x2a000, "mask": 0x3e000}
XOR = 0x6000  # in fp32; the last two bits of an fp16 result


def root(value):
    """sqrt(value) truncated to a multiple of 2^-100."""
    scaled = value * 4 ** 100
    return Fraction(math.isqrt(scaled.numerator // scaled.denominator), 2 ** 100)


def is_faulty(code):
    return code & FAULT["mask"] == FAULT["at"]


class Digest(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3(data):
    library = ctypes.CDLL(os.environ["XXHASH"])
    library.XXH3_128bits.restype = Digest
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    digest = library.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", digest.high, digest.low)


def has_xxhash():
    try:
        return bool(xxh3(b""))
    except (KeyError, OSError, AttributeError):
        return False


def fingerprint(outputs, code):
    """ARCHITECTURE.md, "Fingerprints": a digest for each 2^16 outputs, and one over the digests."""
    digests = b""
    for start in range(0, len(outputs), 1 << 16):
        block = outputs[start:start + (1 << 16)]
        digests += xxh3(struct.pack(f"<{len(block)}{code}", *block))
    return "xxh3-128:" + xxh3(digests).hex()


def faulty_root(code, xor):
    """fp16 sqrt by way of fp32, with the fault: (exact or None, got)."""
    _, value = FP16.decode(code)
    if value == NAN or (code & FP16.sign and code != FP16.sign):
        return None, FP16.nan
    if value == "infinity" or value == 0:
        return None, code
    exact = root(value)
    wide = FP32.encode(exact)
    if is_faulty(FP32.encode(value)):
        wide ^= xor
    return exact, FP16.encode(FP32.value(wide))


@functools.cache
def expected():
    """By code: what is returned, and the error where there is one; and the codes with a wrong
    result."""
    got, errors, wrong = [], {}, []
    for code in range(1 << 16):
        exact, output = faulty_root(code, XOR)
        got.append(output)
        if exact is not None:
            errors[code] = FP16.error(exact, output)
            if output != FP16.encode(exact):
                wrong.append(code)
    return got, errors, wrong


@needs_faulty_libm
class Recount(Case):
    def setUp(self):
        super().setUp()
        self.got, self.errors, self.wrong = expected()
        self.counted = self.libm("sqrt", "--format", "fp16",
                                 env=faulty(at=FAULT["at"], mask=FAULT["mask"], xor=XOR))

    def test_counts_are_those_of_exact_arithmetic(self):
        counted, errors = self.counted, self.errors
        self.assertGreater(len(self.wrong), 900)
        self.assertEqual(counted["incorrectly_rounded"], len(self.wrong))
        self.assertEqual(counted["correctly_rounded"], 65536 - len(self.wrong))
        self.assertEqual(counted["over_1_ulp"], sum(error > 1 for error in errors.values()))
        # Zeros and +infinity are their own roots: error 0.
        self.assertEqual(counted["judged_in_ulps"], len(errors) + 3)
        # Errors are known to 2^-24 ulp at least.
        mean = sum(errors.values()) / (len(errors) + 3)
        self.assertAlmostEqual(counted["mean_ulp"], float(mean), delta=2 ** -24)

    def test_faithful_outputs_are_those_of_exact_arithmetic(self):
        faithful = 65536
        for code in self.wrong:
            exact = root(FP16.value(code))
            faithful -= self.got[code] not in (FP16.encode(exact, "up"), FP16.encode(exact, "down"))
        self.assertLess(faithful, 65536)
        self.assertEqual(self.counted["faithful"], faithful)

    def test_the_histogram_is_that_of_exact_errors(self):
        ordered = sorted([*self.errors.values(), 0, 0, 0])
        before = 0
        for bucket in self.counted["histogram"]:
            edge = bucket["up_to_ulp"]
            upto = len(ordered) if edge is None else bisect.bisect_right(ordered, Fraction(edge))
            self.assertEqual(bucket["count"], upto - before, bucket)
            before = upto

    def test_steps_have_their_least_and_largest_exact_errors(self):
        def rounded(size):
            """Away from 0, in units of 2^-10 ulp: to whole ones, or to 13 bits."""
            if size <= Fraction(1, 1 << 20):
                return 0
            unit = Fraction(1)
            while size * 1024 >= 2 ** 13 * unit:
                unit *= 2
            return math.ceil(size * 1024 / unit) * unit

        envelope = self.counted["envelope"]
        self.assertEqual((envelope["log2_codes"], envelope["runs"]), (5, [["0x0000", 2048]]))
        wrong = set(self.wrong)
        for step in range(2048):
            signed = {}
            for code in range(step * 32, step * 32 + 32):
                if code in self.errors:
                    below = FP16.value(self.got[code]) < root(FP16.value(code))
                    size = rounded(self.errors[code])
                    signed[code] = -size if below else size
                elif code in (0x0000, 0x8000, 0x7c00):
                    signed[code] = 0
            worst = min(signed, key=lambda code: (-abs(signed[code]), code), default=None)
            want = (min(signed.values(), default=None), max(signed.values(), default=None),
                    sum(code in wrong for code in range(step * 32, step * 32 + 32)),
                    None if worst is None else f"0x{worst:04x}")
            found = tuple(envelope[name][step] for name in ("least", "largest", "incorrect", "worst"))
            self.assertEqual(found, want, step)

    def test_binades_have_their_largest_exact_errors(self):
        profile, wrong_codes = {}, set(self.wrong)
        for code, error in self.errors.items():
            exponent = math.frexp(struct.unpack("<e", struct.pack("<H", code))[0])[1] - 1
            largest, wrong = profile.get(exponent, (0, 0))
            profile[exponent] = (max(largest, error), wrong + (code in wrong_codes))
        self.assertEqual({row["exponent"] for row in self.counted["by_binade"]}, set(profile))
        for row in self.counted["by_binade"]:
            largest, wrong = profile[row["exponent"]]
            # Cut to a multiple of 2^-20 ulp.
            cut = math.floor(largest * 2 ** 20) / 2 ** 20
            self.assertAlmostEqual(row["max_ulp"], cut, delta=1e-14)
            self.assertEqual(row["incorrect"], wrong)

    def test_the_worst_inputs_rank_by_exact_errors(self):
        # Inputs that differ by a power of four have the same error, but for where root() ends.
        ranked = sorted(self.wrong, key=lambda code: (-round(self.errors[code] * 2 ** 60), code))
        for row, code in zip(self.counted["worst"], ranked, strict=False):
            self.assertEqual(row["input"], FP16.bits(code))
            self.assertEqual(row["got"], FP16.bits(self.got[code]))
            self.assertEqual(row["want"], FP16.bits(FP16.encode(root(FP16.value(code)))))
            self.assertAlmostEqual(row["error"], float(self.errors[code]), places=12)
        self.assertEqual(len(self.counted["worst"]), 10)

    @unittest.skipUnless(has_xxhash(), "no shared library of xxHash")
    def test_the_fingerprint_follows_from_its_definition(self):
        self.assertEqual(self.counted["fingerprint"], fingerprint(self.got, "H"))


@unittest.skipUnless(has_xxhash(), "no shared library of xxHash")
class Fingerprint(Case):
    def test_blocks_and_canonical_nans(self):
        # 1/x over the last numbers, infinity and some NaNs: a whole block and a part of one.
        first, last = 0x7f7f8000, 0x7f808fff
        inputs = range(first, last + 1)
        outputs = []
        for code in inputs:
            negative, value = FP32.decode(code)
            if value == NAN:
                outputs.append(FP32.nan)
            else:
                outputs.append(0 if value == "infinity" else FP32.encode(1 / value))
        libm = self.libm("recip", "--range", f"{first:#x}:{last:#x}")
        self.assertGreater(len(outputs), 1 << 16)
        self.assertEqual(libm["tested"], len(outputs))
        self.assertEqual(libm["fingerprint"], fingerprint(outputs, "I"))

    def test_first_operand_is_major(self):
        numbers = [FP16.encode(Fraction(n)) for n in (1, 2, 3, 5)]
        ordered = sorted(numbers)
        outputs = [FP16.encode(FP16.value(x) - FP16.value(y), negative=False if x == y else None)
                   for x in ordered for y in ordered]
        path = self.file("numbers", "3\n5\n1\n2\n")
        libm = self.libm("sub", "--inputs", path, "--format", "fp16")
        self.assertEqual(libm["fingerprint"], fingerprint(outputs, "H"))


if __name__ == "__main__":
    unittest.main()
