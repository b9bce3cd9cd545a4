-- Documents are filtered by type and by moment, and events by type, from these indexes alone.
CREATE INDEX document_list ON document
(owner_id, id, size, expires_at, binned_at, root, media_type, created_at);
DROP INDEX document_owner;
CREATE UNIQUE INDEX event_list ON event (owner_id, id, type);
DROP INDEX event_owner;
