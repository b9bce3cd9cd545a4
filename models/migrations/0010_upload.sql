-- Uploads that come in pieces, by several requests; of a finished one the record stays for a day.
CREATE TABLE upload (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    size INTEGER NOT NULL, received INTEGER NOT NULL, came_by TEXT, document_id TEXT,
    expires_at INTEGER NOT NULL, root TEXT NOT NULL, sealed_key BLOB NOT NULL,
    rest BLOB NOT NULL, sealed BLOB
);
CREATE INDEX upload_owner ON upload (owner_id, id);
-- What is unfinished is listed, and summed up for quota and disk; the records of a day are not read.
CREATE INDEX upload_unfinished ON upload (owner_id, id, size, received, came_by, expires_at)
WHERE document_id IS NULL;
CREATE INDEX upload_expiry ON upload (expires_at);
