"""The pages of explanations, comparisons, invariance, orders and traces in Chromium: nothing is cut off at three widths, text has
contrast, keys reach every link, and axe, where it is found, complains of nothing."""

import os
import shutil
import unittest

from browser_case import BrowserCase, axe
from chromium import Chromium
import trace_files
from trace_files import numpy


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class Others(BrowserCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium(1280, 900)
        cls.addClassCleanup(cls.browser.__exit__)

    def open(self, *words):
        """Opens the page of what a command writes with --json."""
        self.run_program(*words, "--json", "document.json")
        self.succeed("report", "document.json", "-o", "page.html")
        self.shown()

    def shown(self, scheme="light"):
        self.browser.complaints.clear()
        self.browser.open(os.path.join(self.path, "page.html"), scheme)

    # The links and summaries that the tabulator has to reach, each marked by a number, and which of them shows that it has the focus.
    MARK = """(() => { const all = [...document.querySelectorAll("a[href], summary, button, input")].filter((one) =>
            one.checkVisibility() && (one.tagName !== "SUMMARY" || one.parentElement.tagName === "DETAILS"));
        all.forEach((one, at) => one.dataset.at = at); return all.length; })()"""
    AT = """[document.activeElement.dataset.at ?? "", getComputedStyle(document.activeElement).outlineStyle !== "none",
        document.activeElement.getBoundingClientRect().width > 0]"""

    def check(self, texts, links, verdict=None):
        """All that holds for each page: it has more than so many texts, and at least so many links; a class colours the verdict."""
        for scheme in ("light", "dark"):
            self.shown(scheme)
            self.assertEqual(self.browser.complaints, [])
            if verdict:
                colour, text = self.browser.run(f"[document.querySelector('main > .{verdict}, main > section > .{verdict}'), "
                                                "document.body].map((one) => getComputedStyle(one).color)")
                self.assertNotEqual(colour, text)
            count, *poor = self.browser.run(self.CONTRAST)
            self.assertGreater(count, texts)
            self.assertEqual(poor, [])
        for width in (1280, 800, 390):
            self.wide(width)
            found = self.browser.run(self.TOO_WIDE)
            self.assertEqual((max(found[0], 0), found[1:]), (0, []), width)
        self.check_keys(links)
        script = axe()
        if script is None:
            self.skipTest("axe-core is not found: AXE names its script, or the Python package axe-core-python has it")
        for width in (1280, 390):
            self.wide(width)
            self.assertEqual(self.violations(script), [], width)

    def check_keys(self, links):
        self.shown()
        wanted = {str(at) for at in range(self.browser.run(self.MARK))}
        self.assertGreaterEqual(len(wanted), links)
        reached = set()
        for _ in range(3 * len(wanted) + 10):
            self.browser.press("Tab")
            at, outlined, visible = self.browser.run(self.AT)
            if at:
                self.assertTrue(outlined and visible, at)
            reached.add(at)
            if reached >= wanted:
                return
        self.assertEqual(wanted - reached, set())

    def test_explanations(self):
        self.open("explain", "exp", "-f", "fp16", "--impl", "det", "--impl", "cr")
        self.check(10, 1, "bad")

    def test_comparisons(self):
        self.open("compare", "exp", "sqrt", "-f", "fp16", "--impl", "det", "--impl", "cr")
        self.check(10, 0, "bad")

    def test_invariance(self):
        self.open("invariance", "exp", "-f", "fp16", "--impl", "det", "-n", 100)
        self.check(10, 1, "good")

    def test_orders(self):
        self.open("reveal", "sum", "--impl", "pairwise", "--lengths", "12")
        self.check(10, 0, "good")

    def test_traces(self):
        for name, parted in (("here", ()), ("there", (3, 20))):
            run, x = trace_files.Run(), numpy.arange(6, dtype="f4")
            for number in range(30):
                y = numpy.sqrt(x + number)
                run.add("sqrt", [x + number], [numpy.nextafter(y, numpy.float32(9)) if number in parted else y], path=f"layers.{number}",
                        source="model.py:3")
                run.add("neg", [y], [-y], path=f"layers.{number}.a_name_of_a_layer_that_is_as_long_as_they_are_in_models")
            run.write(os.path.join(self.path, name))
        self.succeed("trace", "compare", "here", "there", "--page", "page.html", code=1)
        self.check(30, 2)


if __name__ == "__main__":
    unittest.main()
