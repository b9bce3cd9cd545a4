// A table of data: all rows of the original, to sort and to filter. Without scripts its first rows.
// Nothing is kept of the rows but the place of each 64th: what is in sight is read again from the original.
(() => {
"use strict";
const source = globalThis.viewerSource, main = document.querySelector("#main");
const grid = document.querySelector("#main > .grid");
if (!grid) return;
const table = grid.querySelector("table"), body = table.tBodies[0], heads = table.tHead.rows[0].cells;
const rest = [...table.tBodies].slice(1); // rows behind the first ones: in a table that is cut, laid out only without this script
const showRest = () => rest.forEach(part => part.classList.remove("rest"));
if (!source.available) return showRest();
const { element, count } = source;
const { viewerRows: reader, viewerSorting: sorting } = globalThis;
const MAX_SORTED = 200; // characters of a cell by which rows are sorted,
const MAX_SEARCHED = 1 << 20; // and in which a filter looks
const STEP = 64; // rows from one kept place to the next
const ALL_AT_ONCE = 500; // rows
const MOST_ROWS = Math.min(source.size, 99999999); // at least a byte each
const GROWTH = 500; // milliseconds from one look at the rows that were read meanwhile to the next
const delimiter = main.dataset.delimiter;
const before = main.dataset.nameless ? 0 : 1; // rows of names
const numeric = [...heads].map(head => head.classList.contains("num"));

// --- the places of the rows ---
let places = [], total = 0, loading = null; // of rows of data
const index = async isStale => {
  let rows = 0;
  const found = [];
  const note = (piece, at) => {
    if (rows % STEP === 0) found.push({ piece, at });
    rows++;
  };
  places = found;
  total = 0;
  let placed = performance.now();
  await reader.walk({ piece: 0, at: 0 }, Infinity, {
    wanted: reader.NOTHING,
    plain: (_text, at, _end, piece) => note(piece, at),
    split: row => note(row.place.piece, row.place.at),
    isStale,
    report: n => {
      total = Math.max(0, rows - before);
      if (performance.now() - placed < GROWTH || !total) return;
      placed = performance.now();
      say("Reading", n);
      if (order !== null) return;
      place();
      if (!view.isDrawn()) draw();
    },
  });
  total = Math.max(0, rows - before);
};
let charset = 0;
const ready = () => {
  const mine = charset;
  return loading ||= index(() => mine !== charset);
};
// Resolves to the cells of these rows, by their numbers.
const cellsAt = async numbers => {
  const found = new Map();
  const ordered = [...numbers].sort((a, b) => a - b);
  for (let from = 0, to; from < ordered.length; from = to) {
    for (to = from + 1; to < ordered.length && ordered[to] - ordered[to - 1] < STEP; ) to++;
    const asked = new Set(ordered.slice(from, to));
    const start = Math.floor((ordered[from] + before) / STEP);
    let number = start * STEP - before;
    await reader.walk(places[start], ordered[to - 1] - number + 1, {
      wanted: reader.SHOWN,
      plain: (text, at, end) => {
        if (asked.has(number)) found.set(number, reader.shownCells(text, at, end));
        number++;
      },
      split: row => {
        if (asked.has(number)) found.set(number, row.cells);
        number++;
      },
    });
  }
  return found;
};
// Visits the rows of data, all of them: their text if they are plain, or the wanted cells.
const eachRow = (what, wanted, { plain, split, isStale }) => {
  let number = -before;
  return reader.walk({ piece: 0, at: 0 }, Infinity, {
    wanted,
    plain: (text, at, end) => {
      if (number >= 0) plain(number, text, at, end);
      number++;
    },
    split: row => {
      if (number >= 0) split(number, row.cells);
      number++;
    },
    isStale,
    report: n => say(what, n),
  });
};

// --- filtering and sorting, which resolve to null if they are out of date before they end ---
const matching = async (words, isStale) => {
  const isMatch = new Uint8Array(total);
  const done = await eachRow("Filtering", { first: 0, last: Infinity, most: MAX_SEARCHED }, {
    plain: (number, text, at, end) => {
      isMatch[number] = text.slice(at, end).toLowerCase().includes(words) && !words.includes(delimiter);
    },
    split: (number, cells) => { isMatch[number] = cells.some(cell => cell.toLowerCase().includes(words)); },
    isStale,
  });
  return done ? isMatch : null;
};
// Resolves to all rows in the order of a column, and which of them equal the one before.
const sortedBy = async (column, isStale) => {
  const cells = sorting.newColumn(total);
  const done = await eachRow("Sorting", { first: column, last: column + 1, most: MAX_SORTED }, {
    plain: (number, text, at, end) => {
      let start = at;
      for (let n = 0; n < column && start <= end; n++) start = reader.cellEnd(text, start) + 1;
      const stop = Math.min(reader.cellEnd(text, start), start + MAX_SORTED);
      sorting.addCell(cells, number, start > end ? "" : text.slice(start, stop));
    },
    split: (number, row) => sorting.addCell(cells, number, row[0] ?? ""),
    isStale,
  });
  return done ? sorting.inOrder(cells, isStale, share => say("Sorting", null, share)) : null;
};

// --- which rows are shown, in which order ---
let order = null; // numbers of rows; null for all as they are
let sorted = { column: -1, up: true };
let ordering = null; // by which column rows are being sorted, or were sorted last, and what that resolves to
// Resolves to the rows in the order of a column. Calls for the same column, for its other direction or with a filter, share one
// sort; a call for another column stops it.
const rowsBy = column => {
  if (ordering?.column === column) return ordering.rows;
  const mine = { column };
  ordering = mine;
  const isStale = () => mine !== ordering || sorted.column !== column;
  const forget = () => { if (mine === ordering) ordering = null; };
  mine.rows = sortedBy(column, isStale);
  mine.rows.then(found => { if (!found) forget(); }, forget);
  return mine.rows;
};
let latest = 0;
const arrange = async () => {
  const mine = ++latest, isStale = () => mine !== latest;
  await ready();
  if (isStale()) return;
  const words = filter.value.trim().toLowerCase();
  const isMatch = words ? await matching(words, isStale) : null;
  if (isStale()) return;
  const { column, up } = sorted;
  const found = column < 0 ? null : await rowsBy(column);
  if (isStale()) return;
  const all = found && (up ? found.rows : sorting.reversed(found));
  const former = order;
  if (isMatch) order = (all ?? sorting.numbersBelow(total)).filter(row => isMatch[row]);
  else order = all;
  status.textContent = words ? `${count(order.length)} of ${count(total, "row")}` : count(total, "row");
  grid.removeAttribute("aria-busy");
  if (order !== former) view.goToStart();
  resize();
};
const shownRows = () => order ? order.length : total;

// --- drawing the rows in sight ---
const tableRow = (number, cells) => {
  const drawnCells = cells.map((text, column) => {
    const long = text.length > 60 ? "long" : "";
    return element("td", { className: numeric[column + 1] ? "num" : long }, ...source.visible(text.slice(0, reader.SHOWN.most)));
  });
  return element("tr", {}, element("th", { scope: "row" }, String(number + 1)), ...drawnCells);
};
const view = globalThis.viewerScrolling(grid, shownRows, () => draw());
let drawing = false, isOutdated = false;
const draw = async () => {
  isOutdated = true;
  if (drawing) return;
  drawing = true;
  try {
    while (isOutdated) {
      isOutdated = false;
      const { first, last } = view.inSight(), shown = order;
      const numbers = Array.from({ length: Math.max(0, last - first) }, (_, n) => shown ? shown[first + n] : first + n);
      const cells = await cellsAt(numbers);
      if (shown !== order) {
        isOutdated = true;
        continue;
      }
      view.setDrawn({ first, last }); // before the rows are there: between them and the new heights a browser would move the grid
      for (const part of rest) part.remove();
      body.replaceChildren(view.above, ...numbers.map(number => tableRow(number, cells.get(number) ?? [])), view.below);
    }
  } catch (problem) {
    source.failed(problem);
  } finally {
    drawing = false;
  }
};
const place = () => {
  if (shownRows() > ALL_AT_ONCE && !view.isFixed()) {
    view.fix(MOST_ROWS);
    for (const part of rest) part.remove();
  }
  if (goesToEnd) view.goToEnd();
  view.sync();
};
const resize = () => {
  place();
  draw();
};
let goesToEnd = false, isRead = !main.dataset.cut;

// --- the tools ---
const filter = element("input", { type: "search", placeholder: "Filter rows" });
filter.setAttribute("aria-label", "Filter rows");
const status = element("span", { className: "dim" });
status.setAttribute("role", "status");
let said = 0;
// Says how far something is that takes longer than half a second, twice a second.
const say = (what, piece, share = source.share(piece)) => {
  const now = performance.now();
  if (now - said < 500) return;
  if (now - said < 5000) status.textContent = `${what}… ${Math.round(100 * share)} %`;
  said = now;
};
const failed = problem => {
  if (total) resize();
  else showRest();
  grid.removeAttribute("aria-busy");
  status.textContent = total ? `The first ${count(total, "row")}` : "";
  source.failed(problem);
};
const rearrange = () => {
  said = performance.now();
  grid.setAttribute("aria-busy", "true");
  arrange().catch(failed);
};
let timer;
filter.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(rearrange, 150);
});
const sort = column => {
  const same = sorted.column === column;
  sorted = same && !sorted.up ? { column: -1, up: true } : { column, up: !same };
  [...heads].forEach((head, n) => {
    if (n && n - 1 === sorted.column) head.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
  rearrange();
};
const nameColumns = names => [...heads].slice(1).forEach((head, column) => {
  const button = element("button", { type: "button", title: "Sort" }, ...source.visible((names[column] || "").slice(0, 200)));
  if (!button.textContent.trim()) button.textContent = `Column ${column + 1}`;
  button.addEventListener("click", () => sort(column));
  head.replaceChildren(button);
});
nameColumns([...heads].slice(1).map(head => head.textContent));
grid.before(element("div", { className: "filter" }, filter, status));
new ResizeObserver(() => { if (view.isFixed()) resize(); }).observe(grid);
// Who goes to the end while rows are read gets to the last one.
const stay = () => { goesToEnd = false; };
document.addEventListener("keydown", e => {
  if (e.target.closest("input, textarea, select, dialog") || e.ctrlKey || e.metaKey || e.altKey) return;
  goesToEnd = e.key === "End" && !isRead;
});
grid.addEventListener("wheel", stay, { passive: true });
grid.addEventListener("pointerdown", stay);
source.changed = () => {
  charset++;
  loading = null;
  ordering = null;
  order = null;
  view.forgetDrawn();
  const name = async () => {
    await ready();
    if (before) nameColumns((await cellsAt([-1])).get(-1) ?? []);
  };
  name().then(rearrange, failed);
};
const readAll = async () => {
  await ready();
  source.note(main.dataset.note || "");
  await arrange();
  isRead = true;
  stay();
};
status.textContent = main.dataset.cut ? "" : count(table.rows.length - 1, "row");
if (main.dataset.cut) readAll().catch(failed);
})();
