"""blueprints/views/originals.py"""

import pytest
from flask import Flask

from blueprints.views import originals
from models.errors import Busy


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(originals, "PAUSE_SECONDS", 0)


def busy(times):
    """A function that is refused so often before it returns."""
    refusals = iter(range(times))

    def obtain():
        for _ in refusals:
            raise Busy
        return b"made"

    return obtain


def test_a_body_that_is_being_sent_waits_for_its_turn():
    assert originals._patiently(busy(originals.TRIES)) == b"made"


def test_a_body_that_is_being_sent_does_not_wait_for_ever():
    with pytest.raises(Busy):
        originals._patiently(busy(originals.TRIES + 1))


def test_a_request_is_refused_at_once():
    with Flask(__name__).test_request_context(), pytest.raises(Busy):
        originals._patiently(busy(1))
