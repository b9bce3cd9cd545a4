"""What links ask of those who open them: who they are, and what they have accepted."""

from typing import Any

TEXT, NUMBER, BYTES = 'TEXT COLLATE "C"', "BIGINT", "BYTEA"
OF_OWNER = f"owner_id {TEXT} NOT NULL REFERENCES user_account(id) ON DELETE CASCADE"
ROW = f"id {TEXT} PRIMARY KEY, created_at {NUMBER} NOT NULL, {OF_OWNER}"
OF_LINK = f"document_id {TEXT} NOT NULL, token_id {TEXT} NOT NULL"
STATEMENTS = (
    f"ALTER TABLE document_token ADD COLUMN sealed_gate {BYTES}",
    f"""
    CREATE TABLE recipient (
        {ROW}, {OF_LINK}, digest {TEXT} NOT NULL, sealed_address {BYTES} NOT NULL,
        code_digest {TEXT}, code_until {NUMBER}, code_failures {NUMBER} NOT NULL,
        opened_at {NUMBER}, authority_mac {BYTES}
    )""",
    "CREATE UNIQUE INDEX recipient_link ON recipient (token_id, digest)",
    "CREATE INDEX recipient_document ON recipient (document_id)",
    "CREATE INDEX recipient_owner ON recipient (owner_id)",
    f"""
    CREATE TABLE opening (
        {ROW}, {OF_LINK}, recipient_id {TEXT}, sequence {NUMBER},
        sealed_facts {BYTES} NOT NULL, authority_mac {BYTES}
    )""",
    "CREATE INDEX opening_link ON opening (token_id, id)",
    "CREATE INDEX opening_document ON opening (document_id)",
    "CREATE INDEX opening_owner ON opening (owner_id)",
    f"""
    CREATE TABLE agreement (
        document_id {TEXT} NOT NULL, sha256 {TEXT} NOT NULL, {OF_OWNER},
        sealed_text {BYTES} NOT NULL, PRIMARY KEY (document_id, sha256)
    )""",
    "CREATE INDEX agreement_owner ON agreement (owner_id)",
)


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for statement in STATEMENTS:
        db.execute_sql(statement)
