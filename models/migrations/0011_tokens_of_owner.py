"""The links of a user are listed, and those that are live found, from an index."""

from typing import Any


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    db.execute_sql("""
        CREATE INDEX document_token_owner ON document_token
        (owner_id, id, revoked_at, expires_at, max_views, views, document_id)""")
