"""The policy made of detmath's budgets (policy.c), and the gate by it."""

import json
import os

from harness import Case, parse

POLICY = os.environ["POLICY"]


class Budgets(Case):
    def setUp(self):
        super().setUp()
        with open(POLICY, encoding="utf-8") as stream:
            self.policy = parse(stream.read())

    def budget(self, operation, format="fp32"):
        """What det may be off by there."""
        rule, = (rule for rule in self.policy["rules"] if rule.get("operation") == operation
                 and rule["implementation"] == "det" and rule["format"] == format)
        return rule["max_ulp"]

    def sweep(self, name, *words, timeout=300):
        """The report of det and cr, also written to a file of that name."""
        done = self.run_program("sweep", *words, "--impl", "det,cr", "--json", name, timeout=timeout)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        with open(os.path.join(self.path, name), encoding="utf-8") as stream:
            return parse(stream.read())

    def one(self, report, operation, implementation):
        result, = (result for result in report["results"] if result["operation"] == operation)
        found, = (one for one in result["implementations"] if one["name"] == implementation)
        return found

    def gate(self, *names, policy=None):
        """The checks that failed, as (operation, format, implementation, check), of these reports."""
        path = self.file("policy.json", json.dumps(policy or self.policy))
        done = self.run_program("gate", *names, "--partial", "--policy", path, "--json", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        verdict = parse(done.stdout.decode())
        failed = [check for check in verdict["checks"] if check["status"] == "failed"]
        self.assertEqual(done.returncode, 1 if failed else 0)
        return {(check["operation"], check["format"], check["implementation"], check["check"])
                for check in failed}

    def lowered(self, by=0.001):
        """A copy of the policy that allows det so much less in fp32."""
        rules = [{**rule, "max_ulp": rule["max_ulp"] - by} if rule.get("format") == "fp32" else rule
                 for rule in self.policy["rules"]]
        return {**self.policy, "rules": rules}
