-- What one user keeps is summed up from the index of owners alone.
DROP INDEX document_owner;
CREATE INDEX document_owner ON document (owner_id, id, size, expires_at);
