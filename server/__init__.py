"""The HTTP server: waitress, hardened against ambiguous requests and slow clients."""

from .limits import Limits
from .malloc import limit_malloc_arenas
from .server import Server

__all__ = ["Limits", "Server", "limit_malloc_arenas"]
