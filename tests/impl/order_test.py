"""order:FILE computes by an order that a document names. Held against the loops of det, sequential, pairwise and blocked, of
every operation that sums; documents that are none; and what compare says of two."""

import itertools
import json
import unittest

from harness import Case

NAN = {"fp16": "0x7e00", "bf16": "0x7fc0", "fp32": "0x7fc00000", "fp64": "0x7ff8000000000000"}
PAIRS = {"kind": "pairs"}


def node(result, **members):
    return {"result": result, "nan": NAN[result], **members}


def order(rule, nodes, source="fp32", result=None, operation="sum", **members):
    return json.dumps({"schema": "detcheck/order/1", "name": "planted", "source": "", "operation": operation,
                       "format": source, "result": result or source, "least": 1, "most": 10000, "nodes": nodes,
                       "rule": rule, "open": [], "replayed": 0, "different": 0, **members})


def det(start):
    return {"kind": "blocks", "size": 1024, "outer": PAIRS,
            "inner": {"kind": "lanes", "size": 64, "start": start, "outer": {"kind": "fold"}}}


SEQUENTIAL = {"kind": "sequential", "size": 1}
HALVES = {"kind": "halves", "size": 8}
BLOCKED = {"kind": "blocks", "size": 256, "start": "alone"}
SHAPES = {"sum": ("1", "7", "300", "2500"), "mean": ("3", "700"), "dot": ("1", "9", "1500"), "matmul": ("3x70x5",),
          "cumsum": ("90",)}


class Order(Case):
    def check(self, operation, document, other, *words, shapes=None):
        """Fingerprints, of all families and shapes."""
        path = self.file("one.order", document)
        compared = 0
        for shape in shapes or SHAPES[operation]:
            results = self.results(operation, "--impl", "order:" + path, "--impl", other, "--shape", shape, "-n", 5,
                                   *words, notes=True)
            for result in results:
                mine, theirs = result["implementations"]
                self.assertEqual(mine["fingerprint"], theirs["fingerprint"], (operation, other, shape, result))
                compared += mine["tested"]
        self.assertGreater(compared, 0)

    def test_det(self):
        for operation, start in (("sum", "items"), ("mean", "items"), ("dot", "alone"), ("matmul", "alone")):
            with self.subTest(operation=operation):
                self.check(operation, order(det(start), [node("fp32")]), "det")
        self.check("dot", order(det("alone"), [node("fp64")], "fp64"), "det", "-f", "fp64")

    def test_the_orders_of_others(self):
        for operation, (other, rule) in itertools.product(
                ("sum", "mean"), (("sequential", SEQUENTIAL), ("pairwise", HALVES), ("blocked", BLOCKED))):
            with self.subTest(operation=operation, other=other):
                self.check(operation, order(rule, [node("fp32")]), other)
        rounded = node("fp32", product="fp32")
        for operation in ("dot", "matmul"):
            self.check(operation, order(SEQUENTIAL, [rounded]), "sequential")
            self.check(operation, order(HALVES, [rounded]), "pairwise")
            self.check(operation, order(BLOCKED, [node("fp32")]), "blocked")
        self.check("cumsum", order(SEQUENTIAL, [node("fp32")]), "sequential")

    def test_narrow_formats(self):
        for name in ("fp16", "bf16"):
            with self.subTest(format=name):
                self.check("sum", order(SEQUENTIAL, [node("fp32")], name), "sequential", "-f", name, shapes=("300",))

    def test_lines_along_an_axis(self):
        for operation in ("sum", "mean", "cumsum"):
            for axis in (0, 1, 2):
                self.check(operation, order(SEQUENTIAL, [node("fp32")]), "sequential", "--axis", axis, shapes=("3x70x2",))
        self.check("cumsum", order(SEQUENTIAL, [node("fp32")]), "sequential", "--exclusive", "--reverse", shapes=("70",))

    def test_what_an_order_is_not_of(self):
        path = self.file("one.order", order(SEQUENTIAL, [node("fp32")]))
        for words, says in ((("exp",), "an order sums arrays"), (("softmax",), "not of softmax"),
                            (("sum", "-f", "fp64"), "from fp32 to fp32"),
                            (("sum", "--accumulate", "fp64"), "leave out --accumulate"),
                            (("sum", "--shape", "20000"), "not for 20000")):
            with self.subTest(words=words):
                self.assertIn(says, self.refuse("sweep", *words, "--impl", "order:" + path, prints=True))

    def test_documents_that_are_none(self):
        good = json.loads(order(SEQUENTIAL, [node("fp32")]))
        for change, says in (({"schema": "detcheck/report/1"}, "detcheck/order/1"), ({"nodes": []}, "1 to 16 nodes"),
                             ({"rule": {"kind": "sideways"}}, "kind"), ({"least": 5, "most": 4}, "least is above most: 5 and 4")):
            path = self.file("bad.order", json.dumps({**good, **change}))
            with self.subTest(change=change):
                self.assertIn(says, self.refuse("sweep", "sum", "--impl", "order:" + path))
                good_path = self.file("good.order", json.dumps(good))
                self.assertIn(says, self.refuse("compare", good_path, path))
        self.assertIn("/no/such", self.refuse("sweep", "sum", "--impl", "order:/no/such"))

    def test_the_document_follows_its_schema(self):
        for rule in (SEQUENTIAL, HALVES, BLOCKED, det("zero")):
            self.hold_to_schema(json.loads(order(rule, [node("fp32", terms=4, aligned_bits=24)])), "order")

    def test_where_two_part(self):
        one = self.file("one.order", order(SEQUENTIAL, [node("fp32")]))
        same = self.file("same.order", order(SEQUENTIAL, [node("fp32")], replayed=7))
        lanes = self.file("lanes.order", order({"kind": "lanes", "size": 8, "outer": PAIRS}, [node("fp64")]))
        self.assertEqual(self.succeed("compare", one, same), "the same order\n")
        shown = self.succeed("compare", one, lanes, code=1)
        self.assertIn("additions: A fp32, nearest-even; B fp64, nearest-even\n", shown)
        self.assertIn("4 terms: A adds (x[0] + x[1]) and x[2]; B adds x[2] and x[3]\n", shown)
        document = json.loads(self.succeed("compare", one, lanes, "--json", "-", code=1))
        self.assertEqual(document["comparisons"][0]["orders"], shown.splitlines())

    def compare(self, mine, theirs, code):
        one, other = self.file("mine.order", mine), self.file("theirs.order", theirs)
        document = json.loads(self.succeed("compare", one, other, "--json", "-", code=code))["comparisons"][0]
        self.assertEqual(document["equal"], code == 0)
        shown = self.succeed("compare", one, other, code=code)
        self.assertEqual(document["orders"], [] if shown == "the same order\n" else shown.splitlines())
        return shown

    def of_tree(self, *additions, terms=4, nodes=None, rule=None):
        """An order that has one tree, and a rule where one is given."""
        document = json.loads(order(rule, nodes or [node("fp32"), node("bf16")]))
        if not rule:
            del document["rule"]
        return json.dumps({**document, "trees": [{"terms": terms, "additions": additions}]})

    def test_where_only_the_rounding_parts(self):
        """The first rounds 0 + 1 to bf16, the second 2 + 3: of 1, 2^-10, 4, 8 they make 13 and 13.000977."""
        left, right = ("0 + 1", "1: @0", "2 + 3", "@1 + @2"), ("0 + 1", "2 + 3", "1: @1", "@0 + @2")
        shown = self.compare(self.of_tree(*left), self.of_tree(*right), 1)
        self.assertIn("A rounds (x[0] + x[1]) by addition 1; B rounds (x[2] + x[3]) by addition 1\n", shown)
        self.assertEqual(self.compare(self.of_tree(*left), self.of_tree("2 + 3", "1 + 0", "1: @1", "@0 + @2"), 0),
                         "the same order\n")
        kahan = [node("fp32", kind="kahan")]
        shown = self.compare(self.of_tree("0 + 1 + 2 + 3", nodes=kahan), self.of_tree("3 + 2 + 1 + 0", nodes=kahan), 1)
        self.assertIn("4 terms: the same additions, but not the same rounding, zeros or sequence: A adds x[0] to x[3]",
                      shown)

    def test_how_far_lengths_are_looked_at(self):
        shorter = {"kind": "shorter", "size": 5000, "inner": SEQUENTIAL, "outer": PAIRS}
        plain, other = order(SEQUENTIAL, [node("fp32")]), order(shorter, [node("fp32")])
        self.assertEqual(self.compare(plain, other, 0), "no difference in the 312 lengths looked at, up to 4097\n")
        self.assertEqual(self.compare(other, other, 0), "the same order\n")
        for terms in (1000, 6000):
            pairs = ["0 + 1"] + [f"@{i - 2} + {i}" for i in range(2, terms)]
            swapped = ["1 + 2", "@0 + 0"] + pairs[2:]
            tree = [self.of_tree(*additions, terms=terms, nodes=[node("fp32")], rule=SEQUENTIAL)
                    for additions in (pairs, swapped)]
            self.assertEqual(self.compare(plain, tree[0], 0), "the same order\n")
            self.assertIn(f"{terms} terms: A adds x[0] and x[1]; B adds x[1] and x[2]\n",
                          self.compare(plain, tree[1], 1))


if __name__ == "__main__":
    unittest.main()
