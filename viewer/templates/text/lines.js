// Shows the lines of the original that the page was made without, and all in another encoding.
(() => {
"use strict";
const source = globalThis.viewerSource, main = document.querySelector("#main");
const code = document.querySelector("#main .code > code");
if (!source.available || !code) return;
const STEP = 20000; // lines
const BLOCK = 1000;
const MOST = 1000000; // that are shown without being asked for
const AT_ONCE = 64 << 20; // bytes of an original that is read without being asked for
let lines, shown = Number(main.dataset.shown) || 0;
const more = source.element("button", { className: "button more js", type: "button", textContent: "Show more lines" });

// The same layout as the server's: a token a line, so that no value changes.
const NUMBERS = /\[\n\s+-?\d[\d.eE+-]*(?:,\n\s+-?\d[\d.eE+-]*)*\n\s+\]/g;
const laidOut = text => {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs) || [], out = [];
  let depth = 0;
  const line = () => "\n" + "\t".repeat(Math.min(depth, 60));
  tokens.forEach((token, n) => {
    if (token === "]" || token === "}") {
      depth--;
      out.push(/^[[{]$/.test(out.at(-1)) ? token : line() + token);
      return;
    }
    out.push(token === ":" ? ": " : token);
    if (token === "[" || token === "{") depth++;
    if (/^[[{,]$/.test(token) && !/^[\]}]$/.test(tokens[n + 1])) out.push(line());
  });
  return out.join("").replace(NUMBERS, list => {
    const short = list.replace(/\n\s+/g, (_, at) => list[at - 1] === "," ? " " : "");
    return short.length > 72 ? list : short;
  });
};
const load = async () => {
  const text = await source.text();
  lines = (main.dataset.layout ? laidOut(text) : text).replace(/\n$/, "").split("\n");
};
// In blocks, of which the browser lays out what is in view.
const drawTo = stop => {
  while (shown < stop) {
    const end = Math.min(stop, shown + BLOCK), block = source.element("span", { className: "block" });
    block.style.containIntrinsicBlockSize = `auto ${1.6 * (end - shown)}em`;
    lines.slice(shown, end).forEach((text, n) => {
      const number = shown + n + 1, line = source.element("a", { id: "L" + number }, ...source.visible(text), "\n");
      line.dataset.line = number; // a block has no part in the counter of the others
      block.append(line);
    });
    code.append(block);
    shown = end;
  }
  const rest = lines.length - shown;
  source.note(rest ? `Showing ${source.count(shown)} of ${source.count(lines.length)} lines.` : "");
  more.hidden = !rest;
  more.textContent = `Show ${source.count(Math.min(rest, STEP))} more lines`;
};
let loading = null;
const loaded = () => loading ||= load().then(() => {
  document.getElementById("L" + shown)?.remove(); // it may be cut
  shown = Math.max(0, shown - 1);
});
const later = globalThis.requestIdleCallback || (f => setTimeout(f, 50));
const drawAll = () => {
  const end = Math.min(lines.length, MOST);
  if (shown < end) drawTo(Math.min(end, shown + STEP));
  if (shown < end) later(drawAll);
};
// Draws the lines up to this one, and resolves to its number, or that of the last one.
const reach = async number => {
  await loaded();
  const last = Math.min(number, lines.length);
  drawTo(last);
  return last;
};
if (shown) source.reach = reach;
more.addEventListener("click", async () => {
  await loaded();
  drawTo(Math.min(lines.length, shown + STEP));
});
source.changed = async () => {
  await load();
  loading = Promise.resolve();
  code.replaceChildren();
  shown = 0;
  source.reach = reach;
  drawAll();
};
more.hidden = !shown;
main.append(more);
const [first, it] = shown > 1 ? [`first ${source.count(shown)} lines`, "them"] : ["start of the first line", "it"];
if (shown) source.note(`Showing the ${first}. The button below ${it} shows more.`);
// All of it, so that the browser finds everything; of a very large original when it is asked for.
if (shown && source.size <= AT_ONCE) later(() => loaded().then(drawAll));
})();
