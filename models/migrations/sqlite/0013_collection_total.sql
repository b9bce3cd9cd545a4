-- Whatever lists documents, or adds, bins, puts back or deletes listed ones, changes the totals in
-- the same transaction. A list may name documents that are not there.
CREATE TRIGGER collection_document_added AFTER INSERT ON collection_document BEGIN
    INSERT INTO collection_total (collection_id, documents, size_bytes)
    SELECT NEW.collection_id, COUNT(*), COALESCE(SUM(size), 0) FROM document
    WHERE id = NEW.document_id AND binned_at IS NULL
    ON CONFLICT (collection_id) DO UPDATE SET
        documents = documents + excluded.documents,
        size_bytes = size_bytes + excluded.size_bytes;
    END;
CREATE TRIGGER collection_document_deleted AFTER DELETE ON collection_document BEGIN
    UPDATE collection_total SET
        documents = collection_total.documents - 1,
        size_bytes = collection_total.size_bytes - document.size
    FROM document
    WHERE collection_id = OLD.collection_id
    AND document.id = OLD.document_id AND document.binned_at IS NULL;
    END;
CREATE TRIGGER listed_document_added AFTER INSERT ON document WHEN NEW.binned_at IS NULL BEGIN
    UPDATE collection_total SET
        documents = documents + 1,
        size_bytes = size_bytes + NEW.size
    WHERE collection_id IN (
        SELECT collection_id FROM collection_document WHERE document_id = NEW.id
    );
    END;
CREATE TRIGGER listed_document_changed AFTER UPDATE OF size, binned_at ON document
WHEN (NEW.size, NEW.binned_at IS NULL) IS NOT (OLD.size, OLD.binned_at IS NULL) BEGIN
    UPDATE collection_total SET
        documents = documents + (NEW.binned_at IS NULL) - (OLD.binned_at IS NULL),
        size_bytes = size_bytes
            + NEW.size * (NEW.binned_at IS NULL) - OLD.size * (OLD.binned_at IS NULL)
    WHERE collection_id IN (
        SELECT collection_id FROM collection_document WHERE document_id = NEW.id
    );
    END;
CREATE TRIGGER listed_document_deleted AFTER DELETE ON document WHEN OLD.binned_at IS NULL BEGIN
    UPDATE collection_total SET
        documents = documents - 1,
        size_bytes = size_bytes - OLD.size
    WHERE collection_id IN (
        SELECT collection_id FROM collection_document WHERE document_id = OLD.id
    );
    END;
