"""Ids sort by creation, transactions nest, and waiting writers do not fail."""

import threading

from models import User, connected, writing
from models.base import shorten_log
from models.ids import fresh_id


def test_later_ids_sort_later_also_within_one_millisecond():
    ids = [fresh_id("doc") for _ in range(5_000)]

    assert ids == sorted(set(ids))
    assert all(len(id) == 30 and id.startswith("doc_") for id in ids)


def test_what_fails_inside_a_transaction_takes_all_of_it_back(alice):
    class Stop(Exception):
        pass

    try:
        with writing():
            with writing():
                alice.change(email="other@example.com")
            raise Stop
    except Stop:
        pass

    assert User.get_by_id(alice.id).email == "alice@example.com"


def test_many_threads_that_read_then_write_all_succeed(alice):
    failed = []

    def work():
        try:
            for _ in range(25):
                with connected(), writing():
                    views = User.get_by_id(alice.id).disabled_at or 0
                    User.get_by_id(alice.id).change(disabled_at=views + 1)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert failed == []
    assert User.get_by_id(alice.id).disabled_at == 200


def test_what_was_written_is_moved_from_the_log_into_the_database(alice, instance):
    stored = instance / "documents.sqlite"
    with writing():
        alice.change(email="new@example.com")
    assert b"new@example.com" not in stored.read_bytes()

    shorten_log()

    assert b"new@example.com" in stored.read_bytes()
