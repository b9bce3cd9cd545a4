"""Each process counts its own readings in memory, where nobody who writes to the database can."""

from typing import Any


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    db.execute_sql("DROP TABLE reading")
