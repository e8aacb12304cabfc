"""Formats, projections, operations and kappas of P3109, against the definitions of its report 4.0 in fractions."""

import csv
import io
import json
import os
import pathlib
import re
import struct
import sys
import unittest
from decimal import Decimal, localcontext
from fractions import Fraction

from harness import Case
from p3109_definitions import (COMPARISONS, DRAWN, MINUS, NAN, PLUS, PREDICATES, ROUNDINGS, SATURATIONS, Format, add, class_of, copysign,
                               divide, magnitude, maximum_finite, minimum_finite, multiply, project)


def exact(text):
    """A hex float as a fraction, for exponents that doubles lack too; inf and nan as they are."""
    parts = re.fullmatch(r"(-?)0x([0-9a-f]+)\.?([0-9a-f]*)p([+-]?\d+)", text)
    if not parts:
        return text.lstrip("+")
    sign, whole, fraction, exponent = parts.groups()
    return (-1 if sign else 1) * Fraction(int(whole + fraction, 16), 16 ** len(fraction)) * Fraction(2) ** int(exponent)


class P3109(Case):
    def table(self, *words):
        return list(csv.DictReader(io.StringIO(self.succeed("table", *words, "--as", "csv"))))

    def outputs(self, *words):
        """The codes of the results, in order of the inputs."""
        header, *rows = list(csv.reader(io.StringIO(self.succeed("table", *words, "--as", "csv"))))
        return [int(row[header.index("code")], 16) for row in rows]

    def test_all_names_and_no_other(self):
        listed = [row["name"] for row in self.document("list", "formats", "--family", "p3109")["formats"]]
        wanted = {f"binary{k}p{p}{s}{d}" for k in range(3, 17) for s in "su" for p in range(1, k + (s == "u")) for d in "ef"}
        self.assertEqual(set(listed), wanted)
        self.assertEqual(len(listed), 504)
        for name, says in (("binary8p8se", "1 to 7"), ("binary17p3se", "3 to 16"), ("binary8p4", "binary8p4se"), ("binary8p9uf", "1 to 8")):
            self.assertIn(says, self.refuse("table", name))

    def test_what_is_asked_of_formats(self):
        """Section 4.14, of all formats up to 8 bits and some of 16, by their values; and of those of IEEE 754 by its table."""
        rows = {row["name"]: row for word in ((), ("--family", "p3109")) for row in self.document("list", "formats", *word)["formats"]}
        for name in [name for name, row in rows.items() if name.startswith("binary") and row["width"] <= 8] + ["binary16p1ue", "binary16p11se", "binary16p16uf"]:
            row, target = rows[name], Format(name)
            numbers = [value for value in target.values if not isinstance(value, str)]
            least = Fraction(2) ** (1 - target.bias)
            subnormal = [value for value in numbers if 0 < value < least]
            self.assertEqual((row["width"], row["precision"], row["signed"], row["has_infinity"], row["exponent_bias"]),
                             (target.width, target.precision, target.signed, target.extended, target.bias))
            self.assertEqual((row["exponent_bits"], row["trailing_bits"]), (target.width - target.precision + (not target.signed), target.precision - 1))
            for member, value in (("max_finite", max(numbers)), ("min_finite", min(numbers)), ("min_positive", min(value for value in numbers if value > 0)),
                                  ("max_subnormal", max(subnormal, default=NAN)), ("min_normal", min(value for value in numbers if value >= least))):
                self.assertEqual(target.values[int(row[member], 16)], value, (name, member))
        self.assertEqual([(rows[name]["exponent_bits"], rows[name]["trailing_bits"], rows[name]["exponent_bias"]) for name in ("fp64", "fp32", "fp16", "bf16")],
                         [(11, 52, 1023), (8, 23, 127), (5, 10, 15), (8, 7, 127)])

    def test_every_code_of_the_formats_up_to_8_bits(self):
        codes = 0
        for name in [row["name"] for row in self.document("list", "formats", "--family", "p3109")["formats"] if row["width"] <= 8]:
            target = Format(name)
            for row in self.table(name):
                value = target.values[int(row["code"], 16)]
                shown = row["hex"] if isinstance(value, str) else Fraction(*float.fromhex(row["hex"]).as_integer_ratio())
                self.assertEqual(shown, value, (name, row))
                codes += 1
        self.assertEqual(codes, sum(2 ** k * (4 * k - 2) for k in range(3, 9)))

    def slow_published_tables(self):
        """P3109_TABLES is a folder with the working group's tables, Binary8p4se.csv and the like, anywhere below it."""
        folder = os.environ.get("P3109_TABLES")
        if not folder:
            self.skipTest("P3109_TABLES does not name the folder of the published tables")
        tables = codes = 0
        for path in sorted(pathlib.Path(folder).glob("**/Binary*.csv")):
            with open(path, encoding="utf-8") as stream:
                published = [(int(row["codepoint"], 16), row["value"].strip().lower()) for row in csv.DictReader(stream)]
            shown = [(int(row["code"], 16), row["hex"]) for row in self.table(path.stem.lower())]
            self.assertEqual([(code, exact(text)) for code, text in shown], [(code, exact(text)) for code, text in published], path.name)
            tables, codes = tables + 1, codes + len(shown)
        self.assertEqual(tables, 504)
        print(f"{tables} tables, {codes:,} codes, 0 different", file=sys.stderr)

    def check(self, source, target, operation, truth, **words):
        rounding, saturation = words.get("rounding", "nearest-even"), words.get("saturation", "sat-none")
        bits, drawn = words.get("bits", 0), words.get("drawn", 0)
        asked = [operation, "-f", source.name, "-r", rounding, "--saturation", saturation, "--to", target.name]
        asked += ["--random-bits", bits, "--random", drawn] if bits else []
        got = self.outputs(*asked)
        operands = 1 if operation in ("cast", "recip", "p3109.negate") else 2
        inputs = [(x,) for x in source.values] if operands == 1 else [(x, y) for x in source.values for y in source.values]
        want = [project(truth(*values), target, rounding, saturation, bits, drawn) for values in inputs]
        self.assertEqual(got, want, asked)
        return len(got)

    def test_projections(self):
        """Each rounding in each saturation mode, from a wider format, by all sorts of targets."""
        source = Format("binary8p3se")
        for name in ("binary4p2se", "binary4p2sf", "binary4p2ue", "binary4p2uf", "binary4p1se", "binary3p1ue", "binary5p5uf", "binary8p4se"):
            for saturation in SATURATIONS:
                for rounding in ROUNDINGS:
                    self.check(source, Format(name), "cast", lambda x: x, rounding=rounding, saturation=saturation)
        for rounding in DRAWN:
            for drawn in range(4):
                for name in ("binary4p2se", "binary5p1ue"):
                    self.check(source, Format(name), "cast", lambda x: x, rounding=rounding, bits=2, drawn=drawn)

    def test_conversions_from_other_formats_saturate_too(self):
        target = Format("binary4p2ue")
        for saturation in SATURATIONS:
            rows = self.table("cast", "-f", "fp8_e5m2", "--to", target.name, "-r", "to-odd", "--saturation", saturation)
            got = {row["x_value"]: int(row["code"], 16) for row in rows}
            for text, value in (("inf", PLUS), ("-inf", MINUS), ("nan", NAN), ("57344", Fraction(57344)), ("-3", Fraction(-3)), ("0.375", Fraction(3, 8))):
                self.assertEqual(got[text], project(value, target, "to-odd", saturation), (saturation, text))

    def test_vectors(self):
        """Written and read with each rounding and saturation mode; random bits stand there only where they decide."""
        path = os.path.join(self.path, "vectors.json")
        for rounding in ROUNDINGS + DRAWN:
            self.succeed("emit", "add", "cast", "-f", "binary5p2se", "-r", rounding, "--saturation", "sat-finite", "--to", "binary4p2ue",
                         *(("--random-bits", 3) if rounding in DRAWN else ()), "-n", 20, "-o", path)
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            for group in document["testGroups"]:
                self.assertEqual("random-bits" in group["parameters"], rounding in DRAWN, group["parameters"])
                self.assertEqual(group["parameters"]["saturation"], "sat-finite")
            self.assertIn("tests pass", self.succeed("verify", path, "--impl", "exact"))
        wrong = document["testGroups"][0]["tests"][0]
        wrong["out"] = ["0x1" if wrong["out"] != ["0x1"] else "0x2"]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        self.assertEqual(self.run_program("verify", path, "--impl", "exact").returncode, 1)
        document["testGroups"][0].update(rounding="to-odd", format="fp16", parameters={})
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        self.assertRegex(self.refuse("verify", path, "--impl", "exact"), "rounded to-odd on formats of P3109 only, not on fp16")

    def test_arithmetic(self):
        pairs = 0
        for operation, truth in (("add", add), ("sub", lambda x, y: add(x, multiply(Fraction(-1), y))), ("mul", multiply), ("div", divide),
                                 ("p3109.minimum_finite", minimum_finite)):
            for name in ("binary5p2se", "binary5p3uf", "binary4p1sf"):
                for rounding, saturation in (("nearest-even", "sat-none"), ("to-odd", "sat-propagate"), ("down", "sat-finite")):
                    for result in (name, "binary6p3se"):
                        pairs += self.check(Format(name), Format(result), operation, truth, rounding=rounding, saturation=saturation)
        self.assertEqual(pairs, 5 * 2 * 3 * (2 * 1024 + 256))
        for name in ("binary8p4se", "binary8p4ue"):
            self.check(Format(name), Format(name), "recip", lambda x: divide(Fraction(1), x))
            self.check(Format(name), Format(name), "p3109.negate", lambda x: multiply(Fraction(-1), x))

    def test_what_is_defined_otherwise_than_by_c(self):
        for words, result in ((("rsqrt", 0), "nan"), (("atan2", 0, 0), "nan"), (("atan2", "inf", "-inf"), "nan"), (("tanpi", "0.5"), "nan"),
                              (("hypot", "inf", "nan"), "nan"), (("nextup", "inf"), "nan"), (("nextdown", "-inf"), "nan"), (("log", 0), "-inf"),
                              (("p3109.class", "-inf"), "1"), (("p3109.total_order", "nan", "-inf"), "1"), (("p3109.is_normal", 1), "1")):
            self.assertRegex(self.succeed("eval", *words, "-f", "binary8p4se", "--impl", "exact"), rf"(?m)^  exact +{result}\b")

    def test_predicates_comparisons_and_signs(self):
        for name in ("binary5p2se", "binary5p3sf", "binary5p3uf", "binary4p1se", "binary5p2ue", "binary3p1uf"):
            target = Format(name)
            least, pairs = Fraction(2) ** (1 - target.bias), [(x, y) for x in target.values for y in target.values]
            expected = {**{one: [int(holds(x, least)) for x in target.values] for one, holds in PREDICATES.items()},
                        **{one: [truth(x, y) for x, y in pairs] for one, truth in COMPARISONS.items()},
                        "class": [class_of(x, least) for x in target.values],
                        "abs": [project(magnitude(x), target) for x in target.values]}
            for operation, codes in expected.items():
                with self.subTest(name=name, operation=operation):
                    self.assertEqual(self.outputs(f"p3109.{operation}", "-f", name), codes)
            for operation, truth in (("maximum_finite", maximum_finite), ("copysign", copysign)):
                with self.subTest(name=name, operation=operation):
                    self.check(target, target, f"p3109.{operation}", truth)

    def test_explain_knows_the_roundings_and_the_saturation_modes(self):
        """Sums that were rounded or saturated otherwise than is asked for: that is the one cause, of all differences."""
        path, drawn = os.path.join(self.path, "outputs"), ("--random-bits", 1, "--random", 1)
        target = Format("binary6p3se")
        sums = [add(x, y) for x in target.values for y in target.values]
        for asked, made, cause in (
                ((), {"saturation": "sat-finite"}, "saturated-finite"), ((), {"saturation": "sat-propagate"}, "saturated-propagate"),
                (("--saturation", "sat-finite"), {}, "saturated-none"), ((), {"rounding": "to-odd"}, "rounded-to-odd"),
                (("-r", "to-odd"), {}, "rounded-to-nearest-even"), (("-r", "to-odd", "--saturation", "sat-finite"), {"rounding": "to-odd"}, "saturated-none"),
                (("-r", "stochastic-a", *drawn), {"rounding": "stochastic-c", "bits": 1, "drawn": 1}, "rounded-stochastic-c"),
                (("-r", "stochastic-c", *drawn), {}, "rounded-to-nearest-even")):
            with self.subTest(asked=asked, made=made):
                with open(path, "wb") as file:
                    file.write(bytes(project(value, target, **made) for value in sums))
                done = self.run_program("explain", "add", "-f", target.name, *asked, "--impl", "exact", "--impl", f"file:{path}")
                text = done.stdout.decode()
                found = re.search(r"\n  1\. B [^\n]*\n     (\S+): explains ([\d,]+) of ([\d,]+) differences; predicts 0 wrongly\n(     equally [^\n]*)?", text)
                self.assertTrue(found, text)
                self.assertEqual(found[2], found[3], text)
                says = {"rounded-stochastic-c": "as stochastic-c"}.get(cause, cause)
                self.assertTrue(found[1] == cause or says in (found[4] or ""), text)

    def kappa(self, operation, planted):
        path = os.path.join(self.path, "measured.yaml")
        self.succeed("sweep", operation, "-f", "binary8p4se", "--impl", f"steps:{planted}", "--kappa", path)
        with open(path, encoding="utf-8") as file:
            return path, file.read()

    def distance(self, target, got, want):
        """Number of values between, section 4.4."""
        a, b = target.values[got], target.values[want]
        if isinstance(a, str) or isinstance(b, str):
            return 0 if a == b else float("nan") if NAN in (a, b) else float("inf")
        return abs(target.places[a] - target.places[b])

    def test_kappa_of_add(self):
        """Planted: the sum of half of each, doubled: subnormal halves lose a bit."""
        target = Format("binary8p4se")
        half = [target.codes[value] if isinstance(value, str) else project(value / 2, target) for value in target.values]
        most, projected = 0, {}

        def code_of(value):
            if value not in projected:
                projected[value] = project(value, target)
            return projected[value]

        for x, a in enumerate(half):
            for y, b in enumerate(half):
                got = code_of(multiply(Fraction(2), target.values[code_of(add(target.values[a], target.values[b]))]))
                most = max(most, self.distance(target, got, code_of(add(target.values[x], target.values[y]))))
        path, text = self.kappa("add", "2*(x/2+y/2)")
        self.assertGreater(most, 0)
        self.assertIn(f"\n    Kappa: {most}\n", text)
        self.assertIn("Add<Binary8p4se, Binary8p4se, Binary8p4se, (NearestTiesToEven, SatNone)>(x, y) -> r", text)
        self.hold_against(path, text, most)

    def hold_against(self, path, text, most):
        name = re.search(r"Approximates: .*", text)[0]
        declared = os.path.join(self.path, "declared.yaml")
        for kappa, status in ((most, 0), (most - 1, 1)):
            with open(declared, "w", encoding="utf-8") as file:
                file.write(f"Mine:\n  Fast:\n    {name}\n    Kappas:\n      - {{ interval: '[ -Inf, Inf ]', kappa: {kappa} }}\n")
            result = self.run_program("gate", path, "--kappa", declared)
            self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        with open(declared, "w", encoding="utf-8") as file:
            file.write(f"Mine:\n  Fast:\n    {name}\n    Kappas:\n      - {{ interval: '[ 0, 1 )', kappa: {most} }}\n")
        self.assertIn("leaves numbers", self.refuse("gate", path, "--kappa", declared))
        whole = "{ interval: '[ -Inf, Inf ]', kappa: "
        for line in (f"- {whole}.5 }}", f"- {whole}-1 }}", f"- {whole}1e }}", f"- {whole}9 }}, {whole}1 }}", f"- {whole}.nil }}"):
            with open(declared, "w", encoding="utf-8") as file:
                file.write(f"Mine:\n  Fast:\n    {name}\n    Kappas:\n      {line}\n")
            self.assertIn("line 5: wanted one { interval:", self.refuse("gate", path, "--kappa", declared), line)
        with open(declared, "w", encoding="utf-8") as file:
            file.write(f"Mine:\n  Fast:\n    {name}\n    Kappas:\n      # - {whole}99 }}\n")
        self.assertIn("declares no kappa", self.refuse("gate", path, "--kappa", declared))
        self.assertIn("cannot read", self.refuse("gate", path, "--kappa", self.path))

    def gate_intervals(self, measured, intervals):
        """What gate says of a declaration of add with these intervals, and maybe a kappa of all operands."""
        declared = os.path.join(self.path, "intervals.yaml")
        name = "Add<Binary8p4se, Binary8p4se, Binary8p4se, (NearestTiesToEven, SatNone)>(x, y) -> r"
        ends = [f"      - {{ interval: '{interval[0]}', kappa: {interval[1]} }}\n" for interval in intervals if not isinstance(interval, int)]
        listed = ["    Kappas:\n" + "".join(ends)] * bool(ends) + [f"    Kappa: {interval}\n" for interval in intervals if isinstance(interval, int)]
        with open(declared, "w", encoding="utf-8") as file:
            file.write("Mine:\n" + "".join(f'  Fast.{number}:\n    Approximates: "{name}"\n{kappas}' for number, kappas in enumerate(listed)))
        result = self.run_program("gate", measured, "--kappa", declared)
        return result.returncode, (result.stdout + result.stderr).decode()

    def test_declared_intervals_hold_every_number(self):
        """Between 2 and 2.25, and between -1.125 and -1, the format has no number; between -2 and 2 it has 0 and others."""
        path = self.kappa("add", "2*(x/2+y/2)")[0]
        for intervals, left_out in (
                ([("[ -Inf, -2 ]", 9), ("[ 2, Inf ]", 9)], "-1.875"), ([("[ -Inf, 2 ]", 9), ("[ 2.3, Inf ]", 9)], "2.25"),
                ([("[ -Inf, 2 )", 9), ("( 2, Inf ]", 9)], "2"), ([("[ -Inf, Inf )", 9)], "inf"), ([("( -Inf, Inf ]", 9)], "-inf"),
                ([("[ 0, Inf ]", 9), ("[ -Inf, -0x1p-9 ]", 9)], "-0.0009765625")):
            with self.subTest(intervals=intervals):
                status, said = self.gate_intervals(path, intervals)
                self.assertEqual(status, 2, said)
                self.assertIn(f" out, {left_out} first\n", said)
        for intervals in ([("[ -Inf, 2 ]", 9), ("[ 2.25, Inf ]", 9)], [("[ 2.1, Inf ]", 9), ("[ -Inf, 2.2 )", 9)],
                          [("[ -1.125, -0x1.1p0 ]", 9), ("[ -Inf, -1.1 )", 9), ("[ -1.0, Inf ]", 9)], [9], [9, ("[ -Inf, Inf ]", 9)]):
            with self.subTest(intervals=intervals):
                status, said = self.gate_intervals(path, intervals)
                self.assertEqual(status, 0, said)

    def test_every_measured_kappa_is_held(self):
        """Each declared interval that has a number of a measured one is held to it, and so is each kappa declared for all operands."""
        path, text = self.kappa("add", "2*(x/2+y/2)")
        high, most = re.search(r"interval: '\[ \S+, (\S+) \]', kappa: ([1-9]\d*) ", text).groups()
        most, whole = int(most), int(re.search(r"\n    Kappa: (\d+)\n", text)[1])
        self.assertGreater(whole, 0)
        for intervals, status in (([("[ -Inf, Inf ]", whole)], 0), ([("[ -Inf, Inf ]", whole), (f"[ {high}, {high} ]", most - 1)], 1),
                                  ([("[ -Inf, Inf ]", whole), whole - 1], 1), ([whole, whole - 1], 1), ([whole + 1, whole], 0),
                                  ([("[ -Inf, Inf ]", whole), ("[ 2.1, 2.2 ]", 0)], 0)):
            with self.subTest(intervals=intervals):
                got, said = self.gate_intervals(path, intervals)
                self.assertEqual(got, status, said)

    def test_ends_of_wide_formats_are_exact(self):
        """Every end is a number of fp16, without rounding; many have no short decimal."""
        path = os.path.join(self.path, "wide.yaml")
        self.succeed("sweep", "expm1", "-f", "fp16", "--impl", "steps:exp(x)-1", "--kappa", path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        ends = re.findall(r"interval: '\[ (\S+), (\S+) \]'", text)
        self.assertGreater(len(ends), 100)
        hexadecimal = 0
        for end in sum(ends, ()):
            if end.endswith("Inf"):
                continue
            hexadecimal += "0x" in end
            value = Fraction(*float.fromhex(end).as_integer_ratio()) if "0x" in end else Fraction(end)
            self.assertEqual(value, Fraction(*struct.unpack("<e", struct.pack("<e", float(value)))[0].as_integer_ratio()), end)
        self.assertGreater(hexadecimal, 10)
        self.assertIn("hold on all", self.succeed("gate", path, "--kappa", path))

    def test_kappa_of_shards_and_threads(self):
        """2^18 inputs are four units of shards. The product is rounded, and then the sum."""
        words = ("sweep", "fma", "-f", "binary6p3se", "--impl", "steps:x*y+z", "--kappa")
        whole, *shards = (os.path.join(self.path, name) for name in ("whole.yaml", "1.yaml", "2.yaml", "3.yaml"))
        texts = []
        for threads in (1, 2):
            self.succeed(*words, whole, "--threads", threads)
            with open(whole, encoding="utf-8") as file:
                texts.append(file.read())
        self.assertEqual(texts[0], texts[1])
        self.assertIn('"all 262144 inputs', texts[0])
        inputs, kappas = 0, []
        for number, path in enumerate(shards, 1):
            self.succeed(*words, path, "--shard", f"{number}/3")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            inputs += int(re.search(r'note: "(\d+) inputs', text)[1])
            kappas.append(re.search(r"Kappa: (\S+)", text)[1])
        self.assertEqual(inputs, 1 << 18)
        self.assertIn(re.search(r"Kappa: (\S+)", texts[0])[1], kappas)
        self.assertIn("hold on all", self.succeed("gate", *shards, "--kappa", whole))
        with open(whole, "w", encoding="utf-8") as file:
            file.write(re.sub(r"kappa: [^ ]+ }", "kappa: 0 }", texts[0]))
        self.assertEqual(self.run_program("gate", *shards, "--kappa", whole).returncode, 1)
        for some in (shards[:2], shards[:1], [*shards[:2], shards[0]], [*shards, shards[0]]):
            self.assertIn("all its shards, each once", self.refuse("gate", *some, "--kappa", whole))
        # What NaN becomes is of no interval, and counts all the same.
        self.assertIn("\n    Kappa: .nan\n", texts[0])
        with open(whole, "w", encoding="utf-8") as file:
            file.write(texts[0].replace("Kappa: .nan", "Kappa: 7"))
        done = self.run_program("gate", *shards, "--kappa", whole)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"kappa 7 is declared, and over all operands it is nan\n", done.stdout)
        # A shard of another sweep, by operation or implementation, is none of this one's; and none has a number beyond their count.
        other = os.path.join(self.path, "other.yaml")
        for foreign in (("sweep", "faa", "-f", "binary6p3se", "--impl", "steps:x*y+z"), ("sweep", "fma", "-f", "binary6p3se", "--impl", "det")):
            self.run_program(*foreign, "--shard", "3/3", "--kappa", other)
            if os.path.exists(other):
                self.assertIn("all its shards, each once", self.refuse("gate", *shards[:2], other, "--kappa", whole))
        with open(shards[2], encoding="utf-8") as file:
            text = file.read()
        with open(other, "w", encoding="utf-8") as file:
            file.write(text.replace('shard: "3/3"', 'shard: "4/3"'))
        self.assertIn("all its shards, each once", self.refuse("gate", *shards[:2], other, "--kappa", whole))
        with open(other, "w", encoding="utf-8") as file:
            file.write('---\nMetadata:\n  shard: "1/1"\n')
        self.assertIn("declare no kappa", self.refuse("gate", other, "--kappa", whole))

    def test_kappa_is_of_all_inputs_of_a_function_of_numbers(self):
        path = os.path.join(self.path, "none.yaml")
        for words, says in ((("exp", "-f", "fp16", "--range", "1:2"), "leave out --range"), (("exp", "-f", "fp32"), "more than 2^26"),
                            (("exp", "-f", "fp16", "--checkpoint", path + ".kept"), "leave out --checkpoint"),
                            (("sum", "-f", "fp16", "--impl", "det"), "on arrays")):
            self.assertIn(says, self.refuse("sweep", *words, "--kappa", path))
            self.assertFalse(os.path.exists(path))

    def test_kappa_of_exp(self):
        """Planted: (1 + x/2)^2, right near 0 alone; its infinities are wrong, so only kappa of intervals is finite."""
        target = Format("binary8p4se")
        step = lambda value: target.values[project(value, target)]
        wanted = []
        for x in sorted((v for v in target.values if not isinstance(v, str)), key=float):
            base = step(add(Fraction(1), step(x / 2)))
            with localcontext() as context:
                context.prec = 60
                exact = Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())
            wanted.append((x, self.distance(target, project(multiply(base, base), target), project(exact, target))))
        text = self.kappa("exp", "(1+x/2)*(1+x/2)")[1]
        self.assertIn("\n    Kappa: .inf\n", text)
        intervals = [(float(low), float(high), float(kappa.lstrip("."))) for low, high, kappa in
                     re.findall(r"interval: '\[ (\S+), (\S+) \]', kappa: (\S+) ", text)]
        for x, kappa in wanted:
            self.assertEqual([k for low, high, k in intervals if low <= x <= high], [kappa], x)


if __name__ == "__main__":
    unittest.main()
