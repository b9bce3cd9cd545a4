// <script src="https://…/embed.js" data-url="VIEW_URL"></script>
// Inserts an iframe with the document at the place of the script. Options: data-height (pixels;
// default: the height of the document), data-max-height, data-title.
// The iframe element dispatches the events `ready`, `size` and `error`.
(() => {
  "use strict";
  const script = document.currentScript;
  const address = new URL(script.dataset.url, document.baseURI);
  if (!/^https?:$/.test(address.protocol)) throw new TypeError("embed.js: data-url must be http(s)");
  address.searchParams.set("embed", "1");

  const frame = document.createElement("iframe");
  frame.title = script.dataset.title || "Document";
  frame.loading = "lazy";
  frame.referrerPolicy = "no-referrer";
  frame.allow = "fullscreen";
  frame.style.cssText = "display:block;border:0;width:100%;color-scheme:normal";
  frame.style.height = (+script.dataset.height || 600) + "px";
  frame.className = "document-viewer";
  frame.src = address;

  const dispatch = (type, detail) => frame.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  let ready = false;
  addEventListener("message", event => {
    const message = event.data;
    // the viewer is sandboxed and has no origin: check its window instead
    if (event.source !== frame.contentWindow || !message || message.source !== "document-viewer") return;
    if (message.type === "size" && !script.dataset.height) {
      const maxHeight = +script.dataset.maxHeight || 20000;
      frame.style.height = Math.min(Math.max(+message.height || 0, 200), maxHeight) + "px";
    }
    ready = ready || message.type === "ready";
    dispatch(message.type, message);
  });
  // for a rejected iframe the browser loads an error page, which posts no message
  frame.addEventListener("load", () => setTimeout(() => ready || dispatch("error", { type: "error" }), 3000));
  // a script in the head inserts the iframe into the body
  if (!script.closest("head")) script.after(frame);
  else addEventListener("DOMContentLoaded", () => document.body.append(frame));
})();
