"""`detcheck explain`: the example of a cause is the worst of the differences that the cause explains. tanh, computed as
(exp(2x) - 1)/(exp(2x) + 1) in fp16, is computed here too, by Python's fp64 numbers, and all inputs are looked through."""

import math
import os
import re
import struct
import unittest

import harness

FORMULA = "steps@fp16:libm: (exp(2*x)-1)/(exp(2*x)+1)"


def code_of(value):
    """Of the fp16 number nearest to a number."""
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def number(code):
    return struct.unpack("<e", struct.pack("<H", code))[0]


def in_fp16(value):
    return number(code_of(value))


def by_steps(x):
    try:
        e = in_fp16(math.exp(in_fp16(2 * x)))
    except OverflowError:
        e = math.inf
    above, below = in_fp16(e - 1), in_fp16(e + 1)
    if math.isinf(above) or not below:
        return math.nan
    return in_fp16(above / below)


def severity(a, b):
    """Greater for a worse difference: a NaN, then other signs, then numbers far from each other."""
    if math.isnan(number(a)) or math.isnan(number(b)):
        return int(math.isnan(number(a)) != math.isnan(number(b))) * 2, 0
    places = [(code & 0x7FFF) * (-1 if code & 0x8000 else 1) for code in (a, b)]
    return int(a >> 15 != b >> 15), abs(places[0] - places[1])


class Example(harness.Case):
    def test_it_is_the_worst_difference(self):
        codes = [code for code in range(1 << 16) if not math.isnan(number(code))]
        sides = {code: (code_of(by_steps(number(code))), code_of(math.tanh(number(code)))) for code in codes}
        classes = set()
        for low, high in ((-math.inf, math.inf), (-4, 4), (1, 5)):
            words = () if math.isinf(low) else ("--range", f"{low}:{high}")
            document = self.document("explain", "tanh", "-f", "fp16", *words, "--impl", FORMULA, "--impl", "cr", code=1)
            explanation = document["results"][0]["implementations"][0]["explanation"]
            cause, = (one for one in explanation["explanations"] if "cause" in one)
            there = {code: pair for code, pair in sides.items() if low <= number(code) <= high and
                     pair[0] != pair[1]}
            worst = max(severity(*pair) for pair in there.values())
            classes.add(worst[0])
            self.assertEqual((explanation["differ"], cause["explains"]), (len(there), len(there)))
            a, b = (int(cause["example"][side], 16) for side in "ab")
            at = int(cause["example"]["input"], 16)
            self.assertEqual(severity(a, b), worst)
            self.assertEqual(severity(*there[at]), worst)
            if worst[0] == 2:
                self.assertEqual(at, min(code for code in there if severity(*there[code]) == worst))
        self.assertEqual(classes, {0, 1, 2})

    def test_it_is_the_same_for_any_number_of_threads(self):
        texts = {self.run_program("explain", "tanh", "-f", "fp16", "--impl", FORMULA, "--impl", "cr", "--threads", str(threads)).stdout
                 for threads in (1, 2, 5)}
        self.assertEqual(len(texts), 1)

    def test_the_line_of_a_gate_is_of_all_its_failed_checks(self):
        """Three checks fail, at other inputs each; the command below the last one explains all of their inputs."""
        report = os.path.join(self.path, "tanh.json")
        self.succeed("sweep", "tanh", "-f", "fp16", "--impl", FORMULA, "--json", report)
        text = self.succeed("gate", report, "--max-ulp", "2", code=1)
        self.assertEqual(len(re.findall(r"(?m)^    at ", text)), 3)
        (label, command), = re.findall(r"(?m)^    (why\S*(?: \S+)*?) +detcheck (.+)$", text)
        self.assertEqual((label, text.splitlines()[-1]), ("why, for all 3", f"    why, for all 3 detcheck {command}"))
        said = self.succeed("explain", "tanh", "--format", "fp16", "--impl", FORMULA, "--impl", "cr", code=1)
        self.assertIn(command, f"explain tanh --format fp16 --impl '{FORMULA}' --impl cr")
        total, = re.findall(r"  ([\d,]+) of [\d,]+ inputs differ\n", said)
        self.assertIn(f"explains {total} of {total} differences", said)
        self.assertRegex(said, r"for example\n       x  .*\n       A  nan ")


if __name__ == "__main__":
    unittest.main()
