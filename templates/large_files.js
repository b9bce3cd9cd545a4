"use strict";
// Large files: sent slice by slice, each from where the service is, so that a broken line loses nothing. For the pages of an
// account, and the page of a link that takes files. The protocol is tus 1.0.0 (https://tus.io/protocols/resumable-upload).
const SLICE_BYTES = 16 << 20; // the most of one request; a larger file goes in several
const LEAST_SLICE_BYTES = 512 << 10; // where a proxy takes no larger request
const LONGEST_PAUSE = 60; // seconds between two tries
const SILENT_MS = 60000; // after which a request that neither sends nor ends is given up
const MEAN_MS = 20000; // over which the speed is the mean
const LEAST_MEAN_MS = 3000; // before which nothing is said of the time that is left
const KEPT = "unfinished uploads"; // in localStorage: those that this browser has begun

let sliceBytes = SLICE_BYTES; // less once a proxy has refused a request for its length

// Words

function partInWords(part, whole) { // "312 MB of 4.2 GB", "1.2 of 4.2 GB"
  const [amount, unit] = sizeInWords(part).split(" ");
  const all = sizeInWords(whole);
  return all.endsWith(` ${unit}`) ? `${amount} of ${all}` : `${amount} ${unit} of ${all}`;
}

function timeLeft(seconds) {
  if (seconds < 60) return `${Math.max(5, 5 * Math.round(seconds / 5))} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min left`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}

// What this browser has begun, so that it goes on when the page was closed

function keptUploads() {
  try {
    const all = JSON.parse(localStorage.getItem(KEPT) || "[]");
    return all.filter(one => one.expires > Date.now());
  } catch {
    return []; // the browser keeps nothing here
  }
}

function keepUpload(upload) { // in place of what was kept of it
  const others = keptUploads().filter(one => one.address !== upload.address);
  try {
    localStorage.setItem(KEPT, JSON.stringify([...others, upload]));
  } catch {
    // it is not there when the page was closed
  }
}

function forgetUpload(address) {
  const others = keptUploads().filter(one => one.address !== address);
  try {
    localStorage.setItem(KEPT, JSON.stringify(others));
  } catch {
    // nothing was kept
  }
}

function isFileOf({ name, size, lastModified }, upload) { // by what is known of it: another program tells no date
  const isNamed = !upload.name || name === upload.name;
  const isOfDate = !upload.lastModified || lastModified === upload.lastModified;
  return isNamed && isOfDate && size === upload.size;
}

// Returns what stands in the row of an unfinished upload: a sentence, and the button that asks for its file. `resume` gets the
// file, `refuse` a sentence if it is another one.
function unfinishedParts(upload, resume, refuse) {
  const { name, size, received } = upload;
  const named = name || "A file";
  const sentence = document.createElement("span");
  const shownName = document.createElement("bdi");
  shownName.textContent = named;
  if (received === size) {
    sentence.append(shownName, " has arrived, and is being stored.");
    return [sentence];
  }
  sentence.append(shownName, `: ${partInWords(received, size)} have arrived. Choose the same file to resume.`);
  const button = document.createElement("label");
  const input = document.createElement("input");
  button.className = "button resume";
  button.append("Resume", input);
  input.type = "file";
  input.ariaLabel = `Resume ${named}`;
  input.onchange = () => {
    const [file] = input.files;
    input.value = ""; // the same file may be chosen again
    if (!file) return;
    if (isFileOf(file, upload)) resume(file);
    else refuse(`This is another file. Choose ${name || "the file"} of ${sizeInWords(size)}.`);
  };
  return [sentence, button];
}

// Sending

function inBase64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function metadataOf(facts) { // as Upload-Metadata, without what is empty
  const pairs = Object.entries(facts).filter(([, value]) => value);
  return pairs.map(([name, value]) => `${name} ${inBase64(value)}`).join(",");
}

function isOurs(call) { // an answer of the service, not of a proxy
  return call.getResponseHeader("Tus-Resumable") !== null;
}

class LargeUpload {
  // `begin` is the address where uploads begin, `address` that of one that was begun; `reach` returns an address as it is called.
  // `facts` are texts of Upload-Metadata. By `key` the service knows a beginning that comes again. `kept` is what the browser
  // keeps beside the facts of the file. `show` gets a sentence and how much was sent, from 0 to 1; `say` what is worth an
  // interruption.
  constructor(file, options) {
    Object.assign(this, { reach: path => path, kept: {} }, options, { file });
    this.size = file.size;
    this.received = 0;
    this.isKnown = false; // whether `received` is what the service has
    this.isPaused = false;
    this.isCancelled = false;
    this.tries = 0; // since something arrived
    this.marks = []; // when so many bytes were sent
  }

  // Resolves to the record of the finished upload, or to nothing if it was cancelled. Throws why it was refused: it goes on by
  // another call of `run`, unless the error `isGone`.
  run() {
    this.running = this.goOn();
    return this.running;
  }

  async goOn() {
    this.isKnown = false;
    this.tries = 0;
    while (!this.isCancelled) {
      if (this.isPaused) {
        await this.untilResumed();
      } else if (!this.address) {
        await this.beginOne();
      } else if (this.isKnown && this.received < this.size) {
        await this.sendSlice();
      } else {
        const record = await this.look();
        if (record) return record;
      }
    }
    return null;
  }

  togglePause() {
    this.isPaused = !this.isPaused;
    this.interrupt();
  }

  // Resolves to the record if the upload was finished before; otherwise what has arrived is deleted.
  async cancel() {
    this.isCancelled = true;
    this.interrupt();
    const record = await this.running?.catch(() => null);
    if (!record && this.address) await endUpload(this.address, this.reach);
    return record;
  }

  interrupt() {
    this.sending?.abort();
    this.wake?.();
  }

  untilResumed() {
    this.isKnown = false;
    this.marks = [];
    this.show(`Paused · ${partInWords(this.received, this.size)}`, this.received / this.size);
    return new Promise(done => { this.wake = done; });
  }

  // Waits for so many seconds, or until the line or the page is back.
  wait(seconds, words) {
    return new Promise(done => {
      const until = Date.now() + 1000 * seconds;
      const events = ["online", "pageshow", "visibilitychange"];
      const end = () => {
        clearInterval(timer);
        for (const name of events) removeEventListener(name, back, true);
        done();
      };
      const back = () => document.hidden || end();
      const count = () => {
        const left = Math.ceil((until - Date.now()) / 1000);
        if (left > 0) this.show(`${words} Trying again in ${left} s.`, this.received / this.size);
        else end();
      };
      const timer = setInterval(count, 1000);
      for (const name of events) addEventListener(name, back, true);
      this.wake = end;
      count();
    });
  }

  async beginOne() {
    const headers = {
      "Upload-Length": this.size,
      "Upload-Metadata": metadataOf(this.facts),
      "Idempotency-Key": this.key,
    };
    const call = await this.request("POST", this.begin, headers);
    if (call.status !== 201) return this.handle(call);
    const { pathname, search } = new URL(call.getResponseHeader("Location"));
    this.address = pathname + search;
    this.note(call);
  }

  async sendSlice() {
    const slice = this.file.slice(this.received, this.received + sliceBytes);
    const headers = { "Upload-Offset": this.received, "Content-Type": "application/offset+octet-stream" };
    this.measure(0);
    const call = await this.request("PATCH", this.address, headers, slice);
    if (call.status === 204) return this.note(call);
    if (!call.status && !this.isStopped) await this.requireReadable(slice);
    return this.handle(call);
  }

  async look() {
    const call = await this.request("GET", this.address, { Accept: "application/json" });
    if (call.status !== 200) return this.handle(call);
    const record = call.response;
    if (record.received > this.received) this.tries = 0;
    this.received = record.received;
    this.isKnown = true;
    if (record.failed) throw this.refusal("The file arrived, but could not be stored. Send it again.", true);
    if (record.documentId || record.receipt) {
      forgetUpload(this.address);
      return record;
    }
    if (this.received === this.size) {
      this.show("Storing…", 1);
      await new Promise(done => setTimeout(done, 1000));
    }
    return null;
  }

  get isStopped() {
    return this.isPaused || this.isCancelled;
  }

  note(call) { // where the service is
    this.received = +call.getResponseHeader("Upload-Offset");
    this.isKnown = true;
    this.tries = 0;
    const { name, size, lastModified } = this.file;
    const expires = Date.parse(call.getResponseHeader("Upload-Expires"));
    keepUpload({ ...this.kept, name, size, lastModified, address: this.address, expires });
  }

  // Waits after what may go by, and throws what does not.
  async handle(call) {
    const { status, response } = call;
    const offset = call.getResponseHeader("Upload-Offset");
    if (this.isStopped && !status) return null;
    if (status === 413 && !isOurs(call) && sliceBytes > LEAST_SLICE_BYTES) {
      sliceBytes /= 2;
      return null;
    }
    this.isKnown = false;
    this.marks = [];
    if (status === 409 && offset !== null) {
      this.received = +offset;
      this.isKnown = true;
      return null;
    }
    const isBroken = !status || (status >= 500 && !isOurs(call));
    const pause = +call.getResponseHeader("Retry-After");
    if (isBroken) {
      if (!this.tries) this.say("Connection lost.");
      await this.waitForLine("Connection lost.", Math.min(LONGEST_PAUSE, 2 ** this.tries));
    } else if (pause || response?.code === "idempotency_in_progress") {
      await this.waitForLine("The service is busy.", pause || 1);
    } else {
      throw this.refusal(this.sentenceOf(call), status === 404, status);
    }
    return null;
  }

  async waitForLine(words, seconds) {
    this.tries += 1;
    await this.wait(seconds, words);
  }

  sentenceOf({ status, response }) {
    if (status === 413 && !response?.code) return "A server on the way here refuses requests of this length.";
    if (status === 404 && this.address) return "What had arrived of it is no longer there.";
    return response?.errors?.[0].detail || response?.detail || "The file was not taken.";
  }

  refusal(sentence, isGone, status) {
    if (isGone) {
      forgetUpload(this.address);
      this.address = null;
    }
    return Object.assign(new Error(sentence), { isGone, status });
  }

  async requireReadable(slice) { // a request of a file that was moved or changed looks like a broken line
    try {
      await slice.slice(0, 1).arrayBuffer();
    } catch {
      throw this.refusal(`${this.file.name} was moved or changed. Choose it again.`);
    }
  }

  measure(loaded) {
    const sent = this.received + loaded;
    const time = Date.now();
    this.marks.push([time, sent]);
    while (time - this.marks[0][0] > MEAN_MS) this.marks.shift();
    const [began, before] = this.marks[0];
    const words = partInWords(sent, this.size);
    const speed = (sent - before) / (time - began); // bytes in a millisecond
    const isSteady = time - began >= LEAST_MEAN_MS && speed > 0;
    const left = isSteady ? ` · ${timeLeft((this.size - sent) / speed / 1000)}` : "";
    this.show(words + left, sent / this.size);
  }

  request(method, address, headers, body = null) { // resolves to the call when it has ended; its status is 0 if the line broke
    return new Promise(done => {
      const call = new XMLHttpRequest(); // fetch does not say how much was sent
      let silence;
      const hear = () => {
        clearTimeout(silence);
        silence = setTimeout(() => call.abort(), SILENT_MS);
      };
      call.upload.onprogress = event => {
        hear();
        if (!this.isStopped) this.measure(event.loaded);
      };
      call.onloadend = () => {
        clearTimeout(silence);
        this.sending = null;
        done(call);
      };
      call.open(method, this.reach(address));
      call.responseType = "json";
      for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
      if (body) this.sending = call; // what only asks ends soon, and its answer counts
      hear();
      call.send(body);
    });
  }
}

async function endUpload(address, reach) { // returns whether nothing of it is there any more
  try {
    const answer = await fetch(reach(address), { method: "DELETE" });
    if (!answer.ok && answer.status !== 404) return false;
  } catch {
    return false;
  }
  forgetUpload(address);
  return true;
}
