"""The right of a request: what its credential has to have, judged again when it is used.

A caller is resolved before the body is read. Until the request changes something it may hash a
password, wait for a lock or for another request, and meanwhile somebody may remove the member,
lower the role, revoke the key, end the session, disable the account, or turn the link off. So the
hook that resolves the caller sets `current_right`, and the first `transaction` of the request
judges it as soon as it holds its lock: from there to the commit nobody can take it away.

All transactions judge it but these: those of background work and of commands, which have no
request; and each `separate_transaction`, by which the service records readings, outcomes and
previews, stores pieces of something larger, and cleans up. With the first transaction the request
is accepted: what it still has to do in later ones is the service's work, and is finished whoever
is removed then. So an act that ends its own credential is judged before it. What ends by time
between the hook and the commit is not judged.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from .connection import Prepared

Row = tuple[Any, ...]


class RightLost(Exception):
    """The credential has lost what the request needs, which is undone.

    It is answered as the next request by this credential. `needed` are the permissions.
    """

    def __init__(self, needed: frozenset[str]) -> None:
        self.needed = needed
        super().__init__("The credential of this request was ended while it was served.")


class Right:
    """What the credential of a request has to have.

    `query` with these `values` finds the row of the credential, as long as nobody has ended it, and
    keeps it so until the transaction ends. `permits` returns whether the row that was found has all
    of these permissions.
    """

    def __init__(
        self,
        query: Prepared,
        values: Mapping[str, Any],
        permits: Callable[[Row, frozenset[str]], bool],
        needed: tuple[str, ...] = (),
    ) -> None:
        self.query = query
        self.values = values
        self.was_judged = False
        self._permits = permits
        self._needed = needed

    def need(self, permission: str) -> None:
        """Let the request need this permission as well."""
        self._needed = (*self._needed, permission)

    def judge(self) -> None:
        """Judge the right by its query, unless it was judged before. Raises `RightLost`."""
        if not self.was_judged:
            self.judge_by(self.query.first(**self.values))

    def judge_by(self, found: Row | None) -> None:
        """Judge the right by what its query has found. Raises `RightLost`."""
        needed = frozenset(self._needed)
        if found is None or not self._permits(found, needed):
            raise RightLost(needed)
        self.was_judged = True

    def forget(self) -> None:
        """Judge the right again in the next transaction: the one that judged it is undone."""
        self.was_judged = False


current_right: ContextVar[Right | None] = ContextVar("current_right", default=None)
