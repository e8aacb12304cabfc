"""Orders of additions as a page: words, a legend and pictures whose rows and titles have the terms of the trees."""

import html
import json
import os
import re
import unittest
import xml.etree.ElementTree

from page_case import Page
from harness import Case

LIBRARY = os.environ["ORDERED_LIBRARY"]
NUMBER = r"-?\d+(?:\.\d+)?"


class Pictures(Case):
    def page(self, *files, code=0):
        done = self.run_program("report", *files, "-o", "orders.html")
        self.assertEqual(done.returncode, code, done.stderr)
        with open(os.path.join(self.path, "orders.html"), encoding="utf-8") as file:
            return file.read()

    def order(self, name, lengths, operation="sum"):
        done = self.run_program("reveal", operation, "--impl", f"lib:{LIBRARY}:{name}", "--lengths", lengths, "--arrays", 60,
                                "-o", name + ".order", "--json", name + ".json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return name + ".order"

    def pictures(self, text):
        Page(text)  # tags nest
        return [xml.etree.ElementTree.fromstring(one)
                for one in re.findall(r'<svg viewBox="0 0 760 .*?</svg>', text, re.S)]

    def rows(self, picture):
        """The terms that the titles of the rows name, and the titles of the additions."""
        rows = [row.find("title").text for row in picture.findall("g")]
        additions = [dot.find("title").text for dot in picture.findall("circle")]
        return rows, additions

    def check_inside(self, picture):
        width, height = map(float, picture.get("viewBox").split()[2:])
        for path in picture.iter("path"):
            for command, first, second in re.findall(rf"([MHVh])({NUMBER})(?: ({NUMBER}))?", path.get("d")):
                x, y = (first, second) if command == "M" else (first, "0") if command in "Hh" else ("0", first)
                self.assertLessEqual(float(x), width)
                self.assertLessEqual(float(y), height)

    def test_each_term_of_a_small_tree_has_a_row(self):
        picture, = self.pictures(self.page(self.order("sum_random", 16)))
        rows, additions = self.rows(picture)
        self.assertEqual(sorted(rows), sorted(f"1 term: {term}" for term in range(16)))
        self.assertEqual(len(additions), 15)
        self.check_inside(picture)

    def test_what_is_added_alike_is_drawn_once(self):
        picture, = self.pictures(self.page(self.order("sum_lanes_8", "8:64")))
        rows, additions = self.rows(picture)
        self.assertEqual([row.split(":")[0] for row in rows], ["8 terms", "8 terms", "16 terms", "32 terms"])
        named = [int(term) for row in rows for term in row.split(":")[1].split(",")]
        self.assertEqual(sorted(named), list(range(64)))
        self.assertEqual([one.startswith("one after the other") for one in additions], [True, False, False, False])
        self.check_inside(picture)

    def test_blocks_of_another_format_have_a_colour(self):
        text = self.page(self.order("sum_two_levels", 320))
        picture, = self.pictures(text)
        rows, additions = self.rows(picture)
        self.assertEqual(len(rows), 2)
        self.assertEqual([row.split(":")[0] for row in rows], ["32 terms", "288 terms"])
        self.assertEqual({dot.get("class") for dot in picture.findall("circle")}, {"mark c0", "mark c1"})
        self.assertIn("fp64, nearest-even", text)
        self.assertTrue(any(one.endswith("fp64, nearest-even") for one in additions), additions)

    def test_long_orders_have_few_rows(self):
        for name, terms in (("sum_sequential", 2000), ("sum_halves", 512), ("sum_lanes_16_in_turn", 999), ("sum_kahan", 300)):
            with self.subTest(name=name):
                picture, = self.pictures(self.page(self.order(name, terms)))
                self.check_inside(picture)
                rows, _ = self.rows(picture)
                self.assertLess(len(rows), 40)
                self.assertEqual(sum(int(row.split(" ")[0]) for row in rows), terms)

    def test_what_reveal_reports_is_a_page_too(self):
        self.order("sum_reverse", 12)
        text = self.page("sum_reverse.json")
        picture, = self.pictures(text)
        self.assertEqual(len(self.rows(picture)[0]), 12)
        self.assertIn('<p class="good"><strong>The order is revealed.</strong></p>', text)
        self.assertIn("from the right", text)

    def test_the_verdict_is_a_headline_and_what_is_not_known_is_not_there(self):
        document = json.loads(self.read(self.order("sum_reverse", "2:5").replace(".order", ".json")))
        self.assertNotIn("known", document["results"][0])
        text = self.page("sum_reverse.json")
        self.assertIn('<p class="good"><strong>All 4 lengths are revealed.</strong></p>', text)
        self.assertNotIn("?", re.sub(r"<style>.*?</style>", "", text, flags=re.S).split("<main>")[1])
        document["results"][0]["revealed"] = 3
        document["results"][0]["lengths"][2]["state"] = "not revealed"
        self.assertIn('<p class="bad"><strong>3 of 4 lengths are revealed.</strong></p>', self.page(self.file("part.json", json.dumps(document))))

    def test_a_tree_that_is_too_deep_is_not_drawn(self):
        tree = [[0, 0, 1]] + [[i % 2, -i, i + 1] for i in range(1, 20000)]
        document = {"schema": "detcheck/reveal/1", "results": [{
            "operation": "sum", "format": "fp32", "implementation": {"name": "x"}, "revealed": 1,
            "additions": ["fp32", "fp64"], "lengths": [{"terms": 20001, "state": "revealed", "tree": tree}]}]}
        with open(os.path.join(self.path, "deep.json"), "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
        text = self.page("deep.json")
        self.assertEqual(self.pictures(text), [])
        self.assertIn("Too irregular", text)

    def test_a_page_needs_no_script_and_loads_nothing(self):
        page = self.page(self.order("sum_split_4", 30))
        self.assertNotIn("<script", page)
        self.assertEqual([one for one in Page(page).loads if not one.startswith("data:")], [])

    def test_names_of_others_are_no_markup(self):
        path = os.path.join(self.path, self.order("sum_split_4", 30))
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        for name in ("name", "source", "operation"):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**document, name: "<b>&amp;</b>"}, file)
            text = self.page("sum_split_4.order")
            self.assertIn(html.escape("<b>&amp;</b>"), text)
            self.assertNotIn("<b>", text)

    def test_a_report_through_a_pipe_is_read_whole(self):
        report = self.run_program("sweep", "exp", "--range", "1:2", "-n", 40, "--json", "-").stdout
        self.assertGreater(len(report), 4096)
        done = self.run_program("report", "/dev/stdin", "-o", "pipe.html", input=report)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_orders_are_read_from_pipes_and_from_stdin(self):
        name = self.order("sum_split_4", 30)
        wanted = self.page(name)
        with open(os.path.join(self.path, name), "rb") as file:
            order = file.read()
        for path in ("-", "/dev/stdin"):
            done = self.run_program("report", path, "-o", "piped.html", input=order)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(self.path, "piped.html"), encoding="utf-8") as file:
                self.assertEqual(file.read(), wanted)
        done = self.run_program("report", name, "-", "-o", "two.html", input=order)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.path, "two.html"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("<section>"), 2)

    def test_an_empty_order_is_named_as_one(self):
        open(os.path.join(self.path, "empty.order"), "w", encoding="utf-8").close()
        done = self.run_program("sweep", "sum", "-n", 2, "--impl", "order:empty.order")
        self.assertEqual((done.returncode, done.stderr.decode()), (2, "detcheck: empty.order is empty; it should be an order\n"))

    def test_what_is_no_order_is_one_line(self):
        self.order("sum_split_4", 30)
        with open(os.path.join(self.path, "bad.json"), "w", encoding="utf-8") as file:
            file.write('{"schema": "detcheck/reveal/1", "results": [{"operation": "sum", "additions": ["fp32"], "lengths": '
                       '[{"terms": 3, "state": "revealed", "tree": [[0, 0, 9]]}]}]}')
        for files in (["sum_split_4.order", "none.order"], ["bad.json"], ["sum_split_4.order", "--policy", "x"]):
            done = self.run_program("report", *files, "-o", "bad.html")
            self.assertEqual((done.returncode, done.stderr.decode().count("\n")), (2, 1), done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.path, "bad.html")))


if __name__ == "__main__":
    unittest.main()
