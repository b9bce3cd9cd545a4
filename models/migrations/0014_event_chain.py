"""The events of each owner become a chain of hashes with a head; those there are, are linked.

The heads get their MAC, and the service's own chain begins, when the keyring is loaded
(`models/operations/authority.py`). An event refers to no user any more: the service has a chain,
too.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from crypto import FIRST_PREVIOUS, event_hash

BEFORE = (
    "ALTER TABLE event RENAME TO event_unlinked",
    "DROP INDEX event_owner",
    "DROP INDEX event_document",
    "CREATE INDEX event_unlinked_owner ON event_unlinked (owner_id, id)",
    """
    CREATE TABLE event (
        id TEXT NOT NULL, created_at INTEGER NOT NULL, owner_id TEXT NOT NULL,
        sequence INTEGER NOT NULL, type TEXT NOT NULL, document_id TEXT,
        body TEXT NOT NULL, hash BLOB NOT NULL
    )""",
    """
    CREATE TABLE event_head (
        id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
        sequence INTEGER NOT NULL, hash BLOB NOT NULL, last_id TEXT NOT NULL,
        oldest INTEGER NOT NULL, hash_before BLOB NOT NULL, mac BLOB
    )""",
    """
    INSERT INTO event_head
    SELECT id, created_at, 0, zeroblob(32), '', 1, zeroblob(32), NULL FROM user_account""",
)
AFTER = (
    "DROP TABLE event_unlinked",
    "CREATE UNIQUE INDEX event_owner ON event (owner_id, id)",
    "CREATE INDEX event_sequence ON event (owner_id, sequence)",
    "CREATE INDEX event_document ON event (document_id, id) WHERE document_id IS NOT NULL",
)
UNLINKED = """
    SELECT id, created_at, owner_id, type, document_id, data
    FROM event_unlinked ORDER BY owner_id, id"""
SET_HEAD = "UPDATE event_head SET sequence = ?, hash = ?, last_id = ? WHERE id = ?"


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    for statement in BEFORE:
        db.execute_sql(statement)
    heads: dict[str, tuple[int, bytes, str]] = {}
    linked = _linked(db.execute_sql(UNLINKED), heads)
    db.connection().executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)", linked)
    db.connection().executemany(SET_HEAD, [(*head, id) for id, head in heads.items()])
    for statement in AFTER:
        db.execute_sql(statement)


def _linked(rows: Any, heads: dict[str, tuple[int, bytes, str]]) -> Iterator[tuple[Any, ...]]:
    for id, created_at, owner_id, type, document_id, data in rows:
        last, previous, _ = heads.get(owner_id, (0, FIRST_PREVIOUS, ""))
        moment = datetime.fromtimestamp(created_at // 1000, UTC)
        created = f"{moment:%Y-%m-%dT%H:%M:%S}.{created_at % 1000:03d}Z"
        fields = {"id": id, "type": type, "createdAt": created, "data": json.loads(data)}
        body = json.dumps(fields)
        hash = event_hash(owner_id, last + 1, previous, body)
        heads[owner_id] = last + 1, hash, id
        yield id, created_at, owner_id, last + 1, type, document_id, body, hash
