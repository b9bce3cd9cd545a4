"""Cryptography: root keys, sealing, credentials, passwords, tokens and webhook signatures."""

from .keyring import Keyring, RootKey, generate_root_key
from .keyring_file import KeyringError
from .passwords import PasswordQueueFull
from .sealing import DecryptionError
from .tokens import TokenClaims

__all__ = [
    "DecryptionError",
    "Keyring",
    "KeyringError",
    "PasswordQueueFull",
    "RootKey",
    "TokenClaims",
    "generate_root_key",
]
