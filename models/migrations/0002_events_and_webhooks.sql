-- Events; webhooks with their deliveries; when a document token was spent.
CREATE TABLE event (
    id TEXT NOT NULL, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    type TEXT NOT NULL, document_id TEXT, data TEXT NOT NULL
);
CREATE UNIQUE INDEX event_owner ON event (owner_id, id);
CREATE INDEX event_document ON event (document_id, id) WHERE document_id IS NOT NULL;
CREATE TABLE webhook (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    types TEXT NOT NULL, sealed_terms BLOB NOT NULL,
    disabled_at INTEGER, disabled_reason TEXT, failing_since INTEGER
);
CREATE INDEX webhook_owner ON webhook (owner_id, id);
CREATE TABLE delivery (
    id TEXT NOT NULL, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL, type TEXT NOT NULL,
    due_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER, delivered_at INTEGER,
    status INTEGER, duration_ms INTEGER, sealed_result BLOB
);
CREATE UNIQUE INDEX delivery_webhook ON delivery (webhook_id, id);
CREATE INDEX delivery_due ON delivery (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
ALTER TABLE document_token ADD COLUMN spent_at INTEGER;
CREATE INDEX document_token_expiry ON document_token (expires_at)
WHERE expires_at IS NOT NULL AND spent_at IS NULL AND revoked_at IS NULL;
UPDATE document_token SET spent_at = coalesce(last_used_at, expires_at)
WHERE views >= max_views OR expires_at <= strftime('%s', 'now') * 1000;
