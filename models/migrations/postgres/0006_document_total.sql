-- Whatever adds, changes or deletes documents changes the totals in the same transaction: once a
-- statement, or a copy of all documents would make as many versions of one row.
CREATE FUNCTION document_added() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    INSERT INTO document_total AS total (owner_id, documents, size_bytes, binned)
    SELECT owner_id, COUNT(*), SUM(size), COUNT(binned_at) FROM added GROUP BY owner_id
    ON CONFLICT (owner_id) DO UPDATE SET
        documents = total.documents + EXCLUDED.documents,
        size_bytes = total.size_bytes + EXCLUDED.size_bytes,
        binned = total.binned + EXCLUDED.binned;
    RETURN NULL;
    END $$;
CREATE FUNCTION document_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    INSERT INTO document_total AS total (owner_id, documents, size_bytes, binned)
    SELECT owner_id, SUM(documents), SUM(size), SUM(binned) FROM (
        SELECT owner_id, 1 AS documents, size, (binned_at IS NOT NULL)::int AS binned FROM present
        UNION ALL
        SELECT owner_id, -1, -size, -(binned_at IS NOT NULL)::int FROM former
    ) AS change
    GROUP BY owner_id HAVING SUM(documents) <> 0 OR SUM(size) <> 0 OR SUM(binned) <> 0
    ON CONFLICT (owner_id) DO UPDATE SET
        documents = total.documents + EXCLUDED.documents,
        size_bytes = total.size_bytes + EXCLUDED.size_bytes,
        binned = total.binned + EXCLUDED.binned;
    RETURN NULL;
    END $$;
CREATE FUNCTION document_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    UPDATE document_total AS total SET
        documents = total.documents - gone.documents,
        size_bytes = total.size_bytes - gone.size_bytes,
        binned = total.binned - gone.binned
    FROM (
        SELECT owner_id, COUNT(*) AS documents, SUM(size) AS size_bytes, COUNT(binned_at) AS binned
        FROM deleted GROUP BY owner_id
    ) AS gone
    WHERE total.owner_id = gone.owner_id;
    RETURN NULL;
    END $$;
CREATE TRIGGER document_added AFTER INSERT ON document REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION document_added();
CREATE TRIGGER document_changed AFTER UPDATE ON document
REFERENCING OLD TABLE AS former NEW TABLE AS present
FOR EACH STATEMENT EXECUTE FUNCTION document_changed();
CREATE TRIGGER document_deleted AFTER DELETE ON document REFERENCING OLD TABLE AS deleted
FOR EACH STATEMENT EXECUTE FUNCTION document_deleted();
