-- The largest documents of an owner are found by an index alone.
CREATE INDEX document_size ON document (owner_id, size, id, expires_at, binned_at);
