"use strict"; // several files, also dropped or pasted: one request each, with progress, until cancelled
const $ = s => document.querySelector(s), form = $("form"), input = $("#file");
let last = Promise.resolve();
const put = (parent, tag, text = "") => parent.appendChild(Object.assign(document.createElement(tag), { textContent: text }));
const size = n => n < 1024 ? `${n} bytes` : n < 1048576 ? `${(n / 1024).toFixed()} KiB` : `${(n / 1048576).toFixed(1)} MiB`;
const show = receipt => {
  const card = $("template").content.cloneNode(true);
  const values = { ...receipt, size: size(receipt.size), receivedAt: new Date(receipt.receivedAt).toLocaleString() };
  for (const one of card.querySelectorAll("[data-of]")) one.textContent = values[one.dataset.of];
  $("#receipts").append(card);
  $("#left").textContent = receipt.filesLeft ? `${receipt.filesLeft} more file${receipt.filesLeft > 1 ? "s" : ""}, ${size(receipt.bytesLeft)} in all.` : "The link takes no more files.";
  form.querySelector(".button").disabled = !receipt.filesLeft;
};
const send = (file, row, bar, cancel) => new Promise(done => {
  if (!row.isConnected) return done();
  const call = new XMLHttpRequest(), body = new FormData();
  const fail = text => { bar.remove(); cancel.remove(); put(row, "span", text).className = "wrong"; };
  body.append("file", file, file.name);
  body.append("from", $("#from").value);
  call.open("POST", form.action);
  call.responseType = "json";
  call.upload.onprogress = e => { bar.max = e.total; bar.value = e.loaded; };
  call.onerror = () => fail("It was not sent: the connection broke. Choose it again.");
  call.onabort = () => fail("Cancelled.");
  call.onload = () => {
    if (call.status !== 201) return fail(call.response?.detail || "It was not taken.");
    row.remove();
    show(call.response);
  };
  call.onloadend = done;
  cancel.onclick = () => call.abort();
  call.send(body);
});
const add = files => Array.from(files, file => {
  const row = put($("#queue"), "li"), name = put(row, "bdi", file.name), bar = put(row, "progress"), cancel = put(row, "button", "Cancel");
  Object.assign(cancel, { type: "button", ariaLabel: `Cancel ${file.name}`, onclick: () => row.remove() });
  bar.ariaLabel = name.textContent;
  last = last.then(() => send(file, row, bar, cancel));
});
const drag = on => e => { e.preventDefault(); document.body.classList.toggle("dropping", on); };
$("#drop").hidden = !(input.multiple = true);
form.onsubmit = e => { e.preventDefault(); add(input.files); input.value = ""; };
Object.assign(document, { ondragover: drag(true), ondragleave: drag(false), onpaste: e => add(e.clipboardData.files) });
document.ondrop = e => { drag(false)(e); add(e.dataTransfer.files); };
