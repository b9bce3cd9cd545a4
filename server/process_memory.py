"""The memory of this process: keeps it from other processes, and from growing for good."""

import ctypes
import resource
import sys

ARENAS = 2
_M_ARENA_MAX = -8  # malloc.h
_PR_SET_DUMPABLE = 4  # linux/prctl.h


def protect_process_memory() -> None:
    """Let no process of this user trace this one or read its memory, and write no core dump.

    It holds keys. Only root still may: prctl(2), PR_SET_DUMPABLE; execve(2) does not inherit it.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def limit_malloc_arenas() -> None:
    """Call before the first thread starts. Does nothing with C libraries other than glibc.

    By default nearly every thread gets an arena of its own, which keeps freed memory: sixteen
    workers retain sixteen times the memory of their largest request. Two serve them as fast.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
