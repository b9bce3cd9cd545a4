"""Connections to SQLite: kept when they are closed, and asked for by each thread."""

import sqlite3
import threading

import pytest
from peewee import InterfaceError

from models import connected, database
from models.storage import close_database


def connection_of_other_thread():
    """Return the connection that another thread has while it is connected."""
    found = []

    def connect():
        with connected():
            found.append(database.connection())

    thread = threading.Thread(target=connect)
    thread.start()
    thread.join(60)
    return found[0]


def test_a_closed_connection_is_kept_for_the_next_thread_that_connects(runtime):
    with connected():
        first = database.connection()
        beside = connection_of_other_thread()
    assert beside is not first
    assert connection_of_other_thread() is first


def test_a_statement_without_a_connection_is_refused(runtime):
    with connected():
        database.close()
        with pytest.raises(InterfaceError):
            database.execute_sql("SELECT 1")


def test_the_end_of_the_process_closes_all_connections(runtime):
    with connected():
        kept = connection_of_other_thread()
    close_database()
    with pytest.raises(sqlite3.ProgrammingError):
        kept.execute("SELECT 1")
    with connected():
        assert database.execute_sql("SELECT 1").fetchone() == (1,)
