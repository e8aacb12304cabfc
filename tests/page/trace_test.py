"""Two traces as a page: a dot and a section for each operation that parted, with what the document says of it."""

import os
import re
import shlex
import shutil
import unittest

import trace_files
from trace_files import numpy
from harness import Case, parse
from chromium import Chromium
from page_case import Page


class TracePage(Case):
    def write(self, name, parted):
        run, x = trace_files.Run(), numpy.arange(6, dtype="f4").reshape(2, 3)
        for number in range(40):
            y = numpy.sqrt(x + number)
            if number in parted:
                y = numpy.nextafter(y, numpy.float32(9))
            run.add("aten.<b>mm" if number == 7 else "sqrt", [x + number], [y], path=f"layers.{number}", source="model.py:3")
            run.add("neg", [y], [-y], path=f"layers.{number}.neg")
        return run.write(os.path.join(self.path, name))

    def page(self, *words):
        self.succeed("trace", "compare", "here", "there", "--page", "page.html", "--json", "c.json", code=1)
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            return stream.read()

    def test_operations_that_parted_have_a_dot_and_a_section_each(self):
        self.write("here", ())
        self.write("there", (7, 20))
        text = self.page()
        page = Page(text)
        self.assertEqual(page.loads, ["data:,"])
        self.assertEqual({link for link in page.links if link.startswith("#o")}, {"#o0", "#o1"})
        self.assertEqual([one for one in page.ids if re.match(r"o\d", one)], ["o0", "o1"])
        dots = re.findall(r'<circle class="mark c(\d)" cx="([\d.]+)" cy="([\d.]+)" r="(\d)"><title>', text)
        self.assertEqual(sorted(dot[0] for dot in dots), ["1", "1", "7", "7"])  # two parted, and two followed
        self.assert_holds(page.text, "First to part:", "detcheck trace show here 14", "detcheck trace show here 40", "aten.<b>mm")
        self.assertNotIn("aten.<b>", text)
        with open(os.path.join(self.path, "c.json"), encoding="utf-8") as stream:
            document = parse(stream.read())
        for row in (one for one in document["operations"] if one["verdict"] == "parted"):
            for one in row["ulps"]:
                self.assertRegex(text, rf'>{one["ulps"]} ulp{"s" * (one["ulps"] != "1")}</text><rect [^>]*/><text [^>]*>{one["count"]}</text>')

    def test_the_command_shows_the_distances_again(self):
        self.write("here", ())
        self.write("there", (7,))
        command, = re.findall(r"<code>(detcheck compare [^<]*)</code>", self.page())
        text = self.succeed(*shlex.split(command)[1:], code=1)
        self.assertIn("output.0", text)

    def test_of_many_operations_the_first_have_sections_and_the_page_says_of_how_many(self):
        """All have dots, and those that did not part no figures of what did."""
        for name in ("here", "there"):
            run, x = trace_files.Run(), numpy.arange(6, dtype="f4")
            for number in range(460):
                run.add("sqrt", [x + number], [x + number + (name == "there" and number % 2)], path=f"layers.{number}")
            run.add("neg", [x], [-x])
            run.write(os.path.join(self.path, name))
        text = self.page()
        page = Page(text)
        self.assertEqual(len([one for one in page.ids if re.match(r"o\d", one)]), 200)
        self.assertIn("These are the first 200 of 230 that parted", page.text)
        self.assertGreater(text.count('<circle class="mark c1" cx='), 225)  # and one in the legend; some share a column
        self.assertRegex(text, r"<td>neg<td[^>]*>1<td[^>]*>0<td[^>]*>0<td[^>]*>-<td[^>]*>-<td[^>]*>-")

    def test_the_lines_reach_as_far_as_the_run(self):
        self.write("here", ())
        self.write("there", (7,))
        self.assertEqual(re.findall(r">(1 ulp|2\^\d+)</text>", self.page())[:3], ["1 ulp", "2^10", "1 ulp"])

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_a_dot_leads_to_its_operation(self):
        self.write("here", ())
        self.write("there", (7, 20))
        self.page()
        with Chromium() as browser:
            browser.open(os.path.join(self.path, "page.html"))
            spot = browser.run("(() => {const box = document.querySelector('a[href=\"#o1\"] circle').getBoundingClientRect();"
                               "return [box.x + box.width / 2, box.y + box.height / 2]})()")
            for kind in ("mousePressed", "mouseReleased"):
                browser.call("Input.dispatchMouseEvent", type=kind, x=spot[0], y=spot[1], button="left", clickCount=1)
            self.assertEqual(browser.run("location.hash"), "#o1")
            self.assertIn("layers.20", browser.run("document.querySelector('#o1 h3').textContent"))
            self.assertTrue(browser.run("document.querySelector('#o1').getBoundingClientRect().top < innerHeight"))
            self.assertEqual(browser.complaints, [])

    def test_the_document_makes_the_same_page(self):
        self.write("here", ())
        self.write("there", (3,))
        text = self.page()
        self.succeed("report", "c.json", "-o", "again.html")
        with open(os.path.join(self.path, "again.html"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), text)
        self.assertIn("of one comparison", self.refuse("report", "c.json", "c.json", "-o", "x.html"))


if __name__ == "__main__":
    unittest.main()
