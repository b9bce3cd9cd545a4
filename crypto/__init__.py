"""Keys and what they do. Imports no Flask and no Peewee; what does not open is `Refused`."""

from .keyring import Keyring, RootKey, generate_root_key
from .keyring_file import KeyringError
from .passwords import Busy
from .sealing import DecryptionError
from .tokens import TokenClaims

__all__ = [
    "Busy",
    "Keyring",
    "KeyringError",
    "DecryptionError",
    "RootKey",
    "TokenClaims",
    "generate_root_key",
]
