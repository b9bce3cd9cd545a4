// Shows one of several documents at a time, in a sandboxed frame. Only that one is decoded: here,
// or if the file has a password by the page around this one, which decrypts it.
(() => {
"use strict";
const $ = id => document.getElementById(id);
$("off")?.remove(); // what to do where no script runs
const links = [...document.querySelectorAll("ol a")];
const sandbox = "allow-scripts allow-downloads allow-modals allow-popups allow-popups-to-escape-sandbox";
const from64 = s => Uint8Array.fromBase64 ? Uint8Array.fromBase64(s) : Uint8Array.from(atob(s), c => c.charCodeAt(0));
let current; // the number of the document that is open
const pageOf = async n => {
  const held = $("document-" + n);
  if (held) {
    const [, head, original, tail] = held.textContent.split("\n");
    return new Blob([from64(head), original, from64(tail)], { type: "text/html;charset=utf-8" });
  }
  parent.postMessage({ open: n }, "*");
  return new Promise(done => addEventListener("message", function answered(e) {
    if (e.source !== parent || e.data?.opened !== n) return;
    removeEventListener("message", answered);
    done(e.data.page);
  }));
};
const framed = (id, title, blob, place = "") => {
  const frame = document.createElement("iframe");
  frame.id = frame.name = id;
  frame.title = title;
  if (id === "shown") frame.sandbox = sandbox;
  frame.src = URL.createObjectURL(blob) + place;
  document.body.append(frame);
  return frame;
};
const show = async n => {
  current = n;
  for (const former of document.querySelectorAll("#shown, #pdf, #failed")) {
    if (former.src) URL.revokeObjectURL(former.src.split("#")[0]);
    former.remove();
  }
  const link = links[n - 1];
  $("contents").hidden = Boolean(link);
  $("bar").hidden = !link;
  if (!link) return;
  $("place").textContent = `${n} of ${links.length}`;
  $("previous").hidden = n === 1;
  $("next").hidden = n === links.length;
  const page = await pageOf(n).catch(() => null);
  if (current !== n) return;
  if (page) return framed("shown", link.querySelector("bdi").textContent, page).focus();
  const note = document.createElement("p");
  Object.assign(note, { id: "failed", className: "note", textContent: "This document is damaged, or was taken out of this file." });
  document.body.append(note);
};
// The browser's viewer of PDFs does not work in a sandbox: here it lies over the place that the page leaves for it.
const pdfOf = blob => new Blob([blob], { type: "application/pdf" });
addEventListener("message", e => {
  const page = $("shown");
  if (!page || e.source !== page.contentWindow || !e.data) return;
  const { pdf, box, alone } = e.data;
  if (alone) window.open(URL.createObjectURL(pdfOf(alone)));
  if (pdf) framed("pdf", page.title, pdfOf(pdf), "#navpanes=0");
  if (box) for (const side of ["left", "width", "height"]) $("pdf").style[side] = `${box[side]}px`;
  if (box) $("pdf").style.top = `${box.top + page.offsetTop}px`;
});
const go = n => {
  history.pushState(n, "");
  show(n);
};
links.forEach((link, at) => link.addEventListener("click", e => {
  e.preventDefault();
  go(at + 1);
}));
for (const [id, to] of [["all", () => 0], ["previous", () => current - 1], ["next", () => current + 1]]) $(id).addEventListener("click", () => go(to()));
addEventListener("popstate", e => show(e.state ?? 0));
show(Number(location.hash.slice(1)));
})();
