"""How many heaps the threads share.

glibc gives nearly every thread a heap of its own and leaves in it what was freed there: sixteen
workers keep sixteen times the pieces of their largest request. Two heaps serve them as fast.
"""

import ctypes

HEAPS = 2
_M_ARENA_MAX = -8  # malloc.h


def limit_malloc_arenas() -> None:
    """Before the first thread starts. Other C libraries do without it."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_M_ARENA_MAX, HEAPS)
