-- What links have opened before they were led elsewhere, by link: the last targets of each.
CREATE TABLE former_target (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account(id) ON DELETE CASCADE,
    token_id TEXT NOT NULL REFERENCES document_token(id) ON DELETE CASCADE,
    document_id TEXT NOT NULL
);
CREATE INDEX former_target_link ON former_target (token_id, id);
CREATE INDEX former_target_owner ON former_target (owner_id);
