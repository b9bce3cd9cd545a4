"""A database of a version before 1.0 is refused with the versions to start, and left as it is.

`of_0_2_0/` has a filled file of the last commit of version 0.2.0 (08da1586), and its tables on a
server as `pg_dump` writes them.
"""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from crypto import Keyring
from models import setup
from models.core import OperatorError
from models.runtime import create_runtime
from models.storage import close_database
from operations import copy_to_postgres, doctor, restore_backup
from settings import Settings
from tests import postgres
from tests.models.migrations.test_from_1_0_0 import execute, rows_of

OF_0_2_0 = Path(__file__).parent / "of_0_2_0"
CONVERTED = (
    r"\(0028_guards\). Nothing was changed. Start version 1.0.1 \(commit \w{8}\) with it once, "
)
OF_RELEASE = r"\(0022_delivery_mac\). Nothing was changed. Start the last commit of version 0.2.0 "
HISTORIES = [  # a statement that makes the history of another commit, and what the refusal says
    ("SELECT 1", CONVERTED + "then this version"),
    (
        "DELETE FROM schema_migration WHERE name > '0022_delivery_mac'",
        OF_RELEASE + r"\(08da1586\) with it once, then version 1.0.1 \(commit \w{8}\), then this",
    ),
    (
        "UPDATE schema_migration SET name = '0029_former_targets' WHERE name = '0028_guards'",
        r"\(0029_former_targets\).* of a commit between two versions, which none upgrades",
    ),
]


@pytest.fixture
def of_sqlite(tmp_path):
    file = tmp_path / "documents.sqlite"
    file.write_bytes(gzip.decompress((OF_0_2_0 / "documents.sqlite.gz").read_bytes()))
    file.chmod(0o600)
    Keyring.create(tmp_path / "keyring")
    return str(file)


@pytest.fixture
def of_postgres(of_sqlite, postgres_server):
    address = postgres_server.new_database()
    postgres.execute(address, (OF_0_2_0 / "postgres.sql").read_text())
    return address


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def former(request):
    """The address of a database of the last commit of 0.2.0."""
    yield request.getfixturevalue(f"of_{request.param}")
    close_database()


@pytest.fixture
def starting(tmp_path):
    """A runtime over a database, which is closed at the end."""
    made = []

    def start(address):
        for runtime in made:
            runtime.close()
        made.append(create_runtime(Settings(instance_path=tmp_path, database=address)))

    yield start
    for runtime in made:
        runtime.close()


def stored(address):
    """All that is stored: the bytes of a file, or the rows and columns on a server."""
    return rows_of(address) if "://" in address else Path(address).read_bytes()


@pytest.mark.parametrize(("history", "sentence"), HISTORIES)
def test_a_start_is_refused_with_the_versions_to_start_once(former, starting, history, sentence):
    if history != "SELECT 1":
        execute(former, history)
    before = stored(former)
    starting(former)

    for _ in range(2):
        with pytest.raises(OperatorError, match=sentence):
            setup.open_runtime()

    close_database()
    assert stored(former) == before


def test_doctor_names_the_versions_and_changes_nothing(former, starting, tmp_path):
    before = stored(former)
    starting(former)
    file = None if "://" in former else Path(former)
    if file:
        execute(former, "PRAGMA journal_mode = WAL")  # as the service has left it
        before = stored(former)
    context = doctor.DoctorContext(file, tmp_path / "keyring")
    found = {check: problems for check, problems in doctor.run_checks(context) if problems}

    assert list(found) == ["schema"]
    assert "Start version 1.0.1" in found["schema"][0]
    close_database()
    assert stored(former) == before


def test_a_backup_is_not_restored(of_sqlite, starting, tmp_path):
    backup = tmp_path / "backup.sqlite"
    Path(of_sqlite).rename(backup)
    before = stored(backup.as_posix())
    starting(of_sqlite)

    with pytest.raises(OperatorError, match="Start version 1.0.1"):
        restore_backup(backup, Path(of_sqlite))

    assert not Path(of_sqlite).exists()
    assert stored(backup.as_posix()) == before


@pytest.mark.postgres
def test_nothing_is_copied_from_a_file_or_into_a_database_of_such_a_version(
    of_sqlite, of_postgres, starting, postgres_server, tmp_path
):
    before = stored(of_sqlite), stored(of_postgres)
    starting(of_sqlite)
    with pytest.raises(OperatorError, match="Start version 1.0.1"):
        copy_to_postgres(postgres_server.new_database())
    assert (stored(of_sqlite), stored(of_postgres)) == before

    current = tmp_path / "current.sqlite"
    (tmp_path / "keyring").unlink()
    starting(str(current))
    setup.open_runtime()
    with pytest.raises(OperatorError, match="Start version 1.0.1"):
        copy_to_postgres(of_postgres)
    assert stored(of_postgres) == before[1]
    with closing(sqlite3.connect(current)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
