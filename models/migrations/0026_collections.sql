-- Ordered lists of documents, which links open as a whole; an event names the one it is about.
CREATE TABLE collection (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account(id) ON DELETE CASCADE,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed_meta BLOB NOT NULL
);
CREATE INDEX collection_owner ON collection (owner_id, id);
CREATE TABLE collection_document (
    document_id TEXT NOT NULL,
    collection_id TEXT NOT NULL REFERENCES collection(id) ON DELETE CASCADE,
    PRIMARY KEY (document_id, collection_id)
);
CREATE INDEX collection_document_collection ON collection_document (collection_id);
ALTER TABLE event ADD COLUMN collection_id TEXT;
CREATE INDEX event_collection ON event (collection_id, id) WHERE collection_id IS NOT NULL;
