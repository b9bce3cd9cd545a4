"""From the log of version 0.2.0: the former targets of links, and what strangers sent by links."""

import json
from collections import defaultdict
from contextlib import suppress
from typing import Any

from peewee import Table

MOST = 20  # of a link: the newest
LINKS = "SELECT id, owner_id FROM document_token"
CHANGES = """
    SELECT id, created_at, owner_id, body FROM event WHERE type = 'token.updated' ORDER BY id"""
CREATED = "SELECT body FROM event WHERE type = 'document.created'"
COLUMNS = ("id", "created_at", "owner_id", "token_id", "document_id")


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    find_former_targets(db)
    find_received(db)


def find_former_targets(db: Any) -> None:
    owners = dict(db.execute_sql(LINKS).fetchall())
    former: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for id, created_at, owner_id, body in db.execute_sql(CHANGES):
        with suppress(KeyError, TypeError, ValueError):  # of another change, or altered outside
            data = json.loads(body)["data"]
            token_id, target_id = data["tokenId"], data["from"]
            if owners[token_id] == owner_id and isinstance(target_id, str):
                row = f"fmt_{id[4:]}", created_at, owner_id, token_id, target_id
                former[token_id].append(row)
    table: Any = Table("former_target", COLUMNS)
    for rows in former.values():
        newest = [dict(zip(COLUMNS, row, strict=True)) for row in rows[-MOST:]]
        table.insert(newest).on_conflict_ignore().execute(db)


def find_received(db: Any) -> None:
    """Note by which link a document came, and that its owner has seen what came before."""
    documents: Any = Table("document", ("id", "owner_id", "came_by"))
    owners: Any = Table("user_account", ("id", "received_seen_at"))
    latest = "SELECT owner_id, MAX(created_at) FROM document WHERE came_by IS NOT NULL GROUP BY 1"
    for (body,) in db.execute_sql(CREATED).fetchall():
        with suppress(KeyError, TypeError, ValueError):
            data = json.loads(body)["data"]
            if data["via"] == "document_token":
                found = documents.update(came_by=data["tokenId"])
                found.where(documents.id == data["documentId"]).execute(db)
    for owner_id, moment in db.execute_sql(latest).fetchall():
        owners.update(received_seen_at=moment).where(owners.id == owner_id).execute(db)
