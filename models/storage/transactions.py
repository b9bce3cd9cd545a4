"""Write transactions: the lock that each takes, whose right it judges, and when it is on disk.

A table in docs/architecture.md sets them side by side.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

from ..core import will_wait
from .connection import is_in_transaction
from .engines import engine
from .later_sync import later_sync
from .right import Right, current_right

SERVICE = "service"  # the owner of rows about all of the service

Work = Callable[[], object]


class _Open(threading.local):
    """The transaction that this thread has open."""

    owner_id: str | None = SERVICE  # whose lock it holds; SERVICE also where it was begun elsewhere
    right: Right | None = None  # which it judges when it has a lock, or when it ends

    def __init__(self) -> None:
        self.undo: list[Work] = []


class _Scope(ExitStack):
    """The context that makes all transactions one; the first of them calls `at_begin`."""

    def __init__(self, at_begin: Work) -> None:
        super().__init__()
        self.at_begin = at_begin


_open = _Open()
_scope: ContextVar[_Scope | None] = ContextVar("scope", default=None)


def transaction(
    owner_id: str | None = SERVICE, *, since: int | None = None
) -> AbstractContextManager[None]:
    """Return a write transaction, synced to disk when it ends.

    In a request whose response waits for the sync (`later_sync.py`) it ends before that.

    It excludes every other transaction of this owner until it ends, and with SERVICE all others:
    the rows that it reads stay as they are. It holds one lock, so that no two transactions wait for
    each other: nested ones have the same owner, or are in one with SERVICE. With None it takes no
    lock: the first nested one does, and before that only rows may be inserted that nobody else
    knows of yet.

    The first one of a request judges its right (`right.py`) when it has the lock, or when it ends
    without one: raises `RightLost`.

    Raises `NotSynced` if the commit could not be synced, or if a sync has failed after the engine's
    `sync_failures` was `since`: then earlier unsynced transactions, on which this one builds, may
    be lost.
    """
    return _Transaction(owner_id, joins_scope=True, since=since)


def separate_transaction(
    owner_id: str | None = SERVICE, *, synced: bool = True, wait_seconds: float | None = None
) -> AbstractContextManager[None]:
    """Begin a transaction of its own, also inside `in_one_transaction`.

    It is for a change that has to be on disk before the next one; or, not `synced`, for steps of
    something larger, which a power cut may undo. It judges no right: it is for what the service
    does by itself, and not for what a caller wants.

    Raises an error for which `service_error_of` has `Busy` if the lock is not free after
    `wait_seconds`.
    """
    return _Transaction(owner_id, joins_scope=False, synced=synced, wait_seconds=wait_seconds)


def accept_request(owner_id: str) -> None:
    """Judge the right of the request before what does not begin with a `transaction`."""
    with transaction(owner_id):
        pass


def on_rollback(undo: Work) -> None:
    """Call `undo` when the open transaction has been rolled back and the lock released.

    A commit that could only not be synced is not rolled back. Outside of a transaction nothing is.
    """
    if is_in_transaction():
        _open.undo.append(undo)


@contextmanager
def in_one_transaction(at_begin: Work = lambda: None) -> Iterator[None]:
    """Make all `transaction`s in the block one, which begins with the first of them.

    So expensive work before the first write, as to hash a password, does not hold the writer lock.
    When the transaction has begun, `at_begin` is called. Nested, the block is part of the outer
    one.
    """
    if _scope.get():
        yield
        return
    with _Scope(at_begin) as scope:
        before = _scope.set(scope)
        try:
            yield
        finally:
            _scope.reset(before)


class _Transaction(AbstractContextManager[None]):
    """A transaction; inside of an open one it becomes a part of that, and only takes the lock."""

    def __init__(self, owner_id: str | None, joins_scope: bool, **how: Any) -> None:
        self._owner_id = owner_id
        self._joins_scope = joins_scope
        self._how = how
        self._own: AbstractContextManager[None] | None = None

    def __enter__(self) -> None:
        if is_in_transaction():
            _take_lock(self._owner_id)
            return
        own = _outermost(self._owner_id, joins_scope=self._joins_scope, **self._how)
        if self._joins_scope and (scope := _scope.get()):
            scope.enter_context(own)
            scope.at_begin()
        else:
            own.__enter__()
            self._own = own

    def __exit__(self, *error: Any) -> bool | None:
        return self._own.__exit__(*error) if self._own else None


@contextmanager
def _outermost(
    owner_id: str | None,
    *,
    joins_scope: bool,
    synced: bool = True,
    since: int | None = None,
    wait_seconds: float | None = None,
) -> Iterator[None]:
    right = _unjudged(current_right.get()) if joins_scope else None
    undo: list[Work] = [right.forget] if right else []
    begun = engine().write_transaction(
        owner_id,
        synced=synced,
        wait_seconds=wait_seconds,
        right=None if owner_id is None else right,
    )
    try:
        with begun as failures:
            _open.owner_id = owner_id
            _open.undo = undo
            _open.right = right
            try:
                yield
                if right:
                    right.judge()  # of a request that took no lock
            finally:
                _open.owner_id = SERVICE
    except BaseException:
        for work in undo:
            work()
        raise
    if not synced:
        return
    failures = failures if since is None else since
    later = later_sync.get()
    if joins_scope and later:
        later.wait_for(failures)
    else:
        will_wait()
        engine().sync(failures)


def _take_lock(owner_id: str | None) -> None:
    """Take the owner's lock in the open transaction, if it holds none yet."""
    if owner_id is None or _open.owner_id in (owner_id, SERVICE):
        return
    if _open.owner_id is not None:
        raise RuntimeError(f"This transaction holds the lock of {_open.owner_id}, not {owner_id}.")
    engine().lock_owner(owner_id, _unjudged(_open.right))
    _open.owner_id = owner_id


def _unjudged(right: Right | None) -> Right | None:
    return right if right and not right.was_judged else None
