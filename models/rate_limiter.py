"""Limits kept: GCRA (ITU-T I.371), one number a key, bounded memory, no threads."""

import ipaddress
import threading
import time
from collections.abc import Callable

from .errors import TooManyRequests
from .rate_limits import GUESSES, GUESSES_BY_ADDRESS, Allowance, Limit


class RateLimiter:
    """A limit for each key. Time gives events back one by one, so waiting always helps and nobody
    is locked out; and it is the time since the start, which no clock can set back.
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
        """What the key may still do now. Spends nothing."""
        now = self._clock()
        with self._lock:
            owed = max(self._due.get(hash(key), now) - now, 0.0)
        left = (self._limit.seconds - owed) / self._gap + 1e-6  # whole numbers, despite floats
        wait = max(0.0, owed + self._gap - self._limit.seconds) if self._on and left < 1 else 0.0
        return Allowance(self._limit, max(0, int(left)), wait)

    def hit(self, key: str) -> None:
        """One event that has happened. Those judged at once when fewer were left are owed."""
        now = self._clock()
        with self._lock:
            due = max(self._due.pop(hash(key), now), now)
            self._due[hash(key)] = due + self._gap
            while len(self._due) > self._keys:
                self._due.pop(next(iter(self._due)))

    def spend(self, key: str) -> Allowance | None:
        """One event, or a refusal that counts for nothing. None where limits are off."""
        if not self._on:
            return None
        with self._lock:
            refuse_if_spent(self.allowance(key))
            self.hit(key)
            return self.allowance(key)


class PasswordFailureLimiter:
    """Counts wrong passwords by account from one address, and by address alone.

    The owner's right password from another address is never held up by a stranger's guesses.
    """

    def __init__(self, on: bool = True) -> None:
        self._by_account, self._by_address = (
            RateLimiter(GUESSES, on),
            RateLimiter(GUESSES_BY_ADDRESS, on),
        )

    def refuse_if_many(self, account: str, address: str) -> None:
        network = network_of(address)
        by_account = self._by_account.allowance(f"{account} {network}")
        by_address = self._by_address.allowance(network)
        refuse_if_spent(max(by_account, by_address, key=lambda one: one.wait_seconds))

    def note(self, account: str, address: str) -> None:
        network = network_of(address)
        self._by_account.hit(f"{account} {network}")
        self._by_address.hit(network)


def refuse_if_spent(allowance: Allowance) -> None:
    if allowance.wait_seconds:
        raise TooManyRequests(allowance)


def network_of(address: str) -> str:
    """One IPv4 address, or an IPv6 /64: what one subscriber has."""
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:  # a Unix socket
        return address
    return str(ipaddress.ip_network((address, 64 if version == 6 else 32), strict=False))
