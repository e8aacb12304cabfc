"""What documents and comments refer to is in the repository: files, headings of ARCHITECTURE.md, manual pages."""

import os
import re
import unittest

from sources import ROOT, files, read

DOCUMENTS = [path for path in files() if path.endswith(".md")]
CODE = [path for path in files()
        if path.endswith((".c", ".h", ".inc", ".py", ".cu", ".cl", ".cmake", ".txt", ".sollya"))
        and path.startswith(("src/", "cmd/", "tests/", "CMakeLists.txt"))]
# Where a path in a document or comment may start; comments name headers as #include does.
BASES = ("", "src/", "tests/", "man/", ".ci/")
# Files of other projects, which comments name as sources.
OTHERS = ("torchao/",)
PLACEHOLDER = re.compile("FAMILY|NAME")
ENDINGS = r"(?:c|h|inc|py|md|sollya|cu|cl|cmake|txt|in|yml|json)"


def exists(name, beside):
    """Whether the name leads to a file or a folder, from a base or from the folder of the file that names it."""
    places = [os.path.join(ROOT, base, name) for base in BASES]
    places.append(os.path.join(ROOT, os.path.dirname(beside), name))
    return any(os.path.exists(place) for place in places)


def headings(path):
    return set(re.findall(r"^#+ (.+)$", read(path), re.MULTILINE))


class References(unittest.TestCase):
    def test_links_of_documents_lead_somewhere(self):
        for path in DOCUMENTS:
            for target in re.findall(r"\]\(([^)\s]+)\)", read(path)):
                if target.startswith(("http:", "https:")):
                    continue
                with self.subTest(path=path, target=target):
                    name, _, anchor = target.partition("#")
                    where = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
                    self.assertTrue(os.path.exists(os.path.join(ROOT, where)))
                    if anchor:
                        anchors = {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings(where)}
                        self.assertIn(anchor, anchors)

    def test_files_that_documents_name_are_there(self):
        for path in DOCUMENTS:
            prose = re.sub(r"```.*?```", "", read(path), flags=re.DOTALL)
            for name in re.findall(r"`((?:src|tests|cmd|man|vectors|\.ci|\.github)/[\w./-]*)`", prose):
                if PLACEHOLDER.search(name):
                    continue
                with self.subTest(path=path, name=name):
                    self.assertTrue(any(os.path.exists(os.path.join(ROOT, name + end)) for end in ("", ".h", ".c")))

    def test_files_that_comments_name_are_there(self):
        pattern = re.compile(rf"(?<![\w./<$\"'{{}}-])((?:\w+/)+[\w.]+\.{ENDINGS})\b(?![\w/])")
        for path in CODE:
            for line in read(path).splitlines():
                comment = re.match(r"\s*(?:/\*|\*|//|#(?!\s*include))(.*)", line)
                for name in pattern.findall(comment.group(1)) if comment else ():
                    if name.startswith(OTHERS) or PLACEHOLDER.search(name):
                        continue
                    with self.subTest(path=path, name=name):
                        self.assertTrue(exists(name, path))

    def test_each_folder_of_tests_is_of_a_room_or_in_the_table_of_the_others(self):
        text = read("ARCHITECTURE.md").split("`tests/` mirrors")[1].split("\n## ")[0]
        others = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
        rooms = {"cmd", "man", *(path.split("/")[1] for path in files() if path.startswith("src/"))}
        folders = {path.split("/")[1] for path in files() if path.startswith("tests/") and path.count("/") > 1}
        self.assertEqual(folders - rooms, others)

    def test_no_test_climbs_out_of_the_repository(self):
        climbs = 0
        for path in files():
            if not path.startswith("tests/") or not path.endswith((".py", ".txt", ".cmake", ".c", ".h")):
                continue
            for steps in re.findall(r'(?:"\.\.",?\s*)+|(?:\.\./)+', read(path)):
                climbs += 1
                with self.subTest(path=path):
                    self.assertLessEqual(steps.count(".."), path.count("/"))
        self.assertGreater(climbs, 4)

    def test_headings_that_code_cites_are_in_the_architecture(self):
        known = headings("ARCHITECTURE.md")
        cited = 0
        for path in CODE:
            for heading in re.findall(r'ARCHITECTURE\.md, "([^"]+)"', re.sub(r"\n \* ", " ", read(path))):
                cited += 1
                with self.subTest(path=path):
                    self.assertIn(heading, known)
        self.assertGreater(cited, 4)

    def test_manual_pages_that_documents_name_are_there(self):
        pages = {os.path.basename(path).removesuffix(".in") for path in files() if path.startswith("man/")}
        for path in DOCUMENTS + CODE:
            for name, section in re.findall(r"\b(detcheck(?:-\w+)?|detmath)\((\d)\)", read(path)):
                with self.subTest(path=path):
                    self.assertIn(f"{name}.{section}", pages)


if __name__ == "__main__":
    unittest.main()
