// Finds text on all pages: counted in the text of the list, marked where a page is drawn.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const { viewer } = globalThis, { pages } = viewer;
const bar = $("#find"), field = $("#find input"), found = $("#found");
let hits = [], current = 0, pattern = null; // the page of each hit, from 0; which is shown; what is found

// --- text without accents; a word may be broken at the end of a line, which between runs is \0 ---
const BREAK = "(?:[\\u0002\\ufffe][\\r\\n\\0]*|[-\\u00ad]?[\\r\\n\\0]+)?";
const fold = text => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").normalize("NFC");
const escaped = c => /\s/.test(c) ? "[\\s\\0]+" : c.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
const patternOf = text => new RegExp([...fold(text)].map(escaped).join(BREAK), "giu");
const folded = []; // the text of each page
pages.isSought = () => pattern && !document.documentElement.dataset.text;
const textOf = at => folded[at] ??= fold(pages.texts[at]);

// --- marks ---
const rects = (run, from, to) => { // of its characters, from the first to before the last
  const last = run.getNumberOfChars() - 1;
  if (last < 0) return [];
  const ends = [run.getStartPositionOfChar(Math.min(from, last)).x, run.getEndPositionOfChar(Math.min(to - 1, last)).x];
  const size = Number(run.getAttribute("font-size"));
  return [pages.node("rect", { class: "hit", x: Math.min(...ends), width: Math.abs(ends[1] - ends[0]),
    y: run.getAttribute("y") - .8 * size, height: size })];
};
const mark = (section, at) => { // returns the rects of each hit
  section.querySelectorAll(".hit").forEach(one => one.remove());
  const runs = [...section.querySelectorAll("text")], texts = runs.map(one => fold(one.textContent));
  if (!pattern || !runs.length) return [];
  const starts = [];
  texts.reduce((start, text, n) => { starts[n] = start; return start + text.length + 1; }, 0);
  const marked = [...texts.join("\0").matchAll(pattern)].map(({ index, 0: { length } }) => runs.flatMap((run, n) => {
    const from = Math.max(0, index - starts[n]), to = Math.min(texts[n].length, index + length - starts[n]);
    return from < to ? rects(run, from, to) : [];
  }));
  section.querySelector("image").after(...marked.flat());
  if (hits[current] === at) {
    const now = marked.at(Math.min(current - hits.indexOf(at), marked.length - 1)) ?? [];
    for (const one of now) one.classList.add("now");
    reveal(now[0]);
  }
};
let awaited = false; // whether the present hit is still to be brought into view
const reveal = rect => {
  if (!awaited || !rect) return;
  awaited = false;
  const { top, bottom, left, right } = rect.getBoundingClientRect();
  const isSeen = top > $(".bar").offsetHeight + bar.offsetHeight && bottom < innerHeight && left > 0 && right < innerWidth;
  if (!isSeen) rect.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
};
const markAll = () => pages.sections.forEach((section, at) => { if (section.dataset.drawn) mark(section, at); });

// --- hits ---
const tell = () => {
  const isAll = document.documentElement.dataset.text === "all", more = isAll ? "" : "…";
  if (!pattern) found.textContent = "";
  else if (hits.length) found.textContent = `${(current + 1).toLocaleString("en")} of ${hits.length.toLocaleString("en")}${more}`;
  else found.textContent = isAll ? "Not found" : "Searching…";
};
const show = n => {
  if (hits.length) {
    current = (n + hits.length) % hits.length;
    awaited = true;
    const section = pages.sections[hits[current]];
    if (!section.dataset.drawn) viewer.go(hits[current]);
  }
  markAll();
  tell();
};
const count = from => { // the hits on pages from this one on
  for (let at = from; at < pages.texts.length; at++) {
    for (const _ of textOf(at).match(pattern) ?? []) hits.push(at);
  }
};
const search = () => {
  const text = field.value.trim();
  pattern = text ? patternOf(text) : null;
  hits = [];
  if (pattern) count(0);
  show(Math.max(0, hits.findIndex(at => at >= pages.current)));
};
let counted = 0; // pages
document.addEventListener("read", () => {
  const had = hits.length;
  if (pattern) count(counted);
  counted = pages.texts.length;
  if (pattern && !had) show(0);
  else tell();
});
document.addEventListener("drawn", e => { if (pattern) mark(e.target, pages.sections.indexOf(e.target)); });

// --- the bar ---
const open = () => {
  bar.hidden = false;
  field.select();
  if (field.value) search();
};
const close = () => {
  bar.hidden = true;
  pattern = null;
  hits = [];
  markAll();
  $("[data-do='/']").focus();
};
const next = e => {
  if (hits.length) show(current + (e.shiftKey ? -1 : 1));
};
field.addEventListener("input", search);
bar.addEventListener("click", e => {
  const step = e.target.closest("[data-step]")?.dataset.step;
  if (step && hits.length) show(current + Number(step));
});
$("#find-close").addEventListener("click", close);
viewer.actions["/"] = open;
document.addEventListener("keydown", e => {
  const withControl = e.ctrlKey || e.metaKey;
  if (withControl && e.key === "f" && document.activeElement !== field) { e.preventDefault(); open(); } // the second time it is the browser's
  if (bar.hidden) return;
  if (e.key === "Escape") close();
  if (e.key === "Enter" && e.target === field || e.key === "F3" || withControl && e.key === "g") { e.preventDefault(); next(e); }
});
})();
