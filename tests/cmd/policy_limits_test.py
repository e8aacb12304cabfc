"""detcheck sweep --policy: limits, published policies, reports, and what is refused."""

import json
import os
import shutil
import unittest

from harness import parse
from policy_case import INTEGERS, PROMISED, SUBNORMAL, PolicyCase

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PUBLISHED = os.path.join(SOURCES, "vectors", "policies")


class PolicyLimits(PolicyCase):
    def test_some_violations_may_be_allowed(self):
        for most, code in ((4096, 0), (4095, 1)):
            path = self.policy({"ulp": 2}, max_violations=most)
            found = self.sweep("rint", INTEGERS, path, code=code, off_ulps=3)
            self.assertEqual((found["max_violations"], found["violations"]), (most, 4096))

    def test_rules_by_parameters_that_are_numbers(self):
        """A promise of casts with so many random bits is one of no others."""
        path = self.policy({"ulp": 0.1}, operation="cast", parameters={"random-bits": 4, "random-seed": 2**62}, max_violations=70000)
        words = ("sweep", "cast", "-f", "fp16", "--to", "fp8_e5m2", "-r", "stochastic", "--random-seed", 2**62, "--policy", path, "--json", "-")
        for bits, code in ((4, 0), (5, 2)):
            done = self.run_program(*words, "--random-bits", bits)
            self.assertEqual(done.returncode, code, done.stderr)
            if code == 0:
                one, = parse(done.stdout.decode())["results"][0]["implementations"]
                self.assertGreater(one["promise"]["violations"], 0)

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
        # Nor does what was held against one promise pass for another.
        for promise, accept in (({"ulp": "min(4 - x * 2^-23, 2)"}, {}), ({"ulp": "min(4 - x * 2^-23, 3)"}, {"accept": ["zero_sign"]})):
            other = self.file("other.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"promise": promise, **accept}]}))
            self.assertIn("checked against another promise than rule 1", self.refuse("gate", "whole.json", "--policy", other))
        self.succeed("sweep", "exp", "-f", "fp16", "--range", "1:1.25", "--json", "plain.json")
        self.assertIn("sweep --policy asks for that", self.refuse("gate", "plain.json", "--policy", path))

    def test_published_policies(self):
        """Each is read, names operations that there are, and cr keeps it."""
        known = {row["name"] for row in self.document("list", "operations")["operations"]}
        for name in sorted(os.listdir(PUBLISHED)):
            with open(os.path.join(PUBLISHED, name), encoding="utf-8") as stream:
                rules = json.load(stream)["rules"] if name.endswith(".json") else self.rules_of_lines(stream)
            named = {rule["operation"].split(".")[0] for rule in rules if "operation" in rule}
            self.assertEqual({one for one in named if not one.endswith("(*")} - known, set())  # those are formulas
            self.assertTrue(name.endswith(".txt") or all(rule["section"] for rule in rules))
            promised = {(rule["operation"], rule["format"].replace("*", "32")) for rule in rules if "promise" in rule}
            operation, bits = next(one for one in (("exp", "fp32"), ("exp", "fp64"), ("sin", "fp32"), ("sqrt", "fp32"), ("sqrt", "fp64"))
                                   if one in promised)
            for policy in (os.path.join(PUBLISHED, name), os.path.splitext(name)[0].replace("_", "-")):
                text = self.succeed("sweep", operation, "-f", bits, "--range", "2:2", "--impl",
                                    "cr" if bits == "fp32" else "libm", "--policy", policy)
                self.assertIn("broken               0", text)
        listed = {row["name"] for row in self.document("list", "policies")["policies"]}
        self.assertEqual(listed, {os.path.splitext(name)[0] for name in os.listdir(PUBLISHED)})

    def rules_of_lines(self, stream):
        """Those that promise: OPERATION FORMAT promise ULPS."""
        words = [line.split() for line in stream if not line.startswith(("#", "format "))]
        self.assertTrue(all(len(one) >= 4 and one[-2] == "promise" and float(one[-1]) >= 0.5 for one in words))
        self.assertGreater(len(words), 100)
        return [{"operation": one[0], "format": one[1], "promise": one[-1]} for one in words]

    def test_ulps_of_flushed_subnormal_numbers(self):
        """Numbers below 2^-14 of fp16 count as one zero, an ulp below 2^-14: halves that are flushed, or far too early."""
        least, ulp = 2.0**-14, 2.0**-24
        for steps, accept, limit, worst in (
                ("select(|x| < 2^-13, 0, x/2)", True, 0.5, None), ("select(|x| < 2^-13, 0, x/2)", False, 0.5, 1023.5),
                ("select(|x| < 2^-13, 2^-14, x/2)", True, 1, None), ("select(|x| < 2^-13, 2^-14, x/2)", False, 1, 1024),
                ("select(|x| < 2^-12, 0, x/2)", True, 1, (2 * least - ulp - least) / ulp + 1),
                ("select(|x| < 2^-12, 0, x/2)", True, 1024, None),
                ("select(|x| < 2^-12, 2^-24, x/2)", True, 1, (2 * least - ulp - least) / ulp + 1)):
            for oracle in ("auto", "exact", "mpfr"):
                with self.subTest(steps=steps, accept=accept, limit=limit, oracle=oracle):
                    path = self.file("policy.txt", f"promise {limit}{' accept flushed_ulps' if accept else ''}\n")
                    done = self.run_program("sweep", "x/2", "-f", "fp16", "--range", "0:0x1p-10", "--impl", f"steps:{steps}", "--policy", path,
                                            "--oracle", oracle, "--json", "-")
                    self.assertEqual(done.returncode, 0 if worst is None else 1, done.stderr)
                    promise = parse(done.stdout.decode())["results"][0]["implementations"][0]["promise"]
                    self.assertEqual(promise["worst"] and promise["worst"]["error"], worst)

    INPUTS = ("-f", "fp64", "-n", 100000, "--seed", 1, "--policy", "java-strict-math")

    def test_the_bits_of_a_published_fingerprint(self):
        """Java's StrictMath; its square roots are those of anybody, and its other functions are those of fdlibm."""
        self.assertIn("passed", self.succeed("sweep", "sqrt", *self.INPUTS, "--impl", "libm"))
        self.assertEqual(self.run_program("sweep", "log", *self.INPUTS, "--impl", "libm").returncode, 1)
        words = ["log", "-f", "fp64", "--policy", "java-strict-math", "--impl", "libm"]
        self.assertIn("has no promise and no limit for the operations that were swept", self.refuse("sweep", *words, "-n", 1000, prints=True))
        # What a search finds is none of the inputs of the rule.
        self.assertIn("has no promise and no limit for these operations", self.refuse("search", *words, "--seconds", 30))

    @unittest.skipUnless(shutil.which("java"), "java is not installed: apt-get install default-jdk-headless")
    def slow_java_has_the_bits_of_its_published_fingerprint(self):
        adapter = os.path.join(SOURCES, "src", "impl", "adapters", "JavaAdapter.java")
        self.assertIn("passed", self.succeed("sweep", "atan2", *self.INPUTS, "--timeout", 60, "--impl",
                                             f"exec:java {adapter} java.lang.StrictMath"))

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
            zeros = {one: (0, 0, True) for one in ("max_nan_mismatches", "max_sign_mismatches") if name == "max_mean_ulp"}
            self.assertEqual(found, {name: (figure, figure, True), **zeros})
            self.assertIn("passed  (", text)
            found, text = self.limited("rint", INTEGERS, code=1, settings=settings, **{name: figure * less}, **more)
            self.assertEqual(found, {name: (figure * less, figure, False), **zeros})
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
                             {"max_mean_ulp": None, "max_incorrect": True, "max_incorrect_per_million": None,
                              "max_nan_mismatches": True, "max_sign_mismatches": True})
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
        for promise, says in (({"inherited": "sin(x) / cos(x)"}, "inherits from sin, for which the policy promises nothing"),
                              ({"inherited": "sin(2*x)"}, "sin is not monotone; to inherit from it"),
                              ({"inherited": "sine(x)"}, "character 1: 'sine' is unknown; did you mean sin?"),
                              ({"inherited": "atan2(x)"}, "atan2 takes 2 operands, not 1"),
                              ({"inherited": "fma(x, x, x)"}, "a number, pi, x, y, z"), ({"ulp": "x^2"}, "no function has a place there"),
                              ({"inherited": "exp(x)"}, "inherits from itself"),
                              ({"inherited": 3}, "inherited should be a string"),
                              ({"inherited": "exp2(x)", "require": "faithful"}, 'or else "require"'),
                              ({"ulp": "sin(x)"}, "no function has a place there"),
                              ({"ulp": "select(x < 1, 1, 2)"}, "a number, pi, x, y, z"), ({"ulp": "1e400"}, "the number there is too large"),
                              ({"ulp": "3 + 2*|x"}, "character 9: | should stand here"),
                              ({"ulp": "3 ulp"}, "an operator or the end should stand here, not 'ulp'"),
                              ({"ulp": -1}, "ulp should be a number of 0 or above"),
                              ({"ulp": "1/"}, "a number, a name, ( or | should stand here"),
                              ({"x": [1], "ulp": 1}, "two ends of a range"),
                              ({"x": [2, 1], "ulp": 1}, "lower end first"),
                              ({"x": ["x", 1], "ulp": 1}, "do not depend on the input"),
                              ({"x": [0, "?"], "ulp": 1}, "a number, a name, ( or | should stand here"),
                              ({"x": ["?", 0], "ulp": 1}, "a number, a name, ( or | should stand here"),
                              ({"x": [0, "("], "ulp": 1}, "a number, a name, ( or | should stand here"),
                              ({"x": [0, {}], "ulp": 1}, "should be a number or an expression"),
                              ({"absolute": "?"}, "a number, a name, ( or | should stand here"),
                              ({"x": ["0/0", 1], "ulp": 1}, "ends that are numbers"),
                              ({"y": [0, 1], "ulp": 1}, "names y, an operand that exp does not have"),
                              ({"ulp": "3 + z"}, "names z, an operand that exp does not have"),
                              ({"inherited": "pow(x, y)"}, "names y, an operand that exp does not have"),
                              ({"x": [0, 1]}, 'should have "ulp", "absolute", "relative", "inherited" or several'),
                              ({"ulp": 1, "require": "faithful"}, 'or else "require"'),
                              ({"require": "good"}, '"correctly_rounded", "faithful" or "anything"'),
                              ({"inputs": ["odd"], "ulp": 1}, "should name classes"),
                              ({"inputs": [], "ulp": 1}, "should name classes"),
                              ([], "promise is empty"),
                              ({"ulps": 1}, "ulps"),
                              ({"ulp": "(" * 100 + "1"}, "more than 48 parentheses"),
                              ({"ulp": "let a = 1 + x in " + "".join(f"let {b} = {a} + {a} in " for a, b in zip("abcdfghijklmnopqrstuvw", "bcdfghijklmnopqrstuvwA")) +
                                "A" + "+1" * 60}, "too many operations"),
                              ({"ulp": "1" + "+1" * 100}, "too many operations")):
            complaint = self.refuse("sweep", "exp", "-f", "fp16", "--policy", self.policy(promise, operation="exp"))
            self.assertIn(says, complaint)
            self.assertIn("rule 1", complaint)
        self.assertIn("flushed_inputs",
                      self.refuse("sweep", "exp", "-f", "fp16", "--policy", self.policy({"ulp": 1}, accept=["x"])))
        path = self.policy({"ulp": 1}, operation="sin")
        for command, *words in (("sweep", "exp", "-f", "fp16", "--range", "1:1.25"), ("search", "exp", "--seconds", 30)):
            with self.within(15):
                self.assertIn("has no promise and no limit for these operations",
                              self.refuse(command, *words, "--policy", path))
        path = self.policy({"ulp": 1}, operation="exp", inputs="none of these")  # which are known at the end
        self.assertIn("has no promise and no limit for the operations that were swept",
                      self.refuse("sweep", "exp", "-f", "fp16", "--range", "1:1.25", "--policy", path, prints=True))
        for name, says in (("xla", "did you mean xla_cpu?"), ("opencl-3-0-ful", "did you mean opencl_3_0_full?"),
                           ("zzz", "'detcheck list policies' has those that are published")):
            self.assertIn(f"no policy is called '{name}', and no file here; {says}",
                          self.refuse("sweep", "exp", "-f", "fp16", "--policy", name))
        self.assertIn("give one --policy", self.refuse("sweep", "exp", "-f", "fp16", "--policy", "cuda", "--policy", "wgsl"))
        path = self.file("limits.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"max_changed": 1}]}))
        self.assertIn('no rule has a "promise", or a limit', self.refuse("sweep", "exp", "-f", "fp16", "--policy", path))


if __name__ == "__main__":
    unittest.main()
