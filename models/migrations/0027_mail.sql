-- Mail to be sent, sealed under keys of its own, and how much of its limits is spent.
CREATE TABLE mail (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, owner_id TEXT NOT NULL,
    kind TEXT NOT NULL, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, root TEXT NOT NULL, sealed_key BLOB NOT NULL,
    sealed_message BLOB NOT NULL
);
CREATE INDEX mail_due ON mail (owner_id, due_at);
CREATE TABLE mail_limit (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, due_at INTEGER NOT NULL
);
