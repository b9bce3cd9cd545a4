"""Since when a webhook fails is sealed with its terms; those that fail are counted from now on."""

from typing import Any


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    db.execute_sql("ALTER TABLE webhook DROP COLUMN failing_since")
