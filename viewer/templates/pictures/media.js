// Pictures and recordings: says that this browser can't show one, and plays a long one from a blob.
(() => {
"use strict";
const { carrier, original } = globalThis.viewer, main = document.querySelector("#main");
const unreadable = () => {
  if (document.querySelector("#unreadable")) return;
  const note = document.createElement("p");
  const unknown = carrier.canPlayType?.(main.dataset.type) === "";
  const reason = unknown ? "play this type of recording." : "show the file: it may be damaged, or not what its type says.";
  Object.assign(note, { id: "unreadable", className: "note", textContent: `This browser can\u2019t ${reason} Save it to open it elsewhere.` });
  note.setAttribute("role", "note");
  main.prepend(note);
  globalThis.served?.post("error", { reason: "unreadable" });
};
carrier.addEventListener("error", unreadable);
if (carrier.matches("img")) carrier.decode().catch(unreadable); // each may have failed before
else if (carrier.error) unreadable();
else if (carrier.src.startsWith("data:") && carrier.src.length > 2e6) carrier.src = URL.createObjectURL(original());
})();
