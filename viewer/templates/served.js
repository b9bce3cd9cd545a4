// Messages to the page around, and its commands, and requests for more of the document. A page in a sandbox has no
// origin, so both sides check the window of a message instead.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const root = document.documentElement, framed = parent !== window;
if (location.search) history.replaceState(null, ""); // so that a reload asks again: it would send the form again
const post = (type, detail) => {
  const { id } = JSON.parse($("#document").textContent);
  if (framed) parent.postMessage({ source: "document-viewer", type, id, ...detail }, root.dataset.parent);
};
const pause = seconds => new Promise(done => setTimeout(done, seconds * 1000));
// Resolves to a good answer; throws the problem that a bad one tells. A busy service is asked again.
const request = async (url, options = {}) => {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer", ...options });
    if (answer.ok) return answer;
    if (answer.status !== 503 || tries > 30) throw await answer.json();
    await pause(Number(answer.headers.get("Retry-After")) || 2);
  }
};
globalThis.served = { post, pause, request };
if (!framed) return;
// What adapts to the height of the window has none to report: the iframe would grow or shrink forever.
const ADAPTING = ".stage, .frame, .worksheet, .partly";
let lastHeight = 0;
const measure = () => {
  if ($(ADAPTING)) return;
  const height = Math.ceil($("main").getBoundingClientRect().height) + $(".bar").offsetHeight;
  if (Math.abs(height - lastHeight) > 1) post("size", { height: lastHeight = height });
};
addEventListener("message", e => {
  if (e.source !== parent || e.data?.target !== "document-viewer") return;
  const { command, value } = e.data, { viewer } = globalThis;
  if (command === "theme" && /^(light|dark)$/.test(value)) root.dataset.theme = value;
  if (command === "page") viewer.go?.(value - 1);
  if (command === "zoom") viewer.zoom(Number(value) || 1);
  if (command === "print") viewer.actions.p();
});
addEventListener("DOMContentLoaded", () => {
  const { contentType, size } = JSON.parse($("#document").textContent);
  post("ready", { contentType, size, pages: Number($("main").dataset.count ?? document.querySelectorAll(".page").length) });
  if (document.body.matches(".embed")) new ResizeObserver(measure).observe($("main"));
});
})();
