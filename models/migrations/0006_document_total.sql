-- What each owner has stored: documents, with those in the bin, their bytes, and how many of them
-- are in the bin. Triggers keep it, which each engine has in its own words.
CREATE TABLE document_total (
    owner_id TEXT PRIMARY KEY REFERENCES user_account (id) ON DELETE CASCADE,
    documents INTEGER NOT NULL, size_bytes INTEGER NOT NULL, binned INTEGER NOT NULL
);
INSERT INTO document_total (owner_id, documents, size_bytes, binned)
SELECT owner_id, COUNT(*), SUM(size), COUNT(binned_at) FROM document GROUP BY owner_id;
