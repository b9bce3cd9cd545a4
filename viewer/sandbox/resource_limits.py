"""The resource limits of the child process, set before it reads or parses the document."""

import contextlib
import resource
from pathlib import Path

MEGABYTE = 1 << 20


def apply_resource_limits(*, memory_mb: int, cpu_seconds: int) -> None:
    """Limit memory and CPU time, and forbid core dumps, before the document is read."""
    _limit(resource.RLIMIT_AS, memory_mb * MEGABYTE)
    _limit(resource.RLIMIT_CPU, cpu_seconds)
    _limit(resource.RLIMIT_CORE, 0)


def forbid_new_files(*, threads: bool = False) -> None:
    """Forbid new descriptors, processes and file writes, before the document is parsed.

    The limit of processes counts threads as well: with `threads`, only seccomp forbids processes.

    Descriptors that are open already keep working. Without new ones the child process can
    neither read the disk nor reach the network, although it runs as the same user. Not every
    system has seccomp, which forbids more.
    """
    _limit(resource.RLIMIT_FSIZE, 0)
    if not threads:
        _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_NOFILE, 0)


def be_killed_first() -> None:
    """Where memory runs out, the kernel kills this process and its children before others."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _limit(resource_id: int, value: int) -> None:
    """Some systems refuse to set a limit that they define; the others are still set."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource_id, (value, value))
