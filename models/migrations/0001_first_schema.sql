-- Users, sessions, API keys, documents and their pieces, document tokens, kept answers.
CREATE TABLE user (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email TEXT NOT NULL, email_folded TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL,
    sealed_name BLOB NOT NULL, sealed_password BLOB NOT NULL,
    disabled_at INTEGER
);
CREATE TABLE session (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
);
CREATE INDEX session_owner ON session (owner_id, id);
CREATE TABLE api_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    digest BLOB NOT NULL UNIQUE, masked_key TEXT NOT NULL, sealed_name BLOB NOT NULL,
    scopes TEXT NOT NULL,
    expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER
);
CREATE INDEX api_key_owner ON api_key (owner_id, id);
CREATE TABLE document (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    content_type TEXT NOT NULL, media_type TEXT NOT NULL, size INTEGER NOT NULL,
    expires_at INTEGER,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL,
    sealed_meta BLOB NOT NULL, payload_head BLOB NOT NULL
);
CREATE INDEX document_owner ON document (owner_id, id);
CREATE INDEX document_expiry ON document (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX document_root ON document (root);
CREATE TABLE piece (
    document_id TEXT NOT NULL, number INTEGER NOT NULL, sealed BLOB NOT NULL
);
CREATE UNIQUE INDEX piece_of_document ON piece (document_id, number);
CREATE TABLE document_token (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE, masked_token TEXT NOT NULL, sealed_label BLOB NOT NULL,
    permissions TEXT NOT NULL, allowed_origins TEXT NOT NULL,
    expires_at INTEGER, max_views INTEGER, views INTEGER NOT NULL DEFAULT 0,
    sealed_password BLOB, last_used_at INTEGER, revoked_at INTEGER
);
CREATE INDEX document_token_document ON document_token (document_id, id);
CREATE TABLE answer (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed_answer BLOB NOT NULL
);
CREATE INDEX answer_age ON answer (created_at);
