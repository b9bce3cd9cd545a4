-- A document may be in the bin since a moment, which joins its MAC (`AUTHORITY_OPTIONAL`).
ALTER TABLE document ADD COLUMN binned_at INTEGER;
DROP INDEX document_owner;
CREATE INDEX document_owner ON document (owner_id, id, size, expires_at, binned_at, root);
CREATE INDEX document_binned ON document (binned_at) WHERE binned_at IS NOT NULL;
