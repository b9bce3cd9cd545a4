"""Wrong passwords, slowed: GCRA (ITU-T I.371), one number a key, bounded memory, no threads."""

import ipaddress
import threading
import time
from collections.abc import Callable

from .errors import TooManyRequests


class Throttle:
    """`count` events in `seconds` for each key, all of them at once if need be.

    Time gives tries back one by one, so waiting always helps and nobody is locked out.
    """

    def __init__(
        self,
        count: int,
        seconds: float,
        keys: int = 20_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gap, self._window, self._keys, self._clock = seconds / count, seconds, keys, clock
        self._due: dict[str, float] = {}  # the theoretical arrival time; oldest-touched first
        self._lock = threading.Lock()

    def wait_seconds(self, key: str) -> float:
        """How long until the next event is allowed; 0.0 for at once. Spends nothing."""
        now = self._clock()
        with self._lock:
            due = max(self._due.get(key, now), now)
        return max(0.0, due + self._gap - self._window - now)

    def hit(self, key: str) -> None:
        """One event. What comes while there is none to spend costs nothing more."""
        now = self._clock()
        with self._lock:
            due = max(self._due.pop(key, now), now)
            self._due[key] = due if due + self._gap - self._window > now else due + self._gap
            while len(self._due) > self._keys:
                self._due.pop(next(iter(self._due)))


class WrongPasswords:
    """Counts wrong passwords by account from one address, and by address alone.

    The owner's right password from another address is never held up by a stranger's guesses.
    """

    def __init__(self, on: bool = True) -> None:
        self._on = on
        self._by_account, self._by_address = Throttle(10, 900), Throttle(60, 900)

    def refuse_if_many(self, account: str, address: str) -> None:
        network = _network(address)
        by_account = self._by_account.wait_seconds(f"{account} {network}")
        wait = max(by_account, self._by_address.wait_seconds(network))
        if self._on and wait:
            raise TooManyRequests(wait)

    def note(self, account: str, address: str) -> None:
        network = _network(address)
        self._by_account.hit(f"{account} {network}")
        self._by_address.hit(network)


def _network(address: str) -> str:
    """One IPv4 address, or an IPv6 /64: what one subscriber has."""
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:  # a Unix socket
        return address
    return str(ipaddress.ip_network((address, 64 if version == 6 else 32), strict=False))
