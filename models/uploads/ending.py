"""The end of an upload without a document: its bytes, its key and its row are deleted."""

from functools import partial

from ..core import NotFound
from ..documents import UnfinishedUpload, UnreferencedPayload
from ..runtime import current_runtime, independent_steps
from ..storage import separate_transaction, transaction
from ..storage.payloads import FILES, OBJECTS
from ..storage.payloads import rows as payload_rows


def end(upload: UnfinishedUpload) -> None:
    """Delete what has arrived of an upload; of a finished one only the record of it.

    Raises `NotFound` if it was deleted meanwhile.
    """
    with current_runtime().upload_slots.held(upload.id), transaction(upload.owner_id):
        delete_now(upload.id)
    current_runtime().upload_digests.forget(upload.id)


def drop_payload(upload: UnfinishedUpload) -> None:
    """Delete the pieces of an upload, in the transaction after which no row refers to them."""
    place = upload.place
    if place in (FILES, OBJECTS):
        UnreferencedPayload.mark_to_drop(upload.id, place)
    if place != FILES:
        payload_rows.drop(upload.id)


def delete_expired() -> None:
    """Delete the uploads that have expired, and the records of what others have become."""
    with independent_steps() as do:
        for upload in UnfinishedUpload.expired():
            do(partial(_end_if_expired, upload))


def _end_if_expired(upload: UnfinishedUpload) -> None:
    with current_runtime().upload_slots.held(upload.id), transaction(upload.owner_id):
        found = UnfinishedUpload.as_stored_locked(upload.id)
        if found is None or not found.has_expired:
            return
        delete_now(upload.id)
    current_runtime().upload_digests.forget(upload.id)


def end_all_unfinished() -> None:
    """End all uploads that are not finished: a restore finds what has arrived of them nowhere."""
    with transaction():
        for upload in UnfinishedUpload.all_unfinished():
            delete_now(upload.id)


def delete_uploads_of(owner_id: str) -> None:
    """Delete all uploads of an account or space that is deleted."""
    for upload in UnfinishedUpload.all_of(owner_id):
        slot = current_runtime().upload_slots.held(upload.id)
        with slot, separate_transaction(owner_id, synced=False):
            if UnfinishedUpload.as_stored_locked(upload.id):
                delete_now(upload.id)
        current_runtime().upload_digests.forget(upload.id)


def delete_rest_of(owner_id: str) -> None:
    """Delete the uploads that came meanwhile, in the transaction that deletes the account.

    A step that is under way finds its row no more, and deletes what it has written.
    """
    for upload in UnfinishedUpload.all_of(owner_id):
        delete_now(upload.id)


def drop_if_ended(upload: UnfinishedUpload) -> None:
    """Delete what a step has written of an upload whose row was deleted meanwhile."""
    with separate_transaction(upload.owner_id, synced=False):
        if UnfinishedUpload.as_stored(upload.id) is None:
            drop_payload(upload)


def delete_now(upload_id: str) -> None:
    """Delete an upload in the transaction of the caller. Raises `NotFound`.

    A step that is under way finds its row no more, and deletes what it has written.
    """
    upload = UnfinishedUpload.as_stored_locked(upload_id)
    if upload is None:
        raise NotFound
    if upload.is_unfinished:
        drop_payload(upload)
    UnfinishedUpload.shred(upload_id)
