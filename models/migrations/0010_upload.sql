-- Uploads that come in pieces, by several requests; of a finished one the record stays for a day.
CREATE TABLE upload (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    size INTEGER NOT NULL, received INTEGER NOT NULL, came_by TEXT, document_id TEXT,
    expires_at INTEGER NOT NULL, root TEXT NOT NULL, sealed_key BLOB NOT NULL,
    rest BLOB NOT NULL, sealed BLOB
);
CREATE INDEX upload_owner ON upload (owner_id, id);
CREATE INDEX upload_expiry ON upload (expires_at);
