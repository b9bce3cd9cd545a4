"""Opening the house: the database with its schema, and the keyring that fits it."""

import os
from pathlib import Path
from typing import Any

from playhouse.migrations import Runner

from crypto import Keyring, KeyringError
from crypto.sessions import Sessions

from . import upload
from .answer import Answer
from .base import PRAGMAS, Table, connected, database
from .document import Document
from .document_token import DocumentToken
from .limits import REGISTRATIONS, UPLOADS
from .quota import Quota
from .session import Session
from .throttle import Throttle, WrongPasswords
from .user import User

KEYED: tuple[Any, ...] = (User, Document, Answer)


def open_database(path: str) -> None:
    """Open or make the database, private to this user, with today's schema."""
    close_all()
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # the log files take its mode
    database.init(path, pragmas=PRAGMAS)
    with connected():
        directory = Path(__file__).parent / "migrations"
        with database.atomic("EXCLUSIVE"):  # one starter migrates, the others wait
            Runner(database, str(directory)).up()


def roots_in_use() -> set[str]:
    """The ids of the root keys that rows need."""
    with connected():
        return {root for table in KEYED for (root,) in table.select(table.root).distinct().tuples()}


def open_keyring(path: Path) -> Keyring:
    """The keyring at `path`; a new one only while nothing is sealed that another would open."""
    if not path.exists() and not roots_in_use():
        return Keyring.create(path)
    return Keyring(path)


def use(
    keyring: Keyring,
    *,
    rate_limits: bool = True,
    reserve_bytes: int = 0,
    quota: Quota = Quota(),  # noqa: B008  frozen
) -> None:
    """Give the tables the keyring. Stops if a key is missing that something is sealed with."""
    if missing := roots_in_use() - {root.id for root in keyring}:
        raise KeyringError(
            f"The keyring lacks root key {', '.join(sorted(missing))}, which the database's "
            "documents are sealed with. Put the right keyring back; no new one is made."
        )
    Table.keyring = keyring
    Session.tokens, DocumentToken.tickets = Sessions(keyring), Sessions(keyring, b"ticket")
    User.wrong_passwords = WrongPasswords(rate_limits)
    DocumentToken.wrong_passwords = WrongPasswords(rate_limits)
    User.registrations = Throttle(REGISTRATIONS, rate_limits)
    Document.uploads = Throttle(UPLOADS, rate_limits)
    upload.reserve_bytes, upload.quota = reserve_bytes, quota


def is_ready() -> bool:
    """Whether database and keys answer."""
    try:
        with connected():
            database.execute_sql("SELECT 1 FROM user LIMIT 1").fetchone()
        return bool(Table.keyring.primary.id)
    except Exception:  # noqa: BLE001  whatever it is, the answer is no
        return False


def close_all() -> None:
    """Give back every connection: at the end of the process, or before another database."""
    if database.database:
        database.close()
        database.close_all()
