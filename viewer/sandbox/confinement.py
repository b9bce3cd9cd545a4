"""The rights that a process gives up: over resources, files and calls, and over who inspects it.

Landlock takes all files but those it names, without any privilege; `seccomp` the system calls.

Source: linux/landlock.h, Documentation/userspace-api/landlock.rst (Linux 5.13 and newer).
"""

import contextlib
import ctypes
import os
import resource
import signal
import stat
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_NO_NEW_PRIVS: Final = 38
# Of Landlock; the numbers of calls are the same on all machines.
CREATE_RULESET: Final = 444
ADD_RULE: Final = 445
RESTRICT_SELF: Final = 446
GET_VERSION: Final = 1
BENEATH_PATH: Final = 1
RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # version -> how many rights over files
EXECUTE: Final = 1
WRITE_FILE: Final = 2
READ_FILE: Final = 4
READ_FOLDER: Final = 8
TRUNCATE: Final = 1 << 14
OF_A_FILE: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # the others are those of a folder
TCP: Final = 3  # bind and connect, since version 4
SCOPES: Final = 3  # abstract sockets and signals to other processes, since version 6


def apply_resource_limits(*, memory_mb: int, cpu_seconds: int) -> None:
    """Limit memory and CPU time, and forbid core dumps, before the document is read."""
    _limit(resource.RLIMIT_AS, memory_mb << 20)
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
    """Have the kernel kill this process and its children before others where memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def end_with_parent() -> None:
    """Have the kernel kill this process when the one that started it ends."""
    _control(PR_SET_PDEATHSIG, signal.SIGKILL)


def forbid_inspection() -> None:
    """Forbid other processes of this user to read or trace this one, and core dumps."""
    _control(PR_SET_DUMPABLE, 0)


def forbid_new_privileges() -> None:
    """Forbid more rights than this process has to each program that it executes, for good."""
    _control(PR_SET_NO_NEW_PRIVS, 1)


def landlock_version() -> int:
    """Return the version of what the kernel offers; 0 where there is none."""
    return max(0, _call(CREATE_RULESET, None, 0, GET_VERSION)) if sys.platform == "linux" else 0


def restrict_files(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Give up all files but these and what lies in them, for good; also for what is executed.

    Needs no_new_privs or root. Paths that do not exist are skipped. Raises OSError.
    """
    version = landlock_version()
    every = (1 << RIGHTS.get(version, max(RIGHTS.values()))) - 1
    fields = [every, TCP if version >= 4 else 0, SCOPES if version >= 6 else 0]
    attributes = struct.pack("QQQ", *fields)[: 24 if version >= 6 else 16 if version >= 4 else 8]
    ruleset = _checked(_call(CREATE_RULESET, attributes, len(attributes), 0))
    for paths, rights in ((readable, EXECUTE | READ_FILE | READ_FOLDER), (writable, every)):
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                _allow(ruleset, path, rights & every)
    _checked(_call(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not stat.S_ISDIR(os.fstat(opened).st_mode):
        rights &= OF_A_FILE
    rule = struct.pack("=Qi", rights, opened)
    _checked(_call(ADD_RULE, ruleset, BENEATH_PATH, rule, 0))
    os.close(opened)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "Landlock could not be set up")
    return result


def _call(number: int, *arguments: int | bytes | None) -> int:
    values = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *values)
    return result


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _limit(resource_id: int, value: int) -> None:
    """Set a limit; some systems refuse one that they define, which is skipped."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource_id, (value, value))
