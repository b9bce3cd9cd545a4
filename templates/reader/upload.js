// The page that takes files: they are chosen, dropped or pasted, listed, and then sent one a request
const $ = selector => document.querySelector(selector);
const card = $(".lock");
const form = $("form");
const input = $("#file");
const button = form?.querySelector(".button");
const waiting = new Map(); // the chosen file of each row
const PAUSE_MS = 3000; // before a file is sent again after the line broke
const MOST_TRIES = 5; // of a file while the page is seen: a phone that sleeps costs none
const receipts = [];

function put(parent, tag, text = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  parent.append(made);
  return made;
}

function showCount() {
  const files = [...waiting.values()];
  const total = files.reduce((sum, file) => sum + file.size, 0);
  button.textContent = files.length ? `Send ${counted(files.length, "file")} · ${sizeInWords(total)}` : "Send";
  input.required = !files.length;
}

function remove(row) {
  waiting.delete(row);
  row.remove();
  showCount();
}

function choose(files) {
  for (const file of files) {
    const row = put($("#queue"), "li");
    Object.assign(put(row, "i"), badgeOf(file.name));
    const about = put(row, "span");
    put(about, "bdi", file.name);
    put(about, "span", sizeInWords(file.size)).className = "dim";
    const removing = put(row, "button", "Remove");
    removing.type = "button";
    removing.ariaLabel = `Remove ${file.name}`;
    removing.onclick = () => {
      remove(row);
      input.focus();
    };
    waiting.set(row, file);
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

function refuse(row, file, text) {
  const cancel = row.querySelector("button");
  put(row, "span", text).className = "wrong";
  cancel.textContent = "Remove";
  cancel.ariaLabel = `Remove ${file.name}`;
  cancel.onclick = () => remove(row);
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

async function sendAll() {
  const batch = [...waiting];
  const before = receipts.length;
  waiting.clear();
  button.disabled = true;
  for (const [row, file] of batch) if (row.isConnected) await send(row, file);
  button.disabled = false;
  showCount();
  if (receipts.length === before) return;
  $("#said").textContent = $("#arrived").textContent;
  const allSent = !$("#queue").children.length;
  $("#more").open = !allSent;
  const takesMore = !input.disabled;
  $("#more summary").hidden = !takesMore;
  if (!takesMore && allSent) $("#more").hidden = true;
  if (allSent) $("#arrived").focus();
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
  input.onchange = () => {
    choose(input.files);
    input.value = "";
  };
  form.onsubmit = event => {
    event.preventDefault();
    sendAll();
  };
  document.ondragover = drag(true);
  document.ondragleave = drag(false);
  document.onpaste = event => choose(event.clipboardData.files);
  document.ondrop = async event => {
    drag(false)(event);
    choose(await filesDropped(event.dataTransfer));
  };
}
