-- Whatever adds, changes or deletes documents changes the totals in the same transaction.
CREATE TRIGGER document_added AFTER INSERT ON document BEGIN
    INSERT INTO document_total (owner_id, documents, size_bytes, binned)
    VALUES (NEW.owner_id, 1, NEW.size, NEW.binned_at IS NOT NULL)
    ON CONFLICT (owner_id) DO UPDATE SET
        documents = documents + excluded.documents,
        size_bytes = size_bytes + excluded.size_bytes,
        binned = binned + excluded.binned;
    END;
CREATE TRIGGER document_changed AFTER UPDATE OF owner_id, size, binned_at ON document
WHEN (NEW.owner_id, NEW.size, NEW.binned_at IS NULL)
    IS NOT (OLD.owner_id, OLD.size, OLD.binned_at IS NULL) BEGIN
    UPDATE document_total SET
        documents = documents - 1,
        size_bytes = size_bytes - OLD.size,
        binned = binned - (OLD.binned_at IS NOT NULL)
    WHERE owner_id = OLD.owner_id;
    INSERT INTO document_total (owner_id, documents, size_bytes, binned)
    VALUES (NEW.owner_id, 1, NEW.size, NEW.binned_at IS NOT NULL)
    ON CONFLICT (owner_id) DO UPDATE SET
        documents = documents + excluded.documents,
        size_bytes = size_bytes + excluded.size_bytes,
        binned = binned + excluded.binned;
    END;
CREATE TRIGGER document_deleted AFTER DELETE ON document BEGIN
    UPDATE document_total SET
        documents = documents - 1,
        size_bytes = size_bytes - OLD.size,
        binned = binned - (OLD.binned_at IS NOT NULL)
    WHERE owner_id = OLD.owner_id;
    END;
