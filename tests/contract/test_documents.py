"""Documents."""

import hashlib
import random
import time
import urllib.parse

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.people import b64, in_query, instant, moment, over, pointed, refused

RECORD = {"id", "name", "contentType", "size", "sha256", "createdAt", "expiresAt", "metadata"}
GOOD = {"payload": b64(b"hello"), "contentType": "text/plain"}
BIG = random.Random(2).randbytes(700_001)  # four pieces of 192 KiB


def at(document, more=""):
    return f"/v1/documents/{document['id']}{more}"


def absent(person, document):
    """Nothing of this document is there any more."""
    for path in ("", "/view", "/download", "/content", "/tokens"):
        refused(person.get(at(document, path)), 404, "not_found")
    refused(person.patch(at(document), json={"name": "x"}), 404, "not_found")
    refused(person.post(at(document, "/tokens"), json={}), 404, "not_found")
    refused(person.delete(at(document)), 404, "not_found")
    assert document["id"] not in person.get("/v1/documents").text
    return True


# Upload


def test_upload_answers_the_record_a_location_and_a_token(alice):
    answer = alice.post("/v1/documents", json=GOOD)
    assert answer.status == 201
    assert answer.json.keys() == RECORD | {"token"}
    assert answer.headers["Location"].endswith(at(answer.json))
    assert answer.headers["Location"].removeprefix(alice.service.url) == at(answer.json)


def test_the_record_tells_size_and_sha256_of_the_original(alice):
    document = alice.upload(BIG, "application/octet-stream")
    assert document["size"] == len(BIG)
    assert document["sha256"] == hashlib.sha256(BIG).hexdigest()


def test_name_metadata_and_expires_at_are_optional(alice):
    document = alice.upload()
    assert document["expiresAt"] is None
    assert document["metadata"] == {}
    full = {"name": "Über.txt", "metadata": {"case": "7/b"}, "expiresAt": moment(days=1)}
    told = alice.upload(**full)
    assert {name: told[name] for name in full} == full


@pytest.mark.parametrize(
    ("kind", "endings"),
    {
        "application/pdf": {".pdf"},
        "image/png": {".png"},
        "image/jpeg": {".jpg", ".jpeg"},
        "text/plain; charset=utf-8": {".txt"},
        "text/csv": {".csv"},
        "application/json": {".json"},
        "application/x-nobody-knows": {"", ".bin"},
    }.items(),
)
def test_the_name_defaults_to_the_id_and_the_types_usual_extension(kind, endings, alice):
    document = alice.upload(content_type=kind)
    assert document["name"] in {document["id"] + ending for ending in endings}


def test_the_answers_links_open_in_a_browser_at_once(alice):
    token = alice.upload(b"open me")["token"]
    assert token.keys() == {"id", "token", "viewUrl", "downloadUrl", "contentUrl", "expiresAt"}
    for link, kind in {
        "viewUrl": "text/html",
        "downloadUrl": "text/html",
        "contentUrl": "text/plain",
    }.items():
        answer = alice.open(token[link])
        assert (answer.status, answer.kind) == (200, kind)


def test_the_token_of_an_upload_lives_7_days(alice):
    life = instant(alice.upload()["token"]["expiresAt"]) - instant(moment())
    assert life.total_seconds() == pytest.approx(604_800, abs=30)


def test_token_shapes_the_token(alice):
    shape = {"label": "mine", "permissions": ["view"], "expiresAt": moment(days=1)}
    document = alice.upload(token=shape)
    assert document["token"]["expiresAt"] == shape["expiresAt"]
    (token,) = alice.get(at(document, "/tokens")).json["tokens"]
    assert {name: token[name] for name in shape} == shape


def test_token_null_makes_none(alice):
    document = alice.upload(token=None)
    assert document.get("token") is None
    assert alice.get(at(document, "/tokens")).json["tokens"] == []


@pytest.mark.parametrize("shape", [{"colour": 1}, {"permissions": ["x"]}, {"maxViews": 0}])
def test_a_bad_shape_is_pointed_at(shape, newcomer):
    answer = newcomer.post("/v1/documents", json=GOOD | {"token": shape})
    (name,) = shape
    errors = refused(answer, 422, "invalid_request")["errors"]
    assert errors[0]["pointer"].startswith(f"#/token/{name}")
    assert newcomer.get("/v1/documents").json["documents"] == []


@pytest.mark.parametrize("token", [False, True, 1, "x", []])
def test_a_token_that_is_no_shape_is_pointed_at(token, alice):
    pointed(alice.post("/v1/documents", json=GOOD | {"token": token}), "#/token")


@pytest.mark.parametrize(
    "metadata",
    [
        *({"a": 1}, {"a": None}, {"a": ["b"]}, {"a": {"b": "c"}}, {"a": True}, [], "a"),
        *({str(n): "" for n in range(17)}, {"a": "x" * 4097}, {"é" * 2100: ""}),
    ],
    ids=lambda metadata: str(metadata)[:20],
)
def test_metadata_is_up_to_16_string_pairs_and_4_kib(metadata, alice):
    problem = refused(
        alice.post("/v1/documents", json=GOOD | {"metadata": metadata}), 422, "invalid_request"
    )
    assert problem["errors"][0]["pointer"].startswith("#/metadata")


@pytest.mark.parametrize("metadata", [{str(n): "v" for n in range(16)}, {"a": "é" * 1900}, {}])
def test_metadata_comes_back(metadata, alice):
    document = alice.upload(metadata=metadata)
    assert alice.get(at(document)).json["metadata"] == metadata


def test_a_document_is_absent_after_it_expires(alice):
    document = alice.upload(expiresAt=moment(seconds=0.5))
    assert alice.get(at(document)).status == 200
    over(lambda: alice.get(at(document)), document["expiresAt"])
    assert absent(alice, document)
    for link in ("viewUrl", "downloadUrl", "contentUrl"):
        assert alice.open(document["token"][link]).status in (404, 410)


@pytest.mark.parametrize("size", [1, 3, 16_383, 16_384, 16_385, 196_608, 196_609, 4 << 20])
def test_documents_of_every_size_come_back(size, alice):
    content = random.Random(size).randbytes(size)
    document = alice.upload(content, "application/octet-stream")
    assert alice.get(at(document, "/content")).body == content


def test_the_largest_original_is_64_mib(alice):
    largest = 64 << 20
    document = alice.upload(payload="A" * (largest // 3 * 4) + "AA==")
    assert document["size"] == largest
    body = GOOD | {"payload": "A" * (largest // 3 * 4) + "AAA="}
    refused(alice.post("/v1/documents", json=body), 413, "payload_too_large")


# List


@pytest.fixture(scope="module")
def shelf(service):
    """Somebody with documents of three types, and these, oldest first."""
    person = service.register()
    kinds = ["text/plain", "application/pdf", "image/png", "text/plain"]
    documents = []
    for kind in kinds:
        documents.append(person.upload(content_type=kind, token=None))
        time.sleep(0.002)
    return person, documents


def ids(answer):
    assert answer.status == 200, answer
    return [document["id"] for document in answer.json["documents"]]


def test_the_list_holds_records_without_payload_or_token(shelf):
    person, documents = shelf
    listed = person.get("/v1/documents").json["documents"]
    assert [set(record) for record in listed] == [RECORD] * 4
    assert listed[0] == {name: documents[3][name] for name in RECORD}


def test_the_list_is_filtered_by_content_type(shelf):
    person, documents = shelf
    answer = person.get("/v1/documents?contentType=text/plain")
    assert ids(answer) == [documents[3]["id"], documents[0]["id"]]
    assert ids(person.get("/v1/documents?contentType=video/mp4")) == []


def test_the_list_is_filtered_by_time(shelf):
    person, documents = shelf
    when = documents[1]["createdAt"]
    later = ids(person.get(f"/v1/documents?createdAfter={when}"))
    earlier = ids(person.get(f"/v1/documents?createdBefore={when}"))
    assert {documents[2]["id"], documents[3]["id"]} <= set(later)
    assert documents[0]["id"] in earlier
    assert not {documents[0]["id"]} & set(later)
    assert not {documents[2]["id"], documents[3]["id"]} & set(earlier)
    assert ids(person.get(f"/v1/documents?createdAfter={moment(days=1)}")) == []
    assert len(ids(person.get(f"/v1/documents?createdBefore={moment(days=1)}"))) == 4


def test_filters_go_with_pages(shelf):
    person, documents = shelf
    query = "/v1/documents?limit=1&contentType=text/plain"
    first = person.get(query).json
    assert first["documents"][0]["id"] == documents[3]["id"]
    assert ids(person.get(f"{query}&cursor={first['nextCursor']}")) == [documents[0]["id"]]


@pytest.mark.parametrize(
    "query",
    [
        *("createdAfter=yesterday", "createdBefore=2026-01-01", "createdAfter=", "createdBefore=1"),
        *("contentType=", "contentType=nonsense", "contentType=%00", "name=a", "createdafter=x"),
    ],
)
def test_a_bad_filter_is_refused(query, alice):
    in_query(alice.get(f"/v1/documents?{query}"))


# Get and patch


def test_get_answers_the_record(alice, document):
    answer = alice.get(at(document))
    assert answer.json == {name: document[name] for name in RECORD}


def test_patch_changes_name_metadata_and_expiry(alice, disposable):
    change = {"name": "new name.txt", "metadata": {"a": "b"}, "expiresAt": moment(days=2)}
    answer = alice.patch(at(disposable), json=change)
    assert answer.status == 200
    assert answer.json == {name: disposable[name] for name in RECORD} | change
    assert alice.get(at(disposable)).json == answer.json


@pytest.mark.parametrize(
    "change", [{"name": "only.txt"}, {"metadata": {"only": "this"}}, {"expiresAt": None}, {}]
)
def test_patch_leaves_the_rest_as_it_was(change, alice):
    full = {"name": "a.txt", "metadata": {"a": "b", "c": "d"}, "expiresAt": moment(days=1)}
    document = alice.upload(**full)
    answer = alice.patch(at(document), json=change)
    assert answer.status == 200 or not change
    kept = {name: document[name] for name in RECORD} | change
    assert alice.get(at(document)).json == kept


@pytest.mark.parametrize("field", ["id", "contentType", "payload", "size", "sha256", "createdAt"])
def test_patch_changes_nothing_else(field, alice, document):
    pointed(alice.patch(at(document), json={field: document.get(field, "")}), f"#/{field}")


def test_a_bad_patch_changes_nothing(alice, disposable):
    answer = alice.patch(at(disposable), json={"name": "new", "metadata": {"a": 1}})
    assert answer.status == 422
    assert alice.get(at(disposable)).json["name"] == "lost.txt"


# Content


@pytest.fixture(scope="module")
def big(alice):
    return alice.upload(BIG, "application/octet-stream", name="big.bin")


def content(person, document, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return person.get(at(document, "/content"), headers=headers)


def test_content_is_the_original_as_its_type(alice, document):
    answer = content(alice, document)
    assert (answer.status, answer.body) == (200, b"what Alice keeps")
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.headers["Content-Length"] == "16"
    assert answer.headers["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize(
    "kind",
    [
        *("text/plain", "text/html", "application/pdf", "image/png", "image/svg+xml", "audio/mpeg"),
        *("application/javascript", "text/xml", "application/xhtml+xml", "application/x-any"),
    ],
)
def test_content_is_always_sandboxed_and_inline_only_for_an_allowlist(kind, alice):
    answer = content(alice, alice.upload(b"<script>alert(1)</script>", kind))
    assert answer.policy["default-src"] == ["'none'"]
    assert not {"allow-scripts", "allow-same-origin"} & set(answer.policy["sandbox"])
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    disposition = answer.headers["Content-Disposition"].partition(";")[0]
    if kind in {"text/plain", "application/pdf", "image/png", "audio/mpeg"}:
        assert disposition == "inline"
    elif kind != "image/svg+xml":
        assert disposition == "attachment"


@pytest.mark.parametrize("call", ["/content", "/download"])
@pytest.mark.parametrize("name", ["plain.txt", "Über 📄.txt", "50%.txt", "a, b.txt"])
def test_disposition_carries_the_name(call, name, alice):
    answer = alice.get(at(alice.upload(name=name), call))
    disposition = answer.headers["Content-Disposition"]
    assert len(answer.headers.get_all("Content-Disposition")) == 1
    assert disposition.isascii()
    encoded = [p for p in disposition.split("; ") if p.startswith("filename*=UTF-8''")]
    whole = urllib.parse.unquote(encoded[0].partition("''")[2]) if encoded else disposition
    assert name in whole or (call == "/download" and name.rpartition(".")[0] in whole)


@pytest.mark.parametrize(
    "name", ["a\r\nX-Evil: 1", 'a";b=c\\.txt', "../../etc/passwd", "a/b", "a\\b", "\x1b[0m"]
)
def test_a_name_never_leaves_its_header_or_folder(name, alice):
    answer = alice.post("/v1/documents", json=GOOD | {"name": name})
    assert answer.status in (201, 422)
    if answer.status == 201:
        read = content(alice, answer.json)
        assert read.headers["X-Evil"] is None
        disposition = urllib.parse.unquote(read.headers["Content-Disposition"].partition(";")[2])
        assert not {"/", "\x1b"} & set(disposition)


def test_etag_is_strong_and_changes_with_the_content_alone(alice, disposable):
    tag = content(alice, disposable).headers["ETag"]
    assert tag.startswith('"')
    assert tag.endswith('"')
    alice.patch(at(disposable), json={"name": "another.txt"})
    assert content(alice, disposable).headers["ETag"] == tag
    assert content(alice, alice.upload(b"other")).headers["ETag"] != tag


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*", '"a,b",{}'])
def test_a_matching_if_none_match_is_304(form, alice, document):
    tag = content(alice, document).headers["ETag"]
    for answer in (
        content(alice, document, If_None_Match=form.format(tag)),
        alice.head(at(document, "/content"), headers={"If-None-Match": form.format(tag)}),
    ):
        assert (answer.status, answer.body) == (304, b"")
        assert answer.headers["ETag"] == tag
        assert answer.headers["Cache-Control"]
        assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("tag", ['"other"', "nonsense", "", 'W/"other"'])
def test_another_if_none_match_is_answered_whole(tag, alice, document):
    assert content(alice, document, If_None_Match=tag).body == b"what Alice keeps"


def test_a_conditional_read_may_be_kept_but_only_by_its_owner(alice, document):
    rule = content(alice, document).headers["Cache-Control"]
    assert "private" in rule
    assert "public" not in rule


RANGES = {
    "bytes=0-0": (0, 1),
    "bytes=0-15": (0, 16),
    "bytes=5-9": (5, 10),
    "bytes=5-": (5, None),
    "bytes=-5": (-5, None),
    "bytes=-700002": (0, None),
    "bytes=0-": (0, None),
    "bytes=100-99999999": (100, None),
    "bytes=196600-196700": (196_600, 196_701),
    "bytes=16383-400000": (16_383, 400_001),
    "bytes=700000-700000": (700_000, 700_001),
    "Bytes=1-2": (1, 3),
}


@pytest.mark.parametrize("asked", RANGES)
def test_a_range_is_206(asked, alice, big):
    start, end = RANGES[asked]
    answer = content(alice, big, Range=asked)
    part = BIG[start:end]
    first = start % len(BIG)
    assert (answer.status, answer.body == part) == (206, True)
    assert answer.headers["Content-Range"] == f"bytes {first}-{first + len(part) - 1}/{len(BIG)}"
    assert answer.headers["Content-Length"] == str(len(part))
    assert answer.headers["ETag"]
    assert answer.policy["default-src"] == ["'none'"]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(start=st.integers(0, len(BIG) - 1), length=st.integers(1, 500_000))
def test_any_range_is_cut_exactly(start, length, alice, big):
    answer = content(alice, big, Range=f"bytes={start}-{start + length - 1}")
    assert answer.body == BIG[start : start + length]


@pytest.mark.parametrize("asked", ["bytes=700001-", "bytes=999999999-"])
def test_a_range_behind_the_end_is_416(asked, alice, big):
    answer = content(alice, big, Range=asked)
    assert answer.status == 416
    assert answer.kind == "application/problem+json"
    assert answer.headers["Content-Range"] == f"bytes */{len(BIG)}"


def test_a_range_of_an_empty_document_is_416_or_nothing(alice):
    answer = content(alice, alice.upload(b""), Range="bytes=0-")
    assert answer.status in (200, 416)
    assert answer.status == 416 or answer.body == b""


@pytest.mark.parametrize(
    "asked",
    [
        "bytes",
        "bytes=",
        "bytes=-0",
        "bytes=a-b",
        "bytes=5-2",
        "lines=1-2",
        "bytes=1-2-3",
        "bytes=--1",
    ],
)
def test_a_range_that_is_none_is_passed_over(asked, alice, document):
    answer = content(alice, document, Range=asked)
    assert answer.status in (200, 416)
    assert answer.status == 416 or answer.body == b"what Alice keeps"


def test_a_range_of_5000_digits_is_no_fault(alice, document):
    for asked in (f"bytes={'9' * 5000}-", f"bytes=0-{'9' * 5000}", f"bytes=-{'9' * 5000}"):
        assert content(alice, document, Range=asked).status in (200, 206, 416)


def test_several_ranges_are_answered_whole_or_as_parts(alice, document):
    answer = content(alice, document, Range="bytes=0-1,4-5")
    if answer.status == 206:
        assert answer.kind == "multipart/byteranges"
    else:
        assert (answer.status, answer.body) == (200, b"what Alice keeps")


def test_if_range_cuts_only_the_same_content(alice, document):
    tag = content(alice, document).headers["ETag"]
    assert content(alice, document, Range="bytes=0-3", If_Range=tag).body == b"what"
    for other in ('"other"', f"W/{tag}", "Sat, 01 Jan 2000 00:00:00 GMT"):
        answer = content(alice, document, Range="bytes=0-3", If_Range=other)
        assert (answer.status, answer.body) == (200, b"what Alice keeps")


def test_if_none_match_goes_before_range(alice, document):
    tag = content(alice, document).headers["ETag"]
    assert content(alice, document, Range="bytes=99-", If_None_Match=tag).status == 304


def test_head_tells_the_length_without_the_bytes(alice, big):
    answer = alice.head(at(big, "/content"))
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["Content-Length"] == str(len(BIG))
    assert answer.headers["ETag"]
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert alice.head(at(big, "/content"), headers={"Range": "bytes=0-1"}).status in (200, 206)


# View and download


def test_view_is_an_inline_viewer_under_a_strict_policy(alice):
    document = alice.upload(b"<script>alert(1)</script>", "text/html", name="<b>bold</b>.html")
    answer = alice.get(at(document, "/view"))
    assert (answer.status, answer.kind) == (200, "text/html")
    assert answer.policy["default-src"] == ["'none'"]
    assert answer.policy["frame-ancestors"] == ["'self'"]
    assert "<script>alert(1)" not in answer.text
    assert "<b>bold</b>" not in answer.text
    assert "bold" in answer.text


def test_download_is_an_attachment_named_after_the_document(alice, document):
    answer = alice.get(at(document, "/download"))
    assert (answer.status, answer.kind) == (200, "text/html")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert ".html" in answer.headers["Content-Disposition"]
    assert answer.policy["default-src"] == ["'none'"]


@pytest.mark.parametrize("kind", ["application/pdf", "text/plain", "image/png", "application/x-a"])
def test_download_carries_the_original_once_and_gives_it_back(kind, alice):
    original = random.Random(3).randbytes(200_000)
    answer = alice.get(at(alice.upload(original, kind), "/download"))
    assert answer.text.count(b64(original)) == 1
    assert hashlib.sha256(original).hexdigest() in answer.text


@pytest.mark.parametrize("call", ["/view", "/download"])
def test_a_page_says_its_length_and_is_whole(call, alice, big):
    answer = alice.get(at(big, call))
    assert answer.headers["Content-Length"] in {None, str(len(answer.body))}
    assert answer.text.rstrip().endswith("</html>")


# Delete


def test_delete_is_204_and_everything_is_gone_at_once(alice, disposable):
    answer = alice.delete(at(disposable))
    assert (answer.status, answer.body) == (204, b"")
    assert absent(alice, disposable)
    for link in ("viewUrl", "downloadUrl", "contentUrl"):
        assert alice.open(disposable["token"][link]).status in (401, 404, 410)


def test_of_many_deletes_at_once_one_counts(alice, disposable):
    statuses = sorted(alice.delete(at(disposable)).status for _ in range(3))
    assert statuses == [204, 404, 404]
