"""detcheck gate: limits on the command line, glibc's files of limits, baselines, and the time that a gate takes.

The reports are real ones of small formats, and altered copies of them; the verdicts are held against what the
report's own numbers say."""

import copy
import json
import os
import unittest

from gate_case import Gate, rule
from harness import parse


class Limits(Gate):
    def test_max_ulp_is_that_of_the_report(self):
        largest = max(self.one(name, impl)["max_ulp"]["error"]
                      for name in ("exp", "sin", "sqrt") for impl in ("libm", "det", "cr"))
        self.gate("--max-ulp", repr(largest), code=0)
        below = largest - 2 ** -40
        expected = {(name, impl, "max_ulp") for name in ("exp", "sin", "sqrt")
                    for impl in ("libm", "det", "cr")
                    if self.one(name, impl)["max_ulp"]["error"] > below}
        self.assertEqual(self.failed("--max-ulp", repr(below)), expected)

    def test_limits_of_counts_fail_above_and_pass_at_the_count(self):
        wrong = {(name, impl): self.one(name, impl)["incorrectly_rounded"]
                 for name in ("exp", "sin", "sqrt") for impl in ("libm", "det", "cr")}
        self.assertGreater(max(wrong.values()), 1)
        for limit in (0, 1, max(wrong.values()) - 1):
            self.assertEqual(self.failed("--max-incorrect", limit),
                             {(*key, "max_incorrect") for key, count in wrong.items() if count > limit})
        self.assertEqual(self.failed("--require-correct"),
                         {(*key, "require_correct") for key, count in wrong.items() if count})
        self.gate("--max-mismatches", 0, "--require-faithful", code=0)
        one = self.one("sqrt", "libm")
        one["nan_mismatches"], one["sign_mismatches"] = 1, 1
        one["correctly_rounded"] -= 2
        one["incorrectly_rounded"] += 1
        self.write("report.json", self.document_)
        self.assertEqual(self.failed("--max-mismatches", 1), {("sqrt", "libm", "max_mismatches")})
        self.gate("--max-mismatches", 2, code=0)

    def test_a_crash_fails_though_no_limit_is_about_it(self):
        one = self.one("sqrt", "libm")
        one["events"] = [{"kind": "crash", "input": "0x3c00"}]
        one["event_counts"] = {"crash": 1}
        self.write("report.json", self.document_)
        self.assertEqual(self.failed("--max-ulp", 1), {("sqrt", "libm", "max_events")})
        self.assertIn("detcheck eval sqrt 0x3c00 --format fp16", self.gate("--max-ulp", 1, code=1))
        self.write("policy.json", rule(operation="sqrt", max_events=1))
        self.gate("--policy", "policy.json", code=0)

    def test_the_command_shows_the_worst_input(self):
        checks = [check for check in self.checks("--max-ulp", "0.5", code=1)
                  if check["status"] == "failed"]
        self.assertTrue(checks)
        for check in checks:
            one = self.one(check["operation"], check["implementation"])
            words = check["command"].split()
            self.assertEqual(words[:4], ["detcheck", "eval", check["operation"],
                                         one["max_ulp"]["input"]])
            shown, = self.document(*words[1:])["results"]
            got, = (row for row in shown["implementations"] if row["name"] == check["implementation"])
            self.assertEqual(got["got"], one["max_ulp"]["got"])
            self.assertAlmostEqual(got["error"], one["max_ulp"]["error"], places=12)

    def test_nothing_passes_that_was_not_judged(self):
        self.assertIn("needs limits", self.refuse("gate", "report.json"))
        self.assertIn("needs a report", self.refuse("gate", "--max-ulp", 1))
        for change, says in (({"complete": False}, "is incomplete"),
                             ({"results": []}, "tested nothing"),
                             ({"schema": "detcheck/report/2"}, "schema is")):
            self.write("report.json", {**self.document_, **change})
            self.assertIn(says, self.refuse("gate", "report.json", "--max-ulp", 100))
            self.assertIn(says, self.refuse("gate", "report.json", "--update", "policy.json"))
        self.assertFalse(os.path.exists(os.path.join(self.path, "policy.json")))
        for entry in self.document_["results"]:
            for at, one in enumerate(entry["implementations"]):
                entry["implementations"][at] = {"name": one["name"], "detail": "", "provided": False,
                                                "reason": "is gone"}
        self.write("report.json", self.document_)
        self.assertIn("tested nothing", self.refuse("gate", "report.json", "--max-ulp", 100))

    def test_what_this_version_does_not_know_never_passes(self):
        for member, value in (("operation", "frobnicate"), ("operation", "sincos"),
                              ("operation", "EXP"), ("format", "fp9"), ("format", "float16"),
                              ("rounding", "sideways")):
            document = copy.deepcopy(self.document_)
            document["results"][1][member] = value
            document["tool"]["version"] = "9.9"
            self.write("report.json", document)
            for words in (("--max-ulp", 100), ("--update", "policy.json")):
                complaint = self.refuse("gate", "report.json", *words)
                self.assertRegex(complaint, rf'results\[1\]\.{member} "{value}" is not known to this '
                                            r"detcheck \(\d.*\); the report is from detcheck 9\.9\n$")
            self.assertFalse(os.path.exists(os.path.join(self.path, "policy.json")))
            self.succeed("report", "report.json", "-o", "report.html")  # what can only be looked at is shown

    def test_arrays_and_casts(self):
        """Reports whose inputs are calls, and whose operations have parameters."""
        self.write("report.json", self.report("cast", "--format", "fp8_e5m2", "--to", "fp8_e4m3fn",
                                              "--impl", "det"))
        check, = (check for check in self.checks("--max-ulp", "0", code=1) if check["check"] == "max_ulp")
        words = check["command"].split()
        self.assertLessEqual({"--to", "fp8_e4m3fn", "--format", "fp8_e5m2"}, set(words))
        self.succeed(*words[1:])
        self.write("report.json", self.report("sum", "--shape", "7", "--distribution", "normal"))
        commands = {check["command"] for check in self.checks("--max-ulp", "0", code=1)
                    if check["status"] == "failed"}
        self.assertTrue(commands)
        for command in commands:
            self.succeed(*command.split()[1:], notes=True)

    def test_malformed_limits_are_refused(self):
        for words in (("--max-ulp", "-1"), ("--max-ulp", "x"), ("--max-ulp", "nan"),
                      ("--max-ulp", ""), ("--max-mismatches", "1.5"), ("--max-incorrect", "-1")):
            self.refuse("gate", "report.json", *words)
        self.refuse("gate", "report.json", "--max-ulp", 1, "--json", "-", "--junit", "-")
        self.refuse("gate", "report.json", "--max-ulp", 1, "--update", "p")


class Scale(Gate):
    """Time grows with what is judged, not with its square: each of these took minutes."""
    CASES = 4000

    def limited(self, *words, code=0, seconds=30):
        with self.within(seconds):
            done = self.run_program(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode()

    def test_thousands_of_cases_and_rules(self):
        document = copy.deepcopy(self.document_)
        entry, = (entry for entry in document["results"] if entry["operation"] == "exp")
        one = dict(self.one("exp", "libm", document), by_binade=[], worst=[], first_mismatches=[])
        entry["differences"] = []
        entry["implementations"] = [dict(one, name=f"lib:{i}") for i in range(self.CASES)]
        document["results"] = [entry]
        self.write("many.json", document)
        rules = [{"operation": "exp", "implementation": f"LIB:{i}", "max_ulp": 0} for i in range(self.CASES)]
        self.write("policy.json", {"schema": "detcheck/policy/1", "rules": rules})
        said = self.limited("gate", "many.json", "--policy", "policy.json", "--sarif", "s", "--junit", "j", code=1)
        self.assertTrue(said.startswith(f"FAILED: {self.CASES} of {3 * self.CASES} checks failed; "), said[:200])  # the verdict first
        self.assertEqual(said.split("\n")[2], "failed")
        self.limited("gate", "many.json", "--baseline", "many.json")

    def test_thousands_of_ranges_of_one_function(self):
        """Four times as many results take four times as long, and not sixteen."""
        entry, = (entry for entry in self.document_["results"] if entry["operation"] == "exp")
        one = {**self.one("exp", "libm"), "by_binade": [], "worst": [], "first_mismatches": []}
        one.pop("envelope", None)
        taken = {}
        for count in (500, 2000):
            results = [{**entry, "differences": [], "implementations": [one],
                        "inputs": {**entry["inputs"], "description": f"range {i}"}} for i in range(count)]
            name = self.write("ranges.json", {**self.document_, "results": results})
            for words in (("gate", name, "-b", name), ("compare", name, name), ("report", name, "-o", "page.html"),
                          ("gate", name, name, "-u", "-")):
                before = os.times()
                self.assertEqual(self.run_program(*words).returncode, 2 if "-u" in words else 0)
                taken.setdefault(words[0] + words[-1][:2], []).append(os.times().children_user - before.children_user)
        for command, (few, many) in taken.items():
            self.assertLess(many, 7 * few + 0.2, command)

    def test_thousands_of_names_of_events(self):
        document = copy.deepcopy(self.document_)
        for entry in document["results"]:
            for one in entry["implementations"]:
                one["event_counts"] = {f"k{i}": 0 for i in range(80000)}
        self.write("names.json", document)
        self.limited("gate", "names.json", "--max-ulp", "1000")


class GlibcUlps(Gate):
    TEXT = ('# Begin of automatic generation\n\n# Maximal error of functions:\n'
            'Function: "exp":\ndouble: 1\nfloat: {}\nldouble: 1\n\n'
            'Function: Real part of "csin":\ndouble: 1\n\n'
            'Function: "exp_upward":\nfloat: 1\n\n# end of automatic generation\n')

    def test_limits(self):
        self.write("report.json", self.report("exp", "sin", "--samples", "3000", "--rounding",
                                              "nearest-even,up", "--impl", "libm"))
        self.file("ulps", self.TEXT.format(1))
        # exp up has an error just above 2, below a power of two: an ulp of glibc's is two there.
        checks = self.checks("--glibc-ulps", "ulps", code=1)
        found = {check["rounding"]: (float(check["allowed"]), check["status"]) for check in checks
                 if check["check"] == "max_ulp"}
        self.assertEqual(found, {"nearest-even": (1.5, "passed"), "up": (2, "failed")})
        self.write("report.json", self.report("exp", "--samples", "3000", "--impl", "libm"))
        self.gate("--glibc-ulps", "ulps", code=0)
        document = self.report("exp", "--samples", "3000", "--impl", "libm")
        self.one("exp", "libm", document)["max_ulp"]["error"] = 1.5000001
        self.write("report.json", document)
        self.assertEqual(self.failed("--glibc-ulps", "ulps"), {("exp", "libm", "max_ulp")})

    def test_malformed_files_are_refused_by_line(self):
        for text, says in (("", "has no limit"), ("double: 1\n", "line 1"),
                           ('Function: "exp":\nfloat 1\n', "line 2"),
                           ('Function: "exp":\nfloat: -1\n', "line 2"),
                           ('Function: exp:\nfloat: 1\n', "line 1"), ("\0", "NUL")):
            self.file("ulps", text)
            self.assertIn(says, self.refuse("gate", "report.json", "--glibc-ulps", "ulps"))
        self.file("ulps", self.TEXT.format(1))  # fp16 is in none of its limits
        self.assertIn("has no limit for anything", self.refuse("gate", "report.json", "--glibc-ulps", "ulps"))


class Baseline(Gate):
    def compare(self, change, code):
        now = copy.deepcopy(self.document_)
        change(now)
        self.write("now.json", now)
        return [check for check in
                self.checks("--baseline", "report.json", code=code, report="now.json")
                if check["status"] != "passed"]

    def test_the_same_is_no_worse(self):
        self.assertEqual(self.compare(lambda now: None, 0), [])

    def test_other_inputs_of_the_same_name_fail_and_another_build_is_said(self):
        self.file("list", b"1\n2\n3\n")
        words = ("exp", "-f", "fp16", "--inputs", "list", "--impl", "libm,det")
        self.write("report.json", self.document("sweep", *words))
        self.file("list", b"1\n2\n4\n")
        now = self.document("sweep", *words)
        self.write("now.json", now)
        checks = self.checks("--baseline", "report.json", code=1, report="now.json")
        self.assertEqual({check["check"] for check in checks if check["status"] == "failed"}, {"tested"})
        identity = now["results"][0]["inputs"]["identity"]
        self.assertEqual({check["found"] for check in checks}, {f"others of that name, {identity}"})
        self.assertIn(identity, self.refuse("compare", "report.json", "now.json"))
        old = copy.deepcopy(now)
        was = old["results"][0]["implementations"][0]
        was["build"], build = "build-id:0123", was["build"]
        self.write("report.json", old)
        document = parse(self.gate("--baseline", "report.json", "--json", "-", code=0, report="now.json"))
        self.assertIn(f"the baseline's libm was build-id:0123, now {build}", document["notices"])
        row = self.document("compare", "report.json", "now.json")["comparisons"][0]
        self.assertEqual((row["a_build"], row["b_build"]), ("build-id:0123", build))
        self.assertIn("the build of A is build-id:0123\n", self.succeed("compare", "-v", "report.json", "now.json"))
        was["build"] = "xxh3-128:0123"  # which says nothing of a build-id
        self.write("report.json", old)
        self.assertNotIn("the build of A", self.succeed("compare", "-v", "report.json", "now.json"))
        for document in (old, now):
            del document["results"][0]["inputs"]["identity"]
        self.write("report.json", old)
        self.checks("--baseline", "report.json", code=0, report="now.json")

    def test_numbers_in_the_place_of_nans_are_no_worse_and_nans_in_the_place_of_numbers_are(self):
        """A tanh that overflows to NaN, and the same with the limit for these inputs: 1 has errors above 0 ulps, and NaN has none."""
        steps = "(exp(2*x) - 1)/(exp(2*x) + 1)"
        for name, formula in (("report.json", steps), ("now.json", f"let v = {steps} in select(v == v, v, tanh(x))")):
            document = self.document("sweep", "tanh", "-f", "fp16", "--impl", f"steps@fp32: {formula}")
            one = document["results"][0]["implementations"][0]
            one["name"] = "mine"
            self.assertEqual(one["nan_mismatches"] > 10000, name == "report.json")
            self.write(name, document)
        better = self.checks("--baseline", "report.json", code=0, report="now.json")
        self.assertNotIn("failed", {check["status"] for check in better})
        failed = {check["check"] for check in self.checks("--baseline", "now.json", code=1, report="report.json") if check["status"] == "failed"}
        self.assertLessEqual({"histogram", "max_nan_mismatches"}, failed)

    def test_other_arrays_of_the_same_name_fail(self):
        words = ("sum", "--shape", "4", "--inputs", "list", "--impl", "sequential")
        for name, first in (("report.json", 1), ("now.json", 2)):
            self.file("list", "\n".join(map(str, range(first, first + 12))).encode())
            self.write(name, self.document("sweep", *words))
        check, = self.checks("--baseline", "report.json", code=1, report="now.json")
        self.assertEqual((check["check"], check["status"]), ("tested", "failed"))
        self.assertIn("others of that name, xxh3-128:", check["found"])
        self.assertEqual(check["command"].split()[1:], ["sweep", *words])
        self.assertIn("but different ones", self.refuse("compare", "report.json", "now.json"))

    def test_a_command_names_the_file_of_inputs(self):
        self.file("list", b"1\n2\n3\n")
        words = ("exp", "--format", "fp16", "--inputs", "list", "--impl", "det")
        document = self.document("sweep", *words)
        self.write("now.json", document)
        self.one("exp", "det", document)["fingerprint"] = "xxh3-128:" + "0" * 32
        self.write("report.json", document)
        commands = {check["command"] for check in self.checks("--baseline", "report.json", code=1, report="now.json")
                    if check["status"] == "failed"}
        self.assertEqual(commands, {"detcheck sweep exp --format fp16 --inputs list --impl det"})

    def test_compare_names_what_differs(self):
        self.write("one.json", {**self.document_, "results": self.document_["results"][:1]})
        now = copy.deepcopy(self.document_)
        now["results"] = now["results"][:1]
        one = self.one("exp", "libm", now)
        one["max_ulp"]["error"] += 0.25
        one["fingerprint"] = "xxh3-128:" + "0" * 32
        one["event_counts"], one["events"] = {"crash": 2}, [{"kind": "crash", "input": "0x3c00"}]
        det = self.one("exp", "det", now)
        det["event_counts"], det["events"] = {"crash": 1}, [{"kind": "crash", "input": "0x3c00"}]
        self.write("now.json", now)
        done = self.run_program("compare", "one.json", "now.json", "--json", "-")
        self.assertEqual(done.returncode, 1, done.stderr)
        libm, own, cr = parse(done.stdout.decode())["comparisons"]
        self.assertEqual({row["measure"]: (row["a"], row["b"]) for row in libm["measures"]},
                         {"events.crash": (0, 2), "max_ulp": (one["max_ulp"]["error"] - 0.25, one["max_ulp"]["error"])})
        self.assertEqual((own["equal"], own["measures"]), (False, [{"measure": "events.crash", "a": 0, "b": 1}]))
        self.assertEqual((cr["equal"], cr["measures"]), (True, []))
        text = self.run_program("compare", "one.json", "now.json").stdout.decode()
        self.assertIn("  events.crash: 0 of A, 2 of B\n", text)

    def test_worse_fails_and_better_is_said(self):
        def worse(now):
            self.one("sin", "libm", now)["max_ulp"]["error"] += 0.25
        check, = self.compare(worse, 1)
        self.assertEqual((check["operation"], check["check"], check["status"]),
                         ("sin", "max_ulp", "failed"))

        def better(now):
            one = self.one("sin", "libm", now)
            one["correctly_rounded"] += 1
            one["incorrectly_rounded"] -= 1
        check, = self.compare(better, 0)
        self.assertEqual((check["check"], check["status"]), ("max_incorrect", "better"))

    def test_less_of_an_error_is_not_better_where_the_other_sign_grew(self):
        old = self.report("exp", "--format", "fp16", "--impl", "libm")
        self.write("old.json", old)

        def statuses(least, largest):
            """Of both sides, once the errors of each step are what the functions make of them."""
            now = copy.deepcopy(old)
            envelope = self.one("exp", "libm", now)["envelope"]
            for at, (low, high) in enumerate(zip(envelope["least"], envelope["largest"])):
                if low is not None and low <= 0 <= high:
                    envelope["least"][at], envelope["largest"][at] = least(low), largest(high)
            self.write("now.json", now)
            done = self.run_program("gate", "now.json", "-b", "old.json", "--json", "-")
            self.assertIn(done.returncode, (0, 1), done.stderr.decode())
            return [check["status"] for name in ("envelope.least", "envelope.largest")
                    for check in parse(done.stdout.decode())["checks"] if check["check"] == name]
        same, none, more = (lambda error: error), (lambda error: 0), (lambda error: 3 * error)
        self.assertEqual(statuses(same, none), ["passed", "better"])
        self.assertEqual(statuses(none, same), ["better", "passed"])
        self.assertEqual(statuses(none, none), ["better", "better"])
        self.assertEqual(statuses(more, none), ["failed", "passed"])
        self.assertEqual(statuses(none, more), ["passed", "failed"])

    def test_how_it_was_tested_is_named(self):
        words = ("exp", "--format", "fp16", "--impl", "libm")
        for more in (["--strict-nan"], ["--flags", "--may-clear"], ["--errno"]):
            said = " ".join(more) + (" --tininess after" if "--flags" in more else "")
            self.write("plain.json", self.report(*words)), self.write("more.json", self.report(*words, *more))
            for now, before, found in (("more", "plain", f"tested with {said}"), ("plain", "more", f"tested without {said}")):
                check, = (one for one in self.checks("-b", f"{before}.json", code=1, report=f"{now}.json") if one["status"] == "failed")
                self.assertEqual((check["check"], check["found"]), ("tested", found))
                given = check["command"].split()[1:]
                self.assertEqual([word in given for word in more], [before == "more"] * len(more), given)
                again = self.document(*given)["results"][0]
                wanted = self.report(*words, *more if before == "more" else ())["results"][0]
                self.assertEqual((again["parameters"], again["inputs"]), (wanted["parameters"], wanted["inputs"]))
        samples = [*words[:1], "--format", "fp32", *words[3:], "--samples", "1024"]
        self.write("one.json", self.report(*samples)), self.write("runs.json", self.report(*samples, "--run-length", "16"))
        check, = (one for one in self.checks("-b", "runs.json", code=1, report="one.json") if one["status"] == "failed")
        again = self.document(*check["command"].split()[1:])["results"][0]
        self.assertEqual(again["inputs"], self.report(*samples, "--run-length", "16")["results"][0]["inputs"])

    def test_a_search_that_judges_other_inputs_is_told_apart(self):
        for operation, more, says in (("exp", ("--accept", "flushed"), "beyond flushed results"),
                                      ("hypot", ("--without", "built"), None)):  # whose texts differ before their ends
            words = ("search", operation, "--format", "fp64", "--impl", "libm", "--evaluations", "2000")
            self.write("plain.json", self.document(*words)), self.write("more.json", self.document(*words, *more))
            for now, before, texts in (("plain", "more", (f"...seed 1, {says}", "...seed 1")),
                                       ("more", "plain", ("...seed 1", f"...seed 1, {says}"))):
                check, = (one for one in self.checks("-b", f"{before}.json", code=1, report=f"{now}.json") if one["status"] == "failed")
                if says:
                    self.assertEqual((check["allowed"], check["found"]), texts)
                self.assertEqual(" ".join(more) in check["command"], before == "more")
                self.assertNotIn("?", check["command"])

    def test_a_search_that_found_nothing_is_the_one_of_before(self):
        """However many inputs it tried, and in the words of older reports."""
        document = self.document("search", "fma", "--format", "fp32", "--impl", "libm", "--for", "wrong-rounding", "--evaluations", "2000")
        self.write("now.json", document)
        inputs = document["results"][0]["inputs"]
        self.assertEqual(inputs["description"], "no wrong rounding found among 2,000 inputs, seed 1")
        for before in ("no wrong rounding found among 3,000 inputs, seed 1",
                       "no wrong rounding found among 2,000, seed 1; one input stands for these"):
            inputs["description"] = before
            self.write("old.json", document)
            self.gate("-b", "old.json", code=0, report="now.json")

    def failed_now(self, change, old=None):
        """The checks that fail once the report of before is changed so."""
        now = copy.deepcopy(old or self.document_)
        change(now)
        self.write("old.json", old or self.document_)
        self.write("now.json", now)
        done = self.run_program("gate", "now.json", "-b", "old.json", "--json", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        failed = {check["check"] for check in parse(done.stdout.decode())["checks"] if check["status"] == "failed"}
        self.assertEqual(done.returncode, int(bool(failed)))
        return failed

    def test_every_figure_is_compared(self):
        """Each figure of a report of before, made worse alone, fails by its name; what it tells and this one does not, too."""
        old = self.report("exp", "--format", "fp16", "--impl", "libm,det", "--flags", "--errno", "--policy",
                          self.file("p.json", json.dumps(rule(promise={"ulp": 2}))))
        one = self.one("exp", "libm", old)
        one["events"], one["event_counts"] = [], {"hang": 1}
        one["nan_bits_differ"] = 1
        one["errno"] = {"told": True, "promised": True, "calls": 65536, "faulty": 0, "faults": []}
        def of(now):
            return self.one("exp", "libm", now)
        def counts(now, wrong, **more):
            of(now)["correctly_rounded"] -= 1
            of(now)[wrong] += 1
            for name in more:
                of(now)[name] += more[name]
        def faults(now, part, **row):
            of(now)[part]["faults"].append({"count": 3, "first": {"input": "0x0001"}, "worst": {"input": "0x0001"}, **row})
        for change, failed in (
                (lambda now: of(now)["max_ulp"].update(error=of(now)["max_ulp"]["error"] + 2 ** -40), {"max_ulp"}),
                (lambda now: of(now).update(mean_ulp=of(now)["mean_ulp"] + 2 ** -10), {"max_mean_ulp"}),
                (lambda now: of(now).update(mean_ulp=of(now)["mean_ulp"] + 2 ** -21), set()),
                (lambda now: counts(now, "incorrectly_rounded"), {"max_incorrect"}),
                (lambda now: counts(now, "incorrectly_rounded", sign_mismatches=1), {"max_incorrect", "max_sign_mismatches"}),
                (lambda now: counts(now, "nan_mismatches", sign_mismatches=0), {"max_nan_mismatches", "histogram"}),
                (lambda now: of(now).update(faithful=of(now)["faithful"] - 494), {"max_unfaithful"}),
                (lambda now: of(now).update(nan_bits_differ=2), {"max_nan_bits"}),
                (lambda now: of(now).update(signalling_nans=1), {"max_signalling_nans"}),
                (lambda now: of(now).update(event_counts={"crash": 1}), {"events.crash", "max_events"}),
                (lambda now: of(now).update(event_counts={"hang": 2}), {"events.hang", "max_events"}),
                (lambda now: faults(now, "flags", fault="missing", flag="overflow"), {"flags.missing.overflow"}),
                (lambda now: faults(now, "errno", fault="spurious", errno="EDOM"), {"errno.spurious.EDOM"}),
                (lambda now: of(now).update(flags={"told": False}), {"flags", "flags.faulty", "flags.promised"}),
                (lambda now: of(now).pop("errno"), {"errno", "errno.faulty", "errno.promised"}),
                (lambda now: of(now).pop("envelope"), {"envelope.incorrect", "envelope.largest", "envelope.least"}),
                (lambda now: of(now).pop("promise"), {"promise", "max_violations", "promise.accepted", "promise.worst"}),
                (lambda now: of(now)["promise"].update(violations=2, kept=of(now)["promise"]["kept"] - 2), {"max_violations"}),
                (lambda now: of(now)["promise"].update(left_out=2, kept=of(now)["promise"]["kept"] - 2), {"promise"}),
                (lambda now: of(now)["promise"].update(allowed="3 ulp"), {"promise.allowed"}),
                (lambda now: of(now)["promise"].update(accept=["zero-sign"]), {"promise.allowed"}),
                (lambda now: of(now).update(fingerprint=None), {"fingerprint"}),
                (lambda now: now["results"][0]["differences"][0].update(count=9999), {"differences.det"}),
                (lambda now: now["results"][0].update(differences=[]), {"differences.det", "differences.det.by_binade"})):
            self.assertEqual(self.failed_now(change, old) - ({"max_events"} if "max_events" not in failed else set()), failed)

    def test_invariance_is_compared_property_by_property(self):
        old = self.document("invariance", "exp", "--format", "fp16", "-n", 256, "--impl", "libm")
        properties = {each["property"]: each for each in self.one("exp", "libm", old)["invariance"]}
        tested = [name for name, each in properties.items() if each["tested"]]
        self.assertGreater(len(tested), 5)
        broken = {"changed": 16, "first": {"input": "0x3c00", "reference": "0x1", "got": "0x2", "where": "there", "command": "detcheck env"}}
        untested = {"tested": False, "why": "the worker knows no conditions"}
        for name in tested:
            at = list(properties).index(name)
            def worse(now, at=at, **members):
                self.one("exp", "libm", now)["invariance"][at].update(members)
            self.assertEqual(self.failed_now(lambda now: worse(now, **broken), old), {f"invariance.{name}"})
            self.assertEqual(self.failed_now(lambda now: worse(now, inputs=255), old), {f"invariance.{name}.inputs"})
            self.assertEqual(self.failed_now(lambda now: worse(now, unanswered=1), old) - {"max_unanswered"}, {f"invariance.{name}.unanswered"})
            def gone(now, at=at, name=name):
                self.one("exp", "libm", now)["invariance"][at] = {"property": name, **untested}
            self.assertEqual(self.failed_now(gone, old) & {f"invariance.{name}"}, {f"invariance.{name}"})
        def knows_one(now):
            now = self.one("exp", "libm", now)
            now["invariance"] = [each if each["property"] == tested[0] else {"property": each["property"], **untested} for each in now["invariance"]]
        failed = self.failed_now(knows_one, old)
        self.assertLessEqual({f"invariance.{name}" for name in tested[1:]}, failed)

    def test_fingerprints(self):
        for name, code in (("libm", 0), ("det", 1), ("cr", 1)):
            def changed(now, name=name):
                self.one("sin", name, now)["fingerprint"] = "xxh3-128:" + 32 * "1"
            check, = self.compare(changed, code)
            self.assertEqual((check["check"], check["status"]),
                             ("fingerprint", "failed" if code else "notice"))
        def changed_libm(now):
            self.one("sin", "libm", now)["fingerprint"] = "xxh3-128:" + 32 * "1"
        self.compare(changed_libm, 0)
        self.write("policy.json", rule(operation="sin", fingerprint_change="fail"))
        self.checks("-b", "report.json", "-p", "policy.json", code=1, report="now.json")
        self.write("policy.json", rule(operation="sin", fingerprint_change="ignore"))
        self.checks("-b", "report.json", "-p", "policy.json", code=0, report="now.json")

    def test_what_is_gone_fails(self):
        def gone(now):
            del now["results"][1]
        checks = self.compare(gone, 1)
        self.assertEqual({(check["operation"], check["check"]) for check in checks},
                         {("sin", "tested")})
        def other_inputs(now):
            now["results"][1]["inputs"]["description"] = "65,536 special inputs"
        self.assertEqual({check["found"] for check in self.compare(other_inputs, 1)},
                         {"65,536 special inputs"})

    def test_another_platform_is_noticed(self):
        def moved(now):
            now["platform"]["libc"] = "musl 1.2"
        self.compare(moved, 0)
        self.assertIn("libc was", self.gate("-b", "report.json", code=0, report="now.json"))
        for name in ("fma", "ftz", "daz"):
            def other(now, name=name):
                now["platform"][name] = not now["platform"][name]
            def gone(now, name=name):
                del now["platform"][name]
            with self.subTest(name=name):
                self.compare(other, 0)
                text = self.gate("-b", "report.json", code=0, report="now.json")
                self.assertRegex(text, f"baseline's {name} was (true, now false|false, now true)")
                self.compare(gone, 0)
                text = self.gate("-b", "report.json", code=0, report="now.json")
                self.assertRegex(text, f"baseline's {name} was (true|false), now not known")


if __name__ == "__main__":
    unittest.main()
