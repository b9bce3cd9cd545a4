-- Links made beside those of uploads are counted, and ended links found, by index.
--
-- Links of the time before count as those of uploads.
ALTER TABLE document_token ADD COLUMN with_upload INTEGER NOT NULL DEFAULT 1;
CREATE INDEX document_token_extra ON document_token (owner_id, expires_at)
WHERE with_upload = 0 AND revoked_at IS NULL AND spent_at IS NULL;
CREATE INDEX document_token_ended ON document_token (owner_id, id)
WHERE revoked_at IS NOT NULL OR spent_at IS NOT NULL;
