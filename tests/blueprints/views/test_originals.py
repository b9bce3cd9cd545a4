"""blueprints/views/originals.py"""

from types import SimpleNamespace

import pytest
from flask import Flask

import viewer
from blueprints.views import originals
from models.errors import Busy
from models.storage.pieces import PIECE_BYTES


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


@pytest.mark.parametrize(("size", "times"), [(PIECE_BYTES, 1), (PIECE_BYTES + 1, 3)])
def test_a_payload_of_one_piece_is_opened_once_for_all_that_is_read(size, times):
    opened, payload = [], bytes(range(256)) * (size // 256 + 1)

    def read(start=0, stop=size):
        opened.append((start, stop))
        yield payload[start:stop]

    read_range = originals._reader(SimpleNamespace(size=size, read=read))

    assert not opened
    for start, stop in ((0, 4096), (100, 300), (0, size)):
        assert b"".join(read_range(start, stop)) == payload[start:stop]
    assert len(opened) == times


def test_a_view_that_waits_too_long_for_other_conversions_is_told_to_come_again(monkeypatch):
    def run_job(*_, **__):
        raise viewer.ConverterBusyError

    monkeypatch.setattr(viewer, "run_job", run_job)
    monkeypatch.setattr(originals.StoredPreview, "obtain", lambda *arguments, **_: arguments[-1]())
    with Flask(__name__).test_request_context(), pytest.raises(Busy):
        originals._job_runner(SimpleNamespace(), "usr_1")("convert", [b""], {}, seconds=1)
