// Pages of a PDF or of a picture. Those of a served PDF are loaded when they come into view, their text before, so that it is found.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const SVG = "http://www.w3.org/2000/svg";
const address = document.documentElement.dataset.pages && new URL(document.documentElement.dataset.pages);
const sections = [...document.querySelectorAll(".page")];
const isDrawn = section => "drawn" in section.dataset;
let current = 0, password = null;

// --- requests: a form if there is a password, which never goes into an address ---
const pause = seconds => new Promise(done => setTimeout(done, seconds * 1000));
const request = async (path, query = {}) => {
  const url = new URL(address);
  url.pathname = url.pathname.replace(/pages$/, path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const options = { credentials: "omit", referrerPolicy: "no-referrer" };
  if (password !== null) Object.assign(options, { method: "POST", body: new URLSearchParams({ password }) });
  for (let tries = 0; ; tries++) {
    const answer = await fetch(url, options);
    if (answer.ok) return answer;
    if (answer.status !== 503 || tries > 30) throw await answer.json();
    await pause(Number(answer.headers.get("Retry-After")) || 2);
  }
};
const ask = async (path, query = {}) => (await request("pages" + path, query)).json();

// --- drawing ---
const node = (name, attributes, text = "") => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};
const link = ({ x, y, width, height, page, top, url }) => {
  if (url && !/^(https?:\/\/|mailto:)/i.test(url)) return "";
  const target = url ? { href: url, target: "_blank", rel: "noopener noreferrer", "aria-label": url }
    : { href: `#p${page}`, "data-top": top, "aria-label": `Page ${page}` };
  const made = node("a", target);
  made.append(node("rect", { x, y, width, height }));
  return made;
};
const draw = (section, page) => {
  const svg = section.querySelector("svg");
  svg.setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
  const runs = page.text.map(({ x, y, width, height, text }) => node("text", {
    x, y: y + height * .8, "font-size": Math.max(height, 1), textLength: Math.max(width, .1) }, text));
  if (!runs.length && !page.links.length) { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", "A picture without text"); }
  svg.replaceChildren(node("image", { width: page.width, height: page.height, href: page.picture }), ...runs, ...page.links.map(link));
  section.querySelectorAll("p").forEach(one => one.remove());
  section.dataset.drawn = "";
};
const tell = (section, text) => {
  const message = document.createElement("p");
  message.className = "failed";
  message.textContent = text;
  section.append(message);
};

// --- loading: what is nearest to the reader first, one request at a time ---
const wanted = new Set();
let working = null, whole = false;
const nearest = () => [...wanted].reduce((best, one) =>
  Math.abs(sections.indexOf(one) - current) < Math.abs(sections.indexOf(best) - current) ? one : best);
const load = async section => {
  try {
    draw(section, await ask(`/${sections.indexOf(section) + 1}`));
  } catch (problem) {
    section.dataset.drawn = "failed";
    tell(section, problem?.detail || "This page could not be loaded. Check the connection, and open the document again.");
  }
};
const work = async () => {
  while (wanted.size) {
    const section = nearest();
    wanted.delete(section);
    await load(section);
  }
  working = null;
};
const want = section => {
  if (!address || isDrawn(section) || section.dataset.asked) return;
  section.dataset.asked = "yes";
  wanted.add(section);
  working ||= work();
};
const all = async () => {
  whole = true;
  sections.forEach(want);
  while (sections.some(one => !isDrawn(one)) && address) {
    $("#count").textContent = `/ ${sections.length} · loading ${sections.filter(isDrawn).length}`;
    await pause(.2);
  }
  show();
};

// --- the text of pages that are not drawn yet, invisible, for the browser's search ---
const words = async () => {
  for (let cursor = null; ;) {
    await working;
    const list = await ask("", cursor ? { cursor } : {});
    for (const { number, text } of list.pages) {
      const section = sections[number - 1];
      if (!section || isDrawn(section) || !text) continue;
      const layer = document.createElement("p");
      layer.className = "words";
      layer.textContent = text;
      section.append(layer);
    }
    cursor = list.nextCursor;
    if (!cursor) return document.documentElement.dataset.text = "all";
  }
};

// --- where the reader is ---
const field = $("#goto");
const show = () => {
  if (document.activeElement !== field) field.value = current + 1;
  $("#count").textContent = `/ ${sections.length}`;
};
const go = (n, top = 0) => { // `top` in points from the page's upper edge
  if (!sections.length || Number.isNaN(n)) return;
  current = Math.min(sections.length - 1, Math.max(0, n));
  const section = sections[current];
  section.style.contentVisibility = "visible"; // else its height is not known yet
  section.scrollIntoView({ block: "start", behavior: "instant" });
  if (top) scrollBy({ top: top * section.clientWidth / section.querySelector("svg").viewBox.baseVal.width, behavior: "instant" });
  show();
};
document.addEventListener("click", e => {
  const link = e.target.closest("a[data-top]");
  if (link) setTimeout(() => go(link.getAttribute("href").slice(2) - 1, Number(link.dataset.top))); // after the browser went to the page
});
const isAtTop = () => scrollY < 8; // where several pages fit on the screen, the first one counts
const here = new IntersectionObserver(entries => entries.forEach(entry => {
  if (!entry.isIntersecting) return;
  current = isAtTop() ? 0 : sections.indexOf(entry.target);
  show();
}), { rootMargin: "-45% 0px -45% 0px" });
addEventListener("scroll", () => {
  if (!isAtTop() || !current) return;
  current = 0;
  show();
}, { passive: true });
const near = new IntersectionObserver(entries => entries.forEach(entry => {
  if (entry.isIntersecting) want(entry.target);
  else if (!whole && wanted.delete(entry.target)) delete entry.target.dataset.asked;
}), { rootMargin: "100% 0px" });
const begin = () => {
  field.max = sections.length;
  field.closest("label").hidden = !sections.length;
  for (const one of sections) { here.observe(one); near.observe(one); }
  show();
  if (address && sections.some(one => !isDrawn(one))) setTimeout(() => words().catch(() => {}), 500);
};
field.addEventListener("change", () => go(field.valueAsNumber - 1));

// --- a PDF with a password ---
const saver = () => { // in the place of the form; without the right to save there is no button
  const note = document.createElement("p"), button = document.createElement("button");
  note.className = "note";
  button.type = "button";
  button.className = "button";
  button.textContent = "Save as one HTML file";
  note.append("The saved original keeps its password. A file of these pages opens without it. ", button);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const file = await (await request("download")).blob();
      viewer.saveAs(file, document.title + ".html");
    } catch (problem) {
      note.append(" " + (problem?.detail || "It could not be made. Try again."));
    }
    button.disabled = false;
  });
  return note;
};
const frame = ({ number, width, height }, count) => {
  const section = document.createElement("section");
  section.className = "page";
  section.id = `p${number}`;
  section.setAttribute("aria-label", `Page ${number} of ${count}`);
  section.append(node("svg", { viewBox: `0 0 ${width} ${height}` }));
  return section;
};
const unlock = async () => {
  password = $("#pdf-password").value;
  $("#unlock-message").textContent = "Opening…";
  try {
    const first = await ask(""), frames = [...first.pages];
    for (let cursor = first.nextCursor; cursor;) {
      const list = await ask("", { cursor });
      frames.push(...list.pages);
      cursor = list.nextCursor;
    }
    sections.push(...frames.map(page => frame(page, frames.length)));
    $(".locked").replaceWith(...($(".no-save") ? [] : [saver()]), ...sections);
    begin();
    sections[0].tabIndex = -1;
    sections[0].focus({ preventScroll: true });
  } catch (problem) {
    $("#unlock-message").textContent = problem?.detail || "The service does not answer. Try again.";
    $("#pdf-password").select();
  }
};
$("#unlock-button")?.addEventListener("click", unlock);
$("#pdf-password")?.addEventListener("keydown", e => { if (e.key === "Enter") unlock(); });

begin();
viewer.go = go;
const printed = async () => { await all(); print(); };
Object.assign(viewer.actions, { j: () => go(current + 1), k: () => go(current - 1), g: () => field.select(), p: printed });
document.addEventListener("keydown", e => {
  if ((e.ctrlKey || e.metaKey) && e.key === "p") { e.preventDefault(); printed(); }
});
})();
