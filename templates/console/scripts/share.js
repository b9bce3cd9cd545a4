// The card turns over: from files that were chosen to their link

function begin() { // with other files, which have terms of their own
  if (!composer) return;
  $(".ready", composer)?.remove();
  drop.hidden = false;
}

function forget(chosen) { // the card is empty again, but for files that were refused
  for (const row of chosen) {
    unlinked.delete(row);
    if (row.address) row.item.remove();
  }
  drop.reset();
  forgetTerms(drop);
  showTerms();
}

function keepPrivate() {
  const isOne = unlinked.size === 1;
  forget(unlinked);
  drop.classList.remove("large");
  if (!running) say(isOne ? drop.dataset.kept : drop.dataset.allKept); // who can open it, as the page knows
  ($("#list a[href]") || drop.elements.file).focus();
}

function post(address, fields) {
  return ask(forOwner(address), { method: "POST", body: new URLSearchParams(fields) });
}

async function make(row, terms) {
  if (!row.made) row.made = await post(row.address + "/links", [...terms, ["key", row.key]]);
  return row.made;
}

async function makeAll(chosen, terms) { // records of the links, once all files are stored
  await Promise.all(chosen.map(row => row.ready));
  const stored = chosen.filter(row => row.address && !row.isTakenOut);
  if (!stored.length) throw new Error("Nothing was stored, so there is no link.");
  if (stored.length > 1 && terms.get("how") === "one") {
    const ids = stored.map(row => ["id", row.address.split("/").pop()]);
    return [await post("/app/documents", [...terms, ["act", "share"], ["key", stored[0].key], ...ids])];
  }
  const outcomes = await Promise.allSettled(stored.map(row => make(row, terms)));
  const failed = outcomes.find(one => one.reason);
  if (failed) throw failed.reason;
  return stored.map(row => ({ ...row.made, name: row.file.name }));
}

function textOf(made) {
  if (made.length === 1) return made[0].address;
  return made.map(one => `${one.name}: ${one.address}`).join("\n");
}

async function share() { // by the terms as they stand now
  const chosen = [...unlinked];
  const terms = new FormData(drop);
  terms.delete("file");
  const part = $(".terms", drop);
  const how = $(".how", drop);
  part.inert = true;
  how.disabled = true;
  closePills(drop);
  const making = makeAll(chosen, terms);
  try {
    const copied = await copy(making.then(textOf));
    const made = await making;
    forget(chosen);
    turnOver(made, copied, terms.get("password"));
  } catch (problem) {
    say(problem.message);
    showRefused(problem.field);
    if ($("#list")) reload(location.href);
  }
  part.inert = false;
  how.disabled = false;
}

function showRefused(name) { // so that the field is corrected
  $(".terms", drop).inert = false;
  const field = name && $(`[name=${name === "expiresAt" ? "endsOn" : name}]`, drop);
  if (field) openPillOf(field);
  (field || $(".send button", drop)).focus();
}

function showPasswordOf(ready, password) { // which nobody can show once this page is left
  const line = node("p", "Password: ", { className: "row password" });
  const button = node("button", "Copy password", { type: "button" });
  button.dataset.copy = password;
  line.append(node("code", password), button);
  $("p, ul", ready).after(line);
}

function turnOver(made, copied, password) {
  const address = new URL(location);
  for (const { id } of made) address.searchParams.append("made", id);
  const call = reload(address.href, () => {
    const ready = $(".ready", call.response);
    if (!ready) return;
    drop.hidden = !rows.children.length;
    drop.classList.remove("large");
    drop.before(ready);
    localize(ready);
    offerSharing(ready);
    if (password) showPasswordOf(ready, password);
    if (copied) sayCopied(ready);
    $("[data-copy].first", ready).focus();
    say(copied ? (made.length > 1 ? "The links are copied." : "The link is copied.") : "Ready to copy.");
  });
}

function sayCopied(ready) {
  const heading = $("h2", ready);
  heading.textContent = heading.dataset.copied;
  const button = $("[data-again]", ready);
  button.firstChild.data = button.dataset.again;
}

addEventListener("click", event => {
  if (!event.target.closest("[data-else]") || !drop) return;
  event.preventDefault();
  begin();
  drop.elements.file.focus();
});
