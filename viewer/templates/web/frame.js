// Prints all of a page that is shown in an iframe, which itself is printed as high as on the screen,
// and shows a mail in an iframe as high as itself. A page can't look into the iframe: it measures and prints a copy, or
// where the browser can't clean one, lets a script of ours in the iframe tell its size.
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
  frame.nextElementSibling.firstChild.shadowRoot.setHTML("<style>x-html,x-body{display:block}*{page:auto!important}<\/style>" + renamed, { sanitizer: { removeElements: ["meta", "link", "base", "form", "noscript"] } });
};
const papers = () => document.querySelectorAll(".frame:not(:has(+ .paper))").forEach(one => paper(one));
const SMALLEST = 0.3, ROUNDED = 8, HIGHEST = 30000; // pixels of a mail
const PAPER = 680; // pixels: what A4 and Letter have between the margins of the page, or a little less
// How much smaller a page is made that wants to be this wide.
const scaleOf = (wanted, width) => wanted > width ? Math.max(SMALLEST, width / (wanted + ROUNDED)) : 1;

// --- without a copy ---
const open = closed => {
  const frame = closed.cloneNode(); // not `srcdoc`, which no text may be written into
  frame.sandbox.add("allow-scripts"); // the page's policy, which the iframe inherits, allows no script but ours
  const isMail = closed.matches(":is(.is-mail, .letters) *");
  let asked = 0, answered = () => {};
  const size = () => new Promise(done => {
    answered = done;
    frame.contentWindow.postMessage({ asked: ++asked }, "*");
  });
  const sizeAt = width => {
    Object.assign(frame.style, { width: `${width}px`, maxWidth: "none" });
    return frame.clientWidth && size(); // it is laid out
  };
  // How high the page is in this width; one that is wider has the scale by which it is made smaller.
  const fitted = async width => {
    const first = await sizeAt(width);
    const scale = scaleOf(first.width, width);
    const { height } = scale < 1 ? await sizeAt(width / scale) : first;
    return { scale, height };
  };
  const natural = { width: "", maxWidth: "", transform: "", margin: "" };
  const fit = async () => {
    Object.assign(frame.style, natural);
    const width = frame.clientWidth;
    if (!width) return; // the message is closed
    const { scale, height } = await fitted(width);
    const high = Math.min(height, HIGHEST);
    const smaller = { transform: `scale(${scale})`, transformOrigin: "0 0", margin: `0 ${width - width / scale}px ${high * (scale - 1)}px 0` };
    Object.assign(frame.style, { height: `${high}px` }, scale < 1 ? smaller : natural);
  };
  const measure = async () => {
    if (frame.parentElement.clientWidth) {
      const { scale, height } = await fitted(PAPER);
      frame.style.setProperty("--paper", `${height}px`);
      frame.style.setProperty("--paper-scale", scale);
    }
    Object.assign(frame.style, { width: "", maxWidth: "" });
    if (isMail) await fit();
    frame.classList.add("told");
  };
  addEventListener("message", e => {
    if (e.source !== frame.contentWindow) return;
    if (e.data.asked === "opened") measure();
    if (e.data.asked === asked) answered(e.data);
  });
  closed.replaceWith(frame);
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    const isOther = contentRect.width !== width;
    width = contentRect.width;
    if (isOther && frame.matches(".told")) measure();
  }).observe(frame.parentElement);
};
if (!Element.prototype.setHTML) return document.querySelectorAll(".frame").forEach(open);

// --- with a copy ---
const fitPaper = copy => {
  const { width } = copy.style;
  Object.assign(copy.style, { display: "flow-root", position: "absolute", visibility: "hidden", width: `${PAPER}px` });
  copy.style.setProperty("--paper-scale", scaleOf(copy.scrollWidth, PAPER));
  Object.assign(copy.style, { display: "", position: "", visibility: "", width });
};
addEventListener("beforeprint", () => {
  papers();
  document.querySelectorAll(".paper").forEach(fitPaper);
});
const mails = document.querySelectorAll(":is(.is-mail, .letters) .frame");
if (!mails.length) return;
// A mail is as high as its content, and one that is too wide is made smaller, as mail programs do: the
// page can't look into the frame, but measures the copy.
papers();
const watch = mail => {
  const copy = mail.nextElementSibling;
  copy.inert = true;
  const fit = () => {
    Object.assign(mail.style, { width: "", maxWidth: "", zoom: "" });
    const width = mail.clientWidth;
    if (!width) return; // the message is closed
    copy.style.width = `${width}px`;
    const isWide = copy.scrollWidth > width;
    const scale = scaleOf(copy.scrollWidth, width);
    copy.style.width = `${width / scale}px`;
    const scrollBar = isWide ? 20 : 0; // there is none, unless it is wider still, or its text is rounded
    Object.assign(mail.style, {
      ...isWide && { width: `${width / scale}px`, maxWidth: "none", zoom: scale },
      height: `${Math.min(copy.scrollHeight + scrollBar, HIGHEST)}px`,
    });
    copy.style.width = `${width}px`;
  };
  const changed = new ResizeObserver(() => requestAnimationFrame(fit)); // which changes what is observed
  changed.observe(mail.parentElement);
  changed.observe(copy);
};
mails.forEach(watch);
})();
