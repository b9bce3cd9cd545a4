"""Keeps threads on one core while several requests run at once.

A thread releases the interpreter lock at each statement of SQLite and each encryption, for some
microseconds. On several cores another thread takes it meanwhile, and the first one has to sleep for
it; on one core it mostly goes on. A long body releases the lock for longer, and may use all cores.
"""

import contextlib
import os
import threading

_CORES = sorted(getattr(os, "sched_getaffinity", lambda _: ())(0))  # only Linux has it
_thread = threading.local()


def bind_to_home_core(is_bound: bool) -> None:
    """Bind this thread to one core, the same for all threads, or let it run on any again."""
    if len(_CORES) > 1 and getattr(_thread, "is_bound", False) != is_bound:
        _thread.is_bound = is_bound
        home = _CORES[os.getpid() % len(_CORES)]
        with contextlib.suppress(OSError):  # where a filter of system calls forbids it
            os.sched_setaffinity(0, {home} if is_bound else _CORES)
