"use strict";
// Comfort only: without this file every page reads and every form works.
document.documentElement.classList.add("scripted");
const all = selector => document.querySelectorAll(selector);
const say = text => { document.getElementById("say").textContent = text; };
if (location.search.startsWith("?done=")) history.replaceState(null, "", location.pathname);

for (const time of all("time")) {
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

for (const day of all("[name=endsOn]"))
  day.form.addEventListener("submit", () => { day.form.offset.value = new Date(day.value + "T23:59").getTimezoneOffset() || 0; });

addEventListener("submit", event => setTimeout(() => { // one click is enough; the values have been read
  if (!event.target.matches("[data-again]")) for (const button of event.target.querySelectorAll("button")) button.disabled = true;
}));
addEventListener("pageshow", () => { for (const button of all("button:disabled")) button.disabled = false; });

addEventListener("click", event => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  if (source.select) source.select(); else getSelection().selectAllChildren(source);
  say(document.execCommand("copy") ? "Copied." : "Press Ctrl+C to copy."); // works over plain http, too
});

for (const preview of all("[data-preview]"))
  preview.addEventListener("toggle", () => { const frame = preview.querySelector("iframe"); frame.src ||= frame.dataset.src; });

const drop = document.querySelector(".drop");
if (drop) {
  const field = drop.elements.file, rows = document.getElementById("uploads"), waiting = [], addresses = [];
  let running = 0, failed = 0, count = 0;
  field.multiple = true;
  field.addEventListener("change", () => { add(field.files); field.value = ""; });
  const over = on => event => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.toggle("over", on);
  };
  addEventListener("dragover", over(true));
  addEventListener("dragleave", over(false));
  addEventListener("drop", event => { over(false)(event); add(event.dataTransfer.files); });
  addEventListener("paste", event => { if (event.clipboardData.files.length) { event.preventDefault(); add(event.clipboardData.files); } });
  addEventListener("beforeunload", event => { if (running) event.preventDefault(); });

  const node = (name, words, more) => Object.assign(document.createElement(name), { textContent: words }, more);

  function add(files) {
    for (const file of files) {
      const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), one => one.toString(36)).join("");
      const row = { file, key, item: rows.appendChild(node("li", "")), state: node("span", "waits", { className: "dim" }) };
      row.item.append(node("b", file.name), row.state);
      count++;
      if (file.size > +drop.dataset.limit) refuse(row, `This is too large: up to ${drop.dataset.words} can be stored.`);
      else waiting.push(row);
    }
    next();
  }
  function next() {
    if (running) return;
    if (waiting.length) send(waiting.shift());
    else if (addresses.length && !failed) location.href = count === 1 ? addresses[0] : "/app/documents?done=uploaded";
  }
  function send(row) {
    const bar = node("progress", "", { max: 1, value: 0, ariaLabel: row.file.name }), cancel = node("button", "Cancel", { type: "button" });
    const call = new XMLHttpRequest(), body = new FormData(); // fetch does not say how much was sent
    row.item.replaceChildren(row.item.firstChild, bar, row.state, cancel);
    row.state.textContent = "0 %";
    running++;
    body.append("file", row.file);
    cancel.onclick = () => call.abort();
    call.upload.onprogress = event => {
      bar.value = event.loaded / event.total;
      row.state.textContent = bar.value < 1 ? `${Math.floor(bar.value * 100)} %` : "is being encrypted";
    };
    call.onloadend = () => {
      const { address, detail, errors } = call.response || {};
      running--;
      if (address) accept(row, address);
      else if (call.status === 401) refuse(row, "Your session has ended. Log in in another tab, then try again.", true);
      else refuse(row, errors?.[0].detail || detail || (call.status ? "This was not stored." : "This was stopped before the end."), true);
      next();
    };
    call.open("POST", "/app/documents?key=" + row.key);
    call.responseType = "json";
    call.setRequestHeader("Accept", "application/json");
    call.send(body);
  }
  function accept(row, address) {
    addresses.push(address);
    row.item.replaceChildren(node("a", row.file.name, { href: address }), node("span", "stored", { className: "state live" }));
    say(`${row.file.name} is stored.`);
  }
  function refuse(row, words, again) {
    const button = node("button", "Try again", { type: "button" });
    failed++;
    button.onclick = () => { failed--; row.item.append(row.state); waiting.push(row); next(); };
    row.item.replaceChildren(row.item.firstChild, node("span", words, { className: "error" }), ...(again ? [button] : []));
    say(`${row.file.name}: ${words}`);
  }
}
