-- Invitations, each for one e-mail address; the secret is stored as a digest.
CREATE TABLE invitation (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email_folded TEXT NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL, authority_mac BLOB
);
