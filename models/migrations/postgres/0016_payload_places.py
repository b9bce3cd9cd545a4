"""A document's payload has a place; objects that no document refers to are recorded."""

from typing import Any

TEXT = 'TEXT COLLATE "C"'
STATEMENTS = (
    f"ALTER TABLE document ADD COLUMN place {TEXT} NOT NULL DEFAULT 'rows'",
    "CREATE INDEX document_in_objects ON document (id) WHERE place = 'objects'",
    f"""
    CREATE TABLE unreferenced_object (
        id {TEXT} PRIMARY KEY, created_at BIGINT NOT NULL,
        uploading BIGINT NOT NULL, drop_at BIGINT NOT NULL
    )""",
)


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for statement in STATEMENTS:
        db.execute_sql(statement)
