"""`variant:` computes as its choices say, bit for bit, and they cost and buy what they should.

EXHAUSTIVE=1 sweeps all of fp32 instead.
"""

import math
import os
import random
import struct
import unittest

from fp32 import Number, fma, fp32
from harness import Case

DEGREES = {"exp": range(3, 8), "sigmoid": range(3, 8), "tanh": range(3, 8), "log": range(5, 11), "sin": (3, 5, 7, 9)}
OWN = {"exp": 6, "sigmoid": 6, "tanh": 6, "log": 9, "sin": 7}
CHOICES = {"fma": ("yes", "no"), "scheme": ("horner", "estrin"), "coefficients": ("minimax", "taylor"),
           "terms": (2, 1, 3, 4)}
TAYLOR = {"exp": [1 / math.factorial(k + 2) for k in range(9)], "log": [(-1) ** (k + 1) / (k + 2) for k in range(9)],
          "sin": [(-1) ** (k + 1) / math.factorial(2 * k + 3) for k in range(9)],
          "cos": [(-1) ** (k + 1) / math.factorial(2 * k + 2) for k in range(9)]}
HALF_PI = [["0x1.921fb6p+0"], ["0x1.92p+0", "0x1.fb5444p-12"], ["0x1.92p+0", "0x1.fap-12", "0x1.54442ep-20"],
           ["0x1.92p+0", "0x1.fap-12", "0x1.54p-20", "0x1.10b462p-30"]]
LOG_2 = [["0x1.62e43p-1"], ["0x1.62e4p-1", "0x1.7f7d1cp-20"], ["0x1.62e4p-1", "0x1.7f7cp-20", "0x1.1cf79ap-36"],
         ["0x1.62e4p-1", "0x1.7f7cp-20", "0x1.1cf6p-36", "0x1.9abc9ep-52"]]


class Model:
    """A design in Python, with Taylor's coefficients."""

    def __init__(self, design):
        self.design = design

    def sum(self, a, b, c):
        a, b, c = (Number(x) for x in (a, b, c))
        return fma(a, b.value, c) if self.design["fma"] == "yes" else a * b + c

    def polynomial(self, name, count, z):
        c = [Number(x) for x in TAYLOR[name][:count]]
        if self.design["scheme"] == "horner":
            while len(c) > 1:
                last = c.pop()
                c[-1] = self.sum(last, z, c[-1])
        while len(c) > 1:
            c = [self.sum(c[i + 1], z, c[i]) if i + 1 < len(c) else c[i] for i in range(0, len(c), 2)]
            z = z * z
        return c[0]

    def reduce(self, x, inverse, constants):
        shift = float.fromhex("0x1.8p+23")
        k = self.sum(x, inverse, shift) - shift
        for constant in constants[self.design["terms"] - 1]:
            x = self.sum(-k, float.fromhex(constant), x)
        return int(k.value), x

    def exp_less_one(self, x):
        k, r = self.reduce(x, 1 / math.log(2), LOG_2)
        return k, self.sum(r * r, self.polynomial("exp", self.design["degree"] - 1, r), r)

    def exp(self, x):
        k, m = self.exp_less_one(Number(x))
        return Number(math.ldexp((Number(1) + m).value, k)).value

    def sigmoid(self, x):
        power = Number(self.exp(-abs(x)))
        return ((power if x < 0 else Number(1)) / (Number(1) + power)).value

    def tanh(self, x):
        k, m = self.exp_less_one(Number(2 * abs(x)))
        less_one = self.sum(2.0 ** k, m, 2.0 ** k - 1)
        return math.copysign((less_one / (less_one + 2)).value, x)

    def log(self, x):
        m, k = math.frexp(x)
        if m < math.sqrt(0.5):
            m, k = 2 * m, k - 1
        r, k = Number(m) - 1, Number(k)
        total = r * r * self.polynomial("log", self.design["degree"] - 1, r)
        first, *others = LOG_2[self.design["terms"] - 1]
        for constant in reversed(others):
            total = self.sum(k, float.fromhex(constant), total)
        return self.sum(k, float.fromhex(first), total + r).value

    def sin(self, x):
        quarter, r = self.reduce(Number(x), 2 / math.pi, HALF_PI)
        z, degree = r * r, self.design["degree"]
        sine = self.sum(r * z, self.polynomial("sin", (degree - 1) // 2, z), r)
        cosine = self.sum(z, self.polynomial("cos", (degree + 1) // 2, z), 1)
        return [sine, cosine, -sine, -cosine][quarter % 4].value


def spelled(design):
    return "variant:" + ",".join(f"{name}={value}" for name, value in design.items())


class Variants(Case):
    def entry(self, operation, name, *words):
        result, = self.document("sweep", operation, "--impl", name, *words, notes=True)["results"]
        return result["implementations"][0]

    def largest(self, operation, name, *words):
        return self.entry(operation, name, *words)["max_ulp"]["error"]

    def test_the_bits_of_a_model_of_each_choice(self):
        draw = random.Random(7)
        for operation, degrees in DEGREES.items():
            span = (1e-3, 50) if operation == "log" else (-20, 8)
            codes = sorted({struct.unpack("<I", struct.pack("<f", fp32(draw.uniform(*span))))[0] for _ in range(30)})
            inputs = [struct.unpack("<f", struct.pack("<I", code))[0] for code in codes]
            self.file("inputs", "".join(f"0x{code:08x}\n" for code in codes))
            designs = [{**{name: draw.choice(values) for name, values in CHOICES.items()}, "coefficients": "taylor",
                        "degree": draw.choice(degrees)} for _ in range(8)]
            words = []
            for number, design in enumerate(designs):
                outputs = [getattr(Model(design), operation)(x) for x in inputs]
                self.file(f"outputs{number}", b"".join(struct.pack("<f", y) for y in outputs))
                words += ["--impl", spelled(design), "--impl", f"file:outputs{number}"]
            result, = self.document("sweep", operation, "--inputs", "inputs", *words, notes=True)["results"]
            prints = {one["name"]: one["fingerprint"] for one in result["implementations"]}
            for number, design in enumerate(designs):
                mine, = (value for name, value in prints.items() if name == self.canonical(design))
                self.assertEqual(mine, prints[f"file:outputs{number}"], (operation, design))

    @staticmethod
    def canonical(design):
        """Without the choices that are the standard ones."""
        rest = [f"{name}={value}" for name, value in design.items() if value != CHOICES.get(name, (None,))[0]]
        return "variant:" + (",".join(rest) or "standard")

    def test_what_the_choices_buy(self):
        for operation, degrees in DEGREES.items():
            near = ("--range", "0x3fb00000:0x3fb03fff" if operation == "log" else "0x3f000000:0x3f003fff")
            errors = [self.largest(operation, f"variant:degree={degree},terms=3", *near) for degree in degrees]
            for shorter, longer in zip(errors, errors[1:]):
                self.assertGreater(shorter * 1.2, longer, (operation, errors))
            self.assertGreater(errors[0], 20 * errors[-1], (operation, errors))
            self.assertLess(errors[-1], 2, operation)
            standard = self.largest(operation, "variant:standard", *near)
            self.assertLess(standard, 2)
            self.assertEqual(standard, self.largest(operation, f"variant:degree={OWN[operation]}", *near))
        third = ("--range", "0x3ea00000:0x3ea03fff")  # 0.31: where x is far from 0, Taylor's polynomials are worse
        self.assertGreater(self.largest("exp", "variant:coefficients=taylor,degree=5", *third),
                           2 * self.largest("exp", "variant:degree=5", *third))
        pi = ("--range", "0x40490f00:0x404910ff")  # pi: cancellation, which each term lessens
        errors = [self.largest("sin", f"variant:terms={terms}", *pi) for terms in (1, 2, 3, 4)]
        self.assertGreater(errors[0], 1e5)
        self.assertGreater(errors[0], 100 * errors[1])
        self.assertGreater(errors[1], 20 * errors[2])
        self.assertLess(errors[3], 1.5)
        self.assertGreater(self.largest("exp", "variant:terms=1", "--range", "0x42a00000:0x42a03fff"),
                           2 * self.largest("exp", "variant:terms=2", "--range", "0x42a00000:0x42a03fff"))

    def test_special_numbers(self):
        for operation in DEGREES:
            for name in ("standard", "fma=no,scheme=estrin,coefficients=taylor,terms=4"):
                words = ("--range", "-0x1p-120:0x1p-120", "-n", 3000) if operation == "sin" else ("--special",)
                entry = self.entry(operation, "variant:" + name, *words)
                self.assertEqual((entry["nan_mismatches"], entry["sign_mismatches"], entry["nan_bits_differ"]),
                                 (0, 0, 0), (operation, name))
        for value, got in (("0", "0x00000000"), ("-0", "0x80000000"), ("inf", "0x7fc00000"), ("nan", "0x7fc00000")):
            result, = self.document("eval", "sin", value, "--impl", "variant:standard")["results"]
            self.assertEqual(result["implementations"][0]["got"], got)

    def test_one_name_for_several(self):
        def names(operation, *spellings):
            words = [word for one in spellings for word in ("--impl", one)]
            result, = self.document("sweep", operation, "--range", "1:1", *words)["results"]
            return [one["name"] for one in result["implementations"]]
        self.assertEqual(names("exp", "variant:fma=*,terms=2/3"),
                         ["variant:standard", "variant:terms=3", "variant:fma=no", "variant:fma=no,terms=3"])
        self.assertEqual(names("exp", "variant:FMA=No", "variant:fma=no,terms=2"), ["variant:fma=no"])
        alone = names("exp", "variant:*")
        self.assertEqual((len(alone), alone[0], len(set(alone))), (15, "variant:standard", 15))
        self.assertTrue(all(name.count("=") <= 1 for name in alone))

    def test_the_table(self):
        outcome, = self.document("bench", "sin", "--impl", "variant:*", "--errors", "0.5:50", "--rounds", 2,
                                 "--elements", 200)["results"]
        rows = {row["name"]: row for row in outcome["implementations"]}
        self.assertEqual(len(rows), 11)  # degrees 4, 6, 8 and 10 are not for sines
        self.assertGreater(rows["variant:terms=1"]["max_ulp"], 100 * rows["variant:standard"]["max_ulp"])
        for row in rows.values():
            self.assertEqual((row["max_ulp_inputs"], row["form"]), (1 << 21, "array"))
            self.assertGreater(row["nanoseconds"], 0)
        outcome, = self.document("bench", "exp", "--impl", "det", "--errors", "-1:-0.5", "--exhaustive", "--rounds", 1,
                                 "--elements", 9)["results"]
        self.assertEqual(outcome["implementations"][0]["max_ulp_inputs"], (1 << 23) + 1)

    def test_narrower_formats_and_conditions(self):
        self.assertEqual(self.entry("tanh", "variant:terms=3", "-f", "bf16")["tested"], 1 << 16)
        done = self.run_program("invariance", "log", "--impl", "variant:fma=no", "-n", 300)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_wrong_spellings(self):
        for name, why in (("variant:", "the implementation 'variant:' is incomplete"),
                          ("variant:fma", "a variant is spelled as in variant:fma=no,"),
                          ("variant:fma=maybe", "a variant's fma is yes or no, not 'maybe'"),
                          ("variant:terms=5", "a variant's terms is 2, 1, 3 or 4, not '5'"),
                          ("variant:terms=2/", "not ''"),
                          ("variant:fma=no,fma=yes", "a variant's fma is given twice"),
                          ("variant:fma=no,", "as in variant:"),
                          ("variant:fmaa=no", "not 'fmaa=no'"),
                          ("variant:fma=*,scheme=*,coefficients=*,terms=*,degree=*", "more than 32 implementations")):
            self.assertIn(why, self.refuse("sweep", "exp", "--range", "1:1", "--impl", name))
        for words, why in ((("sin", "--impl", "variant:degree=6"), "variants of sin have the degrees 3, 5, 7 and 9, not 6"),
                           (("cos", "--impl", "variant:standard"), "not of cos"),
                           (("exp", "-f", "fp64", "--impl", "variant:standard", "-n", 5), "narrower than fp64")):
            self.assertIn(why, self.refuse("sweep", *words))
        for words, why in ((("pow", "--errors", "0:1"), "--errors is for functions of one operand; pow has 2"),
                           (("exp", "--errors", "1:0"), "--errors needs A:B"),
                           (("exp", "--errors", "0:1", "-f", "fp64"), "--errors is for numbers of fp32")):
            self.assertIn(why, self.refuse("bench", *words))


class Exhaustive(Case):
    """All of fp32; of sin, what four terms of pi/2 are enough for."""

    def test_all(self):
        for operation, most in (("exp", 1.5), ("sigmoid", 3), ("tanh", 3), ("log", 2)):
            for name in ("standard", "fma=no", "scheme=estrin"):
                result, = self.document("sweep", operation, "--impl", "variant:" + name, notes=True)["results"]
                entry = result["implementations"][0]
                self.assertEqual((entry["tested"], entry["nan_mismatches"], entry["sign_mismatches"]), (1 << 32, 0, 0))
                self.assertLess(entry["max_ulp"]["error"], most, (operation, name))
        result, = self.document("sweep", "sin", "--impl", "variant:terms=4", "--range", "-100:100",
                                notes=True)["results"]
        entry = result["implementations"][0]
        self.assertEqual(entry["nan_mismatches"], 0)
        self.assertLess(entry["max_ulp"]["error"], 2.5)


if __name__ == "__main__":
    chosen = Exhaustive if os.environ.get("EXHAUSTIVE") else Variants
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(chosen)
    raise SystemExit(not unittest.TextTestRunner().run(tests).wasSuccessful())
