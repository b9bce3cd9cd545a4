"""Uploads in pieces by a link that takes files: what strangers may, learn and multiply."""

import hashlib
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.contract.requests import AS_JSON
from tests.contract.test_receiving import members, requested, send
from tests.people import Person
from tests.problems import refused
from tests.tus import STREAM, Upload, begin

CONTENT = bytes(range(256)) * 2000  # 512,000 bytes
HALF = 300_001
SECRET = "hunter22"
MOST_BYTES_OF_SQLITE = pytest.mark.sqlite_only("on a server without S3 it is MAX_DOCUMENT_BYTES")


@pytest.fixture
def collection(alice):
    return alice.post("/v1/collections", json={"title": "Offers"}).json


@pytest.fixture
def request_files(alice, collection):
    """A link to the collection that takes files."""
    return lambda **terms: requested(alice, collection, **terms)


def clocked_link(clocked):
    """A link that takes files, of a service whose clock the test sets."""
    person = clocked.register().create_api_key()
    collection = person.post("/v1/collections", json={"title": "Offers"}).json
    return requested(person, collection, expiresAt=None)


def path_of(link):
    return f"/s/uploads?token={link['token']}"


def begun(person, link, size=512_000, body=None, headers=(), **values):
    return Upload.begin(person, size, body, path_of(link), headers, **values)


def only_ticket(upload):
    return dict(parse_qsl(urlsplit(upload.path).query))["ticket"]


def test_a_chunked_beginning_of_another_type_is_refused(anonymous, request_files):
    head = {"Content-Type": "text/plain", "Upload-Length": "10"}
    answer = anonymous.post(path_of(request_files()), chunks=iter([b"a"]), headers=head)
    refused(answer, 415, "unsupported_media_type")


def test_a_stranger_sends_a_file_in_pieces(alice, anonymous, collection, request_files):
    link = request_files()
    upload = begun(
        anonymous,
        link,
        filename="scan.bin",
        filetype="application/x-scan",
        **{"from": "Mia", "relativePath": "plans/2026"},
    )
    assert upload.get().json["receipt"] is None
    assert upload.send(CONTENT[:HALF], 0).status == 204
    assert upload.offset() == HALF
    last = upload.send(CONTENT[HALF:], HALF)
    assert (last.status, last.headers["Upload-Offset"]) == (204, str(len(CONTENT)))
    assert "Document-Id" not in last.headers

    (document,) = members(alice, collection)
    assert (document["name"], document["contentType"]) == ("scan.bin", "application/x-scan")
    assert document["metadata"] == {"from": "Mia", "path": "plans/2026"}
    assert alice.links(document) == []
    found = upload.get().json
    receipt = found["receipt"]
    assert (found["id"], found["size"], found["received"]) == (upload.id, 512_000, 512_000)
    assert receipt["sha256"] == document["sha256"] == hashlib.sha256(CONTENT).hexdigest()
    assert (receipt["name"], receipt["size"]) == ("scan.bin", len(CONTENT))
    assert (receipt["filesLeft"], receipt["bytesLeft"]) == (19, (1 << 30) - len(CONTENT))
    assert document["id"] not in last.text + upload.get().text
    assert alice.get(f"/v1/documents/{document['id']}/content").body == CONTENT


def test_the_receipt_is_an_entry_of_the_owners_log(alice, anonymous, collection, request_files):
    link = request_files()
    receipt = begun(anonymous, link, 4, b"Four").get().json["receipt"]
    events = list(alice.events(f"&collectionId={collection['id']}"))
    (entry,) = [event for event in events if event["id"] == receipt["eventId"]]
    assert entry["hash"] == receipt["eventHash"]
    assert [event["type"] for event in events[-2:]] == ["document.created", "collection.added"]
    for event in events[-2:]:
        data = event["data"]
        by = (data["via"], data["tokenId"], data["collectionId"])
        assert by == ("document_token", link["id"], collection["id"])
        assert data["uploadId"].startswith("upl_")
        assert data["begunAt"] <= event["createdAt"]


@MOST_BYTES_OF_SQLITE
def test_what_a_link_takes_in_pieces_is_told_to_programs(service, anonymous, request_files):
    link = request_files()
    found = anonymous.get(f"/s?token={link['token']}", headers=AS_JSON).json
    assert found["uploadsUrl"] == f"{service.url}/s/uploads?token={link['token']}"
    assert found["maxUploadBytes"] == 1 << 34
    assert found["maxFileBytes"] == 64 << 20


def test_behind_a_password_the_address_comes_with_the_password(anonymous, request_files):
    link = request_files(password=SECRET)
    path = f"/s?token={link['token']}"
    assert anonymous.get(path, headers=AS_JSON).json["uploadsUrl"] is None
    refused(begin(anonymous, 4, at=path_of(link)), 403, "scope_missing")
    opened = anonymous.post(path, json={"password": SECRET}, headers=AS_JSON).json
    address = urlsplit(opened["uploadsUrl"])
    assert address.path == "/s/uploads"
    assert address.query.startswith("ticket=")
    upload = Upload.begin(anonymous, 4, b"Four", f"{address.path}?{address.query}")
    assert upload.get().json["receipt"]["size"] == 4


@MOST_BYTES_OF_SQLITE
def test_options_say_what_links_take(anonymous):
    answer = anonymous.request("OPTIONS", "/s/uploads")
    assert (answer.status, answer.headers["Tus-Version"]) == (204, "1.0.0")
    assert answer.headers["Tus-Max-Size"] == str(1 << 34)


# The ticket


def test_the_address_of_an_upload_holds_a_ticket_for_it(service, anonymous, request_files):
    upload = begun(anonymous, request_files())
    location = upload.answer.headers["Location"]
    assert location.startswith(f"{service.url}/s/uploads/{upload.id}?ticket=v4.local.")


def test_who_has_only_the_link_learns_of_no_upload(alice, anonymous, request_files):
    link = request_files()
    upload = begun(anonymous, link)
    for query in (f"token={link['token']}", ""):
        path = f"/s/uploads/{upload.id}?{query}"
        for method in ("HEAD", "GET", "PATCH", "DELETE"):
            headers = STREAM | {"Upload-Offset": "0"}
            answer = anonymous.request(method, path, data=b"x", headers=headers)
            assert answer.status == (404 if query else 401), (method, query)
    refused(alice.get(f"/v1/uploads/{upload.id}"), 404, "not_found")
    listed = alice.get("/v1/uploads?limit=100").json["uploads"]
    assert upload.id not in {one["id"] for one in listed}


def test_a_ticket_is_for_its_upload_alone(anonymous, request_files):
    link = request_files()
    upload, other = begun(anonymous, link), begun(anonymous, link)
    path = f"/s/uploads/{other.id}?ticket={only_ticket(upload)}"
    for method in ("HEAD", "GET", "PATCH", "DELETE"):
        headers = STREAM | {"Upload-Offset": "0"}
        answer = anonymous.request(method, path, data=b"x", headers=headers)
        assert answer.status == 404, method
    assert other.offset() == 0


def test_the_ticket_of_an_upload_begins_no_other_one_and_opens_no_page(anonymous, request_files):
    ticket = only_ticket(begun(anonymous, request_files()))
    refused(begin(anonymous, 4, at=f"/s/uploads?ticket={ticket}"), 403, "scope_missing")
    refused(anonymous.get(f"/s?ticket={ticket}", headers=AS_JSON), 403, "scope_missing")
    refused(send(anonymous, {}, query=f"ticket={ticket}"), 403, "scope_missing")


def test_a_ticket_ends_with_a_new_password(alice, anonymous, request_files):
    link = request_files()
    upload = begun(anonymous, link)
    alice.patch(f"/v1/tokens/{link['id']}", json={"password": SECRET})
    refused(upload.send(b"x", 0), 401, "not_authenticated")


def test_a_ticket_ends_with_its_upload(anonymous, request_files):
    upload = begun(anonymous, request_files())
    assert upload.end().status == 204
    refused(upload.end(), 404, "not_found")
    refused(upload.get(), 404, "not_found")


def test_a_receipt_is_kept_for_a_day(clocked):
    upload = begun(Person(clocked), clocked_link(clocked), 4, b"Four")
    clocked.set_clock(hours=23)
    assert upload.get().json["receipt"]["size"] == 4
    clocked.set_clock(hours=25)
    refused(upload.get(), 404, "not_found")


# The link


def test_a_link_that_is_off_lets_an_upload_wait(alice, anonymous, collection, request_files):
    link = request_files()
    upload = begun(anonymous, link, 8, b"Half")
    alice.patch(f"/v1/tokens/{link['id']}", json={"enabled": False})
    refused(upload.send(b"rest", 4), 410, "token_spent")
    assert upload.head().status == 410
    alice.patch(f"/v1/tokens/{link['id']}", json={"enabled": True})
    assert upload.offset() == 4
    assert upload.send(b"rest", 4).status == 204
    (document,) = members(alice, collection)
    assert document["size"] == 8


def test_a_revoked_link_ends_its_uploads(alice, anonymous, request_files):
    link = request_files()
    upload = begun(anonymous, link, 8, b"Half")
    alice.delete(f"/v1/tokens/{link['id']}")
    refused(upload.send(b"rest", 4), 410, "token_spent")


def test_who_is_one_too_many_is_refused_with_the_last_bytes(
    alice, anonymous, collection, request_files
):
    link = request_files(maxViews=1)
    first, second = begun(anonymous, link, 8, b"Half"), begun(anonymous, link, 8, b"half")
    assert first.send(b"rest", 4).status == 204
    refused(second.send(b"rest", 4), 410, "token_spent")
    refused(second.get(), 404, "not_found")
    assert len(members(alice, collection)) == 1
    assert first.get().json["receipt"]["filesLeft"] == 0
    refused(begin(anonymous, 4, at=path_of(link)), 410, "token_spent")


# The room


def with_room(alice, max_bytes):
    collection = alice.post("/v1/collections", json={"title": "A", "maxBytes": max_bytes}).json
    return collection, requested(alice, collection)


def test_a_file_beyond_the_room_is_refused_at_its_beginning(alice, anonymous):
    collection, link = with_room(alice, 1000)
    problem = refused(begin(anonymous, 1001, at=path_of(link)), 413, "payload_too_large")
    assert "1,000 more bytes" in problem["detail"]
    assert begin(anonymous, 1000, at=path_of(link)).status == 201
    assert begin(anonymous, 1000, at=path_of(link)).status == 201  # a promise takes no room


def test_what_has_arrived_takes_room(alice, anonymous):
    collection, link = with_room(alice, 1000)
    first, second = (begun(anonymous, link, 900) for _ in range(2))
    assert first.send(bytes(600), 0).status == 204
    refused(begin(anonymous, 500, at=path_of(link)), 413, "payload_too_large")
    refused(second.send(bytes(500), 0), 413, "payload_too_large")
    assert second.send(bytes(300), 0).status == 204
    assert first.end().status == 204
    assert second.send(bytes(600), 300).status == 204
    assert [one["size"] for one in members(alice, collection)] == [900]


def test_twenty_uploads_of_a_link_are_unfinished(clocked):
    anonymous, link = Person(clocked), clocked_link(clocked)
    uploads = [begun(anonymous, link, 8) for _ in range(20)]
    answer = anonymous.post(path_of(link), headers={"Upload-Length": "4"}, errors=(503,))
    refused(answer, 503, "busy")
    assert int(answer.headers["Retry-After"]) > 0
    assert uploads[0].send(b"x", 0).status == 204
    clocked.set_clock(minutes=11)
    assert begin(anonymous, 4, at=path_of(link)).status == 201
    assert uploads[0].offset() == 1  # it has brought a byte
    assert uploads[1].head().status == 404


def test_an_unfinished_upload_by_a_link_is_kept_for_a_day_after_its_last_byte(clocked):
    upload = begun(Person(clocked), clocked_link(clocked), 100)
    for day in range(1, 8):
        clocked.set_clock(hours=23 * day)
        assert upload.send(b"x", day - 1).status == 204, day
    clocked.set_clock(days=7, minutes=1)  # the longest life of all
    assert upload.head().status == 404


# What is sent


@pytest.mark.parametrize("name", ["token", "collectionId", "expiresAt", "metadata", "colour"])
def test_a_stranger_gives_nothing_that_is_the_owners(anonymous, request_files, name):
    refused(
        begin(anonymous, 4, at=path_of(request_files()), **{name: "{}"}), 422, "invalid_request"
    )


@pytest.mark.parametrize("folder", ["../a", "a/../b", "/a", "a" * 501])
def test_a_path_out_of_its_folder_is_refused(anonymous, request_files, folder):
    answer = begin(anonymous, 4, at=path_of(request_files()), relativePath=folder)
    refused(answer, 422, "invalid_request")


def test_another_file_than_was_announced_is_not_stored(alice, anonymous, collection, request_files):
    upload = begun(anonymous, request_files(), 4, sha256="0" * 64)
    refused(upload.send(b"Four", 0), 460, "checksum_mismatch")
    refused(upload.get(), 404, "not_found")
    assert members(alice, collection) == []


def test_a_beginning_that_is_sent_again_is_the_same_upload(anonymous, request_files):
    link = request_files()
    headers = {"Idempotency-Key": "one"}
    first = begun(anonymous, link, 8, b"Half", headers)
    again = begun(anonymous, link, 8, b"Half", headers)
    assert again.answer.headers["Location"] == first.answer.headers["Location"]
    assert again.answer.headers["Upload-Offset"] == "4"
    assert again.send(b"rest", 4).status == 204
    answer = begin(anonymous, 9, at=path_of(link), headers=headers)
    refused(answer, 422, "idempotency_mismatch")


def test_a_link_that_opens_something_takes_no_upload(alice, anonymous, collection):
    terms = {"permissions": ["view"]}
    link = alice.post(f"/v1/collections/{collection['id']}/tokens", json=terms).json
    refused(begin(anonymous, 4, at=path_of(link)), 403, "scope_missing")


def test_nothing_below_s_may_be_called_by_another_site(anonymous, request_files):
    upload = begun(anonymous, request_files())
    answer = anonymous.request("HEAD", upload.path, headers={"Origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"


def test_what_is_sent_again_by_another_link_is_another_upload(anonymous, request_files):
    headers = {"Idempotency-Key": "one"}
    first, second = (begun(anonymous, request_files(), 8, None, headers) for _ in range(2))
    assert first.id != second.id
    assert "Idempotency-Replayed" not in second.answer.headers


def test_a_stranger_learns_of_a_full_quota_only_that_there_is_no_room(start_service):
    service = start_service(QUOTA_BYTES=1000, RATE_LIMITS="off")
    alice, anonymous = service.register(), Person(service)
    collection = alice.post("/v1/collections", json={"title": "Offers"}).json
    link = requested(alice, collection)
    upload = begun(anonymous, link, 8, b"Half")
    other = Upload.begin(alice, 996, bytes(990))
    answer = begin(anonymous, 8, at=path_of(link), errors=(507,))
    assert "quota" not in str(refused(answer, 507, "storage_full"))
    refused(upload.send(b"rest", 4, errors=(507,)), 507, "storage_full")
    assert upload.offset() == 4
    other.end()
    assert upload.send(b"rest", 4).status == 204


def test_where_inbound_is_off_an_upload_waits_until_it_is_on_again(start_service):
    service = start_service(RATE_LIMITS="off")
    alice, anonymous = service.register(), Person(service)
    collection = alice.post("/v1/collections", json={"title": "Offers"}).json
    link = requested(alice, collection)
    upload = begun(anonymous, link, 8, b"Half")
    service.settings["INBOUND"] = "off"
    service.restart()
    refused(upload.send(b"rest", 4), 410, "token_spent")
    refused(begin(anonymous, 8, at=path_of(link)), 410, "token_spent")
    assert upload.head().status == 410
    service.settings["INBOUND"] = "on"
    service.restart()
    assert upload.offset() == 4
    assert upload.send(b"rest", 4).status == 204
    assert [one["size"] for one in members(alice, collection)] == [8]
