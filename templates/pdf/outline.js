// The outline of a document: on a narrow screen it closes once an entry was chosen.
(() => {
"use strict";
const outline = document.querySelector("#outline");
outline?.addEventListener("click", e => {
  if (e.target.closest("a") && matchMedia("(max-width:1200px)").matches) outline.open = false;
});
})();
