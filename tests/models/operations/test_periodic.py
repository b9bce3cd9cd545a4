"""A periodic task continues after an error, and has ended when `stop` returns."""

import threading

from models.operations.periodic import PeriodicTask
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


def test_stop_waits_for_the_current_run():
    begun, go_on, ended = threading.Event(), threading.Event(), []

    def work():
        begun.set()
        go_on.wait(10)
        ended.append(1)

    task = PeriodicTask(work, 60)
    begun.wait(10)
    threading.Timer(0.1, go_on.set).start()
    task.stop()

    assert ended == [1]
