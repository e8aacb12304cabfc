"""Every C source and header has the style that .clang-format describes."""

import os
import re
import shutil
import subprocess
import unittest

from sources import ROOT, files

VERSION = 14  # Other versions make other choices from the same description.


def why_not():
    """Why the style cannot be looked at here; None where it can."""
    if not shutil.which("clang-format"):
        return "clang-format is not installed"
    said = subprocess.run(["clang-format", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(r"version (\d+)", said)
    if not found or int(found.group(1)) != VERSION:
        return f"the style is that of clang-format {VERSION}, and this is {said.strip()}"
    return None


def changed_files():
    """The files that the last ten commits changed, or that differ from the last one; None where there is no git."""
    if not shutil.which("git"):
        return None
    for base in ("HEAD~10", "HEAD"):
        done = subprocess.run(["git", "-C", ROOT, "diff", "--name-only", base], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False)
        if done.returncode == 0:
            return set(done.stdout.splitlines())
    return None


@unittest.skipIf(why_not(), why_not())
class Style(unittest.TestCase):
    def setUp(self):
        self.sources = [path for path in files() if path.endswith((".c", ".h"))]
        self.assertGreater(len(self.sources), 300)

    def check(self, sources):
        done = subprocess.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *sources], cwd=ROOT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        wrong = sorted(set(re.findall(r"^([^\s:]+):\d+:\d+: error", done.stdout, re.MULTILINE)))
        self.assertEqual(wrong, [], "run: clang-format -i " + " ".join(wrong))
        self.assertEqual(done.returncode, 0, done.stdout[-2000:])

    def test_every_c_file_is_as_clang_format_has_it(self):
        self.check(self.sources)

    def test_changed_and_some_other_c_files_are_as_clang_format_has_them(self):
        self.check(sorted({*self.sources[::20], *(changed_files() or set()).intersection(self.sources)}))


class Text(unittest.TestCase):
    def test_every_text_file_ends_its_lines_as_editorconfig_says(self):
        for path in files():
            if path.endswith((".png", ".bin")) or path.startswith("tests/fuzz/corpus/"):
                continue
            with self.subTest(path=path):
                with open(os.path.join(ROOT, path), "rb") as stream:
                    content = stream.read()
                self.assertFalse(b"\r" in content, "carriage returns")
                self.assertFalse(re.search(rb"[ \t]\n", content), "blanks at the end of a line")
                self.assertTrue(content.endswith(b"\n") or not content, "no newline at the end")


if __name__ == "__main__":
    unittest.main()
