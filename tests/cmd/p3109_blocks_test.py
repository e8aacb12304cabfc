"""P3109's operations on blocks (chapter 5), against the definitions in fractions and mpmath."""

import functools
import json
import os
import sys
import unittest
from fractions import Fraction

from p3109_definitions import (ARITHMETIC, EXTREMES, MINUS, NAN, PLUS, SATURATIONS, TRIPLES, Format, add, magnitude, maximum_finite, multiply, project,
                               to_block)
from p3109_held import Held, operand

try:
    import p3109_functions as functions
except ImportError:
    functions = None

BLOCK, SECOND = "binary8p1uf*binary8p4se", "binary5p2se*binary4p2sf"
ROUNDINGS = ("nearest-even", "to-odd", "up", "down", "nearest-away", "toward-zero")
# Scales of results: powers of two, other numbers, one with a sign, 0, infinities and NaN.
SCALES = {"binary8p1uf:4": Fraction(4), "binary6p3se:-1.25": Fraction(-5, 4), "binary8p1uf:0.25": Fraction(1, 4), "binary8p4se:3": Fraction(3),
          "binary8p4se:0": Fraction(0), "binary8p4se:inf": PLUS, "binary8p4se:-inf": MINUS, "binary8p1uf:nan": NAN}


def in_turn(items, number):
    return list(items)[number % len(items)]


def value_of(name, code):
    """Of fp16, bf16 and fp32 too."""
    if name.startswith("binary"):
        return operand(name).decode(code)
    width, precision = {"fp16": (16, 11), "bf16": (16, 8), "fp32": (32, 24)}[name]
    exponent_bits = width - precision
    bias, top = (1 << (exponent_bits - 1)) - 1, (1 << exponent_bits) - 1
    exponent, fraction = code >> (precision - 1) & top, code & ((1 << (precision - 1)) - 1)
    if exponent == top:
        return NAN if fraction else MINUS if code >> (width - 1) else PLUS
    size = Fraction(fraction + (bool(exponent) << (precision - 1))) * Fraction(2) ** (max(exponent, 1) - bias - precision + 1)
    return -size if code >> (width - 1) else size


def numbers(name, codes, scales):
    """The numbers of blocks: as many lines as there are scales."""
    scale, element = (operand(part) for part in name.split("*"))
    length = len(codes) // len(scales)
    return [[multiply(scale.decode(scales[line]), element.decode(code)) for code in codes[line * length:(line + 1) * length]]
            for line in range(len(scales))]


def reduce_add(x):
    return functools.reduce(add, x, Fraction(0))


def reduce_multiply(x):
    return functools.reduce(multiply, x, Fraction(1))


def dot_product(x, y):
    return reduce_add([multiply(*pair) for pair in zip(x, y)])


REDUCTIONS = {"p3109.reduce_add": reduce_add, "p3109.reduce_multiply": reduce_multiply, "p3109.dot_product": dot_product}


class ElementWise(Held):
    """BlockOp (5.4) on blocks of one element: the operation above, put into a block whose scale --result-scale has."""

    def hold(self, operation, names, truth, number, target="binary6p3se"):
        scale = in_turn(SCALES, number)
        self.hold_table(operation, names, Format(target), lambda *values: to_block(truth(*values), SCALES[scale]),
                        in_turn(ROUNDINGS, number), in_turn(SATURATIONS, number), "--result-scale", scale)

    def test_one_operand(self):
        truths = {**functions.UNARY, "p3109.negate": lambda x: multiply(Fraction(-1), x), "p3109.abs": magnitude}
        for number, (operation, truth) in enumerate(truths.items()):
            self.hold(operation, [("binary3p1uf*binary3p2se", "binary6p3se")[number % 2]], truth, number)
        self.assertEqual(self.held, 64 * len(truths))

    def test_two_operands(self):
        truths = {**ARITHMETIC, **EXTREMES, **functions.PAIRS}
        del truths["p3109.to_block"]
        for number, (operation, truth) in enumerate(truths.items()):
            self.hold(operation, ["binary3p1uf*binary3p2se", "binary3p2se"], truth, number)
        self.assertEqual(self.held, 512 * len(truths))

    def test_three_operands(self):
        for number, (operation, truth) in enumerate(TRIPLES.items()):
            scale = in_turn(SCALES, number)
            self.hold_drawn(operation, ["binary8p4se", "binary8p1uf*binary4p2sf", "binary6p2ue"], Format("binary8p4se"),
                            lambda *values, truth=truth, scale=scale: to_block(truth(*values), SCALES[scale]), "--result-scale", scale, count=300)

    def test_to_block_takes_scaled_numbers(self):
        """BlockConvert."""
        for number, names in enumerate((["binary3p1uf*binary4p2se", "binary5p3se"], ["binary6p3se", "binary4p1uf"])):
            self.hold_table("p3109.to_block", names, Format("binary5p2se"), to_block, in_turn(ROUNDINGS, number), in_turn(SATURATIONS, number))

    def test_kappa_names_it_as_the_report_does(self):
        """BlockConvert of elements with scales, ConvertToBlock of others (5.2.2, 5.4); and the gate reads what sweep wrote."""
        path = os.path.join(self.path, "kappa.yaml")
        for first, name in (("binary4p1uf*binary4p2sf", "BlockConvert<1, (Binary4p1uf, Binary4p2sf), Binary4p1uf, "), ("binary4p2sf", "ConvertToBlock<1, Binary4p2sf, Binary4p1uf, ")):
            self.succeed("sweep", "p3109.to_block", "-f", f"{first}:binary4p1uf", "--to", "binary5p2se", "--impl", "exact", "--kappa", path)
            self.assertIn(f'"{name}Binary5p2se, (NearestTiesToEven, SatNone)>(x, y) -> r"', self.read(path))
            self.assertIn("hold", self.succeed("gate", path, "--kappa", path))

    def test_every_scale_of_a_format(self):
        for code, value in enumerate(Format("binary4p2se").values):
            self.hold_table("mul", ["binary4p2sf", "binary3p2se"], Format("binary5p3se"), lambda x, y, value=value: to_block(multiply(x, y), value),
                            "nearest-even", "sat-none", "--result-scale", f"binary4p2se:{code:#x}")
        self.assertEqual(self.held, 16 * 128)

    def test_results_that_need_many_bits(self):
        """A quotient next to a tie: x y + z is 2^-40 beyond 3 times half a step."""
        words = ("fma", "0x1p-20", "0x1p-20", "9", "-f", "binary16p8se", "--to", "binary8p4se", "--result-scale", "binary8p4se:3", "--impl", "exact")
        self.assertRegex(self.succeed("eval", *words), r"(?m)^  rounded +3 ")
        for x, want in (("0x1p-20", "1.25"), ("0", "1"), ("-0x1p-20", "1")):
            text = self.succeed("eval", "fma", x, "0x1p-20", "3.375", "-f", "binary16p8se", "--to", "binary8p3se", "--result-scale", "binary8p4se:3")
            self.assertRegex(text, rf"(?m)^  rounded +{want} ")

    def test_reports_vectors_kappa_and_search(self):
        scale, path = ("--result-scale", "binary8p1uf:0x1p-3"), os.path.join(self.path, "file")
        words = ("mul", "-f", "binary4p1uf*binary4p2sf:binary4p2sf", "--to", "binary5p2se", *scale, "--impl", "exact")
        result, = self.results(*words)
        self.assertEqual(result["parameters"]["result-scale"], "binary8p1uf:0.125")
        self.assertEqual((result["implementations"][0]["incorrectly_rounded"], result["inputs"]["count"]), (0, 4096))
        self.succeed("emit", *words[:-2], "-n", 40, "-o", path)
        with open(path, encoding="utf-8") as file:
            group, = json.load(file)["testGroups"]
        self.assertEqual(group["parameters"]["result-scale"], "binary8p1uf:0.125")
        for test in group["tests"]:
            x, y = (operand(name).decode(int(code, 16)) for name, code in zip(("binary4p1uf*binary4p2sf", "binary4p2sf"), test["in"]))
            self.assertEqual(int(test["out"][0], 16), project(to_block(multiply(x, y), Fraction(1, 8)), Format("binary5p2se")))
        self.assertIn("tests pass", self.succeed("verify", path, "--impl", "exact"))
        self.succeed("sweep", *words, "--kappa", path)
        self.assertIn('"BlockMultiply<1, (Binary4p1uf, Binary4p2sf), Binary4p2sf, Binary8p1uf, Binary5p2se, (NearestTiesToEven, SatNone)>(x, y, 0.125) -> r"',
                      self.read(path))
        self.assertIn("hold", self.succeed("gate", path, "--kappa", path))
        self.assertIn("0 ulp", self.succeed("search", "fma", "-f", "binary16p8se", *scale, "--impl", "exact", "--evaluations", 1000))

    def test_what_is_refused(self):
        for words, says in ((("cast", "--result-scale", "binary8p1uf:4"), "cast takes no --result-scale"),
                            (("p3109.compare_less", "--result-scale", "binary8p1uf:4"), "takes no --result-scale"),
                            (("add", "--result-scale", "4"), "--result-scale needs FORMAT:NUMBER, such as binary8p1uf:4"),
                            (("add", "--result-scale", "binary8p1uf:3"), "binary8p1uf has no 3"), (("add", "--result-scale", "fp32:3"), "fp32 is not a format of P3109"),
                            (("add", "--result-scale", "binary9:3"), "binary9")):
            with self.subTest(words=words):
                self.assertIn(says, self.refuse("sweep", *words, "-f", "binary8p4se", "--impl", "exact"))
        self.assertIn("only on a format of P3109", self.refuse("sweep", "add", "-f", "fp16", "--result-scale", "binary8p1uf:4", "--impl", "exact"))
        self.assertIn("scales and formats of results", self.refuse("sweep", "add", "-f", "binary4p2sf", "--result-scale", "binary8p1uf:4", "--impl", "libm", prints=True))


class Blocks(Held):
    def vectors_of(self, operation, *words):
        path = os.path.join(self.path, "vectors")
        self.succeed("emit", operation, "-o", path, *words)
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        group, = document["testGroups"]
        return path, document, [([[int(code, 16) for code in codes] for codes in test["in"]], [[int(code, 16) for code in codes] for codes in test["out"]])
                                for test in group["tests"]]


class Reductions(Blocks):
    def hold(self, operation, names, target, family, rounding, saturation, shape="16x8", calls=2):
        truth = REDUCTIONS[operation]
        path, document, tests = self.vectors_of(operation, "-f", ":".join(names), "--to", target, "-r", rounding, "--saturation", saturation,
                                              "--shape", shape, "--distribution", family, "-n", calls)
        self.assertEqual(len(tests), calls)
        for operands, (out,) in tests:
            blocks = [numbers(name, *operands[2 * number:2 * number + 2]) for number, name in enumerate(names)]
            for line, (got, *block) in enumerate(zip(out, *blocks)):
                exact = truth(*block)
                want = project(exact, Format(target), rounding, saturation) if target.startswith("binary") else exact
                self.assertEqual(got if target.startswith("binary") else value_of(target, got), want, (operation, names, line, rounding, saturation))
                self.held += 1
        self.assertRegex(self.succeed("verify", path, "--impl", "det"), "tests? pass")
        group, = document["testGroups"]
        first = group["tests"][0]["out"][0]
        first[0] = "0x" + first[0][2:-1] + ("0" if first[0][-1] != "0" else "1")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        self.assertEqual(self.run_program("verify", path, "--impl", "det").returncode, 1)

    def test_all_families_roundings_and_saturation_modes(self):
        number = 0
        for operation in REDUCTIONS:
            for family in ("normal", "spread", "cancelling", "codes"):
                names = [BLOCK, SECOND] if operation == "p3109.dot_product" else [in_turn([BLOCK, SECOND], number)]
                self.hold(operation, names, in_turn(["binary8p4se", "binary8p3uf", "binary5p2se"], number), family, in_turn(ROUNDINGS, number),
                          in_turn(SATURATIONS, number), in_turn(["16x8", "31x1", "5x33"], number))
                number += 1
        self.assertGreater(self.held, 300)

    def test_the_report_example(self):
        """D.2: blocks of eight, and a result in binary32. A sum that fp32 holds is the exact one."""
        self.hold("p3109.dot_product", [BLOCK] * 2, "fp32", "normal", "toward-zero", "sat-none", "64x8")

    def test_wide_formats(self):
        """Exponents far beyond those of double, and products of many."""
        wide = "binary10p1uf*binary10p2se"
        self.hold("p3109.reduce_multiply", [wide], "binary10p2se", "spread", "nearest-even", "sat-none", "4x40")
        self.hold("p3109.dot_product", [wide] * 2, "binary10p2se", "spread", "nearest-even", "sat-none", "4x3")

    def test_stochastic_roundings(self):
        for mode in ("a", "b", "c"):
            words = ("-f", BLOCK, "--to", "binary5p2se", "-r", f"stochastic-{mode}", "--random-bits", 3, "--random", 5, "--shape", "64x4",
                     "--distribution", "normal", "-n", 1)
            for operands, (out,) in self.vectors_of("p3109.reduce_add", *words)[2]:
                for got, block in zip(out, numbers(BLOCK, *operands)):
                    self.assertEqual(got, project(reduce_add(block), Format("binary5p2se"), f"stochastic-{mode}", "sat-none", 3, 5))

    def test_the_bounds_of_annex_e(self):
        """Step by step in binary16, blocks of eight, elements and results in binary8p4se: errors are within the bounds of the report, and not 0."""
        off = 0
        for operation, truth in REDUCTIONS.items():
            names = ["binary3p1uf*binary8p4se"] * (2 if truth is dot_product else 1)
            words = ("-f", ":".join(names), "--to", "binary8p4se", "--shape", "64x8", "--distribution", "normal")
            (operands, (right,)), = self.vectors_of(operation, *words, "-n", 1)[2]
            found, = json.loads(self.succeed("eval", operation, "--draw", 0, *words, "--seed", 1, "--accumulate", "fp16", "--impl", "naive", "--json", "-"))["results"][:1]
            got = [int(element["implementations"][0]["got"], 16) for element in found["elements"]]
            blocks = [numbers(name, *operands[2 * number:2 * number + 2]) for number, name in enumerate(names)]
            for code, want, *block in zip(got, right, *blocks):
                exact, value = truth(*block), Format("binary8p4se").decode(code)
                off += code != want
                terms = block[0] if truth is reduce_add else [multiply(*pair) for pair in zip(*block)] if truth is dot_product else []
                bound = abs(exact) / 16 + Fraction(3637, 10 ** 6) * sum(map(abs, terms)) if terms else abs(exact) * Fraction(6614, 10 ** 5)
                least = Fraction(1, 2 ** 7)
                if not isinstance(value, str) and abs(exact) > least:
                    self.assertLessEqual(abs(exact - value), bound, (operation, block))
                    self.held += 1
        self.assertGreater(off, 0)
        self.assertGreater(self.held, 80)

    def test_sweeps_shards_and_help(self):
        words = ("p3109.dot_product", "-f", BLOCK, "--shape", "64x8", "--samples", 2, "--distribution", "cancelling", "--accumulate", "fp16", "--impl", "det", "--impl", "naive")
        result, = self.results(*words)
        det, naive = result["implementations"]
        self.assertEqual(det["incorrectly_rounded"] + det["nan_mismatches"], 0)
        self.assertGreater(naive["incorrectly_rounded"], 0)
        self.assertEqual(self.results(*words[:-4], "--impl", "exact")[0]["implementations"][0]["fingerprint"], det["fingerprint"])
        self.assertEqual(self.results(*words, "--threads", 2)[0]["implementations"][0]["fingerprint"], det["fingerprint"])
        self.assertIn("--accumulate", self.succeed("help", "p3109.dot_product"))
        self.assertIn("p3109.reduce_add", self.succeed("list", "operations"))

    def test_what_is_refused(self):
        for words, says in ((("p3109.reduce_add", "-f", "binary8p4se"), "binary8p4se has no scale"),
                            (("p3109.dot_product", "-f", f"{BLOCK}:binary8p4se"), "binary8p4se has no scale"),
                            (("p3109.reduce_add", "-f", f"{BLOCK}:{SECOND}"), "p3109.reduce_add has 1 operand"),
                            (("p3109.reduce_add", "-f", BLOCK, "--to", "int8"), "no conversion to int8"),
                            (("p3109.to_block_max_abs_finite", "--to", "uint8"), "no conversion to uint8"),
                            (("p3109.to_block_max_abs_finite", "--scale-format", "int8"), "no conversion to int8"),
                            (("p3109.reduce_add", "-f", BLOCK, "-r", "stochastic-a", "--random-bits", 2, "--random", 4), "more than the 2 bits")):
            with self.subTest(words=words):
                self.assertIn(says, self.refuse("sweep", *words, "--impl", "det"))


class Conversion(Blocks):
    """ConvertToBlockMaxAbsFinite (5.2.3)."""

    def hold_blocks(self, source, target, scales, family, modes, scale_modes, shape, length):
        rounding, saturation = modes
        words = ("-f", source, "--to", target, "--scale-format", scales, "-r", rounding, "--saturation", saturation, "--scale-rounding", scale_modes[0],
                 "--scale-saturation", scale_modes[1], "--shape", shape, "--distribution", family, "-n", 2)
        path, _, tests = self.vectors_of("p3109.to_block_max_abs_finite", *words)
        for (codes,), (elements, found) in tests:
            for line, scale in enumerate(found):
                x = [value_of(source, code) for code in codes[line * length:(line + 1) * length]]
                greatest = functools.reduce(maximum_finite, map(magnitude, x), NAN)
                want = project(greatest, Format(scales), *scale_modes)
                self.assertEqual(scale, want, (source, scales, line, scale_modes))
                value = Format(scales).decode(want)
                for place, number in enumerate(x):
                    self.assertEqual(elements[line * length + place], project(to_block(number, value), Format(target), rounding, saturation),
                                     (source, target, line, place))
                    self.held += 1
        self.assertIn("tests pass", self.succeed("verify", path, "--impl", "det"))

    def test_conversion_with_the_greatest_number_as_scale(self):
        number = 0
        for source in ("fp32", "fp16", "binary8p4se", "binary6p3uf"):
            for family in ("normal", "spread", "cancelling", "codes"):
                shape, length = in_turn((("3x8", 8), ("9x1", 1), ("1x33", 33), ("6x2", 2)), number)
                self.hold_blocks(source, in_turn(["binary8p4se", "binary4p2sf", "binary6p3ue"], number), in_turn(["binary8p1uf", "binary8p4se", "binary5p2uf"], number),
                                 family, (in_turn(ROUNDINGS, number), in_turn(SATURATIONS, number)),
                                 (in_turn(ROUNDINGS[::-1], number), in_turn(SATURATIONS, number + 1)), shape, length)
                number += 1
        self.assertGreater(self.held, 400)

    def test_the_scale_draws_random_bits_too(self):
        words = ("-f", "fp32", "--scale-rounding", "stochastic-b", "--random-bits", 3, "--random", 6, "--shape", "20x2", "--distribution", "normal", "-n", 1)
        ((codes,), (_, scales)), = self.vectors_of("p3109.to_block_max_abs_finite", *words)[2]
        greatest = [max(abs(value_of("fp32", code)) for code in codes[at:at + 2]) for at in range(0, len(codes), 2)]
        self.assertEqual(scales, [project(value, Format("binary8p1uf"), "stochastic-b", "sat-none", 3, 6) for value in greatest])


if __name__ == "__main__":
    if functions is None:
        print("SKIPPED: this Python has no mpmath")
        sys.exit(77)
    unittest.main()
