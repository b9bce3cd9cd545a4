// Forms

function lastMinute(chosen) { // of the day that is chosen, where the browser is
  const end = new Date(chosen === "tomorrow" ? Date.now() + 86400000 : chosen + "T00:00");
  end.setHours(23, 59);
  return end;
}

addEventListener("submit", event => {
  const { ends, endsOn, when, offset } = event.target.elements;
  if (!offset) return;
  const end = ends?.value === "date" ? endsOn.value : ends?.value;
  const day = when ? new Date(when.value.padEnd(10, "-01") + "T00:00") : lastMinute(end);
  offset.value = day.getTimezoneOffset() || 0;
}, true); // before a listener of the form itself reads the values

for (const day of all("[name=endsOn]")) {
  day.min = new Date().toLocaleDateString("sv");
  day.ariaLabel = day.ariaLabel.replace(" (UTC)", "");
}

addEventListener("submit", event => { // one click is enough
  const form = event.target;
  if (form.matches("[data-again]")) return;
  setTimeout(() => { // the values have been read
    if (event.defaultPrevented) return;
    for (const button of all("button", form)) button.disabled = true;
  });
});

addEventListener("pageshow", () => {
  for (const button of all("button:disabled")) button.disabled = false;
});
