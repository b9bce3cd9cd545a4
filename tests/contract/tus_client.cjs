// Sends a file with tus-js-client: node tus_client.cjs PACKAGE FILE OPTIONS, the last as JSON.
// `abortAt` ends the upload after so many bytes, and `terminate` deletes it; `store` is a file that
// remembers uploads, so that another run goes on with the same one.
// Prints the address of the upload and the requests that were answered, as JSON.
"use strict";
const fs = require("node:fs");
const [folder, file, json] = process.argv.slice(2);
const tus = require(folder);
const { abortAt = Infinity, terminate = false, store, ...options } = JSON.parse(json);
const answers = [];

function end(error) {
  console.log(JSON.stringify({ url: upload.url, answers, error }));
  process.exit(0);
}

const upload = new tus.Upload(fs.createReadStream(file), {
  ...options,
  ...(store && { urlStorage: new tus.FileUrlStorage(store) }),
  onAfterResponse: (request, response) => answers.push([request.getMethod(), response.getStatus()]),
  onError: (error) => end(String(error)),
  onSuccess: () => end(null),
  onProgress: (sent) => {
    if (sent >= abortAt) upload.abort(terminate).then(() => end(null), (error) => end(String(error)));
  },
});

async function start() {
  const [previous] = store ? await upload.findPreviousUploads() : [];
  if (previous) upload.resumeFromPreviousUpload(previous);
  upload.start();
}
start();
