-- Payloads may lie in files, and under the id of an upload, which `payload_head` then holds.
CREATE INDEX document_payload ON document (payload_head) WHERE length(payload_head) < 56;
CREATE INDEX document_in_files ON document (id) WHERE place = 'files';
-- Payloads of each place that no row refers to.
CREATE TABLE former_object AS
SELECT id, created_at, uploading, drop_at FROM unreferenced_object;
DROP TABLE unreferenced_object;
CREATE TABLE unreferenced_object (
    id TEXT NOT NULL, place TEXT NOT NULL, created_at BIGINT NOT NULL,
    uploading BIGINT NOT NULL, drop_at BIGINT NOT NULL, PRIMARY KEY (id, place)
);
INSERT INTO unreferenced_object (id, place, created_at, uploading, drop_at)
SELECT id, 'objects', created_at, uploading, drop_at FROM former_object;
DROP TABLE former_object;
