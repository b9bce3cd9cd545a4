"""blueprints/views/pages.py"""

import base64
from types import SimpleNamespace

import pytest
from flask import Flask

import viewer
from blueprints.views import content
from models import current_runtime
from models.core import Busy
from models.runtime.slots import Slot
from models.storage.payloads import PIECE_BYTES
from tests.in_process import application
from viewer.tests import samples


@pytest.mark.parametrize(("size", "times"), [(PIECE_BYTES, 1), (PIECE_BYTES + 1, 3)])
def test_a_payload_of_one_piece_is_opened_once_for_all_that_is_read(size, times):
    opened, payload = [], bytes(range(256)) * (size // 256 + 1)

    def read(start=0, stop=size):
        opened.append((start, stop))
        yield payload[start:stop]

    read_range = content._reader(SimpleNamespace(size=size, read=read))

    assert not opened
    for start, stop in ((0, 4096), (100, 300), (0, size)):
        assert b"".join(read_range(start, stop)) == payload[start:stop]
    assert len(opened) == times


def test_a_view_that_waits_too_long_for_other_conversions_is_told_to_come_again(monkeypatch):
    def run_job(*_, **__):
        raise viewer.ConverterBusyError

    monkeypatch.setattr(viewer, "run_job", run_job)
    monkeypatch.setattr(content.StoredPreview, "obtain", lambda *arguments, **_: arguments[-1]())
    with Flask(__name__).test_request_context(), pytest.raises(Busy):
        content._job_runner(SimpleNamespace(), "usr_1", saves=False, tells=bool)(None, [b""], {})


def test_saves_and_views_do_not_wait_for_each_other(tmp_path):
    with application(tmp_path) as (app, headers):
        payload = base64.b64encode(samples.pdf(*"12345")).decode()
        body = {"contentType": "application/pdf", "payload": payload}
        queue = current_runtime().preview_queue
        for taken, part in ((queue.saving, "/view"), (queue.viewing, "/download")):
            made = app.test_client().post("/v1/documents", json=body, headers=headers).json
            held = [Slot(str(number)) for number in range(taken.most)]
            assert all(taken.take(slot) for slot in held)
            answer = app.test_client().get(f"/v1/documents/{made['id']}{part}", headers=headers)
            for slot in held:
                taken.release(slot)

            assert answer.status_code == 200, part
