"""The dyadic operations as a user meets them: swept against rationals, and refused where they make
no sense. (The kernels are tested on every int8 pair by tests/detmath/dyadic_test.c.)"""

import json
import os
import random
import sys
import unittest
from fractions import Fraction

from harness import Case

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "detmath"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "property"))
import arithmetic  # noqa: E402
try:
    import reals  # noqa: E402
except ImportError:  # which wants mpmath; nothing is drawn stochastically then
    reals = None

SMALL = ("--shape", "509", "--distribution", "edges")


def int8(v):
    return (v + 128) % 256 - 128


class Integers(Case):
    def test_what_is_called_exact_is_not_rounded_clipped_or_held(self):
        for words, exact, want in (
                ("dyadic.mul 585 1527099593 -f int32 --q 37 --accumulator 64 --rounding nearest-away", "6.50000046811328502371907234191...", 7),
                ("dyadic.mul 65536 65536 -f int32", "4294967296", 0),
                ("dyadic.from_real 1e9 -f fp32 --bits 8", "1000000000", 127),
                ("dyadic.from_real -inf -f fp32 --bits 8", "-inf", -128 % (1 << 32)),
                ("dyadic.requantise 1000 --s1 2 --target 1 --bits 8 -f int16", "500", 127),
                ("dyadic.div 1 3 --p 4", "5.33333333333333333333333333333...", 5),
                ("dyadic.mul 3 5 --q -2", "60", 60),
                ("dyadic.div 100 3 --p -2", "8.33333333333333333333333333333...", 8),
                ("dyadic.div -128 -1 --p -200 --s1 150", "7.96545955566226138514440198883e-59...", 0),
                ("dyadic.align -1 --s1 64 --rounding down", "-5.42101086242752217003726400434e-20...", (1 << 32) - 1),
                ("dyadic.align 1 --target 64 --on-overflow saturate", "18446744073709551616", (1 << 31) - 1),
                ("dyadic.relu 4098 --s1 36753 -f int64 --accumulator 64", "4098", 4098),
                ("dyadic.add 3 5 --s1 -40000 --s2 -40000", "8", 8),
                ("dyadic.align -1 --s1 38505 --target 14", "-1.1335401245551164398523107556e-11587...", 0),
                ("dyadic.align 3 --s1 -65535 --target 65535", "3.01059913652704727937454545452e+39456...", 0),
                ("dyadic.mse 9 1 --p -1", "32", 32),
                ("scaled.exp -0x1p100 1 --shape 1 -f fp32", "2^-16777216, or nearer to 0", 0),
                ("scaled.exp 0x1p100 1 --shape 1 -f fp32", "2^16777216, or beyond", 0x7f800000),
                ("dyadic.mse 1 2 3 2 2 4 --shape 3", "0.666666666666666666666666666666...", 0),
                ("onnx.quantise 300 0.25 3 --shape 1 -f fp32", "1203", 255),
                ("onnx.quantise 1 3 0 --shape 1 -f fp32", "0.333333333333333333333333333333...", 0),
                ("onnx.dequantise 1 0.25 3 --shape 1 --from uint8 --to fp32", "-0.5", 0xbf000000)):
            element = self.document("eval", *words.split())["results"][0]["elements"][0]
            self.assertEqual((element["exact"], int(element["want"], 16)), (exact, want), words)
        text = self.succeed("eval", "dyadic.add", "127", "1", "--s1", "0", "--s2", "1", "--impl", "det")
        self.assertIn("  exact      127.5\n  defined   127 ", text)
        self.assertIn("  exact      0\n  rounded   0 ", text)  # the scale
        scale = self.document("eval", *"scaled.mul 1 0x1.000002p0 1 0x1.000002p0 -f fp32".split())["results"][1]["elements"][0]
        number = (1 + Fraction(1, 1 << 23)) ** 2
        digits = str(number.numerator * 10 ** 29 // number.denominator).rstrip("0")
        self.assertEqual((scale["exact"], scale["want"]), (f"1.{digits[1:]}...", "0x3f800002"))

    def outcomes(self, operation, *words):
        results = self.document("sweep", operation, *words)["results"]
        return {one["operation"]: one["implementations"][0] for one in results}

    def test_no_output_is_wrong(self):
        shifts = {"align": ("--s1", 5, "--target", 2), "add": ("--s1", 5, "--s2", 1),
                  "sub": ("--s1", 2, "--s2", 8, "--align", "finer"),
                  "mul": ("--s1", 5, "--s2", 4, "--q", 7), "div": ("--s1", 3, "--s2", 6, "--p", 9),
                  "requantise": ("--s1", 8, "--target", 1, "--bits", 5, "--unsigned"),
                  "gradient": ("--s1", 3, "--s2", 8, "--target", 1, "--bits", 5)}
        for name, words in shifts.items():
            for more in (("--rounding", "down"), ("--accumulator", 64, "--stochastic", 42),
                         ("--on-overflow", "saturate", "--format", "int32")):
                outcomes = self.outcomes(f"dyadic.{name}", *words, *SMALL, *more)
                self.assertEqual(set(outcomes), {f"dyadic.{name}.mantissa", f"dyadic.{name}.scale"})
                for one in outcomes.values():
                    self.assertEqual(one["incorrectly_rounded"], 0)
                self.assertEqual(outcomes[f"dyadic.{name}.mantissa"]["tested"], 509)

    def test_every_pair_of_int8(self):
        one = self.outcomes("dyadic.mul", "--s1", 3, "--s2", 2, "--q", 4, "--distribution", "pairs")
        self.assertEqual(one["dyadic.mul.mantissa"]["tested"], 65536)
        self.assertEqual(one["dyadic.mul.mantissa"]["incorrectly_rounded"], 0)

    def test_a_seed_gives_one_fingerprint_whatever_the_threads(self):
        words = ("dyadic.requantise", "--s1", 7, "--target", 1, "--format", "int16", "--samples",
                 4, *SMALL)
        prints = {self.outcomes(*words, "--stochastic", seed, "--threads", threads)
                  ["dyadic.requantise.mantissa"]["fingerprint"]
                  for seed, threads in ((1, 1), (1, 2), (1, 8))}
        self.assertEqual(len(prints), 1)
        other = self.outcomes(*words, "--stochastic", 2)["dyadic.requantise.mantissa"]
        self.assertNotIn(other["fingerprint"], prints)

    def test_wide_operands_are_held_in_the_accumulator_first(self):
        """What each operation makes of int64 in 32 bits: wrapped or saturated, as Python's integers are here."""
        x, y = -(1 << 34) - 4, (1 << 33) + 3

        def held(v, how):
            least = -1 << 31
            return (v - least) % (1 << 32) + least if how == "wrap" else max(least, min(-least - 1, v))
        for how in ("wrap", "saturate"):
            a, b = held(x, how), held(y, how)
            wanted = {("add", x, y): held(a + b, how), ("sub", x, y): held(a - b, how),
                      ("mul", x, y): held(a * b, how), ("div", x, y): -(-a // b), ("align", x): a,
                      ("requantise", x): max(-128, a), ("gradient", x, 1): a, ("gradient", 1, y):
                      int(-128 <= b <= 127)}
            for (name, *operands), want in wanted.items():
                with self.subTest(how=how, name=name):
                    results = self.document("eval", f"dyadic.{name}", *operands, "--format", "int64",
                                            "--on-overflow", how, "--impl", "det")["results"]
                    element = results[0]["elements"][0]
                    self.assertEqual(element["want"], f"0x{want % (1 << 32):08x}")
                    self.assertEqual([one["got"] for one in element["implementations"]], [element["want"]])

    def test_no_divisor_of_a_sweep_is_zero_in_the_accumulator(self):
        for form in ("int8", "int16", "int32", "int64"):
            for family in ("pairs", "uniform", "edges"):
                for bits in (32, 64):
                    outcomes = self.outcomes("dyadic.div", "--p", 3, "--format", form, "--accumulator", bits,
                                             "--shape", 4096, "--distribution", family)
                    self.assertEqual(outcomes["dyadic.div.mantissa"]["incorrectly_rounded"], 0)

    def test_values_are_judged_by_exact_numbers(self):
        """The first of all pairs of int8, each element's value again by Python's fractions."""
        for name, words in (("add", (5, 2)), ("sub", (1, 6)), ("mul", (3, 4, "--q", 5)), ("div", (2, 1, "--p", 3)),
                            ("align", (4, 0, "--target", 1)), ("requantise", (3, 0, "--target", 1, "--bits", 5))):
            s1, s2, *more = words
            given = dict(zip(more[::2], more[1::2]))
            given = {name.strip("-"): value for name, value in given.items()}
            if name not in ("align", "requantise"):
                more += ["--s2", s2]
            elements = 1500
            one = self.outcomes(f"dyadic.{name}", "--s1", s1, *more, "-r", "nearest-even", "--shape", elements,
                                "--distribution", "pairs")[f"dyadic.{name}.mantissa"]
            unit = {"mul": s1 + s2, "div": s1 - s2, "add": max(s1, s2), "sub": max(s1, s2)}.get(name, s1)
            errors, clipped, lost = [], 0, 0
            for i in range(elements):
                v1, v2 = (int8(i >> 8), int8(i & 255))
                if name == "div" and v2 == 0:
                    v2 = 1
                x, y = Fraction(v1, 2**s1), Fraction(v2, 2**s2)
                exact = {"add": x + y, "sub": x - y, "mul": x * y, "div": x / y if v2 else 0}.get(name, x)
                v, s, _ = arithmetic.dyadic(name, v1, s1, v2, s2, given.get("target", 0),
                                            given.get("q", given.get("p", 0)), given.get("bits", 8), True, 32, 0,
                                            arithmetic.NEAREST_EVEN, 0, 0)
                errors.append((Fraction(v, 2**s) - exact) * 2**unit)
                if name == "requantise":
                    clipped += not -16 <= arithmetic.dyadic("align", v1, s1, 0, 0, 1, 0, 8, True, 32, 0,
                                                            arithmetic.NEAREST_EVEN, 0, 0)[0] <= 15
                    lost += v1 % 4 != 0
                elif name in ("add", "sub"):
                    lost += (v1 if s1 > s2 else v2) % 2**abs(s1 - s2) != 0
                else:
                    lost += errors[-1] != 0
            value = one["value"]
            self.assertEqual((value["scale"], value["exact"]), (unit, errors.count(0)), name)
            self.assertEqual((value["clipped"], value["lost_bits"], value["overflowed"]), (clipped, lost, 0), name)
            self.assertAlmostEqual(value["max"]["error"], float(max(map(abs, errors))), 13)
            self.assertAlmostEqual(value["mean"], float(sum(map(abs, errors)) / elements), 12)
            self.assertAlmostEqual(value["bias"], float(sum(errors) / elements), 12)
            if name != "div":
                self.assertEqual(int(value["sum_above"], 16), sum(e for e in errors if e > 0) * 2**64)
                self.assertEqual(int(value["sum_below"], 16), -sum(e for e in errors if e < 0) * 2**64)

    def test_conversions_are_those_of_fractions(self):
        """Drawn parameters, each call's elements again by Python's fractions."""
        draw = random.Random(3)
        names = {"nearest-even": arithmetic.NEAREST_EVEN, "down": arithmetic.DOWN, "up": arithmetic.UP,
                 "toward-zero": arithmetic.TOWARD_ZERO, "nearest-away": arithmetic.NEAREST_AWAY}
        for _ in range(12):
            form, rounding = draw.choice(("fp32", "fp16", "bf16")), draw.choice(sorted(names))
            target, bits, width = draw.randint(-9, 40), draw.randint(1, 63), draw.choice((32, 64))
            seed = draw.choice((None, draw.getrandbits(60))) if reals else None
            family = draw.choice(("range", "ties", "codes"))
            words = ("emit", "dyadic.from_real", "-f", form, "-r", rounding, "--target", target, "--bits", bits,
                     "--accumulator", width, "--shape", 60, "--distribution", family, "-n", 1,
                     *(() if seed is None else ("--stochastic", seed)))
            for test in json.loads(self.succeed(*words))["testGroups"][0]["tests"]:
                for i, (code, got) in enumerate(zip(test["in"][0], test["out"][0])):
                    v, s = arithmetic.from_real(
                        arithmetic.decode(int(code, 16), form)[0], target, bits, True, width, 0,
                        names[rounding] if seed is None else arithmetic.STOCHASTIC,
                        0 if seed is None else reals.random_bits(seed, i))
                    self.assertEqual((v, s), (int(got), int(test["out"][1][0])), (words, i, code))
            self.assertNotIn("mismatch", self.succeed("verify", self.file("v.json", self.succeed(*words)), "-i", "det"))
            s1 = draw.randint(-9, 70)
            words = ("emit", "dyadic.to_real", "-f", "int64", "--to", form, "--s1", s1, "--shape", 60, "-n", 1)
            for test in json.loads(self.succeed(*words))["testGroups"][0]["tests"]:
                for v, got in zip(test["in"][0], test["out"][0]):
                    x = int(v) * Fraction(2)**-s1
                    self.assertEqual(int(got, 16), arithmetic.encode(x, x < 0, form), (words, v))
        self.assertIn("NaN", self.refuse("eval", "dyadic.from_real", "nan"))

    def test_the_text_is_wrong_about_its_shift_and_its_mask(self):
        """What it says is what fractions of its formulas give, and is not what it means."""
        words = ("--s1", 1, "--target", 4, "--bits", 5, "-r", "down", "--distribution", "pairs", "--shape", 4096)
        results = self.document("sweep", "dyadic.requantise", *words, "--impl", "det,text")["results"]
        det, text = results[0]["implementations"]
        exact = [Fraction(i >> 8, 2) for i in range(4096)]
        said = [Fraction((i >> 8) >> 3, 16) for i in range(4096)]
        self.assertEqual(text["value"]["exact"], sum(a == b for a, b in zip(exact, said)))
        self.assertGreater(text["incorrectly_rounded"], 0)
        self.assertEqual(det["incorrectly_rounded"], 0)
        self.assertEqual(results[1]["implementations"][1]["incorrectly_rounded"], 0)
        gradient = self.outcomes("dyadic.gradient", *words[2:], "--impl", "text")["dyadic.gradient.mantissa"]
        self.assertEqual(gradient["incorrectly_rounded"], gradient["value"]["clipped"] - 254)
        self.assertIn("below 0", self.refuse("sweep", "dyadic.requantise", "--s1", 3, "--impl", "text", *SMALL))

    def test_the_text_shifts_the_coarser_term_to_the_right(self):
        """As requantisation does: sums and differences of fractions at the scale that it says, of every pair of int8."""
        words = ("-r", "down", "--distribution", "pairs", "--impl", "det,text")
        pairs = [((i >> 8) - 256 * (i >> 15), (i & 255) - 256 * (i >> 7 & 1)) for i in range(65536)]
        for name, sign in (("add", 1), ("sub", -1)):
            for s1, s2 in ((1, 3), (3, 1), (2, 2)):
                with self.subTest(name=name, s1=s1, s2=s2):
                    t = max(s1, s2)
                    results = self.document("sweep", f"dyadic.{name}", "--s1", s1, "--s2", s2, "--align", "finer",
                                            *words)["results"]
                    det, text = results[0]["implementations"]
                    said = [(x >> (t - s1)) + sign * (y >> (t - s2)) for x, y in pairs]
                    means = [(x << (t - s1)) + sign * (y << (t - s2)) for x, y in pairs]
                    wrong = sum(a != b for a, b in zip(said, means))
                    self.assertEqual(text["incorrectly_rounded"], wrong)
                    self.assertEqual(wrong == 0, s1 == s2)
                    self.assertEqual(text["value"]["exact"], 65536 - wrong)
                    self.assertEqual(det["incorrectly_rounded"], 0)
                    self.assertEqual(results[1]["implementations"][1]["incorrectly_rounded"], 0)
        for name in ("add", "sub"):
            self.assertIn("--align finer", self.refuse("sweep", f"dyadic.{name}", "--s1", 1, "--impl", "text", *SMALL))
        for words, want in (((("align", 21), "--s1", 1, "--target", 3), 5), ((("add", 21, 7), "--s1", 1, "--s2", 3), 12),
                            ((("sub", 21, 7), "--s1", 1, "--s2", 3), -2)):
            (name, *operands), *more = words
            more += ["--align", "finer"] if name != "align" else []
            results = self.document("eval", f"dyadic.{name}", *operands, *more, "-r", "down", "--impl", "text")["results"]
            got = [one["got"] for one in results[0]["elements"][0]["implementations"]]
            self.assertEqual(got, [f"0x{want % (1 << 32):08x}"])
        self.assertIn("below 0", self.refuse("sweep", "dyadic.align", "--s1", 3, "--impl", "text", *SMALL))

    def test_values_tell_overflows(self):
        words = ("dyadic.mul", "--format", "int32", "--distribution", "edges", "--shape", 200)
        wrapped = self.outcomes(*words)["dyadic.mul.mantissa"]["value"]
        wide = self.outcomes(*words, "--accumulator", 64)["dyadic.mul.mantissa"]["value"]
        self.assertGreater(wrapped["overflowed"], 0)
        self.assertEqual(wrapped["exact"] + wrapped["overflowed"], 200)
        self.assertEqual((wide["overflowed"], wide["exact"]), (0, 200))

    def test_values_merge_and_are_limited(self):
        whole, other = (self.document("sweep", "dyadic.requantise", "--s1", 2, "--bits", bits, *SMALL, "-n", 4)
                        for bits in (5, 6))
        parts = [self.file(f"{at}.json", json.dumps(one)) for at, one in enumerate((whole, other))]
        merged = json.loads(self.succeed("merge", *parts, "-o", "-"))["results"]
        self.assertEqual([one["implementations"][0].get("value") for one in merged],
                         [one["implementations"][0].get("value") for one in whole["results"] + other["results"]])
        mine = merged[0]["implementations"][0]["value"]
        self.assertGreater(mine["clipped"], 0)
        report = self.file("report.json", json.dumps(whole))
        for limit, most in (("max-value-error", mine["max"]["error"]), ("max-clipped", mine["clipped"]),
                            ("max-lost-bits", mine["lost_bits"]), ("max-overflowed", 0)):
            self.succeed("gate", report, f"--{limit}", most)
            if most:
                self.succeed("gate", report, f"--{limit}", most - 1, code=1)
        policy = self.file("policy.json")
        self.succeed("gate", report, "--update", policy)
        with open(policy, encoding="ascii") as stream:
            rules = json.load(stream)["rules"]
        self.assertEqual([rule.get("max_clipped") for rule in rules], [mine["clipped"], None])
        self.succeed("gate", report, "--policy", policy)
        exp = self.file("exp.json", json.dumps(self.document("sweep", "exp", "-f", "fp8_e5m2")))
        self.assertIn("max_clipped cannot be judged", self.refuse("gate", exp, "--max-clipped", 1))

    def test_ties_go_upwards(self):
        """nearest-up against whole numbers: -3 2^30 / 2^31 is -1."""
        element = self.document("eval", *"dyadic.mul -3 1073741824 -f int32 --q 31 --accumulator 64 -r nearest-up -i det".split()
                                )["results"][0]["elements"][0]
        self.assertEqual((element["want"], element["implementations"][0]["got"]), ("0x" + "f" * 16,) * 2)
        for words in (("mul", "--q", 3), ("align", "--s1", 5, "--target", 2), ("requantise", "--s1", 9, "--target", 6),
                      ("add", "--s1", 4, "--s2", 1), ("from_real", "--target", 3)):
            for width in (32, 64):
                text = self.succeed("emit", f"dyadic.{words[0]}", *words[1:], "--accumulator", width, "-r", "nearest-up",
                                    "--shape", 300, "-n", 2)
                if words[0] in ("mul", "align"):
                    by = int(words[2]) if words[0] == "mul" else 3
                    for test in json.loads(text)["testGroups"][0]["tests"]:
                        for *v, got in zip(*test["in"][:1 + (words[0] == "mul")], test["out"][0]):
                            product = int(v[0]) * (int(v[1]) if words[0] == "mul" else 1)
                            self.assertEqual(int(got), (product + (1 << by - 1)) >> by)
                self.succeed("verify", self.file("v.json", text), "-i", "det")
                outcomes = self.outcomes(f"dyadic.{words[0]}", *words[1:], "--accumulator", width, "-r", "nearest-up",
                                         *(SMALL[:2] if words[0] == "from_real" else SMALL))
                self.assertEqual(outcomes[f"dyadic.{words[0]}.mantissa"]["incorrectly_rounded"], 0)
                self.assertGreaterEqual(outcomes[f"dyadic.{words[0]}.mantissa"]["tested"], 509)
        self.assertIn("not rounded nearest-up", self.refuse("eval", "dyadic.to_real", "3", "-r", "nearest-up"))

    def test_bad_input(self):
        for words, said in ((("dyadic.mul", "--s1", 65535, "--s2", 1), "scale"),
                            (("dyadic.mul", "--q", -65536), "65535"),
                            (("dyadic.add", "--s1", -65536), "--s1"),
                            (("dyadic.from_real", "--bits", 64, "--unsigned"), "--bits"),
                            (("dyadic.to_real", "--to", "int8"), "real numbers"),
                            (("dyadic.add", "--format", "fp16"), "integers"),
                            (("exp", "--format", "int8"), "real numbers"),
                            (("dyadic.add", "--format", "uint32"), "integers"),
                            (("dyadic.requantise", "--bits", 64, "--unsigned"), "--bits"),
                            (("dyadic.mul", "--format", "int32", "--on-overflow", "report",
                              "--s1", 9, "--distribution", "uniform"), "overflows")):
            self.assertIn(said, self.refuse("sweep", *words))


if __name__ == "__main__":
    unittest.main()
