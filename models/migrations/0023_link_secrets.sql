-- The secret of a link is kept under its document's key: its owner can copy the link again.
ALTER TABLE document_token ADD COLUMN sealed_secret BLOB;
