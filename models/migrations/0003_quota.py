"""What one user keeps is summed up from the index of owners alone."""

from typing import Any

STATEMENTS = (
    "DROP INDEX document_owner",
    "CREATE INDEX document_owner ON document (owner_id, id, size, expires_at)",
)


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for statement in STATEMENTS:
        db.execute_sql(statement)
