"""Long responses to owners, which end when the session or API key does."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from flask import request

from models import connected
from models.core import KeyRevoked, SessionExpired
from models.links import TokenGrant

from ..http.serving import break_off

CHECKED_BYTES = 4 << 20  # sent before the credential is looked up again


def while_it_lasts(pieces: Iterable[bytes], grant: TokenGrant) -> Iterator[bytes]:
    """Return the pieces as long as the owner's session or API key lasts.

    So what is being sent to a member ends when the member is removed from the space. The transfer
    is broken off then, so that nobody takes what was sent for all of it.
    """
    end = partial(break_off, request._get_current_object())  # type: ignore[attr-defined]
    return _yielded(pieces, grant, end)


def _yielded(
    pieces: Iterable[bytes], grant: TokenGrant, break_off: Callable[[], None]
) -> Iterator[bytes]:
    sent_bytes = 0
    for piece in pieces:
        if sent_bytes >= CHECKED_BYTES:
            try:
                with connected():
                    grant.refuse_if_ended()
            except (SessionExpired, KeyRevoked):
                break_off()
                raise
            sent_bytes = 0
        sent_bytes += len(piece)
        yield piece
