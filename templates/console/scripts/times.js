// Moments of the pages, which come with those of UTC (`moments.js` words them)

function dayHeading(moment) { // as the server words them, for days in UTC
  const days = daysAgo(moment);
  const sinceMonday = (new Date().getDay() + 6) % 7;
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days <= sinceMonday) return "Earlier this week";
  if (days <= sinceMonday + 7) return "Last week";
  const now = new Date();
  const year = yearOf(moment);
  if (!year && moment.getMonth() === now.getMonth()) return "Earlier this month";
  return moment.toLocaleDateString(undefined, { month: "long", year });
}

function groupByDay(list) { // the headings of a list, anew
  const headings = all(".day", list);
  if (!headings.length) return;
  const pattern = headings[0].cloneNode(true);
  for (const heading of headings) heading.remove();
  let former;
  for (const row of [...list.children]) {
    const words = dayHeading(new Date($("time[data-shows=row]", row).dateTime));
    if (words !== former) {
      const heading = pattern.cloneNode(true);
      $("[data-day]", heading).textContent = words;
      row.before(heading);
    }
    former = words;
  }
}

function localize(part) {
  for (const list of all("[data-days]", part)) groupByDay(list);
  for (const time of all("time", part)) {
    time.title = time.textContent;
    time.textContent = inWords(new Date(time.dateTime), time.dataset.shows);
  }
  for (const chip of all("[name=ends][value*='-'] + span", part)) { // the day that a chip names
    const day = new Date(chip.previousElementSibling.value + "T00:00");
    if (!Number.isNaN(day.getTime())) chip.textContent = inWords(day, "day");
  }
}

localize(document);
