// What was typed into a form whose session has ended: kept in this tab until its person is back

const DRAFT = "draft";
const person = $(".me .dim")?.textContent; // none on the pages before a login

function typedInto(form) { // no password, no file, and nothing that the page has put there itself
  const fields = [...form.elements].filter(one => one.name && !one.matches("button, [type=hidden], [type=password], [type=file]"));
  return fields.map(({ name, value, checked }) => ({ name, value, checked }));
}

function pathOf(form) { // without the key of the form, which each page has anew
  return form.getAttribute("action")?.split("?")[0];
}

function bringBack({ action, fields }) {
  const form = [...document.forms].find(one => pathOf(one) === action);
  if (!form) return;
  for (const { name, value, checked } of fields) {
    for (const field of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
      const isChoice = field.matches("[type=radio], [type=checkbox]");
      if (isChoice && field.value === value) field.checked = checked;
      if (!isChoice && field.type !== "hidden") field.value = value;
    }
  }
  const part = form.closest("details");
  if (part) part.open = true;
  form.dispatchEvent(new Event("input")); // the words of its pills
  form.scrollIntoView({ block: "nearest" });
  $("button.first", form)?.focus({ preventScroll: true });
  say("You’re logged in. What you typed is here again.");
}

addEventListener("submit", ({ target: form, defaultPrevented }) => {
  if (!person || defaultPrevented || form.method !== "post") return; // the login keeps what was typed before
  sessionStorage.removeItem(DRAFT);
  const fields = typedInto(form);
  if (!fields.length) return;
  const page = location.pathname;
  sessionStorage.setItem(DRAFT, JSON.stringify({ person, page, action: pathOf(form), fields }));
});

const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
if (draft && !person) { // the form led to the login
  sessionStorage.setItem(DRAFT, JSON.stringify({ ...draft, isCut: true }));
} else if (draft) {
  sessionStorage.removeItem(DRAFT);
  if (draft.isCut && draft.person === person && draft.page === location.pathname) bringBack(draft);
}
