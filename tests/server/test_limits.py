"""The progress timer, which decides whether a client is too slow. It reads no clock."""

import pytest

from server.limits import ProgressTimer


@pytest.fixture
def timer():
    timer = ProgressTimer(pace_bytes=100, now=0)
    timer.elapsed("send body", 0, now=0)
    return timer


def test_it_runs_while_there_is_no_progress(timer):
    assert [timer.elapsed("send body", 0, now) for now in (1, 5, 14)] == [1, 5, 14]


def test_progress_of_pace_bytes_restarts_it(timer):
    assert timer.elapsed("send body", 100, now=10) == 0
    assert timer.elapsed("send body", 199, now=15) == 5
    assert timer.elapsed("send body", 200, now=16) == 0


def test_less_progress_than_pace_bytes_does_not_restart_it(timer):
    assert [timer.elapsed("send body", count, count) for count in (10, 50, 99)] == [10, 50, 99]


def test_another_action_restarts_it(timer):
    assert timer.elapsed("read response", 0, now=10) == 0
    assert timer.elapsed("read response", 0, now=12) == 2
