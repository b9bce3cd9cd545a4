"""Uploads with `multipart/form-data`, as curl, browsers, requests and raw HTTP send them."""

import hashlib
import json
import subprocess

import pytest

from tests.blueprints.http.multipart_cases import CASES
from tests.contract.requests import BIG, content
from tests.formats import b64, parse_time, time_from_now
from tests.forms import BOUNDARY, FORM, body, field, file, part
from tests.people import at
from tests.problems import refused, refused_field

HEADERS = {"Content-Type": FORM}
PDF = file("report.pdf", b"%PDF-1.7", "Content-Type: application/pdf")


@pytest.fixture
def send(alice):
    """Upload these parts, and return the answer."""

    def send(*parts, person=alice, boundary=BOUNDARY, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"} | headers
        return person.post("/v1/documents", data=body(*parts, boundary=boundary), headers=headers)

    return send


@pytest.fixture
def stored(send):
    def stored(*parts, **more):
        answer = send(*parts, **more)
        assert answer.status == 201, answer
        return answer.json

    return stored


def test_a_form_is_answered_like_json(send, alice):
    form = send(PDF)
    fields = {"payload": b64(b"%PDF-1.7"), "contentType": "application/pdf", "name": "report.pdf"}
    as_json = alice.post("/v1/documents", json=fields)
    assert form.status == as_json.status == 201
    assert form.json.keys() == as_json.json.keys()
    same = ("name", "contentType", "size", "sha256", "expiresAt", "metadata")
    assert {name: form.json[name] for name in same} == {name: as_json.json[name] for name in same}
    assert form.headers["Location"].removeprefix(alice.service.url) == at(form.json)


def test_the_file_comes_back_byte_for_byte(stored, alice):
    for original in (b"", b"\r\n", BIG, bytes(range(256)) * 5000):
        document = stored(file("any.bin", original))
        assert document["size"] == len(original)
        assert document["sha256"] == hashlib.sha256(original).hexdigest()
        assert content(alice, document).body == original


def test_the_fields_name_and_content_type_count_more(stored):
    document = stored(PDF, field("name", b"other.txt"), field("contentType", b"text/plain"))
    assert (document["name"], document["contentType"]) == ("other.txt", "text/plain")


GENERIC = "Content-Type: application/octet-stream"
DETECTED = {
    "by its name": (file("notes.md", b"# Title"), "text/markdown"),
    "by its name in place of a generic type": (file("a.csv", b"a,b", GENERIC), "text/csv"),
    "by its first bytes": (file("scan", b"%PDF-1.7"), "application/pdf"),
    "by both": (file("a.jpg", b"\x89PNG\r\n\x1a\n", GENERIC), "image/png"),
    "by the bytes of a photo": (file("a", b"\0\0\0\x18ftypheic", GENERIC), "image/heic"),
    "as text": (file("notes", "Grüße".encode(), GENERIC), "text/plain"),
    "by nothing": (file("any", b"\0\1\2"), "application/octet-stream"),
    "by the name of an empty file": (file("a.txt", b""), "text/plain"),
    "by the name in a field": (file("a.txt", b"# T"), field("name", b"b.md"), "text/markdown"),
    "by the filename": (file("a.md", b"# T"), field("name", b"Title"), "text/markdown"),
    "in place of a generic type in a field": (
        PDF,
        field("contentType", b"application/octet-stream"),
        "application/pdf",
    ),
}
SPECIFIC = ("application/vnd.ms-excel", "text/csv; header=present", "x/y")


def test_a_type_that_is_missing_or_generic_is_detected_and_a_specific_one_is_kept(stored):
    for case, (*parts, media_type) in DETECTED.items():
        assert stored(*parts)["contentType"] == media_type, case
    for media_type in SPECIFIC:
        part = file("a.csv", b"a,b", f"Content-Type: {media_type}")
        assert stored(part)["contentType"] == media_type


def test_json_stores_a_generic_type_as_it_was_said_and_shows_what_the_document_is(alice):
    document = alice.upload(b"# *Title*", "application/octet-stream", name="a.md")
    assert document["contentType"] == "application/octet-stream"
    assert "<em>Title</em>" in alice.get(at(document, "/view")).text


def test_fields_may_come_before_the_file_or_as_files_and_a_token_of_null_makes_no_link(stored):
    blob = part('name="metadata"; filename="blob"', b'{"a":"b"}', "Content-Type: application/json")
    document = stored(blob, field("token", b"null"), field("name", "Über".encode()), PDF)
    assert (document["name"], document["metadata"]) == ("Über", {"a": "b"})
    assert document["token"] is None


def test_metadata_and_token_are_json_and_expires_at_is_text(stored):
    expires_at = time_from_now(days=1)
    document = stored(
        PDF,
        field("metadata", b'{"project": "alpha"}'),
        field("token", b'{"permissions": ["view"], "expiresAt": "2099-01-01T00:00:00Z"}'),
        field("expiresAt", expires_at.encode()),
    )
    assert document["metadata"] == {"project": "alpha"}
    assert parse_time(document["expiresAt"]) == parse_time(expires_at)
    assert document["token"]["expiresAt"] == "2099-01-01T00:00:00.000Z"


FAULTS = {
    "no part": ((), "#/file"),
    "no file": ((field("name"),), "#/file"),
    "two files": ((PDF, PDF), "#/file"),
    "a file without a filename": ((field("file"),), "#/file"),
    "no file was chosen": ((file(""),), "#/file"),
    "an unknown part": ((PDF, field("folder")), "#/folder"),
    "an unknown file": ((PDF, file("b").replace(b'"file"', b'"other"')), "#/other"),
    "the payload of JSON": ((PDF, field("payload", b"AAAA")), "#/payload"),
    "a field twice": ((PDF, field("name"), field("name")), "#/name"),
    "an empty name": ((PDF, field("name", b"")), "#/name"),
    "a long name": ((PDF, field("name", b"x" * 256)), "#/name"),
    "a NUL in a name": ((PDF, field("name", b"a\0b")), "#/name"),
    "a name that is not UTF-8": ((PDF, field("name", b"\xff")), "#/name"),
    "a long filename": ((file("x" * 256),), "#/name"),
    "no media type": ((PDF, field("contentType", b"pdf")), "#/contentType"),
    "a part of no media type": ((file("a", b"", "Content-Type: pdf"),), "#/contentType"),
    "no time": ((PDF, field("expiresAt", b"tomorrow")), "#/expiresAt"),
    "a time in the past": ((PDF, field("expiresAt", b"2001-01-01T00:00:00Z")), "#/expiresAt"),
    "metadata that are not JSON": ((PDF, field("metadata", b"{")), "#/metadata"),
    "metadata with a name twice": ((PDF, field("metadata", b'{"a":"","a":""}')), "#/metadata"),
    "metadata that are a list": ((PDF, field("metadata", b"[]")), "#/metadata"),
    "a path of metadata": ((PDF, field("metadata", b'{"path": "../a"}')), "#/metadata/path"),
    "a value of metadata": ((PDF, field("metadata", b'{"a": 1}')), "#/metadata/a"),
    "a token that is not JSON": ((PDF, field("token", b"none")), "#/token"),
    "an option of the token": ((PDF, field("token", b'{"maxViews": 0}')), "#/token/maxViews"),
    "a token nested too deep": ((PDF, field("token", b"[" * 40)), "#/token"),
    "a field above 64 KiB": ((PDF, field("metadata", b"x" * 65_537)), "#/metadata"),
    "fields above 64 KiB": (
        (PDF, field("name", b"x" * 40_000), field("token", b" " * 30_000 + b"null")),
        "#/name",
    ),
}


def test_every_fault_is_named_by_its_part(send):
    for case, (parts, pointer) in FAULTS.items():
        assert refused_field(send(*parts), pointer), case
    answer = send(field("file"), field("other"), field("expiresAt", b"x"))
    assert {error["pointer"] for error in answer.json["errors"]} == {
        "#/file",
        "#/other",
        "#/expiresAt",
    }


def test_a_malformed_form_is_400_with_a_pointer(alice):
    for case in (case for case in CASES if case.parts is None):
        headers = {"Content-Type": case.content_type}
        answer = alice.post("/v1/documents", data=case.body, headers=headers)
        problem = refused(answer, 400, "malformed_multipart")
        assert problem["errors"][0]["pointer"] == "#", str(case)


def test_every_form_of_a_file_is_stored_under_its_name(alice):
    files = [case for case in CASES if case.parts and case.parts[0][0] == "file"]
    for case in (case for case in files if case.parts[0][1]):
        headers = {"Content-Type": case.content_type}
        answer = alice.post("/v1/documents", data=case.body, headers=headers)
        assert answer.status == 201, (str(case), answer)
        [(_, filename, _, original)] = case.parts
        assert (answer.json["name"], answer.json["size"]) == (filename, len(original)), str(case)


def test_a_form_elsewhere_and_another_type_here_are_415(alice):
    refused(
        alice.post("/v1/api-keys", data=body(PDF), headers=HEADERS), 415, "unsupported_media_type"
    )
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    problem = refused(
        alice.post("/v1/documents", data=b"file=a", headers=headers), 415, "unsupported_media_type"
    )
    assert "multipart/form-data" in problem["detail"]


def test_a_form_repeated_with_its_key_creates_nothing_whatever_its_boundary(send):
    first, again = (send(PDF, boundary=name, Idempotency_Key="form-1") for name in ("a1", "b2"))
    assert (first.status, again.status) == (201, 201)
    assert again.json == first.json
    assert again.headers["Idempotency-Replayed"] == "true"


def test_another_form_with_the_same_key_is_a_mismatch_and_a_malformed_one_malformed(send, alice):
    for number, other in enumerate(
        (file("report.pdf", b"%PDF-1.6"), file("other.pdf", b"%PDF-1.7"))
    ):
        key = f"form-other-{number}"
        assert send(PDF, Idempotency_Key=key).status == 201
        refused(send(other, Idempotency_Key=key), 422, "idempotency_mismatch")
        refused_field(send(field("file"), Idempotency_Key=key + "-new"), "#/file")
    headers = HEADERS | {"Idempotency-Key": "form-malformed"}
    answer = alice.post("/v1/documents", data=b"nothing", headers=headers)
    refused(answer, 400, "malformed_multipart")


LIMIT = 3 << 20


@pytest.fixture(scope="module")
def small(start_service):
    """Somebody at a service that takes 3 MiB, and keeps 4 MiB of a user."""
    service = start_service(MAX_DOCUMENT_BYTES=LIMIT, QUOTA_BYTES=4 << 20)
    return service.register()


def test_a_file_of_exactly_the_limit_is_stored_and_the_quota_counts_it(small, send, stored):
    document = stored(file("a", bytes(LIMIT)), person=small)
    assert document["size"] == LIMIT
    refused(send(file("a", bytes(LIMIT)), person=small), 403, "quota_exceeded")
    small.delete(at(document))


@pytest.mark.parametrize("more", [1, 65_536, 1 << 20, 20 << 20])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_larger_file_is_413_and_never_a_reset(more, chunked, small):
    raw = body(file("a", bytes(LIMIT + more)))
    chunks = (raw[at : at + 100_000] for at in range(0, len(raw), 100_000))
    sending = {"chunks": chunks} if chunked else {"data": raw}
    refused(small.post("/v1/documents", headers=HEADERS, **sending), 413, "payload_too_large")


def test_a_chunked_form_is_stored(alice):
    raw = body(file("a", BIG))
    chunks = (raw[at : at + 9999] for at in range(0, len(raw), 9999))
    answer = alice.post("/v1/documents", chunks=chunks, headers=HEADERS)
    assert (answer.status, answer.json["size"]) == (201, len(BIG))


def test_uploads_by_form_are_counted(small, send):
    assert send(PDF, person=small).headers["RateLimit"].startswith('"upload";r=')


def curl(person, *options, **more):
    """The JSON that curl gets for an upload with these options."""
    [(name, value)] = person.credential.items()
    url = person.service.url + "/v1/documents"
    command = ["curl", "-sS", "-H", f"{name}: {value}", *options, url]
    return json.loads(subprocess.run(command, capture_output=True, check=True, **more).stdout)


def test_curl_uploads_a_file(tmp_path, alice):
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7" + BIG)
    document = curl(alice, "-F", f"file=@{tmp_path}/report.pdf", "-F", 'metadata={"a":"b"}')
    assert (document["name"], document["contentType"]) == ("report.pdf", "application/pdf")
    assert document["metadata"] == {"a": "b"}
    assert content(alice, document).body == b"%PDF-1.7" + BIG


def test_curl_uploads_a_file_of_any_name(tmp_path, alice):
    for name in ('a "quoted" name.txt', "semi;colon, comma.txt", "Überblick 文.txt"):
        (tmp_path / name).write_bytes(b"text")
        quoted = str(tmp_path / name).replace('"', '\\"')
        for options in ((), ("--form-escape",)):  # percent, backslash
            assert curl(alice, *options, "-F", f'file=@"{quoted}"')["name"] == name, options


def test_curl_names_and_types_a_file_as_it_is_told_and_of_an_unknown_type_by_its_name(
    tmp_path, alice
):
    for name in ("a", "notes.md"):
        (tmp_path / name).write_bytes(b"# Title")
    told = curl(alice, "-F", f"file=@{tmp_path}/a;type=text/markdown;filename=b.md")
    assert (told["name"], told["contentType"]) == ("b.md", "text/markdown")
    assert curl(alice, "-F", f"file=@{tmp_path}/notes.md")["contentType"] == "text/markdown"


def test_curl_uploads_what_it_reads_from_a_pipe(alice):
    assert curl(alice, "-F", "file=@-;filename=piped.txt", input=BIG)["size"] == len(BIG)


def test_curl_gets_the_refusal_of_a_file_that_is_too_large(tmp_path, small):
    (tmp_path / "large").write_bytes(bytes(LIMIT * 5))
    for expect in ("Expect: 100-continue", "Expect:"):
        problem = curl(small, "-H", expect, "-F", f"file=@{tmp_path}/large")
        assert problem["code"] == "payload_too_large"


@pytest.mark.fuzz  # requests comes with schemathesis
@pytest.mark.parametrize("name", ["report.pdf", "Überblick 文.pdf", 'a "b".pdf'])
def test_requests_uploads_a_file(name, alice):
    requests = pytest.importorskip("requests")
    answer = requests.post(
        alice.service.url + "/v1/documents",
        headers=alice.credential,
        files={"file": (name, b"%PDF-1.7", "application/pdf")},
        data={"metadata": '{"a": "b"}', "token": "null"},
        timeout=60,
    ).json()

    assert (answer["name"], answer["contentType"]) == (name, "application/pdf")
    assert (answer["metadata"], answer["token"]) == ({"a": "b"}, None)


TEXTS = {
    "of the part": ("Content-Type: text/plain; charset=iso-8859-1", None),
    "of the part in quotes": ('Content-Type: text/plain; charset="ISO-8859-1"', None),
    "of the form": (None, b"iso-8859-1"),
    "of the part, though the form has another": (
        "Content-Type: text/plain; charset=windows-1252",
        b"utf-8",
    ),
}


@pytest.mark.parametrize(("of_part", "of_form"), TEXTS.values(), ids=TEXTS)
def test_a_text_is_read_by_its_charset(of_part, of_form, stored):
    """RFC 7578, sections 4.5 and 4.6."""
    named = part('name="name"', "Bücher.txt".encode("latin-1"), *([of_part] if of_part else []))
    parts = [field("_charset_", of_form)] if of_form else []
    assert stored(*parts, named, file("a.txt", b"hello"))["name"] == "Bücher.txt"


@pytest.mark.parametrize("charset", ["none", "idna", "zlib", "utf-7", "a" * 500, "\0"])
def test_an_unknown_charset_is_refused_at_its_part(charset, send):
    answer = send(field("_charset_", charset.encode()), field("name", b"x"), file("a.txt"))
    assert "charset" in refused_field(answer, "#/name")


def test_a_text_that_is_not_of_its_charset_is_refused_at_its_part(send):
    answer = send(field("_charset_", b"us-ascii"), field("name", b"\xe9"), file("a.txt"))
    assert refused_field(answer, "#/name") == "This part is not us-ascii."
    answer = send(field("name", b"\xe9"), file("a.txt"))
    assert refused_field(answer, "#/name") == "This part is not UTF-8."
