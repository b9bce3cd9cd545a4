"""A periodic task continues after an error, and has ended when `stop` returns."""

import errno
import threading

import pytest

from models.core import Busy
from models.operations.background import PeriodicTask
from models.runtime import log_failure
from tests.waiting import until


def test_a_run_that_fails_does_not_prevent_the_next(caplog):
    runs = []

    def work():
        runs.append(1)
        raise OSError("disk full")

    task = PeriodicTask(work, 0.001)
    until(lambda: len(runs) > 2)
    task.stop()

    assert "work failed" in caplog.text


def test_a_failure_that_lasts_is_logged_once_and_again_after_a_success(caplog):
    failures = [OSError("a"), OSError("b"), None, OSError("c"), ValueError("d")]

    def work():
        if failures and (failure := failures.pop(0)):
            raise failure

    task = PeriodicTask(work, 0.001)
    until(lambda: not failures)
    task.stop()

    assert [str(record.exc_info[1]) for record in caplog.records] == ["a", "c", "d"]


def test_stop_waits_for_the_current_run():
    begun, go_on, ended = threading.Event(), threading.Event(), []

    def work():
        begun.set()
        go_on.wait(60)
        ended.append(1)

    task = PeriodicTask(work, 60)
    begun.wait(60)
    threading.Timer(0.1, go_on.set).start()
    task.stop()

    assert ended == [1]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_a_disk_that_takes_nothing_is_logged_in_one_line(number, caplog):
    log_failure("work failed", OSError(number, "the disk"))
    (record,) = caplog.records
    assert record.exc_info is None
    assert record.message.startswith("work failed: ")


def test_a_lock_that_another_process_holds_is_logged_in_one_line(caplog):
    log_failure("work failed", Busy())
    (record,) = caplog.records
    assert record.exc_info is None


def test_an_unexpected_failure_is_logged_with_its_traceback(caplog):
    log_failure("work failed", ValueError("a fault of the code"))
    (record,) = caplog.records
    assert record.exc_info[1].args == ("a fault of the code",)
