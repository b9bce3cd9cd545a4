// Shows the lines of the original that the page was made without, and all in another encoding.
(() => {
"use strict";
const source = globalThis.viewerSource, main = document.querySelector("#main");
const code = document.querySelector("#main .code > code");
if (!source.available || !code) return;
const STEP = 20000;
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
const draw = (step = STEP) => {
  const stop = Math.min(lines.length, shown + step);
  code.append(...lines.slice(shown, stop).map((line, n) =>
    source.element("a", { id: "L" + (shown + n + 1) }, ...source.visible(line), "\n")));
  shown = stop;
  const rest = lines.length - shown;
  source.note(rest ? `Showing ${source.count(shown)} of ${source.count(lines.length)} lines.` : "");
  more.hidden = !rest;
  more.textContent = `Show ${source.count(Math.min(rest, STEP))} more lines`;
};
more.addEventListener("click", async () => {
  const isFirst = !lines;
  if (isFirst) {
    await load();
    document.getElementById("L" + shown)?.remove();  // it may be cut
    shown = Math.max(0, shown - 1);
  }
  draw(STEP + isFirst);
});
source.changed = async () => {
  await load();
  code.replaceChildren();
  shown = 0;
  draw();
};
more.hidden = !shown;
main.append(more);
const [first, it] = shown > 1 ? [`first ${source.count(shown)} lines`, "them"] : ["start of the first line", "it"];
if (shown) source.note(`Showing the ${first}. The button below ${it} shows more.`);
})();
