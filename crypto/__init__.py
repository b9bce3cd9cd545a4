"""Cryptography: root keys, sealing, credentials, passwords, tokens and webhook signatures."""

from .keyring import Keyring as Keyring
from .keyring import RootKey as RootKey
from .keyring import generate_root_key as generate_root_key
from .keyring_file import KeyringError as KeyringError
from .password_queue import LINKS as LINKS
from .password_queue import PasswordQueueFull as PasswordQueueFull
from .sealing import DecryptionError as DecryptionError
from .tokens import TokenClaims as TokenClaims
