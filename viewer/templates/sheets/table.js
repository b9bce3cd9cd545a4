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
const MAX_COLUMNS = 100; // that are shown
const MAX_CELL = 5000; // characters that are shown of a cell,
const MAX_SORTED = 200; // by which rows are sorted,
const MAX_SEARCHED = 1 << 20; // and in which a filter looks
const STEP = 64; // rows from one kept place to the next
const ROW = 34; // pixels
const MAX_HEIGHT = 1e6; // pixels: far above, Firefox is some pixels off, and browsers draw nothing beyond 9 million at a zoom of 200 %
const ALL_AT_ONCE = 500; // rows
const MOST_ROWS = Math.min(source.size, 99999999); // at least a byte each
const MARGIN = 40; // rows drawn above and below those in sight
const GROWTH = 500; // milliseconds from one look at the rows that were read meanwhile to the next
const SLICE = 1024; // items from one look at the clock to the next
const SYNC = 120; // milliseconds after scrolling
const delimiter = main.dataset.delimiter;
const before = main.dataset.nameless ? 0 : 1; // rows of names
const numeric = [...heads].map(head => head.classList.contains("num"));

// --- rows, split like Python's csv module: quotes doubled in quoted cells, empty lines left out ---
const CELL = 0, PLAIN = 1, QUOTED = 2, QUOTE = 3; // at the beginning of a cell; within; within quotes; behind a quote
const NOTHING = { first: 0, last: 0, most: 0 };
const SHOWN = { first: 0, last: MAX_COLUMNS, most: MAX_CELL };
const begun = (place, wanted) => ({ place, wanted, state: CELL, column: 0, cell: "", cells: [] });
const isWanted = row => row.column >= row.wanted.first && row.column < row.wanted.last;
const add = (row, text, from, to) => {
  const left = row.wanted.most - row.cell.length;
  if (left > 0 && isWanted(row)) row.cell += text.slice(from, Math.min(to, from + left));
};
const endCell = row => {
  if (isWanted(row)) row.cells.push(row.cell);
  row.cell = "";
  row.column++;
  row.state = CELL;
};
const SEPARATOR = delimiter.charCodeAt(0), LINE_END = 10;
const cellEnd = (text, from) => {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === SEPARATOR || code === LINE_END) return at;
  }
  return text.length;
};
// Adds text to a row; returns where the text behind the row begins, -1 if the row goes on.
const read = (row, text, from) => {
  let at = from;
  while (at < text.length) {
    if (row.state === QUOTED) {
      const quote = text.indexOf('"', at);
      add(row, text, at, quote < 0 ? text.length : quote);
      if (quote < 0) return -1;
      row.state = QUOTE;
      at = quote + 1;
    } else if (text[at] === '"' && (row.state === CELL || row.state === QUOTE)) {
      if (row.state === QUOTE) add(row, text, at, at + 1);
      row.state = QUOTED;
      at++;
    } else {
      const stop = cellEnd(text, at);
      add(row, text, at, stop);
      row.state = PLAIN;
      if (stop === text.length) return -1;
      endCell(row);
      at = stop + 1;
      if (text[stop] === "\n") return at;
    }
  }
  return -1;
};
// Visits so many rows from a place on: most of them as `plain` text without quotes, the others as `split`, of which the cells
// that are wanted are kept. Resolves to false if it was stopped.
const walk = async (place, most, { wanted, plain, split, isStale = () => false, report = () => {} }) => {
  let row = null, left = most, visited = 0, { at } = place;
  for (let n = place.piece; left > 0; n++, at = 0) {
    const text = await source.piece(n);
    await source.breathe();
    if (isStale()) return false;
    if (text === null) break;
    report(n);
    let quote = text.indexOf('"', at);
    while (at < text.length && left > 0) {
      if (++visited % SLICE === 0) await source.breathe();
      if (isStale()) return false;
      if (!row) {
        const end = text.indexOf("\n", at);
        if (end === at) {
          at++;
          continue;
        }
        if (quote >= 0 && quote < at) quote = text.indexOf('"', at);
        if (end >= 0 && (quote < 0 || quote > end)) {
          plain(text, at, end, n);
          at = end + 1;
          left--;
          continue;
        }
        row = begun({ piece: n, at }, wanted);
      }
      const end = read(row, text, at);
      if (end < 0) break;
      split(row);
      row = null;
      at = end;
      left--;
    }
  }
  if (row && left > 0) {
    endCell(row);
    split(row);
  }
  return true;
};

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
  await walk({ piece: 0, at: 0 }, Infinity, {
    wanted: NOTHING,
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
      if (!isNear(inSight())) draw();
    },
  });
  total = Math.max(0, rows - before);
};
let charset = 0;
const ready = () => {
  const mine = charset;
  return loading ||= index(() => mine !== charset);
};
const cellsOf = (text, at, end) => text.slice(at, end).split(delimiter, MAX_COLUMNS);
// Resolves to the cells of these rows, by their numbers.
const cellsAt = async numbers => {
  const found = new Map();
  const ordered = [...numbers].sort((a, b) => a - b);
  for (let from = 0, to; from < ordered.length; from = to) {
    for (to = from + 1; to < ordered.length && ordered[to] - ordered[to - 1] < STEP; ) to++;
    const asked = new Set(ordered.slice(from, to));
    const start = Math.floor((ordered[from] + before) / STEP);
    let number = start * STEP - before;
    await walk(places[start], ordered[to - 1] - number + 1, {
      wanted: SHOWN,
      plain: (text, at, end) => {
        if (asked.has(number)) found.set(number, cellsOf(text, at, end));
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
  return walk({ piece: 0, at: 0 }, Infinity, {
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
const SIMPLE = /^-?\d+(\.\d+)?$/;
const NUMBER = /^[-+(]?[$€£¥]?\s?\d[\d.,'\u00a0\u202f ]*(e[-+]?\d+)?\)?\s?[%€$£¥]?$/i;
const value = text => {
  if (SIMPLE.test(text)) return Number(text);
  if (!NUMBER.test(text)) return NaN;
  const bare = text.replace(/[^\d.,eE+-]/g, "");
  const german = /,\d{1,2}$/.test(bare) || /^\D*\d{1,3}(\.\d{3}){2,}/.test(bare);
  return Number(german ? bare.replaceAll(".", "").replace(",", ".") : bare.replaceAll(",", ""));
};
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
// Does something for each number below a length; the page answers meanwhile. Resolves to false if it was stopped.
const forEach = async (length, act, isStale) => {
  for (let n = 0; n < length; n++) {
    if (n % SLICE === 0) {
      await source.breathe();
      if (isStale()) return false;
    }
    act(n);
  }
  return true;
};
const numbersBelow = length => {
  const numbers = new Uint32Array(length);
  for (let n = 0; n < length; n++) numbers[n] = n;
  return numbers;
};
// Sorts by merging, so that equal items stay in their order; the page answers meanwhile. Neighbours that are in order already
// are compared once.
const merged = async (items, compare, isStale, report) => {
  let from = items, to = items.slice();
  const passes = Math.ceil(Math.log2(Math.max(2, items.length)));
  for (let width = 1, pass = 0; width < items.length; width *= 2, pass++) {
    for (let left = 0; left < items.length; left += 2 * width) {
      const middle = Math.min(left + width, items.length), end = Math.min(middle + width, items.length);
      const isInOrder = middle === end || compare(from[middle - 1], from[middle]) <= 0;
      let a = left, b = middle;
      for (let at = left; at < end; at++) {
        const isFirst = isInOrder || b >= end || a < middle && compare(from[a], from[b]) <= 0;
        to[at] = isFirst ? from[a++] : from[b++];
        if (at % SLICE > 0) continue;
        await source.breathe();
        if (isStale()) return null;
        report((pass + at / items.length) / passes);
      }
    }
    [from, to] = [to, from];
  }
  return from;
};
// Words are sorted first by a text that is compared fast; the collator, which decides, then has little left to do.
const comparable = word => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\d+/g, digits => digits.padStart(16, "0"));
// Resolves to the place of each word in their order; equal ones have the same.
const ranksOf = async (words, isStale) => {
  const comparables = [], ranks = new Uint32Array(words.length);
  const report = share => say("Sorting", null, share / 2);
  if (!await forEach(words.length, n => comparables.push(comparable(words[n])), isStale)) return null;
  const byComparable = (a, b) => comparables[a] <= comparables[b] ? 0 : 1;
  const nearly = await merged(numbersBelow(words.length), byComparable, isStale, share => report(share / 2));
  if (!nearly) return null;
  const byWord = (a, b) => collator.compare(words[a], words[b]);
  const ordered = await merged(nearly, byWord, isStale, share => report((1 + share) / 2));
  if (!ordered) return null;
  const rank = n => {
    const isEqual = n > 0 && byWord(ordered[n - 1], ordered[n]) === 0;
    ranks[ordered[n]] = isEqual ? ranks[ordered[n - 1]] : n;
  };
  return await forEach(words.length, rank, isStale) ? ranks : null;
};
// Resolves to all rows in the order of a column, numbers before words, and which of them equal the one before.
const sortedBy = async (column, isStale) => {
  const keys = new Float64Array(total), isWord = new Uint8Array(total);
  const numbers = new Map(), words = []; // each word once, and its number
  const take = (row, cell) => {
    const text = cell.trim(), key = value(text);
    if (!Number.isNaN(key)) {
      keys[row] = key;
      return;
    }
    isWord[row] = 1;
    let number = numbers.get(text);
    if (number === undefined) {
      number = words.push(text) - 1;
      numbers.set(text, number);
    }
    keys[row] = number;
  };
  const done = await eachRow("Sorting", { first: column, last: column + 1, most: MAX_SORTED }, {
    plain: (number, text, at, end) => {
      let start = at;
      for (let n = 0; n < column && start <= end; n++) start = cellEnd(text, start) + 1;
      take(number, start > end ? "" : text.slice(start, Math.min(cellEnd(text, start), start + MAX_SORTED)));
    },
    split: (number, cells) => take(number, cells[0] ?? ""),
    isStale,
  });
  if (!done) return null;
  const ranks = await ranksOf(words, isStale);
  if (!ranks) return null;
  const rank = row => { if (isWord[row]) keys[row] = ranks[keys[row]]; };
  if (!await forEach(total, rank, isStale)) return null;
  const compare = (a, b) => isWord[a] - isWord[b] || keys[a] - keys[b];
  const rows = await merged(numbersBelow(total), compare, isStale, share => say("Sorting", null, (1 + share) / 2));
  if (!rows) return null;
  const isEqual = new Uint8Array(total);
  const note = n => { isEqual[n] = n > 0 && compare(rows[n - 1], rows[n]) === 0; };
  return await forEach(total, note, isStale) ? { rows, isEqual } : null;
};
// The rows from the last to the first; equal ones stay in their order.
const reversed = ({ rows, isEqual }) => {
  const turned = new Uint32Array(rows.length);
  let at = 0;
  for (let end = rows.length; end > 0; ) {
    let start = end - 1;
    while (isEqual[start]) start--;
    for (let n = start; n < end; n++) turned[at++] = rows[n];
    end = start;
  }
  return turned;
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
  const all = found && (up ? found.rows : reversed(found));
  const former = order;
  if (isMatch) order = (all ?? numbersBelow(total)).filter(row => isMatch[row]);
  else order = all;
  status.textContent = words ? `${count(order.length)} of ${count(total, "row")}` : count(total, "row");
  grid.removeAttribute("aria-busy");
  if (order !== former) top = 0;
  resize();
};
const shownRows = () => order ? order.length : total;

// --- drawing the rows in sight, between two empty ones as high as those that are left out ---
// A table may be higher than browsers can draw: then `top` is the place in it, and a little scrolling moves it as far as
// the grid has moved, a lot of it in proportion.
let top = 0, seen = 0, height = 0, drawn = { first: 0, last: 0 };
const reach = () => {
  const least = table.tHead.offsetHeight - grid.clientHeight;
  const full = Math.max(0, shownRows() * ROW + least);
  return { full, drawable: Math.min(full, MAX_HEIGHT) };
};
const tableRow = (number, cells) => {
  const drawnCells = cells.map((text, column) => {
    const long = text.length > 60 ? "long" : "";
    return element("td", { className: numeric[column + 1] ? "num" : long }, ...source.visible(text.slice(0, MAX_CELL)));
  });
  return element("tr", {}, element("th", { scope: "row" }, String(number + 1)), ...drawnCells);
};
const space = () => {
  const cell = element("td", { colSpan: heads.length });
  return element("tr", { className: "space", ariaHidden: "true" }, cell);
};
const above = space(), below = space();
const layOut = () => {
  const { drawable } = reach();
  const rows = drawable - table.tHead.offsetHeight + grid.clientHeight;
  const over = Math.max(0, drawn.first * ROW + seen - top);
  const under = Math.max(0, rows - over - (drawn.last - drawn.first) * ROW);
  above.firstChild.style.height = `${over}px`;
  below.firstChild.style.height = `${drawn.last < shownRows() ? under : 0}px`;
  above.hidden = over === 0;
  below.hidden = drawn.last === shownRows();
};
const inSight = () => {
  if (!height) return { first: 0, last: shownRows() };
  const first = Math.max(0, Math.floor(top / ROW) - MARGIN, Math.ceil((top - seen) / ROW));
  const last = Math.min(shownRows(), Math.ceil((top + grid.clientHeight) / ROW) + MARGIN);
  return { first, last };
};
let drawing = false, isOutdated = false;
const draw = async () => {
  isOutdated = true;
  if (drawing) return;
  drawing = true;
  try {
    while (isOutdated) {
      isOutdated = false;
      const { first, last } = inSight(), shown = order;
      const numbers = Array.from({ length: Math.max(0, last - first) }, (_, n) => shown ? shown[first + n] : first + n);
      const cells = await cellsAt(numbers);
      if (shown !== order) {
        isOutdated = true;
        continue;
      }
      drawn = { first, last };
      layOut(); // before the rows are there: between them and the new heights a browser would move the grid
      for (const part of rest) part.remove();
      body.replaceChildren(above, ...numbers.map(number => tableRow(number, cells.get(number) ?? [])), below);
    }
  } catch (problem) {
    source.failed(problem);
  } finally {
    drawing = false;
  }
};
// Columns keep the widths that they have now, and rows get one height, so that scrolling is steady.
const fix = () => {
  const widths = [...heads].map(head => Math.ceil(head.getBoundingClientRect().width));
  widths[0] = String(MOST_ROWS).length * 8 + 36;
  const least = widths.map(width => Math.max(width, 60));
  least.forEach((width, n) => { heads[n].style.width = `${width}px`; });
  table.style.width = `${least.reduce((sum, width) => sum + width, 0)}px`;
  grid.classList.add("partly");
  height = ROW;
  drawn = { first: 0, last: body.rows.length };
  for (const part of rest) part.remove();
  body.prepend(above); // as high as all rows, before those in sight are drawn: End is to reach the last one
  body.append(below);
};
const place = () => {
  if (shownRows() > ALL_AT_ONCE && !height) fix();
  if (goesToEnd) top = reach().full;
  sync();
};
const resize = () => {
  place();
  draw();
};
// Puts the grid where it is in proportion to the place in the table.
let goesToEnd = false, isRead = !main.dataset.cut, syncing;
const sync = () => {
  if (!height) return;
  const { full, drawable } = reach();
  top = Math.max(0, Math.min(top, full));
  seen = full > drawable ? Math.round(top / full * drawable) : top;
  layOut();
  grid.scrollTop = seen;
};
const isNear = ({ first, last }) => first >= drawn.first - 1 && last <= drawn.last + 1;
const scrolled = () => {
  const now = grid.scrollTop, moved = now - seen;
  if (!height || Math.abs(moved) < 1) return;
  const { full, drawable } = reach();
  const isFar = Math.abs(moved) > 2 * grid.clientHeight;
  top = full > drawable && isFar ? now / drawable * full : top + moved;
  top = Math.max(0, Math.min(top, full));
  seen = Math.min(now, drawable);
  if (now > seen) grid.scrollTop = seen; // the rows that were drawn before reach a little further
  clearTimeout(syncing);
  if (full > drawable) {
    const isAtEnd = now < 1 || now > drawable - 1;
    if (isFar) layOut();
    syncing = setTimeout(() => {
      sync();
      draw();
    }, isAtEnd ? 0 : SYNC);
  }
  const inner = { first: Math.max(0, Math.floor(top / ROW) - MARGIN / 2), last: Math.min(shownRows(), Math.ceil((top + grid.clientHeight) / ROW) + MARGIN / 2) };
  if (!isNear(inner)) draw();
};

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
grid.addEventListener("scroll", scrolled, { passive: true });
new ResizeObserver(() => { if (height) resize(); }).observe(grid);
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
  drawn = { first: 0, last: 0 };
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
