// The page that takes files: they are chosen, dropped or pasted, listed, and then sent one after the other; large ones by
// `LargeUpload`
const $ = selector => document.querySelector(selector);
const card = $(".lock");
const form = $("form");
const input = $("#file");
const button = form?.querySelector(".button");
const { uploads, link, most, once } = card.dataset; // where large files begin, and how large one may be
let room = +card.dataset.room; // for all files, in bytes
const waiting = new Map(); // the chosen file of each row
const line = []; // what is to be sent: functions that send a file each
let isSending = false;
const PAUSE_MS = 3000; // before a file is sent again after the line broke
const MOST_TRIES = 5; // of a file while the page is seen: a phone that sleeps costs none
const receipts = [];

function put(parent, tag, text = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  parent.append(made);
  return made;
}

function totalChosen() {
  return [...waiting.values()].reduce((sum, file) => sum + file.size, 0);
}

function showCount() {
  const files = [...waiting.values()];
  const total = totalChosen();
  input.required = !files.length;
  if (isSending) return;
  button.textContent = files.length ? `Send ${counted(files.length, "file")} · ${sizeInWords(total)}` : "Send";
}

function remove(row) {
  waiting.delete(row);
  row.remove();
  showCount();
}

function newRow(file) {
  const row = put($("#queue"), "li");
  Object.assign(put(row, "i"), badgeOf(file.name));
  const about = put(row, "span");
  const folder = folderOf(file);
  if (folder) Object.assign(put(about, "span", folder), { className: "dim", dir: "auto" });
  put(about, "bdi", file.name);
  put(about, "span", sizeInWords(file.size)).className = "dim";
  putButton(row, "Remove", file.name);
  return row;
}

function putButton(row, words, name) {
  return Object.assign(put(row, "button", words), { type: "button", ariaLabel: `${words} ${name}` });
}

function choose(files) {
  for (const file of files) {
    const row = newRow(file);
    const removing = row.querySelector("button");
    removing.onclick = () => {
      remove(row);
      input.focus();
    };
    const largest = Math.min(+most, Math.max(0, room - totalChosen()));
    if (file.size > largest) put(row, "span", `Too large: up to ${sizeInWords(largest)} can be sent.`).className = "wrong";
    else waiting.set(row, file);
  }
  if (files.length) $("#more").open = true;
  showCount();
}

function fill(part, receipt) {
  const values = { ...receipt, size: sizeInWords(receipt.size) };
  for (const place of part.querySelectorAll("[data-of]")) place.textContent = values[place.dataset.of];
  return part;
}

function receiptText() {
  const { title, host, receiver } = card.dataset;
  const head = `Files sent to ${receiver} for “${title}” on ${host}\n`;
  const parts = receipts.map(one => `
${one.name}
${counted(one.size, "byte")}, received ${one.receivedAt}
SHA-256 ${one.sha256}
Entry in the recipient's log:
${one.eventId} ${one.eventHash}
`);
  return head + parts.join("");
}

function show(receipt, file) {
  receipts.push(receipt);
  room = receipt.bytesLeft;
  const row = $("#row").content.cloneNode(true);
  Object.assign(row.querySelector(".badge"), badgeOf(file.name));
  row.querySelector("time").dateTime = receipt.receivedAt;
  localize(fill(row, receipt));
  $("#receipts").append(row);
  $("#proofs").append(fill($("#proof").content.cloneNode(true), receipt));
  $("#arrived").textContent = `${counted(receipts.length, "file")} ${receipts.length === 1 ? "has" : "have"} arrived`;
  $("#them").textContent = receipts.length === 1 ? "it" : "them";
  $("#keep").href = `data:text/plain;charset=utf-8,${encodeURIComponent(receiptText())}`;
  $("#done").hidden = false;
  $("#asked")?.remove();
  $("#left").textContent = receipt.filesLeft
    ? `${counted(receipt.filesLeft, "more file")}, ${sizeInWords(receipt.bytesLeft)} in all.`
    : "The link takes no more files.";
  input.disabled = !receipt.filesLeft;
}

function untilBack(cancel) { // resolves when the page is seen and the line may be back, or the file is cancelled
  return new Promise(done => {
    const events = ["online", "pageshow", "visibilitychange"];
    const end = hasSlept => {
      clearTimeout(timer);
      for (const name of events) removeEventListener(name, wake, true);
      done(hasSlept);
    };
    const wake = () => document.hidden || end(true);
    const timer = setTimeout(() => document.hidden || end(false), PAUSE_MS);
    for (const name of events) addEventListener(name, wake, true);
    cancel.onclick = () => end("cancelled");
  });
}

function keyOf() { // by which the service knows a file that comes again, and stores it once
  const parts = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(parts, part => part.toString(36)).join("");
}

async function send(row, file) { // again when the line broke, as a phone does that is locked or shows another app
  const key = keyOf();
  let tries = 0;
  while (await sendOnce(row, file, key, tries) === "broke") {
    const cancel = row.querySelector("button");
    const note = put(row, "span", "Waiting for the connection");
    note.className = "dim waiting";
    const back = await untilBack(cancel);
    note.remove();
    if (back === "cancelled") {
      refuse(row, file, "Cancelled.");
      return;
    }
    tries = back ? 0 : tries + 1;
  }
}

async function sendLarge(row, file, address) { // or goes on with one at the address
  const facts = { filename: file.name, filetype: file.type, from: $("#from").value, relativePath: folderOf(file) };
  const upload = new LargeUpload(file, { begin: uploads, address, facts, kept: { link }, key: keyOf(), say });
  await goOnWith(upload, row, file);
}

async function goOnWith(upload, row, file) {
  const cancel = row.querySelector("button");
  const bar = put(row, "progress");
  const state = put(row, "span", "Connecting…");
  const pause = putButton(row, "Pause", file.name);
  bar.ariaLabel = file.name;
  state.className = "dim state";
  cancel.textContent = "Cancel";
  cancel.ariaLabel = `Cancel ${file.name}`;
  cancel.onclick = () => upload.cancel();
  pause.onclick = () => {
    upload.togglePause();
    pause.textContent = upload.isPaused ? "Resume" : "Pause";
    pause.ariaLabel = `${pause.textContent} ${file.name}`;
  };
  upload.show = (words, share) => {
    state.textContent = words;
    bar.value = share;
  };
  let record;
  let problem = new Error("Cancelled.");
  try {
    record = await upload.run();
  } catch (refusal) {
    problem = refusal;
  }
  for (const part of [bar, state, pause]) part.remove();
  if (record) {
    row.remove();
    show(record.receipt, file);
  } else {
    refuse(row, file, problem.message, upload);
  }
}

function refuse(row, file, text, upload) { // what has arrived of the upload can be gone on with
  const cancel = row.querySelector("button");
  const wrong = put(row, "span", text);
  wrong.className = "wrong";
  if (upload?.address && !upload.isCancelled) {
    const again = putButton(row, "Resume", file.name);
    again.onclick = () => {
      wrong.remove();
      again.remove();
      enqueue(row, () => goOnWith(upload, row, file));
    };
  }
  cancel.textContent = "Remove";
  cancel.ariaLabel = `Remove ${file.name}`;
  cancel.onclick = () => {
    remove(row);
    if (!upload?.isCancelled) upload?.cancel();
  };
}

function sendOnce(row, file, key, tries) { // resolves to "broke" if it may be sent again
  return new Promise(done => {
    const call = new XMLHttpRequest();
    const body = new FormData();
    const cancel = row.querySelector("button");
    const bar = put(row, "progress");
    bar.ariaLabel = file.name;
    cancel.textContent = "Cancel";
    cancel.ariaLabel = `Cancel ${file.name}`;
    cancel.onclick = () => call.abort();
    const fail = text => {
      bar.remove();
      refuse(row, file, text);
      done("failed");
    };
    body.append("file", file, file.name);
    body.append("from", $("#from").value);
    const folder = folderOf(file);
    if (folder) body.append("relativePath", folder);
    call.open("POST", form.action);
    call.responseType = "json";
    call.setRequestHeader("Idempotency-Key", key);
    call.upload.onprogress = event => {
      bar.max = event.total;
      bar.value = event.loaded;
    };
    call.onerror = () => {
      if (tries >= MOST_TRIES) return fail("Not sent: the connection broke. Choose the file again.");
      bar.remove();
      done("broke");
    };
    call.onabort = () => fail("Cancelled.");
    call.onload = () => {
      if (call.status !== 201) return fail(call.response?.detail || "The file was not taken.");
      row.remove();
      show(call.response, file);
      done("sent");
    };
    call.send(body);
  });
}

function isLarge({ size }) { // sent by several requests
  return size > Math.min(SLICE_BYTES, +once);
}

function enqueue(row, send) {
  line.push(() => row.isConnected && send());
  sendAll();
}

function sendChosen() {
  for (const [row, file] of waiting) line.push(() => row.isConnected && (isLarge(file) ? sendLarge : send)(row, file));
  waiting.clear();
  sendAll();
}

async function sendAll() {
  if (isSending) return;
  const before = receipts.length;
  isSending = true;
  button.disabled = true;
  button.textContent = "Sending…";
  while (line.length) await line.shift()();
  isSending = false;
  button.disabled = false;
  showCount();
  if (receipts.length === before) return;
  say($("#arrived").textContent);
  const allSent = !$("#queue").children.length;
  $("#more").open = !allSent;
  const takesMore = !input.disabled;
  $("#more summary").hidden = !takesMore;
  if (!takesMore && allSent) $("#more").hidden = true;
  if (allSent) $("#arrived").focus();
}

function say(text) {
  $("#said").textContent = text;
}

// Lists what was begun by this link and not finished, when the page was closed meanwhile.
async function listUnfinished() {
  for (const one of keptUploads()) if (one.link === link) await showUnfinished(one);
}

async function showUnfinished(one) {
  let answer;
  try {
    answer = await fetch(one.address, { headers: { Accept: "application/json" } });
  } catch {
    return; // it is asked for again when the page is opened again
  }
  if ([401, 403, 404].includes(answer.status)) forgetUpload(one.address);
  if (!answer.ok) return;
  const { received, receipt } = await answer.json();
  if (receipt) {
    forgetUpload(one.address);
    show(receipt, one);
    return;
  }
  const row = put($("#unfinished"), "li");
  const resume = file => {
    row.remove();
    const sent = newRow(file);
    enqueue(sent, () => sendLarge(sent, file, one.address));
  };
  const refuseFile = sentence => {
    row.querySelector(".wrong")?.remove();
    put(row, "span", sentence).className = "wrong";
    say(sentence);
  };
  Object.assign(put(row, "i"), badgeOf(one.name));
  row.append(...unfinishedParts({ ...one, received }, resume, refuseFile));
  putButton(row, "Delete", one.name).onclick = async () => {
    if (!await endUpload(one.address, path => path)) return refuseFile("It is still there. Try again.");
    row.remove();
    say(`What had arrived of “${one.name}” is deleted.`);
    input.focus();
  };
}

function drag(isOver) {
  return event => {
    event.preventDefault();
    document.body.classList.toggle("dropping", isOver);
  };
}

if (form) {
  card.classList.add("with-script");
  input.multiple = true;
  $("label[for=file]").textContent = "Choose files";
  $("#drop").hidden = false;
  $("#most").textContent = sizeInWords(Math.min(+most, room));
  const folder = $("#folder");
  $("#whole").hidden = !("webkitdirectory" in folder);
  for (const field of [input, folder]) {
    field.onchange = () => {
      choose(ownFiles(field.files));
      field.value = "";
    };
  }
  form.onsubmit = event => {
    event.preventDefault();
    sendChosen();
  };
  addEventListener("beforeunload", event => {
    if (isSending) event.preventDefault();
  });
  listUnfinished();
  document.ondragover = drag(true);
  document.ondragleave = drag(false);
  document.onpaste = event => choose(event.clipboardData.files);
  document.ondrop = async event => {
    drag(false)(event);
    choose(await filesDropped(event.dataTransfer));
  };
}
