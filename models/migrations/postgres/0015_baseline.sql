-- The schema as the migrations of SQLite up to 0015 make it, in PostgreSQL's types.
--
-- Text sorts by its bytes (`COLLATE "C"`), whatever the language of the database: ids are compared.
CREATE TABLE user_account (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE, root TEXT NOT NULL, sealed_key BLOB NOT NULL,
    sealed_name BLOB NOT NULL, sealed_password BLOB NOT NULL, disabled_at INTEGER,
    login_generation INTEGER NOT NULL DEFAULT 0, authority_mac BLOB
);
CREATE TABLE session (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL, login_generation INTEGER NOT NULL DEFAULT 0, authority_mac BLOB
);
CREATE INDEX session_owner ON session (owner_id, id);
CREATE INDEX session_expiry ON session (expires_at);
CREATE TABLE api_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    digest BLOB NOT NULL UNIQUE, masked_key TEXT NOT NULL, sealed_name BLOB NOT NULL,
    scopes TEXT NOT NULL, expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER,
    authority_mac BLOB
);
CREATE INDEX api_key_owner ON api_key (owner_id, id);
CREATE TABLE document (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    content_type TEXT NOT NULL, media_type TEXT NOT NULL, size INTEGER NOT NULL,
    expires_at INTEGER, root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed_meta BLOB NOT NULL,
    payload_head BLOB NOT NULL
);
CREATE INDEX document_owner ON document (owner_id, id, size, expires_at, root);
CREATE INDEX document_expiry ON document (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE piece (
    document_id TEXT NOT NULL, number INTEGER NOT NULL, sealed BLOB NOT NULL
) WITH (toast.autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE piece ALTER sealed SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX piece_of_document ON piece (document_id, number);
CREATE TABLE document_token (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, digest BLOB NOT NULL UNIQUE, masked_token TEXT NOT NULL,
    sealed_label BLOB NOT NULL, permissions TEXT NOT NULL, allowed_origins TEXT NOT NULL,
    expires_at INTEGER, max_views INTEGER, views INTEGER NOT NULL DEFAULT 0,
    sealed_password BLOB, last_used_at INTEGER, revoked_at INTEGER, spent_at INTEGER,
    authority_mac BLOB, with_upload INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX document_token_document ON document_token (document_id);
CREATE INDEX document_token_expiry ON document_token (expires_at)
WHERE expires_at IS NOT NULL AND spent_at IS NULL AND revoked_at IS NULL;
CREATE INDEX document_token_revoked ON document_token (revoked_at)
WHERE revoked_at IS NOT NULL;
CREATE INDEX document_token_extra ON document_token (owner_id, expires_at)
WHERE with_upload = 0 AND revoked_at IS NULL AND spent_at IS NULL;
CREATE INDEX document_token_ended ON document_token (owner_id, id)
WHERE revoked_at IS NOT NULL OR spent_at IS NOT NULL;
CREATE INDEX document_token_owner ON document_token
(owner_id, id, revoked_at, expires_at, max_views, views, document_id);
CREATE TABLE answer (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, root TEXT NOT NULL,
    sealed_key BLOB NOT NULL, sealed_answer BLOB NOT NULL
);
CREATE INDEX answer_age ON answer (created_at);
CREATE TABLE webhook (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE, types TEXT NOT NULL,
    sealed_terms BLOB NOT NULL, disabled_at INTEGER, disabled_reason TEXT, failing_since INTEGER
);
CREATE INDEX webhook_owner ON webhook (owner_id, id);
CREATE TABLE delivery (
    id TEXT NOT NULL, created_at INTEGER NOT NULL, owner_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE, event_id TEXT NOT NULL,
    type TEXT NOT NULL, due_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER, delivered_at INTEGER, status INTEGER, duration_ms INTEGER,
    sealed_result BLOB
);
CREATE UNIQUE INDEX delivery_webhook ON delivery (webhook_id, id);
CREATE INDEX delivery_due ON delivery (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE TABLE token_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, root TEXT NOT NULL,
    sealed_key BLOB NOT NULL
);
CREATE TABLE authority_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, root TEXT NOT NULL,
    sealed_key BLOB NOT NULL
);
CREATE TABLE preview (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, document_id TEXT NOT NULL,
    size INTEGER NOT NULL, used_at INTEGER NOT NULL, expires_at INTEGER, head BLOB NOT NULL
);
CREATE INDEX preview_of_document ON preview (document_id);
CREATE INDEX preview_use ON preview (used_at, size);
CREATE TABLE invitation (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, email_folded TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL UNIQUE, expires_at INTEGER NOT NULL, authority_mac BLOB
);
CREATE TABLE event (
    id TEXT NOT NULL, created_at INTEGER NOT NULL, owner_id TEXT NOT NULL,
    sequence INTEGER NOT NULL, type TEXT NOT NULL, document_id TEXT, body TEXT NOT NULL,
    hash BLOB NOT NULL
);
CREATE TABLE event_head (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, sequence INTEGER NOT NULL,
    hash BLOB NOT NULL, last_id TEXT NOT NULL, oldest INTEGER NOT NULL,
    hash_before BLOB NOT NULL, mac BLOB
);
CREATE UNIQUE INDEX event_owner ON event (owner_id, id);
CREATE INDEX event_document ON event (document_id, id) WHERE document_id IS NOT NULL;
