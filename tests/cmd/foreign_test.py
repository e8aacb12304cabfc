"""What others wrote into a report or onto the command line never works on whoever reads our output: no terminal
escape, no line that a CI system obeys, no markup, no command. Names, inputs, parameters, notices are hostile here,
and each output is read by the parser of its kind: an HTML parser, an XML parser, JSON, bash."""

import copy
import ctypes
import ctypes.util
import html.parser
import json
import os
import re
import subprocess
import unicodedata
import unittest
import xml.etree.ElementTree as ElementTree

from gate_case import Gate

HOSTILE = [
    "det\n::stop-commands::x\n\x1b[2J",
    "::error::planted",
    " \u00a0 ::error::planted behind white space",
    "##vso[task.setvariable variable=a]b ##[set-env name=a]b",
    "a\x9b2Jb\u202edrow\u2066\u2028\ufeff",
    "' src=x onerror=alert(1) x='",
    "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "`touch pwned` | x [y](javascript:alert(1))",
    "$(touch pwned);touch pwned;#'\"\\",
    "x" * 79 + "\u221a" * 40,  # cut somewhere inside of a character
    "x" * 78 + "\U0001f600" * 40,
    "\ufffe\uffff\U0001fffe",
]


def file_of_libm():
    """Where the loader found the library of the C library's functions, or None."""
    name = ctypes.util.find_library("m")
    if not name or not os.path.exists("/proc/self/maps"):
        return None
    ctypes.CDLL(name)
    with open("/proc/self/maps", encoding="utf-8") as stream:
        paths = [line.split(None, 5)[5].rstrip() for line in stream if len(line.split(None, 5)) > 5]
    stem = name.split(".so")[0]
    return next((path for path in paths if re.match(stem + r"[.-]", os.path.basename(path))), None)


class Markup(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, attributes))


class Foreign(Gate):
    def check_text(self, text):
        """Nothing but lines of characters that have a glyph."""
        for line in text.split("\n"):
            for character in line:
                self.assertNotIn(unicodedata.category(character), ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp"), ascii(line))
            self.assertFalse(line.strip().startswith("::"), ascii(line))
            self.assertNotRegex(line, r"##\[|##vso\[")

    def reports(self):
        """The report of three functions, with one hostile name in each place that a report has for one."""
        for hostile in HOSTILE:
            def spoil(entry, one):
                one["name"] = hostile
                yield "name"
                entry["operation"] = hostile
                yield "operation"
                entry["parameters"] = {hostile: hostile, "to": hostile}
                yield "parameters"
                entry["inputs"]["description"] = hostile
                one["detail"] = hostile
                if "max_ulp" in one:
                    one["max_ulp"]["input"] = hostile
                yield "inputs"
            document = copy.deepcopy(self.document_)
            entry = document["results"][0]
            document["run"]["host"] = hostile
            document["platform"]["cpu"] = hostile
            document["tool"]["version"] = hostile
            for place in spoil(entry, entry["implementations"][0]):
                with self.subTest(hostile=ascii(hostile)[:60], place=place):
                    self.write("report.json", document)
                    yield hostile

    def gated(self, *words, **options):
        done = self.run_program("gate", "report.json", "--max-ulp", "0.1", *words, **options)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.check_text(done.stderr.decode())
        return done.stdout.decode() if done.returncode == 1 else None

    def test_gate_on_a_terminal(self):
        for _ in self.reports():
            text = self.gated()
            if text is not None:
                self.check_text(text)

    def test_annotations_and_markdown(self):
        summary = os.path.join(self.path, "summary.md")
        seen = 0
        for _ in self.reports():
            self.file("summary.md")
            text = self.gated(env={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary})
            if text is None:
                continue
            for line in text.split("\n"):
                if line.startswith("::"):
                    self.assertRegex(line, r"^::error title=[^:]*::")
                    self.check_text(line.lstrip(":"))
                    seen += 1
                else:
                    self.check_text(line)
            with open(summary, encoding="utf-8") as stream:
                for line in stream.read().split("\n"):
                    self.check_text(line)
                    outside = re.sub(r"(?<!\\)`[^`]*`", "", line)
                    self.assertNotRegex(outside, r"(?<!\\)[<\[`]")
                    if line.startswith("| ") and "case" not in line and line.count(" `detcheck") == 1:
                        self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 7, line)
        self.assertGreater(seen, 0)

    def test_junit_is_xml(self):
        for _ in self.reports():
            if self.gated("--junit", "junit.xml") is None:
                continue
            for element in ElementTree.parse(os.path.join(self.path, "junit.xml")).iter():
                self.assertIn(element.tag, ("testsuites", "testsuite", "testcase", "failure", "skipped"))
                self.assertLessEqual(set(element.attrib), {"name", "classname", "message", "type", "tests", "failures",
                                                           "errors", "skipped", "timestamp", "hostname"})

    def test_sarif_and_json_are_utf8_without_noncharacters(self):
        for _ in self.reports():
            if self.gated("--sarif", "gate.sarif", "--json", "gate.json") is None:
                continue
            for name in ("gate.sarif", "gate.json"):
                with open(os.path.join(self.path, name), "rb") as stream:
                    text = stream.read().decode("utf-8")
                json.loads(text)
                self.assertNotRegex(text, "[\ufffe\uffff\ufdd0-\ufdef\u202e\x1b]")

    def test_page_has_only_our_elements(self):
        for hostile in self.reports():
            done = self.run_program("report", "report.json", "-o", "page.html")
            if done.returncode:
                self.check_text(done.stderr.decode())
                continue
            with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
                text = stream.read()
            tags = Markup(text).tags
            self.assertEqual([tag for tag, _ in tags].count("script"), 2)  # page.js and envelope.js
            self.assertNotIn("img", [tag for tag, _ in tags])
            for _, attributes in tags:
                for name, _ in attributes:
                    self.assertFalse(name.startswith("on") or name in ("src", "style"), name)

    def test_page_allows_its_own_script_and_style_only(self):
        import base64
        import hashlib
        self.succeed("report", "report.json", "-o", "page.html")
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            text = stream.read()
        policy, = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        self.assertIn("default-src 'none'", policy)
        for tag, count in (("style", 1), ("script", 2)):
            parts = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.S)
            self.assertEqual(len(parts), count)
            digests = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts]
            self.assertIn(f"{tag}-src " + " ".join(f"'sha256-{digest}'" for digest in digests), policy)

    def test_fingerprints_are_checked(self):
        self.one("exp", "libm")["fingerprint"] = "x:<img a='"
        self.write("report.json", self.document_)
        for words in (("report", "report.json", "-o", "page.html"), ("gate", "report.json", "--max-ulp", "1")):
            self.assertIn("fingerprint", self.refuse(*words))
        self.assertFalse(os.path.exists(os.path.join(self.path, "page.html")))

    def test_the_line_to_see_it_gives_back_its_words(self):
        """Pasted into bash, the line calls detcheck, and nothing else, with the bytes of the report."""
        for hostile in self.reports():
            text = self.gated("--json", "-")
            if text is None:
                continue
            for check in json.loads(text)["checks"]:
                if "command" not in check:
                    continue
                script = "detcheck() { printf '%s\\0' \"$@\"; }\n" + check["command"]
                done = subprocess.run(["bash", "--norc", "-c", script], cwd=self.path, stdout=subprocess.PIPE, check=True)
                words = done.stdout.decode("utf-8", "surrogateescape").split("\0")
                self.assertIn(words[0], ("eval", "sweep"))
                if check["implementation"].startswith("det\\x0a") and "--impl" in words:
                    self.assertIn(HOSTILE[0], words)
                self.check_text(check["command"])
                self.assertNotRegex(check["command"], "[`|]")
        self.assertFalse(os.path.exists(os.path.join(self.path, "pwned")))

    def test_names_on_the_command_line(self):
        for hostile in HOSTILE:
            for words in (("sweep", "exp", "-f", "fp8_e4m3fn", "--impl", "lib:./" + hostile),
                          ("sweep", hostile), ("eval", "exp", hostile), ("gate", hostile),
                          ("sweep", "exp", "--inputs", hostile), ("compare", hostile, hostile),
                          ("verify", hostile), ("list", hostile), (hostile,)):
                if any("\0" in word for word in words):
                    continue
                done = self.run_program(*words)
                self.assertEqual(done.returncode, 2, words)
                self.check_text(done.stdout.decode())
                self.check_text(done.stderr.decode())

    def test_a_library_of_a_hostile_name(self):
        real = file_of_libm()
        if not real:
            self.skipTest("nothing tells where the C library's functions are")
        for number, hostile in enumerate(HOSTILE):
            name = f"{hostile.replace('/', '_')[:60]}{number}.so"
            os.symlink(real, os.path.join(self.path, name))
            done = self.run_program("sweep", "exp", "-f", "fp8_e4m3fn", "--impl", "libm", "--impl", "lib:./" + name)
            self.check_text(done.stdout.decode())
            self.check_text(done.stderr.decode())
            self.assertIn(done.returncode, (0, 2))


if __name__ == "__main__":
    unittest.main()
