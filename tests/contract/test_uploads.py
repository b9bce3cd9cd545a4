"""Uploads in pieces, which resume: the protocol, over HTTP."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest

from tests.contract.raw_http import answers, assert_problem, talk
from tests.formats import b64
from tests.problems import refused, refused_field
from tests.tus import PIECE, STREAM, Upload, begin, checksum, metadata
from tests.waiting import run_in_threads

CONTENT = bytes(range(256)) * 3000  # 768,000 bytes: of four pieces
HALF = 300_001
SHA256 = hashlib.sha256(CONTENT).hexdigest()
GIVEN = {"filename": "numbers.bin", "filetype": "application/x-numbers"}


def test_a_file_that_comes_in_parts_is_the_same_file(new_user):
    upload = Upload.begin(new_user, len(CONTENT), **GIVEN)
    first = upload.send(CONTENT[:HALF], 0)
    assert (first.status, first.headers["Upload-Offset"], first.body) == (204, str(HALF), b"")
    assert "Document-Id" not in first.headers
    assert upload.offset() == HALF
    last = upload.send(CONTENT[HALF:], HALF)
    assert (last.status, last.headers["Upload-Offset"]) == (204, str(len(CONTENT)))

    document = new_user.get(f"/v1/documents/{last.headers['Document-Id']}").json
    assert document["size"] == len(CONTENT)
    assert document["sha256"] == SHA256
    assert document["name"] == "numbers.bin"
    assert document["contentType"] == "application/x-numbers"
    assert upload.content() == CONTENT


@pytest.mark.parametrize("size", [1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])
@pytest.mark.parametrize("part", [PIECE - 1, PIECE, 2 * PIECE + 7])
def test_parts_and_files_of_each_length_make_the_same_file(alice, size, part):
    content = CONTENT[:size]
    upload = Upload.begin(alice, size)
    for at in range(0, size, part):
        assert upload.send(content[at : at + part], at).status == 204
    assert upload.content() == content


def test_the_body_of_the_beginning_is_the_beginning_of_the_file(new_user):
    upload = Upload.begin(new_user, len(CONTENT), CONTENT[:HALF])
    assert upload.answer.headers["Upload-Offset"] == str(HALF)
    assert upload.send(CONTENT[HALF:], HALF).status == 204
    assert upload.content() == CONTENT


def test_a_beginning_may_bring_the_whole_file(new_user):
    upload = Upload.begin(new_user, len(CONTENT), CONTENT)
    assert upload.answer.headers["Upload-Offset"] == str(len(CONTENT))
    assert upload.answer.headers["Document-Id"] == upload.get().json["documentId"]
    assert upload.content() == CONTENT


def test_a_file_without_bytes_is_stored_at_its_beginning(new_user):
    upload = Upload.begin(new_user, 0, filename="empty.txt")
    assert upload.answer.headers["Upload-Offset"] == "0"
    assert upload.content() == b""
    assert upload.get().json["document"]["name"] == "empty.txt"
    assert new_user.get("/v1/uploads").json["uploads"] == []


def test_a_beginning_says_where_the_upload_goes_on_and_how_long_it_is_kept(service, new_user):
    answer = begin(new_user, 10)
    id = answer.headers["Location"].rpartition("/")[2]
    assert (answer.status, answer.body) == (201, b"")
    assert answer.headers["Location"] == f"{service.url}/v1/uploads/{id}"
    assert id.startswith("upl_")
    assert answer.headers["Upload-Offset"] == "0"
    assert answer.headers["Upload-Expires"].endswith(" GMT")


@pytest.mark.sqlite_only("on a server without S3 it is MAX_DOCUMENT_BYTES")
def test_options_say_what_is_taken(service, anonymous):
    answer = anonymous.request("OPTIONS", "/v1/uploads")
    assert answer.status == 204
    assert answer.headers["Tus-Version"] == "1.0.0"
    assert set(answer.headers["Tus-Extension"].split(",")) == {
        "creation",
        "creation-with-upload",
        "termination",
        "expiration",
        "checksum",
    }
    assert answer.headers["Tus-Max-Size"] == str(16 << 30)
    assert answer.headers["Tus-Checksum-Algorithm"] == "sha256,sha1"


def test_head_says_how_far_it_is_and_what_was_sent(new_user):
    upload = Upload.begin(new_user, len(CONTENT), CONTENT[:HALF], **GIVEN)
    answer = upload.head()
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["Upload-Offset"] == str(HALF)
    assert answer.headers["Upload-Length"] == str(len(CONTENT))
    assert answer.headers["Upload-Metadata"] == metadata(**GIVEN)["Upload-Metadata"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Upload-Expires"] == upload.answer.headers["Upload-Expires"]


def test_the_record_has_the_document_as_soon_as_it_is_stored(new_user):
    upload = Upload.begin(new_user, len(CONTENT), CONTENT[:HALF], **GIVEN)
    record = upload.get().json
    created_at, expires_at = record.pop("createdAt"), record.pop("expiresAt")
    assert created_at < expires_at
    assert record == {
        "id": upload.id,
        "name": "numbers.bin",
        "size": len(CONTENT),
        "received": HALF,
        "documentId": None,
        "document": None,
    }
    id = upload.send(CONTENT[HALF:], HALF).headers["Document-Id"]
    record = upload.get().json
    assert (record["received"], record["documentId"]) == (len(CONTENT), id)
    document = record["document"]
    assert document.pop("token")["viewUrl"].partition("?")[0].endswith(f"/documents/{id}/view")
    assert document == new_user.get(f"/v1/documents/{id}").json


def test_the_document_is_as_that_of_an_upload_in_one_request(new_user):
    fields = {
        "metadata": {"project": "alpha"},
        "token": {"label": "for Carl", "maxViews": 3, "password": "a word"},
    }
    expires_at = "2096-10-02T07:06:40.000Z"
    plain = new_user.upload(CONTENT, "text/plain", name="a.txt", expiresAt=expires_at, **fields)
    as_json = {name: json.dumps(value) for name, value in fields.items()}
    upload = Upload.begin(
        new_user,
        len(CONTENT),
        CONTENT,
        filename="a.txt",
        filetype="text/plain",
        expiresAt=expires_at,
        **as_json,
    )
    document = upload.get().json["document"]
    varying = {"id", "createdAt", "token"}
    assert {name: document[name] for name in document.keys() - varying} == {
        name: plain[name] for name in plain.keys() - varying
    }
    assert document["token"].keys() == plain["token"].keys()
    (link,) = new_user.links(document)
    (other,) = new_user.links(plain)
    alike = {"label", "maxViews", "hasPassword", "permissions"}
    assert {name: link[name] for name in alike} == {name: other[name] for name in alike}
    opened = new_user.submit(document["token"], password="a word")
    assert opened.status == 200


def test_without_a_token_there_is_a_link_and_with_null_none(new_user):
    with_link = Upload.begin(new_user, 1, b"a").get().json["document"]
    without = Upload.begin(new_user, 1, b"a", token="null").get().json["document"]
    assert new_user.open(with_link["token"]["contentUrl"]).body == b"a"
    assert without["token"] is None


def test_the_document_is_appended_to_its_collection(new_user):
    collection = new_user.collect()
    upload = Upload.begin(new_user, 1, b"a", collectionId=collection["id"])
    found = new_user.get(f"/v1/collections/{collection['id']}").json["documents"]
    assert [one["id"] for one in found] == [upload.get().json["documentId"]]


def test_events_say_by_which_upload_a_document_came(new_user):
    assert [*new_user.events()] == []
    upload = Upload.begin(new_user, len(CONTENT), CONTENT[:HALF])
    assert [*new_user.events()] == []
    upload.send(CONTENT[HALF:], HALF)
    created, token_created = new_user.events()
    assert (created["type"], token_created["type"]) == ("document.created", "token.created")
    record = upload.get().json
    assert created["data"]["uploadId"] == upload.id
    assert created["data"]["begunAt"] == record["createdAt"]
    assert created["data"]["documentId"] == record["documentId"]
    assert created["data"]["size"] == len(CONTENT)


@pytest.mark.parametrize(
    ("values", "content", "content_type"),
    [
        ({"filename": "a.md"}, b"# A", "text/markdown"),
        ({"filename": "a.bin"}, b"%PDF-1.7\n", "application/pdf"),
        ({"filetype": "application/octet-stream"}, b"\x89PNG\r\n\x1a\n", "image/png"),
        ({"filename": "a.md", "filetype": "text/plain"}, b"# A", "text/plain"),
        ({"filename": "a.md", "name": "b.txt", "type": ""}, b"# A", "text/markdown"),
        ({"name": "a.md", "filetype": "text/csv", "type": "text/plain"}, b"# A", "text/csv"),
    ],
)
def test_a_missing_or_generic_type_is_told_by_name_and_first_bytes(
    alice, values, content, content_type
):
    document = Upload.begin(alice, len(content), content, **values).get().json["document"]
    assert document["contentType"] == content_type


def test_a_folder_that_uppy_calls_null_is_none(new_user):
    upload = Upload.begin(new_user, 1, b"a", filename="a.txt", relativePath="null")
    assert upload.get().json["document"]["metadata"] == {}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a/b/c.txt", "c.txt"),
        (r"C:\a\c.txt", "c.txt"),
        ("Grüße.txt", "Grüße.txt"),
        ("a,b c", "a,b c"),
    ],
)
def test_a_name_is_the_last_one_of_a_path(alice, given, name):
    assert Upload.begin(alice, 1, b"a", filename=given).get().json["document"]["name"] == name


# Where it goes on


def test_bytes_at_another_offset_are_refused_with_the_right_one(new_user):
    upload = Upload.begin(new_user, len(CONTENT), CONTENT[:HALF])
    for offset in (0, HALF - 1, HALF + 1, len(CONTENT)):
        answer = upload.send(b"a", offset)
        refused(answer, 409, "offset_mismatch")
        assert answer.headers["Upload-Offset"] == str(HALF)
    upload.send(CONTENT[HALF:], HALF)
    answer = upload.send(b"", len(CONTENT))
    refused(answer, 409, "offset_mismatch")
    assert answer.headers["Upload-Offset"] == str(len(CONTENT))
    assert upload.content() == CONTENT


def test_of_two_senders_one_is_stored_and_the_other_is_told_where_it_is(new_user):
    content = CONTENT * 4
    upload = Upload.begin(new_user, len(content))
    statuses = []
    run_in_threads(*[lambda: statuses.append(upload.send(content, 0).status)] * 4)
    assert sorted(statuses) == [204, 409, 409, 409]
    assert upload.content() == content


def test_two_senders_of_other_bytes_never_make_a_mixture(new_user):
    contents = [bytes([number]) * 900_000 for number in range(4)]
    upload = Upload.begin(new_user, 900_000)
    run_in_threads(*[lambda one=one: upload.send(one, 0) for one in contents])
    assert upload.content() in contents


def test_the_last_answer_may_be_lost(new_user):
    upload = Upload.begin(new_user, len(CONTENT), CONTENT)
    assert upload.offset() == len(CONTENT)
    assert upload.get().json["document"]["sha256"] == SHA256


def test_nothing_can_be_read_before_the_end(new_user):
    Upload.begin(new_user, len(CONTENT), CONTENT[:HALF])
    assert new_user.get("/v1/documents").json["documents"] == []


# What is refused


WRONG_HEADERS = [
    {"Upload-Length": ""},
    {"Upload-Length": "many"},
    {"Upload-Length": "-1"},
    {"Upload-Length": "1.5"},
    {"Upload-Length": "1" * 16},
    {"Upload-Defer-Length": "1"},
    {"Upload-Concat": "partial"},
    {"Upload-Checksum": "md5 aaaa"},
    {"Upload-Checksum": "sha256 aaaa"},
    {"Upload-Checksum": "sha256 not base64"},
    {"Upload-Checksum": "sha256"},
    {"Upload-Checksum": "sha1 " + "A" * 26 + "B="},
    {"Upload-Metadata": "color cmVk"},
    {"Upload-Metadata": "filename YQ==,filename Yg=="},
    {"Upload-Metadata": "filename YQ"},
    {"Upload-Metadata": "filename YR=="},  # bits behind the last character that are not zero
    {"Upload-Metadata": "filename YWJ="},
    {"Upload-Metadata": "filename YQ==="},
    {"Upload-Metadata": "filename YQ==YQ=="},
    {"Upload-Metadata": "filename Y Q=="},
    {"Upload-Metadata": "filename _-8="},
    {"Upload-Metadata": "filename \u00e4QAA"},
    {"Upload-Metadata": "filename /w=="},
    {"Upload-Metadata": "filename YQ== Yg=="},
    {"Upload-Metadata": "filename " + "YWFh" * 2049},
]
WRONG_VALUES = [
    {"filename": "a" * 256},
    {"filename": "a\0"},
    {"filetype": "no type"},
    {"expiresAt": "tomorrow"},
    {"expiresAt": "2001-01-01T00:00:00Z"},
    {"sha256": "abc"},
    {"metadata": "{"},
    {"metadata": "[]"},
    {"metadata": '{"a": 1}'},
    {"metadata": '{"path": "/srv"}'},
    {"token": '{"color": 1}'},
    {"token": '{"permissions": ["upload"]}'},
    {"token": '{"expiresAt": "2001-01-01T00:00:00Z"}'},
    {"token": '{"permissions": ["view", "download"], "watermark": true}'},
]


@pytest.mark.parametrize("headers", WRONG_HEADERS, ids=str)
def test_a_wrong_header_is_refused_and_nothing_is_begun(new_user, headers):
    refused(begin(new_user, 10, headers=headers), 422, "invalid_request")
    assert new_user.get("/v1/uploads").json["uploads"] == []


@pytest.mark.parametrize("values", WRONG_VALUES, ids=str)
def test_a_wrong_value_is_named_and_nothing_is_begun(new_user, values):
    problem = refused(begin(new_user, 10, **values), 422, "invalid_request")
    (name,) = values
    pointers = (f"#/{name}", "#/permissions", "#/expiresAt", "#/watermark")
    assert problem["errors"][0]["pointer"].startswith(pointers)
    assert new_user.get("/v1/uploads").json["uploads"] == []


def test_a_file_that_is_too_large_for_pages_is_not_begun_with_a_link_that_marks_them(new_user):
    token = json.dumps({"permissions": ["view"], "watermark": True})
    most_bytes = 256 << 20
    assert begin(new_user, most_bytes, token=token).status == 201
    refused_field(begin(new_user, most_bytes + 1, token=token), "#/watermark")
    assert len(new_user.get("/v1/uploads").json["uploads"]) == 1


def test_bytes_without_an_offset_are_refused(alice):
    upload = Upload.begin(alice, 10)
    for offset in ("", "x", "-1", "1" * 16):
        refused(upload.send(b"a", offset), 422, "invalid_request")


def test_another_type_of_a_part_is_refused(alice):
    code = "unsupported_media_type"
    upload = Upload.begin(alice, 10)
    for content_type in ("application/octet-stream", "application/json", ""):
        answer = upload.send(b"a", 0, headers={"Content-Type": content_type})
        refused(answer, 415, code)
    refused(begin(alice, 10, b"a", headers={"Content-Type": "text/plain"}), 415, code)


@pytest.mark.parametrize("content_type", ["text/plain", ""])
def test_a_chunked_body_of_another_type_is_refused_and_nothing_is_begun(new_user, content_type):
    code, head = "unsupported_media_type", {"Content-Type": content_type}
    upload = Upload.begin(new_user, 10)
    part = head | {"Upload-Offset": "0"}
    refused(new_user.patch(upload.path, chunks=iter([b"a"]), headers=part), 415, code)
    assert upload.offset() == 0
    whole = head | {"Upload-Length": "10"}
    refused(new_user.post("/v1/uploads", chunks=iter([b"a"]), headers=whole), 415, code)
    assert [one["id"] for one in new_user.get("/v1/uploads").json["uploads"]] == [upload.id]


def test_more_than_the_length_is_refused_and_nothing_of_it_stored(alice):
    upload = Upload.begin(alice, 10, b"01234")
    refused(upload.send(b"567890", 5), 413, "payload_too_large")
    assert upload.offset() == 5
    assert upload.send(b"56789", 5).status == 204
    refused(begin(alice, 3, b"0123"), 413, "payload_too_large")


def test_of_a_chunked_body_that_is_too_long_what_fits_is_stored(alice):
    upload = Upload.begin(alice, 10)
    head = STREAM | {"Upload-Offset": "0"}
    answer = alice.patch(upload.path, chunks=iter([b"0123456", b"789abc"]), headers=head)
    refused(answer, 413, "payload_too_large")
    assert upload.content() == b"0123456789"


def test_a_chunked_body_that_goes_on_after_the_last_byte_is_too_long(alice):
    size = 8 << 20  # all of a step
    upload = Upload.begin(alice, size)
    head = STREAM | {"Upload-Offset": "0"}
    chunks = (bytes(64 << 10) for _ in range((size >> 16) + 32))
    refused(alice.patch(upload.path, chunks=chunks, headers=head), 413, "payload_too_large")
    assert upload.get().json["document"]["size"] == size


def test_a_chunked_body_is_stored_if_it_is_that_of_its_checksum(alice):
    upload = Upload.begin(alice, 10)
    head = STREAM | {"Upload-Offset": "0"} | checksum(b"01234")
    wrong = alice.patch(upload.path, chunks=iter([b"012", b"35"]), headers=head)
    refused(wrong, 460, "checksum_mismatch")
    assert upload.offset() == 0
    assert alice.patch(upload.path, chunks=iter([b"012", b"34"]), headers=head).status == 204
    assert upload.offset() == 5


def test_an_answer_without_a_body_has_no_type_and_no_length_but_none(alice):
    upload = Upload.begin(alice, 10)
    for answer in (upload.answer, upload.head(), upload.send(b"a", 0)):
        assert "Content-Type" not in answer.headers
        assert "Transfer-Encoding" not in answer.headers


def test_the_announced_sha256_may_have_large_letters(alice):
    upload = Upload.begin(alice, len(CONTENT), sha256=SHA256.upper())
    assert upload.send(CONTENT, 0).status == 204
    assert upload.get().json["document"]["sha256"] == SHA256


def test_a_chunked_body_is_stored(alice):
    upload = Upload.begin(alice, len(CONTENT))
    head = STREAM | {"Upload-Offset": "0"}
    answer = alice.patch(upload.path, chunks=iter([CONTENT[:HALF], CONTENT[HALF:]]), headers=head)
    assert answer.status == 204
    assert upload.content() == CONTENT


def test_a_longer_file_than_the_largest_is_refused(start_service):
    alice = start_service(MAX_DOCUMENT_BYTES=100, MAX_UPLOAD_BYTES=1000).register()
    refused(begin(alice, 1001), 413, "payload_too_large")
    assert Upload.begin(alice, 1000, bytes(1000)).content() == bytes(1000)
    options = alice.request("OPTIONS", "/v1/uploads")
    assert options.headers["Tus-Max-Size"] == "1000"


@pytest.mark.parametrize("algorithm", ["sha256", "sha1"])
def test_a_part_that_is_not_that_of_its_checksum_is_not_stored(alice, algorithm):
    upload = Upload.begin(alice, len(CONTENT))
    wrong = upload.send(CONTENT[1:HALF], 0, headers=checksum(CONTENT[:HALF], algorithm))
    refused(wrong, 460, "checksum_mismatch")
    assert upload.offset() == 0
    assert upload.send(CONTENT[:HALF], 0, checksum(CONTENT[:HALF], algorithm)).status == 204
    refused(begin(alice, 10, b"a", headers=checksum(b"b", algorithm)), 460, "checksum_mismatch")


def test_a_file_that_is_not_the_announced_one_is_not_stored_and_its_upload_is_ended(new_user):
    upload = Upload.begin(new_user, len(CONTENT), sha256="0" * 64)
    upload.send(CONTENT[:HALF], 0)
    refused(upload.send(CONTENT[HALF:], HALF), 460, "checksum_mismatch")
    assert upload.head().status == 404
    assert new_user.get("/v1/documents").json["documents"] == []
    right = Upload.begin(new_user, len(CONTENT), CONTENT, sha256=SHA256)
    assert right.content() == CONTENT


def test_another_version_of_the_protocol_is_refused_with_the_right_one(alice):
    upload = Upload.begin(alice, 10, headers={"Tus-Resumable": "1.0.0"})
    for answer in (
        begin(alice, 10, headers={"Tus-Resumable": "0.2.2"}),
        upload.send(b"a", 0, headers={"Tus-Resumable": "2.0.0"}),
    ):
        refused(answer, 412, "wrong_tus_version")
        assert answer.headers["Tus-Version"] == "1.0.0"
    head = alice.head(upload.path, headers={"Tus-Resumable": "2.0.0"})
    assert head.status == 412


def test_every_answer_has_the_version(alice, anonymous):
    upload = Upload.begin(alice, 10)
    answers = [
        upload.answer,
        upload.send(b"a", 0),
        upload.send(b"a", 5),
        upload.head(),
        upload.get(),
        upload.end(),
        upload.end(),
        alice.get("/v1/uploads"),
        anonymous.get("/v1/uploads"),
        anonymous.request("OPTIONS", "/v1/uploads"),
        alice.request("PUT", "/v1/uploads"),
        alice.request("PUT", "/app/uploads"),
        alice.request("PUT", "/s/uploads"),
        alice.request("POST", upload.path),
        alice.get("/v1/uploads/"),
        alice.get(f"{upload.path}/more"),
    ]
    assert {one.headers["Tus-Resumable"] for one in answers} == {"1.0.0"}


@pytest.mark.parametrize("method", ["HEAD", "GET", "PATCH", "DELETE"])
def test_an_unknown_upload_is_not_found(alice, method):
    head = STREAM | {"Upload-Offset": "0"} if method == "PATCH" else {}
    answer = alice.request(method, "/v1/uploads/upl_01k5x8m3v7q2r9t4w6y0z1a2b3", headers=head)
    assert answer.status == 404


def test_the_upload_of_another_is_as_absent_as_none(alice, bob):
    upload = Upload.begin(alice, 10)
    assert upload.head(by=bob).status == 404
    for answer in (upload.send(b"a", 0, by=bob), upload.get(by=bob), upload.end(by=bob)):
        refused(answer, 404, "not_found")
    assert upload.offset() == 0


# The end


def test_an_end_deletes_what_has_arrived_at_once(service, new_user):
    upload = Upload.begin(new_user, len(CONTENT), CONTENT[:HALF])
    assert upload.end().status == 204
    refused(upload.end(), 404, "not_found")
    refused(upload.send(b"a", HALF), 404, "not_found")
    assert upload.head().status == 404
    if service.server_url is None:
        assert service.sql("SELECT 1 FROM piece WHERE document_id = :id", id=upload.id) == []


def test_of_a_finished_upload_the_record_ends_and_the_document_stays(new_user):
    upload = Upload.begin(new_user, len(CONTENT), CONTENT)
    document_id = upload.get().json["documentId"]
    assert upload.end().status == 204
    refused(upload.get(), 404, "not_found")
    assert new_user.get(f"/v1/documents/{document_id}/content").body == CONTENT


def test_the_record_of_an_upload_whose_document_was_deleted_has_none(new_user):
    upload = Upload.begin(new_user, 1, b"a")
    document_id = upload.get().json["documentId"]
    new_user.delete(f"/v1/documents/{document_id}")
    record = upload.get().json
    assert (record["documentId"], record["document"]) == (document_id, None)


def test_the_list_has_what_is_not_finished_page_by_page(new_user):
    uploads = [Upload.begin(new_user, 10, b"abc", filename=f"{n}.txt") for n in range(5)]
    Upload.begin(new_user, 1, b"a")
    page = new_user.get("/v1/uploads?limit=2").json
    assert [one["name"] for one in page["uploads"]] == ["4.txt", "3.txt"]
    assert page["uploads"][0]["received"] == 3
    assert "document" not in page["uploads"][0]
    found = [one["id"] for some in new_user.pages("/v1/uploads?limit=2") for one in some]
    assert found == [one.id for one in reversed(uploads)]


# Sent again


def test_a_repeated_beginning_is_the_same_upload_where_it_is_today(new_user):
    key = {"Idempotency-Key": "once"}
    first = begin(new_user, len(CONTENT), CONTENT[:HALF], headers=key, **GIVEN)
    upload = Upload(new_user, first)
    upload.send(CONTENT[HALF : HALF + 5], HALF)
    again = begin(new_user, len(CONTENT), CONTENT[:HALF], headers=key, **GIVEN)
    assert again.status == 201
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Upload-Offset"] == str(HALF + 5)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert len(new_user.get("/v1/uploads").json["uploads"]) == 1
    upload.send(CONTENT[HALF + 5 :], HALF + 5)
    done = begin(new_user, len(CONTENT), headers=key, **GIVEN)
    assert done.headers["Document-Id"] == upload.get().json["documentId"]
    assert upload.content() == CONTENT


def test_the_same_key_with_other_headers_is_refused(new_user):
    key = {"Idempotency-Key": "once"}
    begin(new_user, 10, headers=key, **GIVEN)
    refused(begin(new_user, 11, headers=key, **GIVEN), 422, "idempotency_mismatch")
    refused(begin(new_user, 10, headers=key), 422, "idempotency_mismatch")


def test_a_repeated_beginning_of_an_ended_upload_is_not_found(new_user):
    key = {"Idempotency-Key": "once"}
    Upload(new_user, begin(new_user, 10, headers=key)).end()
    refused(begin(new_user, 10, headers=key), 404, "not_found")


# Limits


def test_the_hundred_and_first_unfinished_upload_is_refused(new_user):
    uploads = [Upload.begin(new_user, 10) for _ in range(100)]
    refused(begin(new_user, 10), 403, "quota_exceeded")
    uploads[0].send(bytes(10), 0)
    Upload.begin(new_user, 10)
    refused(begin(new_user, 10), 403, "quota_exceeded")
    uploads[1].end()
    Upload.begin(new_user, 10)


@pytest.fixture(scope="module")
def strict(start_service):
    return start_service(QUOTA_BYTES=1000, QUOTA_DOCUMENTS=3, RATE_LIMITS="off")


def test_an_unfinished_upload_counts_as_its_whole_length_from_its_beginning(strict):
    person = strict.register()
    upload = Upload.begin(person, 600)
    refused(begin(person, 401), 403, "quota_exceeded")
    body = {"payload": b64(bytes(401)), "contentType": "text/plain"}
    refused(person.post("/v1/documents", json=body), 403, "quota_exceeded")
    person.upload(bytes(400))
    assert upload.send(bytes(600), 0).status == 204
    refused(begin(person, 1), 403, "quota_exceeded")


def test_unfinished_uploads_count_as_documents(strict):
    person = strict.register()
    first, *_ = [Upload.begin(person, 1) for _ in range(3)]
    refused(begin(person, 1), 403, "quota_exceeded")
    first.end()
    person.upload(b"")
    refused(begin(person, 1), 403, "quota_exceeded")


def test_an_upload_is_kept_for_as_long_as_the_setting_says_after_its_last_byte(clocked):
    person = clocked.register().create_api_key()
    upload = Upload.begin(person, 100, b"a")
    until = expires_at(upload)
    clocked.set_clock(days=5)
    assert expires_at(upload) == until
    upload.send(b"b", 1)
    assert timedelta(days=5) <= expires_at(upload) - until < timedelta(days=5, minutes=1)
    clocked.set_clock(days=12, seconds=-60)
    assert upload.offset() == 2
    clocked.set_clock(days=12, seconds=60)
    assert upload.head().status == 404
    refused(upload.send(b"c", 2), 404, "not_found")
    refused(upload.end(), 404, "not_found")
    assert person.get("/v1/uploads").json["uploads"] == []
    assert Upload.begin(person, 1000).offset() == 0  # it counts no longer


def expires_at(upload):
    return parsedate_to_datetime(upload.head().headers["Upload-Expires"])


def test_what_an_upload_has_become_is_known_for_a_day(clocked):
    person = clocked.register().create_api_key()
    upload = Upload.begin(person, 1, b"a")
    clocked.set_clock(hours=23)
    assert upload.get().json["document"]
    clocked.set_clock(hours=25)
    refused(upload.get(), 404, "not_found")


def test_a_file_is_stored_without_the_link_whose_end_has_come_meanwhile(clocked):
    person = clocked.register().create_api_key()
    in_an_hour = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    upload = Upload.begin(person, 2, b"a", token=json.dumps({"expiresAt": in_an_hour}))
    clocked.set_clock(hours=2)
    assert upload.send(b"b", 1).status == 204
    assert upload.get().json["document"]["token"] is None
    assert upload.content() == b"ab"


def test_a_file_without_pages_is_stored_without_the_link_that_would_mark_them(alice):
    token = json.dumps({"permissions": ["view"], "watermark": True})
    upload = Upload.begin(alice, 2, b"a", token=token)
    assert upload.send(b"b", 1).status == 204
    assert upload.get().json["document"]["token"] is None


def test_a_path_of_an_upload_becomes_the_folder_of_its_document(alice):
    upload = Upload.begin(alice, 1, b"a", filename="a.txt", relativePath="plans/2026/a.txt")
    assert upload.get().json["document"]["metadata"] == {"path": "plans/2026"}


HEADS_REFUSED_BY_THE_SERVER = {
    "two lengths": (b"Upload-Length: 1\r\nContent-Length: 1\r\nContent-Length: 2\r\n", 400),
    "no header": (b"a header without a colon\r\n", 400),
    "a bare line end": (b"Upload-Length: 1\n\r\n", 400),
    "long": (b"X: " + b"a" * (33 << 10) + b"\r\n", 431),
    "too long a body": (b"Content-Length: 9%b\r\n" % (b"0" * 16), 413),
}


@pytest.mark.parametrize("path", [b"/v1/uploads", b"/s/uploads/upl_1?ticket=a", b"/app/uploads"])
@pytest.mark.parametrize("head", HEADS_REFUSED_BY_THE_SERVER)
def test_what_the_server_refuses_by_the_head_has_the_version_as_well(service, path, head):
    lines, expected = HEADS_REFUSED_BY_THE_SERVER[head]
    sent = b"PATCH " + path + b" HTTP/1.1\r\nHost: a\r\n" + lines + b"\r\n"
    [(status, fields, body)] = answers(talk(service, sent, linger=True))
    assert status == expected
    assert_problem(status, fields, body)
    assert fields[b"tus-resumable"] == b"1.0.0"


def test_an_error_of_the_server_elsewhere_has_no_version(service):
    sent = b"GET /v1/documents HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"
    [(status, fields, _)] = answers(talk(service, sent, linger=True))
    assert status == 400
    assert b"tus-resumable" not in fields


def test_a_checksum_of_more_than_8_mib_is_refused(alice):
    size = (8 << 20) + 1
    content = bytes(size)
    upload = Upload.begin(alice, size)
    refused(upload.send(content, 0, checksum(content)), 422, "invalid_request")
    refused(begin(alice, size, content, headers=checksum(content)), 422, "invalid_request")
    assert upload.offset() == 0
    assert upload.send(content[1:], 0, checksum(content[1:])).status == 204


def test_a_collection_is_judged_at_the_beginning_and_again_at_the_end(new_user, alice):
    foreign = alice.collect()
    for id in ("col_01k5x8m3v7q2r9t4w6y0z1a2b3", foreign["id"]):
        refused(begin(new_user, 10, collectionId=id), 404, "not_found")
    writer = new_user.create_api_key(scopes=["documents:write"])
    own = new_user.collect()
    refused(begin(writer, 10, collectionId=own["id"]), 403, "scope_missing")

    upload = Upload.begin(new_user, 10, bytes(9), collectionId=own["id"])
    new_user.delete(f"/v1/collections/{own['id']}")
    refused(upload.send(b"a", 9), 404, "not_found")
    assert upload.offset() == 9
    assert new_user.get("/v1/documents").json["documents"] == []
