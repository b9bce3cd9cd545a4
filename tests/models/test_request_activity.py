"""Background work waits while requests run, and not for ever."""

import time

from app import create_app
from models.request_activity import IDLE_SECONDS, RequestActivity, request_activity


def waited(activity, longest_seconds):
    began = time.monotonic()
    activity.wait_until_idle(longest_seconds)
    return time.monotonic() - began


def test_without_a_request_nothing_waits():
    assert waited(RequestActivity(), 60) < 30


def test_while_a_request_runs_the_wait_is_as_long_as_allowed():
    activity = RequestActivity()
    activity.start()

    assert 0.05 <= waited(activity, 0.05) < 30


def test_the_wait_ends_a_moment_after_the_last_request():
    activity = RequestActivity()
    activity.start()
    activity.end()

    assert IDLE_SECONDS <= waited(activity, 60) < 30


def test_every_request_counts_as_running_also_one_that_is_rejected(tmp_path):
    app = create_app({"INSTANCE_PATH": str(tmp_path), "TESTING": True})
    seen = []
    app.after_request(lambda answer: seen.append(request_activity._running) or answer)
    for path in ("/healthz", "/nothing", "/v1/auth/me"):
        app.test_client().get(path)

    assert seen == [1, 1, 1]
    assert request_activity._running == 0
    app.extensions["runtime"].close()
