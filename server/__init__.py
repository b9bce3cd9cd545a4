"""The HTTP server: waitress, hardened against ambiguous requests and slow clients."""

from .limits import Limits
from .malloc import limit_malloc_arenas
from .process_memory import protect_process_memory
from .server import Server
