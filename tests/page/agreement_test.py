"""The page of several reports says whether a case that several of them have gave the same bits, and claims nothing of the others."""

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
        self.assertEqual(ids[:3], ["agreement", "machines", "headline"])
        self.assertIn('<p id="machines">The machines differ. variant of libm: A fma, B no-fma.</p>', self.markup)
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


if __name__ == "__main__":
    unittest.main()
