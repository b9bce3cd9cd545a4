"""Write transactions with the lock of an owner, and writes that nobody waits for."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar

from peewee import DatabaseError

from ..errors import Busy, causes_of
from .connection import connected, database
from .engine import engine

SERVICE = "service"  # the owner of what concerns all of the service

Write = Callable[[], object]


class _Open(threading.local):
    """The transaction that this thread has open."""

    owner_id: str | None = SERVICE  # whose lock it holds; SERVICE also where it was begun elsewhere

    def __init__(self) -> None:
        self.undo: list[Write] = []


class _Scope(ExitStack):
    """What makes all transactions one; the first of them calls `at_begin`."""

    def __init__(self, at_begin: Write) -> None:
        super().__init__()
        self.at_begin = at_begin


_open = _Open()
_scope: ContextVar[_Scope | None] = ContextVar("scope", default=None)
_enqueued: deque[tuple[str, Write]] = deque(maxlen=100_000)  # the oldest are dropped
_PART_OF_OUTER = nullcontext()
_writing = threading.RLock()  # held from taking what is enqueued until it is written


def transaction(
    owner_id: str = SERVICE, *, since: int | None = None
) -> AbstractContextManager[None]:
    """A write transaction, synced to disk when it ends. Nested, it is part of the outer one.
    Call it, as those below, in the `with` statement itself: nested, its lock is taken in the call.

    It excludes every other one of this owner until it ends, and with SERVICE every other one at
    all: what it reads stays so. It holds one lock, so that no two wait for each other: nested
    ones have the same owner, or are in one with SERVICE.

    Raises OSError if a sync has failed after `wal_sync_failures` was `since`: then earlier
    unsynced transactions, on which this one builds, may be lost.
    """
    _enter_scope(owner_id, since)
    return _transaction(owner_id, since=since)


def separate_transaction(owner_id: str | None = SERVICE) -> AbstractContextManager[None]:
    """A transaction that is synced when it ends, also inside `in_one_transaction`: for what has to
    be on disk before something else is done. Nested in an open transaction it is part of that one.
    """
    return _transaction(owner_id)


def unsynced_transaction(owner_id: str | None = SERVICE) -> AbstractContextManager[None]:
    """A write transaction of its own, also inside `in_one_transaction`; a power cut may undo it.

    For steps of something larger, whose last transaction is synced. Nested in an open transaction
    it is part of that one. Without an owner it takes no lock, and may only insert what nobody
    else knows of yet.
    """
    return _transaction(owner_id, synced=False)


def gathering_steps() -> AbstractContextManager[None]:
    """Around steps of something larger and its last transaction: where writers of several owners
    do not wait for each other, all of it is one, and the last one's lock is taken there.
    """
    if not engine().SHARED:
        return nullcontext()
    _enter_scope(None, None)
    return _transaction(None)


def on_rollback(undo: Write) -> None:
    """Call `undo` when the open transaction has been rolled back and the lock released."""
    _open.undo.append(undo)


@contextmanager
def in_one_transaction(at_begin: Write = lambda: None) -> Iterator[None]:
    """Makes all `transaction`s inside one. It begins with the first of them, so that expensive work
    before the first write (hashing a password) does not hold the writer lock; then it calls
    `at_begin`. Nested, it is part of the outer one.
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


def _enter_scope(owner_id: str | None, since: int | None) -> None:
    scope = _scope.get()
    if scope and not database.in_transaction():
        scope.enter_context(_transaction(owner_id, since=since))
        scope.at_begin()


def _transaction(
    owner_id: str | None, *, synced: bool = True, since: int | None = None
) -> AbstractContextManager[None]:
    if database.in_transaction():
        _lock(owner_id)
        return _PART_OF_OUTER
    return _outermost(owner_id, synced, since)


@contextmanager
def _outermost(owner_id: str | None, synced: bool, since: int | None) -> Iterator[None]:
    undo: list[Write] = []
    enqueued = {"before": _write_enqueued, "after": _write_if_free}
    try:
        with engine().write_transaction(owner_id, synced=synced, since=since, **enqueued):
            _open.owner_id, _open.undo = owner_id, undo
            database.after_commit(undo.clear)  # what fails later is only the sync
            try:
                yield
            finally:
                _open.owner_id = SERVICE  # before the engine writes what is enqueued, of any owner
    except BaseException:
        for one in undo:
            one()
        raise


def _lock(owner_id: str | None) -> None:
    """Take the lock in the open transaction, if it holds none yet."""
    if owner_id is None or _open.owner_id in (owner_id, SERVICE):
        return
    if _open.owner_id is not None:
        raise RuntimeError(f"This transaction holds the lock of {_open.owner_id}, not {owner_id}.")
    engine().lock_owner(owner_id)
    _open.owner_id = owner_id


def enqueue_write(owner_id: str, write: Write) -> None:
    """Queue a write that the request need not wait for, such as the event of a read.

    The next transaction writes it first, or `flush_enqueued_writes` does, many at once. Inside a
    transaction it is written at once; and where the next request may reach another process, which
    does not know of this queue.
    """
    if database.in_transaction():
        write()
    elif not (engine().SHARED and _written_now(owner_id, write)):
        _enqueued.append((owner_id, write))


def _written_now(owner_id: str, write: Write) -> bool:
    """False if the database takes no writes now, or another process holds the lock."""
    with connected():
        try:
            _write(owner_id, [write])
        except DatabaseError:
            return False
    return True


def flush_enqueued_writes() -> None:
    """Write what is enqueued, unless a transaction runs: it does so at its end.

    What another thread has taken to write it is written when this returns.
    """
    with _writing:
        if _enqueued:
            with connected():
                _write_if_free()


def _write_if_free() -> None:
    while _enqueued:
        with _writing, engine().if_no_writer() as free:
            if not free:
                return
            try:
                _write_enqueued()
            except DatabaseError:  # another process writes, or nobody can: try again later
                return


def _write_enqueued() -> None:
    """In a transaction for each lock that it takes. DatabaseError as `_write`: the rest stays
    enqueued.
    """
    with _writing:
        groups = _by_lock([_enqueued.popleft() for _ in range(len(_enqueued))])
        while groups:
            try:
                _write(groups[0][0][0], [write for _, write in groups[0]])
            except Exception:
                _enqueued.extendleft(one for group in reversed(groups) for one in reversed(group))
                raise
            groups.pop(0)


def _write(owner_id: str, writes: list[Write]) -> None:
    """In one transaction. DatabaseError if the database takes no writes now, or another process
    holds the lock; what fails otherwise, as on a full disk, is lost.
    """
    begun = False
    try:
        with engine().background_transaction(owner_id):
            begun = True
            for write in writes:
                write()
    except Exception as error:
        known = next(filter(None, map(engine().engine_error, causes_of(error))), None)
        if not begun or isinstance(known, Busy):
            raise
        why = f": {known.sentence}" if known else ""
        log = logging.getLogger("docservice")
        log.error("enqueued writes were lost%s", why, exc_info=None if known else error)


def _by_lock(writes: list[tuple[str, Write]]) -> list[list[tuple[str, Write]]]:
    """Those of each owner together, or all where one lock is for all."""
    groups: dict[str, list[tuple[str, Write]]] = {}
    for one in writes:
        groups.setdefault(one[0] if engine().SHARED else SERVICE, []).append(one)
    return list(groups.values())
