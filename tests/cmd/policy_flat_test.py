"""Policies of one line a rule: the same verdicts as the JSON that says the same, and mistakes by their lines."""

import json
import unittest

from gate_case import Gate


class Flat(Gate):
    def seen(self, path, *words):
        """Each check of a gate and its exit status, without the place of the rule."""
        done = self.run_program("gate", "report.json", "--policy", path, *words, "--json", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        checks = json.loads(done.stdout)["checks"]
        return done.returncode, [{**one, "source": one["source"].split(", ")[0].split(".")[0]} for one in checks], checks

    def test_lines_say_what_json_says(self):
        lines = """# What we promise.
max-ulp 0.9 max-mismatches 0

exp fp16 max_ulp 0.6   # close
s* nearest-even implementation lib* max-incorrect 3
sin implementation det require-correct false fingerprint-change ignore
* parameters.axis -1 max-ulp 7
fp16 max-mean-ulp 0.01
exception sin implementation libm max-incorrect 90000 because it's known, "quoted" and all: #12
exception format * max-ulp 0.5001 because of det
"""
        rules = [{"max_ulp": 0.9, "max_mismatches": 0}, {"operation": "exp", "format": "fp16", "max_ulp": 0.6},
                 {"operation": "s*", "rounding": "nearest-even", "implementation": "lib*", "max_incorrect": 3},
                 {"operation": "sin", "implementation": "det", "require_correct": False, "fingerprint_change": "ignore"},
                 {"operation": "*", "parameters": {"axis": -1}, "max_ulp": 7}, {"format": "fp16", "max_mean_ulp": 0.01}]
        exceptions = [{"operation": "sin", "implementation": "libm", "max_incorrect": 90000,
                       "reason": 'it\'s known, "quoted" and all: #12'}, {"format": "*", "max_ulp": 0.5001, "reason": "of det"}]
        self.file("policy.txt", lines)
        self.write("policy.json", {"schema": "detcheck/policy/1", "rules": rules, "exceptions": exceptions})
        code, flat, checks = self.seen("policy.txt", "--partial")
        self.assertEqual((code, flat), self.seen("policy.json", "--partial")[:2])
        self.assertGreater(len(flat), 8)
        sources = {(one["operation"], one["implementation"], one["check"]): one["source"] for one in checks}
        self.assertEqual(sources["exp", "libm", "max_ulp"], "policy.txt, line 4")
        self.assertEqual(sources["sin", "libm", "max_incorrect"], "policy.txt, line 5")
        self.assertEqual(sources["sin", "libm", "max_mean_ulp"], "policy.txt, line 8")

    def test_promises_and_what_is_accepted(self):
        """By a sweep: a limit of ulps alone, members of a promise behind a dot, names with commas."""
        for lines, rule in (("exp promise 0.4 accept flushed_results,zero_sign section 4.2",
                             {"operation": "exp", "promise": {"ulp": 0.4}, "accept": ["flushed_results", "zero_sign"], "section": "4.2"}),
                            ('exp promise.ulp "0.1 + |x|" promise.x -1,1 promise.inputs zero,normal',
                             {"operation": "exp", "promise": {"ulp": "0.1 + |x|", "x": [-1, 1], "inputs": ["zero", "normal"]}})):
            found = []
            self.file("policy.txt", lines + "\n")
            self.write("policy.json", {"schema": "detcheck/policy/1", "rules": [rule]})
            for path in ("policy.txt", "policy.json"):
                done = self.run_program("sweep", "exp", "-f", "fp16", "--impl", "det", "--policy", path, "--json", "-")
                self.assertEqual(done.returncode, 1, done.stderr)
                promise = json.loads(done.stdout)["results"][0]["implementations"][0]["promise"]
                found.append({name: promise[name] for name in promise if name != "policy"})
            self.assertEqual(found[0], found[1])
            self.assertGreater(found[0]["violations"], 0)

    def test_mistakes_are_told_by_their_line(self):
        for line, says in (("exp fp33 max-ulp 1", "'fp33' is not a format, rounding or limit; a line is such as 'exp fp32 max-ulp 1'"),
                           ("exp fp16 max-ulps 1", "'max-ulps' is not a format, rounding or limit; did you mean max-ulp?"),
                           ("exp fp16 max-ulp 1 up", "'up' is not a format, rounding or limit"),
                           ("exp fp16 fp32 max-ulp 1", "'format' appears twice"),
                           ("exp max-ulp", "'max-ulp' needs a value after it"),
                           ("exp max-ulp much", "max_ulp should be a number"),
                           ("exp max-ulp 1e999", "'1e999' is a number beyond those of fp64"),
                           ("exp max-ulp 1 max_ulp 2", "'max_ulp' appears twice"),
                           ("exp promise.ulp 1 promise.ulp 2", "'ulp' appears twice"),
                           ("exp", 'sets no limit, such as "max_ulp": 1'),
                           ("exp accept flushed", "accept should name any of"),
                           ("exp trace.lost 1", "trace"),
                           ("exception exp max-ulp 3", "reason is missing"),
                           ("exception exp max-ulp 3 because", "reason should say why, and is empty"),
                           ('exp section "4.2 max-ulp 1', "a quote has no end"),
                           ("\u00e9xp max-ulp 1", "only reasons and remarks may have letters beyond ASCII"),
                           ("maxulp 2", "'maxulp' is not a format, rounding or limit; did you mean max-ulp?"),
                           ("exp 2", "'2' is not a format, rounding or limit"),
                           ("cosh max-ulp 1", "(cosh, *, *, *) matches nothing that was tested; --partial allows such rules\n"),
                           ("lgo1p max-ulp 1", "(lgo1p, *, *, *) matches nothing that was tested: unknown operation 'lgo1p'; did you mean log1p?\n"),
                           ("zzzzz max-ulp 1", "(zzzzz, *, *, *) matches nothing that was tested; --partial allows such rules\n")):
            with self.subTest(line=line):
                self.file("policy.txt", f"# \u00e9\n\nsin max-ulp 1 because of \u00e9\n{line}\n")
                self.assertIn("line 4", self.refuse("gate", "report.json", "--policy", "policy.txt"))
                self.assertIn(says, self.refuse("gate", "report.json", "--policy", "policy.txt"))
        self.file("policy.txt", "# nothing but a remark\n")
        self.assertIn("so nothing could fail", self.refuse("gate", "report.json", "--policy", "policy.txt"))
        self.file("policy.txt", "max-ulp 1\0\n")
        self.assertIn("NUL", self.refuse("gate", "report.json", "--policy", "policy.txt"))

    def test_equal_rules_and_exceptions_without_use_are_told_by_lines(self):
        self.file("policy.txt", "s* max-ulp 1\n\n*n max-ulp 2\n")
        self.assertIn("lines 1 and 3 are equally specific for sin", self.refuse("gate", "report.json", "-p", "policy.txt"))
        self.file("policy.txt", "\nmax-ulp 9\nexception exp because of old\n")
        self.assertIn("policy.txt: line 3 is not needed any more", self.gate("--policy", "policy.txt", code=0))

    def test_update_leaves_lines_alone(self):
        self.file("policy.txt", "max-ulp 9\n")
        self.assertIn("is a policy of lines, and --update writes JSON", self.refuse("gate", "report.json", "--update", "policy.txt"))
        with open(f"{self.path}/policy.txt", encoding="ascii") as stream:
            self.assertEqual(stream.read(), "max-ulp 9\n")


class Tried(Gate):
    def test_a_search_that_tried_next_to_nothing_passes_no_gate(self):
        for tried, code in ((5, 1), (999, 1), (1000, 0)):
            self.succeed("search", "div", "-f", "fp32", "--for", "wrong-rounding", "--evaluations", tried, "--impl", "libm",
                         "--json", "found.json")
            text = self.gate("--max-incorrect", 0, code=code, report="found.json")
            if code:
                self.assertRegex(text, rf"min_tried +allowed 1000 or more, found {tried} ")
        self.gate("--max-incorrect", 0, "--min-tried", 1000, code=0, report="found.json")
        self.gate("--max-incorrect", 0, "--min-tried", 1001, code=1, report="found.json")
        self.file("policy.txt", "div max-incorrect 0\nexception div because it is a trial\n")
        self.gate("--policy", "policy.txt", "--min-tried", 1001, code=0, report="found.json")

    def test_other_inputs_have_a_minimum_where_it_is_asked_for(self):
        self.gate("--max-ulp", 9, "--min-tried", 65536, code=0)
        failed = self.failed("--max-ulp", 9, "--min-tried", 65537)
        self.assertEqual({check for _, _, check in failed}, {"min_tried"})
        self.assertEqual(len(failed), 9)
        self.refuse("gate", "report.json", "--max-ulp", 9, "--min-tried", "some")


if __name__ == "__main__":
    unittest.main()
