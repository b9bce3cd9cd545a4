// Asks for the password of a PDF, and shows its pages.
(() => {
"use strict";
const $ = s => document.querySelector(s);
const { viewer } = globalThis, { pages } = viewer;
const saver = () => { // in the place of the form; without the right to save there is no button
  const note = document.createElement("p"), button = document.createElement("button");
  note.className = "note";
  button.type = "button";
  button.className = "button";
  button.textContent = "Save as one HTML file";
  note.append("The saved original keeps its password. A file of these pages opens without it. ", button);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      viewer.saveAs(await (await pages.request("download")).blob(), document.title + ".html");
    } catch (problem) {
      note.append(" " + (problem?.detail || "It could not be made. Try again."));
    }
    button.disabled = false;
  });
  return note;
};
const unlock = async () => {
  pages.password = $("#pdf-password").value;
  $("#unlock-message").textContent = "Opening…";
  try {
    const { total, pages: [{ width, height }] } = await pages.list(1);
    pages.sizes.push([width, height]);
    const sections = pages.frames(1, total);
    $(".locked").replaceWith(...($(".no-save") ? [] : [saver()]), ...sections);
    pages.begin(sections);
    pages.load();
    sections[0].tabIndex = -1;
    sections[0].focus({ preventScroll: true });
  } catch (problem) {
    const isWrong = problem?.code === "wrong_credentials";
    $("#unlock-message").textContent = isWrong ? "This is not its password. Try again."
      : problem?.detail || "The service does not answer. Try again.";
    $("#pdf-password").select();
  }
};
$("#unlock-button")?.addEventListener("click", unlock);
$("#pdf-password")?.addEventListener("keydown", e => { if (e.key === "Enter") unlock(); });
})();
