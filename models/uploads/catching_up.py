"""SHA-256 of an upload that is behind what has arrived, as after a restart, catches up.

A little is read again in the request that needs it. All else is read beside the requests, from the
first one on that asks for the upload; its last byte is acknowledged without waiting for that, and
the document is stored when the digest is there.
"""

from functools import partial

from crypto import DecryptionError

from ..documents import UnfinishedUpload
from ..records import Owner
from ..runtime import Digest, current_runtime
from ..storage import connected
from .finishing import finish_arrived

AT_ONCE_BYTES = 16 << 20  # that a request reads again itself: some 50 ms
SLICE_BYTES = 64 << 20  # after which others have a turn


def digest_of(upload: UnfinishedUpload) -> Digest | None:
    """Return the digest of all that has arrived, or None if too much had to be read for it."""
    digest, offset = current_runtime().upload_digests.of(upload.id)
    if not 0 <= upload.received - offset <= AT_ONCE_BYTES:
        return None
    for plain in upload.read(offset):
        digest.update(plain)
    return digest


def catch_up(upload: UnfinishedUpload) -> None:
    """Begin to read beside the requests what the digest is behind, unless it is done already.

    If all has arrived, the document is stored then.
    """
    if not upload.is_unfinished:
        return
    digests = current_runtime().upload_digests
    _, offset = digests.of(upload.id)
    if offset != upload.received or upload.has_arrived:
        person_id = Owner.answering_for(upload.owner_id)
        digests.catch_up(upload.id, person_id, partial(_read_slice, upload.id))


def catch_up_arrived() -> None:
    """Go on to store the documents of uploads that have arrived before a restart."""
    for upload in UnfinishedUpload.arrived():
        catch_up(upload)


def _read_slice(upload_id: str) -> bool:
    """Read some bytes again, and return whether there are more."""
    digests = current_runtime().upload_digests
    with connected():
        upload = UnfinishedUpload.find(upload_id)
        if upload is None or not upload.is_unfinished:
            digests.forget(upload_id)
            return False
        digest, offset = digests.of(upload_id)
        if offset > upload.received:  # an older database was put back
            digests.forget(upload_id)
            return True
        stop = min(offset + SLICE_BYTES, upload.received)
        try:
            for plain in upload.read(offset, stop):
                digest.update(plain)
        except DecryptionError:
            if _has_gone_on(upload):
                return True
            raise
        digests.keep(upload_id, digest, stop)
        if stop < upload.received:
            return True
        if upload.has_arrived:
            finish_arrived(upload, digest.hexdigest())
        return False


def _has_gone_on(upload: UnfinishedUpload) -> bool:
    """Return whether a step has changed an upload since it was read.

    The step may have moved pieces from rows into objects while they were read from the rows.
    """
    present = UnfinishedUpload.find(upload.id)
    return present is None or present.received != upload.received
