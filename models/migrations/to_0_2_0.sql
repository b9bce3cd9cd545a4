-- How the schema of version 0.2.0 differs from `0001_schema`: a database of 0.2.0 is compared with
-- it before it is migrated. Nothing else runs this.
DROP TABLE former_target;
DROP TABLE pending_sign_in;
DROP TABLE identity;
ALTER TABLE session DROP COLUMN identity_id;
DROP INDEX session_acting;
ALTER TABLE session DROP COLUMN acting_user_id;
DROP TABLE member;
DROP INDEX user_account_made_by;
ALTER TABLE user_account DROP COLUMN made_by;
ALTER TABLE document_token DROP COLUMN name_hidden;
ALTER TABLE document_token DROP COLUMN owner_notified;
DROP INDEX document_token_owner;
ALTER TABLE document_token DROP COLUMN disabled_at;
CREATE INDEX document_token_owner ON document_token
(owner_id, id, revoked_at, expires_at, max_views, views, document_id);
DROP TABLE invitation;
CREATE TABLE invitation (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email_folded TEXT NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL, authority_mac BLOB
);
DROP INDEX document_received;
ALTER TABLE document DROP COLUMN came_by;
ALTER TABLE user_account DROP COLUMN received_seen_at;
