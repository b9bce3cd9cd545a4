// Outline and pages at the side: on a narrow screen they close once an entry was chosen.
(() => {
"use strict";
document.addEventListener("click", e => {
  const outline = e.target.closest(".outline a")?.closest(".outline");
  if (outline && matchMedia("(max-width:1200px)").matches) outline.open = false;
});
})();
