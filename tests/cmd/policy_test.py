"""detcheck sweep --policy: libraries that keep each shape of promise by a little, and break it by a little."""

import json
import math
import struct
import unittest

from harness import parse
from policy_case import ABOVE, INTEGERS, NORMAL, ORACLES, PLACES, PROMISED, SUBNORMAL, PolicyCase


class Policy(PolicyCase):
    def test_ulps_that_depend_on_the_input(self):
        """3 + 2|x| ulps, by a library that is off by all but one of them, or by two more."""
        for inputs in (NORMAL, ABOVE, "-5.5:-5.4999")[:PLACES]:
            path = self.policy({"ulp": "3 + 2*|x|"})
            kept = self.sweep("exp", inputs, path, off_ulps=2, off_slope=2)
            self.assertEqual(kept["violations"], 0)
            self.assertIsNone(kept["worst"])
            broken = self.sweep("exp", inputs, path, code=1, off_ulps=5, off_slope=2)
            self.assertEqual((broken["kept"], broken["left_out"]), (0, 0))
            self.assertGreater(broken["worst"]["error"], broken["worst"]["limit"])

    def test_whole_ulps_to_the_last(self):
        """What is off by 3 ulps keeps 3, and breaks a limit that is a little less."""
        path = self.policy({"ulp": 3})
        self.assertEqual(self.counts(self.sweep("rint", INTEGERS, path, off_ulps=3)), (4096, 0, 0, 0))
        path = self.policy({"ulp": 2.9999999999})
        broken = self.sweep("rint", INTEGERS, path, code=1, off_ulps=3)
        self.assertEqual(self.counts(broken), (0, 0, 0, 4096))
        self.assertEqual((broken["worst"]["error"], broken["worst"]["input"]), (3, "0x4b000000"))
        # The limit is 3 at 2^23, and above it behind that.
        path = self.policy({"ulp": "2 + x * 2^-23"})
        self.assertEqual(self.counts(self.sweep("rint", INTEGERS, path, off_ulps=3)), (4096, 0, 0, 0))
        path = self.policy({"ulp": "min(4 - x * 2^-23, 3)"})
        self.assertEqual(self.counts(self.sweep("rint", INTEGERS, path, code=1, off_ulps=3)), (1, 0, 0, 4095))

    def test_limits_in_the_midst_of_errors(self):
        """What one by one, and by MPFR, keeps a promise that some of each chunk break does so in runs too."""
        for promise, off in (({"ulp": 0.2}, 0), ({"ulp": 1}, 1), ({"ulp": "2^-24 + x/4"}, 1), ({"absolute": "2^-24"}, 0),
                             ({"absolute": "2^-21"}, 1), ({"require": "faithful"}, 1), ({"ulp": 0}, 0),
                             ({"ulp": 0.125, "absolute": "x * 2^-25"}, 0), ({"relative": "2^-25"}, 0), ({"relative": "x * 2^-25"}, 1)):
            found = self.sweep("exp", NORMAL, self.policy(promise), code=1, off_ulps=off, oracles=("auto", "mpfr"))
            self.assertGreater(found["violations"], 9)
            self.assertTrue(found["kept"] or promise == {"ulp": 0})
        # About ln 4: an ulp of the results is 2^-22 before it, and 2^-21 from there on.
        found = self.sweep("exp", "0x3fb16e17:0x3fb17616", self.policy({"absolute": "2^-21*0.9"}), code=1, off_ulps=1,
                           oracles=("auto", "mpfr"))
        self.assertEqual(self.counts(found), (1025, 0, 0, 1023))

    def test_no_error_where_results_overflow(self):
        """There the right output's error is 0 by definition. Far below, where a double cannot hold it, it is not."""
        path = self.policy({"ulp": 0})
        for inputs, counts in (("0x42b20000:0x42b20fff", (4096, 0, 0, 0)), ("0xc5000000:0xc5000fff", (0, 0, 0, 4096))):
            found = self.sweep("exp", inputs, path, code=int(counts[3] > 0), off_ulps=0, oracles=("auto", "exact"))
            self.assertEqual(self.counts(found), counts)

    def test_far_errors(self):
        """What is off by 100,000 ulps and more is held by its cheap value as it is by MPFR one by one; and a policy
        changes nothing else of the report, nor how often the exact oracle is asked."""
        rules = ({"ulp": 100001.9}, {"ulp": "50000*x"}, {"absolute": "0.0239"}, {"relative": 0.00645},
                 {"ulp": 10, "absolute": "0.012*x"}, {"require": "faithful"},
                 [{"x": [2, "2 + 2^-12"], "ulp": 1}, {"x": ["2 + 2^-12", "2 + 2^-11"], "ulp": 2e5}])
        for promise in rules:
            path = self.policy(promise, accept=["flushed_inputs", "flushed_results", "undefined_infinity"])
            found = self.sweep("exp", NORMAL, path, code=1, off_ulps=1e5, off_slope=1, oracles=("auto", "mpfr"))
            self.assertEqual(sum(self.counts(found)), 4096)
            self.assertGreater(found["violations"], 99)
        # They are off by 100,002 numbers from the correctly rounded one.
        for limit, kept in ((100002.51, 4096), (100001.49, 0)):
            found = self.sweep("exp", NORMAL, self.policy({"ulp": limit}), code=0 if kept else 1, off_ulps=1e5, off_slope=1)
            self.assertEqual(found["kept"], kept)
        # Zeros in the place of normal results, and flushed operands.
        path = self.policy({"ulp": 4}, accept=["flushed_results"])
        self.assertEqual(self.sweep("exp", NORMAL, path, code=1, off_absolute=-7.389)["accepted"], 0)
        words = ["sweep", "exp", "-f", "fp32", "--range", NORMAL, "--impl", f"{PROMISED}:promised_expf", "--json", "-"]
        plain, judged = (parse(self.run_program(*words, *more, env={"OFF_ULPS": "1e5"}).stdout.decode())["results"][0]
                         for more in ((), ("--policy", path)))
        self.assertEqual(judged["implementations"][0].pop("promise")["violations"], 4096)
        self.assertEqual(judged, {**plain, "implementations": [{**plain["implementations"][0]}]})
        self.assertLess(judged["oracle"]["exact"], 40)

    def test_the_largest_error_is_the_least_limit(self):
        document = self.document("sweep", "exp", "-f", "fp32", "--range", NORMAL, "--impl", "libm")
        largest = document["results"][0]["implementations"][0]["max_ulp"]
        for limit, code in ((largest["error"], 0), (largest["error"] * (1 - 2 ** -45), 1)):
            path = self.policy({"ulp": limit})
            done = self.run_program("sweep", "exp", "-f", "fp32", "--range", NORMAL, "--impl", "libm", "--policy", path,
                                    "--json", "-")
            self.assertEqual(done.returncode, code)
            found = parse(done.stdout.decode())["results"][0]["implementations"][0]["promise"]
            self.assertEqual(found["violations"], code)
            if code:
                self.assertEqual(found["worst"]["input"], largest["input"])

    def test_absolute_errors(self):
        """2^-11 of sin: a library that is off by 2^-11, less or more a 256th of that."""
        path = self.policy([{"x": ["-pi", "pi"], "absolute": "2^-11"}, {"require": "anything"}])
        for inputs in (NORMAL, ABOVE, "-0.1:-0.09999")[:PLACES]:
            kept = self.sweep("sin", inputs, path, off_absolute=2 ** -11 * (1 - 2 ** -8))
            self.assertEqual(kept["violations"], 0)
            broken = self.sweep("sin", inputs, path, code=1, off_absolute=2 ** -11 * (1 + 2 ** -8))
            self.assertEqual(broken["kept"], 0)
        # Beside pi, half in the range and half out of it.
        kept = self.sweep("sin", "0x40490fd0:0x40490fdf", path, code=1, off_absolute=1)
        self.assertEqual(self.counts(kept), (0, 0, 5, 11))

    def test_the_larger_of_two(self):
        either = self.policy({"ulp": 4, "absolute": "2^-11"})
        self.assertEqual(self.sweep("sin", NORMAL, either, off_absolute=2 ** -12)["violations"], 0)
        self.assertEqual(self.sweep("exp", "10:10.001", either, off_ulps=3)["violations"], 0)
        self.assertEqual(self.sweep("exp", "10:10.001", either, code=1, off_ulps=5)["kept"], 0)

    def test_relative_errors(self):
        """3 of 2^23 and more, which is exactly 3 at the lower end, and at 2^23 + 2048."""
        for inputs in (INTEGERS, "0xcb000000:0xcb000fff")[:PLACES]:
            for limit, kept in (("3 * 2^-23", 4096), ("3 / (2^23 + 2048)", 2048), ("3 / (2^23 + 4096)", 0)):
                found = self.sweep("rint", inputs, self.policy({"relative": limit}), code=kept < 4096, off_ulps=3)
                self.assertEqual(self.counts(found), (kept, 0, 0, 4096 - kept))
        self.assertEqual((found["worst"]["error"], int(found["worst"]["input"], 16) & 0xffff), (3, 0))
        # Of subnormal results an ulp is more than 2^-23: a quarter is 4 numbers at 16, and sin is below its operand.
        found = self.sweep("sin", SUBNORMAL, self.policy({"relative": 0.25}), code=1, off_ulps=4)
        self.assertEqual(self.counts(found), (4079, 0, 0, 16))
        # The larger of two and of three; nothing is relative to an exact zero.
        path = self.policy({"ulp": 2, "absolute": "2^-146", "relative": "2^-20"})
        self.assertEqual(self.counts(self.sweep("sin", "0x0:0xfff", path, off_ulps=7)), (4096, 0, 0, 0))
        self.assertEqual(self.sweep("sin", SUBNORMAL, path, code=1, off_ulps=9)["kept"], 0)
        self.assertEqual(self.sweep("exp", NORMAL, path, off_ulps=6)["violations"], 0)
        self.assertEqual(self.sweep("exp", NORMAL, path, code=1, off_ulps=16)["kept"], 0)
        path = self.policy({"relative": "2^-52 * 5"})
        inputs = "0x4000000000000000:0x40000000000000ff"  # exp is 1.85 * 2^2
        self.assertEqual(self.sweep("exp", inputs, path, bits=64, off_ulps=8)["violations"], 0)
        self.assertEqual(self.sweep("exp", inputs, path, bits=64, code=1, off_ulps=10)["kept"], 0)
        # What is inherited of a relative error.
        path = self.formula("rint", "floor(x)", floor={"relative": "1.5 * 2^-23"})
        self.assertEqual(self.sweep("rint", "0x4b000000:0x4b0000ff", path, off_ulps=1)["violations"], 0)
        self.assertEqual(self.sweep("rint", "0x4b000000:0x4b0000ff", path, code=1, off_ulps=2)["kept"], 0)
        # What is infinite allows anything of 0 too, which floor makes of 0.75.
        path = self.formula("rint", "floor(x)", floor={"relative": "1 / (x - 0.75)"})
        self.assertEqual(self.sweep("rint", "0.75:0.75", path, off_absolute=5)["violations"], 0)

    def test_errors_add_up_along_a_formula(self):
        """Two ulps of floor and three of a quotient by 1 are five, where an ulp is 1."""
        path = self.formula("rint", "floor(x) / 1", floor={"ulp": 2}, div={"ulp": 3})
        self.assertEqual(self.counts(self.sweep("rint", INTEGERS, path, off_ulps=5)), (4096, 0, 0, 0))
        broken = self.sweep("rint", "0x4b000000:0x4b0000ff", path, code=1, off_ulps=6)
        self.assertEqual(self.counts(broken), (0, 0, 0, 256))
        self.assertAlmostEqual(broken["worst"]["limit"], 5, 7)
        # Formulas in formulas; what is not promised for an operand promises nothing.
        path = self.formula("rint", "nearbyint(x)", nearbyint={"inherited": "floor(x) - 0.5 * ceil(0)"},
                            floor={"absolute": 4}, ceil={"ulp": 0}, sub={"require": "correctly_rounded"}, mul={"ulp": 0.5})
        self.assertEqual(self.sweep("rint", "0x4b000000:0x4b0000ff", path, off_ulps=4)["violations"], 0)
        self.assertEqual(self.sweep("rint", "0x4b000000:0x4b0000ff", path, code=1, off_ulps=5)["kept"], 0)
        path = self.formula("rint", "floor(x)", floor=[{"x": [0, 2**23 + 100], "ulp": 1}, {"require": "anything"}])
        self.assertEqual(self.counts(self.sweep("rint", "0x4b000000:0x4b0000ff", path, code=1, off_ulps=5)), (155, 0, 0, 101))

    def test_a_formula_by_other_arithmetic(self):
        """exp(x) as exp2(x * log2 e), of which two factors are off, against fp64 arithmetic here."""
        path = self.formula("exp", "exp2(x * 1.442695)", exp2={"ulp": "3 + 2*|x|"}, mul={"require": "faithful"})

        def fp32(value):
            return struct.unpack("<f", struct.pack("<f", value))[0]

        for code in (0x40000001, 0x3f400123, 0xc0a00777):
            x = struct.unpack("<f", struct.pack("<I", code))[0]
            exact, product = math.exp(x), x * 1.442695
            step = math.ldexp(1, math.frexp(product)[1] - 24)
            low, high = (math.floor(product / step) + i for i in (0, 1))
            ends = []
            for t, sign in ((low * step, -1), (high * step, 1)):
                value = 2 ** t
                ends.append(value + sign * (3 + 2 * max(abs(low * step), abs(high * step))) * math.ldexp(1, math.frexp(value)[1] - 24))
            ulp = math.ldexp(1, math.frexp(exact)[1] - 24)
            limit = max(abs(end - exact) for end in ends) / ulp
            near = round((fp32(exact) - exact) / ulp, 3)
            inside, outside = math.floor(limit - near - 0.01), math.ceil(limit - near + 0.01)
            one = f"{code:#x}:{code:#x}"
            self.assertEqual(self.sweep("exp", one, path, off_ulps=inside)["violations"], 0)
            broken = self.sweep("exp", one, path, code=1, off_ulps=outside)
            self.assertAlmostEqual(broken["worst"]["limit"], limit, 5)

    def test_outputs_that_a_formula_allows_are_kept_in_runs(self):
        """The same where thousands are kept at once as one by one, and where some are broken."""
        for formula, promises, off in (("exp2(x * 1.4427)", {"exp2": {"ulp": 1}, "mul": {"require": "correctly_rounded"}}, 1),
                                       ("(expm1(x) + 1) * 0.5 / 0.5", {"expm1": {"ulp": 3}, "add": {"ulp": 1}, "mul": {"ulp": 1},
                                                                       "div": {"ulp": 0.75}}, 0)):
            path = self.formula("exp", formula, **promises)
            found = self.sweep("exp", "0x40000000:0x4000007f", path, off_ulps=off, oracles=("auto", "mpfr"))
            self.assertEqual(found["violations"], 0)

    def test_fp64(self):
        path = self.policy({"ulp": "3 + 2*|x|"})
        inputs = "0x4000000000000000:0x40000000000000ff"
        self.assertEqual(self.sweep("exp", inputs, path, bits=64, off_ulps=6)["violations"], 0)
        self.assertEqual(self.sweep("exp", inputs, path, bits=64, code=1, off_ulps=8)["kept"], 0)

    def test_correctly_rounded_and_faithful(self):
        right, faithful = self.policy({"require": "correctly_rounded"}), None
        self.assertEqual(self.sweep("rint", INTEGERS, right)["violations"], 0)
        self.assertEqual(self.sweep("exp", NORMAL, right, code=1, off_ulps=1)["kept"], 0)
        faithful = self.policy({"require": "faithful"})
        document = self.document("sweep", "exp", "-f", "fp32", "--range", NORMAL, "--impl",
                                 f"{PROMISED}:promised_expf", env={"OFF_ULPS": "1"})
        one = document["results"][0]["implementations"][0]
        self.assertEqual(self.sweep("exp", NORMAL, faithful, code=1, off_ulps=1)["kept"], one["faithful"])

    def test_the_bits_of_another_implementation(self):
        """All bits of another; and all but those of the last input of the range."""
        for other, operation, inputs, last in (("libm", "rint", INTEGERS, 2**23 + 4095), ("cr", "exp", NORMAL, 2 + 4095 * 2**-22),
                                               ("cr", "sin", SUBNORMAL, 4095 * 2**-149)):
            path = self.policy({"same_bits": other}, implementation="lib:*")
            for oracles in (ORACLES, ["exact"])[:PLACES]:
                found = self.sweep(operation, inputs, path, "--impl", other, oracles=oracles)
                self.assertEqual(self.counts(found), (4096 - (last < 1), 0, 0, 0))
                self.assertIsNone(found["worst"])
                found = self.sweep(operation, inputs, path, "--impl", other, code=1, oracles=oracles, off_ulps=1,
                                   off_from=last)
                self.assertEqual(self.counts(found), (4095 - (last < 1), 0, 0, 1))
                worst = found["worst"]
                self.assertEqual(int(worst["input"], 16), int(inputs.split(":")[1], 16))
                self.assertEqual((int(worst["got"], 16), worst["limit"]), (int(worst["promised"], 16) + 1, None))
        # Of the violations the first is told.
        path = self.policy({"same_bits": "cr"}, implementation="lib:*")
        found = self.sweep("exp", NORMAL, path, "--impl", "cr", code=1, off_ulps=1)
        self.assertEqual((self.counts(found), found["worst"]["input"]), ((0, 0, 0, 4096), "0x40000000"))
        # Bits up to 2 + 2^-12, which is 1,025 inputs, and an error from there on.
        path = self.policy([{"x": [2, "2 + 2^-12"], "same_bits": "cr"}, {"ulp": 4}], implementation="lib:*")
        found = self.sweep("exp", NORMAL, path, "--impl", "cr", code=1, off_ulps=1)
        self.assertEqual(self.counts(found), (3071, 0, 0, 1025))

    def test_bits_that_are_accepted_besides(self):
        for words, accept, settings in (("0x0:0xff", "zero_sign", {"off_sign": 1}),
                                        (SUBNORMAL, "flushed_results", {"flush_results": 1}),
                                        ("0x7f800001:0x7f8000ff", "undefined_nan", {"off_nan": 1})):
            operation = "sin" if accept == "flushed_results" else "rint"
            path = self.policy({"same_bits": "libm"}, implementation="lib:*")
            self.assertGreater(self.sweep(operation, words, path, "--impl", "libm", code=1, **settings)["violations"], 250)
            path = self.policy({"same_bits": "libm"}, implementation="lib:*", accept=[accept])
            self.assertGreater(self.sweep(operation, words, path, "--impl", "libm", **settings)["accepted"], 250)

    def test_bits_that_nobody_has(self):
        path = self.policy({"same_bits": "cr"})
        self.assertIn("rule 1 promises the bits of cr, which is not swept; add --impl cr",
                      self.refuse("sweep", "exp", "-f", "fp16", "--impl", "libm", "--policy", path))
        path = self.policy({"same_bits": "libm"}, implementation="cr")
        self.assertIn("promises the bits of libm, which does not provide silu in fp32",
                      self.refuse("sweep", "silu", "-f", "fp32", "--range", "1:1", "--impl", "cr,libm", "--policy", path))
        path = self.formula("exp", "exp2(x)", exp2={"same_bits": "cr"})
        self.assertIn("the policy promises bits (same_bits) and no error",
                      self.refuse("sweep", "exp", "-f", "fp32", "--range", "1:1", "--impl", "cr", "--policy", path))

    def test_two_operands(self):
        """Limits and ranges by either operand, of a library that is off by y numbers from integers x."""
        codes = range(0x3f800000, 0x42800001, 1 << 20)  # 1 to 64
        values = [struct.unpack("<f", struct.pack("<I", code))[0] for code in codes]
        pairs = 64 * len(codes)
        path_in = self.file("pairs.txt", "".join(f"{x:#x} {y:#x}\n" for x in range(0x4b000000, 0x4b000040) for y in codes))

        def held(limit, **settings):
            rule = {"operation": "fmax", "promise": {"x": [0, "2^23 + 31"], **limit}}
            path = self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [rule]}))
            done = self.run_program("sweep", "fmax", "-f", "fp32", "--inputs", path_in, "--impl",
                                    f"{PROMISED}:promised_fmaxf", "--policy", path, "--json", "-",
                                    env={name.upper(): str(value) for name, value in settings.items()})
            return done.returncode, parse(done.stdout.decode())["results"][0]["implementations"][0]["promise"]

        code, found = held({"ulp": "y"}, off_slope=1)
        self.assertEqual((code, self.counts(found)), (0, (pairs // 2, 0, pairs // 2, 0)))
        code, found = held({"ulp": "min(y, 5.5)"}, off_slope=1)
        self.assertEqual((code, self.counts(found)), (1, (32 * sum(int(y) <= 5 for y in values), 0, pairs // 2,
                                                          32 * sum(int(y) > 5 for y in values))))
        self.assertEqual((found["worst"]["error"], found["worst"]["limit"]), (64, 5.5))
        code, found = held({"y": [0, 2], "ulp": 1}, off_slope=1)
        self.assertEqual((code, found["kept"], found["violations"]),
                         (1, 32 * sum(y < 2 for y in values), 32 * sum(y == 2 for y in values)))

    def test_three_operands(self):
        """fma of 2^23 and more, 1 and z from 1 to 8, off by z numbers of 1 each."""
        path_in = self.file("triples.txt", "".join(f"{x:#x} 0x3f800000 {z}.0\n" for x in range(0x4b000000, 0x4b000020)
                                                   for z in range(1, 9)))
        for limit, kept, broken in (("z", 128, 0), ("z - 0.25", 0, 128), ("min(z, 2)", 64, 64)):
            path = self.policy({"z": [0, 4], "ulp": limit}, operation="fma")
            done = self.run_program("sweep", "fma", "-f", "fp32", "--inputs", path_in, "--impl",
                                    f"{PROMISED}:promised_fmaf", "--policy", path, "--json", "-", env={"OFF_SLOPE": "1"})
            found = parse(done.stdout.decode())["results"][0]["implementations"][0]["promise"]
            self.assertEqual((done.returncode, self.counts(found)), (broken > 0, (kept, 0, 128, broken)))

    def test_what_is_undefined(self):
        """NaN and infinity: 0.5 in their place breaks every promise, unless they are undefined."""
        nan, infinity, overflow = "0x7f800001:0x7f8000ff", "0x7f800000:0x7f800000", "89:89.001"
        for inputs, setting, accept, other in ((nan, "off_nan", "undefined_nan", "undefined_infinity"),
                                               (infinity, "off_infinity", "undefined_infinity", "undefined_nan"),
                                               (overflow, "off_infinity", "undefined_infinity", "undefined_nan")):
            for promise in ({"ulp": 4}, {"require": "faithful"}, {"require": "correctly_rounded"})[:PLACES]:
                kept = self.sweep("exp", inputs, self.policy(promise))
                self.assertEqual(kept["violations"], 0)
                for names in ([], [other, "flushed_inputs", "flushed_results", "zero_sign"]):
                    path = self.policy(promise, accept=names)
                    found = self.sweep("exp", inputs, path, code=1, **{setting: 1})
                    self.assertEqual((found["kept"], found["accepted"]), (0, 0))
                found = self.sweep("exp", inputs, self.policy(promise, accept=[accept]), **{setting: 1})
                self.assertEqual((found["kept"], found["violations"]), (0, 0))
                self.assertEqual(found["accepted"], kept["kept"])
        # Beside what is undefined, results are held as ever.
        path = self.policy({"ulp": 4}, accept=["undefined_nan", "undefined_infinity"])
        found = self.sweep("exp", "0x42b17200:0x42b172ff", path, code=1, off_infinity=1, off_ulps=6)
        self.assertEqual((found["accepted"], found["violations"]), (256 - (0x42b17218 - 0x42b17200), 0x42b17218 - 0x42b17200))

    def test_flushed_inputs_and_results(self):
        for operation, name in (("sin", "flushed_inputs"), ("sin", "flushed_results")):
            strict, lenient = self.policy({"ulp": 4}), None
            setting = {"flush_" + name.split("_")[1]: 1}
            self.assertEqual(self.sweep(operation, SUBNORMAL, strict, code=1, **setting)["violations"], 4095 - 4)
            lenient = self.policy({"ulp": 4}, accept=[name])
            self.assertEqual(self.counts(self.sweep(operation, SUBNORMAL, lenient, **setting)), (4, 4091, 0, 0))
        # What is neither zero nor right is not accepted.
        self.assertEqual(self.sweep("sin", SUBNORMAL, lenient, code=1, off_ulps=5)["kept"], 0)
        # Inputs at least are normal where only results may be flushed: 2^-126 is not.
        self.assertEqual(self.sweep("sin", "0x00800000:0x008000ff", lenient, code=1, off_absolute=-1)["kept"], 0)

    def test_flushed_operands_of_a_function_that_is_large_there(self):
        """1 / x of subnormal x that are not too small: finite, or an infinity of either sign, and nothing else."""
        inputs, negative = "0x00300000:0x003000ff", "0x80300000:0x803000ff"
        strict, lenient = self.policy({"ulp": 4}), self.file("lenient.json", json.dumps(
            {"schema": "detcheck/policy/1", "rules": [{"promise": {"ulp": 4}, "accept": ["flushed_inputs"]}]}))
        for codes in (inputs, negative):
            self.assertEqual(self.counts(self.sweep("recip", codes, lenient, off_ulps=3)), (256, 0, 0, 0))
            self.assertEqual(self.counts(self.sweep("recip", codes, lenient, code=1, off_ulps=5)), (0, 0, 0, 256))
            for turned in ({}, {"flush_turned": 1}):
                self.assertEqual(self.counts(self.sweep("recip", codes, lenient, flush_inputs=1, **turned)), (0, 256, 0, 0))
                self.assertEqual(self.sweep("recip", codes, strict, code=1, flush_inputs=1, **turned)["violations"], 256)
        # Normal operands may not be flushed, and results are not what was allowed.
        self.assertEqual(self.sweep("recip", "0x00800000:0x008000ff", lenient, code=1, off_ulps=1e6)["kept"], 0)
        for setting in ({}, {"flush_turned": 1}):
            for name in ("inputs", "results"):
                path = self.policy({"ulp": 4}, accept=["flushed_" + name])
                found = self.sweep("sin", "0x80000001:0x80000fff", path, **{"flush_" + name: 1}, **setting)
                self.assertEqual(self.counts(found), (4, 4091, 0, 0))
                other = self.policy({"ulp": 4}, accept=["zero_sign"])
                self.assertEqual(self.sweep("sin", "0x80000001:0x80000fff", other, code=1, **{"flush_" + name: 1},
                                            **setting)["violations"], 4091)

    def test_undefined_results_and_signs_of_zero(self):
        path = self.policy({"ulp": 4})
        broken = self.sweep("rint", "0x0:0xff", path, code=1, off_sign=1)
        self.assertEqual((broken["kept"], broken["worst"]["error"]), (0, None))
        path = self.policy({"ulp": 4}, accept=["zero_sign"])
        self.assertEqual(self.sweep("rint", "0x0:0xff", path, off_sign=1)["accepted"], 256)

    def test_classes_of_inputs(self):
        path = self.policy([{"inputs": ["subnormal"], "ulp": 5}, {"inputs": ["normal"], "ulp": 2}])
        both = self.sweep("rint", "0x4b000000:0x4b0000ff", path, code=1, off_ulps=3)
        self.assertEqual(self.counts(both), (0, 0, 0, 256))
        found = self.sweep("sin", "0x00000000:0x000000ff", path, off_ulps=4)
        self.assertEqual(self.counts(found), (255, 0, 1, 0))

    def test_special_inputs_are_judged_apart(self):
        """exp: 1 ulp is too much at 0 alone, and 0.5 in the place of NaN and infinity at these alone."""
        promise = [{"inputs": ["zero", "infinity", "nan"], "require": "correctly_rounded"}, {"inputs": ["subnormal"], "ulp": 2},
                   {"ulp": 4}]
        path = self.policy(promise)
        for inputs, settings, kept, broken in (("0x0:0xff", {}, 256, 0), ("0x0:0xff", {"off_ulps": 1}, 255, 1),
                                               ("0x0:0xff", {"off_ulps": 3}, 0, 256), (NORMAL, {"off_ulps": 3}, 4096, 0),
                                               (NORMAL, {"off_ulps": 5}, 0, 4096), ("0x7f800000:0x7f8000ff", {}, 256, 0),
                                               ("0x7f800000:0x7f8000ff", {"off_nan": 1}, 1, 255),
                                               ("0x7f7fff80:0x7f80007f", {"off_infinity": 1}, 127, 129)):
            found = self.sweep("exp", inputs, path, code=broken > 0, **settings)
            self.assertEqual(self.counts(found), (kept, 0, 0, broken), (inputs, settings))
        # What no piece holds is left out.
        found = self.sweep("exp", "0x7f7fff80:0x7f80007f", self.policy(promise[:1]))
        self.assertEqual(self.counts(found), (128, 0, 128, 0))


if __name__ == "__main__":
    unittest.main()
