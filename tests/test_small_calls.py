"""Bytes and statements of small calls, counted: the load of the machine does not matter."""

import base64
import os

import pytest

from crypto import keyring
from models.storage import connected, database, engine
from tests.in_process import application

UPLOADS = 50


def upload(app, headers, count):
    """Upload so many documents of 4 KiB."""
    payload = base64.b64encode(os.urandom(4 << 10)).decode()
    body = {"name": "report.pdf", "contentType": "application/pdf", "payload": payload}
    for _ in range(count):
        answer = app.test_client().post("/v1/documents", json=body, headers=headers)
        assert answer.status_code == 201


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def service(folder):
    with application(folder) as service:
        yield service


def test_an_upload_of_4_kib_writes_at_most_90_kib_to_the_write_ahead_log(service, folder):
    upload(*service, UPLOADS)
    with connected():
        engine().truncate_wal()
    upload(*service, UPLOADS)

    logged_bytes = (folder / "documents.sqlite-wal").stat().st_size
    assert logged_bytes / UPLOADS <= 90 << 10


def test_the_events_of_an_upload_read_and_move_the_head_of_their_chain_once(service):
    upload(*service, 1)
    statements = []
    with connected(), database.on_writer():
        writer = database.connection()
    writer.set_trace_callback(statements.append)
    upload(*service, 1)
    writer.set_trace_callback(None)

    events = [one for one in statements if one.startswith('INSERT INTO "event"')]
    heads = [one.split()[0] for one in statements if '"event_head"' in one]
    assert (len(events), heads) == (2, ["SELECT", "UPDATE"])


def stored_markdown(app, headers):
    """The record of a new document, which has a preview and a link."""
    body = {"contentType": "text/markdown", "payload": base64.b64encode(b"# Hello").decode()}
    return app.test_client().post("/v1/documents", json=body, headers=headers).json


def test_the_keyring_is_looked_at_once_in_a_call_that_reads(service, monkeypatch):
    app, headers = service
    made = stored_markdown(app, headers)
    path = f"/v1/documents/{made['id']}"
    looks = []
    stamp = keyring._stamp
    monkeypatch.setattr(keyring, "_stamp", lambda path: looks.append(path) or stamp(path))

    def looks_of(path, **headers):
        app.test_client().get(path, headers=headers)
        looks.clear()
        assert app.test_client().get(path, headers=headers).status_code == 200
        return len(looks)

    for read in ("/v1/documents?limit=50", path, f"{path}/content"):
        assert looks_of(read, **headers) == 1, read
    assert looks_of(f"{path}/view?token={made['token']['token']}") == 1
    looks.clear()
    upload(app, headers, 1)
    assert len(looks) == 2  # once more in the transaction that wraps a key


def test_a_view_by_a_link_without_terms_makes_five_statements(service, monkeypatch):
    app, headers = service
    made = stored_markdown(app, headers)
    path = f"/v1/documents/{made['id']}/view?token={made['token']['token']}"
    statements = []
    execute = type(database.obj).execute_sql

    def noted(self, sql, params=None):
        statements.append(sql)
        return execute(self, sql, params)

    assert app.test_client().get(path).status_code == 200  # its preview is kept from now on
    monkeypatch.setattr(type(database.obj), "execute_sql", noted)
    assert app.test_client().get(path).status_code == 200
    assert len(statements) == 5  # link, document, payload, preview, and the link once more
