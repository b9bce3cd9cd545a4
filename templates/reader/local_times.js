"use strict";
// The moments of a page of a link, which comes with those of UTC (`moments.js` words them)

function distanceTo(moment) { // in 3 days
  const minutes = Math.round((moment - Date.now()) / 60000);
  const distance = new Intl.RelativeTimeFormat(undefined, { numeric: "always" });
  if (minutes < 60) return distance.format(minutes, "minute");
  if (minutes < 2880) return distance.format(Math.round(minutes / 60), "hour");
  return distance.format(Math.round(minutes / 1440), "day");
}

function localize(part) {
  for (const time of part.querySelectorAll("time")) {
    const moment = new Date(time.dateTime);
    const { shows } = time.dataset;
    time.title = time.textContent;
    time.lang = new Intl.DateTimeFormat().resolvedOptions().locale;
    time.dir = "auto";
    time.textContent = inWords(moment, shows === "clock" ? "clock" : "long");
    if (shows === "distance" && moment > Date.now()) time.after(` (${distanceTo(moment)})`);
  }
}

localize(document);
