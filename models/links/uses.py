"""Uses of a link that are counted: what was opened, or a file that was taken."""

from collections.abc import Callable
from typing import TypeVar

from ..core import TargetChanged, TokenSpent, now
from ..events import Event, has_mail
from ..storage import transaction
from .document_token import DocumentToken
from .opening import Opening
from .target import Target

T = TypeVar("T")


def count_view(
    target: Target, id: str, type: str, opened: Target | None = None, opening: Opening | None = None
) -> None:
    """Count a view, after what the link opens was decrypted: the target, or in a collection the
    document `opened`; with the `opening` of a guarded link.

    Read and written under the owner's lock: two requests cannot take the same last view. Raises
    `TokenSpent` if there is none left, `TargetChanged` if the link leads elsewhere now.
    """
    with transaction(target.owner_id):
        token = unspent(id, target)

        def record() -> None:
            is_first = opening.store(token) if opening else False
            Event.record_reading(token.owner_id, type, (opened or target).id)
            if (token.views == 1 or is_first) and has_mail():
                token.record_event("token.opened")

        count_use(token, record)


def unspent(id: str, target: Target) -> DocumentToken:
    """The token as it is stored."""
    presented = DocumentToken.presented("id", id)
    if presented is None or not all(presented.further):
        raise TokenSpent("used_up" if presented and not presented.further[-1] else "")
    if presented.row.target_id != target.id:
        raise TargetChanged
    return presented.row


def count_use(token: DocumentToken, record: Callable[[], T]) -> T:
    """Count a use with the event that `record` records, and return what that returns; under the
    owner's lock. The last use has an event of its own.
    """
    moment = now()
    is_last = token.views + 1 == token.max_views
    spent_at = moment if is_last else None
    token.change(views=token.views + 1, last_used_at=moment, spent_at=spent_at)
    recorded = record()
    if is_last:
        token.record_event("token.spent")
    return recorded
