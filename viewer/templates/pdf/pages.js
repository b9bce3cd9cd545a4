// Pages of a PDF or of a picture: which of them the reader looks at, and how to get to another.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const { viewer } = globalThis;
const field = $("#goto");
const isAtTop = () => scrollY < 8; // where several pages fit on the screen, the first one counts
const pages = viewer.pages = {
  sections: [], current: 0, turned: 0, status: "", // quarters, clockwise
  show() {
    if (document.activeElement !== field) field.value = pages.current + 1;
    $("#count").textContent = `/ ${pages.sections.length}${pages.status}`;
    document.dispatchEvent(new Event("moved"));
  },
  shape(section) { // so that its place is known before it is drawn
    const picture = section.querySelector("img");
    const { width, height } = section.querySelector("svg")?.viewBox.baseVal ?? { width: picture.getAttribute("width"), height: picture.getAttribute("height") };
    section.style.aspectRatio = `${width} / ${height}`;
  },
  begin(sections) {
    pages.sections = sections;
    sections.forEach(pages.shape);
    field.max = sections.length;
    field.closest("label").hidden = !sections.length;
    for (const one of sections) here.observe(one);
    pages.show();
  },
};
const reach = n => {
  pages.current = n;
  pages.show();
};
const HIGHEST = .25, LOWEST = .35; // parts of the window: pages between them are near the top, where `go` puts a page, however low it is
const near = new Set(); // these pages, as the browser has reported
// A report says where pages were in the last frame, and a key may have led elsewhere since.
const isNear = section => {
  const { top, bottom } = section.getBoundingClientRect(), { clientHeight } = document.documentElement;
  return top <= LOWEST * clientHeight && bottom >= HIGHEST * clientHeight;
};
const here = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (entry.isIntersecting) near.add(entry.target);
    else near.delete(entry.target);
  }
  const entered = entries.findLast(entry => entry.isIntersecting && isNear(entry.target))?.target;
  const first = [...near].find(isNear); // if the current page has left, as when pages are turned
  const reached = entered ?? (isNear(pages.sections[pages.current]) ? null : first);
  if (reached) reach(isAtTop() ? 0 : pages.sections.indexOf(reached));
}, { rootMargin: `${-100 * HIGHEST}% 0px ${-100 * (1 - LOWEST)}% 0px` });
addEventListener("scroll", () => {
  if (isAtTop() && pages.current) reach(0);
}, { passive: true });
viewer.go = (n, top = 0) => { // `top` in points from the page's upper edge
  if (!pages.sections.length || Number.isNaN(n)) return;
  const at = Math.min(pages.sections.length - 1, Math.max(0, n)), section = pages.sections[at];
  section.scrollIntoView({ block: "start", behavior: "instant" });
  if (top && !pages.turned) scrollBy({ top: top * section.clientWidth / section.querySelector("svg").viewBox.baseVal.width, behavior: "instant" });
  viewer.remember();
  reach(at);
};
field.addEventListener("change", () => viewer.go(field.valueAsNumber - 1));
document.addEventListener("click", e => {
  const link = e.target.closest("a[data-top]");
  if (link) setTimeout(() => viewer.go(link.getAttribute("href").slice(2) - 1, Number(link.dataset.top))); // after the browser went to the page
});
Object.assign(viewer.actions, { j: () => viewer.go(pages.current + 1), k: () => viewer.go(pages.current - 1), g: () => field.select() });
pages.begin([...document.querySelectorAll(".page")]);
})();
