CREATE TABLE public.agreement (
    document_id text NOT NULL COLLATE pg_catalog."C",
    sha256 text NOT NULL COLLATE pg_catalog."C",
    owner_id text NOT NULL COLLATE pg_catalog."C",
    sealed_text bytea NOT NULL
);
CREATE TABLE public.answer (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    root text NOT NULL COLLATE pg_catalog."C",
    sealed_key bytea NOT NULL,
    sealed_answer bytea NOT NULL
);
CREATE TABLE public.api_key (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    digest bytea NOT NULL,
    masked_key text NOT NULL COLLATE pg_catalog."C",
    sealed_name bytea NOT NULL,
    scopes text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint,
    last_used_at bigint,
    revoked_at bigint,
    authority_mac bytea
);
CREATE TABLE public.authority_key (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    root text NOT NULL COLLATE pg_catalog."C",
    sealed_key bytea NOT NULL
);
CREATE UNLOGGED TABLE public.claim (
    lane text NOT NULL COLLATE pg_catalog."C",
    node_id text NOT NULL COLLATE pg_catalog."C",
    until bigint NOT NULL
);
CREATE TABLE public.collection (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    root text NOT NULL COLLATE pg_catalog."C",
    sealed_key bytea NOT NULL,
    sealed_meta bytea NOT NULL
);
CREATE TABLE public.collection_document (
    document_id text NOT NULL COLLATE pg_catalog."C",
    collection_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.delivery (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    due_at bigint,
    attempts bigint DEFAULT 0 NOT NULL,
    attempted_at bigint,
    delivered_at bigint,
    status bigint,
    duration_ms bigint,
    sealed_result bytea,
    event_mac bytea
);
CREATE TABLE public.document (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    content_type text NOT NULL COLLATE pg_catalog."C",
    media_type text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    expires_at bigint,
    root text NOT NULL COLLATE pg_catalog."C",
    sealed_key bytea NOT NULL,
    sealed_meta bytea NOT NULL,
    payload_head bytea NOT NULL,
    place text DEFAULT 'rows'::text NOT NULL COLLATE pg_catalog."C",
    authority_mac bytea,
    binned_at bigint
);
CREATE TABLE public.document_token (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    document_id text NOT NULL COLLATE pg_catalog."C",
    digest bytea NOT NULL,
    masked_token text NOT NULL COLLATE pg_catalog."C",
    sealed_label bytea NOT NULL,
    permissions text NOT NULL COLLATE pg_catalog."C",
    allowed_origins text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint,
    max_views bigint,
    views bigint DEFAULT 0 NOT NULL,
    sealed_password bytea,
    last_used_at bigint,
    revoked_at bigint,
    spent_at bigint,
    authority_mac bytea,
    with_upload bigint DEFAULT 1 NOT NULL,
    sealed_secret bytea,
    sealed_gate bytea
);
CREATE TABLE public.event (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    document_id text COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL,
    collection_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.event_head (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    sequence bigint NOT NULL,
    hash bytea NOT NULL,
    last_id text NOT NULL COLLATE pg_catalog."C",
    oldest bigint NOT NULL,
    hash_before bytea NOT NULL,
    mac bytea
);
CREATE TABLE public.invitation (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    email_folded text NOT NULL COLLATE pg_catalog."C",
    digest bytea NOT NULL,
    expires_at bigint NOT NULL,
    authority_mac bytea
);
CREATE TABLE public.mail (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    due_at bigint NOT NULL,
    attempts bigint NOT NULL,
    expires_at bigint NOT NULL,
    root text NOT NULL COLLATE pg_catalog."C",
    sealed_key bytea NOT NULL,
    sealed_message bytea NOT NULL
);
CREATE TABLE public.mail_limit (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    due_at bigint NOT NULL
);
CREATE TABLE public.node (
    id text NOT NULL COLLATE pg_catalog."C",
    root_ids text NOT NULL COLLATE pg_catalog."C",
    seen_at bigint NOT NULL
);
CREATE TABLE public.opening (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    document_id text NOT NULL COLLATE pg_catalog."C",
    token_id text NOT NULL COLLATE pg_catalog."C",
    recipient_id text COLLATE pg_catalog."C",
    sequence bigint,
    sealed_facts bytea NOT NULL,
    authority_mac bytea
);
CREATE TABLE public.piece (
    document_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    sealed bytea NOT NULL
)
WITH (toast.autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY public.piece ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE TABLE public.preview (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    document_id text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    used_at bigint NOT NULL,
    expires_at bigint,
    head bytea NOT NULL
);
CREATE UNLOGGED TABLE public.rate_limit (
    key text NOT NULL COLLATE pg_catalog."C",
    due_at bigint NOT NULL
);
CREATE TABLE public.recipient (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    document_id text NOT NULL COLLATE pg_catalog."C",
    token_id text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    sealed_address bytea NOT NULL,
    code_digest text COLLATE pg_catalog."C",
    code_until bigint,
    code_failures bigint NOT NULL,
    opened_at bigint,
    authority_mac bytea
);
CREATE TABLE public.schema_migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp without time zone NOT NULL
);
CREATE SEQUENCE public.schema_migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.schema_migration_id_seq OWNED BY public.schema_migration.id;
CREATE TABLE public.session (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL,
    login_generation bigint DEFAULT 0 NOT NULL,
    authority_mac bytea,
    sealed_client bytea,
    last_used_at bigint
);
CREATE TABLE public.token_key (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    root text NOT NULL COLLATE pg_catalog."C",
    sealed_key bytea NOT NULL
);
CREATE TABLE public.unreferenced_object (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    uploading bigint NOT NULL,
    drop_at bigint NOT NULL
);
CREATE TABLE public.user_account (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    email_folded text NOT NULL COLLATE pg_catalog."C",
    root text NOT NULL COLLATE pg_catalog."C",
    sealed_key bytea NOT NULL,
    sealed_name bytea NOT NULL,
    sealed_password bytea NOT NULL,
    disabled_at bigint,
    login_generation bigint DEFAULT 0 NOT NULL,
    authority_mac bytea
);
CREATE TABLE public.webhook (
    id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    owner_id text NOT NULL COLLATE pg_catalog."C",
    types text NOT NULL COLLATE pg_catalog."C",
    sealed_terms bytea NOT NULL,
    disabled_at bigint,
    disabled_reason text COLLATE pg_catalog."C"
);
ALTER TABLE ONLY public.schema_migration ALTER COLUMN id SET DEFAULT nextval('public.schema_migration_id_seq'::regclass);
ALTER TABLE ONLY public.agreement
    ADD CONSTRAINT agreement_pkey PRIMARY KEY (document_id, sha256);
ALTER TABLE ONLY public.answer
    ADD CONSTRAINT answer_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.authority_key
    ADD CONSTRAINT authority_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_pkey PRIMARY KEY (lane);
ALTER TABLE ONLY public.collection_document
    ADD CONSTRAINT collection_document_pkey PRIMARY KEY (document_id, collection_id);
ALTER TABLE ONLY public.collection
    ADD CONSTRAINT collection_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.document_token
    ADD CONSTRAINT document_token_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.document_token
    ADD CONSTRAINT document_token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event_head
    ADD CONSTRAINT event_head_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_email_folded_key UNIQUE (email_folded);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mail_limit
    ADD CONSTRAINT mail_limit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mail
    ADD CONSTRAINT mail_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.node
    ADD CONSTRAINT node_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.opening
    ADD CONSTRAINT opening_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.preview
    ADD CONSTRAINT preview_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rate_limit
    ADD CONSTRAINT rate_limit_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.recipient
    ADD CONSTRAINT recipient_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.token_key
    ADD CONSTRAINT token_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.unreferenced_object
    ADD CONSTRAINT unreferenced_object_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.user_account
    ADD CONSTRAINT user_account_email_folded_key UNIQUE (email_folded);
ALTER TABLE ONLY public.user_account
    ADD CONSTRAINT user_account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (id);
CREATE INDEX agreement_owner ON public.agreement USING btree (owner_id);
CREATE INDEX answer_age ON public.answer USING btree (created_at);
CREATE INDEX api_key_owner ON public.api_key USING btree (owner_id, id);
CREATE INDEX collection_document_collection ON public.collection_document USING btree (collection_id);
CREATE INDEX collection_owner ON public.collection USING btree (owner_id, id);
CREATE INDEX delivery_due ON public.delivery USING btree (webhook_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX delivery_webhook ON public.delivery USING btree (webhook_id, id);
CREATE INDEX document_binned ON public.document USING btree (binned_at) WHERE (binned_at IS NOT NULL);
CREATE INDEX document_expiry ON public.document USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX document_in_objects ON public.document USING btree (id) WHERE (place = 'objects'::text);
CREATE INDEX document_owner ON public.document USING btree (owner_id, id, size, expires_at, binned_at, root);
CREATE INDEX document_token_document ON public.document_token USING btree (document_id);
CREATE INDEX document_token_ended ON public.document_token USING btree (owner_id, id) WHERE ((revoked_at IS NOT NULL) OR (spent_at IS NOT NULL));
CREATE INDEX document_token_expiry ON public.document_token USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (spent_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX document_token_extra ON public.document_token USING btree (owner_id, expires_at) WHERE ((with_upload = 0) AND (revoked_at IS NULL) AND (spent_at IS NULL));
CREATE INDEX document_token_owner ON public.document_token USING btree (owner_id, id, revoked_at, expires_at, max_views, views, document_id);
CREATE INDEX document_token_revoked ON public.document_token USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX event_collection ON public.event USING btree (collection_id, id) WHERE (collection_id IS NOT NULL);
CREATE INDEX event_document ON public.event USING btree (document_id, id) WHERE (document_id IS NOT NULL);
CREATE UNIQUE INDEX event_owner ON public.event USING btree (owner_id, id);
CREATE INDEX mail_due ON public.mail USING btree (owner_id, due_at);
CREATE INDEX opening_document ON public.opening USING btree (document_id);
CREATE INDEX opening_link ON public.opening USING btree (token_id, id);
CREATE INDEX opening_owner ON public.opening USING btree (owner_id);
CREATE UNIQUE INDEX piece_of_document ON public.piece USING btree (document_id, number);
CREATE INDEX preview_of_document ON public.preview USING btree (document_id);
CREATE INDEX preview_use ON public.preview USING btree (used_at, size);
CREATE INDEX recipient_document ON public.recipient USING btree (document_id);
CREATE UNIQUE INDEX recipient_link ON public.recipient USING btree (token_id, digest);
CREATE INDEX recipient_owner ON public.recipient USING btree (owner_id);
CREATE UNIQUE INDEX schema_migration_name ON public.schema_migration USING btree (name);
CREATE INDEX session_expiry ON public.session USING btree (expires_at);
CREATE INDEX session_owner ON public.session USING btree (owner_id, id);
CREATE INDEX webhook_owner ON public.webhook USING btree (owner_id, id);
ALTER TABLE ONLY public.agreement
    ADD CONSTRAINT agreement_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.collection_document
    ADD CONSTRAINT collection_document_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.collection
    ADD CONSTRAINT collection_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhook(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.document_token
    ADD CONSTRAINT document_token_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.opening
    ADD CONSTRAINT opening_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recipient
    ADD CONSTRAINT recipient_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.user_account(id) ON DELETE CASCADE;
INSERT INTO public.schema_migration VALUES (1, '0015_baseline', '2026-11-24 11:44:59.993484');
INSERT INTO public.schema_migration VALUES (2, '0016_payload_places', '2026-11-24 11:44:59.998419');
INSERT INTO public.schema_migration VALUES (3, '0017_shared_state', '2026-11-24 11:45:00.012711');
INSERT INTO public.schema_migration VALUES (4, '0018_shared_readings', '2026-11-24 11:45:00.020529');
INSERT INTO public.schema_migration VALUES (5, '0019_no_shared_readings', '2026-11-24 11:45:00.021839');
INSERT INTO public.schema_migration VALUES (6, '0020_document_authority', '2026-11-24 11:45:00.022741');
INSERT INTO public.schema_migration VALUES (7, '0021_webhook_failures', '2026-11-24 11:45:00.023606');
INSERT INTO public.schema_migration VALUES (8, '0022_delivery_mac', '2026-11-24 11:45:00.024385');
INSERT INTO public.schema_migration VALUES (9, '0023_link_secrets', '2026-11-24 11:45:00.025147');
INSERT INTO public.schema_migration VALUES (10, '0024_bin', '2026-11-24 11:45:00.02718');
INSERT INTO public.schema_migration VALUES (11, '0025_sessions', '2026-11-24 11:45:00.028171');
INSERT INTO public.schema_migration VALUES (12, '0026_collections', '2026-11-24 11:45:00.040037');
INSERT INTO public.schema_migration VALUES (13, '0027_mail', '2026-11-24 11:45:00.049091');
INSERT INTO public.schema_migration VALUES (14, '0028_guards', '2026-11-24 11:45:00.067717');
SELECT pg_catalog.setval('public.schema_migration_id_seq', 14, true);
