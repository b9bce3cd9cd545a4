"""Rate limits by GCRA (ITU-T I.371): one number a key, bounded memory, no threads."""

import hashlib
import ipaddress
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from peewee import SQL, BigIntegerField, DatabaseError, Model, TextField, fn

from ..core import GUESSES, GUESSES_BY_ADDRESS, Allowance, Limit, Payer, TooManyRequests
from ..storage import SERVER_NOW, connected, database, engine


class RateLimiter:
    """A limit for each of what it counts by, by the monotonic clock.

    Events become available again one by one, so a caller never waits longer than for one of them.
    """

    def __init__(
        self,
        limit: Limit,
        on: bool = True,
        keys: int = 20_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._on = on
        self._keys = keys
        self._clock = clock
        self._gap = limit.seconds / limit.count
        self._due: dict[int, float] = {}  # the theoretical arrival time; oldest-touched first
        self._lock = threading.Lock()

    def allowance(self, key: Payer | str) -> Allowance:
        """Return the allowance that is left of the key's limit now; count nothing."""
        return self._allowance(self._owed(self._limit.key(key)))

    def hit(self, key: Payer | str) -> None:
        """Count an event that has happened, also beyond the limit."""
        self._count(self._limit.key(key), within=False)

    def spend(self, key: Payer | str) -> Allowance | None:
        """Count an event and return what is left; `TooManyRequests`, uncounted, if nothing is.

        None where limits are off.
        """
        counted = self._limit.key(key)
        if not self._on:
            return None
        owed = self._count(counted, within=True)
        if owed is None:
            refuse_if_spent(self.allowance(key))
            return self.spend(key)  # it became available meanwhile
        return self._allowance(owed)

    def try_spend(self, key: Payer | str) -> bool:
        """Count an event, and return whether the limit permits it; always where limits are off."""
        try:
            self.spend(key)
        except TooManyRequests:
            return False
        return True

    def _allowance(self, owed: float) -> Allowance:
        left = self._left(owed)
        wait = max(0.0, owed + self._gap - self._limit.seconds) if self._on and left < 1 else 0.0
        return Allowance(self._limit, max(0, int(left)), wait)

    def _left(self, owed: float) -> float:
        return (self._limit.seconds - owed) / self._gap + 1e-6  # whole numbers, despite floats

    def _owed(self, key: str) -> float:
        """Return how many seconds the theoretical arrival time is ahead."""
        now = self._clock()
        with self._lock:
            return max(self._due.get(hash(key), now) - now, 0.0)

    def _count(self, key: str, *, within: bool) -> float | None:
        """Count an event and return what is owed then; None, uncounted, if it has to be `within`
        the limit and is not.
        """
        now = self._clock()
        with self._lock:
            owed = max(self._due.get(hash(key), now) - now, 0.0)
            if within and self._left(owed) < 1:
                return None
            self._due.pop(hash(key), None)
            self._due[hash(key)] = now + owed + self._gap
            while len(self._due) > self._keys:
                self._due.pop(next(iter(self._due)))
            return owed + self._gap


class PasswordFailureLimiter:
    """A limit of wrong passwords by account and address, and by address alone.

    So guesses from elsewhere never stop the owner's right password.
    """

    def __init__(self, on: bool = True, limiter: type[RateLimiter] = RateLimiter) -> None:
        self._by_account = limiter(GUESSES, on)
        self._by_address = limiter(GUESSES_BY_ADDRESS, on)

    def refuse_if_many(self, account: str, address: str) -> None:
        network = network_of(address)
        by_account = self._by_account.allowance(f"{account} {network}")
        by_address = self._by_address.allowance(network)
        refuse_if_spent(max(by_account, by_address, key=lambda allowance: allowance.wait_seconds))

    def record_failure(self, account: str, address: str) -> None:
        """Count a failure. Raise `TooManyRequests` in place of the answer if there are too many."""
        network = network_of(address)
        self._by_account.spend(f"{account} {network}")
        self._by_address.spend(network)


def refuse_if_spent(allowance: Allowance) -> None:
    if allowance.wait_seconds:
        raise TooManyRequests(allowance)


@lru_cache(1024)
def network_of(address: str) -> str:
    """Return the IPv4 address, or the IPv6 /64 that one subscriber usually has."""
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:  # a Unix socket
        return address
    return str(ipaddress.ip_network((address, 64 if version == 6 else 32), strict=False))


class Arrival(Model):
    """The theoretical arrival time of a key, in milliseconds by the clock of the server."""

    key = TextField(primary_key=True)
    due_at = BigIntegerField()

    class Meta:
        database = database
        table_name = "rate_limit"


class SharedRateLimiter(RateLimiter):
    """The same for all processes that serve one database."""

    def try_spend(self, key: Payer | str) -> bool:
        try:
            return super().try_spend(key)
        except DatabaseError:
            return True  # a server that takes no writes still answers readings

    def _owed(self, key: str) -> float:
        owed = fn.GREATEST(Arrival.due_at - SERVER_NOW, 0)
        with connected():
            return (
                Arrival.select(owed).where(Arrival.key == self._hashed(key)).scalar() or 0
            ) / 1000

    def _count(self, key: str, *, within: bool) -> float | None:
        gap = round(self._gap * 1000)
        due: Any = fn.GREATEST(Arrival.due_at, SERVER_NOW) + gap
        fits = due - SERVER_NOW <= self._limit.seconds * 1000
        query = Arrival.insert(
            key=self._hashed(key), due_at=SERVER_NOW + SQL(str(gap))
        ).on_conflict(
            conflict_target=[Arrival.key],
            update={Arrival.due_at: due},
            where=fits if within else None,
        )
        with connected():
            rows = list(
                query.returning((Arrival.due_at - SERVER_NOW).alias("owed")).tuples().execute()
            )
        return rows[0][0] / 1000 if rows else None

    def _hashed(self, key: str) -> str:
        """Return a key for the row that says nothing of accounts and addresses."""
        return hashlib.sha256(f"{self._limit.name} {key}".encode()).hexdigest()


def forget_idle_limits() -> None:
    """Delete the rows of limits that nothing is owed to."""
    if engine().is_shared:
        Arrival.delete().where(Arrival.due_at < SERVER_NOW).execute()
