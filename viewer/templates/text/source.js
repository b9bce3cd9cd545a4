// The original as text, for scripts that show more of it.
globalThis.viewerSource = (() => {
"use strict";
const main = document.querySelector("#main");
const INVISIBLE = new RegExp("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e" +
  "\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]+", "gu");
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g"); // of terminals, in logs
const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
// Returns nodes for a text, with a chip in place of each run of invisible characters.
const visible = text => {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(INVISIBLE)) {
    const codes = [...found[0]].map(c => "U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0"));
    const label = codes.slice(0, 4).join(" ") + (codes.length > 4 ? ` …×${codes.length}` : "");
    nodes.push(text.slice(end, found.index), element("span", { className: "ctl", title: label }, label));
    end = found.index + found[0].length;
  }
  nodes.push(text.slice(end));
  return nodes;
};
const held = main.dataset.bytes, bytes = held ? async () => globalThis.viewer.bytes(held) : globalThis.originalBytes;
const decoder = label => { try { return new TextDecoder(label); } catch { return null; } };
const first = decoder(main.dataset.charset || "unknown");
const source = {
  available: Boolean(bytes && first),
  charset: first?.encoding,
  size: (held ?? document.querySelector("#original")?.getAttribute("href") ?? "").length * 3 / 4, // about
  changed() {},
  element,
  visible,
  count: number => number.toLocaleString("en"),
  // Resolves to the whole text, line ends normalised.
  async text() {
    const decoded = new TextDecoder(source.charset).decode(await bytes());
    return decoded.replace(/\r\n?/g, "\n").replace(COLOURS, "");
  },
  // Replaces the note above the document; an empty text removes it.
  note(text) {
    const old = document.querySelector("#main > .note");
    if (!text) return old?.remove();
    const made = element("p", { className: "note", textContent: text });
    made.setAttribute("role", "note");
    old ? old.replaceWith(made) : main.prepend(made);
  },
};
return source;
})();
