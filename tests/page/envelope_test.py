"""The plot of the signed error and the histogram on the page that detcheck report makes, in Chromium: driven by pointers,
fingers and keys, at several widths, on paper and without scripts."""

import json
import shutil
import unittest

from chromium import Chromium
from page_case import PageCase


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class Envelope(PageCase):
    PLOT = "document.querySelector('.envelope').envelope"
    ENDS = (0, *(2.0 ** power for power in range(-4, 25)), float("inf"))  # of the histogram's columns

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

    def touch(self, *moves):
        """Fingers put down at the first places, moved to the next ones, and lifted."""
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        for at, places in enumerate(moves):
            self.browser.call("Input.dispatchTouchEvent", type="touchMove" if at else "touchStart", touchPoints=[
                {"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)])
        self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=False)

    def steps(self, at):
        """The steps of an implementation in the order of the number line: least and largest error in ulps, how many not right."""
        envelope = self.report["results"][0]["implementations"][at]["envelope"]
        return [(envelope["least"][i], envelope["largest"][i], envelope["incorrect"][i]) for i in [*range(2047, 1023, -1), *range(1024)]]

    def bin_of(self, error):
        return next(i for i, end in enumerate(self.ENDS) if abs(error) / 1024 <= end)

    def check_selection(self):
        """What the page says of the selected steps, and marks in the histogram, is what the report has."""
        first, last = self.value("picked")
        told = self.value("linked.textContent")
        for at, one in enumerate(self.report["results"][0]["implementations"]):
            steps = [step for step in self.steps(at)[first:last + 1] if step[0] is not None]
            wrong = sum(step[2] for step in self.steps(at)[first:last + 1])
            self.assertIn(f"{one['name']}: errors from {min(step[0] for step in steps) / 1024:.3f} to "
                          f"{max(step[1] for step in steps) / 1024:.3f} ulp, {wrong:,} of its {one['incorrectly_rounded']:,} outputs", told)
            bins = {self.bin_of(error) for step in steps for error in step[:2]}
            marks = self.browser.run(f"{self.PLOT}.bins.group.children[{at}].getAttribute('d')")
            self.assertEqual(marks.count("M"), len(bins))
        return first, last

    def test_keys_select_what_the_histogram_marks(self):
        at = self.value("at")
        for _ in range(3):
            self.browser.press("ArrowRight", modifiers=8)
        self.assertEqual(self.check_selection(), (at, at + 3))
        self.browser.press("PageUp", modifiers=8)
        self.assertEqual(self.check_selection(), (at + 3 - 256, at))
        self.browser.press("Escape")
        self.assertIsNone(self.value("picked"))
        self.assertEqual([self.value("linked.textContent"), self.value("bins.group.children.length")], ["", 0])

    def test_a_mouse_and_a_finger_select(self):
        x, y = self.middle()
        self.mouse("mousePressed", x - 100, y, button="left", clickCount=1, modifiers=8)
        self.mouse("mouseMoved", x + 50, y, button="left", modifiers=8)
        self.mouse("mouseReleased", x + 50, y, button="left", clickCount=1)
        mouse = self.check_selection()
        self.assertEqual([self.value("from"), self.value("to")], [0, 2048])
        self.browser.press("Escape")
        self.browser.run("[...document.querySelectorAll('.tools button')].find((one) => one.textContent === 'Select').click()")
        self.touch([(x - 100, y)], [(x, y)], [(x + 50, y)])
        self.assertEqual(self.check_selection(), mouse)
        self.assertEqual([self.value("from"), self.value("to")], [0, 2048])

    def check_bin(self, chosen):
        """The steps that are marked are those with an error in the bin, and no other outputs are counted."""
        self.assertEqual(self.value("bins.bin"), chosen)
        told = self.value("bins.told.textContent")
        for at, one in enumerate(self.report["results"][0]["implementations"]):
            marked = [i for i, step in enumerate(self.steps(at)) if step[0] is not None and chosen in map(self.bin_of, step[:2])]
            found = self.browser.run(f"{self.PLOT}.series[{at}].rows.flatMap((row, i) => {self.PLOT}.bins.holds(row) ? [i] : [])")
            self.assertEqual(found, marked)
            before = self.ENDS[chosen - 1] if chosen else -1
            count = sum(bucket["count"] for bucket in one["histogram"]
                        if before < (float("inf") if bucket["up_to_ulp"] is None else bucket["up_to_ulp"]) <= self.ENDS[chosen])
            self.assertIn(f"{one['name']}: {count:,} outputs, in the {len(marked):,} steps marked" if count else f"{one['name']}: no output", told)
        self.assertEqual(self.browser.run(f"{self.PLOT}.svg.querySelectorAll('.mark').length > 0"), True)

    def test_a_bin_of_the_histogram_marks_steps(self):
        self.browser.run("document.querySelector('.binned').scrollIntoView()")
        left, width, y = self.browser.run("(() => { const r = document.querySelector('.binned').getBoundingClientRect();"
                                          " return [r.left, r.width, r.top + r.height / 2]; })()")
        count = self.value("bins.ends.length")
        place = [left + width * (56 + (760 - 56 - 30) * (i + 0.5) / count) / 760 for i in range(count)]
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, place[3], y, button="left", clickCount=1)
        self.check_bin(3)
        self.touch([(place[count - 1], y)])
        self.check_bin(count - 1)
        self.assertIn("and no other", self.value("bins.told.textContent"))
        self.browser.run("document.querySelector('.binned').focus()")
        self.browser.press("ArrowLeft")
        self.check_bin(count - 2)
        self.browser.press("Escape")
        self.assertEqual(self.value("svg.querySelectorAll('.mark').length"), 0)

    # Pairs of labels of a picture that overlap or leave it, and the least size of its letters in pixels.
    LABELS = """(() => { const svg = document.querySelector('%s'), frame = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')]
        .filter((one) => getComputedStyle(one).display !== 'none').map((one) => [one.textContent, one.getBoundingClientRect()]);
        const bad = texts.flatMap(([a, r], i) => [...texts.slice(i + 1).filter(([, s]) => r.left < s.right && s.left < r.right
          && r.top + 3 < s.bottom && s.top + 3 < r.bottom).map(([b]) => a + ' on ' + b), ...(r.left < frame.left - 1 || r.right > frame.right + 1 ? [a] : [])]);
        return [bad, Math.min(...[...svg.querySelectorAll('text')].map((one) => parseFloat(getComputedStyle(one).fontSize)
          * frame.width / svg.viewBox.baseVal.width)), texts.length]; })()"""

    def test_labels_can_be_read_at_every_width_and_on_paper(self):
        pages = [self.file("page.html", self.markup)]
        self.sweep("b.json", "sin", "--format", "fp16", "--impl", "libm,det,cr", "--range", "-4:8")
        self.page("a.json", "b.json")
        pages.append(self.file("two.html", self.markup))
        for error, name in ((9, "some.html"), (1e6, "huge.html")):  # on a logarithmic axis, its labels from 2^-4 on
            far = json.loads(json.dumps(self.report))
            one = far["results"][0]["implementations"][0]
            one["by_binade"][0]["max_ulp"] = one["max_ulp"]["error"] = error
            self.file("far.json", json.dumps(far))
            self.page("far.json")
            pages.append(self.file(name, self.markup))
        self.addCleanup(self.browser.call, "Emulation.clearDeviceMetricsOverride")
        for path in pages:
            for width in (400, 1100, 1900):
                self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                self.browser.open(path)
                for picture, least in ((".zoomed", 10.9), (".binned", 7.5), ("[aria-labelledby^=e-]", 7.5)):
                    bad, size, count = self.browser.run(self.LABELS % picture)
                    self.assertEqual((bad, count > 5), ([], True), (width, picture))
                    self.assertGreater(size, least, (width, picture))
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)
            self.browser.run("dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(self.value("svg.viewBox.baseVal.width"), 760)
            # Buttons leave no line between the heading and the picture, where a page could end.
            self.browser.call("Emulation.setEmulatedMedia", media="print")
            self.assertEqual(self.browser.run("[...document.querySelectorAll('.envelope .tools')].map((one) => getComputedStyle(one).display)"),
                             ["none", "flex"])
            self.browser.call("Emulation.setEmulatedMedia", media="")
            self.browser.run("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.complaints, [])

    def test_reports_of_other_ranges_lie_where_they_belong(self):
        """The step that holds 1 and the one that holds -1 lie at the same places for both."""
        self.sweep("b.json", "sin", "--format", "fp16", "--impl", "libm,det", "--range", "-4:8")
        self.page("a.json", "b.json")
        self.browser.open(self.file("two.html", self.markup))
        for code in (0x3C00, 0xBC00):
            places = self.browser.run(f"{self.PLOT}.series.map((one) => one.rows.filter((r) => r.code <= {code}n && {code}n < r.code + r.size)"
                                      ".map((r) => [r.left, r.right])[0])")
            self.assertEqual(len(places), 4)
            self.assertLess(max(left for left, _ in places), min(right for _, right in places), places)
        self.assertLess(self.browser.run(f"{self.PLOT}.series.flatMap((one) => one.rows).filter((r) => r.left < 0 || r.right > {self.PLOT}.count).length"), 1)

    def test_implementations_can_be_left_out(self):
        button = "document.querySelector('.tools .k')"
        self.assertEqual(self.browser.run(f"{button}.textContent"), "libm")
        self.browser.run(f"{button}.click()")
        self.assertEqual(self.value("svg.querySelectorAll('.area').length"), 1)
        self.assertNotIn("libm", self.value("told.textContent"))
        self.assertEqual(self.browser.run(f"{button}.getAttribute('aria-pressed')"), "false")

    def test_without_scripts_there_is_a_picture(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.browser.call, "Emulation.setScriptExecutionDisabled", value=False)
        self.browser.open(self.file("page.html", self.markup))
        self.assertIsNone(self.browser.run("document.querySelector('.zoomed')"))
        boxes = self.browser.run("[...document.querySelectorAll('.envelope .area')].map((one) => { const box = one.getBBox(); return [box.y, box.height]; })")
        self.assertEqual(len(boxes), 2)
        top = max(error for at in range(2) for step in self.steps(at) for error in step[:2] if error is not None)
        scale = 200 / (2 * max(0.55, top / 1024 * 1.05))
        for at, (y, height) in enumerate(boxes):
            steps = [step for step in self.steps(at) if step[0] is not None]
            least, largest = min(step[0] for step in steps) / 1024, max(step[1] for step in steps) / 1024
            self.assertAlmostEqual(height, (largest - least) * scale, delta=0.5)
            self.assertAlmostEqual(y, 110 - largest * scale, delta=0.5)
        self.assertGreater(self.browser.run("document.querySelector('.envelope svg').getBoundingClientRect().height"), 100)
        labels = self.browser.run("[...document.querySelectorAll('.envelope svg text')].map((one) => one.textContent)")
        self.assertEqual(labels[-4:], ["NaN", "0", "NaN", "error in ulps, over x"])

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
        self.touch(*(((x - spread, y), (x + spread, y)) for spread in (40, 80, 120)))
        self.assertLess(self.value("to") - self.value("from"), 1400)
        self.assertEqual(self.browser.complaints, [])


if __name__ == "__main__":
    unittest.main()
