-- Named as before.
ALTER TABLE invitation RENAME CONSTRAINT invitation_new_pkey TO invitation_pkey;
ALTER TABLE invitation RENAME CONSTRAINT invitation_new_digest_key TO invitation_digest_key;
