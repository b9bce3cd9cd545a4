"use strict";
// Comfort only: without this file every page reads and every form works.
const page = document.documentElement;

function $(css, at = document) {
  return at.querySelector(css);
}

function all(css, at = document) {
  return at.querySelectorAll(css);
}

function node(name, text, properties) {
  return Object.assign(document.createElement(name), { textContent: text }, properties);
}

function say(text) {
  const box = $("#say");
  box.firstElementChild.textContent = text;
  $("form", box)?.remove(); // it took back something else
  for (const fading of box.getAnimations()) {
    fading.cancel();
    fading.play();
  }
}

page.classList.add("scripted");
const here = new URL(location);
if (here.searchParams.has("done")) { // not said again by a reload
  here.searchParams.delete("done");
  here.searchParams.delete("id");
  history.replaceState(null, "", here);
}

// --- moments, in the reader's own zone and words ---
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

function inWords(moment) {
  const minutes = Math.round((moment - Date.now()) / 60000);
  if (minutes <= 0 && minutes > -60) return ago.format(minutes, "minute");
  if (minutes <= 0 && minutes > -1440) return ago.format(Math.round(minutes / 60), "hour");
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  const isNextWeek = minutes > 0 && minutes < 10080;
  return moment.toLocaleString(undefined, {
    weekday: isNextWeek ? "short" : undefined,
    day: "numeric",
    month: "short",
    year: isThisYear ? undefined : "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}

function localize(part) {
  for (const time of all("time", part)) {
    time.title = time.textContent;
    time.textContent = inWords(new Date(time.dateTime));
  }
}

localize(document);

// --- forms ---
function lastMinute(chosen) { // of the day that is chosen, where the browser is
  const end = new Date(chosen === "tomorrow" ? Date.now() + 86400000 : chosen + "T00:00");
  end.setHours(23, 59);
  return end;
}

addEventListener("submit", event => {
  const { ends, endsOn, offset } = event.target.elements;
  if (!offset) return;
  const day = ends.value === "date" ? endsOn.value : ends.value;
  offset.value = lastMinute(day).getTimezoneOffset() || 0;
}, true); // before a listener of the form itself reads the values

for (const day of all("[name=endsOn]")) {
  day.min = new Date().toLocaleDateString("sv");
  day.ariaLabel = day.ariaLabel.replace(" (UTC)", "");
}

addEventListener("submit", event => { // one click is enough
  const form = event.target;
  if (form.matches("[data-again]")) return;
  setTimeout(() => { // the values have been read
    if (event.defaultPrevented) return;
    for (const button of all("button", form)) button.disabled = true;
  });
});

addEventListener("pageshow", () => {
  for (const button of all("button:disabled")) button.disabled = false;
  for (const mark of all("[name=watermark]")) forbidSaving(mark);
});

addEventListener("change", ({ target }) => {
  if (target.name === "watermark") forbidSaving(target);
});

function forbidSaving(mark) { // by a link whose pages are marked; else it is as it was
  const saving = $("[type=checkbox][name=permissions]", mark.form);
  if (mark.checked && !saving.disabled) {
    saving.dataset.former = saving.checked ? "checked" : "";
    saving.checked = false;
  } else if (!mark.checked && saving.disabled) {
    saving.checked = saving.dataset.former === "checked";
  }
  saving.disabled = mark.checked;
}

// --- copying ---
async function copy(text) { // a promise of a text, too: browsers want the call within the click
  try {
    if (globalThis.ClipboardItem) {
      const blob = Promise.resolve(text).then(words => new Blob([words], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    } else {
      await navigator.clipboard.writeText(await text);
    }
    return true;
  } catch { // over plain http there is no clipboard
    const area = node("textarea", "", { value: await text, className: "hidden" });
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}

const copying = new Map(); // buttons that say that they have copied, each with what says otherwise later

async function press(button) {
  if (!await copy(button.dataset.copy)) {
    say("It was not copied: this browser does not permit it here.");
    return;
  }
  say("Copied.");
  const words = button.firstChild;
  const former = copying.get(button)?.former ?? words.data;
  clearTimeout(copying.get(button)?.timer);
  words.data = "Copied ✓";
  const timer = setTimeout(() => {
    words.data = former;
    copying.delete(button);
  }, 2000);
  copying.set(button, { former, timer });
}

addEventListener("click", event => {
  const button = event.target.closest("[data-copy]");
  if (button) press(button);
});

// --- what opens in place, and keys ---
const FIRST_FIELD = "input:not([type=hidden], [type=radio]:not(:checked))";

function openPart(part) {
  part.open = true;
  part.scrollIntoView();
  const field = $(FIRST_FIELD, part) || $("summary", part);
  field.focus({ preventScroll: true });
}

addEventListener("click", event => {
  const opens = event.target.closest("[data-open]");
  if (opens) {
    event.preventDefault(); // to go to the part by its address would take the focus away again
    openPart($("#" + opens.dataset.open));
  }
  for (const menu of all(".menu[open], .sure[open]")) {
    if (opens || !menu.contains(event.target)) menu.open = false;
  }
});

addEventListener("click", event => {
  if (!event.target.matches("[data-all]")) return;
  for (const box of all("[type=checkbox]", event.target.closest("fieldset, form"))) box.checked = true;
});

addEventListener("change", ({ target: { name, value, checked } }) => { // sent in the order in which they were selected
  if (name !== "id") return;
  $(`#ticked [value=${value}]`)?.remove();
  if (checked) $("#ticked").append(node("input", "", { type: "hidden", name, value }));
});

addEventListener("keydown", event => {
  const search = $("[type=search]");
  const isTyping = event.target.matches("input, textarea, select");
  if (event.key === "/" && search && !isTyping) {
    event.preventDefault();
    search.focus();
  }
  const row = event.target.closest(".list tr");
  if (event.key === "x" && row) $("[name=id]", row).click();
  if (event.key !== "Escape") return;
  for (const menu of all(".menu[open], .sure[open]")) {
    menu.open = false;
    menu.firstElementChild.focus();
  }
});

// --- lists: parts of a page fetched again ---
function reload(address, then) {
  const call = new XMLHttpRequest(); // parses HTML without running it, which the policy permits
  call.open("GET", address);
  call.responseType = "document";
  call.onload = () => {
    const fresh = call.response && $("#list", call.response);
    const list = $("#list");
    if (!fresh || !list) return; // the session has ended
    localize(fresh);
    list.replaceWith(fresh);
    const count = $(".used");
    const counted = $(".used", call.response);
    if (count && counted) count.replaceWith(counted);
    then?.();
  };
  call.send();
  return call;
}

const search = $(".search");
if (search) {
  let pause;
  let call;
  search.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      call?.abort();
      const address = search.action + "?" + new URLSearchParams(new FormData(search));
      call = reload(address, () => history.replaceState(null, "", address));
    }, 150);
  });
}

// --- uploads: dropped, pasted or chosen on any page ---
const drop = $(".drop");
const rows = $("#uploads") || document.body.appendChild(node("ul", "", { id: "uploads", className: "rows card floating" }));
const queue = [];
const unlinked = new Set(); // rows of files that a link is asked for
let running;
let stored = 0;
let sum = 0;

if ($("nav")) {
  addEventListener("dragover", event => showTarget(event, true));
  addEventListener("dragleave", event => showTarget(event, false));
  addEventListener("drop", async event => {
    showTarget(event, false);
    const { items, files } = event.dataTransfer;
    const entries = [...items].map(item => item.webkitGetAsEntry?.());
    const hasFolder = entries.some(entry => entry?.isDirectory);
    add(hasFolder ? (await Promise.all(entries.map(walk))).flat() : files);
  });
  addEventListener("paste", event => {
    if (event.target.matches?.("input:not([type=checkbox], [type=radio], [type=file]), textarea")) return;
    add(pasted(event.clipboardData));
  });
  addEventListener("beforeunload", event => {
    if (running || queue.length) event.preventDefault();
  });
  addEventListener("online", next);
}

if (drop) {
  const field = drop.elements.file;
  field.multiple = true;
  field.addEventListener("change", () => {
    add(field.files);
    field.value = "";
  });
  drop.addEventListener("submit", event => {
    event.preventDefault(); // the files are stored, or are being sent
    if (event.submitter?.value === "store") leaveUnlinked();
    else share();
  });
}

for (const item of rows.children) { // shared by a phone, and stored
  const file = item.firstElementChild;
  unlinked.add({ file, item, key: 1, address: file.pathname });
  sum++;
  stored++;
}
showTerms();

function showTarget(event, isOver) {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  page.classList.toggle("over", isOver);
}

function showTerms() { // while there is a file that they can be for
  if (!drop) return;
  drop.classList.toggle("begun", unlinked.size > 0);
  drop.elements.file.required = !unlinked.size;
}

async function walk(entry) { // the files in a folder, and in those inside it
  if (!entry) return [];
  if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
  const reader = entry.createReader();
  const found = [];
  let batch;
  do {
    batch = await new Promise((done, failed) => reader.readEntries(done, failed)); // a hundred at a time
    found.push(...batch);
  } while (batch.length);
  return (await Promise.all(found.map(walk))).flat();
}

function pasted(clipboard) {
  const now = new Date().toLocaleString("sv").replaceAll(":", ".");
  const text = clipboard.getData("text/plain");
  if (clipboard.files.length) {
    return [...clipboard.files].map(file =>
      file.name === "image.png" ? new File([file], `Screenshot ${now}.png`, { type: file.type }) : file);
  }
  if (!text.trim()) return [];
  return [new File([text], `Pasted text ${now}.txt`, { type: "text/plain;charset=utf-8" })];
}

function add(files) {
  for (const file of files) {
    const parts = crypto.getRandomValues(new Uint32Array(4));
    const row = {
      file,
      key: Array.from(parts, part => part.toString(36)).join(""),
      item: rows.appendChild(node("li", "")),
      state: node("span", "", { className: "dim" }),
    };
    row.item.append(node("b", file.name));
    sum++;
    if (drop && file.size > +drop.dataset.limit) {
      refuse(row, `Too large: up to ${drop.dataset.words} can be stored.`);
    } else {
      enqueue(row);
    }
  }
  next();
}

function enqueue(row) {
  row.cancelled = false;
  row.ready = new Promise(done => { row.done = done; });
  row.state.textContent = "waits";
  row.item.replaceChildren(row.item.firstElementChild, row.state);
  queue.push(row);
  unlinked.add(row);
  showTerms();
}

function next() {
  if (running || !queue.length) return;
  running = queue.shift();
  send(running);
}

function ended() {
  running = null;
  next();
  if (running || queue.length) return;
  say(stored === sum ? `${stored} stored.` : `${stored} of ${sum} stored.`);
  if ($("#list")) reload(location.href);
}

function send(row) {
  const bar = node("progress", "", { max: 1, value: 0, ariaLabel: row.file.name });
  const cancel = node("button", "Cancel", { type: "button" });
  row.item.replaceChildren(row.item.firstElementChild, bar, row.state, cancel);
  row.state.textContent = "0 %";

  const body = new FormData();
  body.append("file", row.file);
  const into = drop?.elements.collectionId;
  if (into) body.append("collectionId", into.value);

  const call = new XMLHttpRequest(); // fetch does not say how much was sent
  cancel.onclick = () => {
    row.cancelled = true;
    call.abort();
  };
  call.upload.onprogress = event => {
    bar.value = event.loaded / event.total;
    row.state.textContent = bar.value < 1 ? `${Math.floor(bar.value * 100)} %` : "is being sealed";
  };
  call.onloadend = () => answered(row, call);
  call.open("POST", "/app/documents?key=" + row.key);
  call.responseType = "json";
  call.setRequestHeader("Accept", "application/json");
  call.send(body);
}

function answered(row, call) {
  const { address, detail, errors } = call.response || {};
  if (address) {
    accept(row, address);
  } else if (row.cancelled) {
    drops(row, "cancelled", "dim");
  } else if (!call.status) {
    wait(row);
    return;
  } else if (call.status === 401) {
    refuse(row, "Your session has ended. Log in in another tab.", true);
  } else {
    refuse(row, errors?.[0].detail || detail || "This was not stored.", true);
  }
  ended();
}

function wait(row) { // the line is cut: everything goes on by itself when it is back
  running = null;
  queue.unshift(row);
  row.state.textContent = "waits for the connection";
  row.item.replaceChildren(row.item.firstElementChild, row.state);
  setTimeout(next, 3000);
}

function accept(row, address) {
  const words = row.file.size ? "stored" : "stored; it is empty";
  stored++;
  row.address = address;
  row.item.replaceChildren(
    node("a", row.file.name, { href: address }),
    node("span", words, { className: "state live" }),
  );
  row.done();
}

function drops(row, words, look) {
  row.item.replaceChildren(row.item.firstElementChild, node("span", words, { className: look }));
  row.done?.();
  unlinked.delete(row);
  showTerms();
}

function refuse(row, words, again) {
  drops(row, words, "error");
  if (!again) return;
  const button = node("button", "Try again", { type: "button" });
  button.onclick = () => {
    enqueue(row);
    next();
  };
  row.item.append(button);
}

// --- links to what was uploaded ---
function closeCard(chosen) { // the card is for other files again, which have terms of their own
  for (const row of chosen) unlinked.delete(row);
  drop.reset();
  drop.classList.remove("large");
  showTerms();
}

function leaveUnlinked() {
  if (!running) say(unlinked.size > 1 ? "Stored, without links." : "Stored, without a link.");
  closeCard(unlinked);
  drop.elements.file.focus();
}

async function make(row, terms) {
  await row.ready;
  if (!row.address) return; // it was refused, or cancelled
  const answer = await fetch(row.address + "/links", {
    method: "POST",
    body: new URLSearchParams([...terms, ["key", row.key]]),
    headers: { Accept: "application/json" },
  });
  const made = await answer.json();
  if (!answer.ok) throw new Error(made.errors?.[0].detail || made.detail);
  row.link = made.address;
  unlinked.delete(row);
  const button = node("button", "Copy", { type: "button" });
  button.dataset.copy = made.address;
  row.item.append(node("a", "Terms", { className: "button", href: "/app/links/" + made.id }), button);
}

async function makeAll(chosen, terms) { // the text of all their links
  const outcomes = await Promise.allSettled(chosen.map(row => make(row, terms)));
  const failed = outcomes.find(one => one.reason);
  if (failed) throw failed.reason;
  const linked = chosen.filter(row => row.link);
  if (!linked.length) throw new Error("Nothing was stored, so there is no link.");
  if (linked.length === 1) return linked[0].link;
  return linked.map(row => `${row.file.name}: ${row.link}`).join("\n");
}

async function share() { // a link for each file, by the terms as they stand now
  const chosen = [...unlinked];
  const terms = new FormData(drop);
  terms.delete("file");
  const part = $(".terms", drop);
  part.inert = true;
  let next = $("button", part); // what to go on with: correct the terms, or copy once more
  try {
    const copied = await copy(makeAll(chosen, terms));
    const linked = chosen.filter(row => row.link);
    const what = linked.length > 1 ? "The links are" : "The link is";
    closeCard(chosen);
    say(copied ? `${what} copied.` : `${what} ready: press Copy beside it.`);
    next = $("[data-copy]", linked[0].item);
  } catch (problem) {
    say(problem.message);
  }
  part.inert = false;
  next.focus();
  if ($("#list")) reload(location.href);
}
