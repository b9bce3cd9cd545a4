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

// Whether a viewer has drawn it: one of another origin, which this page can't look into, or in a frame of its own. Of a
// plug-in that is blocked nothing is told, so what the file shows without a viewer stays below it.
const isDrawn = frame => {
  try {
    return !frame.contentDocument || Boolean(frame.contentDocument.querySelector("iframe, canvas"));
  } catch {
    return true;
  }
};

// Viewers of phones and tablets show one page of a PDF in a frame, or none.
if (navigator.pdfViewerEnabled && !matchMedia("(pointer:coarse)").matches) {
  const frame = document.createElement(ask ? "div" : "iframe");
  frame.className = "frame";
  frame.title = document.title;
  $("main > :is(.saved, .card)").before(frame);
  if (ask) {
    ask({ pdf: blob() });
    const place = () => ask({ box: frame.getBoundingClientRect().toJSON() });
    new ResizeObserver(place).observe(document.body);
    addEventListener("scroll", place);
    frame.classList.add("drawn");
  } else {
    const look = tries => {
      if (isDrawn(frame)) frame.classList.add("drawn");
      else if (tries) setTimeout(look, 250, tries - 1);
    };
    frame.src = pdf() + "#navpanes=0";
    look(240); // for a minute: not every viewer tells that it has loaded
  }
  const print = () => {
    try { frame.contentWindow.print(); } catch { openAlone(); } // Chromium's viewer prints only by itself
  };
  viewer.actions.p = print;
  document.addEventListener("keydown", e => {
    if ((e.ctrlKey || e.metaKey) && e.key === "p") { e.preventDefault(); print(); }
  });
}
})();
