// Prints all of a page that is shown in an iframe, which itself is printed as high as on the screen.
(() => {
"use strict";
// `setHTML` keeps no script, handler, frame or object; the copy's styles end at its shadow root.
// A copy has no <html> or <body>: elements with names of their own stand for them.
const paper = frame => {
  const copy = document.createElement("div");
  copy.className = "paper";
  const rename = (_, start, css, end) =>
    start + css.replace(/:root\b/g, "x-html").replace(/(?<![\w.#-])(html|body)(?![\w-])/g, "x-$1") + end;
  const page = frame.srcdoc.replace(/(<style\b[^>]*>)([^]*?)(<\/style>)/g, rename).replace("<body", "<x-html><x-body");
  copy.attachShadow({ mode: "open" }).setHTML("<style>x-html,x-body{display:block}<\/style>" + page, { sanitizer: { removeElements: ["meta", "link", "base", "form"] } });
  frame.after(copy);
};
addEventListener("beforeprint", () => {
  if (Element.prototype.setHTML) document.querySelectorAll(".frame:not(:has(+ .paper))").forEach(paper);
});
})();
