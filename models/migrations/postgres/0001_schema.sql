-- Of a server alone: what its processes know of each other, and how it stores pieces. A crash of
-- the server may empty what is UNLOGGED: limits begin anew, and what was claimed is free.
CREATE UNLOGGED TABLE rate_limit (key TEXT PRIMARY KEY, due_at INTEGER NOT NULL);
CREATE UNLOGGED TABLE claim (
    lane TEXT PRIMARY KEY, node_id TEXT NOT NULL, until INTEGER NOT NULL
);
CREATE TABLE node (
    id TEXT PRIMARY KEY, root_ids TEXT NOT NULL, seen_at INTEGER NOT NULL
);
ALTER TABLE piece SET (toast.autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE piece ALTER sealed SET STORAGE EXTERNAL;
