"""Pages of lists: `?limit=` and `?cursor=`, newest first."""

import re
from typing import Any

from models.errors import ServiceError

CURSOR = r"^[a-z]{3}_[0-9a-z]{26}$"  # the id of the previous page's last row


class BadCursor(ServiceError):
    code = "invalid_request"
    sentence = "This cursor is not one that a list gave. Start again without it."
    pointer = "#/cursor"
    place = "query"


def parse_cursor(cursor: str | None) -> str | None:
    """The id in a cursor. Raises `BadCursor`."""
    if cursor is not None and not re.fullmatch(CURSOR, cursor):
        raise BadCursor
    return cursor


def list_response(plural: str, rows: list[Any], next_cursor: str | None) -> dict[str, Any]:
    return {plural: rows, "next_cursor": next_cursor}
