"""The schema as the migrations of SQLite up to 0015 make it, in PostgreSQL's types.

Text sorts by its bytes (`COLLATE "C"`), whatever the language of the database: ids are compared.
"""

from typing import Any

TEXT = 'TEXT COLLATE "C"'
ROW = f"id {TEXT} PRIMARY KEY, created_at BIGINT NOT NULL"
KEY = f"root {TEXT} NOT NULL, sealed_key BYTEA NOT NULL"
OWNER = f"owner_id {TEXT} NOT NULL REFERENCES user_account (id) ON DELETE CASCADE"
STATEMENTS = (
    f"""
    CREATE TABLE user_account (
        {ROW}, email {TEXT} NOT NULL, email_folded {TEXT} NOT NULL UNIQUE, {KEY},
        sealed_name BYTEA NOT NULL, sealed_password BYTEA NOT NULL, disabled_at BIGINT,
        login_generation BIGINT NOT NULL DEFAULT 0, authority_mac BYTEA
    )""",
    f"""
    CREATE TABLE session (
        {ROW}, {OWNER}, expires_at BIGINT NOT NULL,
        login_generation BIGINT NOT NULL DEFAULT 0, authority_mac BYTEA
    )""",
    "CREATE INDEX session_owner ON session (owner_id, id)",
    "CREATE INDEX session_expiry ON session (expires_at)",
    f"""
    CREATE TABLE api_key (
        {ROW}, {OWNER}, digest BYTEA NOT NULL UNIQUE, masked_key {TEXT} NOT NULL,
        sealed_name BYTEA NOT NULL, scopes {TEXT} NOT NULL,
        expires_at BIGINT, last_used_at BIGINT, revoked_at BIGINT, authority_mac BYTEA
    )""",
    "CREATE INDEX api_key_owner ON api_key (owner_id, id)",
    f"""
    CREATE TABLE document (
        {ROW}, {OWNER}, content_type {TEXT} NOT NULL, media_type {TEXT} NOT NULL,
        size BIGINT NOT NULL, expires_at BIGINT, {KEY},
        sealed_meta BYTEA NOT NULL, payload_head BYTEA NOT NULL
    )""",
    "CREATE INDEX document_owner ON document (owner_id, id, size, expires_at, root)",
    "CREATE INDEX document_expiry ON document (expires_at) WHERE expires_at IS NOT NULL",
    f"""
    CREATE TABLE piece (
        document_id {TEXT} NOT NULL, number BIGINT NOT NULL, sealed BYTEA NOT NULL
    ) WITH (toast.autovacuum_vacuum_scale_factor = 0.02)""",
    "ALTER TABLE piece ALTER sealed SET STORAGE EXTERNAL",  # ciphertext does not compress
    "CREATE UNIQUE INDEX piece_of_document ON piece (document_id, number)",
    f"""
    CREATE TABLE document_token (
        {ROW}, {OWNER}, document_id {TEXT} NOT NULL, digest BYTEA NOT NULL UNIQUE,
        masked_token {TEXT} NOT NULL, sealed_label BYTEA NOT NULL,
        permissions {TEXT} NOT NULL, allowed_origins {TEXT} NOT NULL,
        expires_at BIGINT, max_views BIGINT, views BIGINT NOT NULL DEFAULT 0,
        sealed_password BYTEA, last_used_at BIGINT, revoked_at BIGINT, spent_at BIGINT,
        authority_mac BYTEA, with_upload BIGINT NOT NULL DEFAULT 1
    )""",
    "CREATE INDEX document_token_document ON document_token (document_id)",
    """
    CREATE INDEX document_token_expiry ON document_token (expires_at)
    WHERE expires_at IS NOT NULL AND spent_at IS NULL AND revoked_at IS NULL""",
    """
    CREATE INDEX document_token_revoked ON document_token (revoked_at)
    WHERE revoked_at IS NOT NULL""",
    """
    CREATE INDEX document_token_extra ON document_token (owner_id, expires_at)
    WHERE with_upload = 0 AND revoked_at IS NULL AND spent_at IS NULL""",
    """
    CREATE INDEX document_token_ended ON document_token (owner_id, id)
    WHERE revoked_at IS NOT NULL OR spent_at IS NOT NULL""",
    """
    CREATE INDEX document_token_owner ON document_token
    (owner_id, id, revoked_at, expires_at, max_views, views, document_id)""",
    f"CREATE TABLE answer ({ROW}, {KEY}, sealed_answer BYTEA NOT NULL)",
    "CREATE INDEX answer_age ON answer (created_at)",
    f"""
    CREATE TABLE webhook (
        {ROW}, {OWNER}, types {TEXT} NOT NULL, sealed_terms BYTEA NOT NULL,
        disabled_at BIGINT, disabled_reason {TEXT}, failing_since BIGINT
    )""",
    "CREATE INDEX webhook_owner ON webhook (owner_id, id)",
    f"""
    CREATE TABLE delivery (
        id {TEXT} NOT NULL, created_at BIGINT NOT NULL, owner_id {TEXT} NOT NULL,
        webhook_id {TEXT} NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
        event_id {TEXT} NOT NULL, type {TEXT} NOT NULL,
        due_at BIGINT, attempts BIGINT NOT NULL DEFAULT 0,
        attempted_at BIGINT, delivered_at BIGINT,
        status BIGINT, duration_ms BIGINT, sealed_result BYTEA
    )""",
    "CREATE UNIQUE INDEX delivery_webhook ON delivery (webhook_id, id)",
    "CREATE INDEX delivery_due ON delivery (webhook_id, due_at, id) WHERE due_at IS NOT NULL",
    f"CREATE TABLE token_key ({ROW}, {KEY})",
    f"CREATE TABLE authority_key ({ROW}, {KEY})",
    f"""
    CREATE TABLE preview (
        {ROW}, document_id {TEXT} NOT NULL,
        size BIGINT NOT NULL, used_at BIGINT NOT NULL, expires_at BIGINT, head BYTEA NOT NULL
    )""",
    "CREATE INDEX preview_of_document ON preview (document_id)",
    "CREATE INDEX preview_use ON preview (used_at, size)",
    f"""
    CREATE TABLE invitation (
        {ROW}, email_folded {TEXT} NOT NULL UNIQUE, digest BYTEA NOT NULL UNIQUE,
        expires_at BIGINT NOT NULL, authority_mac BYTEA
    )""",
    f"""
    CREATE TABLE event (
        id {TEXT} NOT NULL, created_at BIGINT NOT NULL, owner_id {TEXT} NOT NULL,
        sequence BIGINT NOT NULL, type {TEXT} NOT NULL, document_id {TEXT},
        body {TEXT} NOT NULL, hash BYTEA NOT NULL
    )""",
    f"""
    CREATE TABLE event_head (
        {ROW}, sequence BIGINT NOT NULL, hash BYTEA NOT NULL, last_id {TEXT} NOT NULL,
        oldest BIGINT NOT NULL, hash_before BYTEA NOT NULL, mac BYTEA
    )""",
    "CREATE UNIQUE INDEX event_owner ON event (owner_id, id)",
    "CREATE INDEX event_document ON event (document_id, id) WHERE document_id IS NOT NULL",
)


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for statement in STATEMENTS:
        db.execute_sql(statement)
