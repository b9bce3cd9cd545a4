// Turns the links above a workbook's sheets into tabs. Without scripts all sheets are shown.
(() => {
"use strict";
const list = document.querySelector(".tabs");
if (!list) return;
const tabs = [...list.children];
const panel = tab => document.querySelector(tab.hash);
const select = tab => {
  for (const one of tabs) {
    one.setAttribute("aria-selected", one === tab);
    one.tabIndex = one === tab ? 0 : -1;
    panel(one).hidden = one !== tab;
  }
  list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
};
const next = { ArrowRight: n => n + 1, ArrowLeft: n => n - 1, Home: () => 0, End: () => -1 };
list.setAttribute("role", "tablist");
for (const tab of tabs) {
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", tab.hash.slice(1));
  panel(tab).setAttribute("role", "tabpanel");
  panel(tab).setAttribute("aria-labelledby", tab.id);
}
list.addEventListener("click", e => {
  const tab = e.target.closest("a");
  if (tab) { e.preventDefault(); select(tab); }
});
list.addEventListener("keydown", e => {
  if (!Object.hasOwn(next, e.key) || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  const tab = tabs.at(next[e.key](tabs.indexOf(e.target)) % tabs.length);
  select(tab);
  tab.focus();
});
addEventListener("hashchange", () => select(tabs.find(tab => tab.hash === location.hash) || tabs[0]));
select(tabs.find(tab => tab.hash === location.hash) || tabs[0]);
})();
