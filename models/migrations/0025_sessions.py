"""Sessions say what they were started by, sealed, and when they were last used."""

from typing import Any


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    db.execute_sql("ALTER TABLE session ADD COLUMN sealed_client BLOB")
    db.execute_sql("ALTER TABLE session ADD COLUMN last_used_at INTEGER")
