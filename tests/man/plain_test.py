"""The manual pages are easy to read, as far as a program can tell: words that nobody says do not stand in them, paragraphs have at most
six lines and lines at most 80 columns, and a page has at most 400 lines, as mandoc prints it. Pages that do not keep this yet stand in
plain_pages.txt with what they have; no page may get worse, and a page that keeps it leaves the list.

    plain_test.py --renew     writes the list anew; it never lets a page have more than before

Environment: as for pages.py."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from pages import PAGES, page

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain_pages.txt")
MEASURES = ("lines", "paragraphs", "words", "wide")  # the columns of the list
ALLOWED = (400, 0, 0, 0)
MOST_LINES, MOST_COLUMNS = 6, 80  # of a paragraph, of a line

AVOIDED = re.compile(r"\b(?:heed(?:s|ed|ing)?|kin|aught)\b|\b(?:be|is|are|was|were|been) asked of\b")
HEAD = r"(?:^|(?<=[.?!:] ))"  # of a sentence, which begins a line of the source, mostly
FRONTED = re.compile(HEAD + r"Of (?!course\b)[^.?!\n]{0,40}", re.MULTILINE)
BARE = re.compile(HEAD + r"(?:What|Whatever|Where|Which|Those)\b[^.?!\n]*\.(?=\s|$)", re.MULTILINE)  # and no question


def printed(source):
    """What mandoc prints, without bold and underlined letters."""
    made = subprocess.run(["mandoc", "-T", "ascii", "-O", f"width={MOST_COLUMNS}"], input=source, stdout=subprocess.PIPE, text=True,
                          check=False).stdout
    return re.sub(".\b", "", made)


def prose(source):
    """The source without what is no prose: displays, tables, the synopsis, references."""
    source = re.sub(r"(?ms)^\.Bd -(?:literal|unfilled).*?^\.Ed$", ".Pp", source)
    source = re.sub(r"(?ms)^\.Bl -column.*?^\.El$", ".Pp", source)
    source = re.sub(r"(?m)^\.D[l1] .*$", ".Pp", source).replace(" -compact", "")
    return re.sub(r"(?ms)^\.Sh (?:SYNOPSIS|SEE ALSO)\n.*?(?=^\.Sh |\Z)", "", source)


MACRO = re.compile(r"[A-Z][a-z]|Ns|No")


def sentences(source):
    """The sentences of a page, each paragraph on a line of its own, without macros."""
    lines = []
    for line in prose(source).splitlines():
        words = line.split()
        if line.startswith('.\\"') or not words:
            continue
        if re.fullmatch(r"\.(?:It|Pp|Sh|Ss|[BE][dl]|D[dt]|Os|Nm|Nd)", words[0]):
            lines.append("\n" + " ".join(words[1:]) * (words[0] == ".Nd"))
        elif line.startswith("."):
            lines.append(" ".join(word for word in words[1:] if not MACRO.fullmatch(word)))
        else:
            lines.append(line)
    return re.sub(r" ([.,;:)])", r"\1", " ".join(lines)).replace("\n ", "\n")


def indent(line):
    return len(line) - len(line.lstrip())


def height(paragraph):
    """How many lines a paragraph has; the tag of a list counts only if text stands beside it."""
    depth, first = indent(paragraph[-1]), paragraph[0]
    beside = indent(first) < depth and len(first) > depth and first[depth - 2:depth] == "  "
    return sum(indent(line) == depth for line in paragraph) + beside


def long_paragraphs(source):
    blocks = (block.splitlines() for block in re.split(r"\n(?:\s*\n)+", printed(prose(source)).strip("\n")))
    return [block for block in blocks if height(block) > MOST_LINES]


def odd_phrases(text):
    return AVOIDED.findall(text) + FRONTED.findall(text) + BARE.findall(text)


def odd_words(source):
    return odd_phrases(sentences(source))


def wide_lines(source):
    """Those of tables that a script of man/tables writes are left out: they grow with what is measured."""
    source = re.sub(r'(?ms)^\.\\" \S.* writes from here$.*?^\.\\" to here$', ".Pp", source)
    return [line for line in printed(source).splitlines() if len(line) > MOST_COLUMNS]


def measured(source):
    """The four numbers of MEASURES."""
    return (len(printed(source).splitlines()), len(long_paragraphs(source)), len(odd_words(source)), len(wide_lines(source)))


def most(name):
    """What a page may have."""
    return tuple(map(max, listed().get(name, ALLOWED), ALLOWED))


def listed():
    """{page: its four numbers}."""
    with open(LIST, encoding="ascii") as stream:
        rows = [line.split() for line in stream if line.strip() and not line.startswith("#")]
    return {row[0]: tuple(map(int, row[1:])) for row in rows}


def renew():
    rows = {}
    for name in sorted(PAGES):
        now = measured(page(name))
        if any(one > other for one, other in zip(now, most(name))):
            sys.exit(f"{name} has {dict(zip(MEASURES, now))}; the list allows {dict(zip(MEASURES, most(name)))}")
        if any(one > other for one, other in zip(now, ALLOWED)):
            rows[name] = now
    with open(LIST, encoding="ascii") as stream:
        head = [line for line in stream if line.startswith("#")]
    with open(LIST, "w", encoding="ascii") as stream:
        stream.writelines(head + [f"{name:<32}{row[0]:>7}{row[1]:>12}{row[2]:>7}{row[3]:>6}\n" for name, row in rows.items()])


@unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
class Plain(unittest.TestCase):
    maxDiff = 4000

    def test_no_page_is_harder_to_read_than_the_list_says(self):
        self.assertGreater(len(PAGES), 40)
        for name in sorted(PAGES):
            with self.subTest(page=name):
                source = page(name)
                for measure, one, other in zip(MEASURES, measured(source), most(name)):
                    said = {"paragraphs": lambda: ["\n".join(block) for block in long_paragraphs(source)],
                            "words": lambda: odd_words(source), "wide": lambda: wide_lines(source)}.get(measure, list)
                    self.assertLessEqual(one, other, (measure, said() if one > other else None))

    def test_the_list_has_no_page_that_needs_no_row(self):
        for name, numbers in listed().items():
            with self.subTest(page=name):
                self.assertIn(name, PAGES)
                self.assertEqual(len(numbers), len(MEASURES))
                self.assertTrue(any(one > other for one, other in zip(measured(page(name)), ALLOWED)),
                                "the page keeps every limit: plain_test.py --renew takes it off the list")


@unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
class Measures(unittest.TestCase):
    """What is counted, on pages made for it."""

    def made(self, text):
        return f".Dd November 30, 2026\n.Dt MADE 7\n.Os\n.Sh NAME\n.Nm made\n.Nd a page\n.Sh DESCRIPTION\n{text}"

    def paragraph(self, lines):
        return "".join(f"{'word ' * 13}end{number}.\n" for number in range(lines))  # a line of the page each

    def test_a_paragraph_of_seven_lines_is_long(self):
        for before, behind in (("", ""), (".Bl -tag -width Ds\n.It Cm name\n", ".El\n"), (".Bl -tag -width Ds\n.It a\n", ".El\n"),
                               (".Bl -dash -compact\n.It\n", ".El\n"), (".Pp\n", ".Bd -literal\n$ command\n.Ed\n")):
            for lines, count in ((5, 0), (9, 1)):
                with self.subTest(before=before, lines=lines):
                    self.assertEqual(len(long_paragraphs(self.made(before + self.paragraph(lines) + behind))), count)
        shown = [line for line in printed(self.made(self.paragraph(6))).splitlines() if "word" in line]
        self.assertEqual((len(shown), len(long_paragraphs(self.made(self.paragraph(6))))), (6, 0))
        self.assertEqual(len(long_paragraphs(self.made(self.paragraph(7)))), 1)

    def test_displays_and_tables_are_no_paragraphs(self):
        rows = "one\n" * 20
        self.assertEqual(long_paragraphs(self.made(f".Bd -literal\n{rows}.Ed\n")), [])
        self.assertEqual(long_paragraphs(self.made('.Bl -column "one"\n' + ".It one Ta two\n" * 20 + ".El\n")), [])

    def test_words_are_found_where_they_are_words(self):
        for text, count in (("It heeds this.\n", 1), ("Heedless of kind, taught.\n", 0), ("Functions are asked of libm.\n", 1),
                            ("Of these, two fit.\n", 1), ("One fits. Of these, two do.\n", 1), ("Of course.\n", 0), ("Half of them.\n", 0),
                            (".Bd -literal\nOf these\n.Ed\n", 0), ("Its kin and aught else.\n", 2)):
            with self.subTest(text=text):
                self.assertEqual(len(odd_words(self.made(text))), count)

    def test_long_pages_and_wide_lines_are_counted(self):
        self.assertGreater(measured(self.made(".Pp\nWord.\n" * 300))[0], 400)
        wide = f".Bd -literal\n{'x' * 75}\n{'x' * 76}\n.Ed\n"
        self.assertEqual(measured(self.made(wide))[3], 1)
        self.assertEqual(measured(self.made(f'{wide}.\\" units.py writes from here\n{wide}.\\" to here\n'))[3], 1)


if __name__ == "__main__":
    if sys.argv[1:] == ["--renew"]:
        renew()
    else:
        unittest.main()
