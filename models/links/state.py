"""The state of a link: once in Python, of a row that was read, and once in SQL, for queries.

Both ask the same questions in the same order. A test compares them over all states.
"""

from enum import StrEnum
from typing import Any, Protocol

from peewee import SQL, Case

from ..core import TokenSpent
from ..documents import Collection, Document
from ..records import Presented
from .target import Target, is_there, sql_is_there, table_of


class LinkState(StrEnum):
    """The state of a link at a moment. Where several are so, the link has the first of them."""

    REVOKED = "revoked"  # for good, by its owner or with its target
    EXPIRED = "expired"
    TARGET_GONE = "target_gone"  # what it opens is in the bin, or has expired
    USED_UP = "used_up"
    OFF = "off"  # until its owner turns it on again
    LIVE = "live"

    @property
    def has_ended(self) -> bool:
        """Whether it opens nothing, also if its owner turns it on."""
        return self not in {LinkState.OFF, LinkState.LIVE}


class StoredLink(Protocol):
    """The row of a link, a `DocumentToken`."""

    @property
    def revoked_at(self) -> int | None: ...

    @property
    def has_expired(self) -> bool: ...

    @property
    def is_used_up(self) -> bool: ...

    @property
    def enabled(self) -> bool: ...


def state_of(token: StoredLink, target: Target | None) -> LinkState:
    """Return the state of a link with this target; None is one that was deleted."""
    if token.revoked_at is not None:
        return LinkState.REVOKED
    if token.has_expired:
        return LinkState.EXPIRED
    if not is_there(target):
        return LinkState.TARGET_GONE
    if token.is_used_up:
        return LinkState.USED_UP
    if not token.enabled:
        return LinkState.OFF
    return LinkState.LIVE


def sql_state(table: Any, moment: Any) -> Any:
    """Return the expression of the state of each `DocumentToken` at a moment."""
    states = (
        (table.revoked_at.is_null(False), sql_text(LinkState.REVOKED)),
        (table.expires_at <= moment, sql_text(LinkState.EXPIRED)),
        (~sql_is_there(table.target_id, moment), sql_text(LinkState.TARGET_GONE)),
        (table.views >= table.max_views, sql_text(LinkState.USED_UP)),
        (table.disabled_at.is_null(False), sql_text(LinkState.OFF)),
    )
    return Case(None, states, sql_text(LinkState.LIVE))


def sql_text(state: LinkState) -> SQL:
    return SQL(f"'{state}'")


def presented_state(presented: Presented[Any]) -> LinkState:
    """Return the state that the query of a presented link has found."""
    (state,) = presented.extra
    return LinkState(state)


def end_of(presented: Presented[Any]) -> TokenSpent:
    """Return the error that says why, and since when, a presented link opens nothing."""
    token = presented.row
    cause, ended_at = _cause_of(presented)
    return TokenSpent(cause, ended_at, tuple(token.allowed_origins.split()), token.owner_id)


def _cause_of(presented: Presented[Any]) -> tuple[str, int | None]:
    """Return the cause and the moment of the end of a link, as `TokenSpent` takes them.

    Nothing is said of an account that is disabled, and of a service that takes no files.
    """
    token = presented.row
    state = presented_state(presented)
    if presented.owner.disabled_at is not None or state is LinkState.LIVE:
        return "", None
    if state is LinkState.TARGET_GONE:
        return _end_of_target(token.target_id)
    moments = {
        LinkState.REVOKED: token.revoked_at,
        LinkState.EXPIRED: token.expires_at,
        LinkState.USED_UP: None,
        LinkState.OFF: token.disabled_at,
    }
    return state.value, moments[state]


def _end_of_target(id: str) -> tuple[str, int | None]:
    """Return the cause and the moment of the end of what a link opened."""
    document = None if table_of(id) is Collection else Document.find(id)
    if document is None:
        return "", None
    if document.binned_at is not None:
        return "revoked", document.binned_at
    return "expired", document.expires_at
