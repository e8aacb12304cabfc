"""The site: every page of the manual is there, every link leads somewhere, and what is not whole is not there.

Environment: DETCHECK; MANUAL, the folder of the built pages.
"""

import glob
import html.parser
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MANUAL = os.environ["DETCHECK"], os.environ["MANUAL"]
MAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "site", "make.py")


class Page(html.parser.HTMLParser):
    """The links of a page, the places that links can lead to, and its headings."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places, self.headings, self.language, self.viewport = [], [], [], None, False
        with open(path, encoding="utf-8") as stream:
            self.feed(stream.read())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.places += [given["id"]] if "id" in given else []
        self.headings += [int(tag[1])] if tag in ("h1", "h2", "h3", "h4") else []
        self.language = given.get("lang") if tag == "html" else self.language
        self.viewport |= given.get("name") == "viewport"


@unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parent = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        cls.addClassCleanup(cls.parent.cleanup)
        cls.folder = os.path.join(cls.parent.name, "site")
        subprocess.run([sys.executable, MAKE, PROGRAM, MANUAL, cls.folder], check=True)
        cls.pages = {os.path.basename(path): Page(path) for path in glob.glob(os.path.join(cls.folder, "*.html"))}

    def test_every_page_of_the_manual_is_in_the_index(self):
        names = {os.path.basename(path) + ".html" for path in glob.glob(os.path.join(MANUAL, "*.[137]"))}
        self.assertGreater(len(names), 40)
        self.assertLessEqual(names, set(self.pages))
        self.assertLessEqual(names, set(self.pages["index.html"].links))

    def test_every_link_leads_somewhere(self):
        count = 0
        for name, page in self.pages.items():
            for link in page.links:
                if link.startswith(("https://", "data:")) or name == "sample.html" and not link:
                    continue
                with self.subTest(page=name, link=link):
                    target, _, place = link.partition("#")
                    self.assertTrue(os.path.isfile(os.path.join(self.folder, target or name)))
                    if place and name != "sample.html":
                        self.assertIn(place, self.pages[target or name].places)
                    count += 1
        self.assertGreater(count, 1000)

    def test_no_page_of_detcheck_is_said_to_be_of_others(self):
        for name, page in self.pages.items():
            others = [link for link in page.links if "manpages.debian.org" in link and "/detcheck" in link]
            self.assertEqual(others, [], name)

    def test_pages_say_their_language_and_have_one_first_heading(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertEqual(page.language, "en")
                self.assertTrue(page.viewport)
                self.assertEqual(page.headings.count(1), 1)

    def test_places_of_a_page_have_one_name_each(self):
        for name, page in self.pages.items():
            if name != "sample.html":
                self.assertEqual(len(page.places), len(set(page.places)), name)

    def test_a_folder_without_pages_leaves_nothing(self):
        empty = os.path.join(self.parent.name, "empty")
        os.makedirs(empty)
        done = subprocess.run([sys.executable, MAKE, PROGRAM, empty, os.path.join(self.parent.name, "none")], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no manual pages", done.stderr)
        self.assertEqual(sorted(os.listdir(self.parent.name)), ["empty", "site"])


if __name__ == "__main__":
    unittest.main()
