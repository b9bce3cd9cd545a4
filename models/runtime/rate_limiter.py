"""Rate limits by GCRA (ITU-T I.371): one number a key, bounded memory, no threads."""

import hashlib
import ipaddress
import threading
import time
from collections.abc import Callable

from peewee import DatabaseError

from ..core import GUESSES, GUESSES_BY_ADDRESS, Allowance, Limit, TooManyRequests
from ..storage import SERVER_NOW, connected, database, engine


class RateLimiter:
    """A limit for each key, by the monotonic clock. Events become available again one by one, so a
    caller never waits longer than for one of them.
    """

    def __init__(
        self,
        limit: Limit,
        on: bool = True,
        keys: int = 20_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._on, self._keys, self._clock = limit, on, keys, clock
        self._gap = limit.seconds / limit.count
        self._due: dict[int, float] = {}  # the theoretical arrival time; oldest-touched first
        self._lock = threading.RLock()

    def allowance(self, key: str) -> Allowance:
        """What is left of the key's limit now. Counts nothing."""
        now = self._clock()
        with self._lock:
            return self.allowance_of(max(self._due.get(hash(key), now) - now, 0.0))

    def allowance_of(self, owed: float) -> Allowance:
        """What is left where the theoretical arrival time is so many seconds ahead."""
        left = (self._limit.seconds - owed) / self._gap + 1e-6  # whole numbers, despite floats
        wait = max(0.0, owed + self._gap - self._limit.seconds) if self._on and left < 1 else 0.0
        return Allowance(self._limit, max(0, int(left)), wait)

    def hit(self, key: str) -> None:
        """Count an event that has happened, also beyond the limit."""
        now = self._clock()
        with self._lock:
            due = max(self._due.pop(hash(key), now), now)
            self._due[hash(key)] = due + self._gap
            while len(self._due) > self._keys:
                self._due.pop(next(iter(self._due)))

    def spend(self, key: str) -> Allowance | None:
        """Count an event and return what is left; `TooManyRequests`, uncounted, if nothing is.

        None where limits are off.
        """
        if not self._on:
            return None
        with self._lock:
            refuse_if_spent(self.allowance(key))
            self.hit(key)
            return self.allowance(key)

    def is_first(self, key: str) -> bool:
        """Whether there is room for this event, which is counted; always where limits are off."""
        try:
            self.spend(key)
        except TooManyRequests:
            return False
        return True


class PasswordFailureLimiter:
    """Counts wrong passwords by account and address, and by address alone.

    So guesses from elsewhere never stop the owner's right password.
    """

    def __init__(self, on: bool = True, kind: type[RateLimiter] = RateLimiter) -> None:
        self._by_account = kind(GUESSES, on)
        self._by_address = kind(GUESSES_BY_ADDRESS, on)

    def refuse_if_many(self, account: str, address: str) -> None:
        network = network_of(address)
        by_account = self._by_account.allowance(f"{account} {network}")
        by_address = self._by_address.allowance(network)
        refuse_if_spent(max(by_account, by_address, key=lambda one: one.wait_seconds))

    def record_failure(self, account: str, address: str) -> None:
        """Without room for one more `TooManyRequests`: nobody learns that it was wrong."""
        network = network_of(address)
        self._by_account.spend(f"{account} {network}")
        self._by_address.spend(network)


def refuse_if_spent(allowance: Allowance) -> None:
    if allowance.wait_seconds:
        raise TooManyRequests(allowance)


def network_of(address: str) -> str:
    """The IPv4 address, or the IPv6 /64 that one subscriber usually has."""
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:  # a Unix socket
        return address
    return str(ipaddress.ip_network((address, 64 if version == 6 else 32), strict=False))


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
