"""The HTTP server: waitress, hardened against ambiguous requests and slow clients."""

from .context import Limits
from .process_memory import limit_malloc_arenas, protect_process_memory
from .server import Server
