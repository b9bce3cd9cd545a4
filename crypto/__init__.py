"""Cryptography: root keys, sealing, credentials, passwords, tokens and webhook signatures."""

from .authority import authority_mac, is_authentic
from .event_chain import FIRST_PREVIOUS, event_hash
from .keyring import Keyring, RootKey, RootKeyMissing, generate_root_key
from .keyring_file import KeyringError
from .password_queue import LINKS, PasswordQueueFull
from .sealing import DecryptionError
from .tokens import TokenClaims
