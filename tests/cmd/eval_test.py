"""`detcheck eval`: constants from books, rationals and logarithms recomputed here, given outputs
judged by the definition of the error, and the way that all of it is told."""

import decimal
import itertools
import os
import random
import unittest
from fractions import Fraction

from formats import FORMATS, FP16, FP32, INFINITY, ROUNDINGS
from harness import Case, parse

E = "2.71828182845904523536028747135266249775724709369995"
PI = "3.14159265358979323846264338327950288419716939937510"
LN_2 = "0.69314718055994530941723212145817656807550013436025"
ROOT_2 = "1.41421356237309504880168872420969807856967187537694"
SIGMOID_1 = "0.73105857863000487925115924182183627436514464016505"

# Abramowitz and Stegun, tables 1.1, 4.14, 6.1 and 7.1, and the like.
KNOWN = {
    "exp 1": E, "expm1 1": "1" + E[1:], "exp2 0.5": ROOT_2,
    "exp -1": "0.36787944117144232159552377016146086744581113103176",
    "log 2": LN_2, "log1p 1": LN_2,
    "log10 2": "0.30102999566398119521373889472449302676818988146210",
    "log 10": "2.30258509299404568401799145468436420760110148862877",
    "sin 1": "0.84147098480789650665250232163029899962256306079837",
    "cos 1": "0.54030230586813971740093660744297660373231042061792",
    "tan 1": "1.55740772465490223050697480745836017308725077238152",
    "acos -1": PI, "atan2 0 -1": PI, "atan2 -0 -1": "-" + PI,
    "atan 1": "0.78539816339744830961566084581987572104929234984377",
    "sinh 1": "1.17520119364380145688238185059560081515571798133409",
    "cosh 1": "1.54308063481524377847790562075706168260152911236586",
    "tanh 1": "0.76159415595576488811945828260479359041276859725793",
    "sqrt 2": ROOT_2, "hypot 1 1": ROOT_2, "pow 2 0.5": ROOT_2,
    "rsqrt 0.5": ROOT_2, "cbrt 2": "1.25992104989487316476721060727822835057025146470150",
    "erf 1": "0.84270079294971486934122063508260925929606699796630",
    "tgamma 0.5": "1.77245385090551602729816748334114518279754945612238",
    "lgamma 0.5": "0.57236494292470008707171367567652935582364740645765",
    "sigmoid 1": SIGMOID_1, "silu 1": SIGMOID_1, "softplus 0": LN_2, "logaddexp 0 0": LN_2,
    "logsigmoid 0": "-" + LN_2, "acospi -1": "1", "sinpi 0.5": "1", "log2 8": "3", "add 1 2": "3",
}

# Exact zeros, poles, limits: what C Annex F says.
ANNEX_F = {
    "exp 0": "1", "exp -inf": "0", "exp inf": "inf", "exp nan": "nan", "log 0": "-inf",
    "log -0": "-inf", "log -1": "nan", "log 1": "0", "sqrt -0": "-0", "sqrt -1": "nan",
    "sin -0": "-0", "sin inf": "nan", "atan2 0 -0": PI, "pow nan 0": "1", "pow 1 nan": "1",
    "pow -0 -3": "-inf", "hypot inf nan": "inf", "fma inf 0 1": "nan", "tgamma -1": "nan",
    "tgamma -0": "-inf", "lgamma -2": "inf", "rsqrt -0": "-inf", "div 1 -0": "-inf",
    "sub 1 1": "0", "fmod -4 2": "-0", "sinpi -1": "-0", "acosh 1": "0", "atanh -1": "-inf",
}


def cut(digits, count):
    """The first `count` significant digits, without the zeros that end them."""
    start = 0
    while digits[start] in "-0.":
        start += 1
    kept = digits[:start]
    for digit in digits[start:]:
        kept += digit
        count -= digit != "."
        if count == 0:
            return kept.rstrip("0")
    raise ValueError("more digits are needed")


class EvalCase(Case):
    def evaluated(self, *words, **options):
        return self.document("eval", *words, **options)["results"]

    def one(self, *words, **options):
        result, = self.evaluated(*words, **options)
        return result


class Exact(EvalCase):
    def test_forty_digits_of_known_constants_are_right(self):
        for call, digits in KNOWN.items():
            exact = self.one(*call.split())["exact"]
            if "." in digits:
                digits = cut(digits, 40) + "..."
            self.assertEqual(exact, digits, call)

    def test_special_values_are_those_of_annex_f(self):
        for call, expected in ANNEX_F.items():
            result = self.one(*call.split())
            if expected == PI:
                self.assertEqual(result["exact"], cut(PI, 40) + "...", call)
            else:
                self.assertEqual(result["exact"], expected, call)
        self.assertEqual(self.one("sqrt", "-0")["want"], "0x80000000")
        self.assertEqual(self.one("log", "-1")["want"], "0x7fc00000")

    def test_fractions_of_few_digits_are_told_whole(self):
        for call, value in (("div 1 10", "0.1"), ("div -3 1000", "-0.003"), ("recip 10", "0.1"), ("rsqrt 100", "0.1"),
                            ("exp10 -1", "0.1"), ("pow 10 -2", "0.01"), ("pow 2.5 -3", "0.064")):
            self.assertEqual(self.one(*call.split(), "-f", "fp64")["exact"], value, call)
        for call in ("div 1 3", "recip 7", "rsqrt 10", "exp10 -41.5", "pow 3 -2"):
            self.assertTrue(self.one(*call.split(), "-f", "fp64")["exact"].endswith("..."), call)

    def test_digits_and_rounding_against_decimal(self):
        decimal.getcontext().prec = 70
        generator = random.Random(1)
        functions = {"exp": decimal.Decimal.exp, "log": decimal.Decimal.ln,
                     "log10": decimal.Decimal.log10, "sqrt": decimal.Decimal.sqrt}
        for name, function in functions.items():
            codes = [generator.randrange(0x3D000000, 0x42A00000) for _ in range(60)]
            results = self.evaluated(name, *map(FP32.bits, codes))
            for code, result in zip(codes, results, strict=True):
                value = FP32.value(code)
                exact = function(decimal.Decimal(value.numerator) / value.denominator)
                digits = decimal.Context(prec=40, rounding=decimal.ROUND_DOWN).plus(exact)
                self.assertEqual(decimal.Decimal(result["exact"].removesuffix("...")), digits)
                self.assertEqual(result["input"], [FP32.bits(code)])
                self.assertEqual(result["want"], FP32.bits(FP32.encode(Fraction(exact))))

    def test_rationals_in_every_format_and_rounding(self):
        pairs = [("1", "3"), ("-2", "3"), ("5", "7"), ("1", "24"), ("7", "-3"), ("16", "5")]
        words = list(itertools.chain.from_iterable(pairs))
        formats = [form for form in FORMATS.values()
                   if form.family != "scale" and form.value(form.greatest) >= 24]
        results = self.evaluated("div", *words, "--format", ",".join(form.name for form in formats),
                                 "--rounding", ",".join(ROUNDINGS), notes=True)
        self.assertEqual(len(results), len(formats) * len(ROUNDINGS) * len(pairs))
        order = itertools.product(formats, pairs, ROUNDINGS)
        for result, (form, pair, rounding) in zip(results, order, strict=True):
            self.assertEqual((result["format"], result["rounding"]), (form.name, rounding))
            x, y = (form.value(form.encode(Fraction(word))) for word in pair)
            want = form.encode(x / y, rounding)
            self.assertEqual(result["want"], form.bits(want), (form.name, pair, rounding))
            self.assertAlmostEqual(result["boundary_distance"], float(form.boundary_distance(x / y, rounding)),
                                   delta=1e-15)

    def test_the_boundary_below_a_power_of_two_is_a_quarter_of_an_ulp_away(self):
        results = self.evaluated("sqrt", "1", "4", "0x1.01p+0", "-f", "fp16")
        self.assertEqual([result["boundary_distance"] for result in results[:2]], [0.25, 0.25])
        self.assertLess(results[2]["boundary_distance"], 0.5)

    def test_a_boundary_too_near_to_tell_how_near(self):
        """2^-72.3 and 2^-63.4 ulp away: pairs that CORE-MATH lists."""
        for pair, text in (("0x43ac06af99d1f8ae 0x433e62db8902179b", "at most 2.0328790734103208e-20 ulp"),
                           ("0x43b43a2619d9e519 0x43414ac1301a468d", "7.4")):
            done = self.run_program("eval", "atan2", *pair.split(), "-f", "fp64")
            self.assertIn(f"boundary  {text}", done.stdout.decode())
            result = self.one("atan2", *pair.split(), "-f", "fp64")
            self.assertEqual((result.get("boundary_distance_is_bound", False), result["boundary_distance"] < 2 ** -65),
                             ("at most" in text, "at most" in text))

    def test_an_exact_distance_is_no_bound_however_small(self):
        for x, y, form, ulp in ((-100, -149, "fp32", -149), (-149, -149, "fp32", -149), (-1074, -1000, "fp64", -1074),
                                (-1074, -1074, "fp64", -1074), (-1, -149, "fp32", -149)):
            result = self.one("mul", f"0x1p{x}", f"0x1p{y}", "-f", form, "-r", "up")
            self.assertEqual((result["boundary_distance"], "boundary_distance_is_bound" in result), (2.0 ** (x + y - ulp), False))
            nearest = self.one("mul", f"0x1p{x}", f"0x1p{y}", "-f", form)["boundary_distance"]
            self.assertAlmostEqual(nearest, 0 if x == -1 else 0.5, delta=2 ** -50)

    def test_every_code_of_the_smallest_formats(self):
        """x + x, where the sum of two numbers is easily told."""
        for name, form in FORMATS.items():
            if form.width > 8:
                continue
            codes = [code for code in range(1 << form.width) if not form.is_nan(code)
                     and form.value(code) not in (0, INFINITY)]
            words = [form.bits(code) for code in codes for _ in range(2)]
            results = [result for start in range(0, len(words), 200) for result in
                       self.evaluated("add", *words[start:start + 200], "-f", name)]
            for code, result in zip(codes, results, strict=True):
                want = form.encode(2 * form.value(code))
                self.assertEqual(result["want"], form.bits(want), (name, form.bits(code)))

    def test_overflow_by_the_rounding(self):
        wants = [self.one("exp", "1000", "--rounding", rounding)["want"] for rounding in ROUNDINGS]
        self.assertEqual(wants, ["0x7f800000", "0x7f7fffff", "0x7f800000", "0x7f7fffff",
                                 "0x7f800000"])
        # No infinity: nearest gives NaN, toward zero the largest number.
        results = self.evaluated("exp", "100", "--format", "fp8_e4m3fn", "--rounding",
                                 "nearest-even,toward-zero", notes=True)
        self.assertEqual([result["want"] for result in results], ["0x7f", "0x7e"])


class Answers(EvalCase):
    def test_several_values_are_several_results(self):
        results = self.evaluated("pow", "2", "3", "3", "2")
        self.assertEqual([result["exact"] for result in results], ["8", "9"])

    def test_two_results_are_judged_apart(self):
        sine, cosine = self.evaluated("sincos", "1", "--got", "0x3f576aa4", "--got", "0x3f0a5141")
        self.assertEqual((sine["operation"], cosine["operation"]), ("sincos.sin", "sincos.cos"))
        self.assertEqual(self.given(sine)["verdict"], "correctly rounded")
        self.assertEqual(self.given(cosine)["verdict"], "faithful, not correctly rounded")

    def test_fma_is_rounded_once(self):
        result = self.one("fma", "0x1.000002p0", "0x1.000002p0", "-1")
        # (1 + 2^-23)^2 - 1 = 2^-22 + 2^-46, which a product rounded first would not give.
        self.assertEqual(result["want"], FP32.bits(FP32.encode(Fraction(2) ** -22 +
                                                               Fraction(2) ** -46)))

    def given(self, result):
        found, = [one for one in result["implementations"] if one["name"] == "got"]
        return found

    def test_given_outputs_are_judged(self):
        exact = Fraction(decimal.Decimal(E))
        cases = {"0x402df854": "correctly rounded", "0x402df853": "not faithful",
                 "0x402df855": "faithful, not correctly rounded", "nan": "NaN mismatch",
                 "0": "not faithful", "-1": "not faithful", "inf": "not faithful"}
        for got, verdict in cases.items():
            one = self.given(self.one("exp", "1", "--got", got))
            self.assertEqual(one["verdict"], verdict, got)
            self.assertEqual(one["faithful"], "not" not in verdict.split(",")[0].split() and
                             verdict != "NaN mismatch", got)
            if got == "nan":
                self.assertNotIn("error", one)
                continue
            error = float(FP32.error(exact, int(one["got"], 16)))
            self.assertAlmostEqual(one["error"] / error, 1, places=12, msg=got)

    def test_judgements_that_are_no_errors_in_ulps(self):
        def verdict(*words):
            return self.given(self.one(*words))["verdict"]
        self.assertEqual(verdict("sin", "-0", "--got", "0"), "wrong sign of zero")
        self.assertEqual(verdict("log", "-1", "--got", "0xffc00000"),
                         "NaN as it should be, with other bits")
        self.assertEqual(verdict("log", "-1", "--got", "1"), "NaN mismatch")
        infinite = self.given(self.one("exp", "1000", "--got", "0x7f7fffff"))
        self.assertEqual(infinite["error"], 1)

    def test_random_outputs_in_a_narrow_format(self):
        generator = random.Random(2)
        for _ in range(25):
            code = generator.randrange(0x0001, 0x7C00)
            got = generator.randrange(0x7C00)
            exact = 1 / FP16.value(code)
            result = self.one("recip", FP16.bits(code), "--format", "fp16", "--got", FP16.bits(got))
            self.assertEqual(result["want"], FP16.bits(FP16.encode(exact)))
            error = float(FP16.error(exact, got))
            if got != int(result["want"], 16):
                self.assertAlmostEqual(self.given(result)["error"], error, delta=1e-12 * error)

    def test_libm_is_asked_where_it_has_the_function(self):
        exp = self.one("exp", "0")["implementations"][0]
        self.assertEqual((exp["name"], exp["provided"], exp["got"]), ("libm", True, "0x3f800000"))
        mish = self.one("mish", "1")["implementations"][0]
        self.assertIs(mish["provided"], False)
        self.assertIn("mish", mish["reason"])
        away = self.one("exp", "1", "--rounding", "nearest-away")["implementations"][0]
        self.assertIs(away["provided"], False)


class Words(EvalCase):
    def test_text(self):
        text = self.succeed("eval", "exp", "1", "--got", "3")
        for part in ("exp in fp32, nearest-even", "2.718281828459045235360287471352662497757...",
                     "0x1.5bf0a8p+1", "0x402df854", "libm", "got", "correctly rounded",
                     "not faithful"):
            self.assertIn(part, text)
        lengths = [len(line) for line in text.splitlines()]
        self.assertLessEqual(max(lengths), 80)

    def test_rounded_decimal_is_noted(self):
        done = self.run_program("eval", "exp", "0.1", "--format", "fp16")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.decode(),
                         "detcheck: note: 0.1 is not a number of fp16; rounded to 0x1.998p-4, "
                         "between 0x1.998p-4 and 0x1.99cp-4\n")
        self.assertEqual(self.succeed("eval", "exp", "0.5").count("note"), 0)

    def test_every_spelling_of_a_number(self):
        for word in ("1.5", "15e-1", "0x1.8p0", "0x1.8p+0", "0X1.8P0", "0x3fc00000", "+1.5",
                     "0x3p-1"):
            self.assertEqual(self.one("exp", word)["input"], ["0x3fc00000"], word)
        self.assertIn("0xbf000000", self.succeed("eval", "exp", "--", "-.5"))
        for word in ("-inf", "-Infinity", "-INF", "0xff800000"):
            self.assertEqual(self.one("exp", word)["input"], ["0xff800000"], word)
        self.assertEqual(self.one("exp", "-.5")["input"], ["0xbf000000"])

    def test_json_file_beside_the_text(self):
        text = self.succeed("eval", "exp", "0.5", "--json", "r")
        self.assertIn("exact", text)
        with open(os.path.join(self.path, "r"), encoding="utf-8") as stream:
            document = parse(stream.read())
        self.assertEqual(document["schema"], "detcheck/eval/1")
        self.assertEqual(document, self.document("eval", "exp", "0.5"))

    def test_wrong_words_are_refused(self):
        for words, says in ((("exp",), "value"), (("exp", "x"), "'x' is not a number"),
                            (("pow", "1"), "2 values"), (("fma", "1", "2"), "3 values"),
                            (("exq", "1"), "did you mean exp?"), (("unary", "1"), "unary"),
                            (("exp", "1", "--got", "x"), "'x'"), (("exp", "1e39"), "cannot hold"),
                            (("sincos", "1", "--got", "1", "--got", "1", "--got", "1"), "2 results"),
                            (("exp", "0x1.00000001p0"), "neighbours")):
            self.assertIn(says, self.refuse("eval", *words), words)

    def test_error_after_results_leaves_no_json(self):
        self.refuse("eval", "exp", "1", "2", "bad", "--json", "r")
        self.assertEqual(os.listdir(self.path), [])


if __name__ == "__main__":
    unittest.main()
