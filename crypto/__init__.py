"""Cryptography: root keys, sealing, credentials, passwords, tokens and webhook signatures."""

from .authenticity import FIRST_PREVIOUS, event_hash, is_authentic, mac, reader_hash
from .keyring import Keyring, KeyringError, RootKey, RootKeyMissing, generate_root_key
from .sealing import DecryptionError
from .tokens import TokenClaims
