"""Counts of what small calls cost: they do not depend on the load of the machine."""

import base64
import io
import os
import sqlite3
import sys
from contextlib import closing, contextmanager, redirect_stderr
from unittest.mock import patch

from werkzeug.test import EnvironBuilder

from app import create_app
from blueprints.http import access_log
from models.storage import connected, engine
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
    body = _document(4)
    for _ in range(count):
        answer = app.test_client().post("/v1/documents", json=body, headers=headers)
        assert answer.status_code == 201


def _document(kib):
    """The body of an upload."""
    payload = base64.b64encode(os.urandom(kib << 10)).decode()
    return {"name": "report.pdf", "contentType": "application/pdf", "payload": payload}


def logged_bytes(app, headers, folder):
    """The bytes that an upload of 4 KiB writes to the write-ahead log."""
    upload(app, headers, UPLOADS)
    with connected():
        engine().truncate_wal()
    upload(app, headers, UPLOADS)
    return (folder / "documents.sqlite-wal").stat().st_size / UPLOADS


def executed(app, headers, path, body=None):
    """The number of bytecodes that a request executes, and its response."""
    response = io.BytesIO()
    method = "POST" if body else "GET"
    environ = EnvironBuilder(path, method=method, headers=headers, json=body).get_environ()
    environ["REQUEST_URI"] = path
    with (_monitored if hasattr(sys, "monitoring") else _traced)() as instructions:
        pieces = app(environ, lambda *_: response.write)
        response.writelines(pieces)
        getattr(pieces, "close", lambda: None)()
    return instructions[0], response.getvalue()


@contextmanager
def _monitored():
    """The number of instructions in the block, from Python 3.12 on, where `_traced` misses some."""
    instructions, monitoring = [0], sys.monitoring
    event, tool = monitoring.events.INSTRUCTION, monitoring.PROFILER_ID

    def count(*_):
        instructions[0] += 1

    monitoring.use_tool_id(tool, "counts")
    monitoring.register_callback(tool, event, count)
    monitoring.set_events(tool, event)
    try:
        yield instructions
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


@contextmanager
def _traced():
    instructions = [0]

    def trace(frame, event, _):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        instructions[0] += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        yield instructions
    finally:
        sys.settrace(None)


@contextmanager
def _access_log():
    """Log accesses in the block, as the service does unless told otherwise."""
    with redirect_stderr(io.StringIO()), patch.object(access_log, "_form", "text"):
        yield


def of_list(app, headers, limit):
    """Bytecodes of a list of `limit` documents: ours, logged, and by the same libraries without
    rules.
    """
    upload(app, headers, limit + 1)
    return _beside_plain(app, headers, f"/v1/documents?limit={limit}", limit)


def of_upload(app, headers, kib):
    """The same of an upload of so many KiB."""
    return _beside_plain(app, headers, "/v1/documents", 1, _document(kib))


def _beside_plain(app, headers, path, records, body=None):
    with closing(sqlite3.connect(":memory:")) as database:
        plain = plain_stack.create_app(records + 1, database)
        by_key = {"X-API-Key": plain_stack.KEY}
        with _access_log():
            own = _fewest(app, headers, path, records, body)
        return own, _fewest(plain, by_key, path, records, body)


def _fewest(app, headers, path, records, body):
    """The first requests also compile and import; and a connection may be opened."""
    found = [executed(app, headers, path, body) for _ in range(5)]
    assert {text.count(b"sha256") for _, text in found} == {records}
    return min(count for count, _ in found)
