// The rows of a text, split like Python's csv module: quotes doubled in quoted cells, empty lines left out.
globalThis.viewerRows = (() => {
"use strict";
const source = globalThis.viewerSource, { delimiter } = document.querySelector("#main").dataset;
const MAX_COLUMNS = 100; // that are shown
const MAX_CELL = 5000; // characters that are shown of a cell
const SLICE = 1024; // items from one look at the clock to the next
const CELL = 0, PLAIN = 1, QUOTED = 2, QUOTE = 3; // at the beginning of a cell; within; within quotes; behind a quote
const NOTHING = { first: 0, last: 0, most: 0 }; // of the cells of a row
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
const shownCells = (text, at, end) => text.slice(at, end).split(delimiter, MAX_COLUMNS);
return { NOTHING, SHOWN, cellEnd, shownCells, walk };
})();
