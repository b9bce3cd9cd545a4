"use strict";
// Comfort only: without this file every page reads and every form works.
const page = document.documentElement, $ = (css, at = document) => at.querySelector(css), all = (css, at = document) => at.querySelectorAll(css);
const node = (name, text, more) => Object.assign(document.createElement(name), { textContent: text }, more);
const say = text => {
  const box = $("#say");
  box.firstElementChild.textContent = text;
  $("form", box)?.remove(); // it took back something else
  for (const fading of box.getAnimations()) { fading.cancel(); fading.play(); }
};
page.classList.add("scripted");
const here = new URL(location);
if (here.searchParams.has("done")) { // not said again by a reload
  for (const name of ["done", "id"]) here.searchParams.delete(name);
  history.replaceState(null, "", here);
}

// --- moments, in the reader's own zone and words ---
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
function localize(part) {
  for (const time of all("time", part)) {
    const moment = new Date(time.dateTime), minutes = Math.round((moment - Date.now()) / 60000);
    const near = minutes <= 0 && minutes > -1440;
    const year = moment.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
    time.title = time.textContent;
    time.textContent = near ? minutes > -60 ? ago.format(minutes, "minute") : ago.format(Math.round(minutes / 60), "hour")
      : moment.toLocaleString(undefined, { weekday: minutes > 0 && minutes < 10080 ? "short" : undefined, day: "numeric", month: "short", year, hour: "2-digit", minute: "2-digit" });
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
  if (offset) offset.value = lastMinute(ends.value === "date" ? endsOn.value : ends.value).getTimezoneOffset() || 0;
}, true); // before a listener of the form itself reads the values
for (const day of all("[name=endsOn]")) {
  day.min = new Date().toLocaleDateString("sv");
  day.ariaLabel = day.ariaLabel.replace(" (UTC)", "");
}
addEventListener("submit", event => {
  const form = event.target;
  if (!form.matches("[data-again]")) setTimeout(() => { // one click is enough; the values have been read
    if (!event.defaultPrevented) for (const button of all("button", form)) button.disabled = true;
  });
});
addEventListener("pageshow", () => {
  for (const button of all("button:disabled")) button.disabled = false;
  for (const mark of all("[name=watermark]")) forbidSaving(mark);
});
addEventListener("change", ({ target }) => { if (target.name === "watermark") forbidSaving(target); });
function forbidSaving(mark) { // by a link whose pages are marked; else it is as it was
  const saving = $("[type=checkbox][name=permissions]", mark.form);
  if (mark.checked && !saving.disabled) {
    saving.dataset.former = saving.checked ? "checked" : "";
    saving.checked = false;
  } else if (!mark.checked && saving.disabled) saving.checked = saving.dataset.former === "checked";
  saving.disabled = mark.checked;
}

async function copy(text) { // a promise of a text, too: browsers want the call within the click
  try {
    if (globalThis.ClipboardItem) await navigator.clipboard.write([new ClipboardItem({ "text/plain": Promise.resolve(text).then(words => new Blob([words], { type: "text/plain" })) })]);
    else await navigator.clipboard.writeText(await text);
  } catch { // over plain http there is no clipboard
    const area = document.body.appendChild(node("textarea", "", { value: await text, className: "hidden" }));
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
  return true;
}
const copying = new Map(); // buttons that say that they have copied, each with what says otherwise later
async function press(button) {
  if (!await copy(button.dataset.copy)) return say("It was not copied: this browser does not permit it here.");
  say("Copied.");
  const words = button.firstChild, former = copying.get(button)?.former ?? words.data;
  clearTimeout(copying.get(button)?.timer);
  words.data = "Copied ✓";
  const timer = setTimeout(() => { words.data = former; copying.delete(button); }, 2000);
  copying.set(button, { former, timer });
}
addEventListener("click", event => {
  const button = event.target.closest("[data-copy]"), opens = event.target.closest("[data-open]");
  if (button) press(button);
  if (opens) {
    event.preventDefault(); // to go to the part by its address would take the focus away again
    const part = $("#" + opens.dataset.open);
    part.open = true;
    part.scrollIntoView();
    ($("input:not([type=hidden], [type=radio]:not(:checked))", part) || $("summary", part)).focus({ preventScroll: true });
  }
  if (event.target.matches("[data-all]")) for (const box of all("[type=checkbox]", event.target.closest("fieldset, form"))) box.checked = true;
  for (const menu of all(".menu[open], .sure[open]")) if (opens || !menu.contains(event.target)) menu.open = false;
});
addEventListener("change", ({ target: { name, value, checked } }) => { // sent in the order in which they were selected
  if (name !== "id") return;
  $(`#ticked [value=${value}]`)?.remove();
  if (checked) $("#ticked").append(node("input", "", { type: "hidden", name, value }));
});
addEventListener("keydown", event => {
  const search = $("[type=search]"), typing = event.target.matches("input, textarea, select");
  if (event.key === "/" && search && !typing) { event.preventDefault(); search.focus(); }
  const row = event.target.closest(".list tr");
  if (event.key === "x" && row) $("[name=id]", row).click();
  if (event.key === "Escape") for (const menu of all(".menu[open], .sure[open]")) { menu.open = false; menu.firstElementChild.focus(); }
});

// --- lists: parts of a page fetched again ---
function reload(address, then) {
  const call = new XMLHttpRequest(); // parses HTML without running it, which the policy permits
  call.open("GET", address);
  call.responseType = "document";
  call.onload = () => {
    const fresh = call.response && $("#list", call.response), list = $("#list");
    if (!fresh || !list) return; // the session has ended
    localize(fresh);
    list.replaceWith(fresh);
    const count = $(".used"), counted = $(".used", call.response);
    if (count && counted) count.replaceWith(counted);
    then?.();
  };
  call.send();
  return call;
}
const search = $(".search");
if (search) {
  let pause, call;
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
const drop = $(".drop"), queue = [];
const unlinked = new Set(); // rows of files that a link is asked for
const rows = $("#uploads") || document.body.appendChild(node("ul", "", { id: "uploads", className: "rows card floating" }));
let running, stored = 0, sum = 0;
if ($("nav")) {
  const over = on => event => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    page.classList.toggle("over", on);
  };
  addEventListener("dragover", over(true));
  addEventListener("dragleave", over(false));
  addEventListener("drop", async event => {
    over(false)(event);
    const entries = [...event.dataTransfer.items].map(item => item.webkitGetAsEntry?.()), files = event.dataTransfer.files;
    add(entries.some(entry => entry?.isDirectory) ? (await Promise.all(entries.map(walk))).flat() : files);
  });
  addEventListener("paste", event => {
    if (event.target.matches?.("input:not([type=checkbox], [type=radio], [type=file]), textarea")) return;
    const { files } = event.clipboardData, text = event.clipboardData.getData("text/plain");
    const now = new Date().toLocaleString("sv").replaceAll(":", ".");
    if (files.length) add([...files].map(file => file.name === "image.png" ? new File([file], `Screenshot ${now}.png`, { type: file.type }) : file));
    else if (text.trim()) add([new File([text], `Pasted text ${now}.txt`, { type: "text/plain;charset=utf-8" })]);
  });
  addEventListener("beforeunload", event => { if (running || queue.length) event.preventDefault(); });
  addEventListener("online", next);
}
if (drop) {
  const field = drop.elements.file;
  field.multiple = true;
  field.addEventListener("change", () => { add(field.files); field.value = ""; });
  drop.addEventListener("submit", event => {
    event.preventDefault(); // the files are stored, or are being sent
    if (event.submitter?.value === "store") leaveUnlinked(); else share();
  });
}
for (const item of rows.children) { // shared by a phone, and stored
  const file = item.firstChild;
  unlinked.add({ file, item, key: 1, address: file.pathname });
  stored = ++sum;
}
showTerms();
function showTerms() { // while there is a file that they can be for
  if (!drop) return;
  drop.classList.toggle("begun", unlinked.size > 0);
  drop.elements.file.required = !unlinked.size;
}
async function walk(entry) {
  if (!entry) return [];
  if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
  const reader = entry.createReader(), found = [];
  for (let batch; (batch = await new Promise((done, failed) => reader.readEntries(done, failed))).length;) found.push(...batch); // a hundred at a time
  return (await Promise.all(found.map(walk))).flat();
}
function add(files) {
  for (const file of files) {
    const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), part => part.toString(36)).join("");
    const row = { file, key, item: rows.appendChild(node("li", "")), state: node("span", "", { className: "dim" }) };
    row.item.append(node("b", file.name));
    sum++;
    if (drop && file.size > +drop.dataset.limit) refuse(row, `Too large: up to ${drop.dataset.words} can be stored.`);
    else enqueue(row);
  }
  next();
}
function enqueue(row) {
  row.cancelled = false;
  row.ready = new Promise(done => { row.done = done; });
  row.state.textContent = "waits";
  row.item.replaceChildren(row.item.firstChild, row.state);
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
  const bar = node("progress", "", { max: 1, value: 0, ariaLabel: row.file.name }), cancel = node("button", "Cancel", { type: "button" });
  const call = new XMLHttpRequest(), body = new FormData(); // fetch does not say how much was sent
  row.item.replaceChildren(row.item.firstChild, bar, row.state, cancel);
  row.state.textContent = "0 %";
  body.append("file", row.file);
  const into = drop?.elements.collectionId;
  if (into) body.append("collectionId", into.value);
  cancel.onclick = () => { row.cancelled = true; call.abort(); };
  call.upload.onprogress = event => {
    bar.value = event.loaded / event.total;
    row.state.textContent = bar.value < 1 ? `${Math.floor(bar.value * 100)} %` : "is being sealed";
  };
  call.onloadend = () => {
    const { address, detail, errors } = call.response || {};
    if (address) accept(row, address);
    else if (row.cancelled) drops(row, "cancelled", "dim");
    else if (!call.status) return wait(row);
    else if (call.status === 401) refuse(row, "Your session has ended. Log in in another tab.", true);
    else refuse(row, errors?.[0].detail || detail || "This was not stored.", true);
    ended();
  };
  call.open("POST", "/app/documents?key=" + row.key);
  call.responseType = "json";
  call.setRequestHeader("Accept", "application/json");
  call.send(body);
}
function wait(row) { // the line is cut: everything goes on by itself when it is back
  running = null;
  queue.unshift(row);
  row.state.textContent = "waits for the connection";
  row.item.replaceChildren(row.item.firstChild, row.state);
  setTimeout(next, 3000);
}
function accept(row, address) {
  stored++;
  row.address = address;
  row.item.replaceChildren(node("a", row.file.name, { href: address }), node("span", row.file.size ? "stored" : "stored; it is empty", { className: "state live" }));
  row.done();
}
function drops(row, words, look) {
  row.item.replaceChildren(row.item.firstChild, node("span", words, { className: look }));
  row.done?.();
  unlinked.delete(row);
  showTerms();
}
function refuse(row, words, again) {
  drops(row, words, "error");
  if (!again) return;
  const button = node("button", "Try again", { type: "button" });
  button.onclick = () => { enqueue(row); next(); };
  row.item.append(button);
}

// --- links to what was uploaded ---
function close(chosen) { // the card is for other files again, which have terms of their own
  for (const row of chosen) unlinked.delete(row);
  drop.reset();
  drop.classList.remove("large");
  showTerms();
}
function leaveUnlinked() {
  if (!running) say(unlinked.size > 1 ? "Stored, without links." : "Stored, without a link.");
  close(unlinked);
  drop.elements.file.focus();
}
async function make(row, terms) {
  await row.ready;
  if (!row.address) return; // it was refused, or cancelled
  const answer = await fetch(row.address + "/links", {
    method: "POST", body: new URLSearchParams([...terms, ["key", row.key]]), headers: { Accept: "application/json" },
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
  return linked.map(row => linked.length > 1 ? `${row.file.name}: ${row.link}` : row.link).join("\n");
}
async function share() { // a link for each file, by the terms as they stand now
  const chosen = [...unlinked], terms = new FormData(drop), part = $(".terms", drop);
  terms.delete("file");
  part.inert = true;
  let next = $("button", part); // what to go on with: correct the terms, or copy once more
  try {
    const copied = await copy(makeAll(chosen, terms));
    const linked = chosen.filter(row => row.link);
    const what = linked.length > 1 ? "The links are" : "The link is";
    close(chosen);
    say(copied ? `${what} copied.` : `${what} ready: press Copy beside it.`);
    next = $("[data-copy]", linked[0].item);
  } catch (problem) { say(problem.message); }
  part.inert = false;
  next.focus();
  if ($("#list")) reload(location.href);
}
