-- A page of an owner's bin is found by an index alone, and so are the newest links to a target, and
-- the links of an owner that take files.
CREATE INDEX document_bin ON document (owner_id, binned_at, id, expires_at)
WHERE binned_at IS NOT NULL;
CREATE INDEX document_token_requests ON document_token (owner_id, id)
WHERE permissions = 'upload';
DROP INDEX document_token_document;
CREATE INDEX document_token_document ON document_token (document_id, id);
