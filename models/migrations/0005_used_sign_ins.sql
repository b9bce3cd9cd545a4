-- Logins that wait for a provider lie sealed in a cookie of their browser. Stored is which of them
-- were answered.
DROP TABLE pending_sign_in;
CREATE TABLE used_sign_in (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE, expires_at INTEGER NOT NULL
);
CREATE INDEX used_sign_in_expiry ON used_sign_in (expires_at);
