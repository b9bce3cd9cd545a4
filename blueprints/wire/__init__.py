"""HTTP on the wire: waitress, made to withstand hostile and slow clients."""

from .heaps import share_heaps
from .limits import Limits
from .server import Server

__all__ = ["Limits", "Server", "share_heaps"]
