"use strict";
// Comfort only: without this file every page reads and every form works.
const page = document.documentElement;
const SESSION_ENDED = "Your session has ended. Log in in another tab, then try again.";

function $(css, at = document) {
  return at.querySelector(css);
}

function all(css, at = document) {
  return at.querySelectorAll(css);
}

function node(name, text, properties) {
  return Object.assign(document.createElement(name), { textContent: text }, properties);
}

function forOwner(path) { // a form says for which space it was made, as those of the page do
  const space = document.body.dataset.for;
  return space ? `${path}${path.includes("?") ? "&" : "?"}for=${space}` : path;
}

// Returns the record that the service answers; throws an error with why there is none, in `message`,
// and the field that is wrong, if one is.
async function ask(address, options) {
  let answer;
  try {
    answer = await fetch(address, { ...options, headers: { Accept: "application/json" } });
  } catch {
    throw new Error("The connection broke. Try again.");
  }
  const record = await answer.json();
  if (answer.ok) return record;
  const [wrong] = record.errors ?? [];
  const problem = new Error(answer.status === 401 ? SESSION_ENDED : wrong?.detail || record.detail);
  problem.field = wrong?.pointer?.split("/")[1];
  throw problem;
}

function say(text) {
  const box = $("#say");
  box.firstElementChild.textContent = text;
  $("form", box)?.remove(); // it took back something else
  for (const fading of box.getAnimations()) {
    fading.cancel();
    fading.play();
  }
}

page.classList.add("scripted");
const here = new URL(location);
if (here.searchParams.has("done")) { // not said again by a reload
  here.searchParams.delete("done");
  here.searchParams.delete("id");
  history.replaceState(null, "", here);
}
