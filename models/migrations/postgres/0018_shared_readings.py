"""Readings that are counted for a minute, by whichever process answers them."""

from typing import Any

TEXT = 'TEXT COLLATE "C"'
STATEMENTS = (
    f"""
    CREATE UNLOGGED TABLE reading (
        id BYTEA PRIMARY KEY, owner_id {TEXT} NOT NULL, type {TEXT} NOT NULL,
        document_id {TEXT} NOT NULL, actor {TEXT} NOT NULL,
        began_at BIGINT NOT NULL, further BIGINT NOT NULL
    )""",
    "CREATE INDEX reading_of_document ON reading (document_id)",
)


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for statement in STATEMENTS:
        db.execute_sql(statement)
