// Go to a page, a document or a collection by a few letters of its name: Ctrl+K, or ⌘K

const JUMP = "/app/jump";

function openJump() {
  if ($(".jump")) return $(".jump [name=q]").focus();
  const dialog = node("dialog", "", { className: "jumping", ariaLabel: "Go to" });
  dialog.addEventListener("close", () => dialog.remove());
  fetchPart(".jump", JUMP, jump => {
    if ($(".jump")) return; // the key was pressed twice
    dialog.append(document.adoptNode(jump));
    document.body.append(dialog);
    dialog.showModal();
    $("[name=q]", dialog).focus();
  });
}

function moveInJump(jump, step) { // of the focus, from the field through the links
  const stops = [$("[name=q]", jump), ...all("a", jump)];
  const at = stops.indexOf(document.activeElement);
  stops[(at + step + stops.length) % stops.length].focus();
}

addEventListener("keydown", event => {
  if (event.key === "k" && (event.ctrlKey || event.metaKey) && $("nav")) {
    event.preventDefault();
    openJump();
  }
  const jump = event.target.closest(".jump");
  if (!jump) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    moveInJump(jump, event.key === "ArrowDown" ? 1 : -1);
  }
});

let jumpPause;
let jumpCall;

function findInJump(form, then) { // what has the words that are typed, in place of what was found before
  const list = $("ul", form.closest(".jump"));
  const address = JUMP + "?" + new URLSearchParams(new FormData(form));
  clearTimeout(jumpPause);
  jumpCall?.abort();
  jumpCall = fetchPart(".jump ul", address, found => {
    list.replaceWith(found);
    then?.(found);
  });
}

addEventListener("input", ({ target: { form } }) => {
  if (!form?.closest(".jump")) return;
  clearTimeout(jumpPause);
  jumpPause = setTimeout(() => findInJump(form), 150);
});

addEventListener("submit", event => { // Enter opens the first that is found
  if (!event.target.closest(".jump")) return;
  event.preventDefault();
  findInJump(event.target, found => $("a", found)?.click());
});
