"""Ids sort by creation, transactions nest, and waiting writers do not fail."""

import contextlib
import shutil
import sqlite3
import threading

import pytest
from peewee import OperationalError

from models import User, connected, current_runtime, database, in_one_transaction, transaction
from models.core import Busy, generate_id
from models.storage import engine, open_database, separate_transaction
from models.storage import group_commit as group_sync
from models.storage.sqlite import PRAGMAS
from tests.waiting import run_in_threads, until


def test_later_ids_sort_later_also_within_one_millisecond():
    ids = [generate_id("doc") for _ in range(5_000)]
    assert ids == sorted(set(ids))
    assert all(len(id) == 30 and id.startswith("doc_") for id in ids)


def test_what_fails_inside_a_transaction_takes_all_of_it_back(alice):
    with pytest.raises(ZeroDivisionError), transaction():  # noqa: PT012
        with transaction():
            alice.change(email="other@example.com")
        raise ZeroDivisionError
    assert User.get_by_id(alice.id).email == "alice@example.com"


def test_many_threads_that_read_then_write_all_succeed(alice):
    def work():
        for _ in range(25):
            with connected(), transaction():
                views = User.get_by_id(alice.id).disabled_at or 0
                User.get_by_id(alice.id).change(disabled_at=views + 1)

    run_in_threads(*[work] * 8)

    assert User.get_by_id(alice.id).disabled_at == 200


def test_an_owner_with_many_transactions_delays_another_owner_by_one_of_them(alice, bob):
    order = []
    held, may_go_on = threading.Event(), threading.Event()

    def hold():
        with connected(), transaction(alice.id):
            held.set()
            may_go_on.wait(60)

    def write(owner):
        with connected(), transaction(owner.id):
            order.append(owner.email)

    first = threading.Thread(target=hold)
    first.start()
    held.wait(60)
    writers = [threading.Thread(target=write, args=[alice]) for _ in range(5)]
    for thread in writers:
        thread.start()
    line = engine()._lines[alice.id]
    until(lambda: line.length == 6)
    last = threading.Thread(target=write, args=[bob])
    last.start()
    until(lambda: engine()._writer_lock._waiting)
    may_go_on.set()
    for thread in (first, *writers, last):
        thread.join(60)
    assert order.index(bob.email) <= 1
    assert len(order) == 6
    assert engine()._lines == {}


def test_a_transaction_that_waits_for_others_of_its_owner_is_refused_after_a_while(alice, bob):
    held, may_go_on = threading.Event(), threading.Event()

    def hold():
        with connected(), transaction(alice.id):
            held.set()
            may_go_on.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    with pytest.raises(Busy), separate_transaction(alice.id, wait_seconds=0.01):
        pass
    may_go_on.set()
    thread.join(60)
    with separate_transaction(alice.id, wait_seconds=0.01):
        pass


def test_what_was_written_is_moved_from_the_log_into_the_database(alice, instance):
    stored = instance / "documents.sqlite"
    with transaction():
        alice.change(email="new@example.com")
    assert b"new@example.com" not in stored.read_bytes()
    engine().checkpoint_wal()
    assert b"new@example.com" in stored.read_bytes()


def test_behind_a_sync_that_failed_the_log_is_begun_anew(alice, instance, monkeypatch):
    """SQLite reads a log up to the first page that is missing."""

    def fails(_handle):
        raise OSError(5, "lost")

    log = instance / "documents.sqlite-wal"
    begin = log.stat().st_size
    monkeypatch.setattr(group_sync, "_fdatasync", fails)
    with pytest.raises(OSError, match="lost"), transaction():
        alice.change(email="lost@example.com")
    monkeypatch.undo()
    end = log.stat().st_size
    with transaction():
        alice.change(email="acknowledged@example.com")

    (instance / "cut").mkdir()
    for name in ("documents.sqlite", "documents.sqlite-wal"):
        shutil.copy(instance / name, instance / "cut")
    with (instance / "cut" / "documents.sqlite-wal").open("r+b") as cut:
        cut.seek(begin)
        cut.write(bytes(end - begin))  # where what was lost lay
    with contextlib.closing(sqlite3.connect(instance / "cut" / "documents.sqlite")) as left:
        (email,) = left.execute("SELECT email FROM user_account").fetchone()

    assert email == "acknowledged@example.com"


@pytest.mark.slow
def test_while_another_process_holds_the_database_a_writer_waits_once(instance, monkeypatch):
    current_runtime().close_database()
    monkeypatch.setitem(PRAGMAS, "busy_timeout", 400)
    open_database(str(instance / "documents.sqlite"))
    with contextlib.closing(sqlite3.connect(instance / "documents.sqlite")) as other, connected():
        other.execute("BEGIN IMMEDIATE")
        executed = []
        with database.on_writer():
            writer = database.connection()
        writer.set_trace_callback(executed.append)
        with pytest.raises(OperationalError), transaction():
            pass
        writer.set_trace_callback(None)
        other.rollback()

    assert executed == ["BEGIN IMMEDIATE"]


def test_one_transaction_begins_with_what_is_first_written_and_is_taken_back_whole(alice):
    seen = []

    def work():
        seen.append(database.in_transaction())
        with transaction():
            alice.change(email="first@example.com")
        with transaction():
            alice.change(email="second@example.com")
        seen.append(database.in_transaction())
        raise RuntimeError("the answer could not be made")

    with pytest.raises(RuntimeError), in_one_transaction():
        work()

    assert seen == [False, True]
    assert not database.in_transaction()
    assert User.get_by_id(alice.id).email == "alice@example.com"
