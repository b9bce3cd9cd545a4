"""The sync that the response to a request waits for, in place of the thread that makes it.

A transaction whose commit is to be on disk waits for the sync when it ends. Where the server can
hold a response (`server/held.py`), the transactions of a request leave the wait to the response:
what follows them in the request runs at once, and the client is told nothing before the sync.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from typing import Any

from .engines import engine
from .group_commit import NotSynced

Change = Callable[[Exception], Exception]


class LaterSync:
    """What a response waits for: whether anything, and what its client is told if it fails."""

    _since: int | None = None  # of the engine's failed syncs, before the first change
    _changes: tuple[Change, ...] = ()

    @property
    def is_awaited(self) -> bool:
        return self._since is not None

    def wait_for(self, since: int) -> None:
        """Let the response wait for the sync of a commit, as `Engine.sync` does with `since`."""
        self._since = since if self._since is None else min(self._since, since)

    def change_error(self, change: Change) -> None:
        """Have the error be changed, behind the changes that were added before."""
        self._changes += (change,)

    def failure(self) -> NotSynced | None:
        """Return the error of the sync, behind it; None if all is on disk."""
        return None if self._since is None else engine().sync_failure(self._since)

    def changed(self, error: Exception) -> Exception:
        """Return what the request raises for an error of the sync."""
        for change in self._changes:
            error = change(error)
        return error


later_sync: ContextVar[LaterSync | None] = ContextVar("later_sync", default=None)
"""That of the request which this thread serves; None where each transaction waits by itself."""


def wait_for_earlier_syncs() -> None:
    """Let the response wait for the syncs of all commits so far, which other requests have made.

    Call it when they have been read. If their sync has failed, they are moved into the database, as
    before each transaction: what a later sync of the log says is not about them. Elsewhere, whoever
    had the turn of another request finds its commits on disk.
    """
    if later := later_sync.get():
        with engine().write_transaction(None, synced=True) as failures:
            later.wait_for(failures)


def sync_for_responses() -> None:
    """Sync all commits, for the responses that wait by now; `failure` tells each of them."""
    with suppress(NotSynced):
        engine().sync()


class errors_changed(AbstractContextManager[None]):  # noqa: N801  as `contextlib.suppress`
    """Raises what `change` makes of an error of the block, or of the sync that is waited for later.

    `change` returns the error itself where it changes nothing.
    """

    def __init__(self, change: Change) -> None:
        self._change = change

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        if later := later_sync.get():  # what follows a transaction in the block may have failed
            later.change_error(self._change)
        if isinstance(error, Exception) and (changed := self._change(error)) is not error:
            raise changed from error
