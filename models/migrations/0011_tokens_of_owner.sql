-- The links of a user are listed, and those that are live found, from an index.
CREATE INDEX document_token_owner ON document_token
(owner_id, id, revoked_at, expires_at, max_views, views, document_id);
