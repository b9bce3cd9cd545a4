"""Landlock: a process gives up all files but those it names, without any privilege.

Source: linux/landlock.h, Documentation/userspace-api/landlock.rst (Linux 5.13 and newer).
"""

import contextlib
import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on all machines
GET_VERSION: Final = 1
BENEATH_PATH: Final = 1
RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # version -> how many rights over files
EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER, TRUNCATE = 1, 2, 4, 8, 1 << 14
OF_A_FILE: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # the others are those of a folder
TCP: Final = 3  # bind and connect, since version 4
SCOPES: Final = 3  # abstract sockets and signals to other processes, since version 6


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
