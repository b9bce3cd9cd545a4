"""Slots for work on passwords, each of which takes 19 MiB and a core for a while.

Two passwords are worked on at once and few wait, so that a flood of logins uses at most two cores
and 38 MiB, and does not slow down other requests. Accounts and links have slots of their own.
"""

from collections.abc import Callable
from typing import TypeVar

from crypto import passwords

from ..core import Payer, will_wait
from .slots import Slots

AT_ONCE = 2
T = TypeVar("T")


class PasswordSlots:
    """Slots for two at once; `most` run or wait, of which one caller has at most `of_caller`, and
    a link of that caller three quarters of these.
    """

    def __init__(self, most: int, of_caller: int) -> None:
        self.admitted = Slots(most, of_caller, max(1, of_caller * 3 // 4))
        self.running = Slots(AT_ONCE)

    def hash_password(self, password: str, payer: Payer | None = None) -> str:
        """Return a PHC string. Raises `Busy`."""
        return self.run(lambda: passwords.hash_password(password), payer)

    def verify_password(
        self, password: str, digest: str | None, payer: Payer | None = None
    ) -> bool:
        """Return False for no digest, after the time of a wrong password. Raises `Busy`."""
        return self.run(lambda: passwords.verify_password(password, digest), payer)

    def run(self, work: Callable[[], T], payer: Payer | None = None) -> T:
        """Return what `work` returns; it needs no interpreter. Raises `Busy` if too many wait.

        It counts for the payer of the request, or for the given one.
        """
        will_wait()  # for a slot, and for the work
        with self.admitted.held(payer, seconds=0), self.running.held():
            return work()
