// Which rows of a long table are in sight. They are drawn between two empty rows, as high as those that are left out.
// A table may be higher than browsers can draw: then `top` is the place in it, and a little scrolling moves it as far as
// the grid has moved, a lot of it in proportion, down to its last and smallest steps.
globalThis.viewerScrolling = (grid, countRows, draw) => {
"use strict";
const { element } = globalThis.viewerSource;
const table = grid.querySelector("table"), body = table.tBodies[0], heads = table.tHead.rows[0].cells;
const ROW = 34; // pixels
const MAX_HEIGHT = 1e6; // pixels: far above, Firefox is some pixels off, and browsers draw nothing beyond 9 million at a zoom of 200 %
const MARGIN = 40; // rows drawn above and below those in sight
const SYNC = 120; // milliseconds after scrolling
let top = 0, seen = 0, isFixed = false, drawn = { first: 0, last: 0 }, syncing;
let isFar = false; // since the grid was in proportion last, it has moved a lot at once
const reach = () => {
  const least = table.tHead.offsetHeight - grid.clientHeight;
  const full = Math.max(0, countRows() * ROW + least);
  return { full, drawable: Math.min(full, MAX_HEIGHT) };
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
  below.firstChild.style.height = `${drawn.last < countRows() ? under : 0}px`;
  above.hidden = over === 0;
  below.hidden = drawn.last === countRows();
};
const inSight = () => {
  if (!isFixed) return { first: 0, last: countRows() };
  const first = Math.max(0, Math.floor(top / ROW) - MARGIN, Math.ceil((top - seen) / ROW));
  const last = Math.min(countRows(), Math.ceil((top + grid.clientHeight) / ROW) + MARGIN);
  return { first, last };
};
// Columns keep the widths that they have now, and rows get one height, so that scrolling is steady.
const fix = mostRows => {
  const widths = [...heads].map(head => Math.ceil(head.getBoundingClientRect().width));
  widths[0] = String(mostRows).length * 8 + 36;
  const least = widths.map(width => Math.max(width, 60));
  least.forEach((width, n) => { heads[n].style.width = `${width}px`; });
  table.style.width = `${least.reduce((sum, width) => sum + width, 0)}px`;
  grid.classList.add("partly");
  isFixed = true;
  drawn = { first: 0, last: body.rows.length };
  body.prepend(above); // as high as all rows, before those in sight are drawn: End is to reach the last one
  body.append(below);
};
// Puts the grid where it is in proportion to the place in the table.
const sync = () => {
  if (!isFixed) return;
  const { full, drawable } = reach();
  top = Math.max(0, Math.min(top, full));
  seen = full > drawable ? Math.round(top / full * drawable) : top;
  isFar = false;
  layOut();
  grid.scrollTop = seen;
};
const isNear = ({ first, last }) => first >= drawn.first - 1 && last <= drawn.last + 1;
const scrolled = () => {
  const now = grid.scrollTop, moved = now - seen;
  if (!isFixed || Math.abs(moved) < 1) return;
  // where the grid is in the table now
  const { full, drawable } = reach();
  isFar ||= Math.abs(moved) > 2 * grid.clientHeight;
  top = full > drawable && isFar ? now / drawable * full : top + moved;
  top = Math.max(0, Math.min(top, full));
  seen = Math.min(now, drawable);
  if (now > seen) grid.scrollTop = seen; // the rows that were drawn before reach a little further
  // the grid goes to that place when the scrolling is over
  clearTimeout(syncing);
  if (full > drawable) {
    const isAtEnd = now < 1 || now > drawable - 1;
    if (isFar) layOut();
    syncing = setTimeout(() => {
      sync();
      draw();
    }, isAtEnd ? 0 : SYNC);
  }
  // rows are drawn before there are none in sight
  const first = Math.max(0, Math.floor(top / ROW) - MARGIN / 2);
  const last = Math.min(countRows(), Math.ceil((top + grid.clientHeight) / ROW) + MARGIN / 2);
  if (!isNear({ first, last })) draw();
};
grid.addEventListener("scroll", scrolled, { passive: true });
return {
  above,
  below,
  fix,
  inSight,
  sync,
  isFixed: () => isFixed,
  isDrawn: () => isNear(inSight()),
  // The rows that are about to be drawn; the empty ones get their heights.
  setDrawn: range => {
    drawn = range;
    layOut();
  },
  forgetDrawn: () => { drawn = { first: 0, last: 0 }; },
  goToStart: () => { top = 0; },
  goToEnd: () => { top = reach().full; },
};
};
