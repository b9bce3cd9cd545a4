// Pages turned, fitted to the window, and as small pictures at the side.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const { viewer } = globalThis, { pages } = viewer;

viewer.actions.r = () => {
  pages.turned = (pages.turned + 1) % 4;
  pages.sections.forEach(pages.lay);
  fit();
  viewer.go(pages.current);
};

// --- fitted ---
let fitted = ""; // or page, or width
const button = $("[data-do=f]"), { zoom } = viewer;
const fit = () => {
  const section = pages.sections[pages.current];
  if (!fitted || !section) return;
  const { paddingLeft, paddingRight } = getComputedStyle($("main"));
  const room = $("main").clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
  const box = section.querySelector("svg").viewBox.baseVal;
  const width = fitted === "width" ? room : (innerHeight - $(".bar").offsetHeight - 32) * box.width / box.height;
  zoom(Math.min(width, room) / Math.min(room, 860));
};
const setFit = how => {
  fitted = how;
  button.title = how === "page" ? "Fit the width" : "Fit a page";
  button.setAttribute("aria-label", button.title);
};
viewer.zoom = n => { setFit(""); zoom(n); };
viewer.actions.f = () => {
  setFit(fitted === "page" ? "width" : "page");
  fit();
  viewer.go(pages.current);
};
new ResizeObserver(fit).observe($("main"));

$("#more").addEventListener("click", () => $("#more").hidePopover?.());

// --- at the side ---
const side = $("#thumbnails"), list = side?.querySelector("ol");
if (!side) return;
const entry = (page, top) => {
  const item = document.createElement("li"), link = document.createElement("a"), number = document.createElement("span");
  link.href = `#p${page}`;
  link.dataset.top = top;
  number.textContent = page;
  return { item, link, number };
};
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu; // would break or reorder what stands beside it
pages.contents = outline => {
  $("#outline").hidden = false;
  $("#outline ol").append(...outline.map(({ depth, title, page, top }) => {
    const { item, link, number } = entry(page, top);
    item.dataset.depth = depth;
    link.textContent = title.replace(UNSEEN, " ");
    number.className = "dim";
    item.append(link, " ", number);
    return item;
  }));
};
const thumbnail = (section, at) => {
  const { item, link, number } = entry(at + 1, 0);
  const svg = pages.node("svg", { viewBox: section.querySelector("svg").getAttribute("viewBox"), "aria-hidden": "true" });
  link.setAttribute("aria-label", `Page ${at + 1}`);
  svg.append(pages.node("image", { width: "100%", height: "100%" }));
  link.append(svg, number);
  item.append(link);
  return item;
};
const paint = section => {
  const item = list.children[pages.sections.indexOf(section)], picture = section.querySelector("image");
  if (!item || !picture) return;
  item.querySelector("svg").setAttribute("viewBox", `0 0 ${picture.getAttribute("width")} ${picture.getAttribute("height")}`);
  item.querySelector("image").setAttribute("href", picture.getAttribute("href"));
};
const shown = new IntersectionObserver(entries => entries.forEach(({ isIntersecting, target }) => {
  const section = pages.sections[[...list.children].indexOf(target)];
  if (isIntersecting && section.dataset.drawn) paint(section);
  else if (isIntersecting) pages.want(section);
}), { root: list.parentElement });
const follow = () => {
  if (!side.open) return;
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = list.children[pages.current]?.firstChild;
  link?.setAttribute("aria-current", "page");
  link?.scrollIntoView({ block: "nearest", behavior: "instant" });
};
side.addEventListener("toggle", () => {
  if (!list.children.length) {
    list.append(...pages.sections.map(thumbnail));
    for (const item of list.children) shown.observe(item);
  }
  follow();
});
document.addEventListener("drawn", e => paint(e.target));
document.addEventListener("moved", follow);
})();
