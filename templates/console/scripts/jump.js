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

addEventListener("input", event => {
  const jump = event.target.closest(".jump");
  if (!jump) return;
  clearTimeout(jumpPause);
  jumpPause = setTimeout(() => {
    jumpCall?.abort();
    const address = JUMP + "?" + new URLSearchParams(new FormData(event.target.form));
    jumpCall = fetchPart(".jump ul", address, found => {
      $("ul", jump).replaceWith(found);
    });
  }, 150);
});

addEventListener("submit", event => { // Enter opens the first that is found
  const jump = event.target.closest(".jump");
  if (!jump) return;
  event.preventDefault();
  const address = JUMP + "?" + new URLSearchParams(new FormData(event.target));
  clearTimeout(jumpPause);
  jumpCall?.abort();
  fetchPart(".jump ul", address, found => {
    $("ul", jump).replaceWith(found);
    $("a", found)?.click();
  });
});
