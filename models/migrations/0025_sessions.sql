-- Sessions say what they were started by, sealed, and when they were last used.
ALTER TABLE session ADD COLUMN sealed_client BLOB;
ALTER TABLE session ADD COLUMN last_used_at INTEGER;
