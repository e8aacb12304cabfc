"""Runs of P3109's operations on operands that have scales or formats of their own, held against definitions in fractions."""

import csv
import io
import itertools
import os
import random

from harness import Case
from p3109_definitions import Format, multiply, project


class Scaled:
    """A scale and an element: the code has the scale's bits first, and the value is their product."""

    def __init__(self, name):
        self.name, self.parts = name, [Format(part) for part in name.split("*")]
        self.width = sum(part.width for part in self.parts)

    def decode(self, code):
        scale, element = self.parts
        return multiply(scale.values[code >> element.width], element.values[code & ((1 << element.width) - 1)])

    @property
    def values(self):
        return [self.decode(code) for code in range(1 << self.width)]


def operand(name):
    return Scaled(name) if "*" in name else Format(name)


class Held(Case):
    def setUp(self):
        super().setUp()
        self.held = 0

    def projected(self, exact, target, rounding, saturation):
        codes = {value: project(value, target, rounding, saturation) for value in set(exact)}
        return [codes[value] for value in exact]

    def hold_table(self, operation, names, target, truth, rounding, saturation, *words):
        """All inputs, in the order of their codes."""
        exact = [truth(*values) for values in itertools.product(*(operand(name).values for name in names))]
        header, *rows = list(csv.reader(io.StringIO(self.succeed(
            "table", operation, "-f", ":".join(names), "--to", target.name, "-r", rounding, "--saturation", saturation, "--as", "csv", *words))))
        got = [int(row[header.index("code")], 16) for row in rows]
        want = self.projected(exact, target, rounding, saturation)
        if got != want:
            at = next(i for i, pair in enumerate(itertools.zip_longest(got, want)) if pair[0] != pair[1])
            self.fail(f"{operation} {names} {rounding} {saturation}: {rows[at]}, not {want[at]:#x}")
        self.held += len(got)

    def drawn(self, names, count, seed):
        draw = random.Random(seed)
        kinds = [operand(name) for name in names]
        tuples = sorted({tuple(draw.getrandbits(kind.width) for kind in kinds) for _ in range(count)})
        return kinds, tuples

    def hold_drawn(self, operation, names, target, truth, *words, rounding="nearest-even", saturation="sat-none", count=2000):
        """A sweep of drawn inputs over the outputs that the definitions have; one that is changed is found, at its input."""
        kinds, tuples = self.drawn(names, count, 7)
        exact = [truth(*(kind.decode(code) for kind, code in zip(kinds, codes))) for codes in tuples]
        outputs = self.projected(exact, target, rounding, saturation)
        inputs = self.file("inputs", "".join(" ".join(f"{code:#x}" for code in codes) + "\n" for codes in tuples))
        path, wrong = os.path.join(self.path, "outputs"), len(outputs) // 2
        for change in (0, 1):
            outputs[wrong] ^= change
            with open(path, "wb") as file:
                file.write(bytes(outputs))
            result, = self.results(operation, "-f", ":".join(names), "--to", target.name, "-r", rounding, "--saturation", saturation,
                                   "--inputs", inputs, "--impl", f"file:{path}", *words)
            found, = result["implementations"]
            self.assertEqual(found["tested"], len(tuples))
            self.assertEqual(found["incorrectly_rounded"] + found["nan_mismatches"], change, (operation, names, rounding, saturation))
        self.held += len(tuples)
