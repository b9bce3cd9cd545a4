"""Who can wait gives way to requests, and not for ever."""

import time

from app import create_app
from models.request_activity import CALM_SECONDS, Traffic, traffic


def waited(traffic, longest_seconds):
    began = time.monotonic()
    traffic.give_way(longest_seconds)
    return time.monotonic() - began


def test_where_nobody_passes_nobody_waits():
    assert waited(Traffic(), 5) < 1


def test_while_a_request_passes_the_longest_wait_is_waited():
    road = Traffic()
    road.enter()

    assert 0.05 <= waited(road, 0.05) < 1


def test_behind_a_request_there_is_a_moment_for_the_next():
    road = Traffic()
    road.enter()
    road.leave()

    assert CALM_SECONDS <= waited(road, 5) < 1


def test_every_request_is_passing_while_it_is_worked_on_also_one_that_is_refused(tmp_path):
    app = create_app({"INSTANCE_PATH": str(tmp_path), "TESTING": True})
    seen = []
    app.after_request(lambda answer: seen.append(traffic._passing) or answer)
    for path in ("/healthz", "/nothing", "/v1/auth/me"):
        app.test_client().get(path)

    assert seen == [1, 1, 1]
    assert traffic._passing == 0
    app.extensions["runtime"].close()
