"""detcheck gate knows orders of additions: of what 'detcheck reveal --json' wrote, by a policy and beside an earlier run.

A library changes its order where its file does: the planted library is linked under one name, and a file of an order is
written anew. Environment: ORDERED_LIBRARY.
"""

import json
import os
import unittest

from gate_case import Gate, rule

LIBRARY = os.environ["ORDERED_LIBRARY"]
LEFT = {"kind": "sequential", "size": 1}


def order(rule=None, operation="sum", **node):
    return {"schema": "detcheck/order/1", "name": "planted", "source": "here", "operation": operation, "format": "fp32",
            "result": "fp32", "least": 1, "most": 4096, "nodes": [{"result": "fp32", "nan": "0x7fc00000", **node}],
            "rule": rule or LEFT, "open": [], "replayed": 0, "different": 0}


class GateOrder(Gate):
    def setUp(self):
        super().setUp()
        self.reveal("before.json")

    def reveal(self, name, rule=None, lengths="1:24", words=(), **node):
        """What is revealed of 'library.order', whatever order that has today."""
        self.file("library.order", json.dumps(order(rule, **node)))
        self.run_program("reveal", "sum", "--impl", "order:library.order", "--lengths", lengths, "-n", 60, "--json", name,
                         *words)
        return self.read(name)

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return json.load(file)

    def policy(self, **members):
        self.write("policy.json", rule(operation="sum", **members))
        return "--policy", "policy.json"

    def test_a_policy_holds_the_hash_of_an_order(self):
        found = self.read("before.json")["results"][0]["order_hash"]
        check, = self.checks(*self.policy(order=found), code=0, report="before.json")
        self.assertEqual((check["check"], check["status"], check["found"]), ("order", "passed", found))
        self.reveal("after.json", {"kind": "lanes", "size": 4})
        check, = self.checks(*self.policy(order=found), code=1, report="after.json")
        self.assertEqual((check["check"], check["status"], check["allowed"]), ("order", "failed", found))
        self.assertTrue(check["found"].endswith(", of 1 to 24 terms"), check["found"])
        self.assertEqual(check["command"], "detcheck reveal sum --lengths 1:24 --impl order:library.order")
        self.assertEqual(self.run_program(*check["command"].split()[1:], "-n", 60).returncode, 0)

    def test_a_rule_passes_whatever_lengths_it_was_found_for(self):
        found = self.read("before.json")["results"][0]["order_hash"]
        for lengths in ("1:40", "5:41:4", "33"):
            self.reveal("other.json", lengths=lengths)
            check, = self.checks(*self.policy(order=found), code=0, report="other.json")
            self.assertEqual((check["status"], check["found"]), ("passed", found), lengths)

    def test_today_is_written_as_a_policy(self):
        self.gate("--update", "today.json", code=0, report="before.json")
        self.gate("--policy", "today.json", code=0, report="before.json")
        self.reveal("after.json", result="fp64", nan="0x7ff8000000000000")
        self.gate("--policy", "today.json", code=1, report="after.json")
        self.follows_schema(self.read("today.json"), "policy")

    def test_nothing_is_no_policy(self):
        document = self.read("before.json")
        for name in ("order_hash", "order", "rule", "additions"):  # as of an order that is not always the same
            document["results"][0].pop(name, None)
        document["results"][0]["revealed"] = 0
        document["results"][0]["lengths"] = [{**{name: one[name] for name in ("terms", "shape", "calls")}, "state": "not-repeatable", "why": "noise",
                                              "models": 0} for one in document["results"][0]["lengths"]]
        self.write("twice.json", document)
        self.assertIn("no rule can be written", self.refuse("gate", "twice.json", "--update", "nothing.json"))
        self.assertFalse(os.path.exists(os.path.join(self.path, "nothing.json")))

    def test_beside_an_earlier_run_the_addition_is_named_where_two_part(self):
        self.checks("--baseline", "before.json", code=0, report="before.json")
        self.reveal("after.json", {"kind": "lanes", "size": 4, "outer": {"kind": "pairs"}})
        document = json.loads(self.gate("--baseline", "before.json", "--json", "-", code=1, report="after.json"))
        failed, = (check for check in document["checks"] if check["status"] == "failed")
        self.assertEqual(failed["check"], "order")
        # Of 4 terms (0 + 1) + (2 + 3) and ((0 + 1) + 2) + 3 begin alike.
        self.assertIn(": 4 terms: A adds (x[0] + x[1]) and x[2]; B ...", failed["found"])
        self.assertIn("part: 4 terms: A adds (x[0] + x[1]) and x[2]; B adds x[2] and x[3]; 21 of 24 lengths differ",
                      document["notices"][0])

    def test_a_node_that_changes_is_named(self):
        self.reveal("after.json", result="fp64", nan="0x7ff8000000000000")
        text = self.gate("--baseline", "before.json", code=1, report="after.json")
        self.assertIn("part: additions: A fp32, nearest-even; B fp64, nearest-even", text)

    def test_the_same_trees_by_another_rule_are_no_change(self):
        before = self.read("before.json")
        other = json.loads(json.dumps(before))
        other["results"][0]["order"]["rule"] = {"kind": "shorter", "size": 4096, "outer": {"kind": "pairs"}}
        self.file("other.order", json.dumps(other["results"][0]["order"]))
        opened = self.succeed("sweep", "sum", "-n", 3, "--shape", 9, "--impl", "order:other.order", "--json", "-")
        other["results"][0]["order_hash"] = json.loads(opened)["results"][0]["implementations"][0]["detail"].split()[1][:16]
        self.assertNotEqual(other["results"][0]["order_hash"], before["results"][0]["order_hash"])
        self.write("after.json", other)
        self.checks("--baseline", "before.json", code=0, report="after.json")

    def test_what_is_not_revealed_has_no_order(self):
        found = self.read("before.json")["results"][0]["order_hash"]
        words = "sum", "--impl", f"lib:{LIBRARY}:sum_odd_one", "--lengths", "1:24", "-n", 60, "--json", "odd.json"
        self.assertEqual(self.run_program("reveal", *words).returncode, 1)
        check, = self.checks(*self.policy(order=found), code=1, report="odd.json")
        self.assertRegex(check["found"], r"^none: \d+ of 24 lengths revealed$")
        # Fewer lengths are no smaller change, though the hash may be the same.
        after = self.read("before.json")
        after["results"][0]["revealed"] = 23
        after["results"][0]["lengths"][-1]["state"] = "best-fit"
        self.write("after.json", after)
        self.gate("--baseline", "before.json", code=1, report="after.json")

    def test_other_lengths_are_another_case(self):
        self.reveal("after.json", lengths="8:24:8")
        check, = (check for check in self.checks("--baseline", "before.json", code=1, report="after.json"))
        self.assertEqual((check["check"], check["allowed"], check["found"]),
                         ("tested", "1 to 24 terms", "8 to 24 terms in steps of 8"))
        self.write("wrong.json", rule(operation="sum", order="0" * 16))
        check, = self.checks("--policy", "wrong.json", code=1, report="after.json")
        self.assertIn("--lengths 8:24:8 ", check["command"])

    def test_an_order_that_no_report_tells_does_not_pass(self):
        self.write("sums.json", self.document("sweep", "sum", "--shape", 9, "-n", 4))
        self.policy(order="0" * 16, max_ulp=1000)
        done = self.refuse("gate", "sums.json", "--policy", "policy.json")
        self.assertIn("rule 1 has an \"order\", and no report has an order for its matches", done)
        # Beside one that does, the sweep is judged by the limit, and what was revealed by the hash.
        both = self.checks("before.json", "--policy", "policy.json", code=1, report="sums.json")
        self.assertEqual({check["check"] for check in both if check["status"] == "failed"}, {"order"})

    def test_exceptions_excuse_an_order(self):
        self.write("policy.json", {**rule(operation="sum", order="0" * 16), "exceptions": [{"operation": "sum", "reason": "new"}]})
        check, = self.checks("--policy", "policy.json", code=0, report="before.json")
        self.assertEqual((check["status"], check["reason"]), ("expected", "new"))

    def test_wrong_documents_are_one_line(self):
        for name, value in (("short", "abc"), ("a fingerprint", "xxh3-128:" + "0" * 32), ("a number", 3)):
            with self.subTest(name):
                self.policy(order=value)
                self.refuse("gate", "before.json", "--policy", "policy.json")
        good = self.read("before.json")
        def without(member):
            return {key: value for key, value in good["results"][0].items() if key != member}
        other = json.loads(json.dumps(good["results"][0]))
        other["order"]["rule"] = {"kind": "pairs"}
        for name, result in (("no implementation", without("implementation")), ("no inputs", without("inputs")),
                             ("no parameters", without("parameters")), ("no hash", without("order_hash")),
                             ("another order", other)):
            with self.subTest(name):
                self.write("wrong.json", {"schema": "detcheck/reveal/1", "results": [result]})
                self.refuse("gate", "wrong.json", "--baseline", "wrong.json")
        for says, changes in (("says that 23 lengths are revealed, and has 24", {"revealed": 23}),
                              ("says 25 lengths, and has 24", {"inputs": {**good["results"][0]["inputs"], "count": 25}, "revealed": 25}),
                              ("says that 24 lengths are revealed, and has 23", {"state": "best-fit"}),
                              ("arrays of it that differ", {"different": 1}), ("or none", {"replayed": 0}),
                              ("do not follow each other", {"terms": 2}), ("its order does not know", {"terms": 4000})):
            with self.subTest(says):
                result = json.loads(json.dumps(good["results"][0]))
                of_length = {name: value for name, value in changes.items() if name in result["lengths"][-1]}
                result["lengths"][-1].update(of_length)
                result.update({name: value for name, value in changes.items() if name not in of_length})
                self.write("wrong.json", {"schema": "detcheck/reveal/1", "results": [result]})
                self.assertIn(says, self.refuse("gate", "wrong.json", "--baseline", "before.json"))
        self.write("wrong.json", {"schema": "detcheck/reveal/1", "results": []})
        self.assertIn("tested nothing", self.refuse("gate", "wrong.json", "--baseline", "wrong.json"))
        # Other commands want reports; `report` draws orders.
        self.assertIn("detcheck/report/1", self.refuse("merge", "before.json"))


class Use(Gate):
    """An order of a file is an implementation like others: judged, verified, fingerprinted, gated and explained."""

    def setUp(self):
        super().setUp()
        self.file("library.order", json.dumps(order({"kind": "lanes", "size": 4, "outer": {"kind": "pairs"}})))

    def sweep(self, name):
        self.run_program("sweep", "sum", "--shape", "5x37", "--axis", 1, "-n", 4, "--impl", "order:library.order", "--json", name)
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return json.load(file)

    def prints(self, document):
        return [one["fingerprint"] for result in document["results"] for one in result["implementations"]]

    def test_it_is_judged_and_its_fingerprints_are_gated(self):
        before = self.sweep("before.json")
        self.assertTrue(all(one["tested"] > 0 for result in before["results"] for one in result["implementations"]))
        self.gate("--update", "today.json", code=0, report="before.json")
        self.gate("--policy", "today.json", code=0, report="before.json")
        # The same order in other words has the same bits; another one has not.
        self.file("library.order", json.dumps(order({"kind": "lanes", "size": 4, "tail": "within",
                                                     "outer": {"kind": "blocks", "size": 2}})))
        self.assertEqual(self.prints(self.sweep("same.json")), self.prints(before))
        self.gate("--policy", "today.json", code=0, report="same.json")
        self.file("library.order", json.dumps(order()))
        other = self.prints(self.sweep("other.json"))
        self.assertGreater(sum(a != b for a, b in zip(other, self.prints(before))), len(other) // 2)
        bits = rule(operation="sum", inputs=before["results"][0]["inputs"]["description"], fingerprint=self.prints(before)[0])
        self.write("bits.json", bits)
        self.gate("--policy", "bits.json", code=0, report="before.json")
        self.gate("--policy", "bits.json", code=1, report="other.json")

    def test_it_is_verified(self):
        """Sums that are exact in any order are right; of others some are not."""
        self.run_program("emit", "sum", "--shape", "5x37", "--axis", 1, "-n", 2, "-o", "vectors.json")
        done = self.run_program("verify", "vectors.json", "--impl", "order:library.order")
        self.assertIn(done.returncode, (0, 1))
        self.assertRegex(done.stdout.decode(), r"\d+ of \d+ tests (fail|pass)|all \d+ tests pass")
        self.run_program("emit", "sum", "-f", "fp16", "--shape", 1, "-n", 2, "-o", "one.json")
        self.file("half.order", json.dumps({**order(), "format": "fp16", "result": "fp16",
                                            "nodes": [{"result": "fp32", "nan": "0x7fc00000"}]}))
        self.assertEqual(self.run_program("verify", "one.json", "--impl", "order:half.order").returncode, 0)

    def test_differences_from_it_are_explained(self):
        text = self.succeed("explain", "sum", "--shape", "5x37", "--axis", 1, "-n", 20, "--impl", "order:library.order",
                            "--impl", "sequential", code=1)
        self.assertRegex(text if isinstance(text, str) else text.decode(), r"\d+ of \d+ results differ")


if __name__ == "__main__":
    unittest.main()
