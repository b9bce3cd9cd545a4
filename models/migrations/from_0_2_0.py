"""The former targets of links, from the log, where version 0.2.0 looked for them."""

import json
from collections import defaultdict
from contextlib import suppress
from typing import Any

from peewee import Table

MOST = 20  # of a link: the newest
LINKS = "SELECT id, owner_id FROM document_token"
CHANGES = """
    SELECT id, created_at, owner_id, body FROM event WHERE type = 'token.updated' ORDER BY id"""
COLUMNS = ("id", "created_at", "owner_id", "token_id", "document_id")


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
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
