"""`hellas` returns the bits that the article's own snippets return in fp32, and `hellas-mended` is free of their
mistakes. The snippets are here as the article has them, on numbers whose operations round to fp32."""

import math
import random
import struct
import unittest

from fp32 import Number, fma, fp32
from harness import Case

OPERATIONS = ("sin", "cos", "exp", "log")


def sin_approx(x):
    C1 = 1
    C3 = -0.166666507720947265625
    C5 = 8.331983350217342376708984375e-3
    C7 = -1.94961365195922553539276123046875e-4
    return x * (C1 + x*x*(C3 + x*x*(C5 + x*x*C7)))


def cos_approx(x):
    C0 = 1
    C2 = -0.49999892711639404296875
    C4 = 4.16561998426914215087890625e-2
    C6 = -1.35968066751956939697265625e-3
    x2 = x * x
    c = fma(x2, C6, C4)
    c = fma(x2, c.value, C2)
    c = fma(x2, c.value, C0)
    return c


def cody_waite_subtract(x, q):
    P0 = float.fromhex("0x1.92p+0")
    P1 = float.fromhex("0x1.fb54442d18p-12")
    return (x - q*P0) - q*P1


def reduced_sincos(x):
    q = (x / (math.pi/2)).round()
    xr = cody_waite_subtract(x, q)
    sin = sin_approx(xr)
    cos = cos_approx(xr)
    return {0: (sin, cos), 1: (cos, -sin), 2: (-sin, -cos), 3: (-cos, sin)}.get(q.value)


def reduced_exp(x):
    k = (x / math.log(2)).round()
    xr = x - k*math.log(2)
    C0 = 0.9998929500579833984375
    C1 = 1.0047757625579833984375
    C2 = 0.4669305980205535888671875
    C3 = 0.23783318698406219482421875
    xr = C0 + xr * (C1 + xr * (C2 + xr * C3))
    return xr * (2.0**k.value if k.value < 1024 else math.inf)


def reduced_log(x):
    assert x.value > 0
    m, e = math.frexp(x.value)
    m, e = Number(m), Number(e)
    C0 = -2.1859228610992431640625
    C1 = 4.22526264190673828125
    C2 = -2.9164140224456787109375
    C3 = 0.877515852451324462890625
    rl = C0 + m * (C1 + m * (C2 + m * C3))
    return rl + e*math.log(2)


def article(operation, x):
    """With the checks that the article has in words; NaN where a snippet returns nothing."""
    if operation == "log":
        return reduced_log(Number(x)).value if x > 0 else math.nan
    if x == 0:
        return {"sin": x, "cos": 1, "exp": 1}[operation]
    if operation == "exp":
        return reduced_exp(Number(x)).value if math.isfinite(x) else x if x != -math.inf else 0
    pair = reduced_sincos(Number(x)) if math.isfinite(x) else None
    return pair[operation == "cos"].value if pair else math.nan


def numbers():
    """In the order of a sweep: of their bits."""
    draw = random.Random(21)
    around = [0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 1e-45, -1e-45, 1e-38, 88.7, 89.0, -87.0, -103.0, -104.0,
              3.0e38, 5.4977, 5.4978, -0.7853, -0.7854]
    around += [math.nextafter(fp32(k * math.pi / 2), 9) for k in range(-3, 5)]
    drawn = (around + [draw.uniform(-2, 6) for _ in range(600)] +
             [draw.uniform(-110, 95) for _ in range(600)] + [math.exp(draw.uniform(-80, 80)) for _ in range(300)])
    codes = {struct.unpack("<I", struct.pack("<f", fp32(x)))[0] for x in drawn}
    return [struct.unpack("<f", struct.pack("<I", code))[0] for code in sorted(codes)]


class Hellas(Case):
    def test_the_bits_of_the_snippets(self):
        inputs = numbers()
        self.file("inputs", "".join(f"0x{struct.unpack('<I', struct.pack('<f', x))[0]:08x}\n" for x in inputs))
        for operation in OPERATIONS:
            outputs = [article(operation, x) for x in inputs]
            self.file("outputs", b"".join(struct.pack("<f", y) for y in outputs))
            result, = self.document("sweep", operation, "--inputs", "inputs", "--impl", "hellas", "--impl",
                                    "file:outputs", notes=True)["results"]
            different, = result["differences"]
            self.assertEqual(different["count"], 0, (operation, different.get("first")))

    def entry(self, name, operation, *words):
        result = self.document("sweep", operation, "--impl", name, *words, notes=True)["results"][0]
        return result["implementations"][0]

    def test_mistakes_as_written_and_mended(self):
        """Of each: where it shows, and what is wrong there."""
        quarter = ("--range", "0x40b00000:0x40b0ffff")  # 5.5 and above: q is 4
        self.assertEqual(self.entry("hellas", "sin", *quarter)["nan_mismatches"], 1 << 16)
        self.assertEqual(self.entry("hellas", "cos", "--range", "0xbf800000:0xbf80ffff")["nan_mismatches"], 1 << 16)
        for operation, most in (("sin", 2), ("cos", 2)):
            for words in (quarter, ("--range", "0xc2c80000:0xc2c8ffff")):
                entry = self.entry("hellas-mended", operation, *words)
                self.assertLess(entry["max_ulp"]["error"], most)
                self.assertEqual(entry["nan_mismatches"], 0)
        half = ("--range", "0x3f05fdb7:0x3f06fdb6")  # 0.76 log(2) and above: round() makes r about -0.17
        written, mended = (self.entry(name, "exp", *half)["max_ulp"]["error"] for name in ("hellas", "hellas-mended"))
        self.assertGreater(written, 50 * mended)
        overflow = ("--range", "0x42b10000:0x42b10fff")  # 88.5: 2^128 is infinite, the result is not
        self.assertGreater(self.entry("hellas", "exp", *overflow)["max_ulp"]["error"], 1e6)
        self.assertLess(self.entry("hellas-mended", "exp", *overflow)["max_ulp"]["error"], 2000)
        near = ("--range", "0x3f7f0000:0x3f80ffff")  # about 1, where log is 0
        self.assertGreater(self.entry("hellas", "log", *near)["max_ulp"]["error"], 1e9)
        self.assertLess(self.entry("hellas-mended", "log", *near)["max_ulp"]["error"], 50000)
        self.assertEqual(self.entry("hellas", "log", "--range", "0:0")["nan_mismatches"], 1)

    def test_special_numbers_of_the_mended_reading(self):
        for operation in (*OPERATIONS, "sincos"):
            for result in self.document("sweep", operation, "--special", "--impl", "hellas-mended",
                                        notes=True)["results"]:
                entry = result["implementations"][0]
                self.assertEqual((entry["nan_mismatches"], entry["sign_mismatches"], entry["nan_bits_differ"]),
                                 (0, 0, 0), operation)

    def test_narrower_formats_and_conditions(self):
        for name in ("hellas", "hellas-mended"):
            self.assertEqual(self.entry(name, "exp", "-f", "fp16")["tested"], 1 << 16)
            done = self.run_program("invariance", "sincos", "--impl", name, "-n", 300)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_the_article_has_not(self):
        for words, why in ((("tanh",), "the article has sin, cos, sincos, exp and log, not tanh"),
                           (("exp", "-f", "fp64"), "hellas computes in fp32, which is narrower than fp64"),
                           (("exp", "-r", "up"), "hellas rounds to nearest-even only")):
            self.assertIn(why, self.refuse("sweep", *words, "-n", 5, "--impl", "hellas"))


if __name__ == "__main__":
    unittest.main()
