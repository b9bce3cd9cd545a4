// Optional: without scripts the document can still be read and saved.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const root = document.documentElement;
const record = JSON.parse($("#document").textContent);
const type = /^multipart\//i.test(record.contentType) ? "" : record.contentType; // Safari reads such a blob for ever
const carrier = $("#original");
root.dataset.js = "on";

// --- the original ---
let blob;
const source = carrier && (carrier.getAttribute("href") || carrier.getAttribute("src"));
const embedded = Boolean(source && source.startsWith("data:"));
const bytes = base64 => {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  return Uint8Array.from(atob(base64), c => c.charCodeAt(0));
};
const held = embedded ? source.slice(source.indexOf(",") + 1) : ""; // the original in base64
const original = () => blob ||= new Blob([bytes(held)], { type });
const saveAs = (blob, name) => {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60000);
};
const save = () => {
  if (document.body.classList.contains("no-save")) return;
  if (!embedded) return $(".save")?.click();
  saveAs(original(), record.name || document.title);
};
$("nav:has(> .save)") && $(".what").after($("nav:has(> .save)")); // last in the file, early in the order of Tab
const saver = $("#save") || (embedded && $("a.save"));
saver && saver.addEventListener("click", e => { e.preventDefault(); save(); });
for (const link of document.querySelectorAll(".take")) link.addEventListener("click", e => {
  e.preventDefault(); // a data: address is slow, and some browsers limit its length
  saveAs(new Blob([bytes(link.href.slice(link.href.indexOf(",") + 1))]), link.download);
});

// --- the original, handed to another program: a page of a phone has no other way out ---
const MOST_SHARED = 64 << 20; // bytes that are loaded for it
const sharer = $("#share");
const fileOf = blob => new File([blob], record.name || document.title, { type });
const maySend = file => { try { return Boolean(navigator.canShare?.({ files: [file] })); } catch { return false; } };
const whole = async () => embedded ? original() : (await globalThis.served.request($("a.save").href)).blob();
let loaded; // the file, once its bytes are here
const share = async () => {
  const isFirst = !loaded;
  try {
    loaded ||= fileOf(await whole());
    await navigator.share({ files: [loaded] });
  } catch (error) {
    if (error.name === "AbortError") return; // closed without a choice
    if (error.name !== "NotAllowedError" || embedded || !isFirst) return save(); // it is not a type that is shared
    sharer.classList.add("late"); // the press was too long ago
    sharer.append("Share now");
  }
};
if (sharer && record.size <= MOST_SHARED) sharer.hidden = !maySend(fileOf(new Blob()));

// --- SHA-256; the page answers meanwhile. WebCrypto is missing on plain HTTP and in a decrypted file ---
const PIECE = 1 << 20; // characters of base64, or bytes, that are worked on at once
const pause = () => new Promise(done => setTimeout(done));
const decode = async () => {
  const pieces = [];
  for (let at = 0; at < held.length; at += PIECE) {
    pieces.push(bytes(held.slice(at, at + PIECE)));
    await pause();
  }
  blob ||= new Blob(pieces, { type });
};
const digest = async data => {
  if (globalThis.crypto?.subtle) return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every(p => n % p)) primes.push(n);
  const fraction = x => (x - Math.floor(x)) * 4294967296 | 0;
  const k = primes.map(p => fraction(Math.cbrt(p))), state = primes.slice(0, 8).map(p => fraction(Math.sqrt(p)));
  const length = data.byteLength, all = new Uint8Array(64 * Math.ceil((length + 9) / 64)), view = new DataView(all.buffer);
  all.set(new Uint8Array(data));
  all[length] = 128;
  view.setUint32(all.length - 8, Math.floor(length / 536870912));
  view.setUint32(all.length - 4, length << 3);
  const w = new Int32Array(64), rotate = (x, n) => x >>> n | x << 32 - n;
  for (let at = 0; at < all.length; at += 64) {
    if (at % PIECE === 0) await pause();
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15], y = w[i - 2];
      w[i] = w[i - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >>> 3) + w[i - 7] + (rotate(y, 17) ^ rotate(y, 19) ^ y >>> 10);
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const s = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (e & f ^ ~e & g) + k[i] + w[i] | 0;
      const t = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
      h = g; g = f; f = e; e = d + s | 0; d = c; c = b; b = a; a = s + t | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((v, i) => { state[i] = state[i] + v | 0; });
  }
  state.forEach((v, i) => view.setInt32(i * 4, v));
  return all.subarray(0, 32);
};
const verify = async () => {
  await decode();
  const sum = await digest(await original().arrayBuffer());
  const ok = Array.from(sum, x => x.toString(16).padStart(2, "0")).join("") === record.sha256;
  $("#check").dataset.ok = ok ? "yes" : "no";
  $("#check").textContent = ok ? "✓ verified" : "✗ does not match: this copy is damaged";
  if (!ok) globalThis.served?.post("error", { reason: "damaged" });
};
const idle = globalThis.requestIdleCallback || (f => setTimeout(f, 200));
if (embedded) addEventListener("load", () => idle(() => verify().catch(() => {}), { timeout: 2000 }));

// --- the reader's place: it stays when something above it gets another height, also in browsers without scroll anchoring ---
const UNITS = ".page, .code a, .block, .entry, .prose > *", AT_TOP = 8; // pixels
const main = $("main");
let place = null; // what is below the bar, and which part of it is above its edge or how far it is below; nothing at the top
let settled = {}; // where the page was scrolled to then, and the size of its main part
const bar = $(".bar"), ROOM = 16; // pixels below it
const keepClear = () => { root.style.scrollPaddingTop = `${bar.offsetHeight + ROOM}px`; }; // it has a second row on a phone
keepClear();
new ResizeObserver(keepClear).observe(bar);
const edge = () => bar.getBoundingClientRect().bottom + 1;
const settle = () => { settled = { top: scrollY, width: main.clientWidth, height: main.clientHeight }; };
const isSettled = () => settled.width === main.clientWidth && settled.height === main.clientHeight;
const found = y => document.elementsFromPoint(innerWidth / 2, y).map(one => one.closest(UNITS)).find(Boolean);
const STEP = 20; // pixels, less than a line
// A block without lines is not laid out yet and will get another height. The line that was asked for may be in the next one.
const firstLine = block => {
  for (let y = edge(); y < innerHeight; y += STEP) {
    const unit = found(y);
    if (unit && !unit.matches(".block")) return unit;
  }
  return block;
};
const firstInView = () => {
  const unit = found(edge()) || found(edge() + 24); // between two pages is a gap
  return unit?.matches(".block") ? firstLine(unit) : unit;
};
const remember = sought => {
  const element = sought || (scrollY >= AT_TOP && firstInView());
  place = null;
  if (element) {
    const { top, height } = element.getBoundingClientRect();
    const above = edge() - top;
    place = { element, part: Math.max(0, above) / height, below: Math.max(0, -above) };
  }
  settle();
};
const restore = (moved = 0) => { // by the reader, in pixels, since the place was found
  if (!place || Math.abs(moved) > innerHeight) return remember();
  if (place.element.isConnected) {
    const { top, height } = place.element.getBoundingClientRect();
    scrollBy({ top: top + place.part * height - place.below - edge() + moved, behavior: "instant" });
  }
  settle();
};
addEventListener("scroll", () => { if (isSettled()) remember(); }, { passive: true });
// Makes a change above the place. A browser tells of scrolling, as to the line of an address, only in the next frame.
const keepPlace = change => {
  if (scrollY !== settled.top) remember();
  change();
  restore();
};
const sizes = new ResizeObserver(() => {
  if (isSettled()) return;
  restore(settled.width === main.clientWidth ? scrollY - settled.top : 0);
  sizes.disconnect(); // what has come into view by that gets its height in this frame, and is told in the next
  requestAnimationFrame(() => sizes.observe(main));
});
sizes.observe(main);

// --- tools ---
const viewer = globalThis.viewer = { // what the scripts of a kind may change
  scale: 1, least: .5, most: 3, carrier, saveAs, bytes, held, original, remember, keepPlace,
  stepped: sign => Math.round(10 * viewer.scale + sign) / 10,
  percent: () => Math.round(100 * viewer.scale),
  zoom: n => {
    viewer.scale = Math.min(viewer.most, Math.max(viewer.least, n));
    root.style.setProperty("--zoom", viewer.scale);
    root.classList.toggle("zoomed", viewer.scale !== 1);
    if ($("#zoom")) $("#zoom").textContent = viewer.percent() + "%";
    restore();
  },
};
const wrap = () => {
  const on = root.dataset.wrap !== "on";
  root.dataset.wrap = on ? "on" : "off";
  $("[data-do=w]")?.setAttribute("aria-pressed", on);
};
const theme = () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
};
const full = () => document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen?.().catch(() => {});
// navigator.clipboard is missing without https and in a sandboxed page
const copy = (node, button) => {
  getSelection().selectAllChildren(node);
  const copied = document.execCommand("copy");
  getSelection().removeAllRanges();
  const label = button?.textContent;
  if (!copied || !button || label === "Copied") return;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1500);
};
const copyButton = node => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => copy(node, button));
  return button;
};
const help = () => $("#help").open ? $("#help").close() : $("#help").showModal();
const actions = {
  s: save, share, p: () => print(), t: theme, w: wrap, e: full, "?": help,
  c: () => $(".code") && copy($(".code code"), $(".copy")),
  "+": () => viewer.zoom(viewer.stepped(1)), "=": () => viewer.zoom(viewer.stepped(1)),
  "-": () => viewer.zoom(viewer.stepped(-1)), 0: () => viewer.zoom(1),
};
viewer.actions = actions;
// What has a scroll bar of its own is scrolled without a click; a frame from the second key on.
const scrollByKey = e => {
  const box = [...document.querySelectorAll("main :is(.grid, .frame, .stage)")].find(one => one.offsetParent);
  const page = .9 * box?.clientHeight, keys = { PageDown: page, PageUp: -page, " ": page, Home: -1e9, End: 1e9, ArrowDown: 40, ArrowUp: -40 };
  if (!box || !Object.hasOwn(keys, e.key) || !e.target.matches("html, body, main")) return;
  if (!box.matches(".frame") && box.scrollHeight <= box.clientHeight) return;
  e.preventDefault();
  box.focus({ preventScroll: true });
  box.scrollBy(0, keys[e.key]);
};
document.addEventListener("keydown", e => {
  if (!e.ctrlKey && !e.metaKey && !e.altKey && !e.shiftKey) scrollByKey(e);
  if (e.ctrlKey || e.metaKey || e.altKey || !$("#keys").checked || e.target.closest("input,textarea,select")) return;
  const action = Object.hasOwn(actions, e.key) && actions[e.key];
  if (action && (e.key === "?" || !$("#help").open)) { e.preventDefault(); action(); }
});
document.addEventListener("click", e => {
  const button = e.target.closest("[data-do]");
  if (button) actions[button.dataset.do]();
});
document.querySelectorAll("main > .code, .prose pre").forEach(pre => {
  const box = document.createElement("div");
  box.className = "copied";
  pre.replaceWith(box);
  box.append(pre, copyButton($(".prose") ? pre : pre.firstChild));
});
// a table that has a scroll bar is reached by Tab, so that keys scroll it
const reachTables = () => document.querySelectorAll(".prose table").forEach(table => {
  if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  else table.removeAttribute("tabindex");
});
new ResizeObserver(reachTables).observe(main);
$("#digest")?.after(copyButton($("#digest")));
// In a frame it is left to the page around, and to ask would be told at the console.
if (self !== top || !document.fullscreenEnabled) $("[data-do=e]")?.remove();
if (!CSS.supports("color", "light-dark(#000, #fff)")) $("[data-do=t]")?.remove(); // all is light there
})();
