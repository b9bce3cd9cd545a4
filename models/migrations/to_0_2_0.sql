-- How the schema of version 0.2.0 differs from `0001_schema`: a database of 0.2.0 is compared with
-- it before it is migrated. Nothing else runs this.
DROP TABLE former_target;
DROP TABLE invitation;
CREATE TABLE invitation (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email_folded TEXT NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL, authority_mac BLOB
);
