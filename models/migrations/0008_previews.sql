-- Previews of documents, whose sealed pieces lie beside those of the payloads.
CREATE TABLE preview (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    document_id TEXT NOT NULL,
    size INTEGER NOT NULL, used_at INTEGER NOT NULL, expires_at INTEGER, head BLOB NOT NULL
);
CREATE INDEX preview_of_document ON preview (document_id);
CREATE INDEX preview_use ON preview (used_at, size);
