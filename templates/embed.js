// <script src="https://…/embed.js" data-url="VIEW_URL"></script>
// Puts a frame with the document where the script stands. Options: data-height (pixels; without
// it the frame is as high as the document), data-max-height, data-title.
// The frame posts what happens as events on the element: `ready`, `size`, `error`.
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

  const tell = (type, detail) => frame.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  let ready = false;
  addEventListener("message", event => {
    const said = event.data;
    // the viewer is sandboxed and has no origin, so it is known by its window
    if (event.source !== frame.contentWindow || !said || said.source !== "document-viewer") return;
    if (said.type === "size" && !script.dataset.height) {
      const most = +script.dataset.maxHeight || 20000;
      frame.style.height = Math.min(Math.max(+said.height || 0, 200), most) + "px";
    }
    ready = ready || said.type === "ready";
    tell(said.type, said);
  });
  // a frame that was refused loads a page of the browser's own, which says nothing
  frame.addEventListener("load", () => setTimeout(() => ready || tell("error", { type: "error" }), 3000));
  // nothing shows in a head, so a script that stands there means the body
  if (!script.closest("head")) script.after(frame);
  else addEventListener("DOMContentLoaded", () => document.body.append(frame));
})();
