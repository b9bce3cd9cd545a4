"""The number of threads that send, and the pauses before the next attempts."""

from dataclasses import dataclass

MINUTE, HOUR = 60, 3600


@dataclass(frozen=True)
class DispatcherLimits:
    threads: int = 48  # for webhooks; at most half for slow ones, three quarters with new ones
    threads_per_caller: int = 8
    unproven_threads_per_caller: int = 3  # of these, for slow and new webhooks
    mail_threads: int = 8  # beside those for webhooks
    mail_threads_per_caller: int = 2
    retries_seconds: tuple[float, ...] = (  # after each attempt but the last: ten in three days
        5,
        5 * MINUTE,
        30 * MINUTE,
        2 * HOUR,
        5 * HOUR,
        10 * HOUR,
        14 * HOUR,
        20 * HOUR,
        24 * HOUR,
    )
    retry_after_seconds: float = 24 * HOUR  # a receiver can't ask for more
    wait_seconds: float = 48 * HOUR  # a later due time was written under a wrong clock
    slow_ms: int = 2000
    poll_seconds: float = 60  # between looks at the database, in case the clock was set
    backoff_seconds: float = 30  # at least, after a failure of the service itself
    drain_seconds: float = 5
