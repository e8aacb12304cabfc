"""Formats, projections, operations and kappas of P3109, against the definitions of its report 4.0 in fractions."""

import csv
import io
import os
import re
import unittest
from decimal import Decimal, localcontext
from fractions import Fraction

from harness import Case

NAN, PLUS, MINUS = "nan", "inf", "-inf"
SATURATIONS = ("sat-none", "sat-finite", "sat-propagate")
ROUNDINGS = ("nearest-even", "nearest-away", "toward-zero", "up", "down", "to-odd")
DRAWN = ("stochastic-a", "stochastic-b", "stochastic-c")


class Format:
    """Sections 3.1, 4.7.2 and 4.7.6."""

    def __init__(self, name):
        width, precision, self.sign, domain = re.fullmatch(r"binary(\d+)p(\d+)([su])([ef])", name).groups()
        self.name, self.width, self.precision = name, int(width), int(precision)
        self.signed, self.extended = self.sign == "s", domain == "e"
        self.bias = 1 << (self.width - self.precision - self.signed)
        self.values = [self.decode(code) for code in range(1 << self.width)]
        self.codes = {value: code for code, value in enumerate(self.values)}
        numbers = [value for value in self.values if not isinstance(value, str)]
        self.least, self.greatest = min(numbers), max(numbers)
        self.places = {value: place for place, value in enumerate(sorted(numbers))}

    def decode(self, code):
        end = 1 << self.width
        if code == (end // 2 if self.signed else end - 1):
            return NAN
        if self.extended and code == (end // 2 - 1 if self.signed else end - 2):
            return PLUS
        if self.signed and code > end // 2:
            value = self.decode(code - end // 2)
            return MINUS if value == PLUS else -value
        trailing, exponent = code % (1 << (self.precision - 1)), code >> (self.precision - 1)
        fraction = Fraction(trailing, 1 << (self.precision - 1)) + (exponent > 0)
        return fraction * Fraction(2) ** (max(exponent, 1) - self.bias)


def round_to_precision(value, target, rounding, bits=0, drawn=0):
    """4.7.4."""
    if isinstance(value, str) or value == 0:
        return value
    size = abs(value)
    log = size.numerator.bit_length() - size.denominator.bit_length()
    log -= size < Fraction(2) ** log
    scale = max(log, 1 - target.bias) - target.precision + 1
    significand = size / Fraction(2) ** scale
    whole = significand.numerator // significand.denominator
    rest = significand - whole
    even = whole % 2 == 0 if target.precision > 1 else whole == 0 or (scale + target.bias) % 2 == 0
    half = Fraction(1, 2)
    away = {"toward-zero": False, "up": rest > 0 and value > 0, "down": rest > 0 and value < 0, "nearest-away": rest >= half,
            "nearest-even": rest > half or (rest == half and not even), "to-odd": rest > 0 and even,
            "stochastic-a": int(rest * 2 ** bits) + drawn >= 2 ** bits,
            "stochastic-b": int(rest * 2 ** (bits + 1)) + 2 * drawn + 1 >= 2 ** (bits + 1),
            "stochastic-c": round(rest * 2 ** bits) + drawn >= 2 ** bits}[rounding]
    return (whole + away) * Fraction(2) ** scale * (1 if value > 0 else -1)


def saturate(value, target, rounding, saturation):
    """4.7.5, in its order."""
    low, high = target.least, target.greatest
    if value == NAN:
        return NAN
    infinite = isinstance(value, str)
    above = value == PLUS if infinite else value > high
    if not infinite and low <= value <= high:
        return value
    if saturation == "sat-finite" or (saturation == "sat-propagate" and not infinite):
        return high if above else low
    if infinite:
        if above:
            return PLUS if target.extended else high
        if target.signed:
            return MINUS if target.extended else low
        return NAN if saturation == "sat-none" else low
    if rounding == "to-odd" and not target.signed and target.extended and above:
        return high
    if rounding in ("toward-zero", "down" if above else "up"):
        return high if above else low
    if above:
        return PLUS if target.extended else high
    return (MINUS if target.extended else low) if target.signed else NAN


def project(value, target, rounding="nearest-even", saturation="sat-none", bits=0, drawn=0):
    return target.codes[saturate(round_to_precision(value, target, rounding, bits, drawn), target, rounding, saturation)]


def add(x, y):
    if NAN in (x, y) or {x, y} == {PLUS, MINUS}:
        return NAN
    return x if isinstance(x, str) else y if isinstance(y, str) else x + y


def sign(x):
    return (1 if x == PLUS else -1) if isinstance(x, str) else (x > 0) - (x < 0)


def multiply(x, y):
    if NAN in (x, y):
        return NAN
    if isinstance(x, str) or isinstance(y, str):
        return {0: NAN, 1: PLUS, -1: MINUS}[sign(x) * sign(y)]
    return x * y


def divide(x, y):
    if NAN in (x, y) or y == 0 or (isinstance(x, str) and isinstance(y, str)):
        return NAN
    if isinstance(x, str):
        return PLUS if sign(x) * sign(y) > 0 else MINUS
    return Fraction(0) if isinstance(y, str) else x / y


def extended(x):
    return float(x)


def minimum_finite(x, y):
    if NAN in (x, y):
        return y if x == NAN else x
    if isinstance(x, str) != isinstance(y, str):
        return y if isinstance(x, str) else x
    return x if extended(x) < extended(y) else y


def ordered(holds):
    """Comparisons of which NaN is none (section 4.12)."""
    return lambda x, y: int(NAN not in (x, y) and holds(extended(x), extended(y)))


PREDICATES = {"is_zero": lambda x, least: x == 0, "is_one": lambda x, least: x == 1, "is_nan": lambda x, least: x == NAN,
              "is_infinite": lambda x, least: x in (PLUS, MINUS), "is_finite": lambda x, least: not isinstance(x, str),
              "is_sign_minus": lambda x, least: x != NAN and sign(x) < 0,
              "is_normal": lambda x, least: not isinstance(x, str) and abs(x) >= least,
              "is_subnormal": lambda x, least: not isinstance(x, str) and 0 < abs(x) < least}
COMPARISONS = {"compare_less": ordered(lambda a, b: a < b), "compare_less_equal": ordered(lambda a, b: a <= b),
               "compare_equal": ordered(lambda a, b: a == b), "compare_greater_equal": ordered(lambda a, b: a >= b),
               "compare_greater": ordered(lambda a, b: a > b),
               "total_order": lambda x, y: int(x == NAN or y != NAN and extended(x) <= extended(y))}


def class_of(x, least):
    """The place in table 2; `least` is the smallest normal number."""
    if x in (NAN, MINUS, PLUS):
        return {NAN: 0, MINUS: 1, PLUS: 7}[x]
    return 4 + sign(x) * (2 if abs(x) >= least else 1) if x else 4


def maximum_finite(x, y):
    if NAN in (x, y):
        return y if x == NAN else x
    if isinstance(x, str) != isinstance(y, str):
        return y if isinstance(x, str) else x
    return x if extended(x) > extended(y) else y


def magnitude(x):
    return PLUS if x == MINUS else x if isinstance(x, str) else abs(x)


def copysign(x, y):
    if NAN in (x, y):
        return NAN
    return multiply(magnitude(x), Fraction(-1)) if sign(y) < 0 else magnitude(x)


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
