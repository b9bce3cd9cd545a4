// In the iframe of a page, where the browser cannot make a copy of it: tells how large the page is, and nothing else.
(() => {
"use strict";
const tell = asked => {
  const root = document.documentElement;
  const height = root.scrollHeight > innerHeight ? root.scrollHeight : root.offsetHeight;
  parent.postMessage({ asked, width: root.scrollWidth, height }, "*");
};
addEventListener("message", e => { if (e.source === parent) tell(e.data.asked); });
addEventListener("load", () => tell("opened"));
addEventListener("toggle", () => tell("opened"), true); // of what is folded in it
})();
