"""A database or backup with a trigger, view or table of somebody else is not opened."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.service import StartError

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("it is about the database's file")]

UNDO = """
    CREATE TRIGGER undo AFTER UPDATE OF revoked_at ON document_token
    BEGIN UPDATE document_token SET revoked_at = NULL WHERE id = NEW.id; END"""
FOREIGN = {
    "trigger undo is foreign": UNDO,
    "view readings is foreign": "CREATE VIEW readings AS SELECT * FROM document",
    "table loot is foreign": "CREATE TABLE loot (taken TEXT)",
    "index by_type is foreign": "CREATE INDEX by_type ON document (content_type)",
    "index session_owner is missing": "DROP INDEX session_owner",
    "table piece was altered": "ALTER TABLE piece ADD COLUMN later TEXT",
}


@pytest.fixture(scope="module")
def service(start_service):
    return start_service(RATE_LIMITS="off")


@pytest.fixture
def stopped(service):
    """The path of the stopped service's database, which is put back afterwards."""
    service.stop()
    database = service.instance / "documents.sqlite"
    kept = shutil.copy(database, service.temporary / "kept")
    yield database
    for left in service.instance.glob("documents.sqlite-*"):
        left.unlink()
    shutil.copy(kept, database)
    service.start()


def alter(file, statement):
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(statement)


def test_a_database_with_another_schema_is_named_and_not_opened(service, stopped):
    sound = stopped.read_bytes()
    for difference, statement in FOREIGN.items():
        stopped.write_bytes(sound)
        alter(stopped, statement)
        before = stopped.read_bytes()

        assert f"WRONG  schema: The {difference}." in service.run_command("doctor", code=1)
        refusal = f"is: {difference}. Drop what is foreign"
        assert refusal in service.run_command("sweep", code=1)
        assert stopped.read_bytes() == before, difference
    with pytest.raises(StartError, match=refusal):
        service.start()
    assert stopped.read_bytes() == before


def test_a_backup_with_a_trigger_is_not_restored(service, stopped, tmp_path):
    copy = tmp_path / "copy"
    service.run_command("backup", copy)
    alter(copy, UNDO)
    output = service.run_command("restore", copy, "--force", code=1)
    assert "trigger undo is foreign" in output
    assert "OK     schema" in service.run_command("doctor")


def test_statistics_of_the_engine_are_not_foreign(service, stopped):
    alter(stopped, "ANALYZE")
    service.start()
    assert "OK     schema" in service.run_command("doctor")
    service.stop()
