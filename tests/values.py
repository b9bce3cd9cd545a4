"""Values of their own for all that a row says, by which a test finds each of them again.

They are made by the type of a column or sealed value, so that one which is new has one as well.
"""

import zlib
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import get_args, get_origin

from models import transaction
from models.core import rfc3339
from models.records import Sealed

AT_LEAST = 4_000_000_000_000  # a moment that is far off
TARGETED = ("id", "created_at", "owner_id", "target_id", "token_id")
AS_FILLED = {  # what other values or rows have to agree with: it stays as the row was made
    "Document": ("content_type", "media_type", "size", "payload_head", "place", "sha256", "crc32"),
    "Collection": ("documents_listed",),
    "DocumentToken": ("digest", "permissions", "questions"),
    "Recipient": ("digest",),
    "UnfinishedUpload": (
        "size",
        "received",
        "rest",
        "came_by",
        "document_id",
        "begun_by_id",
        "uploader_id",
        "given",
        "result",
    ),
    "Opening": ("recipient_id",),
    "KeptText": ("sha256",),
    "Webhook": ("types",),
    "Member": ("user_id", "role"),
    "User": ("email", "email_folded", "made_by"),
    "ApiKey": ("digest", "scopes"),
    "Session": ("login_generation", "identity_id", "acting_user_id", "begun_by_id"),
    "Identity": ("subject",),
    "WebhookDelivery": ("webhook_id", "event_id", "attempts_kept"),
}
OF_THEIR_FORM = {"Webhook.secrets": [["Webhook.secrets", None]]}


def type_of(table, name):
    """The type of a value, without None."""
    column = table._meta.fields.get(name)
    if column is not None:
        return {"TEXT": str, "BLOB": bytes}.get(column.field_type, int)
    sealed = getattr(table, name)
    (type,) = get_args(getattr(sealed, "__orig_class__", Sealed[str]))
    if isinstance(type, UnionType):
        type = next(one for one in get_args(type) if one is not NoneType)
    return get_origin(type) or type


def marker_of(table, name):
    """The value of a table's own that stands for this name."""
    words = f"{table.__name__}.{name}"
    if words in OF_THEIR_FORM:
        return OF_THEIR_FORM[words]
    number = zlib.crc32(words.encode()) % 1_000_000
    type = type_of(table, name)
    if type is str:
        return words
    if type is bytes:
        return words.encode()
    if type is bool:
        return not getattr(table, name).default
    if type is int:
        column = table._meta.fields.get(name)
        return number if column and column.field_type == "INT" else AT_LEAST + number
    return {words: number} if issubclass(type, Mapping) else [words]


def signs_of(table, name):
    """The texts by which an answer shows the value; none for one that is like any other."""
    value = marker_of(table, name)
    if type(value) is int and value >= AT_LEAST:
        return [rfc3339(value), str(value)]
    if type(value) is bytes:
        return [value.hex(), value.decode()]
    return [] if type(value) in (int, bool) else [f"{table.__name__}.{name}"]


def marked_names(table):
    """The names of the values that `mark` sets."""
    left = {*TARGETED, *AS_FILLED.get(table.__name__, ())}
    return [name for name in table.value_names() if name not in left]


def mark(row, but=()):
    """Store values of its own in a row, as far as they need not agree with other ones."""
    table = type(row)
    names = set(marked_names(table)).difference(but)
    with transaction():
        row.change(**{name: marker_of(table, name) for name in names})
