// A table of data: all rows of the original, to sort and to filter. Without scripts its first rows.
(() => {
"use strict";
const source = globalThis.viewerSource, main = document.querySelector("#main");
const grid = document.querySelector("#main > .grid");
if (!source.available || !grid) return;
const { element, count } = source;
const table = grid.querySelector("table"), body = table.tBodies[0], heads = table.tHead.rows[0].cells;
const MAX_COLUMNS = 100, MAX_TEXT = 64 << 20, MAX_DRAWN = 400000, ALL_AT_ONCE = 500, MARGIN = 20;
const NUMBER = /^[-+(]?[$€£¥]?\s?\d[\d.,'\u00a0\u202f ]*(e[-+]?\d+)?\)?\s?[%€$£¥]?$/i;
const numeric = [...heads].map(head => head.classList.contains("num"));
let header = [], rows = [], order = [], loading, sorted = { column: -1, up: true }, start = -1, height = 0;

// Splits like Python's csv module: quotes doubled in quoted cells, empty lines left out.
const parse = (text, delimiter) => {
  const found = [];
  let row = [], at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (let from = at + 1; ; ) {
        const quote = text.indexOf('"', from);
        const stop = quote < 0 ? text.length : quote;
        cell += text.slice(from, stop);
        at = stop + 1;
        if (text[at] !== '"') break;
        cell += '"';
        from = at + 1;
      }
    }
    let stop = at;
    while (stop < text.length && text[stop] !== delimiter && text[stop] !== "\n") stop++;
    row.push(cell + text.slice(at, stop));
    if (text[stop] !== delimiter) {
      if (row.length > 1 || row[0]) found.push(row);
      row = [];
    } else if (stop + 1 === text.length) row.push("");
    at = stop + 1;
  }
  if (row.length) found.push(row);
  return found;
};
const load = async () => {
  const text = await source.text();
  if (text.length > MAX_TEXT) throw new Error("too large");
  rows = parse(text, main.dataset.delimiter);
  header = main.dataset.nameless ? [] : rows.shift() || [];
};
const ready = () => loading ||= load();

const value = cell => {
  const text = (cell || "").trim();
  if (!NUMBER.test(text)) return null;
  const bare = text.replace(/[^\d.,eE+-]/g, "");
  const german = /,\d{1,2}$/.test(bare) || /^\D*\d{1,3}(\.\d{3}){2,}/.test(bare);
  return Number(german ? bare.replaceAll(".", "").replace(",", ".") : bare.replaceAll(",", ""));
};
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const arrange = () => {
  const wanted = filter.value.trim().toLowerCase();
  order = [];
  rows.forEach((row, n) => { if (!wanted || row.some(cell => cell.toLowerCase().includes(wanted))) order.push(n); });
  const { column, up } = sorted;
  if (column >= 0) {
    const keys = new Map(order.map(n => [n, value(rows[n][column])]));
    const compare = (a, b) => {
      const x = keys.get(a), y = keys.get(b);
      if (x !== null && y !== null) return x - y;
      if (x !== null || y !== null) return x === null ? 1 : -1;
      return collator.compare(rows[a][column] || "", rows[b][column] || "");
    };
    order.sort((a, b) => (up ? 1 : -1) * compare(a, b) || a - b);
  }
  const note = order.length > MAX_DRAWN ? `, the first ${count(MAX_DRAWN)} are shown` : "";
  status.textContent = wanted ? `${count(order.length)} of ${count(rows.length)} rows${note}` : `${count(rows.length)} rows${note}`;
  grid.scrollTop = 0;
  start = -1;
  draw();
};

// Draws the rows in sight, between two empty ones as high as those that are left out.
const tableRow = n => {
  const cells = rows[n].slice(0, MAX_COLUMNS).map((text, column) => {
    const long = text.length > 60 ? "long" : "";
    return element("td", { className: numeric[column + 1] ? "num" : long }, ...source.visible(text.slice(0, 5000)));
  });
  const number = element("th", { scope: "row" }, String(n + 1));
  return element("tr", {}, number, ...cells);
};
const space = size => {
  const cell = element("td", { colSpan: heads.length });
  cell.style.height = size + "px";
  return element("tr", { className: "space", ariaHidden: "true" }, cell);
};
const draw = () => {
  const total = Math.min(order.length, MAX_DRAWN), partly = total > ALL_AT_ONCE;
  if (partly && !height) fix();
  grid.classList.toggle("partly", partly || Boolean(height));
  const first = partly ? Math.max(0, Math.floor(grid.scrollTop / height) - MARGIN) : 0;
  const last = partly ? Math.min(total, first + Math.ceil(grid.clientHeight / height) + 2 * MARGIN) : total;
  if (partly && start >= 0 && Math.abs(first - start) < MARGIN / 2) return;
  start = first;
  const made = order.slice(first, last).map(tableRow);
  body.replaceChildren(...(first ? [space(first * height)] : []), ...made, ...(last < total ? [space((total - last) * height)] : []));
};
// Columns keep the widths that they have now, and rows get one height, so that scrolling is steady.
const fix = () => {
  const widths = [...heads].map(head => Math.ceil(head.getBoundingClientRect().width));
  heads[0].style.width = Math.max(widths[0], String(rows.length).length * 8 + 30) + "px";
  widths.slice(1).forEach((width, n) => { heads[n + 1].style.width = Math.max(width, 60) + "px"; });
  grid.classList.add("partly");
  height = 34;
};

const filter = element("input", { type: "search", placeholder: "Filter rows" });
filter.setAttribute("aria-label", "Filter rows");
const status = element("span", { className: "dim" });
status.setAttribute("role", "status");
const failed = () => { status.textContent = "This table is too large to be shown as a whole."; };
let timer;
filter.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => ready().then(arrange, failed), 150);
});
const sort = column => {
  const same = sorted.column === column;
  sorted = same && !sorted.up ? { column: -1, up: true } : { column, up: !same };
  [...heads].forEach((head, n) => {
    if (n && n - 1 === sorted.column) head.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
  ready().then(arrange, failed);
};
const nameColumns = names => [...heads].slice(1).forEach((head, column) => {
  const button = element("button", { type: "button", title: "Sort" }, ...source.visible((names[column] || "").slice(0, 200)));
  if (!button.textContent.trim()) button.textContent = `Column ${column + 1}`;
  button.addEventListener("click", () => sort(column));
  head.replaceChildren(button);
});
nameColumns([...heads].slice(1).map(head => head.textContent));
grid.before(element("div", { className: "filter" }, filter, status));
grid.addEventListener("scroll", () => { if (height) requestAnimationFrame(draw); }, { passive: true });
source.changed = () => {
  loading = undefined;
  ready().then(() => { nameColumns(header); arrange(); }, failed);
};
const idle = globalThis.requestIdleCallback || (f => setTimeout(f, 50));
if (main.dataset.cut) idle(() => ready().then(() => { source.note(main.dataset.note || ""); arrange(); }, failed));
else status.textContent = `${count(body.rows.length)} rows`;
})();
