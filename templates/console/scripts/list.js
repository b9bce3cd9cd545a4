// Lists: parts of a page fetched again

// Calls `then` with a part of another page, and with the page; not if the session has ended.
function fetchPart(css, address, then) {
  const call = new XMLHttpRequest(); // parses HTML without running it, which the policy permits
  call.open("GET", address);
  call.responseType = "document";
  call.onload = () => {
    const part = call.response && $(css, call.response);
    if (!part) return;
    localize(part);
    then(part, call.response);
  };
  call.send();
  return call;
}

function reload(address, then) {
  return fetchPart("#list", address, (fresh, whole) => {
    const list = $("#list");
    if (!list) return;
    foldActs(fresh);
    keepOpen(list, fresh);
    list.replaceWith(fresh);
    refreshLater(fresh);
    const count = $(".used");
    const counted = $(".used", whole);
    if (count && counted) count.replaceWith(counted);
    then?.();
  });
}

function keepOpen(list, fresh) { // what was done by a link stays open, or closed
  for (const person of all(".person", list)) {
    const same = $("#" + person.id, fresh);
    if (same) same.open = person.open;
  }
}

function isInUse(list) { // to replace it would close what is open, or lose the place of the keyboard
  return list.contains(document.activeElement) || $("details[open]:not(.person)", list);
}

const refreshesUntil = Date.now() + 30 * 60000;

function refreshLater(list) { // while what it shows may change, as long as the page is seen, and for half an hour
  const seconds = +list?.dataset.refresh;
  if (!seconds) return;
  setTimeout(() => {
    if (Date.now() > refreshesUntil) return;
    if (!list.isConnected) return;
    if (document.hidden || isInUse(list)) refreshLater(list);
    else reload(location.href);
  }, seconds * 1000);
}

refreshLater($("#list"));

const search = $(".search");
if (search) {
  let pause;
  let call;
  search.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      call?.abort();
      const address = search.action + "?" + new URLSearchParams(new FormData(search));
      call = reload(address, () => history.replaceState(null, "", address));
    }, 150);
  });
}
