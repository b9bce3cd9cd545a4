// Derives the key, decrypts a page, shows it in an iframe; if that is the contents page of several
// documents, it asks for their pages, one by one.
(() => {
"use strict";
const $ = id => document.getElementById(id);
$("off").remove(); // what to do where no script runs
const text = new TextEncoder();
const from64 = s => Uint8Array.fromBase64 ? Uint8Array.fromBase64(s) : Uint8Array.from(atob(s), c => c.charCodeAt(0));
const to64 = bytes => {
  if (bytes.toBase64) return bytes.toBase64();
  let s = "";
  for (let i = 0; i < bytes.length; i += 0x8000) s += String.fromCharCode.apply(null, bytes.subarray(i, i + 0x8000));
  return btoa(s);
};
const part = (name, n) => $(n ? `${name}-${n}` : name).textContent;
const header = JSON.parse(part("header", 0));
let key;
const showMessage = message => { $("message").textContent = message; };

const deriveKey = async password => {
  const base = await crypto.subtle.importKey("raw", text.encode(password), "PBKDF2", false, ["deriveKey"]);
  const kdf = { name: "PBKDF2", hash: header.hash, salt: from64(header.salt), iterations: header.rounds };
  return crypto.subtle.deriveKey(kdf, base, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
};
const asMeant = typed => { // as it is, then without blanks at its ends, which come along when it is copied
  const shorter = typed.replace(/^[\s\u200b\u2060]+|[\s\u200b\u2060]+$/g, "");
  return shorter && shorter !== typed ? [typed, shorter] : [typed];
};
const pageOf = async (n, report) => {
  const header = JSON.parse(part("header", n)), additionalData = text.encode(part("header", n));
  const lines = part("pieces", n).trim().split("\n");
  const plain = new Uint8Array(header.head + header.original + header.tail);
  const iv = new Uint8Array(12), view = new DataView(iv.buffer);
  iv.set(from64(header.nonce));
  let at = 0;
  for (let i = 0; i < lines.length; i++) {
    view.setUint32(7, n * 0x1000000 + i);
    iv[11] = i === lines.length - 1 ? 1 : 0;
    const piece = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, from64(lines[i])));
    plain.set(piece, at);
    at += piece.length;
    lines[i] = "";
    if (lines.length > 8) report?.(`Opening… ${Math.round(100 * (i + 1) / lines.length)} %`);
  }
  if (at !== plain.length) throw new Error("cut");
  const start = header.head, end = start + header.original, parts = [plain.subarray(0, start)];
  for (let i = start; i < end; i += 0xc0000) parts.push(to64(plain.subarray(i, Math.min(i + 0xc0000, end))));
  parts.push(plain.subarray(end));
  return new Blob(parts, { type: "text/html;charset=utf-8" });
};
const show = blob => {
  const frame = document.createElement("iframe");
  frame.className = "opened";
  frame.title = "Document";
  frame.addEventListener("load", () => frame.focus());
  addEventListener("message", async e => {
    const opened = e.data?.open;
    if (e.source !== frame.contentWindow || !opened) return;
    e.source.postMessage({ opened, page: await pageOf(opened).catch(() => null) }, "*");
  });
  frame.src = URL.createObjectURL(blob);
  document.body.replaceChildren(frame, ...document.querySelectorAll("[id^=header-], [id^=pieces-]"));
};
$("form").addEventListener("submit", async e => {
  e.preventDefault();
  if (!globalThis.crypto?.subtle) return showMessage("This browser can't open it from here. Save the file and open it from the disk.");
  $("open").disabled = true;
  showMessage("Opening…");
  await new Promise(done => setTimeout(done, 30));
  for (const password of asMeant($("password").value)) {
    try {
      key = await deriveKey(password.normalize("NFC"));
      show(await pageOf(0, showMessage));
      return;
    } catch {
      key = null;
    }
  }
  showMessage("Wrong password, or the file is damaged.");
  $("open").disabled = false;
  $("password").select();
});
})();
