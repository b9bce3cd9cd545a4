"""The start: the database is opened and migrated, and its keyring loaded."""

import logging
from collections import Counter
from collections.abc import Collection as CollectionOf
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from peewee import SQL, fn
from peewee import Table as TableReference

from crypto import Keyring, KeyringError, RootKeyMissing
from crypto.tokens import PasetoCodec
from settings import PREFIX, Settings, WrongSetting

from . import storage
from .accounts import StoredResponse, TokenKey, User
from .core import OperatorError, now, tell
from .documents import Collection, Document, UnfinishedUpload
from .events import Mail
from .runtime import check_nodes, current_runtime, operator_message
from .sealing_key import ServiceKey, load_service_key
from .storage import (
    FIRST_MIGRATION,
    MigrationRunner,
    connected,
    database,
    engine,
    sqlite_files,
)

MIGRATIONS = str(Path(__file__).parent / "migrations")
LAST_BEFORE_1_0 = "0028_guards"  # the last migration of the databases that 1.0.1 converts
LAST_BETWEEN = "0031_several_links_of_an_address"  # that of the last commit before 1.0
CONVERTING = "version 1.0.1 (commit 2f02ef79)"
BEFORE_CONVERTING = "the last commit of version 0.2.0 (08da1586)"
CONNECTIONS_BESIDE_REQUESTS = 8  # of the webhooks and the background work
TABLES_WITH_KEYS: tuple[Any, ...] = (
    User,
    Document,
    UnfinishedUpload,
    Collection,
    StoredResponse,
    Mail,
    TokenKey,
    ServiceKey,
)
_IN_OBJECTS = SQL("place = 'objects'")  # as the index has it
_KEYRING_SOURCES = ("keyring", "keyring_file", "keyring_command")


def open_runtime(path: str | None = None) -> None:
    """Open the database of the settings, or the one at `path`, and the keyring, unless open."""
    runtime = current_runtime()
    if runtime.is_open:
        return
    with runtime.lock:
        if not runtime.is_open:
            open_database(path or runtime.settings.database, runtime.settings.threads)
            load_keyring()
            runtime.is_open = True


def open_database(address: str, threads: int = 0) -> None:
    """Open or create the database, readable by this user only, and migrate it.

    `address` is a path or a URL; so many `threads` of requests need a connection to a server.
    """
    if not storage.is_server(address):
        storage.create_file(address)
        _refuse_former_file(Path(address))
    storage.open_database(address, threads + CONNECTIONS_BESIDE_REQUESTS)
    with connected(), engine().migrating():
        refuse_other_version()
        refuse_foreign_schema()
        if is_older():  # else nothing is written: it may be a standby
            _migrate()


def _migrate() -> None:
    """Migrate the database; say so where it may take long, or an operator would stop it."""
    made = _migrations_made()
    newest = max(_migrations())[:4]
    if made:
        tell(f"Migrating the database from {max(made)[:4]} to {newest}; this may take minutes.")
    _runner().up()
    if made:
        tell(f"The database is migrated to {newest}.")


def _runner() -> MigrationRunner:
    return MigrationRunner(database, MIGRATIONS, on_server=engine().is_shared)


def refuse_other_version() -> None:
    """Raise `OperatorError` if a version after this one, or one before 1.0, made the database."""
    made = _migrations_made()
    _refuse_former_version(made)
    if newer := made - _migrations():
        raise OperatorError(f"A newer version made this database ({max(newer)}). Upgrade first.")


def _refuse_former_file(file: Path) -> None:
    """Raise `OperatorError` of a file from before 1.0, which opening it would put into WAL mode.

    A file that cannot be read is left to the opening, which says why.
    """
    with suppress(sqlite_files.FileDamagedError, sqlite_files.FileInUseError):
        _refuse_former_version(sqlite_files.migrations_made(file))


def _refuse_former_version(made: set[str]) -> None:
    if made and FIRST_MIGRATION not in made and max(made) <= LAST_BETWEEN:
        raise OperatorError(
            f"A version before 1.0 made this database ({max(made)}). Nothing was changed. "
            f"{_way_from(max(made))}"
        )


def _way_from(last_migration: str) -> str:
    """Return what an operator does with a database of a version before 1.0."""
    if last_migration == LAST_BEFORE_1_0:
        return f"Start {CONVERTING} with it once, then this version."
    if last_migration < LAST_BEFORE_1_0:
        return f"Start {BEFORE_CONVERTING} with it once, then {CONVERTING}, then this version."
    return "It is of a commit between two versions, which none upgrades: restore a backup of one."


def refuse_foreign_schema() -> None:
    """Raise `OperatorError` if something in the schema is foreign, missing or altered."""
    if problems := schema_problems():
        sentence = f"This service did not make this database as it is: {', '.join(problems)}. "
        raise OperatorError(f"{sentence}Drop what is foreign, or restore another backup.")


def schema_problems() -> list[str]:
    """Return foreign, missing or altered parts of the schema, each as `trigger x is foreign`."""
    with connected():
        return engine().schema_differences(MIGRATIONS, _runner().applied())


def table_problems() -> list[str]:
    """Return the differences of tables on a server from those that the migrations make.

    The service starts all the same: a missing index prevents neither reading nor verifying.
    """
    with connected():
        return engine().table_differences(MIGRATIONS)


def is_older() -> bool:
    """Return whether there are migrations still to run."""
    return not _migrations() <= _migrations_made()


def _migrations() -> set[str]:
    return set(_runner().names())


def _migrations_made() -> set[str]:
    with connected():
        return set(_runner().applied())


def root_keys_in_use() -> Counter[str]:
    """Return the number of rows whose key each root key wraps, by its id."""
    used: Counter[str] = Counter()
    with connected():
        for table in _tables_with_roots():
            used.update(dict(_rows_by_root(table)))
    return used


def _tables_with_roots() -> list[Any]:
    names = {table._meta.table_name for table in TABLES_WITH_KEYS}
    return [TableReference(name, ("id", "root")) for name in names]


def _rows_by_root(table: Any) -> Iterator[tuple[str, int]]:
    """Yield each root key in use and the number of its rows, without a sort of all rows.

    They are read once where one root key is in use, as it is but for a rotation.
    """
    first, last = "", None
    while first != last:
        ends = table.select(fn.MIN(table.root), fn.MAX(table.root), fn.COUNT(table.id))
        first, last, rows = database.execute(ends.where(table.root > first)).fetchone()
        if first != last:
            of_first = table.select(fn.COUNT(table.id)).where(table.root == first)
            (rows,) = database.execute(of_first).fetchone()
        if rows:
            yield first, rows


def _roots_besides(known: CollectionOf[str]) -> set[str]:
    """Return the root keys in use besides those that are known.

    Where there is none, each row is looked at once, and nothing is counted or sorted.
    """
    others: set[str] = set()
    with connected():
        for table in _tables_with_roots():
            while found := database.execute(_root_besides(table, {*known, *others})).fetchone():
                others.add(found[0])
    return others


def _root_besides(table: Any, known: CollectionOf[str]) -> Any:
    return table.select(table.root).where(table.root.not_in(sorted(known))).limit(1)


def load_keyring() -> None:
    """Load the keyring that the settings name."""
    with _naming_keyring():
        use_keyring(_keyring(current_runtime().settings))


@contextmanager
def _naming_keyring() -> Iterator[None]:
    """Let errors of the keyring say which setting names it."""
    source = _keyring_source(current_runtime().settings)
    try:
        yield
    except (KeyringError, OSError) as error:
        raise KeyringError(f"{source}: {operator_message(error)}") from error


def _keyring_source(settings: Settings) -> str:
    """Return the name of the setting that says where the keyring is."""
    given = [PREFIX + name.upper() for name in _KEYRING_SOURCES if getattr(settings, name)]
    if len(given) > 1:
        raise WrongSetting(f"{' and '.join(given)} name two keyrings. Set one of them.")
    return given[0] if given else f"{PREFIX}INSTANCE_PATH"


def _keyring(settings: Settings) -> Keyring:
    if settings.keyring_command:
        return Keyring(command=settings.keyring_command)
    if settings.keyring:
        return Keyring(text=settings.keyring)
    if settings.keyring_file:
        _require_made(settings.keyring_file)
        return Keyring(settings.keyring_file)
    return open_keyring(settings.instance_path / "keyring")


def open_keyring(path: Path) -> Keyring:
    """Return the keyring at `path`; make one only while the database holds no wrapped key."""
    _require_made(path)
    if not path.exists() and not root_keys_in_use():
        return Keyring.create(path)
    return Keyring(path)


def _require_made(path: Path) -> None:
    """Raise KeyringError at the first start on a server: each machine would make its own."""
    if engine().is_shared and not path.exists() and not root_keys_in_use():
        raise KeyringError(
            f"There is no keyring at {path}. Make it once, and put the same file on every machine: "
            f"(umask 077; document-service keys make > {path})"
        )


def use_keyring(keyring: Keyring) -> None:
    """Wrap and unwrap with this keyring; `KeyringError` if it lacks a root key that is in use."""
    _require_roots(keyring)
    runtime = current_runtime()
    runtime.keyring = keyring
    check_nodes()
    try:
        runtime.service_key = load_service_key()
    except RootKeyMissing:  # another process has begun the database meanwhile
        _require_roots(keyring)
        raise
    with connected():
        if not TokenKey.newest_first():
            TokenKey.draw()
    runtime.session_tokens = PasetoCodec(TokenKey.newest_first, now=now)
    runtime.tickets = PasetoCodec(TokenKey.newest_first, b"ticket", now=now)
    runtime.view_tags = PasetoCodec(TokenKey.newest_first, b"view tag", now=now)


def _require_roots(keyring: Keyring) -> None:
    if missing := _roots_besides({root.id for root in keyring}):
        where = f" at {keyring.path}" if keyring.path else ""
        raise KeyringError(
            f"The keyring lacks root key {', '.join(sorted(missing))}, which the database's "
            f"documents are sealed with. Put the right keyring back{where}; no new one is made."
        )


def check_payload_store() -> None:
    """Read and write as the service will. Raises `PayloadStoreAway` if that fails.

    Raises `OperatorError` if the objects are not those of this database.
    """
    objects = current_runtime().payload_objects
    with connected():
        in_objects = Document.select().where(_IN_OBJECTS).order_by(Document.id.desc())
        newest = next(iter(Document.rows_as_stored(in_objects.limit(1))), None)
        database_id = ServiceKey.select().get().id
    if objects is None:
        if newest:
            raise OperatorError("Documents lie in an object store. Set DOCSERVICE_PAYLOADS to it.")
        return
    owner = objects.owner()
    if owner not in (None, database_id):
        raise OperatorError(
            f"{objects.url} holds the payloads of another database ({owner}). Name another prefix "
            "in DOCSERVICE_PAYLOADS, or empty this one."
        )
    if owner is None and newest and not objects.exists(newest.payload_id):
        raise OperatorError(f"{objects.url} lacks this database's payloads. Name the right one.")
    objects.set_owner(database_id)


def refuse_copied(database: str) -> None:
    """Raise `OperatorError` if this file was copied to a server, which has gone on since."""
    if (mark := mark_of_copy(database)).exists():
        raise OperatorError(
            f"{database} was copied to {mark.read_text().strip()}: set DOCSERVICE_DATABASE to that "
            f"address. To give up the copy and go on with the file, delete {mark}."
        )


def mark_of_copy(database: str) -> Path:
    """Return the file beside a database that says which server it was copied to."""
    return Path(f"{database}.copied")


def is_ready() -> bool:
    """Return whether the database can be read, written and synced, and the keyring opens it."""
    return why_not_ready() is None


def why_not_ready() -> str | None:
    """Return a sentence for anybody, without places and settings; None if the service is ready."""
    try:
        with connected():
            User.select(User.id).limit(1).execute()
            root_id = ServiceKey.select(ServiceKey.root).scalar()
            fault = engine().fault()
    except Exception:  # noqa: BLE001  whatever it is, the database cannot be used
        return "The database does not answer."
    if fault:
        return fault
    try:
        _ = current_runtime().keyring[root_id]
    except RootKeyMissing as error:
        _log_once(str(error))
        return "The keyring does not open this database: it lacks the root key."
    except Exception as error:  # noqa: BLE001
        _log_once(str(error))
        return "The keyring cannot be read."
    return None


@lru_cache(16)
def _log_once(why: str) -> None:
    """Log why the service is not ready, which is asked every few seconds."""
    logging.getLogger("docservice").error("Not ready. %s", why)
