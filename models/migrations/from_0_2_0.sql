-- Gives the tables of 0.2.0 what is new in `0001_schema`; they keep what it has no more for now.
CREATE TABLE former_target (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    token_id TEXT NOT NULL REFERENCES document_token (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, sealed BLOB
);
CREATE INDEX former_target_link ON former_target (token_id, id);
CREATE INDEX former_target_owner ON former_target (owner_id);
-- 1 for a link whose prompt does not name what it opens.
ALTER TABLE document_token ADD COLUMN name_hidden INTEGER;
ALTER TABLE user_account ADD COLUMN received_seen_at INTEGER;
ALTER TABLE document ADD COLUMN came_by TEXT;
CREATE INDEX document_received ON document (owner_id, id) WHERE came_by IS NOT NULL;
-- When the owner of a link turned it off; NULL while it is on.
ALTER TABLE document_token ADD COLUMN disabled_at INTEGER;
DROP INDEX document_token_owner;
CREATE INDEX document_token_owner ON document_token
(owner_id, id, revoked_at, disabled_at, expires_at, max_views, views, document_id);
ALTER TABLE session ADD COLUMN identity_id TEXT;
ALTER TABLE session ADD COLUMN acting_user_id TEXT;
CREATE INDEX session_acting ON session (acting_user_id) WHERE acting_user_id IS NOT NULL;
ALTER TABLE user_account ADD COLUMN made_by TEXT;
-- Spaces by the person who has made them.
CREATE INDEX user_account_made_by ON user_account (made_by) WHERE made_by IS NOT NULL;
-- Who acts as a space, which is an account without an address and a password, and in which role.
CREATE TABLE member (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    role TEXT NOT NULL, sealed BLOB
);
CREATE UNIQUE INDEX member_owner ON member (owner_id, user_id);
CREATE INDEX member_user ON member (user_id, id);
-- How the trusted proxy or a provider knows somebody, and logins that wait for a provider.
CREATE TABLE identity (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL, subject TEXT NOT NULL, last_used_at INTEGER, sealed BLOB
);
CREATE UNIQUE INDEX identity_subject ON identity (issuer, subject);
CREATE INDEX identity_owner ON identity (owner_id, id);
CREATE TABLE pending_sign_in (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
    owner_id TEXT REFERENCES user_account (id) ON DELETE CASCADE,
    network TEXT NOT NULL, expires_at INTEGER NOT NULL, sealed BLOB
);
CREATE INDEX pending_sign_in_network ON pending_sign_in (network, created_at);
CREATE INDEX pending_sign_in_owner ON pending_sign_in (owner_id);
CREATE INDEX pending_sign_in_expiry ON pending_sign_in (expires_at);
-- An address may have several invitations: SQLite drops UNIQUE only with the table.
CREATE TABLE former_invitation AS SELECT * FROM invitation;
DROP TABLE invitation;
CREATE TABLE invitation (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email_folded TEXT NOT NULL, digest BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL, authority_mac BLOB,
    space_id TEXT, role TEXT, inviter_id TEXT
);
CREATE INDEX invitation_email ON invitation (email_folded);
CREATE INDEX invitation_space ON invitation (space_id) WHERE space_id IS NOT NULL;
INSERT INTO invitation (id, created_at, email_folded, digest, expires_at, authority_mac)
SELECT id, created_at, email_folded, digest, expires_at, authority_mac FROM former_invitation;
DROP TABLE former_invitation;
-- The texts that are accepted have ids.
CREATE TABLE kept_text (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, sha256 TEXT NOT NULL, sealed BLOB
);
CREATE UNIQUE INDEX kept_text_target ON kept_text (document_id, sha256);
CREATE INDEX kept_text_owner ON kept_text (owner_id);
CREATE TABLE service_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed BLOB
);
ALTER TABLE user_account ADD COLUMN sealed BLOB;
ALTER TABLE session ADD COLUMN sealed BLOB;
ALTER TABLE api_key ADD COLUMN sealed BLOB;
ALTER TABLE invitation ADD COLUMN sealed BLOB;
ALTER TABLE token_key ADD COLUMN sealed BLOB;
ALTER TABLE answer ADD COLUMN sealed BLOB;
ALTER TABLE document ADD COLUMN sealed BLOB;
ALTER TABLE collection ADD COLUMN sealed BLOB;
ALTER TABLE document_token ADD COLUMN sealed BLOB;
ALTER TABLE recipient ADD COLUMN sealed BLOB;
ALTER TABLE opening ADD COLUMN sealed BLOB;
ALTER TABLE event_head ADD COLUMN sealed BLOB;
ALTER TABLE webhook ADD COLUMN sealed BLOB;
ALTER TABLE delivery ADD COLUMN sealed BLOB;
ALTER TABLE mail ADD COLUMN sealed BLOB;
