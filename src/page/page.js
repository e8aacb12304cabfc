"use strict";
// Headings that sort their table, a field that filters the summary, and tables that fit. envelope.js has the plot of the signed error.
// Nothing else needs a script.
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
// A table too wide for its place becomes a list: each row stands below its first cell, each other cell behind its heading.
const fit = (box) => {
  const table = box.querySelector("table");
  table.classList.remove("stacked");
  table.classList.toggle("stacked", box.scrollWidth > box.clientWidth);
};
const watcher = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target)));
for (const box of document.querySelectorAll(".w")) {
  const table = box.querySelector("table"), heads = [...(table.tHead?.rows[0].cells ?? [])].map((head) => head.textContent.trim());
  for (const row of table.tBodies[0]?.rows ?? [])
    [...row.cells].forEach((cell, at) => at && (cell.dataset.name ??= heads[at] ?? ""));
  box.tabIndex = 0; // so that the arrow keys scroll a table that is still too wide
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", box.querySelector("caption")?.textContent ?? "Table");
  watcher.observe(box);
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
    for (const row of document.querySelectorAll("#figures tbody tr, .matrix tbody tr, #not-provided tbody tr"))
      row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
}
