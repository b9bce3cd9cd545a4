// Goes to a line by its number, and to the last line by the key End.
(() => {
"use strict";
const { viewer } = globalThis;
const field = document.querySelector("#goto-line"), code = document.querySelector("#main .code > code");
if (!field || !code) return;
const count = () => code.querySelectorAll("[id^=L]").length;
const show = (line, block) => {
  line.scrollIntoView({ block, behavior: "instant" });
  viewer.remember(line); // the lines around it get their height, which was estimated, after they have come into view
};
const go = async (number, block) => {
  const reached = await globalThis.viewerSource?.reach?.(number);
  const line = document.getElementById("L" + Math.max(1, Math.min(number, reached ?? count())));
  if (!line) return;
  location.replace("#" + line.id); // marks it, and keeps the way back
  show(line, block);
  requestAnimationFrame(() => show(line, block));
};
field.addEventListener("change", () => {
  const number = Math.trunc(Number(field.value));
  if (number >= 1) go(number, "center");
});
viewer.actions.g = () => field.select();
document.addEventListener("keydown", e => {
  if (e.key !== "End" || e.shiftKey || e.altKey || e.target.closest("input,textarea,select,dialog")) return;
  e.preventDefault();
  go(Infinity, "end");
});
const linked = /^#L(\d{1,9})$/.exec(location.hash);
if (linked && !document.getElementById("L" + linked[1])) go(Number(linked[1]), "center");
})();
