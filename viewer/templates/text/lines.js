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
const PART = 16 << 10; // characters of a long line that are laid out at once
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g"); // of terminals, in logs
let shown = Number(main.dataset.shown) || 0;
const more = source.element("button", { className: "button more js", type: "button", textContent: "Show more lines" });

// --- JSON in the same layout as the server's: token by token, so that no value changes ---
const TOKEN = /"(?:[^"\\]|\\.)*("?)|[{}[\],:]|[^\s{}[\],:"]+/gs;
const REST_OF_STRING = /^(?:[^"\\]|\\.)*("?)/s;
const NUMBER = /^-?\d[\d.eE+-]*$/;
const MOST_INDENTED = 60;
const MOST_IN_LINE = 72; // characters of a list of numbers
const MOST_HELD = 1000; // characters of a word that may go on
const layout = () => {
  let out, depth = 0, before = "", held = "", isInString = false, list = null;
  const line = () => "\n" + "\t".repeat(Math.min(depth, MOST_INDENTED));
  const writeList = () => {
    if (list) out += list.long;
    list = null;
  };
  const addToList = (gap, token) => {
    list.long += gap + token;
    list.short += before === "," ? ` ${token}` : token;
    const isShort = list.short.length <= MOST_IN_LINE;
    if (token === "]" && isShort) {
      out += list.short;
      list = null;
    } else if (token === "]" || !isShort) writeList();
  };
  const add = token => {
    const opens = token === "[" || token === "{";
    const closes = token === "]" || token === "}";
    const isFirst = before === "[" || before === "{";
    if (closes) depth--;
    const gap = (closes ? !isFirst : isFirst || before === ",") ? line() : "";
    if (list && (token === "," || token === "]" || NUMBER.test(token))) addToList(gap, token);
    else {
      writeList();
      out += gap;
      if (token === "[") list = { long: token, short: token };
      else out += token === ":" ? ": " : token;
    }
    if (opens) depth++;
    before = token;
  };
  // Writes as much of a string as is there; returns what is behind it.
  const writeString = rest => {
    const [part, end] = REST_OF_STRING.exec(rest);
    out += part;
    isInString = !end;
    return rest.slice(part.length);
  };
  // Returns what can be written with this text behind the former ones; without a text the rest.
  return text => {
    out = "";
    let rest = held + (text ?? "");
    held = "";
    if (isInString) rest = writeString(rest);
    for (const { 0: token, 1: end, index } of isInString ? [] : rest.matchAll(TOKEN)) {
      const behind = index + token.length;
      const isWord = token[0] !== '"' && !"{}[],:".includes(token);
      if (end === "") { // a string that goes on
        add(token);
        isInString = true;
        rest = rest.slice(behind);
        break;
      }
      if (isWord && behind === rest.length && token.length < MOST_HELD && text !== null) held = token;
      else add(token);
    }
    if (isInString) held = rest; // nothing, or a backslash whose character comes next
    if (text === null) writeList();
    return out;
  };
};

// --- lines, read as they are needed ---
async function* texts() {
  const laidOut = main.dataset.layout ? layout() : text => text?.replace(COLOURS, "") ?? "";
  for (let n = 0, text = ""; text !== null; n++) {
    text = await source.piece(n);
    yield laidOut(text);
  }
}
async function* lists() {
  let last = "", isEmpty = true;
  for await (const text of texts()) {
    const lines = text.split("\n");
    lines[0] = last + lines[0];
    last = lines.pop();
    if (lines.length) isEmpty = false;
    yield lines;
  }
  if (last || isEmpty) yield [last];
}
const reader = () => {
  const found = lists();
  let list = [], at = 0, isEnded = false;
  const fill = async () => {
    while (at === list.length && !isEnded) {
      const { value, done } = await found.next();
      isEnded = done;
      list = value ?? [];
      at = 0;
      await source.breathe();
    }
  };
  return {
    // Resolves to so many of the next lines, fewer at the end of the text.
    async take(most) {
      const taken = [];
      while (taken.length < most) {
        await fill();
        if (isEnded) break;
        const end = Math.min(list.length, at + most - taken.length);
        for (; at < end; at++) taken.push(list[at]);
      }
      await fill();
      return taken;
    },
    isEnded: () => isEnded,
  };
};

// --- drawing, in blocks of which the browser lays out what is in view ---
const drawnLine = (text, number) => {
  const line = source.element("a", { id: "L" + number });
  line.dataset.line = number; // a block has no part in the counter of the others
  if (text.length <= PART) line.append(...source.visible(text));
  else for (let at = 0; at < text.length; at += PART) {
    line.append(source.element("span", { className: "part" }, ...source.visible(text.slice(at, at + PART))));
  }
  line.append("\n");
  return line;
};
const drawBlock = lines => {
  const block = source.element("span", { className: "block" });
  block.style.containIntrinsicBlockSize = `auto ${1.6 * lines.length}em`;
  block.append(...lines.map((text, n) => drawnLine(text, shown + n + 1)));
  code.append(block);
  shown += lines.length;
};
const say = lines => {
  const isAll = lines.isEnded();
  source.note(isAll ? "" : `Showing the first ${source.count(shown, "line")}.`);
  more.hidden = isAll;
  more.textContent = `Show ${source.count(STEP)} more lines`;
};
let reading = null;
const begin = async () => {
  const lines = reader();
  if (shown) {
    await lines.take(shown - 1);
    document.getElementById("L" + shown)?.remove(); // it may be cut
    shown--;
  }
  return lines;
};
const opened = () => reading ||= begin();
let drawing = Promise.resolve();
// Draws the lines up to this one, after those that are being drawn; resolves to the number of the last one.
const reach = number => {
  const draw = async () => {
    const mine = opened();
    const lines = await mine;
    while (shown < number && !lines.isEnded()) {
      const taken = await lines.take(Math.min(BLOCK, number - shown));
      if (mine !== reading) return shown;
      drawBlock(taken);
      await source.breathe();
    }
    say(lines);
    return Math.min(number, shown);
  };
  drawing = drawing.then(draw);
  drawing = drawing.catch(problem => {
    source.failed(problem);
    return shown;
  });
  return drawing;
};
const later = globalThis.requestIdleCallback || (f => setTimeout(f, 50));
const drawAll = async () => {
  const before = shown;
  await reach(Math.min(MOST, shown + STEP));
  if (shown > before && shown < MOST) drawAll();
};
if (shown) source.reach = reach;
more.addEventListener("click", () => reach(shown + STEP));
source.changed = () => {
  reading = null;
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
if (shown && source.size <= AT_ONCE) later(drawAll, { timeout: 300 });
})();
