// A PDF in a saved file: shown by the browser's own viewer, in place of what the file shows without it.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const copy = $("#copy"); // of the pages, if the original is not shown itself
let address;
const pdf = () => {
  if (address) return address;
  const blob = copy ? new Blob([viewer.bytes(copy.textContent)], { type: "application/pdf" })
    : viewer.original().slice(0, undefined, "application/pdf");
  return address = URL.createObjectURL(blob);
};
const openAlone = () => open(pdf());
$("#open")?.addEventListener("click", openAlone);

// Viewers of phones and tablets show one page of a PDF in a frame, or none.
if (navigator.pdfViewerEnabled && !matchMedia("(pointer:coarse)").matches) {
  const frame = document.createElement("iframe");
  frame.className = "frame";
  frame.title = document.title;
  frame.src = pdf() + "#navpanes=0";
  $("main").append(frame);
  const print = () => {
    try { frame.contentWindow.print(); } catch { openAlone(); } // Chromium's viewer prints only by itself
  };
  viewer.actions.p = print;
  document.addEventListener("keydown", e => {
    if ((e.ctrlKey || e.metaKey) && e.key === "p") { e.preventDefault(); print(); }
  });
}
})();
