"""Two uploads at once don't both fit where there is room for one."""

import threading
import time

from models import Document, connected
from models.errors import QuotaExceeded
from models.quota import Quota


def test_one_who_waits_to_write_is_judged_by_what_was_written_meanwhile(
    instance, alice, monkeypatch
):
    monkeypatch.setattr(Document, "quota", Quota(bytes=10))
    begun, go_on, outcomes = threading.Event(), threading.Event(), []

    def slow():
        begun.set()
        go_on.wait(10)
        yield b"12345678"

    def upload(payload):
        with connected():
            try:
                Document.upload(alice.id, payload, size=8, content_type="text/plain")
                outcomes.append("kept")
            except QuotaExceeded:
                outcomes.append("refused")

    first = threading.Thread(target=upload, args=(slow(),))
    second = threading.Thread(target=upload, args=([b"12345678"],))
    first.start()
    begun.wait(10)
    second.start()
    time.sleep(0.1)  # long enough to have judged too early
    go_on.set()
    first.join()
    second.join()

    assert outcomes == ["kept", "refused"]
