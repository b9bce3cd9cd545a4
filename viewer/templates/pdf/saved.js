// A PDF in a saved file: shown by the browser's own viewer, in place of what the file shows without it.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const copy = $("#copy"); // of the pages, if the original is not shown itself
const blob = () => copy ? new Blob([viewer.bytes(copy.textContent)], { type: "application/pdf" })
  : viewer.original().slice(0, undefined, "application/pdf");
let address;
const pdf = () => address ||= URL.createObjectURL(blob());
// In a file with several documents the page around this one shows the PDF: it does not work in a sandbox.
const ask = name === "shown" && (message => parent.postMessage(message, "*"));
const openAlone = () => ask ? ask({ alone: blob() }) : open(pdf());
$("#open")?.addEventListener("click", openAlone);

// Viewers of phones and tablets show one page of a PDF in a frame, or none.
if (navigator.pdfViewerEnabled && !matchMedia("(pointer:coarse)").matches) {
  const frame = document.createElement(ask ? "div" : "iframe");
  frame.className = "frame";
  frame.title = document.title;
  $("main").append(frame);
  if (ask) {
    ask({ pdf: blob() });
    const place = () => ask({ box: frame.getBoundingClientRect().toJSON() });
    new ResizeObserver(place).observe(document.body);
    addEventListener("scroll", place);
  } else frame.src = pdf() + "#navpanes=0";
  const print = () => {
    try { frame.contentWindow.print(); } catch { openAlone(); } // Chromium's viewer prints only by itself
  };
  viewer.actions.p = print;
  document.addEventListener("keydown", e => {
    if ((e.ctrlKey || e.metaKey) && e.key === "p") { e.preventDefault(); print(); }
  });
}
})();
