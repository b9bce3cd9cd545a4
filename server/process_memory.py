"""Keeps what this process holds in memory, the keys above all, from other processes."""

import ctypes
import resource
import sys

_PR_SET_DUMPABLE = 4  # linux/prctl.h


def protect_process_memory() -> None:
    """No process of this user may trace this one or read its memory; no core dump is written.

    Only root still may: prctl(2), PR_SET_DUMPABLE. It is not inherited through execve(2).
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
