"""Opening the house: the database with its schema, and the keyring that fits it."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

from peewee import fn
from playhouse.migrations import Runner

from crypto import Keyring, KeyringError
from crypto.tokens import PasetoCodec

from . import upload
from .document import Document
from .document_token import DocumentToken
from .errors import OperatorError
from .event import Event
from .quota import Quota
from .rate_limiter import PasswordFailureLimiter, RateLimiter
from .rate_limits import REGISTRATIONS, UPLOADS
from .records.table import Table
from .session import Session
from .storage.database import PRAGMAS, connected, database
from .stored_response import StoredResponse
from .token_key import TokenKey
from .user import User
from .webhook import Webhook
from .webhook_url import Networks

TABLES_WITH_KEYS: tuple[Any, ...] = (User, Document, StoredResponse, TokenKey)
MIGRATIONS = str(Path(__file__).parent / "migrations")


def open_database(path: str) -> None:
    """Open or make the database, private to this user, with today's schema."""
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # the log files take its mode
    look_at(path)
    with connected(), database.atomic("EXCLUSIVE"):  # one starter migrates, the others wait
        refuse_newer()
        Runner(database, MIGRATIONS).up()


def look_at(path: str) -> None:
    """Work with the database at `path`, as it is."""
    close_all()
    database.init(path, pragmas=PRAGMAS)


def refuse_newer() -> None:
    """What a later version has changed, this one would misread."""
    if newer := _migrations_made() - _migrations():
        raise OperatorError(f"A newer version made this database ({max(newer)}). Upgrade first.")


def is_older() -> bool:
    """Whether the database waits to be brought to today's schema."""
    return not _migrations() <= _migrations_made()


def _migrations() -> set[str]:
    return {one.name for one in Runner(database, MIGRATIONS).migrations()}


def _migrations_made() -> set[str]:
    with connected():
        return set(Runner(database, MIGRATIONS).applied())


def root_keys_in_use() -> Counter[str]:
    """How many rows each root key opens, by its id."""
    used: Counter[str] = Counter()
    with connected():
        for table in TABLES_WITH_KEYS:
            rows = table.select(table.root, fn.COUNT()).group_by(table.root).tuples()
            used.update(dict(rows))
    return used


def open_keyring(path: Path) -> Keyring:
    """The keyring at `path`; a new one only while nothing is sealed that another would open."""
    if not path.exists() and not root_keys_in_use():
        return Keyring.create(path)
    return Keyring(path)


def use(
    keyring: Keyring,
    *,
    rate_limits: bool = True,
    reserve_bytes: int = 0,
    quota: Quota = Quota(),  # noqa: B008  frozen
    event_days: int = Event.kept_days,
    webhook_allow: Networks = (),
) -> None:
    """Give the tables the keyring. Stops if a key is missing that something is sealed with."""
    if missing := set(root_keys_in_use()) - {root.id for root in keyring}:
        raise KeyringError(
            f"The keyring lacks root key {', '.join(sorted(missing))}, which the database's "
            "documents are sealed with. Put the right keyring back; no new one is made."
        )
    Table.keyring = keyring
    with connected():
        if not TokenKey.newest_first():
            TokenKey.draw()
    Session.tokens = PasetoCodec(TokenKey.newest_first)
    DocumentToken.tickets = PasetoCodec(TokenKey.newest_first, b"ticket")
    User.password_failures = PasswordFailureLimiter(rate_limits)
    DocumentToken.password_failures = PasswordFailureLimiter(rate_limits)
    User.registrations = RateLimiter(REGISTRATIONS, rate_limits)
    Document.uploads = RateLimiter(UPLOADS, rate_limits)
    upload.reserve_bytes, upload.quota = reserve_bytes, quota
    Event.kept_days, Webhook.allowed = event_days, webhook_allow


def is_ready() -> bool:
    """Whether database and keys answer, and the database may be written to."""
    try:
        with connected():
            database.execute_sql("SELECT 1 FROM user LIMIT 1").fetchone()
        return bool(Table.keyring.primary.id) and os.access(database.database, os.W_OK)
    except Exception:  # noqa: BLE001  whatever it is, the answer is no
        return False


def close_all() -> None:
    """Give back every connection: at the end of the process, or before another database."""
    if database.database:
        database.close()
        database.close_all()
