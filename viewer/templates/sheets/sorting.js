// The order of the rows by the cells of a column. The page answers while rows are sorted.
globalThis.viewerSorting = (() => {
"use strict";
const source = globalThis.viewerSource;
const SLICE = 1024; // items from one look at the clock to the next
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
const ranksOf = async (words, isStale, report) => {
  const comparables = [], ranks = new Uint32Array(words.length);
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
// The cells of a column: the number of each row, or which of the words it is; each word is kept once.
const newColumn = total => ({ keys: new Float64Array(total), isWord: new Uint8Array(total), words: [], numbers: new Map() });
const addCell = (column, row, cell) => {
  const text = cell.trim(), key = value(text);
  if (!Number.isNaN(key)) {
    column.keys[row] = key;
    return;
  }
  column.isWord[row] = 1;
  let number = column.numbers.get(text);
  if (number === undefined) {
    number = column.words.push(text) - 1;
    column.numbers.set(text, number);
  }
  column.keys[row] = number;
};
// Resolves to the rows in the order of a column, numbers before words, and which of them equal the one before; to null if it was
// stopped. `report` is told which share of the work is done.
const inOrder = async ({ keys, isWord, words }, isStale, report) => {
  const total = keys.length;
  const ranks = await ranksOf(words, isStale, share => report(share / 2));
  if (!ranks) return null;
  const rank = row => { if (isWord[row]) keys[row] = ranks[keys[row]]; };
  if (!await forEach(total, rank, isStale)) return null;
  const compare = (a, b) => isWord[a] - isWord[b] || keys[a] - keys[b];
  const rows = await merged(numbersBelow(total), compare, isStale, share => report((1 + share) / 2));
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
return { addCell, inOrder, newColumn, numbersBelow, reversed };
})();
