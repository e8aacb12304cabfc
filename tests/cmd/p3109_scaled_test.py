"""Operands of P3109 that have scales or formats of their own (sections 5.1.1, 5.4 and 5.5), against the definitions in fractions and
mpmath: scaled operations are the operations on products of scale and element."""

import csv
import io
import itertools
import json
import os
import re
import sys
import unittest
from fractions import Fraction

from p3109_definitions import ARITHMETIC, COMPARISONS, EXTREMES, SATURATIONS, TRIPLES, Format, add, magnitude, multiply, project
from p3109_held import Held, operand

try:
    import p3109_functions as functions
except ImportError:
    functions = None

ROUNDINGS = ("nearest-even", "to-odd", "up")


class Operands(Held):
    def truths(self, operands, scaled=True):
        if operands == 1:
            return {**functions.UNARY, "cast": lambda x: x, "p3109.negate": lambda x: multiply(Fraction(-1), x), "p3109.abs": magnitude}
        pairs = {**ARITHMETIC, **EXTREMES, **functions.PAIRS}
        return TRIPLES if operands == 3 else {name: truth for name, truth in pairs.items() if name != "p3109.to_block" or not scaled}

    def test_scaled_operations_of_one_operand(self):
        kinds = (("binary4p1uf*binary4p2sf", "nearest-even", "sat-none"), ("binary3p2se*binary5p3se", "to-odd", "sat-propagate"))
        for number, (operation, truth) in enumerate(self.truths(1).items()):
            name, *modes = kinds[number % 2]
            self.hold_table(operation, [name], Format("binary6p3se"), truth, *modes)
        self.assertEqual(self.held, 256 * len(self.truths(1)))

    def test_scaled_operations_of_two_operands(self):
        """Scales that are powers of two, and others with a sign, infinity and NaN; and an operand without a scale beside them."""
        kinds = ((["binary3p1uf*binary3p2se"] * 2, "nearest-even", "sat-none"), (["binary3p2se*binary3p1ue", "binary4p3sf"], "up", "sat-finite"))
        for number, (operation, truth) in enumerate(self.truths(2).items()):
            names, *modes = kinds[number % 2]
            self.hold_table(operation, names, Format("binary5p3se"), truth, *modes)
        self.assertGreaterEqual(self.held, (4096 + 1024) * (len(self.truths(2)) // 2))

    def test_operands_with_formats_of_their_own(self):
        kinds = (["binary5p2se", "binary4p2sf"], ["binary3p1ue", "binary6p5sf"])
        for number, (operation, truth) in enumerate(self.truths(2, scaled=False).items()):
            self.hold_table(operation, kinds[number % 2], Format("binary6p3se"), truth, "nearest-even", "sat-none")
        for names in kinds:
            for operation, truth in COMPARISONS.items():
                exact = [truth(*values) for values in itertools.product(*(operand(name).values for name in names))]
                header, *rows = list(csv.reader(io.StringIO(self.succeed("table", f"p3109.{operation}", "-f", ":".join(names), "--as", "csv"))))
                self.assertEqual([int(row[header.index("code")], 16) for row in rows], exact, (operation, names))

    def test_the_scaled_operations_that_the_report_requires(self):
        """Section 4.5: a scale of Binary8p1uf, elements of 8 and 4 bits. The operands have 32 bits, so inputs are drawn."""
        for second in ("binary8p4se", "binary4p2sf"):
            names = ["binary8p1uf*binary8p3se", f"binary8p1uf*{second}"]
            for operation in ("add", "sub", "mul"):
                saturation = SATURATIONS[len(operation + second) % 3]
                self.hold_drawn(operation, names, Format("binary8p4se"), ARITHMETIC[operation], saturation=saturation)

    def test_three_operands(self):
        names = ["binary8p4se", "binary8p1uf*binary4p2sf", "binary6p2ue"]
        for (operation, truth), rounding in zip(TRIPLES.items(), ROUNDINGS):
            self.hold_drawn(operation, names, Format("binary8p4se"), truth, rounding=rounding)

    def test_shards_threads_and_kinds_of_inputs(self):
        words = ("add", "-f", "binary4p1uf*binary4p2sf:binary6p3se", "--to", "binary5p2se", "--impl", "exact")
        whole, = self.results(*words)
        self.assertEqual(whole["inputs"]["count"], 1 << 14)
        self.assertEqual(self.results(*words, "--threads", 2)[0]["implementations"][0]["fingerprint"], whole["implementations"][0]["fingerprint"])
        for more, count in ((("--special",), None), (("--samples", 500), 500), (("--range", "0x10:0x1f", "--range", "-1:1"), None)):
            found, = self.results(*words, *more)
            implementation, = found["implementations"]
            self.assertEqual((implementation["incorrectly_rounded"], implementation["tested"]), (0, count or found["inputs"]["count"]))
            self.assertGreater(implementation["tested"], 100)
        target = Format("binary6p3se")
        within = [value for value in target.values if not isinstance(value, str) and -1 <= value <= 1]
        self.assertEqual(found["inputs"]["count"], 16 * len(within))

    def test_vectors(self):
        path = os.path.join(self.path, "vectors.json")
        for operation, names, truth in (("add", ["binary8p1uf*binary8p4se"] * 2, add), ("fma", ["binary8p4se", "binary4p2sf", "fp32"], None),
                                        ("exp", ["binary5p2se*binary4p2sf"], None), ("cast", ["binary8p1uf*binary4p2sf"], lambda x: x)):
            self.succeed("emit", operation, "-f", ":".join(names), "--to", "binary8p3se", "-n", 40, "-o", path)
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            group, = document["testGroups"]
            self.assertGreater(len(group["tests"]), 50)
            self.assertEqual(group["format"], ":".join(names) if len(set(names)) > 1 else names[0])
            for test in group["tests"] if truth else []:
                values = [operand(name).decode(int(code, 16)) for name, code in zip(names, test["in"])]
                self.assertEqual(int(test["out"][0], 16), project(truth(*values), Format("binary8p3se")), test)
            self.assertIn("tests pass", self.succeed("verify", path, "--impl", "exact"))
            group["tests"][-1]["out"] = ["0x01" if group["tests"][-1]["out"] != ["0x01"] else "0x02"]
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
            self.assertEqual(self.run_program("verify", path, "--impl", "exact").returncode, 1)

    def test_kappa(self):
        """An unscaled first operand has intervals, a scaled one the kappa of all operands alone."""
        path = os.path.join(self.path, "kappa.yaml")
        for names, signature, has_intervals in (
                (["binary4p2sf", "binary5p2se"], "Add<Binary4p2sf, Binary5p2se, Binary6p3se, (NearestTiesToEven, SatNone)>", True),
                (["binary3p1uf*binary4p2sf"] * 2, "ScaledAdd<(Binary3p1uf, Binary4p2sf), (Binary3p1uf, Binary4p2sf), Binary6p3se, (NearestTiesToEven, SatNone)>", False)):
            target, outputs = Format("binary6p3se"), os.path.join(self.path, "outputs")
            exact = [add(*values) for values in itertools.product(*(operand(name).values for name in names))]
            codes = self.projected(exact, target, "nearest-even", "sat-none")
            at = next(i for i, value in enumerate(exact) if value == 1)
            codes[at] += 2
            with open(outputs, "wb") as file:
                file.write(bytes(codes))
            self.succeed("sweep", "add", "-f", ":".join(names), "--to", target.name, "--impl", f"file:{outputs}", "--kappa", path)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertIn(f'Approximates: "{signature}(x, y) -> r"\n    Kappa: 2\n', text)
            self.assertEqual("interval:" in text, has_intervals)
            self.assertIn("hold", self.succeed("gate", path, "--kappa", path))
            with open(os.path.join(self.path, "less.yaml"), "w", encoding="utf-8") as file:
                file.write(re.sub(r"appa: 2\b", "appa: 1", text))
            self.assertEqual(self.run_program("gate", path, "--kappa", file.name).returncode, 1)

    def test_what_eval_shows_and_reads(self):
        text = self.succeed("eval", "add", "4*1.5", "0x7f38", "-f", "binary8p1uf*binary8p3se", "--to", "binary8p4se", "--impl", "exact")
        self.assertRegex(text, r"(?m)^  x +4\*1\.5  0x1p\+2\*0x1\.8p\+0  0x8242$")
        self.assertRegex(text, r"(?m)^  rounded +\S+")
        self.assertRegex(self.succeed("eval", "mul", "3", "2*0.5", "-f", "binary8p4se:binary8p1uf*binary4p2sf", "--to", "fp32", "--impl", "exact"),
                         r"(?m)^  exact +3  0x1\.8p\+1  0x40400000$")
        self.assertRegex(self.succeed("eval", "mul", "0x80", "inf*0", "-f", "binary8p4se:binary8p2ue*binary4p2sf", "--impl", "exact"), r"(?m)^  exact +nan")

    def test_compare_and_look_up(self):
        words = ("mul", "-f", "binary4p2sf:binary3p1uf*binary4p2sf", "--to", "binary5p2se")
        self.assertIn("all 2,048 inputs equal", self.succeed("compare", *words, "--impl", "exact", "--impl", "lut"))
        outputs = os.path.join(self.path, "outputs")
        with open(outputs, "wb") as file:
            file.write(bytes(1 << 11))
        done = self.run_program("compare", *words, "--impl", "exact", "--impl", f"file:{outputs}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout.decode(), r"(?m)^    y +0\*nan  0x0p\+0\*nan  0x08$")

    def zeros(self, *words, count):
        """The report, the gate's text and the page of outputs that are all 0."""
        with open(os.path.join(self.path, "zeros.bin"), "wb") as file:
            file.write(bytes(count))
        self.run_program("sweep", *words, "--impl", "file:zeros.bin", "--json", "zeros.json")
        gate = self.run_program("gate", "zeros.json", "--max-ulp", "0.5").stdout.decode()
        self.succeed("report", "zeros.json", "-o", "zeros.html")
        with open(os.path.join(self.path, "zeros.html"), encoding="utf-8") as file:
            return gate, file.read()

    def test_a_gate_and_a_page_show_each_operand_in_its_format(self):
        """0x1f is infinity in the first format and 0x8 NaN in the second, and both are numbers in the other."""
        gate, page = self.zeros("add", "-f", "binary6p3se:binary4p2sf", "--to", "fp16", count=2048)
        self.assertRegex(gate, r"at +inf  0x1f, 0  0x0\n +got +0  0x0000\n +want +inf  0x7c00\n")
        self.assertIn("<code>0x04</code> 0.125<br><code>0x8</code> nan", page)
        gate, page = self.zeros("add", "-f", "binary6p3uf*binary4p2sf", count=1 << 20)
        self.assertRegex(gate, r"at +0\*0  0x000, 1.5\*3  0x227\n +got +0  0x0\n +want +3  0x7\n")
        page = self.zeros("exp", "-f", "binary8p1uf*binary8p4se", count=65536)[1]
        self.assertNotIn('class="envelope"', page)

    def test_results_have_one_format_without_a_scale(self):
        for operation, formats in (("add", "binary8p4se"), ("cast", "binary8p4se"), ("exp", "binary8p4se")):
            for to in ("binary8p4se:binary4p2se", "binary8p1uf*binary8p4se"):
                self.assertIn("one format without a scale", self.refuse("sweep", operation, "-f", formats, "--to", to, "--impl", "exact"))

    def test_what_has_no_such_operands(self):
        for words, says in ((("sinh", "-f", "binary8p4se:binary8p4se:binary4p2sf"), "sinh has 1 operand, and binary8p4se:binary8p4se:binary4p2sf names the formats of 3"),
                            (("sinh", "-f", "binary8p4se:binary8p4se"), "sinh has 1 operand, and binary8p4se:binary8p4se names the formats of 2"),
                            (("exp", "-f", "fp32:fp32"), "by P3109 only: one of fp32:fp32"), (("add", "-f", "fp32:fp32"), "by P3109 only"),
                            (("nextup", "-f", "binary8p1uf*binary8p4se"), "no scaled form of NextGreaterThan"),
                            (("p3109.compare_less", "-f", "binary8p1uf*binary8p4se:binary8p4se"), "no scaled form of CompareLess"),
                            (("ldexp", "-f", "binary8p4se:binary4p2sf"), "not an operation of P3109"),
                            (("add", "-f", "fp16:fp32"), "by P3109 only"), (("add", "-f", "binary8p4se:int8"), "int8 cannot stand beside a format of P3109"),
                            (("mul", "-f", "fp8_e8m0fnu*binary8p4se"), "fp8_e8m0fnu is none"),
                            (("add", "-f", "binary8p1uf*binary8p4se", "--range", "1:2"), "in no order"),
                            (("s(x,y)=x+y", "-f", "binary8p4se:binary4p2sf"), "not an operation of P3109"),
                            (("add", "-f", "binary8p4se:binary9"), "binary9")):
            with self.subTest(words=words):
                self.assertIn(says, self.refuse("sweep", *words, "--impl", "exact"))
        self.assertIn("P3109's roundings, saturation modes, scales and formats of results",
                      self.refuse("sweep", "add", "-f", "binary4p2sf:binary5p2se", "--impl", "libm", prints=True))

    def slow_drawn_pairs_of_8_bits(self):
        for operation in ("add", "sub", "mul"):
            self.hold_drawn(operation, ["binary8p1uf*binary8p4se"] * 2, Format("binary8p4se"), ARITHMETIC[operation], count=1 << 20)
        print(f"{self.id()}: {self.held:,} results, 0 different", file=sys.stderr)

    def slow_all_pairs_of_4_bits(self):
        """Every operation of two operands on all pairs of scaled numbers with scales and elements of 4 bits."""
        for names in (["binary4p1uf*binary4p2sf"] * 2, ["binary4p2se*binary4p2ue"] * 2):
            for operation, truth in self.truths(2).items():
                for rounding in ROUNDINGS:
                    for saturation in SATURATIONS:
                        self.hold_table(operation, names, Format("binary8p4se"), truth, rounding, saturation)
        print(f"{self.id()}: {self.held:,} results, 0 different", file=sys.stderr)


if __name__ == "__main__":
    if functions is None:
        print("SKIPPED: this Python has no mpmath")
        sys.exit(77)
    unittest.main()
