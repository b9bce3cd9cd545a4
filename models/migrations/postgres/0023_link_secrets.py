"""The secret of a link is kept under its document's key: its owner can copy the link again."""

from typing import Any


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    db.execute_sql("ALTER TABLE document_token ADD COLUMN sealed_secret BYTEA")
