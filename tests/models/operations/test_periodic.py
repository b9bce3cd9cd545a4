"""Work beside the requests goes on after an error, and has ended when it is stopped."""

import threading

from models.operations.periodic import PeriodicTask
from tests.people import until


def test_a_round_that_fails_does_not_end_the_next_one(caplog):
    rounds = []

    def work():
        rounds.append(1)
        raise OSError("no room")

    background = PeriodicTask(work, 0.001)
    until(lambda: len(rounds) > 2)
    background.stop()

    assert "work failed" in caplog.text


def test_to_stop_is_to_wait_for_the_round_that_runs():
    begun, go_on, ended = threading.Event(), threading.Event(), []

    def work():
        begun.set()
        go_on.wait(10)
        ended.append(1)

    background = PeriodicTask(work, 60)
    begun.wait(10)
    threading.Timer(0.1, go_on.set).start()
    background.stop()

    assert ended == [1]
