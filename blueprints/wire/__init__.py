"""HTTP on the wire: waitress, made to withstand hostile and slow clients."""

from .limits import Limits
from .server import Server

__all__ = ["Limits", "Server"]
