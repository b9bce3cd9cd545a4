"""What the child gives up before it reads a byte it can't trust."""

import contextlib
import resource

MEGABYTE = 1 << 20


def give_up_rights(*, memory_mb: int, cpu_seconds: int) -> None:
    """Memory and time are bounded; no file, socket or pipe can be opened, no process started.

    Open descriptors go on working at a limit of none, new ones are refused: the child can
    neither read the disk nor reach the network, though it runs as the same user.
    """
    _limit(resource.RLIMIT_AS, memory_mb * MEGABYTE)
    _limit(resource.RLIMIT_CPU, cpu_seconds)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_NOFILE, 0)


def _limit(what: int, most: int) -> None:
    """Some systems know a limit but don't let it be set; the others still hold."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(what, (most, most))
