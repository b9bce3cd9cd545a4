parent.postMessage({ source: "document-viewer", type: "ready" }, "*"); // embed.js waits for it
