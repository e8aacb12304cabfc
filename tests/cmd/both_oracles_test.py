"""Sweeps drawn at random, judged by the fast oracle and by MPFR alone: operations, formats, roundings, ranges
of few values and of many, samples, runs of samples, special inputs, threads. The reports are the same but
for who judged. NEARLY_RIGHT and CHAOS in the environment are libraries; SEED and SWEEPS draw others, and more."""

import os
import random
import re
import struct
import unittest

from harness import Case

UNARY = ("exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos",
         "atan", "asinh", "acosh", "atanh", "erf", "erfc", "cbrt", "sqrt", "tgamma", "lgamma", "sincos")
OF_INTEGERS = ("pown", "rootn", "compoundn")
BINARY = ("pow", "atan2", "hypot", "div", "fmod", "remainder", "fdim", "add", "sub", "mul", *OF_INTEGERS)
# The others that det has.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/detmath/functions.inc"),
          encoding="ascii") as functions:
    ROWS = dict(reversed(row) for row in re.findall(r"^DETMATH_(\w+)\((\w+)", functions.read(), re.MULTILINE)
                if row[0] in ("UNARY", "BINARY"))
OWN = tuple(sorted({*ROWS} - {*UNARY, *BINARY}))
PI = ("sinpi", "cospi", "tanpi")
MISSING = (*PI, *OF_INTEGERS)  # no libm of today has these: the library NEARLY_RIGHT does
CHAOS = set(UNARY) - {"lgamma", "sincos"} | set(MISSING) | set(BINARY) - {"div", "add", "sub", "mul"}
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down")  # C has no rounding mode nearest-away
WIDTHS = {"fp32": 32, "bf16": 16, "fp16": 16}
PACKED = {"fp32": ("<f", "<I"), "bf16": ("<f", "<I"), "fp16": ("<e", "<H")}
LARGEST = {"fp32": 32, "bf16": 32, "fp16": 16}  # below 2^31, and below what fp16 has


def code_of(name, integer):
    """The code of an integer, or of one near it that the format has."""
    number, bits = PACKED[name]
    code, = struct.unpack(bits, struct.pack(number, integer))
    return code >> 16 if name == "bf16" else code


def is_integer(name, code):
    number, bits = PACKED[name]
    value, = struct.unpack(number, struct.pack(bits, code << 16 if name == "bf16" else code))
    return value.is_integer()


class BothOracles(Case):
    def range_of(self, draw, name, integers):
        """Ends of a range of a power of two of codes, and that number; or, where an operand is an integer of C, of
        one that begins with an integer, and how many integers it has."""
        width, count = WIDTHS[name], 1 << draw.randrange(0, 11)
        first = draw.randrange(0, (1 << width) - count)
        if integers:
            first = code_of(name, draw.choice((1, -1)) * draw.randrange(1 << draw.randrange(1, LARGEST[name])))
        elif draw.random() < 0.5:  # where results are numbers more often
            first = min(first & (1 << (width - 1)) | first % (1 << (width - 2)), (1 << width) - count)
        digits = width // 4
        text = f"0x{first:0{digits}x}:0x{first + count - 1:0{digits}x}"
        return text, sum(is_integer(name, first + i) for i in range(count)) if integers else count

    def words(self, draw):
        operation = draw.choice(draw.choice((UNARY, BINARY, OWN, PI)))
        operands = 2 if operation in BINARY or ROWS.get(operation) == "BINARY" else 1
        name = draw.choice(tuple(WIDTHS))
        implementation = ("det,cr" if operation in OWN else
                          "lib:" + os.environ["CHAOS"] if operation in CHAOS and draw.random() < 0.5
                          else "lib:" + os.environ["NEARLY_RIGHT"] if operation in MISSING else "libm")
        words = [operation, "--format", name, "--impl", implementation,
                 "--threads", draw.choice((1, 2, 3))]
        if implementation.startswith("lib:"):
            words.append("--no-isolation")
        if operation not in OWN:
            words += ["--rounding", draw.choice(ROUNDINGS)]
        kind, last = draw.random(), 1 << WIDTHS[name]
        if kind < 0.1:
            return words + ["--special"]
        if kind < 0.8:
            ranges = draw.choice((1, operands))  # one is for each operand
            for operand in range(ranges):
                text, last = self.range_of(draw, name, operation in OF_INTEGERS and operand + 1 == ranges)
                words += ["--range", text]
        if kind > 0.3:
            length = 1 << draw.randrange(0, min(9, last.bit_length())) if operands == 2 else 1
            words += ["--samples", length * draw.randrange(1, 3000 // length + 2), "--seed",
                      draw.randrange(1 << 30)]
            words += ["--run-length", length] if length > 1 else []
        elif operands == 2 and last > 64:
            return None  # too many for MPFR
        return words

    def judged(self, words, which):
        fast, results = 0, self.results(*words, "--oracle", which)
        for result in results:
            fast += result.pop("oracle")["fast"]
            for implementation in result["implementations"]:
                for name in ("mean_ulp", "error_sum"):
                    implementation.pop(name, None)
        return fast, results

    def compare(self, seed, sweeps):
        draw, fast = random.Random(seed), 0
        for number in range(sweeps):
            words = None
            while not words:
                words = self.words(draw)
            with self.subTest(number=number, seed=seed, words=" ".join(map(str, words))):
                decided, results = self.judged([*words, "--recheck", draw.choice((1, 3))], "auto")
                none, wanted = self.judged(words, "mpfr")
                fast += decided
                self.assertEqual((none, results), (0, wanted))
        self.assertGreater(fast, 100 * sweeps)

    def test_both_oracles_give_one_report_for_sweeps_drawn_at_random(self):
        self.compare(int(os.environ.get("SEED", 1)), int(os.environ.get("SWEEPS", 100)))

    def test_both_oracles_give_one_report_for_some_sweeps(self):
        self.compare(3, 12)


if __name__ == "__main__":
    unittest.main()
