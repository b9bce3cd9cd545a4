-- What each collection has: documents that are there and not in the bin, and their bytes. Triggers
-- keep it, which each engine has in its own words.
CREATE TABLE collection_total (
    collection_id TEXT PRIMARY KEY REFERENCES collection (id) ON DELETE CASCADE,
    documents INTEGER NOT NULL, size_bytes INTEGER NOT NULL
);
INSERT INTO collection_total (collection_id, documents, size_bytes)
SELECT listing.collection_id, COUNT(document.id), COALESCE(SUM(document.size), 0)
FROM collection_document AS listing
LEFT JOIN document ON document.id = listing.document_id AND document.binned_at IS NULL
GROUP BY listing.collection_id;
