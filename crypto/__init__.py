"""Keys and what they do. Imports no Flask and no Peewee; what does not open is `Refused`."""

from .keyring import Keyring, Root, fresh_root
from .keyring_file import KeyringError
from .passwords import Busy
from .sealing import Refused
from .sessions import Session

__all__ = ["Busy", "Keyring", "KeyringError", "Refused", "Root", "Session", "fresh_root"]
