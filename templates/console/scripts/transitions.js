// From a list to a document and back, the name of the document moves (`transitions.css`)

function rowOf(address) { // the name in a list of what has this address
  const { pathname } = new URL(address);
  return pathname.startsWith("/app/documents/") && $(`.list a[href="${pathname}"]`);
}

async function move(event, address) { // a transition that nobody looks at may fail in silence
  const row = address && rowOf(address);
  const transition = row && event.viewTransition;
  if (!transition) return;
  row.style.viewTransitionName = "document";
  transition.ready.catch(() => {});
  await transition.finished.catch(() => {});
  row.style.viewTransitionName = "";
}

addEventListener("pageswap", event => move(event, event.activation?.entry.url));
addEventListener("pagereveal", event => move(event, globalThis.navigation?.activation?.from?.url));
