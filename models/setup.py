"""Opens and migrates the database, and loads the keyring that fits it."""

from collections import Counter
from pathlib import Path
from typing import Any

from peewee import fn
from playhouse.migrations import Runner

from crypto import Keyring, KeyringError
from crypto.tokens import PasetoCodec
from settings import Settings, WrongSetting

from . import storage
from .authority import AuthorityKey, load_authority_key
from .document import Document
from .errors import OperatorError
from .runtime import current_runtime
from .storage import connected, database
from .stored_response import StoredResponse
from .token_key import TokenKey
from .user import User

TABLES_WITH_KEYS: tuple[Any, ...] = (User, Document, StoredResponse, TokenKey, AuthorityKey)
MIGRATIONS = str(Path(__file__).parent / "migrations")
_KEYRING_SOURCES = ("keyring", "keyring_file", "keyring_command")


def open_runtime(path: str | None = None) -> None:
    """Open the database of the settings, or the one at `path`, and the keyring, unless open."""
    runtime = current_runtime()
    if runtime.is_open:
        return
    with runtime.lock:
        if not runtime.is_open:
            open_database(path or runtime.settings.database)
            load_keyring()
            runtime.is_open = True


def open_database(path: str) -> None:
    """Open or create the database, readable by this user only, and migrate it."""
    storage.create_file(path)
    storage.open_database(path)
    with connected(), database.atomic("EXCLUSIVE"):  # of several starters one migrates
        refuse_newer()
        refuse_foreign_schema()
        Runner(database, MIGRATIONS).up()


def refuse_newer() -> None:
    """`OperatorError` if a later version has migrated the database."""
    if newer := _migrations_made() - _migrations():
        raise OperatorError(f"A newer version made this database ({max(newer)}). Upgrade first.")


def refuse_foreign_schema() -> None:
    """`OperatorError` if the schema is not what the migrations made that the database names."""
    if found := schema_problems():
        sentence = f"This service did not make this database as it is: {', '.join(found)}. "
        raise OperatorError(f"{sentence}Drop what is foreign, or restore another backup.")


def schema_problems() -> list[str]:
    """What is foreign, missing or altered in the schema, each as `trigger x is foreign`."""
    with connected():
        return storage.schema_differences(MIGRATIONS, Runner(database, MIGRATIONS).applied())


def is_older() -> bool:
    """Whether there are migrations still to run."""
    return not _migrations() <= _migrations_made()


def _migrations() -> set[str]:
    return {one.name for one in Runner(database, MIGRATIONS).migrations()}


def _migrations_made() -> set[str]:
    with connected():
        return set(Runner(database, MIGRATIONS).applied())


def root_keys_in_use() -> Counter[str]:
    """The number of rows whose key each root key wraps, by its id."""
    used: Counter[str] = Counter()
    with connected():
        for table in TABLES_WITH_KEYS:
            rows = table.select(table.root, fn.COUNT(table.id)).group_by(table.root).tuples()
            used.update(dict(rows))
    return used


def load_keyring() -> None:
    """Load the keyring that the settings name."""
    use_keyring(_keyring(current_runtime().settings))


def _keyring(settings: Settings) -> Keyring:
    given = [name.upper() for name in _KEYRING_SOURCES if getattr(settings, name)]
    if len(given) > 1:
        raise WrongSetting(f"{' and '.join(given)} name two keyrings. Set one of them.")
    if settings.keyring_command:
        return Keyring.from_command(settings.keyring_command)
    if settings.keyring:
        return Keyring(text=settings.keyring)
    if settings.keyring_file:
        return Keyring(settings.keyring_file)
    return open_keyring(settings.instance_path / "keyring")


def open_keyring(path: Path) -> Keyring:
    """The keyring at `path`; a new one only while the database holds no wrapped key."""
    if not path.exists() and not root_keys_in_use():
        return Keyring.create(path)
    return Keyring(path)


def use_keyring(keyring: Keyring) -> None:
    """Wrap and unwrap with this keyring; `KeyringError` if it lacks a root key that is in use."""
    if missing := set(root_keys_in_use()) - {root.id for root in keyring}:
        raise KeyringError(
            f"The keyring lacks root key {', '.join(sorted(missing))}, which the database's "
            "documents are sealed with. Put the right keyring back; no new one is made."
        )
    runtime = current_runtime()
    runtime.keyring = keyring
    runtime.authority_key = load_authority_key()
    with connected():
        if not TokenKey.newest_first():
            TokenKey.draw()
    runtime.session_tokens = PasetoCodec(TokenKey.newest_first)
    runtime.tickets = PasetoCodec(TokenKey.newest_first, b"ticket")


def is_ready() -> bool:
    """Whether the database can be read, written and synced, and the keyring be read."""
    try:
        with connected():
            User.select(User.id).limit(1).execute()
        runtime = current_runtime()
        is_stored = storage.is_writable() and storage.is_durable()
        return bool(runtime.keyring.primary.id) and is_stored
    except Exception:  # noqa: BLE001  whatever it is, the answer is no
        return False
