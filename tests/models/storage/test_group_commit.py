"""Nothing is acknowledged before it is on disk, and those who wait together share one sync."""

import os
import threading

import pytest

from models.storage import NotSynced, database, engine, separate_transaction, transaction
from models.storage import group_commit as group_sync
from models.storage.group_commit import GroupCommit
from tests.waiting import join_threads, start_threads, until


class Disk:
    """Stands for the system call: each sync waits until it is let through."""

    def __init__(self, monkeypatch):
        self.begun, self.allowed, self.error = 0, threading.Semaphore(0), None
        monkeypatch.setattr(group_sync, "_fdatasync", self)

    def __call__(self, handle):
        self.handle = handle
        self.begun += 1
        assert self.allowed.acquire(timeout=60)
        if self.error:
            raise self.error


@pytest.fixture
def disk(monkeypatch):
    return Disk(monkeypatch)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"")
    return GroupCommit(lambda: str(path))


def waiting(log, outcomes):
    def wait():
        try:
            log.sync()
            outcomes.append("synced")
        except OSError as error:
            outcomes.append(error.strerror)

    before = log._requested
    (thread,) = start_threads(wait)
    until(lambda: log._requested > before)
    return thread


def fail_once(log, disk, outcomes):
    """A sync that fails; the next ones will not."""
    disk.error = OSError(5, "lost")
    first = waiting(log, outcomes)
    until(lambda: disk.begun == 1)
    disk.allowed.release()
    first.join(60)
    disk.error = None


def test_who_comes_while_a_sync_runs_waits_for_the_next_one_and_shares_it(log, disk):
    outcomes = []
    threads = [waiting(log, outcomes)]
    until(lambda: disk.begun == 1)
    threads += [waiting(log, outcomes) for _ in range(8)]
    disk.allowed.release()
    until(lambda: disk.begun == 2)

    assert outcomes == ["synced"]

    disk.allowed.release()
    join_threads(threads)

    assert (outcomes, disk.begun) == (["synced"] * 9, 2)


def test_a_sync_that_fails_is_told_to_all_who_waited_for_it_and_to_nobody_else(log, disk):
    outcomes = []
    fail_once(log, disk, outcomes)
    second = waiting(log, outcomes)
    disk.allowed.release()
    second.join(60)
    assert outcomes == ["lost", "synced"]


def test_a_sync_that_ends_by_another_error_confirms_nothing(log, disk):
    since = log.failures
    disk.error = MemoryError()
    disk.allowed.release()
    with pytest.raises(MemoryError):
        log.sync()
    disk.error = None
    disk.allowed.release()
    with pytest.raises(NotSynced, match="was not made"):
        log.sync(since)


def test_a_sync_that_fails_is_told_to_all_who_wrote_before_it_also_if_they_wait_later(log, disk):
    outcomes, since = [], log.failures
    fail_once(log, disk, outcomes)
    disk.allowed.release()
    with pytest.raises(OSError, match="lost"):
        log.sync(since)


def test_the_file_stays_open_so_that_the_system_tells_it_of_every_failure(log, disk, tmp_path):
    disk.allowed.release()
    log.sync()
    assert os.path.samestat(os.fstat(disk.handle), (tmp_path / "log").stat())
    (tmp_path / "log").rename(tmp_path / "former")
    (tmp_path / "log").write_bytes(b"")
    disk.allowed.release()
    log.sync()
    assert os.path.samestat(os.fstat(disk.handle), (tmp_path / "log").stat())


def test_what_is_stored_step_by_step_is_told_of_a_failure_meanwhile(instance, disk):
    disk.error = OSError(5, "lost")
    for _ in range(2):
        disk.allowed.release()
    since = engine().sync_failures()
    with separate_transaction(synced=False):
        database.execute_sql("CREATE TABLE some (thing TEXT)")
    with pytest.raises(OSError, match="lost"):
        engine().sync()
    disk.error = None

    with pytest.raises(OSError, match="lost"), transaction(since=since):
        database.execute_sql("INSERT INTO some VALUES ('last')")


def test_a_transaction_is_over_only_when_its_log_has_been_synced(instance, disk):
    ended = threading.Event()

    def write():
        with database.connection_context():
            with transaction():
                database.execute_sql("CREATE TABLE IF NOT EXISTS some (thing TEXT)")
            ended.set()

    (thread,) = start_threads(write)
    until(lambda: disk.begun == 1)

    assert not ended.is_set()

    disk.allowed.release()
    thread.join(60)

    assert ended.is_set()
