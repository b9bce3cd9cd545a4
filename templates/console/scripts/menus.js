// What opens in place, and keys

const isTouched = matchMedia("(hover: none), (max-width: 45rem)");

function foldActs(part) { // of each row into a menu, where no pointer hovers over the row
  if (!isTouched.matches) return;
  for (const acts of all(".acts-of-row", part)) {
    const menu = node("details", "", { className: "menu" });
    const { ariaLabel: name } = $("[name=id]", acts.closest("tr"));
    const summary = node("summary", "⋯", { className: "button quiet", ariaLabel: `Acts for ${name}` });
    acts.replaceWith(menu);
    acts.className = "";
    const box = node("div", "");
    box.append(...acts.children);
    menu.append(summary, box);
  }
}

foldActs(document);
for (const current of all(".settings > nav [aria-current], .filters [aria-current]")) { // where they are one line
  current.scrollIntoView({ block: "nearest", inline: "center" });
}
isTouched.addEventListener("change", () => foldActs(document)); // a window made narrow, a tablet turned

const FIELDS = ".pill > summary, input:not([type=radio]:not(:checked)), textarea";

function openPart(part) {
  part.open = true;
  enablePasswords(); // only then such a field takes the focus
  part.scrollIntoView();
  const field = [...all(FIELDS, part)].find(one => one.getClientRects().length) || $("summary", part);
  field.focus({ preventScroll: true });
}

addEventListener("click", event => {
  const opens = event.target.closest("[data-open]");
  if (opens) {
    event.preventDefault(); // to go to the part by its address would take the focus away again
    openPart($("#" + opens.dataset.open));
  }
  for (const menu of all(".menu[open], .sure[open]")) {
    if (opens || !menu.contains(event.target)) menu.open = false;
  }
});

addEventListener("click", event => {
  if (!event.target.matches("[data-all], [data-none]")) return;
  const isChosen = event.target.matches("[data-all]");
  for (const box of all("[type=checkbox]", event.target.closest("fieldset, form"))) box.checked = isChosen;
});

addEventListener("change", ({ target: { name, value, checked } }) => { // sent in the order in which they were selected
  if (name !== "id") return;
  $(`#ticked [value=${value}]`)?.remove();
  if (checked) $("#ticked").append(node("input", "", { type: "hidden", name, value }));
});

if (!isTouched.matches) $(".search [type=search]")?.setAttribute("placeholder", "Search ( / )");

addEventListener("keydown", event => {
  const search = $("[type=search]");
  const isTyping = event.target.matches("input, textarea, select");
  if (event.key === "/" && search && !isTyping) {
    event.preventDefault();
    search.focus();
  }
  const row = event.target.closest(".list tr");
  if (event.key === "x" && row) $("[name=id]", row).click();
  if (event.key !== "Escape") return;
  for (const menu of all(".menu[open], .sure[open]")) {
    menu.open = false;
    menu.firstElementChild.focus();
  }
});
