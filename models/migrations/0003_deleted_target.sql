-- Deleted documents and collections whose links still have rows to be revoked or deleted.
CREATE TABLE deleted_target (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE
);
