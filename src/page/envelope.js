"use strict";
// The plot of the signed error, to zoom into: a step of inputs is a column from its least to its largest error. It and the
// histogram show in each other what is chosen in one of them.
const SVG = "http://www.w3.org/2000/svg", TALL = 300, LEFT = 62, RIGHT = 10, TOP = 12, BOTTOM = 34, PAPER = 760;
const make = (tag, attributes = {}, ...inside) => {
  const svg = ["svg", "path", "text", "line", "rect", "g"].includes(tag);
  const one = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...inside);
  return one;
};
const short = (number) => (number === 0 ? "0" : Math.abs(number) >= 1e5 || Math.abs(number) < 1e-3 ? number.toExponential(2) : String(Number(number.toPrecision(4))));
const grouped = (number) => number.toLocaleString("en");
// Numbers of a format by their codes, and places on the number line: that of -0 is -1, and lesser numbers lie before it.
const numbers = ({ width, precision, emin, sign, most, infinity }) => {
  const fraction = 2 ** (precision - 1), mask = BigInt("0x" + sign), finite = BigInt("0x" + most);
  const name = (code) => {
    const negative = mask && code & mask, size = negative ? code ^ mask : code, minus = negative ? "-" : "";
    const exponent = Number(size >> BigInt(precision - 1)), rest = Number(size & (BigInt(fraction) - 1n)) / fraction;
    const number = exponent ? (1 + rest) * 2 ** (exponent - 1 + Number(emin)) : rest * 2 ** Number(emin);
    return size <= finite ? minus + short(number) : infinity === "1" && size === finite + 1n ? minus + "inf" : "NaN";
  };
  return { name, bits: (code) => "0x" + code.toString(16).padStart(Math.ceil(width / 4), "0"),
    place: (code, size) => (mask && code & mask ? -(code ^ mask) - size : code), code: (place) => (place < 0n ? mask | (-place - 1n) : place) };
};
// The steps of one implementation, in the order of the number line.
const readSteps = (element, format) => {
  const { step, joined, runs, steps, counts } = element.dataset, size = BigInt(joined) << BigInt(step);
  const texts = steps.split(";"), rows = [];
  let at = 0;
  for (const run of runs.split(";").slice(0, -1)) {
    const [first, count] = run.split(" "), start = BigInt("0x" + first);
    for (let i = 0n; i < BigInt(count); i += BigInt(joined)) {
      const [least, largest, incorrect, worst] = texts[at++].split(",");
      const code = start + (i << BigInt(step));
      const row = { code, size, place: format.place(code, size), incorrect: Number(incorrect), least: least === "" ? null : Number(least) / 1024, largest: Number(largest) / 1024 };
      if (worst) row.worst = code + BigInt("0x" + worst);
      rows.push(row);
    }
  }
  rows.sort((a, b) => (a.place < b.place ? -1 : 1));
  return { name: element.dataset.name, look: element.dataset.class, counts: counts.split(",").map(Number), rows, shown: true };
};
const worstOf = (row) => (row.least === null ? -1 : Math.max(-row.least, row.largest));
const sum = (rows) => rows.reduce((all, row) => all + row.incorrect, 0);
class Envelope {
  constructor(box) {
    this.format = numbers(box.dataset);
    this.call = box.dataset;
    this.series = [...box.querySelectorAll("i")].map((one) => readSteps(one, this.format));
    this.layOut();
    this.from = 0;
    this.to = this.count;
    const rows = this.series[0].rows;
    this.at = rows.reduce((best, row) => (worstOf(row) > worstOf(best) ? row : best), rows[0]).left;
    this.fingers = new Map();
    this.build(box);
    const bins = box.closest("section").querySelector(".bins");
    this.bins = bins ? new Bins(bins, this) : null;
    this.fit();
  }
  // Places in units of the smallest step, from the first of all steps on: reports of other ranges lie where they belong.
  layOut() {
    const all = this.series.flatMap((one) => one.rows), least = (values) => values.reduce((a, b) => (b < a ? b : a));
    const unit = least(all.map((row) => row.size));
    this.unit = unit;
    this.first = least(all.map((row) => row.place));
    for (const row of all) {
      row.left = Number(row.place - this.first) / Number(unit);
      row.right = row.left + Number(row.size / unit);
    }
    this.count = Math.max(...this.series.map((one) => one.rows[one.rows.length - 1].right));
  }
  build(box) {
    this.svg = make("svg", { tabindex: 0, role: "slider", "aria-orientation": "horizontal", "aria-valuemin": 0, "aria-valuemax": this.count - 1, class: "zoomed",
      "aria-label": `Signed error of ${this.call.operation} over the inputs, ${grouped(this.count)} steps; arrows move, plus and minus zoom, 0 shows all, arrows with shift select, Escape ends that` });
    this.plot = make("g");
    this.cross = make("line", { class: "x", y1: TOP, y2: TALL - BOTTOM });
    this.svg.append(this.plot, this.cross);
    this.told = make("p", { class: "told" });
    this.linked = make("p", { class: "told", role: "status" });
    this.line = make("code");
    const copy = make("button", { type: "button" }, "Copy");
    copy.addEventListener("click", () => navigator.clipboard?.writeText(this.line.textContent).then(() => { copy.textContent = "Copied"; }, () => {}));
    const bar = make("p", { class: "tools" });
    const button = (label, act) => {
      const one = make("button", { type: "button" }, label);
      one.addEventListener("click", () => act(one));
      bar.append(one);
      return one;
    };
    const flip = (one, on) => (one.setAttribute("aria-pressed", on), on);
    button("Zoom in", () => this.zoom(0.5, this.at + 0.5));
    button("Zoom out", () => this.zoom(2, this.at + 0.5));
    button("Left", () => this.pan(-0.25));
    button("Right", () => this.pan(0.25));
    button("All", () => this.show(0, this.count));
    flip(button("Select", (one) => { this.selects = flip(one, !this.selects); }), false);
    if (this.series.length > 1)
      for (const one of this.series) {
        const label = button(one.name, (it) => { one.shown = flip(it, !one.shown); this.draw(); });
        label.className = `k ${one.look}`;
        flip(label, true);
      }
    box.replaceChildren(make("h4", {}, "Signed error over the inputs, in their order on the number line"), bar, this.svg, this.told, make("p", { class: "tools line" }, this.line, " ", copy), this.linked);
    this.box = box;
    this.listen();
  }
  listen() {
    const keys = { ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1), PageUp: () => this.pan(-0.5), PageDown: () => this.pan(0.5),
      Home: () => this.moveTo(0), End: () => this.moveTo(this.count - 1), "+": () => this.zoom(0.5, this.at + 0.5), "=": () => this.zoom(0.5, this.at + 0.5),
      "-": () => this.zoom(2, this.at + 0.5), 0: () => this.show(0, this.count), Escape: () => this.pick(null) };
    // With shift, from where it was first held.
    const far = (side) => this.moveTo(Math.floor(this.at + (side * (this.to - this.from)) / 8));
    const extending = { ...keys, PageUp: () => far(-1), PageDown: () => far(1) };
    this.svg.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      if (!event.shiftKey || !/^(Arrow|Page|Home|End)/.test(event.key)) return keys[event.key]();
      if (!this.picked) this.anchor = this.at;
      extending[event.key]();
      this.pick(this.anchor, this.at);
    });
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.position(event));
    }, { passive: false });
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, this.position(event));
      this.draws = (this.selects || event.shiftKey) && this.fingers.size === 1;
      if (this.draws) this.anchor = Math.floor(this.position(event));
      if (this.draws) this.pick(this.anchor, this.anchor);
    });
    this.svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"])
      this.svg.addEventListener(end, (event) => this.fingers.delete(event.pointerId));
    addEventListener("resize", () => this.fit());
    addEventListener("beforeprint", () => this.fit(PAPER));
    addEventListener("afterprint", () => this.fit());
  }
  // A unit of the picture is a pixel, so that its text is as large as other text on narrow screens and wide ones.
  fit(wide = Math.max(280, this.box.closest("section").clientWidth)) {
    if (wide === this.wide) return;
    this.wide = wide;
    this.svg.setAttribute("viewBox", `0 0 ${wide} ${TALL}`);
    this.draw();
  }
  // Where a pointer is, in steps.
  position(event) {
    const frame = this.svg.getBoundingClientRect(), x = ((event.clientX - frame.left) / frame.width) * this.wide;
    return this.from + ((x - LEFT) / (this.wide - LEFT - RIGHT)) * (this.to - this.from);
  }
  // What is held stays under the pointers: one pans or selects, two zoom.
  drag(event) {
    const before = this.fingers.get(event.pointerId), now = this.position(event);
    if (before === undefined) return this.moveTo(Math.floor(now));
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) return this.draws ? this.pick(this.anchor, Math.floor(now)) : this.show(this.from + before - now, this.to + before - now);
    if (Math.abs(now - other) > 1e-9) this.zoom(Math.min(4, Math.max(0.25, Math.abs((before - other) / (now - other)))), other);
    return this.fingers.set(event.pointerId, this.position(event));
  }
  zoom(factor, about) {
    this.show(about - (about - this.from) * factor, about + (this.to - about) * factor);
  }
  pan(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }
  show(from, to) {
    const width = Math.min(this.count, Math.max(4, to - from));
    this.from = Math.min(this.count - width, Math.max(0, to - from < 4 ? (from + to) / 2 - 2 : from));
    this.to = this.from + width;
    this.draw();
  }
  // To the next step of whoever has the smallest there.
  move(by) {
    const here = this.series.map((one) => this.rowAt(one)).filter(Boolean);
    const ends = here.map((row) => (by < 0 ? row.left - 1 : row.right));
    this.moveTo(ends.length ? (by < 0 ? Math.max(...ends) : Math.min(...ends)) : this.at + by);
    if (this.at < this.from || this.at >= this.to) this.pan(by < 0 ? -0.25 : 0.25);
  }
  moveTo(at) {
    this.at = Math.min(this.count - 1, Math.max(0, at));
    this.tell();
  }
  rowAt({ rows }, at = this.at) {
    let low = 0, high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].right <= at) low = middle + 1;
      else high = middle;
    }
    return low < rows.length && rows[low].left <= at ? rows[low] : null;
  }
  within({ rows }, from, to) {
    return rows.filter((row) => row.right > from && row.left < to);
  }
  get visible() {
    return this.series.filter((one) => one.shown);
  }
  // An interval of steps, both ends included, that the histogram shows; or, without one, nothing chosen.
  pick(a, b) {
    const inside = (at) => Math.min(this.count - 1, Math.max(0, at));
    this.picked = a === null ? null : [inside(Math.min(a, b)), inside(Math.max(a, b))];
    this.bins?.clear();
    this.draw();
  }
  x(place) {
    return LEFT + ((place - this.from) / (this.to - this.from)) * (this.wide - LEFT - RIGHT);
  }
  y(error) {
    const bend = (value) => (this.top > 4 ? Math.sign(value) * Math.log2(1 + Math.abs(value)) : value);
    return (TOP + TALL - BOTTOM) / 2 - (bend(error) / bend(this.top)) * ((TALL - BOTTOM - TOP) / 2);
  }
  // The code at a place: of a number between the steps there.
  codeAt(place) {
    return this.format.code(this.first + BigInt(Math.floor(place)) * this.unit);
  }
  draw() {
    const views = this.visible.map((one) => ({ look: one.look, rows: this.within(one, this.from, this.to).filter((row) => row.least !== null) }));
    this.top = 1.05 * views.reduce((most, { rows }) => rows.reduce((top, row) => Math.max(top, worstOf(row)), most), 0.52);
    this.plot.replaceChildren();
    this.drawAxes();
    // The widest first, so that none hides another.
    const area = ({ rows }) => rows.reduce((all, row) => all + (row.largest - row.least) * (row.right - row.left), 0);
    for (const { rows, look } of views.sort((a, b) => area(b) - area(a))) this.plot.append(this.path(rows, look));
    this.drawChosen();
    this.tell();
  }
  drawAxes() {
    const add = (...words) => this.plot.append(make(...words)), right = this.wide - RIGHT;
    const ticks = this.top > 4 ? [1, this.top ** 0.5, this.top / 1.05] : [this.top > 1.1 ? 1 : 0.25, this.top > 1.1 ? 2 : 0.5].filter((tick) => tick < this.top);
    for (const tick of [0, ...ticks, ...ticks.map((one) => -one)]) {
      add("path", { class: "g", d: `M${LEFT} ${this.y(tick).toFixed(1)}H${right}` });
      add("text", { class: "e", x: LEFT - 6, y: this.y(tick) + 4 }, short(tick));
    }
    const labels = this.wide < 600 ? 2 : 4;
    for (let i = 0; i <= labels; i++) {
      const place = Math.min(this.count - 1, this.from + ((this.to - this.from) * i) / labels);
      add("text", { class: i === labels ? "e" : i ? "m" : "", x: i === labels ? right : this.x(place), y: TALL - BOTTOM + 16 }, this.format.name(this.codeAt(place)));
    }
    const unit = this.top > 4 ? "ulps, logarithmic" : "ulps", steps = `steps ${grouped(Math.floor(this.from) + 1)} to ${grouped(Math.ceil(this.to))} of ${grouped(this.count)}`;
    add("text", { class: "m", x: (LEFT + right) / 2, y: TALL - 4 }, `error in ${unit}, over x: ${steps}`);
  }
  // Steps in one column of the picture are one; neighbours are one shape.
  path(rows, look) {
    const each = Math.max(1, Math.floor(rows.length / (this.wide - LEFT - RIGHT))), right = this.wide - RIGHT;
    let d = "", back = "", before = null;
    for (let i = 0; i < rows.length; i += each) {
      const some = rows.slice(i, i + each), last = some[some.length - 1];
      const high = this.y(Math.max(...some.map((row) => row.largest))), low = Math.max(this.y(Math.min(...some.map((row) => row.least))), high + 0.8);
      const [from, to] = [Math.max(LEFT, this.x(some[0].left)), Math.min(right, this.x(last.right))].map((one) => one.toFixed(1));
      if (before !== some[0].left) [d, back] = [`${d}${back}M${from} ${low.toFixed(1)}`, "z"];
      d += `V${high.toFixed(1)}H${to}`;
      back = `V${low.toFixed(1)}H${from}${back}`;
      before = last.right;
    }
    return make("path", { class: `area ${look}`, d: d + back });
  }
  // The interval that is selected, or the steps that the histogram's bin marks: a row of ticks for each implementation.
  drawChosen() {
    const clip = (place) => Math.min(this.wide - RIGHT, Math.max(LEFT, this.x(place)));
    const bar = (from, to, top, tall) => `M${clip(from).toFixed(1)} ${top}h${Math.max(tall > 9 ? 1 : 2, clip(to) - clip(from)).toFixed(1)}v${tall}H${clip(from).toFixed(1)}z`;
    if (this.picked && this.picked[1] >= this.from && this.picked[0] < this.to)
      this.plot.append(make("path", { class: "chosen", d: bar(this.picked[0], this.picked[1] + 1, TOP, TALL - BOTTOM - TOP) }));
    this.visible.forEach((one, i) => {
      const rows = this.bins?.bin === undefined ? [] : this.within(one, this.from, this.to).filter((row) => this.bins.holds(row));
      if (rows.length) this.plot.append(make("path", { class: `mark ${one.look}`, d: rows.map((row) => bar(row.left, row.right, 1 + 7 * i, 6)).join("") }));
    });
    if (this.picked) this.bins?.reach(this.visible.map((one) => ({ look: one.look, rows: this.within(one, this.picked[0], this.picked[1] + 1) })));
    this.linked.textContent = this.picked ? this.tellPicked() : "";
  }
  tellPicked() {
    const [from, to] = this.picked, end = (code) => `${this.format.name(code)} (${this.format.bits(code)})`;
    const codes = [this.codeAt(from), this.format.code(this.first + BigInt(Math.floor(to) + 1) * this.unit - 1n)];
    const found = this.visible.map((one) => {
      const rows = this.within(one, from, to + 1), known = rows.filter((row) => row.least !== null);
      const range = known.length ? `errors from ${Math.min(...known.map((row) => row.least)).toFixed(3)} to ${Math.max(...known.map((row) => row.largest)).toFixed(3)} ulp` : "no errors";
      return `${one.name}: ${range}, ${grouped(sum(rows))} of its ${grouped(sum(one.rows))} outputs that are not right`;
    });
    return `Selected: x from ${codes.map(end).join(" to ")}. ${found.join("; ")}. In the histogram the bins are marked that hold the least or the largest error of a selected step; beyond the last of them there is none.`;
  }
  tell() {
    const at = this.x(this.at + 0.5), told = [];
    this.cross.setAttribute("x1", at);
    this.cross.setAttribute("x2", at);
    this.cross.style.display = this.at < this.from - 1 || this.at > this.to ? "none" : "";
    let worst = null, most = -1;
    for (const one of this.visible) {
      const row = this.rowAt(one);
      if (!row) continue;
      if (!told.length) told.push(`From x = ${this.format.name(row.code)} (${this.format.bits(row.code)}), ${grouped(row.size)} codes`);
      const size = worstOf(row);
      told.push(`${one.name}: ${size < 0 ? "no errors" : `${row.least.toFixed(3)} to ${row.largest.toFixed(3)} ulp`}, ${grouped(row.incorrect)} not right${row.worst === undefined ? "" : `, worst at ${this.format.bits(row.worst)}`}`);
      if (size > most) [worst, most] = [row.worst, size];
    }
    this.told.textContent = told.length ? told.join("; ") + "." : "";
    this.svg.setAttribute("aria-valuenow", this.at);
    this.svg.setAttribute("aria-valuetext", this.told.textContent);
    const { operation, format, rounding } = this.call;
    this.line.textContent = worst === null || worst === undefined ? "" : `detcheck eval ${operation.split(".")[0]} ${this.format.bits(worst)} -f ${format}${rounding === "nearest-even" ? "" : ` -r ${rounding}`}`;
  }
}
// The histogram beside it. The report counts errors over all inputs and has two errors of each step, so a bin marks the
// steps that have one of these in it, and says of how many others it cannot know. Ends of bins are whole units of the
// steps' errors: an error and what a step says of it lie in the same bin.
class Bins {
  constructor(group, envelope) {
    this.ends = group.dataset.ends.split(" ").map((end) => (end === "null" ? Infinity : Number(end)));
    [this.left, this.right, this.top, this.bottom] = group.dataset.frame.split(" ").map(Number);
    this.envelope = envelope;
    this.group = group;
    const svg = group.ownerSVGElement;
    this.svg = svg;
    this.told = make("p", { class: "told", role: "status" });
    svg.after(this.told);
    for (const [name, value] of Object.entries({ tabindex: 0, role: "slider", class: "binned", "aria-valuemin": 0, "aria-valuemax": this.ends.length - 1, "aria-valuenow": 0,
      "aria-valuetext": "none chosen", "aria-label": "Errors in bins: arrows choose one, and mark in the plot above which inputs have it; Escape ends that" }))
      svg.setAttribute(name, value);
    svg.removeAttribute("aria-labelledby");
    const keys = { ArrowLeft: () => (this.bin ?? this.ends.length) - 1, ArrowRight: () => (this.bin ?? -1) + 1, Home: () => 0, End: () => this.ends.length - 1, Escape: () => undefined };
    svg.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.choose(keys[event.key]());
    });
    svg.addEventListener("pointerdown", (event) => this.choose(this.at(event)));
    svg.addEventListener("pointermove", (event) => event.buttons && this.choose(this.at(event)));
  }
  at(event) {
    const frame = this.svg.getBoundingClientRect(), x = ((event.clientX - frame.left) / frame.width) * this.svg.viewBox.baseVal.width;
    return Math.floor(((x - this.left) / (this.right - this.left)) * this.ends.length);
  }
  choose(bin) {
    this.clear();
    this.bin = bin === undefined ? bin : Math.min(this.ends.length - 1, Math.max(0, bin));
    this.envelope.picked = null;
    if (bin !== undefined) this.group.append(make("path", { class: "chosen", d: this.bar(this.bin, this.top, this.bottom - this.top) }));
    this.envelope.draw();
    this.told.textContent = bin === undefined ? "" : this.tell();
    this.svg.setAttribute("aria-valuenow", this.bin ?? 0);
    this.svg.setAttribute("aria-valuetext", this.told.textContent || "none chosen");
  }
  of(error) {
    return this.ends.findIndex((end) => Math.abs(error) <= end);
  }
  holds(row) {
    return row.least !== null && (this.of(row.least) === this.bin || this.of(row.largest) === this.bin);
  }
  bar(bin, top, tall) {
    const wide = (this.right - this.left) / this.ends.length;
    return `M${(this.left + bin * wide).toFixed(1)} ${top}h${wide.toFixed(1)}v${tall}h${(-wide).toFixed(1)}z`;
  }
  clear() {
    this.bin = undefined;
    this.told.textContent = "";
    this.group.replaceChildren();
  }
  // Bins in which steps of the other plot have their least or their largest error.
  reach(views) {
    this.group.replaceChildren(...views.map(({ look, rows }, i) => {
      const bins = new Set(rows.filter((row) => row.least !== null).flatMap((row) => [this.of(row.least), this.of(row.largest)]));
      return make("path", { class: `mark ${look}`, d: [...bins].map((bin) => this.bar(bin, 1 + 7 * i, 6)).join("") });
    }));
  }
  // Steps take errors of 2^-20 ulp and less for 0: in the first two bins others than those marked may be meant.
  tell() {
    const { bin, ends } = this, name = bin === 0 ? "Errors of 0" : `Errors beyond ${short(ends[bin - 1])}${ends[bin] === Infinity ? "" : ` up to ${short(ends[bin])}`} ulp`;
    const found = this.envelope.visible.map((one) => {
      if (!one.counts[bin]) return `${one.name}: no output`;
      const marked = one.rows.filter((row) => this.holds(row)).length;
      const others = one.rows.filter((row) => row.least !== null && !this.holds(row) && (bin < 2 || this.of(worstOf(row)) > bin)).length;
      return `${one.name}: ${grouped(one.counts[bin])} outputs, in the ${grouped(marked)} steps marked ${others ? `and perhaps in ${grouped(others)} others` : "and no other"}`;
    });
    return `${name}: ${found.join("; ")}.`;
  }
}
for (const box of document.querySelectorAll(".envelope")) box.envelope = new Envelope(box);
