-- Readings that are counted for a minute, by whichever process answers them.
CREATE UNLOGGED TABLE reading (
    id BLOB PRIMARY KEY, owner_id TEXT NOT NULL, type TEXT NOT NULL,
    document_id TEXT NOT NULL, actor TEXT NOT NULL,
    began_at INTEGER NOT NULL, further INTEGER NOT NULL
);
CREATE INDEX reading_of_document ON reading (document_id);
