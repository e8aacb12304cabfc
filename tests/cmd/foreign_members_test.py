"""Every string of every document that the program reads, replaced by text that is markup, escapes, lines and commands:
no output obeys it. The places come from the schemas and from real documents, of which each kind is read by each command that
prints what is in it.

Environment: CASES, the number of places that are tried in each test, spread over all its documents (6, and of those that are printed
most one of each name); 0 is all of them, and all hostile words of a plan and of fingerprints. Each test says how many of how many."""

import copy
import json
import os
import re
import shlex
import sys
import unittest

from foreign_test import Foreign, Markup
from gate_case import Gate
from recount_test import has_xxhash, xxh3

HOSTILE = ('detcheck x; <meta http-equiv="refresh" content="0;url=//x"><img src=x onerror=y>\x1b[2J\x9b\u202e\n'
           "passed: 0 of 1 checks failed\n::error::planted\n##vso[x]`touch pwned`|$(touch pwned)'\"")
CASES = int(os.environ.get("CASES", "6"))
OFTEN_PRINTED = ("for", "command", "property", "hypothesis")
SCHEMAS = os.path.join(os.path.dirname(__file__), "..", "..", "vectors")


def strings(node, path=(), place=()):
    """The path of each string, with its place: the path without numbers."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield from strings(value, (*path, name), (*place, name))
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from strings(value, (*path, at), (*place, "[]"))
    elif isinstance(node, str):
        yield path, place


def spoiled(document, path, text=HOSTILE):
    changed = copy.deepcopy(document)
    node = changed
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = text
    return changed


def names_of_strings(schema):
    """Names of members that a schema allows a string in."""
    found = set()
    def walk(node):
        if isinstance(node, dict):
            for name, value in node.get("properties", {}).items() if isinstance(node.get("properties"), dict) else ():
                if '"string"' in json.dumps(value):
                    found.add(name)
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)
    walk(schema)
    return found


class Members(Gate):
    check_text = Foreign.check_text

    def documents(self):
        """A report of each kind, small, with as much in it as there can be."""
        promise = self.file("promise.json", json.dumps({"schema": "detcheck/policy/1", "rules": [
            {"promise": {"ulp": 0.1}, "section": "4", "max_ulp": 0.1}]}))
        few = ("-f", "fp16", "--range", "1:1.0078125")
        for words in (("sweep", "exp", *few, "--impl", "libm,det", "--flags", "--errno", "--policy", promise),
                      ("sweep", "cast", "-f", "fp8_e5m2", "--to", "fp8_e4m3fn", "--impl", "det"),
                      ("sweep", "sum", "--shape", "5", "-n", "2", "--impl", "det"),
                      ("sweep", "sigmoid", *few, "--impl", "libm,det"),
                      ("search", "exp", "-f", "fp64", "--evaluations", "2000", "--impl", "libm"),
                      ("invariance", "exp", *few, "--impl", "libm", "--property", "repetition,flags"),
                      ("explain", "exp", *few, "--impl", "libm", "--impl", "det")):
            done = self.run_program(*words, "--json", "-")
            self.assertIn(done.returncode, (0, 1), (words, done.stderr))
            yield json.loads(done.stdout)

    def draw(self, documents):
        """Pairs of a document and the path of a place in it, the later elements of lists left out."""
        pairs = []
        for document in documents:
            found = {}
            for path, place in strings(document):
                if place[0] != "schema":
                    found.setdefault(place, path)
            pairs += [(document, path) for path in sorted(found.values(), key=str)]
        step = max(1, len(pairs) // CASES) if CASES else 1
        tried = set(range(len(pairs) % step, len(pairs), step))
        often = {}
        for at, (_, path) in enumerate(pairs):
            if path[-1] in OFTEN_PRINTED:
                often.setdefault(path[-1], at)
        drawn = [pairs[at] for at in sorted(tried | set(often.values()))]
        self.tell(len(drawn), len(pairs), "places of strings")
        return drawn

    def tell(self, tried, there, what):
        print(f"{self.id().rsplit('.', 1)[-1]}: {tried} of {there} {what}", file=sys.stderr)

    def check_done(self, done, code=(0, 1, 2)):
        self.assertIn(done.returncode, code, done.stderr)
        self.check_text(done.stdout.decode())
        self.check_text(done.stderr.decode())
        self.assertNotIn("passed: 0 of 1 checks failed", done.stdout.decode().split("\n"))

    def read(self, name):
        path = os.path.join(self.path, name)
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        os.remove(path)
        return text

    def check_gate(self, name):
        self.check_done(self.run_program("gate", name, "-b", "old.json", "-p", "limits.json", "--partial", "--junit", "j.xml",
                                         "--sarif", "s.json", "--markdown", "m.md", "--json", "g.json", env={"GITHUB_ACTIONS": ""}))
        junit, sarif, markdown = self.read("j.xml"), self.read("s.json"), self.read("m.md")
        for text in filter(None, (junit, sarif, markdown)):
            self.assertNotRegex(text, "[\x1b\x9b\u202e]")
        self.assertNotRegex(re.sub(r"(?<!\\)`[^`]*`", "", markdown or ""), r"(?<!\\)<")
        self.assertNotRegex(junit or "", "<meta|<img")
        for check in json.loads(self.read("g.json") or '{"checks": []}')["checks"]:
            if "command" in check:
                self.assertEqual(shlex.split(check["command"])[0], "detcheck")
                self.assertNotRegex(check["command"], "^detcheck x;|[`|]")

    def check_page(self, name):
        self.check_done(self.run_program("report", name, "-o", "page.html"))
        page = self.read("page.html")
        if page:
            tags = Markup(page).tags
            self.assertEqual([dict(kept).get("http-equiv") for tag, kept in tags if tag == "meta" and dict(kept).get("http-equiv")],
                             ["Content-Security-Policy"])
            self.assertNotIn("img", [tag for tag, _ in tags])
            self.assertNotRegex(page, "[\x1b\x9b\u202e]")

    def test_every_string_of_every_report(self):
        named = set()
        self.write("limits.json", {"schema": "detcheck/policy/1", "rules": [
            {"max_ulp": 0, "max_changed": 0, "max_differences": 0, "explanation": {"*": 0}, "invariance": {"*": 0}}]})
        documents = list(self.documents())
        for document in documents:
            named |= {place[-1] for _, place in strings(document)}
        for document, path in self.draw(documents):
            with self.subTest(path=path):
                self.write("old.json", document)
                self.write("new.json", spoiled(document, path))
                self.check_gate("new.json")
                self.check_page("new.json")
                for words in (("compare", "new.json", "old.json"), ("merge", "new.json", "old.json", "-o", "merged.json")):
                    self.check_done(self.run_program(*words))
        with open(os.path.join(SCHEMAS, "report.schema.json"), encoding="utf-8") as stream:
            missing = names_of_strings(json.load(stream)) - named
        # Members of shards, of events and of samples, and those that none of these reports has a string in.
        self.assertLess(len(missing), 40, missing)

    def test_every_string_of_shards(self):
        """Of a sweep and of a search, the members that shards alone have and those that a merge prints."""
        firsts, seconds = [], []
        for words in (("sweep", "exp", "-f", "fp16", "--range", "1:2", "--impl", "det"), ("search", "acosh", "--evaluations", "1000")):
            firsts.append(self.document(*words, "--shard", "1/2"))
            seconds.append(self.document(*words, "--shard", "2/2"))
        for second, path in self.draw(seconds):
            with self.subTest(path=path):
                self.write("old.json", next(first for first, other in zip(firsts, seconds) if other is second))
                self.write("new.json", spoiled(second, path))
                self.check_page("new.json")
                for merge in (("old.json", "new.json"), ("--partial", "new.json"), ("new.json", "new.json")):
                    self.check_done(self.run_program("merge", *merge, "-o", "merged.json"))
                self.check_gate("new.json")

    def test_every_line_of_a_file_of_fingerprints(self):
        self.succeed("sweep", "exp", "-f", "fp8_e5m2", "--impl", "libm", "--fingerprints", "old")
        lines = self.read("old").splitlines()
        self.file("old", "\n".join(lines) + "\n")
        printed = 0
        step = max(1, len(lines) // CASES) if CASES else 1
        drawn = [(at, line) for at, line in enumerate(lines)
                 if at % step == len(lines) % step or line.split(" ")[0] in ("build", "implementation")]
        self.tell(len(drawn), len(lines), "lines of fingerprints")
        for at, line in drawn:
            for hostile in (HOSTILE.split("\n", maxsplit=1)[0], HOSTILE)[:1 if CASES else 2]:
                changed = [*lines[:at], f"{line.split(' ')[0]} {hostile}", *lines[at + 1:]]
                with self.subTest(line=line):
                    self.file("new", "\n".join(changed) + "\n")
                    for pair in (("old", "new"), ("new", "old"), ("new", "new")):
                        done = self.run_program("compare", *pair)
                        self.check_done(done)
                        printed += b"<meta" in done.stdout + done.stderr
        self.assertGreater(printed, 4)

    @unittest.skipUnless(has_xxhash(), "no libxxhash.so: apt-get install libxxhash-dev")
    def test_the_texts_of_a_checkpoint(self):
        """With a hash that fits, as whoever sends one makes it: else nothing of it would be read."""
        words = ("sweep", "exp", "-f", "fp32", "--oracle", "mpfr", "--impl", "libm", "--checkpoint", "kept")
        process = self.start(*words, "--threads", "1", "--checkpoint-every", "0")
        self.wait_until(lambda: self.has("kept"), process)
        self.assertEqual(self.stop(process)[0], 130)
        with open(os.path.join(self.path, "kept"), "rb") as stream:
            kept = stream.read()
        texts = [found.span() for found in re.finditer(rb"[ -~]{12,}", kept)][:8]
        self.assertTrue(texts)
        said = b""
        for first, end in texts:
            text = HOSTILE.encode()[-(end - first):].ljust(end - first, b"\x1b")
            changed = kept[:first] + text + kept[end:-16]
            self.file("kept", changed + xxh3(changed))
            done = self.run_program(*words)
            self.assertNotIn(b"its hash is wrong", done.stderr)
            self.check_done(done, (2,))
            said += done.stderr
        self.assertIn(b"pwned", said)  # the text was read, and shown as foreign text

    def test_the_words_of_a_plan(self):
        for whom in ("slurm", "kubernetes", "make", "github"):
            for option in ("--name", "--image", "--gate"):
                for hostile in (HOSTILE, HOSTILE.split("\n", maxsplit=1)[0], "::error::x", "a\n::error::x")[:1 if CASES else 4]:
                    with self.subTest(whom=whom, option=option):
                        done = self.run_program("plan", "exp", "-f", "fp16", "--for", whom, "--shards", 2, option, hostile)
                        done.stdout = done.stdout.replace(b"\n\t", b"\n")  # with which lines of make begin
                        self.check_done(done)

    def test_every_string_of_a_policy_and_of_vectors(self):
        self.write("report.json", self.document_)
        policy = {"schema": "detcheck/policy/1", "notes": "n", "rules": [
            {"operation": "exp", "format": "fp16", "rounding": "*", "implementation": "libm", "inputs": "*", "reason": "r", "section": "s",
             "parameters": {"to": "x"}, "max_ulp": 0}, {"max_ulp": 0, "explanation": {"a": "any"}, "fingerprint_change": "fail"}],
                  "exceptions": [{"operation": "exp", "reason": "known"}]}
        paths = [path for path, _ in strings(policy)]
        step = max(1, len(paths) // CASES) if CASES else 1
        drawn = paths[len(paths) % step::step]
        self.tell(len(drawn), len(paths), "strings of a policy")
        for path in drawn:
            with self.subTest(path=path):
                self.write("policy.json", spoiled(policy, path))
                done = self.run_program("gate", "report.json", "--policy", "policy.json", "--partial")
                self.assertNotIn(b"has no option", done.stderr)
                self.check_done(done)
                self.check_done(self.run_program("sweep", "exp", "-f", "fp8_e4m3fn", "--impl", "libm", "--policy", "policy.json"))
        vectors = json.loads(self.succeed("emit", "exp", "-f", "fp8_e4m3fn"))
        for _, path in self.draw([vectors]):
            with self.subTest(path=path):
                self.write("vectors.json", spoiled(vectors, path))
                self.check_done(self.run_program("verify", "vectors.json", "--impl", "libm"))



del Foreign  # its tests are run where they stand

if __name__ == "__main__":
    unittest.main()
