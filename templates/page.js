// Copy buttons on the examples, a filter over the operations. The pages work without it.
for (const pre of document.querySelectorAll("pre")) {
  const box = document.createElement("div"), button = document.createElement("button");
  box.className = "copied";
  button.type = "button";
  button.textContent = "Copy";
  pre.replaceWith(box);
  box.append(pre, button);
  button.onclick = () => {
    getSelection().selectAllChildren(pre);
    document.execCommand("copy"); // navigator.clipboard is missing where there is no https
    getSelection().removeAllRanges();
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
}

const find = document.getElementById("find");
if (find) {
  const found = document.getElementById("found");
  find.parentElement.hidden = false;
  find.oninput = () => {
    const words = find.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const section of document.querySelectorAll("section")) {
      let shown = 0;
      for (const call of section.querySelectorAll("details")) {
        const text = call.textContent.toLowerCase();
        call.hidden = !words.every(word => text.includes(word));
        shown += !call.hidden;
      }
      section.hidden = !shown;
      count += section.id === "objects" ? 0 : shown;
    }
    found.textContent = find.value && `${count} of the calls hold this.`;
  };
}

const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.localName === "details") target.open = true;
};
addEventListener("hashchange", open);
open();
