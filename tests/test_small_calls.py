"""Bytes and statements of small calls, counted: the load of the machine does not matter."""

import base64
import os

import pytest

from app import create_app
from models.storage import connected, database, engine
from tests.people import PASSWORD

LOGIN = {"email": "alice@example.org", "password": PASSWORD}
UPLOADS = 50


class Service:
    """An application in this process, and a caller by API key."""

    def __init__(self, folder):
        self.app = create_app({"INSTANCE_PATH": str(folder), "RATE_LIMITS": "off"})
        client = self.app.test_client()
        client.post("/v1/auth/register", json=LOGIN)
        token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
        by_session = {"Authorization": f"Bearer {token}"}
        key = client.post("/v1/api-keys", json={}, headers=by_session).json["key"]
        self.headers = {"X-API-Key": key}

    def upload(self, count):
        """Upload so many documents of 4 KiB."""
        payload = base64.b64encode(os.urandom(4 << 10)).decode()
        body = {"name": "report.pdf", "contentType": "application/pdf", "payload": payload}
        for _ in range(count):
            answer = self.app.test_client().post("/v1/documents", json=body, headers=self.headers)
            assert answer.status_code == 201


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def service(folder):
    service = Service(folder)
    yield service
    service.app.extensions["runtime"].close()


def test_an_upload_of_4_kib_writes_at_most_150_kib_to_the_write_ahead_log(service, folder):
    service.upload(UPLOADS)
    with connected():
        engine().truncate_wal()
    service.upload(UPLOADS)

    logged_bytes = (folder / "documents.sqlite-wal").stat().st_size
    assert logged_bytes / UPLOADS <= 150 << 10


def test_the_events_of_an_upload_read_and_move_the_head_of_their_chain_once(service):
    service.upload(1)
    statements = []
    with connected(), database.on_writer():
        writer = database.connection()
    writer.set_trace_callback(statements.append)
    service.upload(1)
    writer.set_trace_callback(None)

    events = [one for one in statements if one.startswith('INSERT INTO "event"')]
    heads = [one.split()[0] for one in statements if '"event_head"' in one]
    assert (len(events), heads) == (2, ["SELECT", "UPDATE"])
