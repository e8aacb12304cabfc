"""The page that detcheck report makes: what it says, that it needs nothing else, and, where Chromium is
installed, that it opens there without a complaint, sorts, and can be worked by keys."""

import copy
import html.parser
import json
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cmd"))
from chromium import Chromium  # noqa: E402
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
        if "table" in self.stack and self.rows and self.rows[-1]:
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


class Pages(PageCase):
    def test_the_page_of_a_report_has_its_figures(self):
        document = self.sweep("a.json", "exp", "sqrt", "--format", "fp16", "--impl", "libm,det,cr")
        page = self.page("a.json")
        for entry in document["results"]:
            for one in entry["implementations"]:
                cut = f"{int(one['max_ulp']['error'] * 1e6) / 1e6:.6f}"
                row = [entry["operation"], "fp16", "nearest-even", one["name"]]
                found = [cells for cells in page.rows if cells[:4] == row]
                self.assertEqual(len(found), 1, row)
                self.assertIn(cut, found[0])
                self.assertIn(f"{one['incorrectly_rounded']:,}", found[0])
                self.assertIn(one["fingerprint"][9:17], found[0])
                for worst in one["worst"][:5]:
                    self.assertTrue(any(cells[0].strip() == one["name"] and len(cells) == 5
                                        and cells[2].startswith(worst["input"]) for cells in page.rows))
        self.assertIn(document["platform"]["libc"], page.text)
        self.assertNotIn("incomplete", page.text)
        wrong = {(entry["operation"], one["name"]) for entry in document["results"]
                 for one in entry["implementations"] if one["incorrectly_rounded"]}
        self.assertIn(("exp", "libm"), wrong)
        self.assertNotIn(("exp", "cr"), wrong)
        exp = self.markup.split("<section")[1]
        self.assertEqual(re.findall(r">not correctly rounded: (\w+)", exp),
                         [name for operation, name in sorted(wrong, reverse=True) if operation == "exp"])
        self.assertIn("<p>Nowhere not correctly rounded: cr.</p>", exp)

    def statements(self):
        """The sentences at the top, as text, by name."""
        listed = self.markup.split('<ul id="statements">')[1].split("</ul>")[0]
        texts = [re.sub("<[^>]*>", "", line) for line in listed.split("<li>")[1:]]
        return {text.split(" ")[0].rstrip(":"): text.split(": ", 1)[1].strip() for text in texts}

    def test_a_sentence_says_what_holds_of_each_implementation(self):
        report = self.sweep("a.json", "exp", "--format", "fp16", "--impl", "det,cr")
        det, cr = report["results"][0]["implementations"]
        self.page("a.json")
        found = self.statements()
        self.assertEqual(set(found), {"det", "cr"})
        self.assertTrue(found["det"].startswith(
            f"{det['incorrectly_rounded']} of 65,536 outputs are not correctly rounded; the largest error is "), found)
        self.assertTrue(found["det"].endswith("; all are faithful."), found)
        self.assertEqual(cr["incorrectly_rounded"], 0)
        self.assertTrue(found["cr"].startswith("every tested output is correctly rounded; "), found)
        report = self.sweep("b.json", "exp", "sin", "log", "--format", "fp16", "--impl", "det,cr")
        self.page("b.json")
        wrong = sum(one["incorrectly_rounded"] > 0 for row in report["results"] for one in row["implementations"]
                    if one["name"] == "det")
        self.assertTrue(self.statements()["det"].startswith(f"{3 - wrong} of 3 results are correctly rounded throughout"))
        report["results"][0]["implementations"][0].update(fingerprint="xxh3-128:" + "0" * 32, detail="another build")
        with open(self.file("c.json", json.dumps(report)), encoding="utf-8"):
            self.page("b.json", "c.json")
        listed = self.markup.split('<ul id="statements">')[1].split("</ul>")[0]
        for line in ('det</b> in A <small>detcheck', 'det</b> in B <small>another build</small>', 'det</b> in A B <small>'):
            self.assertIn(line, listed)

    def test_what_is_not_provided_is_folded_away(self):
        document = self.sweep("a.json", "exp", "gelu_tanh", "--format", "fp8_e5m2", "--impl", "libm,cr")
        missing = [[entry["operation"], "fp8_e5m2", "nearest-even", one["name"], one["reason"]]
                   for entry in document["results"] for one in entry["implementations"] if not one["provided"]]
        self.assertEqual([(row[0], row[3]) for row in missing], [("gelu_tanh", "libm")])
        page = self.page("a.json")
        self.assertEqual([row for row in page.rows if len(row) == 5 and row[:4] in [one[:4] for one in missing]],
                         missing)
        before, folded = self.markup.split('<details id="not-provided">')
        self.assertNotIn(missing[0][4], before)
        self.assertTrue(folded.startswith("<summary>Not provided: 1</summary>"))
        self.sweep("b.json", "exp", "--format", "fp8_e5m2", "--impl", "libm,cr")
        self.page("b.json")
        self.assertNotIn('id="not-provided"', self.markup)

    def test_it_is_alone(self):
        self.sweep("a.json", "exp", "--format", "fp8_e5m2")
        page = self.page("a.json")
        self.assertEqual(page.loads, ["data:,"])
        self.assertEqual(re.findall(r"(?:https?:)?//\w", self.markup.replace("// H", "").replace("// s", "")), [])
        self.assertNotIn("@import", self.markup)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for link in page.links:
            self.assertIn(link[1:], page.ids)

    def test_text_of_others_is_no_markup(self):
        document = self.sweep("a.json", "exp", "--format", "fp8_e5m2")
        document["platform"]["cpu"] = "<script>alert(1)</script>"
        document["results"][0]["implementations"][0]["name"] = "exec:\"><b>&amp;"
        document["results"][0]["inputs"]["description"] = "</section>"
        self.file("b.json", json.dumps(document))
        page = self.page("b.json")
        self.assertIn("<script>alert(1)</script>", page.text)
        self.assertIn("exec:\"><b>&amp;", page.text)
        self.assertEqual(self.markup.count("<script>"), 1)

    def test_several_reports_share_equal_lines(self):
        document = self.sweep("a.json", "exp", "--format", "fp16", "--impl", "libm,det")
        changed = document["results"][0]["implementations"][0]
        changed["fingerprint"] = "xxh3-128:" + 32 * "0"
        changed["max_ulp"]["error"] = 0.75
        self.file("b.json", json.dumps(document))
        self.sweep("c.json", "exp", "--format", "fp16", "--impl", "libm,det")
        page = self.page("a.json", "b.json", "c.json")
        rows = {(row[3], row[4]): row for row in page.rows if row[:3] == ["exp", "fp16", "nearest-even"]}
        self.assertEqual(set(rows), {("libm", "A C"), ("libm", "B"), ("det", "A B C")})
        self.assertIn("0.750000", rows["libm", "B"])

    def test_the_page_has_the_verdict_of_a_policy(self):
        self.sweep("a.json", "exp", "--format", "fp16", "--impl", "libm,cr")
        self.file("policy.json", json.dumps({"schema": "detcheck/policy/1",
                                             "rules": [{"implementation": "libm", "max_ulp": 0.1}]}))
        page = self.page("a.json", "--policy", "policy.json")
        self.assertIn("failed", page.text)
        self.assertIn("detcheck eval exp 0x", page.text)
        rows = {row[3]: row for row in page.rows if row[:3] == ["exp", "fp16", "nearest-even"]}
        self.assertIn("failed", rows["libm"])
        self.assertIn("no limit", rows["cr"])

    def test_promises_stand_beside_what_was_found(self):
        policy = {"schema": "detcheck/policy/1", "rules": [
            {"operation": "sin", "promise": {"ulp": "0.5"}, "accept": ["zero_sign"]}]}
        report = self.sweep("a.json", "sin", "--format", "fp16", "--impl", "det,cr", "--policy",
                            self.file("policy.json", json.dumps(policy)), code=1)
        page = self.page("a.json")
        for one in report["results"][0]["implementations"]:
            promise = one["promise"]
            [cells] = [row for row in page.rows if len(row) > 8 and row[0].strip() == one["name"] and "rule 1" in row[1]]
            self.assertIn('"0.5"', cells[2])
            self.assertIn("zero_sign", cells[2])
            self.assertEqual([cells[3], cells[6]], [f"{promise['kept']:,}", f"{promise['violations']:,}"])
            if promise["worst"]:
                self.assertIn(promise["worst"]["input"], cells[8])
                self.assertIn(promise["worst"]["got"], cells[11])
            else:
                self.assertEqual(cells[8], "none")

    def test_incomplete_is_said(self):
        document = self.sweep("a.json", "exp", "--format", "fp8_e5m2")
        document["complete"] = False
        self.file("b.json", json.dumps(document))
        self.assertIn("b.json is incomplete", " ".join(self.page("b.json").text.split()))

    def test_what_is_no_report_is_refused(self):
        self.assertIn("wants a report", self.refuse("report"))
        self.file("a.json", "{}")
        self.assertIn("schema is missing", self.refuse("report", "a.json"))
        self.sweep("a.json", "exp", "--format", "fp8_e5m2")
        self.refuse("report", "a.json", "-o", "/dev/full")
        self.refuse("report", *["a.json"] * 27)
        self.assertFalse(os.path.exists(os.path.join(self.path, "report.html")))

    def test_three_reports_of_all_functions_stay_small(self):
        names = []
        for seed in (1, 2, 3):  # of every binade
            names.append(f"{seed}.json")
            self.sweep(names[-1], "unary", "-n", 3000, "--seed", seed, "--impl", "libm,det,cr", notes=True)
        self.page(*names)
        self.assertGreater(len(self.markup), 400_000)
        self.assertLess(len(self.markup), 5 * 2 ** 20)


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class Browser(PageCase):
    """As Chromium shows it, on real sweeps of every fp16 by all functions of one operand."""

    SUMMARY = "document.querySelector('#summary ~ div table')"
    FOCUS = "(document.activeElement.id || document.activeElement.className || document.activeElement.textContent)"

    made = None

    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium(600, 800)
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        super().setUp()
        if not Browser.made:
            self.sweep("a.json", "unary", "--format", "fp16", "--impl", "libm,cr", notes=True)
            self.page("a.json")
            Browser.made = self.markup
        self.browser.complaints.clear()
        self.seconds = self.browser.open(self.file("page.html", Browser.made))

    def column(self, name):
        """The cells of a column of the summary, from top to bottom."""
        return self.browser.run(f"""(() => {{
            const t = {self.SUMMARY}, h = [...t.tHead.rows[0].cells];
            const at = h.findIndex((one) => one.textContent.startsWith({name!r}));
            return [...t.tBodies[0].rows].map((row) => row.cells[at]?.textContent.trim() ?? '');
        }})()""")

    def numbers(self, name):
        return [float(word) for word in self.column(name) if re.fullmatch(r"[\d.]+", word)]

    def test_it_opens_and_complains_of_nothing(self):
        self.assertEqual(self.browser.complaints, [])
        self.assertLess(self.seconds, 60)  # one on a machine with nothing else to do
        self.assertIn("Show only rows that contain", self.browser.run("document.body.textContent"))
        with self.assertRaises(RuntimeError):
            self.browser.run("nonsense()")
        self.browser.run("console.error('seen'), 1")
        self.assertTrue(self.browser.complaints, "the test would see a complaint")

    def test_a_pointer_sorts(self):
        button = f"[...{self.SUMMARY}.querySelectorAll('th button')].find((x) => x.textContent.startsWith('largest'))"
        self.browser.run(f"{button}.click(), {button}.click()")
        numbers = self.numbers("largest")
        self.assertGreater(len(numbers), 60)
        self.assertEqual(numbers, sorted(numbers, reverse=True))

    def focus(self):
        return self.browser.run(self.FOCUS).strip()

    def tab(self, until, most=40):
        """Presses the tabulator until that has the focus, and returns what had it on the way."""
        passed = []
        for _ in range(most):
            self.browser.press("Tab")
            passed.append(self.focus())
            if passed[-1] == until:
                return passed
        self.fail(f"no {until} among {passed}")
        return passed

    def test_keys_reach_and_work_everything(self):
        passed = self.tab("largest error, ulp")
        self.assertEqual(passed[0], "skip")
        self.assertEqual(passed[1:], ["w", "filter", "w", "operation", "format", "rounding",
                                      "implementation", "inputs", "largest error, ulp"])
        self.assertNotEqual(self.browser.run("getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.browser.press("Enter")
        numbers = self.numbers("largest")
        self.assertEqual(numbers, sorted(numbers))
        self.browser.press(" ", "Space")
        self.assertEqual(self.numbers("largest"), sorted(numbers, reverse=True))
        self.assertEqual(self.focus(), "largest error, ulp")
        self.assertEqual(self.browser.run("document.activeElement.parentNode.getAttribute('aria-sort')"),
                         "descending")

    def test_arrow_keys_scroll_a_wide_table(self):
        self.tab("filter")
        self.browser.press("Tab")
        self.assertEqual(self.focus(), "w")
        self.assertTrue(self.browser.run("document.activeElement.getAttribute('aria-label')"))
        for _ in range(5):
            self.browser.press("ArrowRight")
        scrolled = self.browser.run("new Promise((done) => setTimeout(() => "
                                    "done(document.activeElement.scrollLeft), 500))")
        self.assertGreater(scrolled, 0)
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 600)

    def test_the_filter_leaves_what_is_asked_for(self):
        self.tab("filter")
        for letter in "tanh cr":
            self.browser.press(letter, text=letter)
        shown = self.browser.run(f"[...{self.SUMMARY}.tBodies[0].rows].filter((row) => !row.hidden)"
                                 ".map((row) => row.cells[0].textContent + ' ' + row.cells[3].textContent)")
        self.assertEqual(shown, ["tanh cr", "atanh cr", "gelu_tanh cr"])
        folded = self.browser.run("[...document.querySelectorAll('#not-provided tbody tr')].map((row) => row.hidden)")
        self.assertTrue(folded and all(folded), folded)

    def test_the_skip_link_leads_past_the_summary(self):
        self.tab("skip")
        self.browser.press("Enter")
        self.assertEqual(self.browser.run("location.hash"), "#functions")

    def test_colours_are_those_of_the_scheme_but_on_paper(self):
        def light(colour):
            return sum(map(int, re.findall(r"\d+", colour)[:3])) > 3 * 128
        shown = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        for scheme, media, expected in (("light", "screen", (False, True)), ("dark", "screen", (True, False)),
                                        ("light", "print", (False, True)), ("dark", "print", (False, True))):
            self.browser.call("Emulation.setEmulatedMedia", media=media,
                              features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.assertEqual(tuple(map(light, self.browser.run(shown))), expected, (scheme, media))


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class Envelope(PageCase):
    """The plot of the signed error, driven by pointers, fingers and keys."""

    PLOT = "document.querySelector('.envelope').envelope"

    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium(1100, 900)
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        super().setUp()
        self.report = self.sweep("a.json", "sin", "--format", "fp16", "--impl", "libm,det")
        self.page("a.json")
        self.browser.complaints.clear()
        self.browser.open(self.file("page.html", self.markup))
        self.browser.run("document.querySelector('.envelope').scrollIntoView(), document.querySelector('.zoomed').focus()")

    def value(self, member):
        return self.browser.run(f"{self.PLOT}.{member}")

    def middle(self):
        return self.browser.run("(() => { const r = document.querySelector('.zoomed').getBoundingClientRect();"
                                " return [r.left + r.width / 2, r.top + r.height / 2]; })()")

    def mouse(self, kind, x, y, **more):
        self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def test_each_step_is_that_of_the_report(self):
        for at, one in enumerate(self.report["results"][0]["implementations"]):
            envelope = one["envelope"]
            shown = self.browser.run(f"{self.PLOT}.series[{at}].rows.map((r) => [r.least, r.largest, r.incorrect, "
                                     "r.worst === undefined ? null : Number(r.worst)])")
            # Negative numbers come first on the number line, from the last code to the first.
            order = [*range(2047, 1023, -1), *range(1024)]
            want = [[None if envelope["least"][i] is None else envelope["least"][i] / 1024,
                     envelope["largest"][i] / 1024 if envelope["largest"][i] is not None else 0,
                     envelope["incorrect"][i],
                     int(envelope["worst"][i], 16) if envelope["worst"][i] else None] for i in order]
            self.assertEqual(shown, want)
        self.assertEqual(self.value("svg.querySelectorAll('.area').length"), 2)
        self.assertEqual(self.browser.complaints, [])

    def test_keys_zoom_and_move_and_the_line_evaluates_the_worst(self):
        self.assertEqual([self.value("from"), self.value("to")], [0, 2048])
        self.browser.press("+", text="+")
        self.assertEqual(self.value("to") - self.value("from"), 1024)
        at = self.value("at")
        self.browser.press("ArrowRight")
        self.assertEqual(self.value("at"), at + 1)
        self.browser.press("0", text="0")
        self.assertEqual([self.value("from"), self.value("to")], [0, 2048])
        told = self.browser.run("document.activeElement.getAttribute('aria-valuetext')")
        self.assertRegex(told, r"From x = .* \(0x[0-9a-f]{4}\), 32 codes; libm: .* ulp, .*; det: ")
        words = self.value("line.textContent").split()
        self.assertEqual(words[:3], ["detcheck", "eval", "sin"])
        self.assertEqual(words[4:], ["-f", "fp16"])
        self.assertIn("ulp", self.succeed(*words[1:]))

    def test_a_pointer_zooms_pans_and_tells(self):
        x, y = self.middle()
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100)
        from_, to = self.value("from"), self.value("to")
        self.assertAlmostEqual(to - from_, 2048 * 0.8, delta=1)
        self.mouse("mouseMoved", x, y)
        self.assertAlmostEqual(self.value("at"), (from_ + to) / 2, delta=60)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseMoved", x + 50, y, button="left")
        self.mouse("mouseReleased", x + 50, y, button="left", clickCount=1)
        self.assertLess(self.value("from"), from_)
        self.assertAlmostEqual(self.value("to") - self.value("from"), to - from_, delta=1)

    def test_two_fingers_zoom(self):
        x, y = self.middle()
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        for kind, spread in (("touchStart", 40), ("touchMove", 80), ("touchMove", 120)):
            self.browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=[
                {"x": x - spread, "y": y, "id": 1}, {"x": x + spread, "y": y, "id": 2}])
        self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=False)
        self.assertLess(self.value("to") - self.value("from"), 1400)
        self.assertEqual(self.browser.complaints, [])


if __name__ == "__main__":
    unittest.main()
