-- Keys of session tokens and tickets, wrapped under root keys; what time ends is found by index.
CREATE TABLE token_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL
);
CREATE INDEX session_expiry ON session (expires_at);
CREATE INDEX document_token_revoked ON document_token (revoked_at)
WHERE revoked_at IS NOT NULL;
