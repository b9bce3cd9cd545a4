"""What small calls cost, counted, so that the load of the machine does not matter."""

import base64
import io
import os
import sys

import pytest
from werkzeug.test import EnvironBuilder

from app import create_app
from models.storage import connected, database, truncate_wal
from tests import plain_stack
from tests.people import PASSWORD

LOGIN = {"email": "alice@example.org", "password": PASSWORD}
UPLOADS = 50


@pytest.fixture
def service(tmp_path):
    """The application, and the headers of a caller by API key."""
    app = create_app({"INSTANCE_PATH": str(tmp_path), "RATE_LIMITS": "off"})
    client = app.test_client()
    client.post("/v1/auth/register", json=LOGIN)
    token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
    made = client.post("/v1/api-keys", json={}, headers={"Authorization": f"Bearer {token}"})
    yield app, {"X-API-Key": made.json["key"]}
    app.extensions["runtime"].close()


def upload(app, headers, count):
    payload = base64.b64encode(os.urandom(4096)).decode()
    body = {"name": "report.pdf", "contentType": "application/pdf", "payload": payload}
    for _ in range(count):
        answer = app.test_client().post("/v1/documents", json=body, headers=headers)
        assert answer.status_code == 201


def executed(app, headers, path):
    """The number of bytecodes that a request executes, and its response."""
    if sys.gettrace():
        pytest.skip("a debugger or a coverage tool traces this process")
    count, response = 0, io.BytesIO()

    def trace(frame, event, _):
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    environ = EnvironBuilder(path, headers=headers).get_environ()
    environ["REQUEST_URI"] = path
    sys.settrace(trace)
    try:
        pieces = app(environ, lambda *_: response.write)
        response.writelines(pieces)
        pieces.close()
    finally:
        sys.settrace(None)
    return count, response.getvalue()


def fewest(app, headers, path):
    """The first requests also compile and import; and a connection may be opened."""
    return min(executed(app, headers, path)[0] for _ in range(5))


def test_an_upload_of_4_kib_writes_at_most_150_kib_to_the_write_ahead_log(service, tmp_path):
    upload(*service, UPLOADS)
    with connected():
        truncate_wal()
    upload(*service, UPLOADS)

    written = (tmp_path / "documents.sqlite-wal").stat().st_size
    assert written / UPLOADS <= 150 << 10


def test_the_events_of_an_upload_read_and_move_the_head_of_their_chain_once(service):
    upload(*service, 1)
    statements = []
    with connected():
        database.connection().set_trace_callback(statements.append)
        upload(*service, 1)
        database.connection().set_trace_callback(None)

    events = [one for one in statements if one.startswith('INSERT INTO "event"')]
    heads = [one.split()[0] for one in statements if '"event_head"' in one]
    assert (len(events), heads) == (2, ["SELECT", "UPDATE"])


@pytest.mark.parametrize("limit", [1, 50])
def test_a_list_executes_at_most_half_more_than_the_same_libraries_do(service, limit):
    upload(*service, limit + 1)
    path = f"/v1/documents?limit={limit}"
    plain = plain_stack.create_app(limit + 1), {"X-API-Key": plain_stack.KEY}

    assert executed(*service, path)[1].count(b"sha256") == limit
    assert executed(*plain, path)[1].count(b"sha256") == limit
    assert fewest(*service, path) <= 1.5 * fewest(*plain, path)
