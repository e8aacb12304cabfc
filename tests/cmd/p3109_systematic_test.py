"""The operations of P3109 over whole formats, in several roundings and all saturation modes, against the definitions in fractions and
mpmath. A few formats by default; slow_ methods, of the label exhaustive, have all of 8 bits."""

import csv
import io
import os
import sys
import unittest

from harness import Case
from p3109_definitions import (ARITHMETIC, COMPARISONS, EXTREMES, PREDICATES, SATURATIONS, TRIPLES, Format, class_of, following, magnitude,
                               multiply, project)

try:
    import p3109_functions as functions
except ImportError:
    functions = None

FEW = ("binary8p4se", "binary8p2uf")
ROUNDINGS = ("nearest-even", "to-odd", "down")


def formats_of(width):
    return [f"binary{width}p{p}{s}{d}" for s in "su" for p in range(1, width + (s == "u")) for d in "ef"]


class Systematic(Case):
    def setUp(self):
        super().setUp()
        self.held = 0

    def hold(self, operation, source, exact, rounding, saturation):
        """The results of every input, in the order of the codes, of which `exact` are the values."""
        header, *rows = list(csv.reader(io.StringIO(self.succeed("table", operation, "-f", source.name, "-r", rounding, "--saturation",
                                                                 saturation, "--as", "csv"))))
        self.hold_codes([int(row[header.index("code")], 16) for row in rows], source, exact, rounding, saturation, operation)

    def hold_codes(self, got, target, exact, rounding, saturation, operation):
        codes = {value: project(value, target, rounding, saturation) for value in set(exact)}
        want = [codes[value] for value in exact]
        if got != want:
            at = next(i for i, pair in enumerate(zip(got, want)) if pair[0] != pair[1])
            self.fail(f"{operation} {target.name} {rounding} {saturation}: input {at} has {got[at]:#x}, not {want[at]:#x}")
        self.held += len(got)

    def hold_all(self, names, operations, roundings=ROUNDINGS, operands=1):
        for name in names:
            source = Format(name)
            inputs = [(x,) for x in source.values] if operands == 1 else [(x, y) for x in source.values for y in source.values]
            for operation, truth in operations(source).items():
                exact = [truth(*values) for values in inputs]
                for rounding in roundings:
                    for saturation in SATURATIONS:
                        self.hold(operation, source, exact, rounding, saturation)
            self.hold_integers(source, inputs)

    def hold_integers(self, source, inputs):
        """Predicates, classes and comparisons, which are not rounded."""
        least, one = 2 ** (1 - functions.Fraction(source.bias)), len(inputs[0]) == 1
        truths = {**{name: lambda x, holds=holds: int(holds(x, least)) for name, holds in PREDICATES.items()},
                  "class": lambda x: class_of(x, least)} if one else COMPARISONS
        for operation, truth in truths.items():
            header, *rows = list(csv.reader(io.StringIO(self.succeed("table", f"p3109.{operation}", "-f", source.name, "--as", "csv"))))
            self.assertEqual([int(row[header.index("code")], 16) for row in rows], [truth(*values) for values in inputs],
                             (operation, source.name))
            self.held += len(inputs)

    def hold_triples(self, names, roundings=ROUNDINGS):
        """By sweeps of the outputs that the definitions have, as a table has two operands at most."""
        path = os.path.join(self.path, "outputs")
        for name in names:
            source = Format(name)
            inputs = [(x, y, z) for x in source.values for y in source.values for z in source.values]
            for operation, truth in TRIPLES.items():
                exact = [truth(*values) for values in inputs]
                for rounding in roundings:
                    for saturation in SATURATIONS:
                        codes = {value: project(value, source, rounding, saturation) for value in set(exact)}
                        with open(path, "wb") as file:
                            file.write(bytes(codes[value] for value in exact))
                        result, = self.results(operation, "-f", name, "-r", rounding, "--saturation", saturation, "--impl", f"file:{path}")
                        found, = result["implementations"]
                        self.assertEqual((found["tested"], found["incorrectly_rounded"], found["nan_mismatches"], found["nan_bits_differ"]),
                                         (len(inputs), 0, 0, 0), (operation, name, rounding, saturation))
                        self.held += len(inputs)

    def unary(self, source):
        return {**functions.UNARY, "p3109.negate": lambda x: multiply(functions.Fraction(-1), x), "p3109.abs": magnitude,
                "nextup": following(source, 1), "nextdown": following(source, -1)}

    def pairs(self, _):
        return {**ARITHMETIC, **EXTREMES, **functions.PAIRS}

    def test_functions_of_one_operand(self):
        self.hold_all(FEW[:1], self.unary, ROUNDINGS[1:2])
        self.hold_all(FEW[1:], lambda source: {name: truth for name, truth in self.unary(source).items() if name[0] in "aenrs"}, ROUNDINGS[:1])

    def test_pairs_and_triples(self):
        self.hold_all(["binary3p2se", "binary4p2ue"], self.pairs, ROUNDINGS[1:], 2)
        self.hold_triples(["binary3p1se"], ROUNDINGS[2:])

    def slow_functions_of_one_operand(self):
        self.hold_all(formats_of(8), self.unary)
        self.tell()

    def slow_pairs_of_5_bits(self):
        self.hold_all(formats_of(5), self.pairs, ROUNDINGS, 2)
        self.tell()

    def slow_pairs_of_8_bits(self):
        """In one rounding and each saturation mode."""
        self.hold_all(["binary8p4se", "binary8p3se", "binary8p1uf"], self.pairs, ROUNDINGS[:1], 2)
        self.tell()

    def slow_triples_of_4_bits(self):
        self.hold_triples(formats_of(4))
        self.tell()

    def tell(self):
        print(f"{self.id()}: {self.held:,} results, 0 different", file=sys.stderr)


if __name__ == "__main__":
    if functions is None:
        print("SKIPPED: this Python has no mpmath")
        sys.exit(77)
    unittest.main()
