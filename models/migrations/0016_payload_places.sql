-- A document's payload has a place; objects that no document refers to are recorded.
--
-- All payloads of the time before lie in rows.
ALTER TABLE document ADD COLUMN place TEXT NOT NULL DEFAULT 'rows';
CREATE INDEX document_in_objects ON document (id) WHERE place = 'objects';
CREATE TABLE unreferenced_object (
    id TEXT PRIMARY KEY, created_at BIGINT NOT NULL,
    uploading BIGINT NOT NULL, drop_at BIGINT NOT NULL
);
