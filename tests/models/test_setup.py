"""Starting: a keyring is made only when nothing is sealed, and one that does not fit stops it."""

import errno
import threading

import pytest
from peewee import Table

from crypto import Keyring, KeyringError
from models import Document, setup
from models.core import OperatorError
from models.storage import close_database, database, engine, group_commit
from tests.uploads import upload


def test_a_lost_keyring_is_named_and_no_new_one_is_made(instance, alice):
    (root_id,) = setup.root_keys_in_use()
    (instance / "keyring").unlink()
    with pytest.raises(KeyringError, match="no keyring"):
        setup.open_keyring(instance / "keyring")
    with pytest.raises(KeyringError, match=root_id):
        setup.use_keyring(Keyring.create(instance / "other"))
    assert not (instance / "keyring").exists()


def test_each_root_key_that_a_keyring_lacks_is_named_with_one_look_at_each_row(instance, alice):
    (root_id,) = setup.root_keys_in_use()
    for _ in range(3):
        upload(alice)
    assert setup._roots_besides({root_id}) == set()

    first, second, _ = [one.id for one in Document.select().order_by(Document.id)]
    for id, root in ((first, "another"), (second, "between")):
        Document.update(root=root).where(Document.id == id).execute()
    assert setup._roots_besides({root_id}) == {"another", "between"}

    query, values = setup._root_besides(Table("document", ("id", "root")), {root_id}).sql()
    plan = database.execute_sql(f"EXPLAIN QUERY PLAN {query}", values).fetchall()
    assert [row[-1] for row in plan] == ["SCAN t1 USING COVERING INDEX document_list"]


def test_a_fresh_instance_gets_a_keyring(runtime, tmp_path):
    assert setup.is_ready()
    assert (tmp_path / "keyring").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "documents.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_failed_sync_is_logged_and_not_ready_until_a_write_succeeds(
    instance, alice, monkeypatch, caplog
):
    def fail(_handle):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as failing:
        failing.setattr(group_commit, "_fdatasync", fail)
        with pytest.raises(OSError, match="Input/output error"):
            alice.disable()

    assert not setup.is_ready()
    assert setup.why_not_ready() == "The disk did not sync the log of the database."
    assert [(one.levelname, "did not sync" in one.message) for one in caplog.records] == [
        ("ERROR", True)
    ]
    alice.enable()
    assert setup.is_ready()


def test_a_migration_that_may_take_minutes_says_so(tmp_path, monkeypatch, capsys):
    path = str(tmp_path / "documents.sqlite")
    setup.open_database(path)
    assert capsys.readouterr().err == ""

    made = setup._migrations()
    monkeypatch.setattr(setup, "_migrations", lambda: made | {"0099_later"})
    setup.open_database(path)
    close_database()

    told = capsys.readouterr().err.splitlines()
    assert [line.partition(";")[0] for line in told] == [
        f"Migrating the database from {max(made)[:4]} to 0099",
        "The database is migrated to 0099.",
    ]


def test_threads_that_start_at_once_share_one_connection_pool(instance, alice):
    threads = [threading.Thread(target=setup.is_ready) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert setup.is_ready()


def test_an_address_that_is_none_leaves_the_former_database_in_use_but_closed(instance):
    pytest.importorskip("psycopg")
    former = database.obj
    with pytest.raises(OperatorError, match="no address"):
        setup.open_database("postgresql://docs:secret%zz@host/name")
    assert database.obj is former
    assert database.is_closed()
    assert not engine().is_shared
