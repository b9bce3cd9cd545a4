-- The MAC of the columns that say who may do what, its key, and what has ended a user's sessions.
--
-- Existing rows get their MAC when the keyring is loaded (`models/operations/authority.py`).
CREATE TABLE authority_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL
);
ALTER TABLE user_account ADD COLUMN login_generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN login_generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user_account ADD COLUMN authority_mac BLOB;
ALTER TABLE session ADD COLUMN authority_mac BLOB;
ALTER TABLE api_key ADD COLUMN authority_mac BLOB;
ALTER TABLE document_token ADD COLUMN authority_mac BLOB;
