// Prints all of a page that is shown in an iframe, which itself is printed as high as on the screen,
// and shows a mail in an iframe as high as itself.
(() => {
"use strict";
// `setHTML` keeps no script, handler, frame or object; the copy's styles end at its shadow root.
// A copy has no <html> or <body>: elements with names of their own stand for them. Word names the
// pages of a mail, which would begin on a new one.
const paper = frame => {
  if (!frame.matches(":has(+ .paper)")) {
    const copy = document.createElement("div"), host = document.createElement("div");
    copy.className = "paper";
    host.attachShadow({ mode: "open" });
    copy.append(host); // the copy's styles can change the host, but not what is around it
    frame.after(copy);
  }
  const rename = (_, start, css, end) =>
    start + css.replace(/:root\b/g, "x-html").replace(/(?<![\w.#-])(html|body)(?![\w-])/g, "x-$1") + end;
  const renamed = frame.srcdoc.replace(/(<style\b[^>]*>)([^]*?)(<\/style>)/g, rename).replace("<body", "<x-html><x-body");
  frame.nextElementSibling.firstChild.shadowRoot.setHTML("<style>x-html,x-body{display:block}*{page:auto!important}<\/style>" + renamed, { sanitizer: { removeElements: ["meta", "link", "base", "form"] } });
};
const papers = () => document.querySelectorAll(".frame:not(:has(+ .paper))").forEach(one => paper(one));
if (!Element.prototype.setHTML) return;
addEventListener("beforeprint", papers);
const mails = document.querySelectorAll(":is(.is-mail, .letters) .frame");
if (!mails.length) return;
// A mail is as high as its content, and one that is too wide is made smaller, as mail programs do: the
// page can't look into the frame, but measures the copy.
papers();
const SMALLEST = 0.3, ROUNDED = 8;
const watch = mail => {
  const copy = mail.nextElementSibling;
  copy.inert = true;
  const fit = () => {
    Object.assign(mail.style, { width: "", maxWidth: "", zoom: "" });
    const width = mail.clientWidth;
    if (!width) return; // the message is closed
    copy.style.width = `${width}px`;
    const isWide = copy.scrollWidth > width;
    const scale = isWide ? Math.max(SMALLEST, width / (copy.scrollWidth + ROUNDED)) : 1;
    copy.style.width = `${width / scale}px`;
    const scrollBar = isWide ? 20 : 0; // there is none, unless it is wider still, or its text is rounded
    Object.assign(mail.style, {
      ...isWide && { width: `${width / scale}px`, maxWidth: "none", zoom: scale },
      height: `${Math.min(copy.scrollHeight + scrollBar, 30000)}px`,
    });
    copy.style.width = `${width}px`;
  };
  const changed = new ResizeObserver(() => requestAnimationFrame(fit)); // which changes what is observed
  changed.observe(mail.parentElement);
  changed.observe(copy);
};
mails.forEach(watch);
})();
