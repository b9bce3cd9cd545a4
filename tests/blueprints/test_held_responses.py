"""Requests whose responses wait for the disk, through the server: answers, log, and order."""

import http.client
import json
import threading
from contextlib import closing, contextmanager
from functools import partial
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest

from models import Document, connected
from models.storage import group_commit, sync_for_responses
from server import Limits, Server
from testing import service_in_process
from tests.formats import b64
from tests.forms import FORM, body, file
from tests.in_process import LOGIN
from tests.waiting import join_threads, start_threads, until

UPLOAD = {"payload": b64(b"what is sent"), "contentType": "text/plain"}

FROM_PAGE = {"Accept": "text/html", "Content_Type": "application/x-www-form-urlencoded"}


class Disk:
    """The disk of the write-ahead log: its syncs wait until they may end, or fail."""

    def __init__(self):
        self.began = 0
        self.may_end = threading.Event()
        self.may_end.set()
        self.is_failing = False

    def sync(self, _handle):
        self.began += 1
        assert self.may_end.wait(60)
        if self.is_failing:
            raise OSError(5, "the disk")


class Client:
    """A connection that is kept."""

    def __init__(self, port):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def call(self, method, path, sent=None, **headers):
        """Return the status, the JSON or the text, and the headers of a response."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(sent, dict):
            sent = json.dumps(sent)
            headers["Content-Type"] = "application/json"
        self._connection.request(method, path, sent, headers)
        response = self._connection.getresponse()
        text = response.read().decode()
        is_json = "json" in response.headers.get("Content-Type", "")
        return response.status, json.loads(text) if is_json else text, response.headers

    def close(self):
        self._connection.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """The service behind its server, with an account whose key is `key`."""
    with service_in_process(tmp_path_factory.mktemp("held"), RATE_LIMITS="off") as service:
        server = Server(
            service.app, Limits(4 << 20), listen="127.0.0.1:0", threads=2, sync=sync_for_responses
        )
        thread = threading.Thread(target=server.serve)
        thread.start()
        service.server = server
        service.port = server.port
        try:
            client = Client(server.port)
            client.call("POST", "/v1/auth/register", LOGIN)
            _, session, _ = client.call("POST", "/v1/auth/login", LOGIN)
            token = f"Bearer {session['accessToken']}"
            service.key = client.call("POST", "/v1/api-keys", {}, Authorization=token)[1]["key"]
            client.close()
            yield service
        finally:
            server.stop()
            thread.join(60)


@pytest.fixture
def disk(monkeypatch):
    disk = Disk()
    monkeypatch.setattr(group_commit, "_fdatasync", disk.sync)
    return disk


@pytest.fixture
def client(running):
    client = Client(running.port)
    yield client
    client.close()


def path_for_files(client, key):
    """The path to which a stranger sends files, by a new link of the key's account."""
    by_key = {"X_API_Key": key}
    _, document, _ = client.call("POST", "/v1/documents", UPLOAD, **by_key)
    collection = {"title": "Inbox", "documentIds": [document["id"]]}
    _, inbox, _ = client.call("POST", "/v1/collections", collection, **by_key)
    terms = {"permissions": ["upload"]}
    _, link, _ = client.call("POST", f"/v1/collections/{inbox['id']}/tokens", terms, **by_key)
    return f"/s?token={link['token']}"


@contextmanager
def logged():
    """The lines of the log that requests make, as facts."""
    with patch("blueprints.hooks.log_access") as log:
        lines = []
        log.side_effect = lines.append
        yield lines


def test_an_upload_whose_sync_fails_says_that_it_is_stored(running, client, disk):
    disk.is_failing = True
    with logged() as lines:
        status, problem, headers = client.call(
            "POST", "/v1/documents", UPLOAD, X_API_Key=running.key, X_Request_Id="mine"
        )
    assert (status, problem["code"], problem["requestId"]) == (507, "storage_full", "mine")
    assert headers["X-Request-Id"] == "mine"
    assert headers["Cache-Control"] == "private, no-store"
    _, id, *_ = problem["detail"].split()
    assert problem["detail"].startswith(f"Document {id} is stored. But the disk did not confirm it")
    with connected():
        assert b"".join(Document.find(id).read()) == b"what is sent"
    [line] = lines
    assert (line.status, line.route, line.request_id) == (507, "/v1/documents", "mine")
    assert line.caller.startswith("usr_")


def test_the_next_upload_behind_a_failed_sync_is_confirmed(running, client, disk):
    disk.is_failing = True
    assert client.call("POST", "/v1/documents", UPLOAD, X_API_Key=running.key)[0] == 507
    disk.is_failing = False
    status, document, _ = client.call("POST", "/v1/documents", UPLOAD, X_API_Key=running.key)
    assert status == 201
    path = f"/v1/documents/{document['id']}/content"
    assert client.call("GET", path, X_API_Key=running.key)[1] == "what is sent"


def test_an_upload_with_a_key_is_answered_once_the_disk_works_again(running, client, disk):
    disk.is_failing = True
    headers = {"X_API_Key": running.key, "Idempotency_Key": "once"}
    assert client.call("POST", "/v1/documents", UPLOAD, **headers)[0] == 507
    disk.is_failing = False
    status, document, given = client.call("POST", "/v1/documents", UPLOAD, **headers)
    assert (status, given["Idempotency-Replayed"]) == (201, "true")
    with connected():
        assert Document.find(document["id"]) is not None


def test_a_stranger_whose_file_is_not_synced_learns_nothing_of_the_owner(running, client, disk):
    path = path_for_files(client, running.key)
    disk.is_failing = True
    sent = body(file("a.txt", b"what a stranger sends"))
    status, problem, _ = client.call("POST", path, sent, Content_Type=FORM)
    assert (status, problem["code"]) == (507, "storage_full")
    assert problem["detail"] == (
        "The disk did not confirm this, but it may have arrived: ask before you send it again."
    )


def test_a_browser_whose_view_is_not_synced_gets_a_page_that_says_so(running, client, disk):
    terms = {"token": {"maxViews": 5}}
    by_key = {"X_API_Key": running.key}
    _, document, _ = client.call("POST", "/v1/documents", UPLOAD | terms, **by_key)
    path = f"/v1/documents/{document['id']}/view?token={document['token']['token']}"
    disk.is_failing = True
    status, page, headers = client.call("POST", path, b"", **FROM_PAGE)
    assert (status, headers["Content-Type"]) == (507, "text/html; charset=utf-8")
    assert "<p>Tell the person who sent it.</p>" in page
    disk.is_failing = False
    status, page, _ = client.call("POST", path, b"", **FROM_PAGE)
    assert (status, "what is sent" in page) == (200, True)


def test_others_see_a_change_before_it_is_on_disk_and_its_client_is_answered_behind_that(
    running, client, disk
):
    answers = []

    def send():
        sent = UPLOAD | {"name": "seen meanwhile"}
        answers.append(client.call("POST", "/v1/documents", sent, X_API_Key=running.key))

    with closing(Client(running.port)) as other, logged() as lines:
        other.call("GET", "/healthz")
        disk.may_end.clear()
        thread = threading.Thread(target=send)
        thread.start()
        try:
            until(lambda: disk.began == 1)
            _, listed, _ = other.call("GET", "/v1/documents?limit=1", X_API_Key=running.key)
            assert listed["documents"][0]["name"] == "seen meanwhile"
            assert (answers, [line.route for line in lines]) == ([], ["/healthz", "/v1/documents"])
        finally:
            disk.may_end.set()
            thread.join(60)
    assert [answer[0] for answer in answers] == [201]
    assert [(line.method, line.status) for line in lines[1:]] == [("GET", 200), ("POST", 201)]


def test_a_request_that_is_sent_again_waits_for_the_disk_as_the_first_one_does(
    running, client, disk
):
    headers = {"X_API_Key": running.key, "Idempotency_Key": "sent-twice"}
    answers = []

    def send(sender):
        answers.append(sender.call("POST", "/v1/documents", UPLOAD, **headers))

    with closing(Client(running.port)) as other:
        other.call("GET", "/healthz")
        disk.may_end.clear()
        threads = start_threads(partial(send, client))
        try:
            until(lambda: disk.began == 1)
            threads += start_threads(partial(send, other))
            until(lambda: len(running.server._workers._held._waiting) == 1)
            assert answers == []
        finally:
            disk.may_end.set()
            join_threads(threads)
    assert [status for status, _, _ in answers] == [201, 201]
    assert len({document["id"] for _, document, _ in answers}) == 1
    assert disk.began == 2


def test_what_has_arrived_is_told_behind_its_sync(running, client, disk):
    headers = {"X_API_Key": running.key, "Tus_Resumable": "1.0.0"}
    _, _, begun = client.call("POST", "/v1/uploads", b"", Upload_Length="6", **headers)
    path = urlsplit(begun["Location"]).path
    offsets = []

    def send():
        client.call(
            "PATCH",
            path,
            b"abc",
            Upload_Offset="0",
            Content_Type="application/offset+octet-stream",
            **headers,
        )

    def ask(sender):
        offsets.append(sender.call("HEAD", path, **headers)[2]["Upload-Offset"])

    with closing(Client(running.port)) as other:
        other.call("GET", "/healthz")
        disk.may_end.clear()
        threads = start_threads(send)
        try:
            until(lambda: disk.began == 2)
            threads += start_threads(partial(ask, other))
            until(lambda: len(running.server._workers._held._waiting) == 1)
            assert offsets == []
        finally:
            disk.may_end.set()
            join_threads(threads)
    assert offsets == ["3"]


def test_the_page_of_a_stranger_says_that_a_file_may_have_arrived(running, client, disk):
    path = path_for_files(client, running.key)
    disk.is_failing = True
    sent = body(file("a.txt", b"what a stranger sends"))
    status, page, _ = client.call("POST", path, sent, Content_Type=FORM, Accept="text/html")
    assert status == 507
    assert "This may have arrived" in page
    assert "You can send it again" not in page
