"""Pages of lists: `?limit=` and `?cursor=`, newest first."""

import base64
import binascii
import re
from typing import Any

from models.errors import Refusal

_ID = re.compile(r"[a-z]{3}_[0-9a-z]{26}")


class BadCursor(Refusal):
    code = "invalid_request"
    sentence = "This cursor is not one that a list gave. Start again without it."
    pointer = "#/cursor"
    place = "query"


def after(cursor: str | None) -> str | None:
    """The id a cursor stands for."""
    if cursor is None:
        return None
    try:
        id = base64.urlsafe_b64decode(cursor.encode()).decode("ascii")
    except (binascii.Error, ValueError):
        raise BadCursor from None
    if not _ID.fullmatch(id):
        raise BadCursor
    return id


def answered(plural: str, rows: list[Any], further: str | None) -> dict[str, Any]:
    cursor = further and base64.urlsafe_b64encode(further.encode()).decode()
    return {plural: rows, "next_cursor": cursor}
