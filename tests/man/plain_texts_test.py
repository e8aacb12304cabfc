"""README and its neighbours, docstrings of Python, help texts and messages have no words that nobody says, and no sentence whose subject is
a bare What, Where, Which or Those (plain_test.py has the patterns).

Environment: as for pages.py."""

import ast
import glob
import os
import re
import unittest

from pages import run
from plain_test import odd_phrases

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", os.path.join("src", "detmath", "README.md"))
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:(?:\s|\\\n)*"(?:[^"\\\n]|\\.)*")*')


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        return stream.read()


def sources(pattern):
    return sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))


def paragraphs(text):
    """A document's text without its examples: each paragraph, each item of a list and each cell of a table on a line of its own."""
    text = re.sub(r"(?ms)^ *```.*?^ *```$", "", text)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:- |\d+\. |\|))", text)
    lines = (re.sub(r"^(?:[-#]+|\d+\.)\s+", "", " ".join(block.split())) for block in blocks)
    return "\n".join(cell.strip() for line in lines for cell in line.split(" | ")).replace("**", "")


def docstrings(text):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, kinds):
            yield ast.get_docstring(node) or ""


def literals(text):
    """The strings of a C source that are words, adjacent ones as one, with a capital letter as a sentence has."""
    for found in LITERAL.finditer(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)):
        one = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found[0])).replace("\\n", " ")
        if one.count(" ") > 2:
            yield one[:1].upper() + one[1:]


class Texts(unittest.TestCase):
    maxDiff = 4000

    def hold(self, name, text):
        with self.subTest(text=name):
            self.assertEqual(odd_phrases(text), [])

    def test_documents(self):
        for name in DOCUMENTS:
            self.assertGreater(len(paragraphs(read(name))), 2000)
            self.hold(name, paragraphs(read(name)))

    def test_docstrings(self):
        names = sources("src/python/**/*.py")
        self.assertGreater(len(names), 20)
        for name in names:
            self.hold(name, "\n".join(docstrings(read(name))))

    def test_help(self):
        commands = re.findall(r"^  ([a-z]+)  ", run("--help"), re.MULTILINE)
        self.assertGreater(len(commands), 15)
        for command in commands:
            for words in ((command, "--help"), (command, "--help", "all")):
                self.hold(" ".join(words), re.sub(r"(?m)^ +(?:-\S+ \S*)? *", "", run(*words)))

    def test_messages(self):
        names = sources("src/**/*.c") + sources("cmd/**/*.c")
        self.assertGreater(len(names), 300)
        for name in names:
            self.hold(name, "\n".join(literals(read(name))))


class Parts(unittest.TestCase):
    """What is read of a file, on files made for it."""

    def test_documents(self):
        made = "# Head\n\nOne\nline.\n- an *item*\n- Of two\n\n| a | Of three |\n\n```sh\nOf four\n```\n1. **Of** five\n"
        self.assertEqual(len(odd_phrases(paragraphs(made))), 3)

    def test_docstrings(self):
        made = 'def one():\n    """Of a thing."""\n    return "Of none"\n'
        self.assertEqual(list(docstrings(made)), ["", "Of a thing."])

    def test_messages(self):
        made = 'fail("of two reports "\n     "one \\"fits\\""); /* "of all that is" */ fail("of it");'
        self.assertEqual(list(literals(made)), ['Of two reports one \\"fits\\"'])


if __name__ == "__main__":
    unittest.main()
