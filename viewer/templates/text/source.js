// The original as text, in pieces, for scripts that show more of it. The page holds its bytes, or loads them in ranges.
globalThis.viewerSource = (() => {
"use strict";
const { viewer, served } = globalThis;
const main = document.querySelector("#main");
const RANGE = 1 << 20; // bytes of the original that are asked for at once
const MOST_RANGES = 128; // that are kept
const PIECE = 128 << 10; // bytes of the original that are decoded at once
const MOST_TEXTS = 32; // pieces whose text is kept
const AT_ONCE = 12; // milliseconds for which a script works before the page answers again
const INVISIBLE = new RegExp("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e" +
  "\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]+", "gu");
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

// --- values by key, of which those used last are kept ---
const kept = most => {
  const values = new Map();
  return {
    get(key, make) {
      const value = values.has(key) ? values.get(key) : make();
      values.delete(key);
      values.set(key, value);
      if (values.size > most) values.delete(values.keys().next().value);
      value.catch(() => values.delete(key)); // it may be there the next time
      return value;
    },
  };
};

// --- the bytes: an object with their number, and what resolves to a part of them ---
const heldBytes = (base64, size) => ({
  size,
  async read(start, stop) {
    const first = Math.floor(start / 3);
    const decoded = viewer.bytes(base64.slice(4 * first, 4 * Math.ceil(stop / 3)));
    return decoded.subarray(start - 3 * first, stop - 3 * first);
  },
});
const loadedBytes = (address, size) => {
  const ranges = kept(MOST_RANGES);
  let whole = null; // what a server has sent that knows no ranges
  const load = async start => {
    const stop = Math.min(size, start + RANGE);
    if (whole) return whole.subarray(start, stop);
    const answer = await served.request(address, { headers: { Range: `bytes=${start}-${stop - 1}` } });
    const isWhole = answer.status === 200;
    if (isWhole && size > RANGE * MOST_RANGES) {
      await answer.body.cancel();
      throw new Error("too large to be loaded at once");
    }
    const data = new Uint8Array(await answer.arrayBuffer());
    if (data.length !== (isWhole ? size : stop - start)) throw new Error("not the bytes that were asked for");
    if (!isWhole) return data;
    whole = data;
    return whole.subarray(start, stop);
  };
  const range = start => ranges.get(start, () => load(start));
  return {
    size,
    async read(start, stop) {
      const parts = [];
      for (let from = start - start % RANGE; from < stop; from += RANGE) {
        const data = await range(from);
        parts.push(data.subarray(Math.max(0, start - from), stop - from));
        if (from + RANGE < size) range(from + RANGE).catch(() => {}); // who reads on tells of it
      }
      if (parts.length === 1) return parts[0];
      const joined = new Uint8Array(stop - start);
      let at = 0;
      for (const part of parts) {
        joined.set(part, at);
        at += part.length;
      }
      return joined;
    },
  };
};
const ofPage = () => {
  const { size } = JSON.parse(document.querySelector("#document").textContent);
  if (viewer.held) return heldBytes(viewer.held, size);
  const address = document.documentElement.dataset.content;
  return address && served ? loadedBytes(address, size) : null;
};
const bytes = ofPage();

// --- the text, in pieces that end where a line or at least a character does ---
const lineEnd = (data, charset) => {
  if (charset.startsWith("utf-16")) {
    const low = charset === "utf-16le" ? 0 : 1;
    const unit = at => data[at + low] | data[at + 1 - low] << 8;
    const end = data.length - data.length % 2;
    for (let at = end - 2; at >= 0; at -= 2) if (unit(at) === 10) return at + 2;
    const last = unit(end - 2);
    return last === 13 || last >= 0xd800 && last < 0xdc00 ? end - 2 : end;
  }
  const end = data.lastIndexOf(10);
  if (end >= 0) return end + 1;
  // No encoding has a space within a character.
  const space = Math.max(data.lastIndexOf(32), data.lastIndexOf(9));
  if (space >= 0) return space + 1;
  let start = data.length - 1;
  while (start > data.length - 4 && (data[start] & 0xc0) === 0x80) start--;
  return data[start] < 0x80 && data[start] !== 13 ? data.length : start;
};
const decoder = (label, options) => { try { return new TextDecoder(label, options); } catch { return null; } };
const opened = charset => {
  const starts = [0]; // of the pieces, as far as they are known
  const texts = kept(MOST_TEXTS);
  const decode = async n => {
    const start = starts[n];
    const data = await bytes.read(start, Math.min(bytes.size, start + PIECE));
    const isLast = start + data.length === bytes.size;
    const length = isLast ? data.length : lineEnd(data, charset);
    starts[n + 1] = start + length;
    const text = decoder(charset, { ignoreBOM: n > 0 }).decode(data.subarray(0, length));
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  };
  // Resolves to the text of a piece whose predecessors were asked for before, line ends normalised; null behind the last.
  return async n => starts[n] < bytes.size ? texts.get(n, () => decode(n)) : null;
};

let paused = performance.now();
const first = decoder(main.dataset.charset || "unknown");
const source = {
  available: Boolean(bytes && first),
  charset: first?.encoding,
  size: bytes?.size,
  piece: bytes && first && opened(first.encoding),
  changed() {},
  choose(charset) {
    source.charset = charset;
    source.piece = opened(charset);
    source.changed();
  },
  // How much of the original lies before a piece, from 0 to 1.
  share: n => Math.min(1, n * PIECE / bytes.size),
  // Lets the page answer, if a script has worked for long. It waits its turn: with `scheduler.yield` it would go before
  // all timers, as long as it works.
  async breathe() {
    if (performance.now() - paused < AT_ONCE) return;
    await (globalThis.scheduler?.postTask?.(() => {}) ?? new Promise(done => setTimeout(done)));
    paused = performance.now();
  },
  element,
  visible,
  count(number, noun = "") {
    const shown = number.toLocaleString("en");
    return noun ? `${shown} ${noun}${number === 1 ? "" : "s"}` : shown;
  },
  // Replaces the note above the document; an empty text removes it.
  note(text, ...more) {
    const old = document.querySelector("#main > .note");
    if (!text) return old && viewer.keepPlace(() => old.remove());
    const made = element("p", { className: "note" }, text, ...more);
    made.setAttribute("role", more.length ? "alert" : "note");
    viewer.keepPlace(() => old ? old.replaceWith(made) : main.prepend(made));
  },
  // Says that the rest of the original could not be loaded, for the reason that a problem tells.
  failed(problem) {
    const isRefused = [401, 403, 404, 410].includes(problem?.status);
    const reason = isRefused ? "This page was opened too long ago to load the rest of the document."
      : "The rest of the document could not be loaded. Check the connection.";
    const again = element("button", { type: "button", className: "button", textContent: "Open it again" });
    again.addEventListener("click", () => location.reload());
    source.note(`${reason} `, again);
  },
};
return source;
})();
