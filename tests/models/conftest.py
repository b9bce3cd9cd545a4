"""The models over a fresh SQLite file, with two people in it."""

import shutil
import sqlite3
import time
from contextlib import closing, contextmanager

import pytest

from crypto import Keyring
from models import User, connected, current_runtime, database, setup
from models.core import ids
from models.runtime import create_runtime
from models.storage import engine
from settings import Settings


@pytest.fixture(scope="session")
def empty_instance(tmp_path_factory):
    """A folder with a keyring and a migrated database, which are copied sooner than made."""
    folder = tmp_path_factory.mktemp("empty")
    database = str(folder / "documents.sqlite")
    runtime = create_runtime(Settings(instance_path=folder, database=database))
    setup.open_runtime()
    runtime.close()
    return folder


def reopened():
    """The database, open for a block after `file` has closed it."""
    setup.open_runtime()
    return connected()


@pytest.fixture
def configure(tmp_path, empty_instance):
    """Open the runtime over a database in `tmp_path` or on a server, with settings of the test."""
    opened = []

    def configure(database=None, **values):
        if database:
            if not (tmp_path / "keyring").exists():
                Keyring.create(tmp_path / "keyring")  # no start on a server makes one
        elif not (tmp_path / "documents.sqlite").exists():
            shutil.copytree(empty_instance, tmp_path, dirs_exist_ok=True)
        database = database or str(tmp_path / "documents.sqlite")
        opened.append(create_runtime(Settings(instance_path=tmp_path, database=database, **values)))
        setup.open_runtime()
        return opened[-1]

    yield configure
    for runtime in opened:
        runtime.close()


@pytest.fixture(scope="session")
def empty_on_server(tmp_path_factory, postgres_server):
    """As `empty_instance`, with a database on the server: the folder and the address."""
    folder = tmp_path_factory.mktemp("empty")
    Keyring.create(folder / "keyring")
    address = postgres_server.new_database()
    runtime = create_runtime(Settings(instance_path=folder, database=address))
    setup.open_runtime()
    runtime.close()
    return folder, address


@pytest.fixture
def configure_on_server(configure, empty_on_server, postgres_server, tmp_path):
    """As `configure`, over a new database on the server."""
    folder, address = empty_on_server

    def configure_on_server(**values):
        shutil.copy(folder / "keyring", tmp_path)
        return configure(postgres_server.copy_of(address), **values)

    return configure_on_server


@pytest.fixture
def runtime(configure):
    return configure(reserve_bytes=0)


@pytest.fixture
def instance(runtime, tmp_path):
    with connected():
        yield tmp_path


@pytest.fixture
def alice(instance):
    return User.register("alice@example.com", "correct horse battery", "Alice", "open")


@pytest.fixture
def bob(instance):
    return User.register("bob@example.com", "correct horse battery", None, "open")


@pytest.fixture
def clock(monkeypatch):
    """Moves the clock by so many milliseconds."""
    real = time.time_ns

    def move(milliseconds):
        monkeypatch.setattr(time, "time_ns", lambda: real() + milliseconds * 1_000_000)

    yield move
    ids.forget_last_id()  # ids of the future are not drawn on


@pytest.fixture
def file(instance):
    """Execute statements on the closed database file; the next use opens it again."""

    def execute(*scripts, **values):
        current_runtime().close_database()
        statements = [one for script in scripts for one in script.split(";") if one.strip()]
        with closing(sqlite3.connect(instance / "documents.sqlite")) as plain, plain:
            return [plain.execute(one, values).fetchall() for one in statements]

    return execute


@pytest.fixture
def objects(runtime):
    """The payloads of a runtime with a bucket."""
    return runtime.payload_objects


@pytest.fixture
def in_bucket(gateway, monkeypatch):
    """A setting PAYLOADS whose credentials are in the environment."""
    for name, value in gateway.environment().items():
        monkeypatch.setenv(name, value)
    return gateway.address()


@pytest.fixture
def changed_rows(monkeypatch):
    """The number of rows that each write transaction has changed, in order."""
    counts = []
    begin = engine().write_transaction

    @contextmanager
    def counted(*args, **options):
        with begin(*args, **options) as failures:
            before = database.connection().total_changes
            yield failures
            counts.append(database.connection().total_changes - before)

    monkeypatch.setattr(engine(), "write_transaction", counted)
    return counts
