"""Two uploads at once don't both fit where there is room for one."""

import threading

import pytest

from models import connected
from models.core import QuotaExceeded
from models.runtime.quota import Quota
from models.storage import database
from tests.uploads import Sent, send

SIZE = 8


def keep(owner, payload):
    send(owner, Sent(payload, SIZE))


def test_one_who_was_slower_is_judged_by_what_was_kept_meanwhile(alice, runtime):
    runtime.quota = Quota(bytes=10)
    begun, go_on, outcomes = threading.Event(), threading.Event(), []

    def slow():
        begun.set()
        go_on.wait(60)
        yield bytes(SIZE)

    def upload_slowly():
        with connected(), pytest.raises(QuotaExceeded):
            keep(alice, slow())
        outcomes.append("refused")

    slower = threading.Thread(target=upload_slowly)
    slower.start()
    begun.wait(60)
    keep(alice, [bytes(SIZE)])
    go_on.set()
    slower.join()

    assert outcomes == ["refused"]
    assert database.execute_sql("SELECT COUNT(*) FROM document").fetchone() == (1,)
    assert database.execute_sql("SELECT COUNT(DISTINCT document_id) FROM piece").fetchone() == (1,)
