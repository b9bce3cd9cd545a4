"""The rate limits: low for wrong passwords; for the rest so high that only a runaway loop meets
them. Stored bytes have their own limit, the quota.
"""

from dataclasses import dataclass
from enum import Enum, auto

from .payer import Payer


class By(Enum):
    """What a limit counts by."""

    PAYER = auto()  # whom a request counts for, see `payer_of`: never the owner of rows
    NETWORK = auto()  # of a client
    LINK = auto()
    PAGE = auto()  # that was opened, by its ticket
    MAILBOX = auto()  # that gets mail
    SERVICE = auto()  # nothing: all together


@dataclass(frozen=True)
class Limit:
    """`count` events in `seconds`, also all at once. `name` is for machines, `what` for people."""

    name: str
    what: str
    count: int
    seconds: int
    by: By

    def key(self, counted: Payer | str) -> str:
        """Return the text that stands for what the limit counts by.

        Raises `TypeError` for a payer where it counts by something else, and the other way round.
        """
        if isinstance(counted, Payer) != (self.by is By.PAYER):
            raise TypeError(f"The limit {self.name!r} does not count by {counted!r}.")
        return counted.id if isinstance(counted, Payer) else counted


@dataclass(frozen=True)
class Allowance:
    """The events that are left of a limit; if none, the seconds until the next one."""

    limit: Limit
    left: int
    wait_seconds: float = 0


GUESSES = Limit("login", "wrong passwords", 10, 900, By.NETWORK)  # for each account or link
GUESSES_BY_ADDRESS = Limit(
    "login-address", "wrong passwords from this address", 60, 900, By.NETWORK
)
REGISTRATIONS = Limit("register", "new accounts from this address", 600, 3600, By.NETWORK)
RESETS = Limit("reset", "requests for a new password from this address", 60, 3600, By.NETWORK)
SIGN_INS = Limit("sign-in", "answers of a provider to this address", 600, 600, By.NETWORK)
NEW_MEMBERS = Limit("member", "new members and invitations", 100, 3600, By.PAYER)
CODE_REQUESTS = Limit("code", "requests for a code from this address", 120, 3600, By.NETWORK)
STORED_RESPONSES = Limit(
    "idempotency", "requests with an Idempotency-Key", 300_000, 86_400, By.PAYER
)
STORED_RESPONSES_OF_LINK = Limit(
    "idempotency-link", "requests with an Idempotency-Key by one link", 150_000, 86_400, By.LINK
)
READS_BY_TICKET = Limit(  # counts as long as the ticket is valid
    "original-load", "loads of one page", 1, 3600, By.PAGE
)
OPENINGS = Limit("opening", "openings of this link", 300, 3600, By.LINK)
UPLOADS_BY_LINK = Limit(  # in pieces: beginnings, and steps that bring little
    "upload-link", "uploads by this link", 600, 3600, By.LINK
)
UPLOADS = Limit("upload", "uploads", 60_000, 3600, By.PAYER)  # 16 a second, for an hour
