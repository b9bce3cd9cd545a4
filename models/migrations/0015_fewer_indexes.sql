-- Fewer and smaller indexes, each of which is a page more in the write-ahead log of an upload.
--
-- The numbers of a chain's events follow the order of their ids, a document has few links, and the
-- root keys in use are counted along the documents of all owners.
DROP INDEX event_sequence;
DROP INDEX document_token_document;
CREATE INDEX document_token_document ON document_token (document_id);
DROP INDEX document_root;
DROP INDEX document_owner;
CREATE INDEX document_owner ON document (owner_id, id, size, expires_at, root);
