-- The schema of version 1.0: users with their credentials, documents, links, events, mail.
--
-- A row is plain columns, and one sealed text that is bound to them. The columns are in the order
-- that a database of 0.2.0 has them in after its conversion.
CREATE TABLE user_account (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email TEXT NOT NULL, email_folded TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL,
    disabled_at INTEGER, login_generation INTEGER NOT NULL DEFAULT 0,
    received_seen_at INTEGER, made_by TEXT, sealed BLOB
);
-- Spaces by the person who has made them.
CREATE INDEX user_account_made_by ON user_account (made_by) WHERE made_by IS NOT NULL;
CREATE TABLE session (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL, login_generation INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER, identity_id TEXT, acting_user_id TEXT, sealed BLOB
);
CREATE INDEX session_owner ON session (owner_id, id);
CREATE INDEX session_expiry ON session (expires_at);
CREATE INDEX session_acting ON session (acting_user_id) WHERE acting_user_id IS NOT NULL;
-- Who acts as a space, which is an account without an address and a password, and in which role.
CREATE TABLE member (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    role TEXT NOT NULL, sealed BLOB
);
CREATE UNIQUE INDEX member_owner ON member (owner_id, user_id);
CREATE INDEX member_user ON member (user_id, id);
-- How the trusted proxy or a provider knows somebody, and logins that wait for a provider.
CREATE TABLE identity (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL, subject TEXT NOT NULL, last_used_at INTEGER, sealed BLOB
);
CREATE UNIQUE INDEX identity_subject ON identity (issuer, subject);
CREATE INDEX identity_owner ON identity (owner_id, id);
CREATE TABLE pending_sign_in (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
    owner_id TEXT REFERENCES user_account (id) ON DELETE CASCADE,
    network TEXT NOT NULL, expires_at INTEGER NOT NULL, sealed BLOB
);
CREATE INDEX pending_sign_in_network ON pending_sign_in (network, created_at);
CREATE INDEX pending_sign_in_owner ON pending_sign_in (owner_id);
CREATE INDEX pending_sign_in_expiry ON pending_sign_in (expires_at);
CREATE TABLE api_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    digest BLOB NOT NULL UNIQUE, masked_key TEXT NOT NULL,
    scopes TEXT NOT NULL, expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER, sealed BLOB
);
CREATE INDEX api_key_owner ON api_key (owner_id, id);
-- An address may have several: the operator's, and those that were asked for by mail.
CREATE TABLE invitation (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    email_folded TEXT NOT NULL, digest BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL, space_id TEXT, role TEXT, inviter_id TEXT, sealed BLOB
);
CREATE INDEX invitation_email ON invitation (email_folded);
CREATE INDEX invitation_space ON invitation (space_id) WHERE space_id IS NOT NULL;
-- The keys of session tokens and tickets, and that of rows which belong to no user.
CREATE TABLE token_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed BLOB
);
CREATE TABLE service_key (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed BLOB
);
-- Responses that are given again to who repeats a request.
CREATE TABLE answer (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed BLOB
);
CREATE INDEX answer_age ON answer (created_at);

CREATE TABLE document (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    content_type TEXT NOT NULL, media_type TEXT NOT NULL, size INTEGER NOT NULL,
    expires_at INTEGER, root TEXT NOT NULL, sealed_key BLOB NOT NULL, payload_head BLOB NOT NULL,
    place TEXT NOT NULL DEFAULT 'rows', binned_at INTEGER, came_by TEXT, sealed BLOB
);
-- Documents of an owner are listed, and summed up for the quota, from this index alone.
CREATE INDEX document_owner ON document (owner_id, id, size, expires_at, binned_at, root);
CREATE INDEX document_expiry ON document (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX document_binned ON document (binned_at) WHERE binned_at IS NOT NULL;
-- Documents that strangers sent by a link.
CREATE INDEX document_received ON document (owner_id, id) WHERE came_by IS NOT NULL;
CREATE INDEX document_in_objects ON document (id) WHERE place = 'objects';
-- The sealed pieces of payloads and previews.
CREATE TABLE piece (
    document_id TEXT NOT NULL, number INTEGER NOT NULL, sealed BLOB NOT NULL
);
CREATE UNIQUE INDEX piece_of_document ON piece (document_id, number);
CREATE TABLE preview (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    document_id TEXT NOT NULL,
    size INTEGER NOT NULL, used_at INTEGER NOT NULL, expires_at INTEGER, head BLOB NOT NULL
);
CREATE INDEX preview_of_document ON preview (document_id);
CREATE INDEX preview_use ON preview (used_at, size);
-- Objects of a payload store that no document refers to.
CREATE TABLE unreferenced_object (
    id TEXT PRIMARY KEY, created_at BIGINT NOT NULL,
    uploading BIGINT NOT NULL, drop_at BIGINT NOT NULL
);
CREATE TABLE collection (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed BLOB
);
CREATE INDEX collection_owner ON collection (owner_id, id);
CREATE TABLE collection_document (
    document_id TEXT NOT NULL,
    collection_id TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    PRIMARY KEY (document_id, collection_id)
);
CREATE INDEX collection_document_collection ON collection_document (collection_id);

-- Links to documents and collections; `document_id` is the target's, whichever it is.
CREATE TABLE document_token (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE, masked_token TEXT NOT NULL,
    permissions TEXT NOT NULL, allowed_origins TEXT NOT NULL,
    expires_at INTEGER, max_views INTEGER, views INTEGER NOT NULL DEFAULT 0, last_used_at INTEGER,
    revoked_at INTEGER, spent_at INTEGER, with_upload INTEGER NOT NULL DEFAULT 1,
    name_hidden INTEGER, disabled_at INTEGER, sealed BLOB
);
CREATE INDEX document_token_document ON document_token (document_id);
-- Links of an owner are listed, and those that are live found, from this index alone.
CREATE INDEX document_token_owner ON document_token
(owner_id, id, revoked_at, disabled_at, expires_at, max_views, views, document_id);
CREATE INDEX document_token_expiry ON document_token (expires_at)
WHERE expires_at IS NOT NULL AND spent_at IS NULL AND revoked_at IS NULL;
CREATE INDEX document_token_revoked ON document_token (revoked_at)
WHERE revoked_at IS NOT NULL;
CREATE INDEX document_token_ended ON document_token (owner_id, id)
WHERE revoked_at IS NOT NULL OR spent_at IS NOT NULL;
-- Links that no upload made are counted.
CREATE INDEX document_token_extra ON document_token (owner_id, expires_at)
WHERE with_upload = 0 AND revoked_at IS NULL AND spent_at IS NULL;
-- Targets that links had before they were led elsewhere: the last of each.
CREATE TABLE former_target (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    token_id TEXT NOT NULL REFERENCES document_token (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, sealed BLOB
);
CREATE INDEX former_target_link ON former_target (token_id, id);
CREATE INDEX former_target_owner ON former_target (owner_id);
-- Who may open a guarded link, who has opened it, and the texts that they accepted.
CREATE TABLE recipient (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, token_id TEXT NOT NULL, digest TEXT NOT NULL, code_digest TEXT,
    code_until INTEGER,
    code_failures INTEGER NOT NULL, opened_at INTEGER, sealed BLOB
);
CREATE UNIQUE INDEX recipient_link ON recipient (token_id, digest);
CREATE INDEX recipient_document ON recipient (document_id);
CREATE INDEX recipient_owner ON recipient (owner_id);
CREATE TABLE opening (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, token_id TEXT NOT NULL, recipient_id TEXT, sequence INTEGER,
    sealed BLOB
);
CREATE INDEX opening_link ON opening (token_id, id);
CREATE INDEX opening_document ON opening (document_id);
CREATE INDEX opening_owner ON opening (owner_id);
CREATE TABLE kept_text (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    document_id TEXT NOT NULL, sha256 TEXT NOT NULL, sealed BLOB
);
CREATE UNIQUE INDEX kept_text_target ON kept_text (document_id, sha256);
CREATE INDEX kept_text_owner ON kept_text (owner_id);

-- A chain of events for each owner and for the service, which is no user: so no reference.
CREATE TABLE event (
    id TEXT NOT NULL, created_at INTEGER NOT NULL, owner_id TEXT NOT NULL,
    sequence INTEGER NOT NULL, type TEXT NOT NULL, document_id TEXT,
    body TEXT NOT NULL, hash BLOB NOT NULL, collection_id TEXT
);
CREATE UNIQUE INDEX event_owner ON event (owner_id, id);
CREATE INDEX event_document ON event (document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX event_collection ON event (collection_id, id) WHERE collection_id IS NOT NULL;
CREATE TABLE event_head (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    sequence INTEGER NOT NULL, hash BLOB NOT NULL, last_id TEXT NOT NULL,
    oldest INTEGER NOT NULL, hash_before BLOB NOT NULL, sealed BLOB
);
CREATE TABLE webhook (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    owner_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    types TEXT NOT NULL,
    disabled_at INTEGER, disabled_reason TEXT, sealed BLOB
);
CREATE INDEX webhook_owner ON webhook (owner_id, id);
CREATE TABLE delivery (
    id TEXT NOT NULL, created_at INTEGER NOT NULL, owner_id TEXT NOT NULL,
    webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL, type TEXT NOT NULL,
    due_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER, delivered_at INTEGER,
    status INTEGER, duration_ms INTEGER, sealed BLOB
);
CREATE UNIQUE INDEX delivery_webhook ON delivery (webhook_id, id);
CREATE INDEX delivery_due ON delivery (webhook_id, due_at, id) WHERE due_at IS NOT NULL;

-- Mail that waits to be sent, and how much of each limit of mail is spent.
CREATE TABLE mail (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, owner_id TEXT NOT NULL,
    kind TEXT NOT NULL, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, root TEXT NOT NULL, sealed_key BLOB NOT NULL, sealed BLOB
);
CREATE INDEX mail_due ON mail (owner_id, due_at);
CREATE TABLE mail_limit (
    id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, due_at INTEGER NOT NULL
);
