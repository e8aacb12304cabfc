"""What tests of pages in Chromium share: widths, the contrast of text, the tabulator, and axe where it is found."""

import importlib.util
import os

from page_case import PageCase


def axe():
    """The script of axe-core: the file that AXE names, or that of the Python package axe-core-python; None without one."""
    path = os.environ.get("AXE")
    package = None if path else importlib.util.find_spec("axe_core_python")
    path = path or (package and os.path.join(os.path.dirname(package.origin), "axe.min.js"))
    if not path:
        return None
    with open(path, encoding="utf-8") as stream:
        return stream.read()


class BrowserCase(PageCase):
    """Cases have a `browser`."""

    FOCUS = "(document.activeElement.id || document.activeElement.className || document.activeElement.textContent)"

    def wide(self, width=1280, height=900):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.addCleanup(self.browser.call, "Emulation.clearDeviceMetricsOverride")

    TOO_WIDE = """new Promise((done) => setTimeout(() => {
        for (const one of document.querySelectorAll("section")) one.style.contentVisibility = "visible";
        for (const one of document.querySelectorAll("details")) one.open = true;
        setTimeout(() => done([
            document.documentElement.scrollWidth - innerWidth,
            ...[...document.querySelectorAll(".w")].filter((box) => box.scrollWidth > box.clientWidth + 1)
               .map((box) => box.getAttribute("aria-label") + " " + (box.scrollWidth - box.clientWidth)),
            ...[...document.querySelectorAll("svg")].filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.id)]), 500);
    }, 100))"""

    # WCAG 2.1, 1.4.3: text against the nearest background that is not transparent; 3 for large text, 4.5 for other.
    CONTRAST = """(() => {
        const channels = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
        const light = (text) => { const c = channels(text).slice(0, 3).map((x) => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
            return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
        const below = (one) => { for (; one; one = one.parentElement) { const b = getComputedStyle(one).backgroundColor, c = channels(b);
            if (c.length === 3 || c[3] === 1) return b; } return "rgb(255, 255, 255)"; };
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), poor = [];
        let count = 0;
        for (let node; (node = walk.nextNode());) {
            const one = node.parentElement, style = getComputedStyle(one);
            if (!node.textContent.trim() || !one.getClientRects().length || ["STYLE", "SCRIPT"].includes(one.tagName)) continue;
            const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
            const ink = one.closest("svg") ? style.fill : style.color;
            const [a, b] = [light(ink), light(below(one))].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
            count++;
            if (ratio < (size >= 24 || (bold && size >= 18.66) ? 3 : 4.5)) poor.push(node.textContent.trim().slice(0, 30) + " " + ratio.toFixed(2));
        }
        return [count, ...new Set(poor)];
    })()"""

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

    def violations(self, script):
        """What axe finds against WCAG 2.1, levels A and AA, on the page: a line for each element."""
        self.browser.run(script + "; 1")
        return self.browser.run("""axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}).then((found) =>
            found.violations.flatMap((one) => one.nodes.map((node) => one.id + ": " + node.html.slice(0, 80))))""")
