// Copy buttons on the examples, a filter over calls and objects. The pages work without it.
for (const pre of document.querySelectorAll("pre")) {
  const box = document.createElement("div"), button = document.createElement("button");
  box.className = "copied";
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
  find.parentElement.hidden = false;
  find.oninput = () => {
    const words = find.value.toLowerCase().split(/\s+/), all = [...document.querySelectorAll("details")];
    for (const one of all) one.hidden = !words.every(word => one.textContent.toLowerCase().includes(word));
    const count = all.filter(one => !one.hidden).length;
    document.getElementById("found").textContent = find.value && `${count} hold this.`;
  };
}

const open = () => document.getElementById(location.hash.slice(1))?.setAttribute("open", "");
addEventListener("hashchange", open);
open();
