"""The page that detcheck report makes: what it says, that it needs nothing else, and, where Chromium is
installed, that it opens there without a complaint, sorts, and can be worked by keys."""

import json
import math
import os
import re
import shutil
import subprocess
import unittest

from browser_case import BrowserCase
from chromium import Chromium
from page_case import PageCase


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

    def test_the_histogram_has_even_steps_of_log2(self):
        """Each column reaches twice as far as the one before, with 1/2 and 1 among the ends, and has the buckets between."""
        report = self.sweep("far.json", "exp", "-f", "fp16", "--impl", "steps:1 + x")
        self.page("far.json")
        ends = [math.inf if word == "null" else float(word) for word in re.search('class="bins" data-ends="([^"]*)', self.markup)[1].split()]
        self.assertEqual((ends[:2], ends[-2:]), ([0, 0.0625], [2 ** 24, math.inf]))
        self.assertEqual({right / left for left, right in zip(ends[1:], ends[2:-1])}, {2})
        self.assertGreater(len(ends), 12)
        buckets = report["results"][0]["implementations"][0]["histogram"]
        counts = [sum(one["count"] for one in buckets if low < (math.inf if one["up_to_ulp"] is None else one["up_to_ulp"]) <= high)
                  for low, high in zip([-1, *ends], ends)]
        # The line's height over the middle of each column: 200 units from half an output to one and a half times the most.
        plot = self.markup.split("How many outputs have which error")[1]
        x, y, *moves = re.findall(r"([Mhv ])(-?[\d.]+)", re.search(r'<path class="l [^>]* d="([^"]*)"', plot)[1])
        at, height, middle, found = float(x[1]), float(y[1]), 0.5, []
        for kind, by in moves:
            if kind == "v":
                height += float(by)
                continue
            at += float(by)
            while middle < len(ends) and 56 + 674 * middle / len(ends) < at:
                found.append(height)
                middle += 1
        top = math.log2(1.5 * max(counts))
        for count, height in zip(counts, found):
            self.assertAlmostEqual(height, 210 - 200 * (math.log2(max(count, 0.5)) + 1) / (top + 1), delta=0.1)
        self.assertEqual(len(found), len(counts))

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

    def headline(self):
        return re.sub("<[^>]*>", "", re.search(r'<p id="headline".*?</p>', self.markup)[0])

    def cells(self):
        """The matrix: {function and format: {implementation: (class, text)}}."""
        body = self.markup.split('class="sort matrix"')[1].split("</table>")[0].split("<tbody>")[1]
        found = {}
        for row in body.split("<tr>")[1:]:
            head, *cells = re.split(r"<td ", row)
            name = re.sub("<[^>]*>", "", head).strip()
            found[name] = {re.search('data-name="(.*?)"', cell)[1].strip(): (re.search(r'class="n v (v\d)"', cell) or [None, None])[1]
                           for cell in cells}
        return found

    def test_the_headline_is_the_verdict(self):
        report = self.sweep("a.json", "exp", "sin", "--format", "fp16", "--impl", "det,cr")
        self.page("a.json")
        self.assertEqual(self.headline(), "All 4 results are faithful; 2 of them not correctly rounded throughout.")
        self.assertEqual(self.cells(), {"exp fp16": {"det": "v1", "cr": "v0"}, "sin fp16": {"det": "v1", "cr": "v0"}})
        self.file("p.json", json.dumps({"schema": "detcheck/policy/1", "rules": [{"require_correct": True}]}))
        self.page("a.json", "--policy", os.path.join(self.path, "p.json"))
        self.assertEqual(self.headline(), "2 of 4 results break their limits: exp, sin in fp16.")
        self.assertEqual(self.cells()["exp fp16"], {"det": "v4", "cr": "v0"})
        det = report["results"][1]["implementations"][0]
        det.update(faithful=det["faithful"] - 3)
        self.file("b.json", json.dumps(report))
        self.page("b.json")
        self.assertEqual(self.headline(), "1 of 4 results is not faithful: sin in fp16.")
        self.assertEqual(self.cells()["sin fp16"], {"det": "v2", "cr": "v0"})
        self.sweep("c.json", "exp", "--format", "fp16", "--impl", "cr")
        self.page("c.json")
        self.assertEqual(self.headline(), "The result is correctly rounded.")

    def test_equal_curves_are_drawn_once(self):
        self.sweep("a.json", "sqrt", "--format", "fp16", "--impl", "det,cr,exact")
        self.page("a.json")
        self.assertEqual(self.markup.count("One line for det, cr, exact: their numbers are the same."), 2)

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
        addresses = re.findall(r"\w*:?//\w[\w./]*", self.markup)
        self.assertEqual(set(addresses), {"http://www.w3.org/2000/svg"})  # a name, not a place
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
        self.assertEqual(self.markup.count("<script>"), 2)

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

    def points(self, section, heading):
        """Of a picture over the length, by implementation: length, error, and where the point lies; and the ends of its lines."""
        found, picture = {}, section.split(f"<h4>{heading} error over the length</h4>")[1].split("</svg>")[0]
        for x, y, name, length, error in re.findall(
                r'<circle cx="([\d.]+)" cy="([\d.]+)" [^>]*><title>(\S+)[ A-Z]*, length (\d+): ([\d.]+) ulp</title></circle>', picture):
            found.setdefault(name, []).append((int(length), error, float(x), float(y)))
        lines = re.findall(r'<path class="l [^>]* d="M([^"]*)"', picture)
        drawn = [[(x, y) for _, _, x, y in one] for one in found.values()]
        self.assertEqual([[tuple(map(float, point.split())) for point in line.split("L")] for line in lines], drawn)
        return found

    def test_errors_over_the_length_are_drawn(self):
        names, lengths, want = ["det", "form:torch", "form:one-pass"], (16, 64, 128), {"Largest": {}, "Mean": {}}
        for length in lengths[::-1]:
            words = ["layer_norm", "--shape", f"2x{length}", "--distribution", "normal", "--impl", "det", "--as", "torch,one-pass"]
            for one in self.sweep(f"{length}.json", *words)["results"][0]["implementations"]:
                for heading, value in (("Largest", one["max_ulp"]["error"]), ("Mean", one["mean_ulp"])):
                    want[heading].setdefault(one["name"], {})[length] = value
        self.sweep("other.json", "layer_norm", "--shape", "2x32", "--distribution", "normal", "--affine", "weight", "--impl", "det")
        reports = [f"{length}.json" for length in lengths[::-1]] + ["other.json"]
        self.succeed("merge", *reports, "-o", "merged.json")
        for given in (["merged.json"], reports):
            self.page(*given)
            self.assertEqual(self.markup.count("error over the length</h4>"), 2)  # in the section of the first shape alone
            for heading, of_all in want.items():
                found = self.points(self.markup.split("<section")[1], heading)
                self.assertEqual(set(found), set(names))
                most = max(value for one in of_all.values() for value in one.values())
                high = max(1.05 * most, 0.6)
                for name, points in found.items():
                    self.assertEqual([length for length, *_ in points], [*lengths])
                    for length, error, x, y in points:
                        value = of_all[name][length]
                        self.assertEqual(error, f"{int(value * 1e6) / 1e6:.6f}")
                        self.assertAlmostEqual(x, 56 + (math.log2(length) - 4) / 3 * (730 - 56), delta=0.06)
                        share = (math.log2(value) + 4) / (math.log2(high) + 4) if most > 4 else value / high
                        self.assertAlmostEqual(y, 210 - 200 * share, delta=0.06)
        self.page("16.json", "other.json")
        self.assertNotIn("over the length", self.markup)  # they differ in more than their shape

    def test_lists_of_one_name_are_told_apart(self):
        digests = []
        for name, value in (("a", b"1\n"), ("b", b"2\n"), ("c", b"1\n")):
            self.file("list", value)
            document = self.document("sweep", "exp", "-f", "fp16", "--inputs", "list", "--impl", "libm,det")
            self.file(f"{name}.json", json.dumps(document))
            digests.append(document["results"][0]["inputs"]["identity"])
        self.assertEqual((digests[0] == digests[2], digests[0] == digests[1]), (True, False))
        page = self.page("a.json", "b.json", "c.json")
        sections = self.markup.split("<section")[1:]
        self.assertEqual(len(sections), 2)
        for section, own, other in zip(sections, digests, digests[1::-1]):
            heading = section.split("</h3>")[0]
            self.assertIn(f'1 input from list, those of the digest <code title="{own}">{own[9:17]}</code>; others of that name stand apart',
                          heading)
            self.assertNotIn(other[9:17], section)
        subjects = [cells[0] for cells in page.rows if cells[1:3] == ["fp16", "nearest-even"]]
        self.assertEqual(subjects, [f"exp of inputs {one[9:17]}" for one in digests[:2] for _ in range(2)])
        self.page("a.json", "c.json")
        self.assertEqual((self.markup.count("<section"), "stand apart" in self.markup), (1, False))

    def test_inputs_that_differ_from_the_headings_are_named(self):
        self.sweep("a.json", "exp", "--format", "fp16", "--impl", "libm")
        self.sweep("b.json", "exp", "--format", "fp16", "--impl", "libm", "--special")
        self.page("a.json", "b.json")
        legend = self.markup.split('<p class="legend">')[1].split("</p>")[0]
        self.assertRegex(legend, "libm A</span> .*libm B</span> of [0-9]+ special inputs $")

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
            says = self.statements()[one["name"]]
            self.assertEqual("; what was promised is kept" in says, promise["violations"] == 0)
            self.assertEqual("promises are broken in some outputs" in says, promise["violations"] > 0)
        limits = {"schema": "detcheck/policy/1", "rules": [{"implementation": "det", "max_incorrect": 0}, {"max_mean_ulp": 1}]}
        self.sweep("b.json", "sin", "--format", "fp16", "--impl", "det,cr", "--policy",
                   self.file("limits.json", json.dumps(limits)), code=1)
        self.page("b.json")
        self.assertIn("; 1 of the limits of its policy are broken.", self.statements()["det"])
        self.assertTrue(self.statements()["cr"].endswith("; the limits of its policy are kept."), self.statements())

    def test_a_sentence_says_what_an_explanation_comes_to(self):
        for function, differs in (("exp", True), ("sqrt", False)):
            self.run_program("explain", function, "--format", "fp16", "--impl", "cr,det", "--json", "e.json")
            with open(os.path.join(self.path, "e.json"), encoding="utf-8") as stream:
                found = json.load(stream)["results"][0]["implementations"][0]["explanation"]
            self.assertEqual(found["differ"] > 0, differs)
            self.page("e.json")
            said = self.statements()["det"]
            if differs:
                self.assertEqual(said, f"{found['differ']} outputs have other bits than those of cr, {found['unexplained']} of them "
                                       "without a simple cause.")
            else:
                self.assertEqual(said, "all outputs have the bits of cr.")
            self.assertIn("nearest-even, explanation, against cr;", self.markup)

    def test_incomplete_is_said(self):
        document = self.sweep("a.json", "exp", "--format", "fp8_e5m2")
        document["complete"] = False
        self.file("b.json", json.dumps(document))
        self.assertIn("b.json is incomplete", " ".join(self.page("b.json").text.split()))

    def test_a_page_that_nobody_named_says_where_it_is(self):
        self.sweep("a.json", "exp", "--format", "fp8_e5m2")
        for words, said in (((), b"detcheck: note: the page is report.html\n"), (("-o", "b.html"), b"")):
            done = self.run_program("report", "a.json", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", said))
        self.assertEqual(self.read("report.html"), self.read("b.html"))

    def test_what_is_no_report_is_refused(self):
        self.assertIn("needs a report", self.refuse("report"))
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
class Browser(BrowserCase):
    """As Chromium shows it, on real sweeps of every fp16 by functions of one operand, of which a libm lacks some."""

    FUNCTIONS = ("exp", "exp10m1", "log", "log2p1", "sin", "tan", "tanpi", "acos", "tanh", "atanh", "erfc", "tgamma", "cbrt", "rsqrt", "sigmoid",
                 "gelu_tanh", "rint", "j1")

    SUMMARY = "document.querySelector('#figures table')"
    made = None

    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium(600, 800)
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        super().setUp()
        if not Browser.made:
            self.sweep("a.json", *self.FUNCTIONS, "--format", "fp16", "--impl", "libm,cr", notes=True)
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
        self.assertGreater(len(numbers), 20)
        self.assertEqual(numbers, sorted(numbers, reverse=True))

    def open_figures(self):
        """Opens the table of all figures by keys, and returns what the tabulator passes on the way."""
        passed = self.tab("All figures", most=200)
        self.browser.press("Enter")
        return passed

    def test_keys_reach_and_work_everything(self):
        self.wide(1700)  # where the table fits, and so has headings
        passed = self.open_figures()
        self.assertEqual(passed[:5], ["skip", "filter", "w", "function", "libm"])
        self.assertEqual(self.tab("largest error, ulp"), ["w", "operation", "format", "rounding", "implementation", "inputs",
                                                          "largest error, ulp"])
        self.assertNotEqual(self.browser.run("getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.browser.press("Enter")
        numbers = self.numbers("largest")
        self.assertEqual(numbers, sorted(numbers))
        self.browser.press(" ", "Space")
        self.assertEqual(self.numbers("largest"), sorted(numbers, reverse=True))
        self.assertEqual(self.focus(), "largest error, ulp")
        self.assertEqual(self.browser.run("document.activeElement.parentNode.getAttribute('aria-sort')"),
                         "descending")

    def test_nothing_is_cut_off_at_three_widths(self):
        for width in (1280, 800, 390):
            with self.subTest(width=width):
                self.wide(width)
                found = self.browser.run(self.TOO_WIDE)
                self.assertLessEqual(found[0], 0)
                self.assertEqual(found[1:], [])

    def test_text_has_enough_contrast_in_both_schemes(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                self.browser.open(self.file("page.html", Browser.made), scheme)
                count, *poor = self.browser.run(self.CONTRAST)
                self.assertGreater(count, 400)
                self.assertEqual(poor, [])

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

    @unittest.skipUnless(shutil.which("pdftotext"), "pdftotext (poppler-utils) is not installed")
    def test_on_paper_headings_stay_with_their_plots(self):
        path = os.path.join(self.path, "page.pdf")
        self.browser.pdf(path)
        sheets = subprocess.run(["pdftotext", "-layout", path, "-"], stdout=subprocess.PIPE, check=True, text=True).stdout.split("\f")
        self.assertGreater(len(sheets), 10)
        for heading, plot in (("fp16, nearest-even; all", "How many outputs have which error"),
                              ("How many outputs have which error", "error up to so many ulps"),
                              ("Largest error over the inputs", "largest error in ulps, by the binade")):
            self.assertGreater(sum(sheet.count(heading) for sheet in sheets), 10)
            for sheet in sheets:
                self.assertEqual(sheet.count(heading), sheet.count(plot), (heading, sheet[-300:]))


if __name__ == "__main__":
    unittest.main()
