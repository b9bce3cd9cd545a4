// From a list to a document and back, the name of the document moves (`transitions.css`)

function rowOf(address) { // the name in a list of what has this address
  const { pathname } = new URL(address);
  return pathname.startsWith("/app/documents/") && $(`.list a[href="${pathname}"]`);
}

async function move(transition, address) {
  const row = transition && address && rowOf(address);
  if (!row) return;
  row.style.viewTransitionName = "document";
  await transition.finished.catch(() => {});
  row.style.viewTransitionName = "";
}

addEventListener("pageswap", event => move(event.viewTransition, event.activation?.entry.url));
addEventListener("pagereveal", event => move(event.viewTransition, globalThis.navigation?.activation?.from?.url));
