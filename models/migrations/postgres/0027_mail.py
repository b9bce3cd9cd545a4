"""Mail to be sent, sealed under keys of its own, and how much of its limits is spent.

A claim is of a lane: a webhook, or an owner of mails. It is UNLOGGED: after a crash of the server
what was claimed is free.
"""

from typing import Any

TEXT = 'TEXT COLLATE "C"'
STATEMENTS = (
    f"""
    CREATE TABLE mail (
        id {TEXT} PRIMARY KEY, created_at BIGINT NOT NULL, owner_id {TEXT} NOT NULL,
        kind {TEXT} NOT NULL, due_at BIGINT NOT NULL, attempts BIGINT NOT NULL,
        expires_at BIGINT NOT NULL, root {TEXT} NOT NULL, sealed_key BYTEA NOT NULL,
        sealed_message BYTEA NOT NULL
    )""",
    "CREATE INDEX mail_due ON mail (owner_id, due_at)",
    f"""
    CREATE TABLE mail_limit (
        id {TEXT} PRIMARY KEY, created_at BIGINT NOT NULL, due_at BIGINT NOT NULL
    )""",
    "DROP TABLE webhook_claim",
    f"""
    CREATE UNLOGGED TABLE claim (
        lane {TEXT} PRIMARY KEY, node_id {TEXT} NOT NULL, until BIGINT NOT NULL
    )""",
)


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for statement in STATEMENTS:
        db.execute_sql(statement)
