"use strict";
// Headings that sort their table, a field that filters the summary, and the plot of the signed error. Nothing
// else needs a script.
for (const table of document.querySelectorAll("table.sort")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const key = (row, at) => {
    const cell = row.cells[at];
    if (!cell) return -Infinity;
    const sort = cell.dataset.s ?? cell.textContent.trim();
    return sort === "" || isNaN(sort) ? sort.toLowerCase() : Number(sort);
  };
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [key(row, at), row]);
      rows.sort(([a], [b]) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1));
      if (down) rows.reverse();
      body.append(...rows.map(([, row]) => row));
    });
  });
}
for (const box of document.querySelectorAll(".w")) {
  box.tabIndex = 0; // so that the arrow keys scroll a wide table
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", box.querySelector("caption")?.textContent ?? "Table");
}
const summary = document.getElementById("summary");
if (summary) {
  const line = document.createElement("p"), label = document.createElement("label"), field = document.createElement("input");
  line.id = "filter-line";
  field.id = "filter";
  field.type = "search";
  label.append("Show only rows that contain: ", field);
  line.append(label);
  summary.after(line);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of document.querySelectorAll("#summary ~ .w tbody tr, #not-provided tbody tr"))
      row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
}
// The envelope of the signed error: a step of inputs is a column from its least to its largest error.
const SVG = document.querySelector("svg")?.namespaceURI, WIDE = 960, TALL = 300, LEFT = 62, RIGHT = 10, TOP = 12, BOTTOM = 34;
const make = (tag, attributes = {}, ...inside) => {
  const svg = ["svg", "path", "text", "line", "rect", "g"].includes(tag);
  const one = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...inside);
  return one;
};
// Numbers of a format by their codes.
const numbers = ({ width, precision, emin, emax, sign, format }) => {
  const fraction = 2 ** (precision - 1), mask = BigInt("0x" + sign);
  const value = (code) => {
    const negative = mask && code & mask, size = negative ? code ^ mask : code;
    const exponent = Number(size >> BigInt(precision - 1)), rest = Number(size & (BigInt(fraction) - 1n)) / fraction;
    const number = exponent ? (1 + rest) * 2 ** (exponent - 1 + Number(emin)) : rest * 2 ** Number(emin);
    return number >= 2 * 2 ** Number(emax) ? NaN : negative ? -number : number;
  };
  return { mask, value, bits: (code) => "0x" + code.toString(16).padStart(Math.ceil(width / 4), "0"), format };
};
// The steps of one implementation, in the order of the number line.
const readSteps = (element, format) => {
  const { step, joined, runs, steps } = element.dataset, size = BigInt(joined) << BigInt(step);
  const rows = steps.split(";"), positive = [], negative = [];
  let at = 0;
  for (const run of runs.split(";").slice(0, -1)) {
    const [first, count] = run.split(" "), start = BigInt("0x" + first);
    for (let i = 0n; i < BigInt(count); i += BigInt(joined)) {
      const [least, largest, incorrect, worst] = rows[at++].split(",");
      const code = start + (i << BigInt(step));
      const row = { code, size, incorrect: Number(incorrect), least: least === "" ? null : Number(least) / 1024, largest: Number(largest) / 1024 };
      if (worst) row.worst = code + BigInt("0x" + worst);
      (format.mask && code & format.mask ? negative : positive).push(row);
    }
  }
  return { name: element.dataset.name, look: element.dataset.class, rows: [...negative.reverse(), ...positive] };
};
const short = (number) => (number === 0 ? "0" : Math.abs(number) >= 1e5 || Math.abs(number) < 1e-3 ? number.toExponential(2) : String(Number(number.toPrecision(4))));
class Envelope {
  constructor(box) {
    this.format = numbers(box.dataset);
    this.call = box.dataset;
    this.series = [...box.children].map((one) => readSteps(one, this.format));
    this.count = Math.max(...this.series.map((one) => one.rows.length));
    this.from = 0;
    this.to = this.count;
    this.at = this.firstWithError();
    this.fingers = new Map();
    this.build(box);
    this.draw();
  }
  firstWithError() {
    const worst = (row) => (row.least === null ? -1 : Math.max(-row.least, row.largest));
    let best = 0;
    this.series[0].rows.forEach((row, i) => { if (worst(row) > worst(this.series[0].rows[best])) best = i; });
    return best;
  }
  build(box) {
    this.svg = make("svg", { viewBox: `0 0 ${WIDE} ${TALL}`, tabindex: 0, role: "slider", "aria-orientation": "horizontal",
      "aria-valuemin": 0, "aria-valuemax": this.count - 1, class: "zoomed",
      "aria-label": `Signed error of ${this.call.operation} over the inputs, ${this.count} steps; arrows move, plus and minus zoom, 0 shows all` });
    this.plot = make("g");
    this.cross = make("line", { class: "x", y1: TOP, y2: TALL - BOTTOM });
    this.svg.append(this.plot, this.cross);
    this.told = make("p", { class: "told" });
    this.line = make("code");
    const copy = make("button", { type: "button" }, "Copy");
    copy.addEventListener("click", () => navigator.clipboard?.writeText(this.line.textContent).then(() => { copy.textContent = "Copied"; }, () => {}));
    const bar = make("p", { class: "tools" });
    for (const [label, act] of [["Zoom in", () => this.zoom(0.5, this.at + 0.5)], ["Zoom out", () => this.zoom(2, this.at + 0.5)],
      ["Left", () => this.pan(-0.25)], ["Right", () => this.pan(0.25)], ["All", () => this.show(0, this.count)]]) {
      const button = make("button", { type: "button" }, label);
      button.addEventListener("click", act);
      bar.append(button);
    }
    box.replaceChildren(make("h4", {}, "Signed error over the inputs, in their order on the number line"), bar, this.svg, this.told, make("p", { class: "tools" }, this.line, " ", copy));
    box.hidden = false;
    this.listen();
  }
  listen() {
    const keys = { ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1), PageUp: () => this.pan(-0.5), PageDown: () => this.pan(0.5),
      Home: () => this.moveTo(0), End: () => this.moveTo(this.count - 1), "+": () => this.zoom(0.5, this.at + 0.5), "=": () => this.zoom(0.5, this.at + 0.5),
      "-": () => this.zoom(2, this.at + 0.5), 0: () => this.show(0, this.count) };
    this.svg.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.place(event));
    }, { passive: false });
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, this.place(event));
    });
    this.svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"])
      this.svg.addEventListener(end, (event) => this.fingers.delete(event.pointerId));
  }
  // Where a pointer is, in steps.
  place(event) {
    const frame = this.svg.getBoundingClientRect(), x = ((event.clientX - frame.left) / frame.width) * WIDE;
    return this.from + ((x - LEFT) / (WIDE - LEFT - RIGHT)) * (this.to - this.from);
  }
  // What is held stays under the pointers: one pans, two zoom.
  drag(event) {
    const before = this.fingers.get(event.pointerId), now = this.place(event);
    if (before === undefined) return this.moveTo(Math.floor(now));
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) return this.show(this.from + before - now, this.to + before - now);
    if (Math.abs(now - other) > 1e-9) this.zoom(Math.min(4, Math.max(0.25, Math.abs((before - other) / (now - other)))), other);
    return this.fingers.set(event.pointerId, this.place(event));
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
  move(by) {
    this.moveTo(this.at + by);
    if (this.at < this.from || this.at >= this.to) this.pan(by < 0 ? -0.25 : 0.25);
  }
  moveTo(at) {
    this.at = Math.min(this.count - 1, Math.max(0, at));
    this.tell();
  }
  x(step) {
    return LEFT + ((step - this.from) / (this.to - this.from)) * (WIDE - LEFT - RIGHT);
  }
  y(error) {
    const bend = (value) => (this.top > 4 ? Math.sign(value) * Math.log2(1 + Math.abs(value)) : value);
    return (TOP + TALL - BOTTOM) / 2 - (bend(error) / bend(this.top)) * ((TALL - BOTTOM - TOP) / 2);
  }
  draw() {
    const first = Math.floor(this.from), last = Math.min(this.count, Math.ceil(this.to));
    this.top = 0.55;
    for (const { rows } of this.series)
      for (const row of rows.slice(first, last)) if (row.least !== null) this.top = Math.max(this.top, -row.least * 1.05, row.largest * 1.05);
    this.plot.replaceChildren();
    const ticks = this.top > 4 ? [1, this.top ** 0.5, this.top / 1.05] : [this.top > 1.1 ? 1 : 0.25, this.top > 1.1 ? 2 : 0.5].filter((tick) => tick < this.top);
    for (const tick of [0, ...ticks, ...ticks.map((one) => -one)]) {
      this.plot.append(make("path", { class: "g", d: `M${LEFT} ${this.y(tick).toFixed(1)}H${WIDE - RIGHT}` }));
      this.plot.append(make("text", { class: "e", x: LEFT - 6, y: this.y(tick) + 4 }, short(tick)));
    }
    for (let i = 0; i <= 4; i++) {
      const step = Math.min(this.count - 1, Math.floor(this.from + ((this.to - this.from) * i) / 4)), row = this.series[0].rows[step];
      if (row) this.plot.append(make("text", { class: i === 4 ? "e" : "m", x: i === 4 ? WIDE - RIGHT : this.x(this.from + ((this.to - this.from) * i) / 4), y: TALL - BOTTOM + 16 }, this.name(row)));
    }
    this.plot.append(make("text", { class: "m", x: (LEFT + WIDE - RIGHT) / 2, y: TALL - 4 }, `x, from step ${first + 1} to ${last} of ${this.count}; error in ulps${this.top > 4 ? ", on a logarithmic scale" : ""}`));
    // The widest first, so that none hides another.
    const area = ({ rows }) => rows.slice(first, last).reduce((sum, row) => sum + (row.least === null ? 0 : row.largest - row.least), 0);
    for (const { rows, look } of [...this.series].sort((a, b) => area(b) - area(a))) this.plot.append(this.path(rows, first, last, look));
    this.tell();
  }
  // Several steps in one column of the picture are one.
  path(rows, first, last, look) {
    const parts = [], each = Math.max(1, Math.floor((last - first) / (WIDE - LEFT - RIGHT)));
    for (let i = first; i < last; i += each) {
      const some = rows.slice(i, Math.min(last, i + each)).filter((row) => row.least !== null);
      if (!some.length) continue;
      const low = this.y(Math.min(...some.map((row) => row.least))), high = this.y(Math.max(...some.map((row) => row.largest)));
      const left = Math.max(LEFT, this.x(i)), right = Math.min(WIDE - RIGHT, this.x(Math.min(last, i + each)));
      parts.push(`M${left.toFixed(1)} ${high.toFixed(1)}H${right.toFixed(1)}V${Math.max(low, high + 0.8).toFixed(1)}H${left.toFixed(1)}z`);
    }
    return make("path", { class: `area ${look}`, d: parts.join("") });
  }
  name(row) {
    const number = this.format.value(row.code);
    return Number.isFinite(number) ? short(number) : this.format.bits(row.code);
  }
  tell() {
    const at = this.x(this.at + 0.5), told = [];
    this.cross.setAttribute("x1", at);
    this.cross.setAttribute("x2", at);
    this.cross.style.display = this.at < this.from - 1 || this.at > this.to ? "none" : "";
    let worst = null, most = -1;
    for (const { name, rows } of this.series) {
      const row = rows[this.at];
      if (!row) continue;
      if (!told.length) told.push(`From x = ${this.name(row)} (${this.format.bits(row.code)}), ${row.size} codes`);
      const size = row.least === null ? -1 : Math.max(-row.least, row.largest);
      told.push(`${name}: ${size < 0 ? "no errors" : `${row.least.toFixed(3)} to ${row.largest.toFixed(3)} ulp`}, ${row.incorrect} not right${row.worst === undefined ? "" : `, worst at ${this.format.bits(row.worst)}`}`);
      if (size > most) [worst, most] = [row.worst, size];
    }
    this.told.textContent = told.join("; ") + ".";
    this.svg.setAttribute("aria-valuenow", this.at);
    this.svg.setAttribute("aria-valuetext", this.told.textContent);
    const { operation, format, rounding } = this.call;
    this.line.textContent = worst === null || worst === undefined ? "" : `detcheck eval ${operation.split(".")[0]} ${this.format.bits(worst)} -f ${format}${rounding === "nearest-even" ? "" : ` -r ${rounding}`}`;
  }
}
for (const box of document.querySelectorAll(".envelope")) box.envelope = new Envelope(box);
