"""What processes that serve the same database know of each other. A crash of the server may empty
what is UNLOGGED: limits begin anew, and what was claimed is free.
"""

from typing import Any

TEXT = 'TEXT COLLATE "C"'
STATEMENTS = (
    f"CREATE UNLOGGED TABLE rate_limit (key {TEXT} PRIMARY KEY, due_at BIGINT NOT NULL)",
    f"""
    CREATE UNLOGGED TABLE webhook_claim (
        webhook_id {TEXT} PRIMARY KEY REFERENCES webhook (id) ON DELETE CASCADE,
        node_id {TEXT} NOT NULL, until BIGINT NOT NULL
    )""",
    f"""
    CREATE TABLE node (
        id {TEXT} PRIMARY KEY, root_ids {TEXT} NOT NULL, seen_at BIGINT NOT NULL
    )""",
)


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for statement in STATEMENTS:
        db.execute_sql(statement)
