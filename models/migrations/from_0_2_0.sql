-- Brings the tables of version 0.2.0 to `0001_schema`.
CREATE TABLE former_target (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    token_id TEXT NOT NULL REFERENCES document_token (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL
);
CREATE INDEX former_target_link ON former_target (token_id, id);
CREATE INDEX former_target_owner ON former_target (owner_id);
-- An address may have several invitations: SQLite drops UNIQUE only with the table.
CREATE TABLE former_invitation AS SELECT * FROM invitation;
DROP TABLE invitation;
CREATE TABLE invitation (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email_folded TEXT NOT NULL, digest BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL, authority_mac BLOB
);
CREATE INDEX invitation_email ON invitation (email_folded);
INSERT INTO invitation (id, created_at, email_folded, digest, expires_at, authority_mac)
SELECT id, created_at, email_folded, digest, expires_at, authority_mac FROM former_invitation;
DROP TABLE former_invitation;
