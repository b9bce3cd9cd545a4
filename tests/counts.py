"""Counts of what small calls cost: they do not depend on the load of the machine."""

import base64
import io
import os
import sys
from contextlib import contextmanager

from werkzeug.test import EnvironBuilder

from app import create_app
from models.storage import connected, truncate_wal
from tests import plain_stack
from tests.people import PASSWORD

LOGIN = {"email": "alice@example.org", "password": PASSWORD}
UPLOADS = 50


@contextmanager
def application(folder):
    """The application, and the headers of a caller by API key."""
    app = create_app({"INSTANCE_PATH": str(folder), "RATE_LIMITS": "off"})
    client = app.test_client()
    client.post("/v1/auth/register", json=LOGIN)
    token = client.post("/v1/auth/login", json=LOGIN).json["accessToken"]
    made = client.post("/v1/api-keys", json={}, headers={"Authorization": f"Bearer {token}"})
    yield app, {"X-API-Key": made.json["key"]}
    app.extensions["runtime"].close()


def upload(app, headers, count):
    """Upload so many documents of 4 KiB."""
    payload = base64.b64encode(os.urandom(4096)).decode()
    body = {"name": "report.pdf", "contentType": "application/pdf", "payload": payload}
    for _ in range(count):
        answer = app.test_client().post("/v1/documents", json=body, headers=headers)
        assert answer.status_code == 201


def logged_bytes(app, headers, folder):
    """The bytes that an upload of 4 KiB writes to the write-ahead log."""
    upload(app, headers, UPLOADS)
    with connected():
        truncate_wal()
    upload(app, headers, UPLOADS)
    return (folder / "documents.sqlite-wal").stat().st_size / UPLOADS


def executed(app, headers, path):
    """The number of bytecodes that a request executes, and its response."""
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


def of_list(app, headers, limit):
    """Bytecodes of a list of `limit` documents: ours, and by the same libraries without rules."""
    upload(app, headers, limit + 1)
    path = f"/v1/documents?limit={limit}"
    plain = plain_stack.create_app(limit + 1), {"X-API-Key": plain_stack.KEY}
    for one in ((app, headers), plain):
        _, text = executed(*one, path)
        assert text.count(b"sha256") == limit
    return _fewest(app, headers, path), _fewest(*plain, path)


def _fewest(app, headers, path):
    """The first requests also compile and import; and a connection may be opened."""
    return min(executed(app, headers, path)[0] for _ in range(5))
