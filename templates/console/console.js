"use strict";
// Comfort only: without this file every page reads and every form works.
document.documentElement.classList.add("scripted");
const say = text => { document.getElementById("say").textContent = text; };
if (location.search.includes("done=")) history.replaceState(null, "", location.pathname);

for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

for (const day of document.querySelectorAll("[name=endsOn]"))
  day.form.addEventListener("submit", () => { day.form.offset.value = new Date(day.value + "T23:59").getTimezoneOffset() || 0; });

addEventListener("submit", event => setTimeout(() => { // once is enough; the values have been read
  for (const button of event.target.querySelectorAll("button")) button.disabled = true;
}));
addEventListener("pageshow", () => { for (const button of document.querySelectorAll("button:disabled")) button.disabled = false; });

addEventListener("click", event => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  if (source.select) source.select(); else getSelection().selectAllChildren(source);
  say(document.execCommand("copy") ? "Copied." : "Press Ctrl+C to copy."); // works over plain http, too
});
