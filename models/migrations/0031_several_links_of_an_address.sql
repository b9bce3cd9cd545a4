-- An address may have several links that set its password: the operator's invitation, and those
-- that were asked for by mail. None replaces another one's.
CREATE TABLE invitation_new (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email_folded TEXT NOT NULL, digest BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL, authority_mac BLOB
);
INSERT INTO invitation_new
SELECT id, created_at, email_folded, digest, expires_at, authority_mac FROM invitation;
DROP TABLE invitation;
ALTER TABLE invitation_new RENAME TO invitation;
CREATE INDEX invitation_email ON invitation (email_folded);
