"use strict";
// Counts and sizes in words: for the pages of an account and of links, as `counted` and `format_size` say them in Python

function counted(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

function sizeInWords(bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  const units = ["KB", "MB", "GB", "TB"];
  let amount = bytes / 1000;
  let unit = 0;
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${+amount.toFixed(amount < 9.95 ? 1 : 0)} ${units[unit]}`;
}
