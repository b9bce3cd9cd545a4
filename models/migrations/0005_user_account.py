"""`user` is a reserved word of SQL. Only the catalogue changes."""

from typing import Any


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    db.execute_sql("ALTER TABLE user RENAME TO user_account")
