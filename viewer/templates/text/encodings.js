// A menu of encodings, in which the original is read again.
(() => {
"use strict";
const source = globalThis.viewerSource, main = document.querySelector("#main");
if (!source.available) return;
const { element } = source;
const ENCODINGS = {
  "utf-8": "Unicode (UTF-8)", "utf-16le": "Unicode (UTF-16 LE)", "utf-16be": "Unicode (UTF-16 BE)",
  "windows-1252": "Western", "windows-1250": "Central European (Windows)", "iso-8859-2": "Central European (ISO)",
  "windows-1251": "Cyrillic (Windows)", "koi8-r": "Cyrillic (KOI8-R)", "ibm866": "Cyrillic (DOS)", "iso-8859-5": "Cyrillic (ISO)",
  "windows-1253": "Greek", "windows-1254": "Turkish", "windows-1257": "Baltic", "windows-1255": "Hebrew",
  "windows-1256": "Arabic", "windows-874": "Thai", "windows-1258": "Vietnamese", "macintosh": "Western (Mac)",
  "shift_jis": "Japanese (Shift_JIS)", "euc-jp": "Japanese (EUC-JP)", "iso-2022-jp": "Japanese (ISO-2022-JP)",
  "gb18030": "Chinese, simplified", "big5": "Chinese, traditional", "euc-kr": "Korean",
};
const options = { [source.charset]: source.charset, ...ENCODINGS };
const menu = element("select", {}, ...Object.entries(options).map(([value, text]) => new Option(text, value)));
menu.value = source.charset;
menu.addEventListener("change", () => { source.choose(menu.value); });
const place = element("label", { className: "encoding" }, "Encoding ", menu);
source.charset === "utf-8" ? document.querySelector("footer").prepend(place) : main.prepend(place);
})();
