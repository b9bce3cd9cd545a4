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
addEventListener("submit", event => {
  const form = event.target, on = form.elements.ends;
  if (form.elements.offset) { // a chosen day ends where the browser is
    const day = on?.value === "date" ? form.elements.endsOn.value : on?.value;
    form.elements.offset.value = new Date(day + "T23:59").getTimezoneOffset() || 0;
  }
  if (!form.matches("[data-again]")) setTimeout(() => { // one click is enough; the values have been read
    if (!event.defaultPrevented) for (const button of all("button", form)) button.disabled = true;
  });
});
addEventListener("pageshow", () => { for (const button of all("button:disabled")) button.disabled = false; });

async function copy(text, button) { // a promise of a text, too: browsers want the call within the click
  try {
    if (globalThis.ClipboardItem) await navigator.clipboard.write([new ClipboardItem({ "text/plain": Promise.resolve(text).then(words => new Blob([words], { type: "text/plain" })) })]);
    else await navigator.clipboard.writeText(await text);
  } catch { // over plain http there is no clipboard
    const area = document.body.appendChild(node("textarea", "", { value: await text, className: "hidden" }));
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) return false;
  }
  say("Copied.");
  const words = button.firstChild, former = words.data;
  words.data = "Copied ✓";
  setTimeout(() => { words.data = former; }, 2000);
  return true;
}
addEventListener("click", event => {
  const button = event.target.closest("[data-copy]"), opens = event.target.closest("[data-open]");
  if (button) copy(button.dataset.copy, button);
  if (opens) {
    const part = $("#" + opens.dataset.open);
    part.open = true;
    $("input:not([type=hidden]), summary", part).focus();
  }
  if (event.target.matches("[data-all]")) for (const box of all("[type=checkbox]", event.target.closest("fieldset, form"))) box.checked = true;
  for (const menu of all(".menu[open]")) if (opens || !menu.contains(event.target)) menu.open = false;
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
  if (event.key === "Escape") for (const menu of all(".menu[open]")) { menu.open = false; menu.firstElementChild.focus(); }
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
const drop = $(".drop"), queue = [], links = [];
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
  field.addEventListener("change", () => { add(field.files); field.value = ""; field.required = false; });
  drop.addEventListener("submit", event => {
    if (!sum) return;
    event.preventDefault(); // the files are stored, or are being sent
    if (event.submitter?.value !== "store") share(event.submitter);
  });
}
for (const item of rows.children) { // shared by a phone, and stored
  const file = item.firstChild;
  links.push({ file, item, key: 1, address: file.pathname });
  stored = ++sum;
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
    const row = { file, key, item: rows.appendChild(node("li", "")), state: node("span", "waits", { className: "dim" }) };
    row.ready = new Promise(done => { row.done = done; });
    row.item.append(node("b", file.name), row.state);
    sum++;
    if (drop && file.size > +drop.dataset.limit) refuse(row, `Too large: up to ${drop.dataset.words} can be stored.`);
    else { links.push(row); queue.push(row); }
  }
  drop?.classList.add("begun");
  next();
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
  if (links.includes(row)) links.splice(links.indexOf(row), 1);
  row.item.replaceChildren(row.item.firstChild, node("span", words, { className: look }));
  row.done();
}
function refuse(row, words, again) {
  drops(row, words, "error");
  if (!again) return;
  const button = node("button", "Try again", { type: "button" });
  button.onclick = () => { button.disabled = true; links.push(row); queue.push(row); row.item.replaceChildren(row.item.firstChild, row.state); row.state.textContent = "waits"; next(); };
  row.item.append(button);
}
async function make(row) {
  await row.ready;
  if (!row.address) return "";
  const body = new FormData(drop);
  body.delete("file");
  body.append("key", row.key);
  const answer = await fetch(row.address + "/links", { method: "POST", body: new URLSearchParams(body), headers: { Accept: "application/json" } });
  const made = await answer.json();
  if (!answer.ok) throw new Error(made.errors?.[0].detail || made.detail);
  const button = node("button", "Copy", { type: "button" });
  button.dataset.copy = made.address;
  row.item.append(node("a", "Terms", { className: "button", href: "/app/links/" + made.id }), button);
  return links.length > 1 ? `${row.file.name}: ${made.address}` : made.address;
}
async function share(button) { // a link for each file
  const text = Promise.all(links.map(make)).then(made => made.filter(Boolean).join("\n"));
  try {
    if (await copy(text, button)) say(links.length > 1 ? "The links are copied." : "The link is copied.");
    links.length = 0;
  } catch (problem) { say(problem.message); }
}
