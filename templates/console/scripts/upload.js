// Uploads: dropped, pasted or chosen on any page; large ones by `LargeUpload`

const drop = $(".drop");
const composer = $("#composer"); // the card that makes links of files
const rows = $("#uploads") || document.body.appendChild(node("ul", "", { id: "uploads", className: "rows card floating" }));
const unfinished = $("#unfinished"); // what was begun before, here or elsewhere
const bounds = document.body.dataset; // of files, in bytes; none where nothing may be stored
const queue = [];
const unlinked = new Set(); // rows of files that a link is asked for
let running;
let stored = 0; // of the files that were given since all others were done
let sum = 0;

if ($("nav")) {
  addEventListener("dragover", event => showTarget(event, true));
  addEventListener("dragleave", event => showTarget(event, false));
  addEventListener("drop", async event => {
    showTarget(event, false);
    add(await filesDropped(event.dataTransfer));
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
  const { file, folder } = drop.elements;
  file.multiple = true;
  $("[for=folder]").hidden = !("webkitdirectory" in folder);
  for (const field of [file, folder]) {
    field.addEventListener("change", () => {
      add(ownFiles(field.files));
      field.value = "";
    });
  }
  drop.addEventListener("submit", event => {
    event.preventDefault(); // the files are stored, or are being sent
    if (event.submitter?.value === "store") keepPrivate();
    else share();
  });
}

for (const item of rows.children) { // shared by a phone, and stored
  const [badge, name] = item.children;
  const row = { file: { name: name.textContent }, item, badge, name, key: 1, address: name.pathname };
  row.item.append(closer(row, "Remove"));
  unlinked.add(row);
}
for (const item of all("#unfinished > li")) showUnfinished(item);
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
  const how = $(".how", drop);
  if (!how) return;
  how.hidden = unlinked.size < 2;
  $("b", how).textContent = unlinked.size;
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

function newKey() {
  const parts = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(parts, part => part.toString(36)).join("");
}

function newRow(file) {
  sum++;
  return {
    file,
    key: newKey(),
    item: rows.appendChild(node("li", "")),
    badge: node("i", "", badgeOf(file.name)),
    name: node("b", file.name, { dir: "auto" }),
    state: node("span", "", { className: "dim" }),
  };
}

function add(files) {
  if (newer && files.length) {
    chooseNewer(files);
    return;
  }
  for (const file of files) {
    const row = newRow(file);
    const reason = refusalOf(file);
    if (reason) refuse(row, reason);
    else enqueue(row);
  }
  if (files.length) begin();
  next();
}

function refusalOf({ size }, most = +bounds.limit, act = "be stored") { // before anything is sent
  const { room } = bounds;
  if (size > most) return `Too large: up to ${sizeInWords(most)} can ${act}.`;
  if (room && size > +room) return `Too large: there is room for ${sizeInWords(+room)}.`;
  return "";
}

function isLarge({ size }) { // sent by several requests
  return size > Math.min(SLICE_BYTES, bounds.once ?? SLICE_BYTES);
}

function closer(row, words) { // the button that takes a file out of the card
  const button = node("button", "×", { type: "button", className: "take-out" });
  button.ariaLabel = `${words} ${row.file.name}`;
  button.onclick = () => takeOut(row);
  return button;
}

function show(row, ...parts) {
  row.item.replaceChildren(row.badge, row.name, ...parts);
}

function enqueue(row) {
  row.ready = new Promise(done => { row.done = done; });
  row.state.textContent = "Waiting";
  show(row, row.state, closer(row, "Cancel"));
  queue.push(row);
  unlinked.add(row);
  showTerms();
}

async function takeOut(row) {
  const at = queue.indexOf(row);
  if (at >= 0) queue.splice(at, 1);
  if (!row.address && !row.isRefused) sum--;
  row.isTakenOut = true;
  row.item.remove();
  unlinked.delete(row);
  row.done?.();
  showTerms();
  row.call?.abort();
  if (drop) ($("button", rows) || drop.elements.file).focus();
  const record = await row.upload?.cancel();
  if (record) row.address = pageOfRecord(record);
  if (row.address) await putInBin(row);
}

async function putInBin(row) {
  const id = row.address.split("/").pop();
  const answer = await fetch(forOwner("/app/documents"), { method: "POST", body: new URLSearchParams({ act: "bin", id }) });
  say(answer.ok ? `“${row.file.name}” is in the bin.` : `“${row.file.name}” is still stored.`);
  if ($("#list")) reload(location.href);
}

function next() {
  if (running || !queue.length) return;
  running = queue.shift();
  if (running.upload || isLarge(running.file)) sendLarge(running);
  else send(running);
}

function ended() {
  running = null;
  next();
  if (running || queue.length) return;
  const files = counted(sum, "file");
  if (sum) say(stored === sum ? `${files} stored.` : `${stored} of ${files} stored.`);
  stored = 0;
  sum = 0;
  if ($("#list")) reload(location.href);
}

function send(row) {
  const bar = node("progress", "", { max: 1, value: 0, ariaLabel: row.file.name });
  show(row, bar, row.state, closer(row, "Cancel"));
  row.state.textContent = "0 %";

  const body = new FormData();
  body.append("file", row.file);
  const collectionId = intoCollection();
  if (collectionId) body.append("collectionId", collectionId);
  const metadata = metadataOfFile(row.file);
  if (metadata) body.append("metadata", metadata);

  const call = new XMLHttpRequest(); // fetch does not say how much was sent
  row.call = call;
  call.upload.onprogress = event => {
    bar.value = event.loaded / event.total;
    row.state.textContent = bar.value < 1 ? `${Math.floor(bar.value * 100)} %` : "Encrypting…";
  };
  call.onloadend = () => answered(row, call);
  call.open("POST", forOwner("/app/documents?key=" + row.key));
  call.responseType = "json";
  call.setRequestHeader("Accept", "application/json");
  call.send(body);
}

function intoCollection() {
  return drop?.elements.collectionId?.value;
}

function metadataOfFile(file) { // as JSON; nothing of a file that came alone
  const path = folderOf(file);
  return path && JSON.stringify({ path });
}

function newUpload(file, address) { // one that begins, or goes on at the address
  const facts = {
    filename: file.name,
    filetype: file.type,
    collectionId: intoCollection(),
    metadata: metadataOfFile(file),
    token: "null", // links are made by the card
  };
  return new LargeUpload(file, { begin: "/app/uploads", address, facts, reach: forOwner, say });
}

async function sendLarge(row) {
  const { name } = row.file;
  const bar = node("progress", "", { max: 1, value: 0, ariaLabel: name });
  const pause = node("button", "Pause", { type: "button", className: "quiet", ariaLabel: `Pause ${name}` });
  row.upload ??= newUpload(row.file);
  const { upload } = row;
  upload.key = row.key;
  upload.show = (words, share) => {
    row.state.textContent = words;
    bar.value = share;
  };
  pause.onclick = () => {
    upload.togglePause();
    pause.textContent = upload.isPaused ? "Resume" : "Pause";
    pause.ariaLabel = `${pause.textContent} ${name}`;
  };
  show(row, bar, row.state, pause, closer(row, "Cancel"));
  row.item.classList.add("large");
  row.state.textContent = "Connecting…";
  try {
    const record = await upload.run();
    if (record && !row.isTakenOut) accept(row, pageOfRecord(record));
  } catch (problem) {
    if (problem.isGone) row.key = newKey();
    if (!row.isTakenOut) refuse(row, problem.status === 401 ? SESSION_ENDED : problem.message, true);
  }
  row.item.classList.remove("large");
  ended();
}

function pageOfRecord({ documentId }) {
  return `/app/documents/${documentId}`;
}

// Shows an upload that was begun before, and is the page's to resume or to delete.
function showUnfinished(item) {
  const { address, name, size, received } = item.dataset;
  const kept = keptUploads().find(one => one.address === address);
  const upload = { name, size: +size, received: +received, lastModified: kept?.lastModified };
  const resume = file => {
    removeUnfinished(item);
    const row = newRow(file);
    row.upload = newUpload(file, address);
    enqueue(row);
    begin();
    next();
  };
  const refuse = sentence => {
    $(".error", item)?.remove();
    item.append(node("span", sentence, { className: "error" }));
    say(sentence);
  };
  const remove = node("button", "Delete", { type: "button", className: "quiet", ariaLabel: `Delete ${name || "the file"}` });
  remove.onclick = async () => {
    const isEnded = await endUpload(address, forOwner);
    if (!isEnded) return refuse("It is still there. Try again.");
    removeUnfinished(item);
    say(name ? `What had arrived of “${name}” is deleted.` : "What had arrived is deleted.");
    drop.elements.file.focus();
  };
  const [sentence, button] = unfinishedParts(upload, resume, refuse);
  const acts = "own" in item.dataset && button ? [button, remove] : [remove];
  item.replaceChildren(node("i", "", badgeOf(name || "")), sentence, ...acts);
}

function removeUnfinished(item) {
  item.remove();
  if (!unfinished.children.length) unfinished.hidden = true;
}

function answered(row, call) {
  row.call = null;
  const { address, detail, errors } = call.response || {};
  if (row.isTakenOut) {
    ended();
    return;
  }
  if (address) {
    accept(row, address);
  } else if (!call.status) {
    wait(row);
    return;
  } else if (call.status === 401) {
    refuse(row, SESSION_ENDED, true);
  } else {
    refuse(row, errors?.[0].detail || detail || "This was not stored.", true);
  }
  ended();
}

function wait(row) { // the line is cut: everything goes on by itself when it is back
  running = null;
  queue.unshift(row);
  row.state.textContent = "Waiting for the connection";
  show(row, row.state, closer(row, "Cancel"));
  setTimeout(next, 3000);
}

function accept(row, address) {
  stored++;
  row.address = address;
  row.name = node("a", row.file.name, { href: address, dir: "auto" });
  const words = row.file.size ? "stored" : "stored; it is empty";
  const state = node("span", words, { className: "state live" });
  const size = node("span", sizeInWords(row.file.size), { className: "dim" });
  show(row, size, state, ...(composer && !("keeps" in drop.dataset) ? [closer(row, "Remove")] : []));
  if (composer && !unlinked.has(row)) row.item.remove(); // it is kept private
  row.done();
}

function refuse(row, words, again) {
  row.isRefused = true;
  row.done?.();
  unlinked.delete(row);
  showTerms();
  const parts = [node("span", words, { className: "error" })];
  if (again) {
    const button = node("button", row.upload?.address ? "Resume" : "Try again", { type: "button" });
    button.onclick = () => {
      row.isRefused = false;
      sum++;
      enqueue(row);
      next();
    };
    parts.push(button);
  }
  show(row, ...parts, closer(row, "Remove"));
}
