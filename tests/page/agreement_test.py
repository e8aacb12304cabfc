"""The page of several reports says whether a case that several of them have gave the same bits, and claims nothing of the others.
Comparisons and explanations add where and why the bits differ."""

import json
import re
import unittest

from page_case import PageCase

WORDS = ("-f", "fp16", "--impl")


class Agreement(PageCase):
    def sentence(self):
        found = re.search(r'<p id="agreement".*?>(.*?)</p>', self.markup)
        return found and re.sub("<[^>]*>", "", found[1])

    def column(self):
        """{function: text of the cell}."""
        body = self.markup.split('class="sort matrix"')[1].split("</table>")[0].split("<tbody>")[1]
        found = {}
        for row in body.split("<tr>")[1:]:
            name = re.sub("<[^>]*>", "", row.split("<td")[0]).strip()
            found[name] = re.sub(" +", " ", re.sub("<[^>]*>", "", row.split('data-name="agreement">')[1])).strip()
        return found

    def changed(self, path, document, operation, **members):
        """The report as another machine would write it: its libm gave `members` for the operation."""
        entry, = (one for one in document["results"] if one["operation"] == operation)
        one, = (one for one in entry["implementations"] if one["name"] == "libm")
        one.update(members)
        self.file(path, json.dumps(document))

    def another(self, operation):
        """The figures that hellas has, under libm's name: the same inputs with other bits."""
        given = self.sweep("both.json", operation, *WORDS, "libm,hellas")["results"][0]
        self.assertGreater(given["differences"][0]["count"], 0)
        return dict(given["implementations"][1], name="libm")

    def test_functions_of_one_report_each_are_not_compared(self):
        self.sweep("a.json", "exp", *WORDS, "libm,det")
        given, = self.sweep("b.json", "sin", *WORDS, "libm,hellas")["results"]
        self.assertGreater(given["differences"][0]["count"], 0)
        self.page("a.json", "b.json")
        self.assertEqual(self.column(), {"exp fp16": "-", "sin fp16": "-"})
        self.assertEqual(self.sentence(),
                         "A and B: no case in common that fingerprints can compare; 4 in one report only.")
        self.assertNotIn("same bits", self.markup.split("<section")[0])

    def test_other_bits_are_told_by_fingerprint(self):
        document = self.sweep("a.json", "exp", "sin", *WORDS, "libm,cr")
        other = self.another("exp")
        self.changed("b.json", document, "exp", **other)
        self.page("a.json", "b.json")
        self.assertEqual(self.sentence(), "A and B: other bits in 1 of 4 cases that both have: exp in fp16 by libm.")
        cells = self.column()
        self.assertRegex(cells["exp fp16"], r"^libm other bits, 0\.\d{6} &rarr; [1-9]\d*\.\d{6} cr same bits$")
        self.assertEqual(cells["sin fp16"], "same bits")
        self.page("a.json", "a.json", "b.json")
        self.assertEqual(self.sentence(),
                         "A, B and C: other bits in 1 of 4 cases that at least two of them have: exp in fp16 by libm.")

    def test_other_bits_are_the_headline_and_the_machines_facts_follow(self):
        document = self.sweep("a.json", "exp", *WORDS, "libm")
        document["platform"]["libm_variant"] = "fma"
        self.file("a.json", json.dumps(document))
        document["platform"]["libm_variant"] = "no-fma"
        self.changed("b.json", document, "exp", **self.another("exp"))
        self.page("a.json", "b.json")
        ids = re.findall(r'<p id="(\w+)"', self.markup)
        self.assertEqual(ids[:4], ["agreement", "machines", "where", "headline"])
        self.assertIn('<p id="machines">The runs differ in what may change bits. variant of libm: A fma, B no-fma.</p>', self.markup)
        self.page("a.json", "a.json")
        self.assertNotIn('id="machines"', self.markup)

    def test_equal_errors_do_not_hide_other_bits(self):
        document = self.sweep("a.json", "exp", *WORDS, "libm")
        error = document["results"][0]["implementations"][0]["max_ulp"]["error"]
        self.changed("b.json", document, "exp", fingerprint="xxh3-128:" + "0" * 32)
        self.page("a.json", "b.json")
        cut = f"{int(error * 1e6) / 1e6:.6f}"
        self.assertEqual(self.column(), {"exp fp16": f"libm other bits, {cut} &rarr; {cut}"})
        self.assertEqual(self.sentence(), "A and B: other bits in 1 of 1 case that both have: exp in fp16 by libm.")

    def test_same_bits_of_all(self):
        self.sweep("a.json", "exp", "sin", *WORDS, "libm,cr")
        self.sweep("b.json", "exp", *WORDS, "libm")
        self.page("a.json", "a.json")
        self.assertEqual(self.sentence(), "A and B: the same bits in 4 of 4 cases that both have.")
        self.page("a.json", "b.json")
        self.assertEqual(self.sentence(), "A and B: the same bits in 1 of 1 case that both have; 3 in one report only.")
        self.assertEqual(self.column(), {"exp fp16": "libm same bits", "sin fp16": "-"})
        self.page("a.json")
        self.assertIsNone(self.sentence())
        self.assertNotIn('data-name="agreement"', self.markup)

    def test_other_inputs_and_no_fingerprint_are_no_agreement(self):
        for seed in (1, 2):
            document = self.sweep(f"{seed}.json", "exp", "-f", "fp32", "-n", "1000", "--seed", seed, "--impl", "libm")
        self.page("1.json", "2.json")
        self.assertTrue(self.column()["exp fp32"].startswith("libm other inputs, "))
        self.assertIn("no case in common", self.sentence())
        self.changed("3.json", document, "exp", fingerprint=None)
        self.page("2.json", "3.json")
        self.assertTrue(self.column()["exp fp32"].startswith("libm no fingerprint, "))
        self.assertTrue(self.sentence().endswith("can compare; 1 without a fingerprint."))
        self.changed("4.json", document, "exp", fingerprint="xxh3-128:" + "0" * 32)
        for order in (("2.json", "3.json", "4.json"), ("3.json", "2.json", "4.json"), ("2.json", "4.json", "3.json")):
            self.page(*order)  # two that differ are enough
            self.assertTrue(self.column()["exp fp32"].startswith("libm other bits, "), order)


class Pairs(PageCase):
    """det beside cr in fp16, as documents of compare and explain, and beside reports of either."""

    made = {}

    def make(self, name, *words):
        """The document that a command writes; the command runs once."""
        if words not in self.made:
            self.run_program(*words, "--json", name)
            self.made[words] = self.read(name)
        self.file(name, self.made[words])
        return json.loads(self.made[words])

    def setUp(self):
        super().setUp()
        self.compared = self.make("c.json", "compare", "exp", "sqrt", "-f", "fp16", "--impl", "cr,det")
        self.explained = self.make("e.json", "explain", "exp", "-f", "fp16", "--impl", "cr,det")
        both = self.sweep("both.json", "exp", "-f", "fp16", "--impl", "cr,det")["results"][0]
        self.differ, self.tested = both["differences"][0]["count"], both["inputs"]["count"]
        self.assertGreater(self.differ, 1)

    def verdicts(self):
        return [re.sub("<[^>]*>", "", one) for one in re.findall('<p class="pair.*?</p>', self.markup)]

    def counts(self):
        return f"Of {self.tested:,} inputs, {self.differ} have other bits."

    def cause(self):
        found = self.explained["results"][0]["implementations"][0]["explanation"]
        says = [one["says"] for one in found["explanations"] if one.get("cause") == 1]
        return says[0] if says else None

    def test_a_comparison_alone_has_counts_the_first_inputs_and_the_next_command(self):
        page = self.page("c.json")
        self.assertEqual(self.verdicts(), [f"exp in fp16 differs between A and B. {self.counts()}", "1 other comparison found no difference."])
        exp, sqrt = self.compared["comparisons"]
        self.assertEqual((exp["differ"], sqrt["differ"]), (self.differ, 0))
        self.assertEqual(len(exp["first"]), min(self.differ, 10))
        for one in exp["first"]:
            value = self.run_program("eval", "exp", *one["in"], "-f", "fp16", "--impl", "cr,det").stdout.decode()
            row, = (cells for cells in page.rows if len(cells) == 3 and cells[0].startswith(one["in"][0]))
            for code, cell in zip((one["a"][0], one["b"][0]), row[1:]):
                self.assertTrue(cell.startswith(code + " "), row)
                self.assertIn(code, value)  # which computes again
        self.assertIn(f"A: {exp['a']}. B: {exp['b']}.", page.text)
        self.assertIn(exp["next"], page.text)
        self.assertNotIn('id="summary"', self.markup)
        binades = sum(int(one) for one in re.findall(r"2\^-?\d+: (\d+) of", page.text))
        self.assertEqual(binades, self.differ)

    def test_an_explanation_is_of_the_pair_and_no_report(self):
        self.sweep("b.json", "exp", "-f", "fp16", "--impl", "det")
        self.sweep("a.json", "exp", "-f", "fp16", "--impl", "cr")
        page = self.page("a.json", "b.json", "e.json")
        self.assertTrue(self.cause())
        first, = self.verdicts()
        self.assertTrue(first.startswith(f"exp in fp16 differs between A and B: {self.cause()}"), first)
        self.assertTrue(first.endswith(f". {self.counts()}"), first)
        self.assertNotIn("<th scope=\"col\">C", self.markup)
        self.assertEqual(re.findall('<p (?:id|class)="(\\w+)', self.markup)[:2], ["pair", "agreement"])
        self.assertEqual([row[1:] for row in page.rows if row[:1] == ["file"]], [["a.json", "b.json"]])
        self.page("e.json", "b.json", "a.json")  # A is det now
        turned, = self.verdicts()
        self.assertTrue(turned.startswith("exp in fp16 differs between B and A: " + self.cause().translate({65: "B", 66: "A"})), turned)

    def test_a_comparison_and_its_explanation_are_one_pair(self):
        self.page("c.json", "e.json")
        first, rest = self.verdicts()
        self.assertTrue(first.startswith(f"exp in fp16 differs between A and B: {self.cause()}"), first)
        self.assertEqual(self.markup.count("<section"), 2)
        self.page("e.json")
        self.assertEqual(self.verdicts()[0], first)

    def test_cases_of_other_parameters_are_two_pairs(self):
        """A comparison of casts to fp16 is none of the casts to fp8 that an explanation is of."""
        words = ("cast", "-f", "fp32", "--impl", "det", "--impl", "via:bf16", "-n", 4000)
        for to, pairs in (("fp16", 2), ("fp8_e4m3fn", 1)):
            self.run_program("compare", *words, "--to", to, "--json", "c.json")
            self.run_program("explain", *words, "--to", "fp8_e4m3fn", "--json", "e.json")
            self.page("c.json", "e.json")
            found = re.findall(r'<p class="pair[^/]*</p>', self.markup)
            self.assertEqual(len(found), pairs)
            self.assertIn(f"cast in fp32, --to {to} --profile ieee differs between ", found[0])

    def test_sides_that_no_report_has_go_by_their_own_names(self):
        self.sweep("a.json", "exp", "-f", "fp16", "--impl", "hellas")
        self.page("a.json", "e.json")
        self.assertTrue(self.verdicts()[0].startswith("exp in fp16 differs between cr and det: "), self.verdicts())
        self.assertNotIn(" A ", self.verdicts()[0])

    def test_machines_name_sides_whose_outputs_are_of_other_inputs(self):
        document = self.sweep("a.json", "exp", "-f", "fp16", "-n", "100", "--impl", "libm")
        for name, variant in (("a.json", "fma"), ("b.json", "no-fma")):
            document["platform"]["libm_variant"], document["run"]["host"] = variant, "here"
            self.file(name, json.dumps(document))
        one = self.compared["comparisons"][0]
        one.update(a_host="here", b_host="here", a_variant="no-fma", b_variant="fma")
        self.file("c.json", json.dumps(self.compared))
        self.page("a.json", "b.json", "c.json")
        self.assertIn("exp in fp16 differs between B and A. ", self.verdicts()[0])
        one.update(a_host="there")
        self.file("c.json", json.dumps(self.compared))
        self.page("a.json", "b.json", "c.json")
        self.assertIn("exp in fp16 differs between cr and det. ", self.verdicts()[0])

    def test_two_reports_say_where_the_inputs_are_found(self):
        self.sweep("a.json", "exp", "-f", "fp16", "--impl", "cr")
        document = self.sweep("a b.json", "exp", "-f", "fp16", "--impl", "det")
        document["results"][0]["implementations"][0]["name"] = "cr"
        self.file("a b.json", json.dumps(document))
        page = self.page("a.json", "a b.json")
        self.assertIn("detcheck compare a.json 'a b.json'", page.text)
        self.page("a.json", "a b.json", "c.json")
        self.assertNotIn('id="where"', self.markup)
        self.sweep("b.json", "exp", "-f", "fp16", "--impl", "det")  # cr and det are no case of both
        self.assertIn("To compare implementations of two names", self.page("a.json", "b.json").text)
        self.run_program("compare", "a.json", "b.json", "--json", "both.json")
        self.page("a.json", "b.json", "both.json")
        self.assertEqual(self.verdicts(), [f"exp in fp16 differs between cr and det. {self.counts()}"])

    def test_what_is_no_comparison_of_results_is_refused(self):
        one = self.compared["comparisons"][0]
        for change, says in (({"differ": one["tested"] + 1}, "comparisons[0].differ is more than were compared"),
                             ({"equal": True}, "comparisons[0].equal is true of outputs that differ"),
                             ({"a": 1}, "comparisons[0].a should be a string"),
                             ({"first": [{}]}, "comparisons[0].first[0].in is missing"),
                             ({"tensor_a": {}}, "is of orders or tensors; a page shows results of operations")):
            changed = dict(self.compared, comparisons=[{**one, **change}])
            self.file("bad.json", json.dumps(changed))
            self.assertIn(says, self.refuse("report", "bad.json"))
        self.file("bad.json", json.dumps(dict(self.compared, comparisons=[])))
        self.assertIn("nothing was compared", self.refuse("report", "bad.json"))
        self.assertIn("--policy is for reports", self.refuse("report", "c.json", "--policy", "p.json"))


if __name__ == "__main__":
    unittest.main()
