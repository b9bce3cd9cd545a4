"""Uploads in pieces over lines that break, services that are killed, and what is left of them."""

import contextlib
import hashlib
import http.client
import socket
import threading
import time
from pathlib import Path

import pytest

from tests.contract.test_memory import peak_kib
from tests.contract.test_receiving import requested
from tests.people import Person
from tests.problems import refused
from tests.service import QuickService
from tests.tus import STREAM, Upload, begin
from tests.waiting import until

STEP = 8 << 20
SIZE = 40_000_001
BOTH_PLACES = pytest.mark.parametrize(
    "size",
    [
        pytest.param(70_000_001, id="in a file", marks=pytest.mark.sqlite_only("there are none")),
        pytest.param(SIZE, id="in rows"),
    ],
)


def content_of(size):
    block = hashlib.sha256(b"a block").digest() * (32 << 10)
    return b"".join(number.to_bytes(4) + block for number in range(size // len(block) + 1))[:size]


@pytest.fixture(scope="module")
def content():
    return content_of(SIZE)


@pytest.fixture
def person(restarted):
    return restarted.register()


def opened(upload, offset, length, more=()):
    """A connection on which the head of a PATCH was sent."""
    headers = STREAM | {"Upload-Offset": str(offset), "Content-Length": str(length)} | dict(more)
    return head_sent(upload.person, "PATCH", upload.path, headers)


def head_sent(person, method, path, headers):
    """A connection on which the head of a request was sent, and nothing of its body."""
    connection = http.client.HTTPConnection("127.0.0.1", person.service.port, timeout=60)
    connection.putrequest(method, path)
    for name, value in (person.credential | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection


def cut(connection):
    """End a connection as a broken line does."""
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()


@pytest.mark.slow
@BOTH_PLACES
def test_a_file_of_many_steps_in_one_request_is_the_same_file(person, size):
    content = content_of(size)
    upload = Upload.begin(person, size, filename="film.mp4")
    answer = upload.send(content, 0)
    assert (answer.status, answer.headers["Upload-Offset"]) == (204, str(size))
    assert answer.headers["Document-Id"]
    assert upload.get().json["document"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert upload.content() == content


def test_a_beginning_of_several_steps_begins_one_upload(person):
    content = content_of(2 * STEP + 5)
    upload = Upload.begin(person, len(content) + 1, content)
    assert upload.answer.headers["Upload-Offset"] == str(len(content))
    assert len(person.get("/v1/uploads").json["uploads"]) == 1
    upload.send(b"a", len(content))
    assert upload.content() == content + b"a"


def test_the_body_of_a_repeated_beginning_is_dropped_in_all_its_steps(person):
    content = content_of(2 * STEP + 5)
    key = {"Idempotency-Key": "once"}
    first = Upload(person, begin(person, len(content) + 1, content, headers=key))
    again = begin(person, len(content) + 1, content, headers=key)
    assert (again.status, again.headers["Upload-Offset"]) == (201, str(len(content)))
    assert again.headers["Location"] == first.answer.headers["Location"]
    first.send(b"a", len(content))
    assert first.content() == content + b"a"


def test_a_body_of_whole_steps_is_answered_when_it_ends(person):
    content = content_of(2 * STEP)
    upload = Upload.begin(person, len(content))
    answer = upload.send(content, 0)
    assert (answer.status, answer.headers["Upload-Offset"]) == (204, str(len(content)))
    assert upload.content() == content


def test_of_a_line_that_breaks_all_is_kept_that_had_arrived(person):
    content = content_of(STEP + 3_000_000)
    upload = Upload.begin(person, len(content))
    connection = opened(upload, 0, len(content))
    connection.send(content[: STEP + 2_000_000])
    until(lambda: upload.offset() >= STEP)
    cut(connection)
    arrived = until(lambda: upload.offset() == STEP + 2_000_000 and upload.offset())
    assert upload.send(content[arrived:], arrived).status == 204
    assert upload.content() == content


def test_whoever_resumes_wins_over_a_connection_that_hangs(person):
    content = content_of(2 * STEP)
    upload = Upload.begin(person, len(content))
    connection = opened(upload, 0, len(content))
    connection.send(content[: STEP + 1000])
    arrived = until(upload.offset)
    assert upload.send(content[arrived:], arrived).status == 204
    connection.send(content[STEP + 1000 :])
    answer = connection.getresponse()
    assert answer.status == 409
    assert answer.headers["Upload-Offset"] == str(len(content))
    answer.read()
    connection.close()
    assert upload.content() == content


@pytest.mark.slow
@BOTH_PLACES
def test_a_service_that_is_killed_at_any_moment_goes_on_with_the_same_bytes(
    restarted, person, size
):
    content = content_of(size)
    upload = Upload.begin(person, size)
    offsets = [0]
    for kill_at in (STEP, 3 * STEP):
        connection = opened(upload, offsets[-1], size - offsets[-1])
        sender = threading.Thread(target=_send, args=(connection, content[offsets[-1] :]))
        sender.start()
        until(lambda at=kill_at: upload.offset() >= at)
        restarted.kill()
        sender.join()
        connection.close()
        restarted.start()
        offsets.append(upload.offset())
        assert offsets[-1] >= kill_at
    assert upload.send(content[offsets[-1] :], offsets[-1]).status == 204
    until(lambda: upload.get().json["document"])
    assert upload.get().json["document"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert upload.content() == content


def _send(connection, data):
    with contextlib.suppress(OSError):
        connection.send(data)


@pytest.mark.slow
def test_the_document_of_a_last_byte_after_a_restart_is_stored_beside_the_requests(
    restarted, person, content
):
    upload = Upload.begin(person, SIZE, token='{"label": "for Carl"}')
    upload.send(content[:-1], 0)
    restarted.restart()
    answer = upload.send(content[-1:], SIZE - 1)
    assert (answer.status, answer.headers["Upload-Offset"]) == (204, str(SIZE))
    document = until(lambda: upload.get().json["document"])
    assert document["sha256"] == hashlib.sha256(content).hexdigest()
    assert [link["label"] for link in person.links(document)] == ["for Carl"]
    created = next(one for one in person.events() if one["type"] == "document.created")
    assert (created["data"]["via"], created["data"]["uploadId"]) == ("session", upload.id)
    assert upload.head().headers["Document-Id"] == document["id"]
    assert upload.content() == content


@pytest.mark.slow
def test_why_no_document_is_stored_after_a_restart_is_known_for_a_day(restarted, person, content):
    upload = Upload.begin(person, SIZE, sha256="0" * 64)
    upload.send(content[:-1], 0)
    restarted.restart()
    assert upload.send(content[-1:], SIZE - 1).status == 204
    record = until(lambda: (one := upload.get().json).get("failed") and one)
    assert record["failed"] == {"code": "checksum_mismatch"}
    assert (record["documentId"], record["document"]) == (None, None)
    assert person.get("/v1/documents").json["documents"] == []
    assert person.get("/v1/uploads").json["uploads"] == []
    assert upload.end().status == 204


@pytest.mark.slow
def test_a_service_that_is_killed_before_the_document_is_stored_stores_it_later(
    start_service, content
):
    service = start_service(HeldDigests, RATE_LIMITS="off")
    person = service.register()
    upload = Upload.begin(person, SIZE)
    upload.send(content[:-1], 0)
    service.restart()
    (service.temporary / "held").touch()
    assert upload.send(content[-1:], SIZE - 1).status == 204
    assert upload.get().json["document"] is None
    assert upload.send(b"", SIZE).status == 409
    service.kill()
    (service.temporary / "held").unlink()
    service.start()
    document = until(lambda: upload.get().json["document"])
    assert document["sha256"] == hashlib.sha256(content).hexdigest()


class HeldDigests(QuickService):
    """Reads nothing again while there is the file `held`."""

    program = f"""
import os, pathlib, time
from models.uploads import catching_up
read = catching_up._read_slice
held = pathlib.Path(os.environ["TMPDIR"], "held")
def read_later(upload_id):
    while held.exists():
        time.sleep(0.01)
    return read(upload_id)
catching_up._read_slice = read_later
{QuickService.program}"""


@pytest.mark.sqlite_only("on a server payloads lie in rows or objects")
def test_an_upload_in_a_file_leaves_nothing_when_it_is_ended(restarted, person):
    upload = Upload.begin(person, 100 << 20, content_of(STEP))
    file = restarted.instance / "payloads" / upload.id[-2:] / upload.id
    assert file.stat().st_mode & 0o777 == 0o600
    assert upload.end().status == 204
    until(lambda: not file.exists(), 10)


OTHER_TYPE = {"Content-Type": "application/octet-stream"}


@pytest.mark.parametrize(
    ("offset", "length", "more", "status"),
    [
        ("0", 10**15, {}, 413),
        ("0", SIZE + 1, {}, 413),
        ("1", SIZE, {}, 409),
        ("x", SIZE, {}, 422),
        ("0", SIZE, OTHER_TYPE, 415),
    ],
)
def test_what_the_head_shows_to_be_wrong_is_refused_before_the_body_comes(
    alice, offset, length, more, status
):
    upload = Upload.begin(alice, SIZE)
    connection = opened(upload, offset, length, more)
    assert connection.getresponse().status == status
    connection.close()
    assert upload.offset() == 0


@pytest.mark.parametrize(
    ("length", "more", "status"), [(SIZE + 1, {}, 413), (SIZE, OTHER_TYPE, 415)]
)
def test_a_wrong_beginning_is_refused_before_the_body_comes(alice, length, more, status):
    sizes = {"Upload-Length": str(SIZE), "Content-Length": str(length)}
    connection = head_sent(alice, "POST", "/v1/uploads", STREAM | sizes | more)
    assert connection.getresponse().status == status
    connection.close()


def test_a_key_that_is_revoked_within_a_body_ends_it_behind_the_steps_before(person):
    key = person.create_api_key(scopes=["documents:write"])
    content = content_of(3 * STEP)
    upload = Upload.begin(key, len(content))
    connection = opened(upload, 0, len(content))
    connection.send(content[:STEP])
    until(lambda: upload.offset(by=person) == STEP)
    person.delete(f"/v1/api-keys/{key.record['id']}")
    with contextlib.suppress(OSError):  # it may be closed before all is sent
        connection.send(content[STEP:])
    assert connection.getresponse().status == 401
    connection.close()
    assert upload.offset(by=person) == STEP
    assert upload.send(content[STEP:], STEP, by=person).status == 204
    assert upload.get(by=person).json["document"]["size"] == len(content)


@pytest.mark.parametrize("turned_off", [True, False], ids=["turned off", "revoked"])
def test_a_link_that_ends_within_a_body_ends_it_and_one_that_is_off_lets_it_wait(
    person, turned_off
):
    collection = person.post("/v1/collections", json={"title": "Offers"}).json
    link = requested(person, collection)
    content = content_of(3 * STEP)
    stranger = Person(person.service)
    upload = Upload.begin(stranger, len(content), at=f"/s/uploads?token={link['token']}")
    connection = opened(upload, 0, len(content))
    connection.send(content[:STEP])
    until(lambda: upload.offset() == STEP)
    path = f"/v1/tokens/{link['id']}"
    if turned_off:
        person.patch(path, json={"enabled": False})
    else:
        person.delete(path)
    with contextlib.suppress(OSError):  # it may be closed before all is sent
        connection.send(content[STEP:])
    assert connection.getresponse().status == 410
    connection.close()
    if turned_off:
        person.patch(path, json={"enabled": True})
        assert upload.send(content[STEP:], STEP).status == 204
        assert upload.get().json["receipt"]["sha256"] == hashlib.sha256(content).hexdigest()
    else:
        assert upload.send(content[STEP:], STEP).status == 410
        assert person.get("/v1/documents").json["documents"] == []


@pytest.mark.slow
@pytest.mark.sqlite_only("rows of PostgreSQL have another bound")
def test_memory_holds_one_step_of_a_long_body(restarted, person):
    size = 300 << 20
    content = content_of(size)
    Upload.begin(person, 1, b"a")  # what a first upload imports
    Path(f"/proc/{restarted.process.pid}/clear_refs").write_text("5")
    before = peak_kib(restarted.process)
    upload = Upload.begin(person, size)
    assert upload.send(content, 0).status == 204
    assert peak_kib(restarted.process) - before <= 48 << 10


@pytest.mark.slow
def test_beside_thirty_slow_senders_others_are_served(person):
    uploads = [Upload.begin(person, SIZE) for _ in range(30)]
    connections = [opened(upload, 0, SIZE) for upload in uploads]
    try:
        for connection in connections:
            connection.send(b"a" * 1000)
        began = time.monotonic()
        assert Upload.begin(person, 1000, bytes(1000)).content() == bytes(1000)
        assert time.monotonic() - began < 3
    finally:
        for connection in connections:
            cut(connection)


@pytest.mark.slow
def test_a_long_body_by_a_link_gives_way_to_whoever_was_refused_and_goes_on_behind(person):
    collection = person.post("/v1/collections", json={"title": "Offers"}).json
    link = requested(person, collection)
    stranger, size = Person(person.service), 9 * STEP
    content = content_of(size)
    at = f"/s/uploads?token={link['token']}"
    long, other, late = (Upload.begin(stranger, size, at=at) for _ in range(3))
    connections = [opened(one, 0, size) for one in (long, other)]
    for connection, upload in zip(connections, (long, other), strict=True):
        connection.send(content[:STEP])
        until(lambda upload=upload: upload.offset() == STEP)
    answer = late.send(content, 0, errors=[503])
    refused(answer, 503, "busy")
    assert answer.headers["Tus-Resumable"] == "1.0.0"
    assert late.offset() == 0

    with contextlib.suppress(OSError):  # it may be closed before all is sent
        connections[0].send(content[STEP:])
    answer = connections[0].getresponse()
    assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
    connections[0].close()
    arrived = long.offset()
    assert 64 << 20 <= arrived < size
    for upload in (late, long):  # a slot is free behind the answer
        until(lambda upload=upload: rest_sent(upload, content).status == 204)
    cut(connections[1])
    assert {one["size"] for one in person.get("/v1/documents").json["documents"]} == {size}


def rest_sent(upload, content):
    at = upload.offset()
    return upload.send(content[at:], at, errors=[503])
