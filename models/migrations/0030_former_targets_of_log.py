"""The former targets of links, from the log, where until now they were looked for."""

import json
from collections import defaultdict
from contextlib import suppress
from typing import Any

from peewee import Table

MOST = 20  # of a link: the newest
CHANGES = """
    SELECT id, created_at, owner_id, body FROM event WHERE type = 'token.updated' ORDER BY id"""


def up(migrator: Any, db: Any) -> None:  # noqa: ARG001
    links = {id for (id,) in db.execute_sql("SELECT id FROM document_token")}
    former: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for id, created_at, owner_id, body in db.execute_sql(CHANGES):
        with suppress(KeyError, TypeError, ValueError):  # of another change, or altered outside
            data = json.loads(body)["data"]
            token_id, target_id = data["tokenId"], data["from"]
            if token_id in links:
                row = {"id": f"fmt_{id[4:]}", "created_at": created_at, "owner_id": owner_id}
                former[token_id].append(row | {"token_id": token_id, "document_id": target_id})
    table: Any = Table("former_target", ("id", "created_at", "owner_id", "token_id", "document_id"))
    for rows in former.values():
        table.insert(rows[-MOST:]).execute(db)
