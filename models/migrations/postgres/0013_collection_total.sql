-- Whatever lists documents, or adds, bins, puts back or deletes listed ones, changes the totals in
-- the same transaction. A list may name documents that are not there. Changes of documents are
-- looked at one by one, since most, as those of a rotation, change no total.
CREATE FUNCTION collection_document_added() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    INSERT INTO collection_total AS total (collection_id, documents, size_bytes)
    SELECT added.collection_id, COUNT(document.id), COALESCE(SUM(document.size), 0)
    FROM added
    LEFT JOIN document ON document.id = added.document_id AND document.binned_at IS NULL
    GROUP BY added.collection_id
    ON CONFLICT (collection_id) DO UPDATE SET
        documents = total.documents + EXCLUDED.documents,
        size_bytes = total.size_bytes + EXCLUDED.size_bytes;
    RETURN NULL;
    END $$;
CREATE FUNCTION collection_document_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    UPDATE collection_total AS total SET
        documents = total.documents - gone.documents,
        size_bytes = total.size_bytes - gone.size_bytes
    FROM (
        SELECT deleted.collection_id, COUNT(*) AS documents, SUM(document.size) AS size_bytes
        FROM deleted
        JOIN document ON document.id = deleted.document_id AND document.binned_at IS NULL
        GROUP BY deleted.collection_id
    ) AS gone
    WHERE total.collection_id = gone.collection_id;
    RETURN NULL;
    END $$;
CREATE FUNCTION listed_document_added() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    UPDATE collection_total AS total SET
        documents = total.documents + come.documents,
        size_bytes = total.size_bytes + come.size_bytes
    FROM (
        SELECT listing.collection_id, COUNT(*) AS documents, SUM(added.size) AS size_bytes
        FROM added JOIN collection_document AS listing ON listing.document_id = added.id
        WHERE added.binned_at IS NULL
        GROUP BY listing.collection_id
    ) AS come
    WHERE total.collection_id = come.collection_id;
    RETURN NULL;
    END $$;
CREATE FUNCTION listed_document_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    UPDATE collection_total SET
        documents = documents + (NEW.binned_at IS NULL)::int - (OLD.binned_at IS NULL)::int,
        size_bytes = size_bytes
            + NEW.size * (NEW.binned_at IS NULL)::int - OLD.size * (OLD.binned_at IS NULL)::int
    WHERE collection_id IN (
        SELECT collection_id FROM collection_document WHERE document_id = NEW.id
    );
    RETURN NULL;
    END $$;
CREATE FUNCTION listed_document_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
    UPDATE collection_total AS total SET
        documents = total.documents - gone.documents,
        size_bytes = total.size_bytes - gone.size_bytes
    FROM (
        SELECT listing.collection_id, COUNT(*) AS documents, SUM(deleted.size) AS size_bytes
        FROM deleted JOIN collection_document AS listing ON listing.document_id = deleted.id
        WHERE deleted.binned_at IS NULL
        GROUP BY listing.collection_id
    ) AS gone
    WHERE total.collection_id = gone.collection_id;
    RETURN NULL;
    END $$;
CREATE TRIGGER collection_document_added AFTER INSERT ON collection_document
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION collection_document_added();
CREATE TRIGGER collection_document_deleted AFTER DELETE ON collection_document
REFERENCING OLD TABLE AS deleted
FOR EACH STATEMENT EXECUTE FUNCTION collection_document_deleted();
CREATE TRIGGER listed_document_added AFTER INSERT ON document REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION listed_document_added();
CREATE TRIGGER listed_document_changed AFTER UPDATE OF size, binned_at ON document
FOR EACH ROW WHEN (
    (NEW.size, NEW.binned_at IS NULL) IS DISTINCT FROM (OLD.size, OLD.binned_at IS NULL)
) EXECUTE FUNCTION listed_document_changed();
CREATE TRIGGER listed_document_deleted AFTER DELETE ON document
REFERENCING OLD TABLE AS deleted
FOR EACH STATEMENT EXECUTE FUNCTION listed_document_deleted();
