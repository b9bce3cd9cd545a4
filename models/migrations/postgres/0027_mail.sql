-- A claim is of a lane: a webhook, or an owner of mails. It is UNLOGGED: after a crash of the
-- server what was claimed is free.
DROP TABLE webhook_claim;
CREATE UNLOGGED TABLE claim (
    lane TEXT PRIMARY KEY, node_id TEXT NOT NULL, until INTEGER NOT NULL
);
