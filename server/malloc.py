"""Limits the arenas of glibc's malloc (`M_ARENA_MAX`), which keep freed memory.

By default nearly every thread gets an arena of its own, so that sixteen workers retain sixteen
times the memory of their largest request. Two arenas serve them as fast.
"""

import ctypes

ARENAS = 2
_M_ARENA_MAX = -8  # malloc.h


def limit_malloc_arenas() -> None:
    """Call before the first thread starts. Does nothing with other C libraries."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, ARENAS)
