"""The rate limits of several processes that serve one database: rows, and the server's clock.

A row holds the theoretical arrival time of GCRA, in milliseconds. Each call is one statement, so
that two processes cannot count the same event.
"""

import hashlib

from peewee import DatabaseError

from .rate_limiter import RateLimiter, refuse_if_spent
from .rate_limits import Allowance
from .storage import SERVER_NOW, connected, database, engine

_DUE = f"GREATEST(rate_limit.due_at, {SERVER_NOW}) + :gap"
_OWED = f"SELECT GREATEST(due_at - {SERVER_NOW}, 0) FROM rate_limit WHERE key = :key"  # noqa: S608
_HIT = f"""
    INSERT INTO rate_limit (key, due_at) VALUES (:key, {SERVER_NOW} + :gap)
    ON CONFLICT (key) DO UPDATE SET due_at = {_DUE}
    RETURNING due_at - {SERVER_NOW}"""  # noqa: S608
_SPEND = f"""
    INSERT INTO rate_limit (key, due_at) VALUES (:key, {SERVER_NOW} + :gap)
    ON CONFLICT (key) DO UPDATE SET due_at = {_DUE} WHERE {_DUE} - {SERVER_NOW} <= :window
    RETURNING due_at - {SERVER_NOW}"""  # noqa: S608
_FORGET = f"DELETE FROM rate_limit WHERE due_at < {SERVER_NOW}"  # noqa: S608


class SharedRateLimiter(RateLimiter):
    def allowance(self, key: str) -> Allowance:
        return self._allowance(self._ask(_OWED, key) or 0)

    def hit(self, key: str) -> None:
        self._ask(_HIT, key, gap=self._gap_ms)

    def spend(self, key: str) -> Allowance | None:
        if not self._on:
            return None
        window = self._limit.seconds * 1000
        owed = self._ask(_SPEND, key, gap=self._gap_ms, window=window)
        if owed is None:
            refuse_if_spent(self.allowance(key))
            return self.spend(key)  # it became available meanwhile
        return self._allowance(owed)

    def is_first(self, key: str) -> bool:
        try:
            return super().is_first(key)
        except DatabaseError:
            return True  # a server that takes no writes still answers readings

    @property
    def _gap_ms(self) -> int:
        return round(self._gap * 1000)

    def _ask(self, query: str, key: str, **values: int) -> int | None:
        """The row's key tells nothing of accounts and addresses."""
        hashed = hashlib.sha256(f"{self._limit.name} {key}".encode()).hexdigest()
        with connected():
            found = database.execute_sql(query, {"key": hashed, **values}).fetchone()
        return None if found is None else int(found[0])

    def _allowance(self, owed_ms: int) -> Allowance:
        return self.allowance_of(owed_ms / 1000)


def forget_idle_limits() -> None:
    """Delete the rows of limits that nothing is owed to."""
    if engine().is_shared:
        database.execute_sql(_FORGET)
