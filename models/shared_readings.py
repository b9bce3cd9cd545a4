"""The readings that several processes of one database answer: counted in rows.

A row is deleted in the transaction that records its count. Its id is the MAC of what was read and
by whom, so that only what the service has counted is recorded.
"""

import json
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from peewee import DatabaseError

from crypto import authority_mac, is_authentic

from .readings import MERGED_MS, Counted, Reading, ReadingCounter, Take
from .records.ids import now
from .storage import connected, database

SKEW_MS = 2_000  # by which the clocks of the machines may differ

_COUNT = """
    INSERT INTO reading (id, owner_id, type, document_id, actor, began_at, further)
    VALUES (:id, :owner_id, :type, :document_id, :actor, :now, 0)
    ON CONFLICT (id) DO UPDATE SET further = reading.further + 1
    RETURNING further"""
_TAKEN = "RETURNING further, id, owner_id, type, document_id, actor"
_IS_OVER = "(began_at <= :before OR began_at > :later)"  # the latter if the clock was set back
_OWNERS = f"SELECT DISTINCT owner_id FROM reading WHERE {_IS_OVER}"  # noqa: S608
_TAKE_ENDED = f"DELETE FROM reading WHERE owner_id = :owner_id AND {_IS_OVER} {_TAKEN}"  # noqa: S608
_TAKE_OF = f"DELETE FROM reading WHERE document_id = :document_id {_TAKEN}"  # noqa: S608


class SharedReadingCounter(ReadingCounter):
    """`mac_key` returns the key of the ids."""

    def __init__(self, mac_key: Callable[[], bytes]) -> None:
        super().__init__()
        self._mac_key = mac_key

    def is_first(self, reading: Reading) -> bool:
        columns = _columns(reading)
        id = authority_mac(self._mac_key(), "reading", tuple(columns.values()))
        try:
            with connected():
                row = database.execute_sql(_COUNT, {"id": id, "now": now(), **columns}).fetchone()
        except DatabaseError:
            if database.in_transaction():
                raise
            return True  # a server that takes no writes still answers readings
        return bool(row == (0,))

    def take_of(self, document_id: str) -> Counted:
        return self._take(_TAKE_OF, document_id=document_id)

    def take_ended(self, *, all: bool = False) -> list[tuple[str, Take]]:
        later = now() + SKEW_MS
        values = {"before": later if all else now() - MERGED_MS, "later": later}
        with connected():
            owners = database.execute_sql(_OWNERS, values).fetchall()
        return [(id, partial(self._take, _TAKE_ENDED, owner_id=id, **values)) for (id,) in owners]

    def put_back(self, counted: Counted) -> None:
        """The rollback has done so."""

    def _take(self, query: str, **values: Any) -> Counted:
        rows = database.execute_sql(query, values).fetchall()
        return [(_reading(*row), further) for further, *row in rows if further and self._made(*row)]

    def _made(self, id: bytes, *columns: str) -> bool:
        """Whether this row is as the service has written it."""
        is_made = is_authentic(self._mac_key(), "reading", columns, id)
        if not is_made:
            log = logging.getLogger("docservice")
            log.error("A count of readings was made outside of the service, and is left out.")
        return is_made


def _columns(reading: Reading) -> dict[str, str]:
    return {
        "owner_id": reading.owner_id,
        "type": reading.type,
        "document_id": reading.document_id,
        "actor": json.dumps(reading.actor),
    }


def _reading(_id: bytes, owner_id: str, type: str, document_id: str, actor: str) -> Reading:
    return Reading(owner_id, type, document_id, tuple(map(tuple, json.loads(actor))))
