"""The rate limits: low for wrong passwords; for the rest so high that only a runaway loop meets
them. Stored bytes have their own limit, the quota.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """`count` events in `seconds`, also all at once. `name` is for machines, `what` for people."""

    name: str
    what: str
    count: int
    seconds: int


@dataclass(frozen=True)
class Allowance:
    """The events that are left of a limit; if none, the seconds until the next one."""

    limit: Limit
    left: int
    wait_seconds: float = 0


GUESSES = Limit("login", "wrong passwords", 10, 900)
GUESSES_BY_ADDRESS = Limit("login-address", "wrong passwords from this address", 60, 900)
REGISTRATIONS = Limit("register", "new accounts from this address", 600, 3600)
RESETS = Limit("reset", "requests for a new password from this address", 60, 3600)
SIGN_INS = Limit("sign-in", "answers of a provider to this address", 600, 600)
NEW_MEMBERS = Limit("member", "new members and invitations", 100, 3600)
CODES = Limit("code", "requests for a code from this address", 120, 3600)
STORED_RESPONSES = Limit("idempotency", "requests with an Idempotency-Key", 300_000, 86_400)
READS_BY_TICKET = Limit("original-load", "loads of one page", 1, 3600)  # as long as its ticket
OPENINGS = Limit("opening", "openings of this link", 300, 3600)
UPLOADS = Limit("upload", "uploads", 60_000, 3600)  # 16 a second, for an hour
