"""MX blocks as a user meets them: every profile beside the formulas of mx_reference.py, on drawn blocks
and on chosen ones; what a sweep counts; faults of one bit; refusals."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vector"))
import mx_reference as mx  # noqa: E402
import mx_table  # noqa: E402
import reader  # noqa: E402
from harness import FAULTY_LIBM, Case, faulty, unittest  # noqa: E402

ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away")
PAIRS = [(profile, element) for profile, elements in mx.PROFILES.items() for element in elements]
SIGN = 0x80000000


def integers(texts):
    return [int(text, 16) for text in texts]


def fp32(exponent, fraction):
    """The bits of 1.f 2^exponent."""
    return (exponent + 127) << 23 | fraction


def chosen(element):
    """Blocks by name: what random ones do not meet."""
    largest = mx.numbers(element)[-1]
    top = mx.floor_log2(largest)
    end = int((largest / mx.power(top) - 1) * (1 << 23))  # the fraction of the largest element
    blocks = {"all zero": [0] * 32, "all minus zero": [SIGN] * 32, "one number": [fp32(3, 1)],
              "all equal": [fp32(0, 0x555555)] * 32, "one outlier": [fp32(-20, 7)] * 31 + [fp32(20, 7) | SIGN],
              "all subnormal": list(range(1, 0x7fffff, 0x3ffff))[:32], "least": [1] * 32,
              "NaN inside": [fp32(0, i) for i in range(31)] + [0x7fc00000],
              "all NaN": [0xffc00001] * 32, "infinity inside": [fp32(0, i) for i in range(31)] + [SIGN | 0x7f800000],
              "both": [0x7f800000, 0x7fc00000, fp32(1, 0)],
              "the largest": [0x7f7fffff, 0xff7fffff, fp32(127, 0), fp32(126, 1)],
              "minus two": [fp32(0, 0x7fffff) | SIGN, fp32(0, 0x7fffff), fp32(0, 0x7e0000) | SIGN]}
    for fraction in (0, 1, end - 1, end, end + 1, end + 2, end + 3, *(end + round(n * (1 + end / (1 << 23))) for n in (5.5, 11.6, 22.4, 23.1)), (end + 0x800000) // 2 - 1,
                     (end + 0x800000) // 2, 0x7fffff):
        if 0 <= fraction < 0x800000:
            for exponent in (0, 127, top - 127, top - 126, top - 128, top - 64, top + 33, top + 16):
                if exponent >= -126:
                    blocks[f"largest {exponent} {fraction:#x}"] = [
                        fp32(exponent, fraction), fp32(max(exponent - 1, -126), 0x123456) | SIGN, 0x00012345]
    return blocks


def value(code, element):
    negative, magnitude = mx.decode(code, element)
    return -magnitude if negative else magnitude


def nearest_fp32(exact):
    """The code of a fraction within the normal numbers of fp32, to nearest even; 0 of 0."""
    if not exact:
        return 0
    exponent = mx.floor_log2(abs(exact))
    return (exponent + 126 << 23) + round(abs(exact) / mx.power(exponent - 23)) | (SIGN if exact < 0 else 0)


class Blocks(Case):
    def check(self, group, test):
        """A test of vectors beside the formulas."""
        given, source, element = group["parameters"], group["format"], group["parameters"]["to"]
        length = given["shape"][-1]
        codes, (elements, scales) = integers(test["in"][0]), map(integers, test["out"])
        blocks = -(-length // mx.BLOCK)
        for line in range(len(codes) // length):
            for block in range(blocks):
                first = line * length + block * mx.BLOCK
                last = min(first + mx.BLOCK, (line + 1) * length)
                want = mx.quantise(codes[first:last], source, element, given["profile"], group["rounding"])
                self.assertEqual((elements[first:last], scales[line * blocks + block]), want, (given, line, block))

    def test_every_profile_gives_what_the_reference_gives(self):
        for profile, element in PAIRS:
            more = ("-r", ",".join(ROUNDINGS)) if profile == "ocp" else ()
            document = json.loads(self.succeed(
                "emit", "mx.quantise", "--from", "fp32,fp16,bf16", "--to", element, "--profile", profile,
                "--shape", "13x33", "--distribution", "mixed", "-n", 1, *more))
            for group in document["testGroups"]:
                for test in group["tests"]:
                    self.check(group, test)

    def test_committed_vectors_are_those_of_the_reference(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors", "small", "mx")
        pairs = set()
        for name in sorted(os.listdir(folder)):
            for group in reader.load(os.path.join(folder, name))["testGroups"]:
                quantises = group["operation"] == "mx.quantise"
                if quantises:
                    pairs.add((group["parameters"]["profile"], group["parameters"]["to"]))
                for test in reader.tests_of(group):
                    (self.check if quantises else self.check_back)(group, test)
        self.assertEqual(pairs, set(PAIRS))

    def check_back(self, group, test):
        codes, scales = map(integers, test["in"])
        length = group["parameters"]["shape"][-1]
        self.assertEqual(length, mx.BLOCK)
        found = [mx.dequantise(codes[32 * i:32 * i + 32], scale, group["format"], group["parameters"]["to"])
                 for i, scale in enumerate(scales)]
        self.assertEqual(integers(test["out"][0]), sum(found, []), group["parameters"])

    def test_blocks_at_the_edges_of_rules_give_what_the_reference_gives(self):
        for profile, element in PAIRS:
            blocks = chosen(element)
            if profile not in ("ocp", "transformer-engine", "torchao-rceil"):
                blocks = {name: block for name, block in blocks.items() if name.count(" ") < 3}
            lines = [block + [0] * (32 - len(block)) for block in blocks.values()]
            test = {"tcId": 1, "in": [[f"0x{code:08x}" for line in lines for code in line]],
                    "out": [["0x00"] * 32 * len(lines), ["0x00"] * len(lines)], "flags": []}
            for i, line in enumerate(lines):
                elements, scale = mx.quantise(line, "fp32", element, profile)
                width = (sum(mx.FORMATS[element][:2]) + 4) // 4 if element in mx.FORMATS else 2
                test["out"][0][32 * i:32 * i + 32] = [f"0x{code:0{width}x}" for code in elements]
                test["out"][1][i] = f"0x{scale:02x}"
            path = self.file("chosen.json", self.vectors(element, profile, len(lines), test))
            self.succeed("verify", path, "--impl", "det", "--expect", "correctly_rounded")

    def vectors(self, element, profile, lines, test):
        group = {"operation": "mx.quantise", "format": "fp32", "rounding": "nearest-even",
                 "expect": "correctly_rounded",
                 "parameters": {"to": element, "profile": profile, "shape": [lines, 32], "distribution": "mixed"},
                 "tests": [test]}
        return json.dumps({"schema": "detcheck/vectors/1", "generator": "mx_test", "oracle": "fractions",
                           "numberOfTests": 1, "notes": {}, "testGroups": [group]})

    def test_stochastic_rounding_takes_the_bits_of_the_place(self):
        from arithmetic_vectors_test import random_bits
        for profile, element in (("ocp", "mxfp4_e2m1"), ("ocp-up", "mxint8")):
            document = json.loads(self.succeed(
                "emit", "mx", "--to", element, "--profile", profile, "--shape", "13x32", "--distribution", "mixed",
                "-n", 1, "--stochastic", 11))
            codes = integers(document["testGroups"][0]["tests"][0]["in"][0])
            out = [integers(one) for one in document["testGroups"][0]["tests"][0]["out"]]
            for line in range(13):
                part = slice(32 * line, 32 * line + 32)
                randoms = [random_bits(11, at) & 0xffff for at in range(32 * line, 32 * line + 32)]
                want = mx.quantise(codes[part], "fp32", element, profile, "stochastic", randoms)
                self.assertEqual((out[0][part], out[1][line]), want)

    def test_axis(self):
        words = ("mx", "--to", "mxfp6_e2m3", "--shape", "40x3", "--distribution", "spread", "-n", 1, "--axis", 0)
        test = json.loads(self.succeed("emit", *words))["testGroups"][0]["tests"][0]
        codes, (elements, scales) = integers(test["in"][0]), map(integers, test["out"])
        self.assertEqual(len(scales), 2 * 3)
        for column in range(3):
            for block, rows in enumerate((range(32), range(32, 40))):
                at = [3 * row + column for row in rows]
                self.assertEqual(([elements[i] for i in at], scales[3 * block + column]),
                                 mx.quantise([codes[i] for i in at], "fp32", "mxfp6_e2m3", "ocp"))

    def test_dequantised_elements_are_scale_times_element(self):
        for element in mx.ELEMENTS:
            for target in ("fp32", "bf16", "fp16"):
                group = json.loads(self.succeed("emit", "mx.dequantise", "--from", element, "--to", target,
                                                "--shape", "64x32", "-n", 1))["testGroups"][0]
                self.check_back(group, group["tests"][0])


class Sweeps(Case):
    def sweep(self, *words, **options):
        results = self.results(*words, **options)
        return {(one["operation"].split(".")[-1], each["name"]): each
                for one in results for each in one["implementations"]}

    def test_ends_are_counted(self):
        for profile, element in (("ocp", "mxfp4_e2m1"), ("ocp-up", "mxfp8_e4m3"), ("microxcaling", "mxint8")):
            words = ("mx", "--to", element, "--profile", profile, "--shape", "13x32", "--distribution", "mixed",
                     "--impl", "det")
            test = json.loads(self.succeed("emit", *words[:-2], "-n", 1))["testGroups"][0]["tests"][0]
            codes, (elements, scales) = integers(test["in"][0]), map(integers, test["out"])
            saturated = vanished = 0
            for i, code in enumerate(codes):
                _, x = mx.decode(code, "fp32")
                _, e = mx.decode(elements[i], element)
                if scales[i // 32] == 255 or mx.NAN in (x, e):
                    continue
                quotient = x / mx.power(scales[i // 32] - 127)
                saturated += e >= mx.numbers(element)[-1] and quotient > e
                vanished += e == 0 and x != 0
            counted = self.sweep(*words, "-n", 1)["elements", "det"]
            self.assertEqual((counted["saturated"], counted["vanished"]), (saturated, vanished), element)
            self.assertGreater(vanished, 0)
            self.assertEqual(counted["incorrectly_rounded"], 0)
            if profile == "ocp":
                self.assertGreater(saturated, 0)

    def test_nothing_saturates_where_scales_are_rounded_up(self):
        words = ("mx", "--to", "mxfp8_e4m3", "--distribution", "boundary", "--impl", "det")
        for profile, saturates in (("ocp", True), ("ocp-up", False), ("torchao-ceil", False)):
            counted = self.sweep(*words, "--profile", profile)["elements", "det"]
            self.assertEqual(counted["saturated"] > 0, saturates, profile)

    def test_a_logarithm_in_fp32_finds_other_scales(self):
        found = self.sweep("mx", "--distribution", "boundary")
        self.assertEqual(found["scales", "det"]["incorrectly_rounded"], 0)
        self.assertGreater(found["scales", "naive"]["incorrectly_rounded"], 0)
        self.assertGreater(found["elements", "naive"]["over_1_ulp"], 0)

    def test_the_table_of_the_manual(self):
        self.assertEqual(mx_table.page_table(), mx_table.table(),
                         "tests/cmd/mx_table.py --write puts it right")

    def test_text(self):
        text = self.succeed("sweep", "mx", "--distribution", "mixed", "--shape", "64")
        self.assert_holds(text, "saturated", "became zero", "mx.quantise.scales")

    @unittest.skipUnless(FAULTY_LIBM, "nothing can be preloaded")
    def test_a_fault_of_one_scale_is_found(self):
        words = ("mx", "--distribution", "equal", "--shape", "32", "-n", 1, "--impl", "det,naive")
        before = self.sweep(*words)
        if before["scales", "naive"]["incorrectly_rounded"]:
            self.skipTest("log2f is off here without a fault")
        test = json.loads(self.succeed("emit", "mx", "--distribution", "equal", "--shape", "32", "-n", 1))
        code = integers(test["testGroups"][0]["tests"][0]["in"][0])[0] & ~SIGN
        after = self.sweep(*words, env=faulty(at=code, xor=0x00800000))
        self.assertEqual(after["scales", "naive"]["incorrectly_rounded"], 1)
        self.assertEqual(after["scales", "det"]["incorrectly_rounded"], 0)


class Faults(Case):
    def test_one_bit_of_an_element_or_a_scale(self):
        text = self.succeed("emit", "mx", "--to", "mxfp8_e5m2", "--shape", "2x32", "--distribution", "spread", "-n", 2)
        self.succeed("verify", self.file("good.json", text), "--impl", "det")
        for result, element, bit in ((0, 37, 0), (0, 0, 7), (1, 1, 0), (1, 0, 5)):
            document = json.loads(text)
            out = document["testGroups"][0]["tests"][1]["out"][result]
            out[element] = f"0x{int(out[element], 16) ^ 1 << bit:02x}"
            printed = self.succeed("verify", self.file("bad.json", json.dumps(document)), "--impl", "det", code=1)
            self.assertIn("scales" if result else "elements", printed)
            self.assertIn(out[element], printed)

    def test_products_are_sums_that_are_rounded_once(self):
        """cr beside fractions, in each format of elements and both of scales; naive beside floats."""
        draw, checked = random.Random(52), 0
        rows, inner, columns = 2, 45, 3
        scales = {"fp8_e8m0fnu": (32, lambda: 127 + draw.randint(-20, 20), lambda code: mx.power(code - 127)),
                  "fp8_e4m3fn": (16, lambda: draw.randint(0, 126),
                                 lambda code: mx.decode(code, "mxfp8_e4m3")[1])}
        for element in mx.ELEMENTS:
            for name, (block, some, number) in scales.items():
                blocks = -(-inner // block)
                finite = [c for c in range(1 << (8 if element == "mxint8" else 1 + sum(mx.FORMATS[element][:2])))
                          if mx.decode(c, element)[1] not in (mx.INF, mx.NAN)]
                x, y = ([draw.choice(finite) for _ in range(count)] for count in (rows * inner, inner * columns))
                s, t = ([some() for _ in range(count)] for count in (rows * blocks, blocks * columns))
                found = self.document("eval", "mx.matmul", "-f", element, "--scale-format", name, "--shape",
                                      f"{rows}x{inner}x{columns}", "--impl", "cr", *(f"0x{code:02x}" for code in (*x, *s, *y, *t)))
                for i, one in enumerate(found["results"][0]["elements"]):
                    row, column = divmod(i, columns)
                    exact = sum(value(x[row * inner + k], element) * number(s[row * blocks + k // block])
                                * value(y[k * columns + column], element) * number(t[k // block * columns + column])
                                for k in range(inner))
                    got = int(one["implementations"][0]["got"], 16)
                    self.assertEqual(got, nearest_fp32(exact), (element, name, i))
                    checked += 1
        self.assertEqual(checked, len(mx.ELEMENTS) * 2 * rows * columns)

    def test_bad_input_is_refused_with_what_would_be_right(self):
        for words, said in ((("mx", "--to", "fp8_e4m3fn"), "mxfp8_e5m2, mxfp8_e4m3"),
                            (("mx", "--to", "mxfp8"), "one of several"),
                            (("mx", "--from", "fp64"), "fp32, fp16 or bf16"),
                            (("mx", "--from", "mxfp4_e2m1"), "real numbers"),
                            (("mx", "--profile", "ieee"), "has no rule for blocks"),
                            (("mx", "--profile", "transformer-engine", "--to", "mxint8"), "its targets are"),
                            (("mx.dequantise", "--from", "fp32"), "elements of blocks"),
                            (("mx.dequantise", "--to", "mxfp4_e2m1"), "only the blocks, in --from, may have other formats"),
                            (("mx.matmul", "--from", "fp16"), "elements of blocks"),
                            (("mx.matmul", "--scale-format", "fp16"), "in fp8_e8m0fnu or fp8_e4m3fn"),
                            (("mx.matmul", "--shape", "32"), "ROWSxINNERxCOLUMNS"),
                            (("mx.matmul", "--to", "fp64"), "fp32, fp16 or bf16"),
                            (("cast", "--to", "mxfp8_e4m3"), "mx.quantise"),
                            (("cast", "--to", "fp8_e4m3fn", "--profile", "torchao-even"), "no rule for casts"),
                            (("sum", "--dtype", "mxint8"), "not of blocks"),
                            (("exp", "--format", "mxfp8_e4m3"), "real numbers"),
                            (("mx", "--axis", "1", "--shape", "32"), "--axis")):
            self.assertIn(said, self.refuse("sweep", *words))


if __name__ == "__main__":
    unittest.main()
