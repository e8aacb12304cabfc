"""detcheck sweep --policy: libraries that keep each shape of promise by a little, and break it by a little."""

import json
import math
import os
import struct
import unittest

from harness import Case, parse

# All of them say the same; each takes its time.
ORACLES = os.environ.get("ORACLES", "auto").split(",")
PLACES = 1 if len(ORACLES) == 1 else 3
PROMISED = "lib:" + os.environ["PROMISED_LIBRARY"]
PUBLISHED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors", "policies")
NORMAL = "0x40000000:0x40000fff"  # 2 and 4,095 numbers above it
ABOVE = "0x3f400000:0x3f400fff"  # 0.75
INTEGERS = "0x4b000000:0x4b000fff"  # 2^23, where numbers are whole and errors of rint whole ulps
SUBNORMAL = "0x00000001:0x00000fff"


class Policy(Case):
    def policy(self, promise, **members):
        rule = {"operation": "*", "promise": promise, **members}
        return self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": [rule]}))

    def sweep(self, operation, inputs, path, *words, code=0, bits=32, oracles=None, **settings):
        """The member "promise" of the library's results: the same of all oracles."""
        symbol = f"{PROMISED}:promised_{operation}{'f' if bits == 32 else ''}"
        found = []
        for oracle in oracles or ORACLES:
            env = {name.upper(): str(value) for name, value in settings.items()}
            done = self.run_program("sweep", operation, "-f", f"fp{bits}", "--range", inputs, "--impl", symbol,
                                    "--policy", path, "--oracle", oracle, "--json", "-", *words, env=env)
            self.assertEqual(done.returncode, code, (done.stdout + done.stderr).decode()[-1000:])
            found.append(parse(done.stdout.decode())["results"][0]["implementations"][0]["promise"])
        for one in found:
            self.assertEqual(found[0], one)
        return found[0]

    def counts(self, promise):
        return tuple(promise[name] for name in ("kept", "accepted", "left_out", "violations"))

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
                             ({"ulp": 0.125, "absolute": "x * 2^-25"}, 0)):
            found = self.sweep("exp", NORMAL, self.policy(promise), code=1, off_ulps=off, oracles=("auto", "mpfr"))
            self.assertGreater(found["violations"], 9)
            self.assertTrue(found["kept"] or promise == {"ulp": 0})
        # About ln 4: an ulp of the results is 2^-22 before it, and 2^-21 from there on.
        found = self.sweep("exp", "0x3fb16e17:0x3fb17616", self.policy({"absolute": "2^-21*0.9"}), code=1, off_ulps=1,
                           oracles=("auto", "mpfr"))
        self.assertEqual(self.counts(found), (1025, 0, 0, 1023))

    def test_far_errors(self):
        """What is off by 100,000 ulps and more is held by its cheap value as it is by MPFR one by one; and a policy
        changes nothing else of the report, nor how often the exact oracle is asked."""
        rules = ({"ulp": 100001.9}, {"ulp": "50000*x"}, {"absolute": "0.0239"}, {"ulp": 10, "absolute": "0.012*x"}, {"require": "faithful"},
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

    def formula(self, operation, formula, **promises):
        rules = [{"operation": operation, "promise": {"inherited": formula}}]
        rules += [{"operation": name, "promise": promise} for name, promise in promises.items()]
        return self.file("policy.json", json.dumps({"schema": "detcheck/policy/1", "rules": rules}))

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

    def test_some_violations_may_be_allowed(self):
        for most, code in ((4096, 0), (4095, 1)):
            path = self.policy({"ulp": 2}, max_violations=most)
            found = self.sweep("rint", INTEGERS, path, code=code, off_ulps=3)
            self.assertEqual((found["max_violations"], found["violations"]), (most, 4096))

    def test_shards_merge_and_a_gate_judges(self):
        path = self.policy({"ulp": "min(4 - x * 2^-23, 3)"}, section="4.2")
        whole = ["sweep", "rint", "-f", "fp32", "--range", INTEGERS, "--impl", f"{PROMISED}:promised_rintf",
                 "--policy", path]
        env = {"OFF_ULPS": "3"}
        shards = []
        for name, words in (("whole.json", ()), ("1.json", ("--shard", "1/2")), ("2.json", ("--shard", "2/2"))):
            done = self.run_program(*whole, *words, "--json", name, env=env)
            self.assertIn(done.returncode, (0, 1), done.stderr.decode())
            shards.append(name)
        self.succeed("merge", "1.json", "2.json", "-o", "merged.json")
        found = []
        for name in ("whole.json", "merged.json"):
            with open(os.path.join(self.path, name), encoding="utf-8") as stream:
                found.append(json.load(stream)["results"][0]["implementations"][0]["promise"])
        self.assertEqual(found[0], found[1])
        self.assertEqual(self.run_program("gate", "whole.json", "--max-violations", "4094").returncode, 1)
        self.succeed("gate", "whole.json", "--max-violations", "4095")
        self.assertEqual(self.run_program("gate", "whole.json", "--policy", path).returncode, 1)
        self.succeed("sweep", "exp", "-f", "fp16", "--range", "1:1.25", "--json", "plain.json")
        self.assertIn("sweep --policy asks for that", self.refuse("gate", "plain.json", "--policy", path))

    def test_published_policies(self):
        """Each is read, names operations that there are, and cr keeps it."""
        known = {row["name"] for row in self.document("list", "operations")["operations"]}
        for name in sorted(os.listdir(PUBLISHED)):
            with open(os.path.join(PUBLISHED, name), encoding="utf-8") as stream:
                rules = json.load(stream)["rules"]
            named = {rule["operation"].split(".")[0] for rule in rules if "operation" in rule}
            self.assertEqual(named - known, set())
            self.assertTrue(all(rule["section"] for rule in rules))
            promised = {(rule["operation"], rule["format"].replace("*", "32")) for rule in rules if "promise" in rule}
            operation, bits = next(one for one in (("exp", "fp32"), ("exp", "fp64"), ("sin", "fp32"), ("sqrt", "fp32"))
                                   if one in promised)
            for policy in (os.path.join(PUBLISHED, name), name.removesuffix(".json").replace("_", "-")):
                text = self.succeed("sweep", operation, "-f", bits, "--range", "2:2", "--impl",
                                    "cr" if bits == "fp32" else "libm", "--policy", policy)
                self.assertIn("broken               0", text)
        listed = {row["name"] + ".json" for row in self.document("list", "policies")["policies"]}
        self.assertEqual(listed, set(os.listdir(PUBLISHED)))

    def limited(self, operation, inputs, *words, code=0, exceptions=(), settings=(), **limits):
        """What the report says of the limits, and the text; of a rule that may promise something too."""
        document = {"schema": "detcheck/policy/1", "rules": [{"operation": operation, **limits}], "exceptions": list(exceptions)}
        path = self.file("policy.json", json.dumps(document))
        done = self.run_program("sweep", operation, "-f", "fp32", "--range", inputs, "--impl",
                                f"{PROMISED}:promised_{operation}f", "--policy", path, "--json", "report.json", *words,
                                env=dict(settings))
        self.assertEqual(done.returncode, code, (done.stdout + done.stderr).decode()[-1000:])
        with open(os.path.join(self.path, "report.json"), encoding="utf-8") as stream:
            one = json.load(stream)["results"][0]["implementations"][0]
        return {limit["name"]: (limit["allowed"], limit["found"], limit["kept"]) for limit in one["limits"]}, done.stdout.decode()

    def test_means_and_shares(self):
        """3 of 4,096 outputs are off by 4 whole ulps, a limit being just what that makes, or a little less."""
        settings = {"OFF_ULPS": "4", "OFF_FROM": str(2**23 + 4093)}
        share, mean, less = 3 / 4096 * 1e6, 3 * 4 / 4096, 1 - 2**-40
        for name, figure, more in (("max_mean_ulp", mean, {}), ("max_incorrect_per_million", share, {}),
                                   ("max_unfaithful_per_million", share, {}),
                                   ("max_violations_per_million", share, {"promise": {"ulp": 3.5}})):
            found, text = self.limited("rint", INTEGERS, settings=settings, **{name: figure}, **more)
            self.assertEqual(found, {name: (figure, figure, True)})
            self.assertIn("passed  (", text)
            found, text = self.limited("rint", INTEGERS, code=1, settings=settings, **{name: figure * less}, **more)
            self.assertEqual(found, {name: (figure * less, figure, False)})
            self.assertIn("to see it: detcheck eval rint 0x4b000ff", text)
            self.assertEqual(self.run_program("gate", "report.json", "--policy", "policy.json").returncode, 1)
            option = "--" + name.replace("_", "-")
            self.assertEqual(self.run_program("gate", "report.json", option, figure * less).returncode, 1)
            self.succeed("gate", "report.json", option, figure)
        # What is left out is none of a promise's million: of 2,048 inputs 3 break it.
        promise = {"x": [2**23 + 2048, 2**24], "ulp": 3.5}
        found, _ = self.limited("rint", INTEGERS, settings=settings, promise=promise, max_violations_per_million=2 * share)
        self.assertEqual(found["max_violations_per_million"][1], 2 * share)
        # A number of violations may be limited beside.
        for most, code in ((3, 0), (2, 1)):
            self.limited("rint", INTEGERS, code=code, settings=settings, promise={"ulp": 3.5}, max_violations=most,
                         max_violations_per_million=share)

    def test_flags_fingerprints_and_exceptions(self):
        done = self.document("sweep", "sin", "-f", "fp32", "--range", SUBNORMAL, "--impl", f"{PROMISED}:promised_sinf", "--flags")
        one = done["results"][0]["implementations"][0]
        missing = sum(row["count"] for row in one["flags"]["faults"] if row["fault"] == "missing")
        self.assertGreater(missing, 0)
        for most, code in ((missing, 0), (missing - 1, 1)):
            found, _ = self.limited("sin", SUBNORMAL, "--flags", code=code, max_missing_flags=most, max_spurious_flags=4095)
            self.assertEqual(found["max_missing_flags"], (most, missing, not code))
            self.assertTrue(found["max_spurious_flags"][2])
        self.assertIn("sweep --flags asks for that",
                      self.refuse("sweep", "sin", "-f", "fp32", "--range", "1:1", "--impl", "libm", "--policy", "policy.json"))
        other = one["fingerprint"][:-1] + ("0" if one["fingerprint"][-1] != "0" else "1")
        for fingerprint, change, code in ((one["fingerprint"], "fail", 0), (other, "fail", 1), (other, "notice", 0)):
            found, _ = self.limited("sin", SUBNORMAL, code=code, fingerprint=fingerprint, fingerprint_change=change)
            self.assertEqual(found["fingerprint"], (fingerprint, one["fingerprint"], fingerprint != other))
        for most, code in ((4096, 0), (4095, 1)):
            found, text = self.limited("rint", INTEGERS, code=code, settings={"OFF_ULPS": "1"}, max_incorrect=0,
                                       exceptions=[{"operation": "rint", "max_incorrect": most, "reason": "known to be off"}])
            self.assertEqual(found["max_incorrect"], (0, 4096, False))
            self.assertEqual("known to be off" in text, code == 0)

    def test_limits_of_shards(self):
        """A mean that one shard exceeds and the whole does not is open in shards; merging settles it."""
        settings = {"OFF_ULPS": "4", "OFF_FROM": str(2**23 + 2048)}
        whole, _ = self.limited("rint", INTEGERS, settings=settings, max_mean_ulp=2, max_incorrect=2048,
                                max_incorrect_per_million=500000)
        for part in ("1/2", "2/2"):
            found, _ = self.limited("rint", INTEGERS, "--shard", part, settings=settings, max_mean_ulp=2, max_incorrect=2048,
                                    max_incorrect_per_million=500000)
            self.assertEqual({name: limit[2] for name, limit in found.items()},
                             {"max_mean_ulp": None, "max_incorrect": True, "max_incorrect_per_million": None})
            os.rename(os.path.join(self.path, "report.json"), os.path.join(self.path, part[0] + ".json"))
        self.succeed("merge", "1.json", "2.json", "-o", "merged.json")
        with open(os.path.join(self.path, "merged.json"), encoding="utf-8") as stream:
            limits = json.load(stream)["results"][0]["implementations"][0]["limits"]
        self.assertEqual({one["name"]: (one["allowed"], one["found"], one["kept"]) for one in limits}, whole)
        self.succeed("report", "1.json", "-o", "part.html")
        self.succeed("report", "merged.json", "-o", "page.html")
        for name, says in (("part.html", "open: a part of the inputs"), ("page.html", "<td>kept")):
            with open(os.path.join(self.path, name), encoding="utf-8") as stream:
                page = stream.read()
            self.assertIn("What a policy limits, and what was found", page)
            self.assertIn(says, page)

    def test_text(self):
        path = self.policy({"ulp": 2}, section="4.2")
        done = self.run_program("sweep", "rint", "-f", "fp32", "--range", INTEGERS, "--impl",
                                f"{PROMISED}:promised_rintf", "--policy", path, env={"OFF_ULPS": "3"})
        self.assertEqual(done.returncode, 1)
        text = done.stdout.decode()
        for line in ('promised               {"ulp":2}', "policy.json, rule 1: 4.2", "broken               4,096",
                     "worst                3.000000 ulp, allowed 2.000000", "8388608"):
            self.assertIn(line, text)

    def test_mistakes(self):
        for promise, says in (({"inherited": "sin(x) / cos(x)"}, "inherits from sin, of which the policy promises nothing"),
                              ({"inherited": "sin(2*x)"}, "sin of what is computed cannot be inherited from"),
                              ({"inherited": "sine(x)"}, "a function of one number or two should stand at character 1"),
                              ({"inherited": "atan2(x)"}, "a comma should stand"),
                              ({"inherited": "exp(x)"}, "inherits from itself"),
                              ({"inherited": 3}, "inherited should be a string"),
                              ({"inherited": "exp2(x)", "require": "faithful"}, 'or else "require"'),
                              ({"ulp": "sin(x)"}, "a number, pi, x, y, z"),
                              ({"ulp": "3 + 2*|x"}, "| should stand at character 9"),
                              ({"ulp": "3 ulp"}, "nothing, or an operator, should stand"),
                              ({"ulp": -1}, "ulp should not be below 0"),
                              ({"ulp": "1/"}, "a number, pi, x, y, z"),
                              ({"x": [1], "ulp": 1}, "two ends of a range"),
                              ({"x": [2, 1], "ulp": 1}, "lower end first"),
                              ({"x": ["x", 1], "ulp": 1}, "do not depend on the input"),
                              ({"x": [0, 1]}, 'should have "ulp", "absolute", "inherited" or several'),
                              ({"ulp": 1, "require": "faithful"}, 'or else "require"'),
                              ({"require": "good"}, '"correctly_rounded", "faithful" or "anything"'),
                              ({"inputs": ["odd"], "ulp": 1}, "should name classes"),
                              ([], "promise is empty"),
                              ({"ulps": 1}, "ulps"),
                              ({"ulp": "(" * 100 + "1"}, "too many parentheses"),
                              ({"ulp": "1" + "+1" * 100}, "too many operations")):
            complaint = self.refuse("sweep", "exp", "-f", "fp16", "--policy", self.policy(promise, operation="exp"))
            self.assertIn(says, complaint)
            self.assertIn("rule 1", complaint)
        self.assertIn("flushed_inputs",
                      self.refuse("sweep", "exp", "-f", "fp16", "--policy", self.policy({"ulp": 1}, accept=["x"])))
        path = self.policy({"ulp": 1}, operation="sin")
        self.assertIn("promises nothing of what was swept",
                      self.refuse("sweep", "exp", "-f", "fp16", "--range", "1:1.25", "--policy", path, prints=True))
        path = self.file("limits.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"max_changed": 1}]}))
        self.assertIn('no rule has a "promise", or a limit', self.refuse("sweep", "exp", "-f", "fp16", "--policy", path))


if __name__ == "__main__":
    unittest.main()
