// Loads the pages of a PDF when they come into view, and their text before, so that it is found.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const { viewer } = globalThis, { pages } = viewer;
const address = document.documentElement.dataset.pages;
const SVG = "http://www.w3.org/2000/svg", SCREEN = 2, SHARP = 4; // pixels a point
const SHARPLY_PRINTED = 100; // pages
pages.texts = []; // of each page, as far as they are known
pages.sizes = []; // of each page in points, as the PDF says; the first is known before the others, and most have its size
pages.password = null;
const drawnAt = section => Number(section.dataset.drawn || 0);

// --- requests: a form if there is a password, which never goes into an address ---
const { pause, request } = globalThis.served;
pages.request = async (path, query = {}) => {
  const url = new URL(address);
  url.pathname = url.pathname.replace(/pages$/, path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  if (pages.password === null) return request(url);
  const field = path === "download" ? "pdfPassword" : "password";
  return request(url, { method: "POST", body: new URLSearchParams({ [field]: pages.password }) });
};
pages.list = async cursor => (await pages.request("pages", { cursor })).json(); // a part of it

// --- drawing ---
pages.node = (name, attributes, text = "") => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};
pages.frames = (from, count) => Array.from({ length: count + 1 - from }, (_, n) => { // of pages of which none is drawn
  const section = document.createElement("section");
  section.className = "page";
  section.id = `p${from + n}`;
  section.setAttribute("aria-label", `Page ${from + n} of ${count}`);
  section.append(pages.node("svg", { viewBox: `0 0 ${pages.sizes[0].join(" ")}` }));
  return section;
});
pages.lay = (section, at) => { // in its size, turned
  const [width, height] = pages.sizes[at] ?? pages.sizes[0], svg = section.querySelector("svg");
  const moved = ["0 0", `${height} 0`, `${width} ${height}`, `0 ${width}`][pages.turned];
  svg.setAttribute("viewBox", pages.turned % 2 ? `0 0 ${height} ${width}` : `0 0 ${width} ${height}`);
  svg.querySelector("g")?.setAttribute("transform", `translate(${moved}) rotate(${90 * pages.turned})`);
  pages.shape(section);
};
const learn = (at, ...size) => {
  const known = pages.sizes[at] ?? pages.sizes[0];
  pages.sizes[at] = size;
  if (size.join() !== known.join()) pages.lay(pages.sections[at], at);
};
const link = ({ x, y, width, height, page, top, url }) => {
  if (url && !/^(https?:\/\/|mailto:)/i.test(url)) return "";
  const target = url ? { href: url, target: "_blank", rel: "noopener noreferrer", "aria-label": url }
    : { href: `#p${page}`, "data-top": top, "aria-label": `Page ${page}` };
  const made = pages.node("a", target);
  made.append(pages.node("rect", { x, y, width, height }));
  return made;
};
const draw = (section, page) => {
  const svg = section.querySelector("svg"), sheet = pages.node("g", {});
  const runs = page.text.map(({ x, y, width, height, text }) => pages.node("text", {
    x, y: y + height * .8, "font-size": Math.max(height, 1), textLength: Math.max(width, .1) }, text));
  if (!runs.length && !page.links.length) { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", "A picture without text"); }
  sheet.append(pages.node("image", { width: page.width, height: page.height, href: page.picture }), ...runs, ...page.links.map(link));
  svg.replaceChildren(sheet);
  pages.sizes[page.number - 1] = [page.width, page.height];
  pages.lay(section, page.number - 1);
  section.querySelectorAll("p").forEach(one => one.remove());
};
const drawn = (section, scale) => {
  section.dataset.drawn = scale;
  section.dispatchEvent(new Event("drawn", { bubbles: true }));
};
const load = async (section, scale) => {
  const refined = drawnAt(section);
  try {
    const page = await (await pages.request(`pages/${pages.sections.indexOf(section) + 1}`, { scale })).json();
    if (refined) section.querySelector("image").setAttribute("href", page.picture);
    else draw(section, page);
    drawn(section, scale);
  } catch (problem) {
    if (refined) return drawn(section, scale); // it stays as it is
    const message = document.createElement("p");
    message.className = "failed";
    message.textContent = problem?.detail || "This page could not be loaded. Check the connection, and open the document again.";
    section.append(message);
    section.dataset.drawn = SHARP;
  }
};

// --- what is nearest to the reader first, one request at a time; sharply what is in view and wide ---
pages.isSought = () => false; // whether somebody waits for text that is not read yet: then what is out of view waits, too
const wanted = new Map(); // section -> pixels a point
let working = null, loading = null, whole = false;
const rank = ([section]) => drawnAt(section) * 1e6 + Math.abs(pages.sections.indexOf(section) - pages.current);
const work = async () => {
  while (wanted.size) {
    loading = [...wanted].reduce((best, one) => rank(one) < rank(best) ? one : best);
    if (pages.isSought() && !inView.has(loading[0])) { await pause(.1); continue; }
    wanted.delete(loading[0]);
    await load(...loading);
  }
  working = loading = null;
};
pages.want = (section, scale = SCREEN) => {
  const coming = loading?.[0] === section ? loading[1] : wanted.get(section);
  if (!address || drawnAt(section) >= scale || coming >= scale) return;
  wanted.set(section, scale);
  working ||= work();
};
const near = new IntersectionObserver(entries => entries.forEach(entry => {
  if (entry.isIntersecting) pages.want(entry.target);
  else if (!whole) wanted.delete(entry.target);
}), { rootMargin: "100% 0px" });
const inView = new Set();
const sharpen = () => inView.forEach(section => {
  const dots = section.clientWidth * devicePixelRatio / section.querySelector("svg").viewBox.baseVal.width;
  if (drawnAt(section) && dots > 1.25 * SCREEN) pages.want(section, SHARP);
});
const view = new IntersectionObserver(entries => {
  for (const { isIntersecting, target } of entries) inView[isIntersecting ? "add" : "delete"](target);
  sharpen();
});
document.addEventListener("drawn", sharpen);
const { zoom } = viewer;
Object.assign(viewer, { least: .2, most: 5, zoom: n => { zoom(n); sharpen(); } });

// --- all of them, to print ---
const print = async () => {
  const { sections } = pages, scale = sections.length > SHARPLY_PRINTED ? SCREEN : SHARP;
  const isReady = one => !address || drawnAt(one) >= scale;
  whole = true;
  for (const one of sections) pages.want(one, scale);
  while (!sections.every(isReady)) {
    pages.status = ` · loading ${sections.filter(isReady).length}`;
    pages.show();
    await pause(.2);
  }
  pages.status = "";
  whole = false;
  pages.show();
  globalThis.print();
};
viewer.actions.p = print;
document.addEventListener("keydown", e => {
  if ((e.ctrlKey || e.metaKey) && e.key === "p") { e.preventDefault(); print(); }
});

// --- the text of all pages; of those that are not drawn yet invisible, for the browser's search ---
const AT_ONCE = 2; // lists that are asked for: a part has as many pages as the first one
const ask = cursor => {
  const list = Promise.resolve(pages.isSought() || working).then(() => pages.list(cursor));
  list.catch(() => {}); // it is told where it is awaited
  return list;
};
const read = async () => {
  const { sections } = pages, asked = [ask(1)];
  for (let n = 0, size; n < asked.length; n++) {
    const { pages: listed, outline, nextCursor } = await asked[n];
    if (outline.length) pages.contents?.(outline);
    size ??= nextCursor ? nextCursor - 1 : Infinity;
    while (asked.length <= n + AT_ONCE && asked.length * size < sections.length) asked.push(ask(asked.length * size + 1));
    for (const { number, width, height, text } of listed) {
      const section = sections[number - 1];
      pages.texts[number - 1] = text;
      if (section) learn(number - 1, width, height);
      if (!section || drawnAt(section) || !text) continue;
      const layer = document.createElement("p");
      layer.className = "words";
      layer.textContent = text;
      section.append(layer);
    }
    if (n + 1 === asked.length) document.documentElement.dataset.text = "all";
    document.dispatchEvent(new Event("read"));
  }
};
pages.load = () => {
  for (const one of pages.sections) { near.observe(one); view.observe(one); }
  if (address && pages.sections.length) read().catch(() => { document.documentElement.dataset.text = "part"; });
};
const first = pages.sections[0];
if (first) {
  const { width, height } = first.querySelector("svg").viewBox.baseVal;
  pages.sizes.push([width, height]);
  const others = pages.frames(2, Number($("main").dataset.count));
  first.after(...others);
  pages.begin([first, ...others]);
}
pages.load();
})();
