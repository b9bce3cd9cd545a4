-- What processes that serve the same database know of each other. A crash of the server may empty
-- what is UNLOGGED: limits begin anew, and what was claimed is free.
CREATE UNLOGGED TABLE rate_limit (key TEXT PRIMARY KEY, due_at INTEGER NOT NULL);
CREATE UNLOGGED TABLE webhook_claim (
    webhook_id TEXT PRIMARY KEY REFERENCES webhook (id) ON DELETE CASCADE,
    node_id TEXT NOT NULL, until INTEGER NOT NULL
);
CREATE TABLE node (
    id TEXT PRIMARY KEY, root_ids TEXT NOT NULL, seen_at INTEGER NOT NULL
);
