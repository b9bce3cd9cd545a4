// Copying

async function copy(text) { // a promise of a text, too: browsers want the call within the click
  try {
    if (globalThis.ClipboardItem) {
      const blob = Promise.resolve(text).then(words => new Blob([words], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    } else {
      await navigator.clipboard.writeText(await text);
    }
    return true;
  } catch { // over plain http there is no clipboard
    const area = node("textarea", "", { value: await text, className: "hidden" });
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}

// Sharing, where the system has a sheet for it: on phones, and in Safari

function offerSharing(part) {
  if (!navigator.share) return;
  for (const button of all("[data-share]", part)) button.hidden = false;
}

offerSharing(document);

addEventListener("click", event => {
  const button = event.target.closest("[data-share]");
  if (button) navigator.share({ url: button.dataset.share }).catch(() => {}); // closed without a choice
});

const copying = new Map(); // buttons that say that they have copied, each with what says otherwise later

async function addressOf(link) { // the page of a link answers it to the script
  const { address } = await ask(link);
  if (!address) throw new Error("The address is not known here.");
  return address;
}

async function press(button) {
  const { copy: text, copyOf: link } = button.dataset;
  try {
    const isCopied = await copy(text ?? addressOf(link));
    say(isCopied ? "Copied." : "It was not copied: this browser does not permit it here.");
    if (!isCopied) return;
  } catch (problem) { // there is no address to copy
    say(problem.message);
    return;
  }
  const words = button.firstChild;
  const former = copying.get(button)?.former ?? words.data;
  clearTimeout(copying.get(button)?.timer);
  words.data = "Copied ✓";
  const timer = setTimeout(() => {
    words.data = former;
    copying.delete(button);
  }, 2000);
  copying.set(button, { former, timer });
}

addEventListener("click", event => {
  const button = event.target.closest("[data-copy], [data-copy-of]");
  if (button) press(button);
});
