"""Uploads in pieces that strangers begin by a link: what bounds them, and where the file goes.

A stranger's promise reserves nothing. What has arrived takes room in the collection of the link;
whether there is room for the whole file, and the link still takes one, is judged with the last
byte, under the lock of the owner. The values that such an upload is given:

    name, content_type, metadata, sha256    as `finishing.py` takes them
    collection_id                           the collection of the link
    answers_id                              the `answers_id` of the link when its holder was let in
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from functools import partial
from typing import Any

from ..core import Busy, NotFound, TargetChanged, TokenSpent, now
from ..documents import Collection, Document, UnfinishedUpload
from ..links import (
    DocumentToken,
    LinkState,
    NoRoom,
    TokenGrant,
    add_received,
    collection_of,
    refused_to_stranger,
    require_password,
    room_for_steps,
)
from ..runtime import current_runtime, independent_steps
from .ending import delete_now, end

MOST_OF_LINK = 20  # unfinished uploads
GIVES_WAY_MS = 600_000  # after which an upload without a byte gives way to another one


class TooManyUnfinished(Busy):
    sentence = "Too many uploads by this link are unfinished. Try again in some minutes."
    retry_after_seconds = 60


def require_beginning_by_link(grant: TokenGrant, size: int) -> Collection:
    """Return the collection of a link by which a file of this size may be begun.

    Raises `TokenSpent`, `ScopeMissing` before the password was given, `NoRoom`.
    """
    collection = collection_of(grant)
    require_password(grant)
    if not grant.views_left:
        raise grant.spent("used_up")
    room = room_for_steps(collection.owner_id, collection)
    if size > room:
        raise NoRoom(room)
    return collection


def make_way(owner_id: str, link_id: str) -> None:
    """Raise `Busy` if too many uploads of the link are unfinished, in the transaction of a new one.

    The oldest one of which no byte has come for ten minutes is deleted first.
    """
    unfinished = UnfinishedUpload.unfinished_by(owner_id, link_id)
    if len(unfinished) < MOST_OF_LINK:
        return
    begun_before = now() - GIVES_WAY_MS
    idle = [one for one in unfinished if not one.received and one.created_at <= begun_before]
    if not idle:
        raise TooManyUnfinished
    delete_now(idle[0].id)


def require_room(upload: UnfinishedUpload, length: int) -> None:
    """Raise `NoRoom` unless the collection of the link takes so many bytes more."""
    room = room_for_steps(upload.owner_id, _collection_of(upload))
    if length > room:
        raise NoRoom(room)


def receive_document(upload: UnfinishedUpload, document: Document) -> dict[str, Any]:
    """Put the document of an upload into the collection of the link, and return its receipt.

    Call it in the transaction that stores the document. Raises `TokenSpent`, `ScopeMissing`,
    `NoRoom`.
    """
    collection = _collection_of(upload)
    if current_runtime().settings.inbound == "off":
        raise TokenSpent(LinkState.OFF)
    answers_id = upload.given["answers_id"]
    try:
        receipt = add_received(document, upload.came_by or "", answers_id, collection)
    except TargetChanged:  # the link leads elsewhere now
        raise TokenSpent from None
    return asdict(receipt)


def _collection_of(upload: UnfinishedUpload) -> Collection:
    """Return the collection to which a stranger sends. Raise `TokenSpent` if it was deleted."""
    collection = Collection.find(upload.given["collection_id"])
    if collection is None:
        raise TokenSpent
    return collection


def refusals_of(upload: UnfinishedUpload) -> AbstractContextManager[None]:
    """Return a context that raises what refuses an upload as whoever sends it may know it."""
    return refused_to_stranger() if upload.came_by else nullcontext()


def may_come_back(error: TokenSpent) -> bool:
    """Return whether a link opens again when its owner turns it on."""
    return error.cause == LinkState.OFF


def end_uploads_of_ended_links() -> None:
    """Delete the unfinished uploads of links that were revoked, have expired, or are deleted."""
    with independent_steps() as do:
        for upload in UnfinishedUpload.unfinished_by_any_link():
            do(partial(_end_if_link_has_ended, upload))


def _end_if_link_has_ended(upload: UnfinishedUpload) -> None:
    link = DocumentToken.as_stored(upload.came_by or "")
    if link is None or link.revoked_at is not None or link.has_expired:
        try:
            end(upload)
        except NotFound:  # it was ended meanwhile
            return
