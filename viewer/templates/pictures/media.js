// Pictures and recordings: says that this browser can't show one, and plays a long one from a blob.
(() => {
"use strict";
const { carrier, original } = globalThis.viewer, main = document.querySelector("#main");
const tell = text => {
  const note = document.createElement("p");
  Object.assign(note, { id: "unreadable", className: "note", textContent: text });
  note.setAttribute("role", "note");
  document.querySelector("#unreadable")?.remove();
  main.prepend(note);
};
const unreadable = () => {
  const unknown = carrier.canPlayType?.(main.dataset.type) === "";
  const reason = unknown ? "play this type of recording." : "show the file: it may be damaged, or not what its type says.";
  tell(`This browser can\u2019t ${reason} Save it to open it elsewhere.`);
  globalThis.served?.post("error", { reason: "unreadable" });
};
const withoutPicture = () => { // its sound plays: the browser has no decoder for the picture
  if (!carrier.matches("video") || carrier.readyState < 1 || carrier.videoWidth) return;
  tell("This browser plays the sound of this video, but can\u2019t show its picture. Save it to watch it elsewhere.");
};
carrier.addEventListener("loadedmetadata", withoutPicture);
withoutPicture(); // it may have loaded before
carrier.addEventListener("error", unreadable);
if (carrier.matches("img")) carrier.decode().catch(unreadable); // each may have failed before
else if (carrier.error) unreadable();
else if (carrier.src.startsWith("data:") && carrier.src.length > 2e6) carrier.src = URL.createObjectURL(original());
})();
