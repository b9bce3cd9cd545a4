"use strict";
// The files of a folder that is dropped or chosen: for the pages of an account, and the page of a link that takes files
const LEFT_BY_SYSTEMS = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\._.*|__MACOSX)$/i; // in folders

const folders = new WeakMap(); // of files that were dropped

function folderOf(file) { // "papers/2026", of the file in it; empty of a file that came alone
  const path = folders.get(file) ?? file.webkitRelativePath;
  return path.split("/").slice(0, -1).join("/");
}

function ownFiles(files) { // of a folder that was chosen, but for what systems leave there
  return [...files].filter(file => !file.webkitRelativePath.split("/").some(part => LEFT_BY_SYSTEMS.test(part)));
}

async function filesIn(entry) { // in a folder and in those inside it, but for what systems leave there
  if (!entry) return [];
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    folders.set(file, entry.fullPath.slice(1));
    return [file];
  }
  const reader = entry.createReader();
  const found = [];
  let batch;
  do {
    batch = await new Promise((done, failed) => reader.readEntries(done, failed)); // a hundred at a time
    found.push(...batch);
  } while (batch.length);
  const own = found.filter(one => !LEFT_BY_SYSTEMS.test(one.name));
  return (await Promise.all(own.map(filesIn))).flat();
}

async function filesDropped({ items, files }) {
  const entries = [...items].map(item => item.webkitGetAsEntry?.()); // before the first wait, after which there are none
  if (!entries.some(entry => entry?.isDirectory)) return files;
  return (await Promise.all(entries.map(filesIn))).flat();
}
