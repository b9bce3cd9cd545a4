"""Documents get a MAC over what the service acts on by itself: owner, type, size, place and end.

Those that are there get it when the keyring is loaded (`models/operations/authority.py`).
"""

from typing import Any


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    db.execute_sql("ALTER TABLE document ADD COLUMN authority_mac BYTEA")
