"""The HTTP server: our own loop around waitress's parser, strict and safe from slow clients."""

from .context import Limits
from .forwarding import TrustedProxy
from .process_memory import limit_malloc_arenas, protect_process_memory
from .server import Server
from .step import Step
