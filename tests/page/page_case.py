"""What the tests of the page share: reports, the page of them, and its markup taken apart."""

import copy
import html.parser
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cmd"))
from harness import Case  # noqa: E402

VOID = {"meta", "link", "br", "input"}
IMPLIED = {"td", "th", "tr", "thead", "tbody", "html", "body"}  # whose end tags HTML lets us leave out


class Page(html.parser.HTMLParser):
    """Collects ids, links, cells and text, and checks that tags nest."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.stack, self.rows = [], [], [], [], []
        self.words = []
        self.feed(text)
        self.close()
        assert not self.stack, self.stack

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if tag == "a" else []
        self.loads += [values[name] for name in ("src", "href", "srcset", "data") if name in values
                       and tag != "a"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if tag not in VOID | IMPLIED:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.stack.pop()

    def handle_endtag(self, tag):
        if tag not in IMPLIED:
            assert self.stack and self.stack[-1] == tag, (tag, self.stack)
            self.stack.pop()

    def handle_data(self, data):
        if self.stack[-1:] in (["style"], ["script"]):
            return
        self.words.append(data)
        if "table" in self.stack and "caption" not in self.stack and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip("\n")

    @property
    def text(self):
        return " ".join(self.words)


class PageCase(Case):
    sweeps = {}

    def sweep(self, name, *words, **options):
        if words not in self.sweeps:
            self.sweeps[words] = self.document("sweep", *words, **options)
        document = copy.deepcopy(self.sweeps[words])
        self.file(name, json.dumps(document))
        return document

    def page(self, *words):
        self.succeed("report", *words, "-o", "page.html")
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            self.markup = stream.read()
        return Page(self.markup)
