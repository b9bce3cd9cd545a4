"use strict";
// Moments in words of the reader's own zone and locale: for the pages of an account and of links

const DAY_MS = 86400000;
const CLOCK = { hour: "numeric", minute: "2-digit" };

function midnight(moment) {
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate());
}

function daysAgo(moment) { // whole days of the calendar: 0 is today, -1 tomorrow
  return Math.round((midnight(new Date()) - midnight(moment)) / DAY_MS);
}

function yearOf(moment) { // the year is not written if it is this one
  return moment.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
}

const FORMS = { // each writes a moment
  clock: () => CLOCK,
  day: moment => ({ weekday: "short", day: "numeric", month: "short", year: yearOf(moment) }),
  long: moment => ({ weekday: "long", day: "numeric", month: "long", year: yearOf(moment), ...CLOCK }),
  record: () => ({ weekday: "long", day: "numeric", month: "long", year: "numeric", ...CLOCK, timeZoneName: "short" }), // to print and keep
  row(moment) { // behind a row of a list, whose heading tells the days around it
    const days = daysAgo(moment);
    if (days <= 1) return CLOCK;
    if (days < 14) return { weekday: "short" };
    return { day: "numeric", month: "short", year: yearOf(moment) };
  },
  since: moment => FORMS.sentence(moment), // behind "since", where no distance reads well
  end(moment) { // beside a choice of an end
    const isToday = daysAgo(moment) === 0;
    const isNear = moment - Date.now() < 2 * DAY_MS;
    if (isNear) return { weekday: isToday ? undefined : "short", ...CLOCK };
    return { day: "numeric", month: "short", ...CLOCK };
  },
  sentence(moment) {
    const days = daysAgo(moment);
    if (days === 0) return CLOCK;
    const weekday = days < 0 && days > -7 ? "short" : undefined;
    return { weekday, day: "numeric", month: "short", year: yearOf(moment), ...CLOCK };
  },
};

function minutesAway(minutes) { // in 4 min, 4 min ago
  const near = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
  if (minutes) return near.format(minutes, "minute");
  return near.format(0, "second"); // "now", where "this minute" would stand
}

function justNow() {
  const { locale } = new Intl.DateTimeFormat().resolvedOptions();
  return locale.startsWith("en") ? "just now" : minutesAway(0);
}

function inWords(moment, form = "sentence") { // a form of `FORMS`, or the `next` try in a sentence
  const minutes = Math.round((moment - Date.now()) / 60000) || 0; // no -0
  if (form === "sentence" && minutes === 0) return justNow();
  if (form === "sentence" && minutes > -60 && minutes < 0) return minutesAway(minutes);
  if (form === "next" && minutes < 60) return minutesAway(Math.max(0, minutes)); // it may be late
  const write = FORMS[form] ?? FORMS.sentence;
  return moment.toLocaleString(undefined, write(moment));
}
