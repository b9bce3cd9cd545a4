"""How often one caller may do what: low for guesses, and for the rest too high to be met by anybody
but a loop that ran away. What is stored has its own limit, the quota.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """`count` in `seconds`, all at once if need be. `name` is for machines, `what` for people."""

    name: str
    what: str
    count: int
    seconds: int


@dataclass(frozen=True)
class Allowance:
    """What is `left` of a limit; if nothing, how long to wait for one more."""

    limit: Limit
    left: int
    wait_seconds: float = 0


GUESSES = Limit("login", "wrong passwords", 10, 900)
GUESSES_BY_ADDRESS = Limit("login-address", "wrong passwords from this address", 60, 900)
REGISTRATIONS = Limit("register", "new accounts from this address", 600, 3600)
UPLOADS = Limit("upload", "uploads", 60_000, 3600)  # a second's worth is 16: faster for an hour
