// The page that replaces a document: one file by one request, and refused before that if it is larger

const newer = $(".newer"); // its form

if (newer) {
  newer.elements.file.addEventListener("change", () => showWrong(wrongOfNewer()));
  newer.addEventListener("submit", event => {
    if (!wrongOfNewer()) return;
    event.preventDefault();
    newer.elements.file.focus();
  });
}

function chooseNewer(files) { // dropped on the page, or pasted
  if (files.length > 1) {
    newer.elements.file.value = ""; // else one that was chosen before would be sent
    showWrong("One file replaces the document. Choose one of them.");
    return;
  }
  const carried = new DataTransfer();
  carried.items.add(files[0]);
  newer.elements.file.files = carried.files;
  showWrong(wrongOfNewer());
}

function wrongOfNewer() { // the sentence that stands at the field; empty of a file that fits
  const [file] = newer.elements.file.files;
  return file ? refusalOf(file, +newer.dataset.limit, "replace a document") : "";
}

function showWrong(wrong) {
  const place = $("#file-error");
  place.textContent = wrong;
  place.hidden = !wrong;
  newer.elements.file.ariaInvalid = wrong ? "true" : null;
  if (wrong) say(wrong);
}
