-- What links ask of those who open them: who they are, and what they have accepted.
ALTER TABLE document_token ADD COLUMN sealed_gate BLOB;
CREATE TABLE recipient (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account(id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, token_id TEXT NOT NULL, digest TEXT NOT NULL,
    sealed_address BLOB NOT NULL, code_digest TEXT, code_until INTEGER,
    code_failures INTEGER NOT NULL, opened_at INTEGER, authority_mac BLOB
);
CREATE UNIQUE INDEX recipient_link ON recipient (token_id, digest);
CREATE INDEX recipient_document ON recipient (document_id);
CREATE INDEX recipient_owner ON recipient (owner_id);
CREATE TABLE opening (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account(id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, token_id TEXT NOT NULL, recipient_id TEXT, sequence INTEGER,
    sealed_facts BLOB NOT NULL, authority_mac BLOB
);
CREATE INDEX opening_link ON opening (token_id, id);
CREATE INDEX opening_document ON opening (document_id);
CREATE INDEX opening_owner ON opening (owner_id);
CREATE TABLE agreement (
    document_id TEXT NOT NULL, sha256 TEXT NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account(id) ON DELETE CASCADE,
    sealed_text BLOB NOT NULL, PRIMARY KEY (document_id, sha256)
);
CREATE INDEX agreement_owner ON agreement (owner_id);
