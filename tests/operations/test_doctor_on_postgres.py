"""What `doctor` finds in a database on a PostgreSQL server."""

import pytest

from crypto import Keyring
from models import setup
from models.core import now
from models.runtime import create_runtime
from operations import doctor
from settings import Settings
from tests import postgres
from tests.service import ROOT


@pytest.fixture(scope="module")
def runtime(tmp_path_factory, postgres_server):
    folder = tmp_path_factory.mktemp("instance")
    Keyring.create(folder / "keyring")
    address = postgres_server.new_database()
    runtime = create_runtime(Settings(instance_path=folder, database=address))
    setup.open_runtime()
    yield runtime
    runtime.close()


def problems(runtime):
    """The problems found, by check."""
    context = doctor.DoctorContext(None, runtime.settings.instance_path / "keyring")
    return {check: found for check, found in doctor.run_checks(context) if found}


@pytest.fixture
def alter(runtime):
    """Executes a statement, and another one after the test."""
    undo = []

    def alter(statement, undoing):
        postgres.execute(runtime.settings.database, statement)
        undo.append(undoing)

    yield alter
    for statement in undo:
        postgres.execute(runtime.settings.database, statement)


def test_a_sound_database_has_no_problems(runtime):
    assert problems(runtime) == {}


def test_the_list_of_the_schema_is_what_the_migrations_make(runtime):
    from models.storage.postgres_engine import current_schema  # noqa: PLC0415  an extra

    setup.open_database(runtime.settings.database)
    made = sorted(f"{name} = {definition}" for name, definition in current_schema())
    listed = (ROOT / "models/migrations/postgres/schema.txt").read_text().splitlines()
    assert made == listed, "The file has to be:\n" + "\n".join(made)


@pytest.mark.parametrize(
    ("statement", "undoing", "problem"),
    [
        (
            "DROP INDEX event_list",
            "CREATE UNIQUE INDEX event_list ON event (owner_id, id, type)",
            "index event_list is missing",
        ),
        (
            "ALTER TABLE api_key ALTER scopes DROP NOT NULL",
            "ALTER TABLE api_key ALTER scopes SET NOT NULL",
            "column api_key.scopes was altered",
        ),
        (
            'ALTER TABLE session ALTER id TYPE TEXT COLLATE "default"',
            'ALTER TABLE session ALTER id TYPE TEXT COLLATE "C"',
            "column session.id was altered",
        ),
        (
            "ALTER TABLE token_key ADD CHECK (id <> 'x')",
            "ALTER TABLE token_key DROP CONSTRAINT token_key_id_check",
            "constraint token_key_id_check is foreign",
        ),
        (
            "CREATE VIEW keys AS SELECT * FROM api_key",
            "DROP VIEW keys",
            "table keys is foreign",
        ),
    ],
)
def test_tables_that_are_not_as_the_migrations_make_them_are_named(
    alter, runtime, statement, undoing, problem
):
    alter(statement, undoing)
    assert any(problem in one for one in problems(runtime)["tables"])


@pytest.mark.parametrize("ahead_ms", [20_000, -20_000])
def test_a_clock_that_differs_from_the_servers_is_found(runtime, monkeypatch, ahead_ms):
    monkeypatch.setattr(doctor, "now", lambda: now() + ahead_ms)
    (problem,) = problems(runtime)["server"]
    assert problem.startswith("The clock of the database server differs by ")


def test_another_encoding_is_found(runtime, postgres_server, monkeypatch):
    name = "not_in_utf8"
    made = f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'"
    postgres.execute(postgres_server.url(), made)
    setup.storage.open_database(postgres_server.url(name))
    assert "encoding SQL_ASCII" in "".join(doctor._server(None))
