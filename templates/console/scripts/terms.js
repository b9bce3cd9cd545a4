// The terms of a link: four pills that say what is chosen inside of them

function endOf(value) { // the moment that a choice of an end means here and now
  if (value === "1h") return new Date(Date.now() + DAY_MS / 24);
  if (/^\d+$/.test(value)) return new Date(Date.now() + value * DAY_MS);
  return lastMinute(value);
}

function whoSays(form) {
  const { withPassword, recipients, open } = form.elements;
  const people = recipients?.value.trim().split(/[\s,;]+/).filter(Boolean) || [];
  const hasPassword = withPassword.checked || ($("[data-has-password]", form) && !open?.checked);
  const besides = hasPassword ? ", with the password" : "";
  if (people.length === 1) return `Only ${people[0]}${besides}`;
  if (people.length) return `Only ${counted(people.length, "person", "people")}${besides}`;
  return hasPassword ? "Anyone with the password" : "Anyone with the link";
}

function maySays(form) {
  const chosen = $("[name=permissions]:checked", form);
  const agrees = form.elements.agreement?.value.trim();
  return (chosen?.dataset.says || "can only view") + (agrees ? ", after agreeing" : "");
}

function untilSays(form) {
  const chosen = $("[name=ends]:checked", form);
  if (!chosen) return "until a date";
  const present = $("[data-moment]", chosen.parentElement);
  if (present) return "until " + inWords(new Date(present.dataset.moment), "day");
  const day = chosen.value === "date" ? form.elements.endsOn.value : chosen.value;
  return day.includes("-") ? "until " + inWords(lastMinute(day), "day") : chosen.dataset.says;
}

function moreSays(form) {
  const { label, maxViews, allowedOrigins } = form.elements;
  const hidesName = $("[name=hideName]:checked", form);
  const notifies = $("[name=notifyOwner]:checked", form);
  const most = Number(maxViews.value); // not a number while something else is typed
  if (!allowedOrigins) return most ? `up to ${counted(most, "file")}` : "number of files";
  const parts = [];
  if (label.value.trim()) parts.push(`for ${label.value.trim()}`);
  if (most) parts.push(most === 1 ? "opens once" : `opens ${counted(most, "time")}`);
  if (hidesName) parts.push("name hidden");
  if (notifies) parts.push("mails me");
  if (allowedOrigins.value.trim()) parts.push("can be embedded");
  return parts.join(", ") || "Name, limit, embedding";
}

const SAYS = { who: whoSays, may: maySays, until: untilSays, more: moreSays };

function sayTerms(form) {
  for (const pill of all("[data-pill]", form)) {
    $("summary > span", pill).textContent = SAYS[pill.dataset.pill](form);
  }
}

function showEnds(form) { // the moments beside the choices, in the reader's zone
  for (const beside of all("[data-end]", form)) {
    beside.textContent = inWords(endOf(beside.dataset.end), "end");
  }
  for (const beside of all("[data-moment]", form)) {
    beside.textContent = inWords(new Date(beside.dataset.moment), "end");
  }
}

function openPillOf(field) {
  const pill = field.closest(".pill");
  if (pill) pill.open = true;
}

function closePills(form) {
  for (const pill of all(".pill[open]", form)) pill.open = false;
}

function forgetTerms(form) { // back to how the page offers them
  form.reset();
  closePills(form);
  for (const field of all("[data-look]", form)) hidePassword(field);
  enablePasswords();
  sayTerms(form);
}

for (const pills of all(".pills")) {
  const form = pills.closest("form");
  showEnds(form);
  sayTerms(form);
  for (const type of ["input", "change"]) form.addEventListener(type, () => sayTerms(form));
}

addEventListener("toggle", event => { // the moments may be old by now
  if (event.target.matches?.(".pill[open]")) showEnds(event.target);
}, true);

addEventListener("invalid", event => openPillOf(event.target), true);

addEventListener("click", event => { // a pill that opens is typed into at once
  const pill = event.target.closest(".pill:not([open]) > summary")?.parentElement;
  const first = pill && $(".panel :is([type=text], [type=password])", pill);
  if (!first) return;
  event.preventDefault(); // it opens here, as only then its field takes the focus
  pill.open = true;
  enablePasswords();
  first.focus();
});

addEventListener("click", event => {
  const pill = event.target.closest(".pill");
  const isPointed = event.detail > 0; // and not chosen by an arrow key
  const end = event.target.closest("[name=ends]");
  if (pill && isPointed && end && end.value !== "date") pill.open = false;
  if (pill && end?.value === "date") $("[name=endsOn]", pill).focus();
});

addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  const pill = event.target.closest(".pill[open]");
  if (!pill) return;
  pill.open = false;
  pill.firstElementChild.focus();
});
