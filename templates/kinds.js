"use strict";
// The badge of a file that is sent: for the pages of an account and of links, as `badge` and `kind_of` say it in Python
const EXTENSIONS = JSON.parse('{{ extensions_of_kinds | tojson }}'); // by the name of the kind

function badgeOf(name) {
  const extension = /\.(\w{1,4})$/.exec(name)?.[1].toLowerCase();
  const kind = Object.keys(EXTENSIONS).find(one => EXTENSIONS[one].includes(extension));
  return { textContent: extension || "file", className: `badge ${kind || ""}`, ariaHidden: "true" };
}
