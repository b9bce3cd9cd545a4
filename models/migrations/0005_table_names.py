"""Tables are named like what they hold, and none by a reserved word of SQL, as `user` is.

Only the catalogue changes. Indexes keep their names.
"""

from typing import Any

RENAMED = {
    "user": "user_account",
    "answer": "stored_response",
    "delivery": "webhook_delivery",
    "piece": "payload_piece",
}


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for old, new in RENAMED.items():
        db.execute_sql(f"ALTER TABLE {old} RENAME TO {new}")
