"""Uploads: the answer, and the optional fields of the request."""

import hashlib
import random

import pytest

from tests.contract.requests import BIG, GOOD, RECORD
from tests.formats import parse_time, time_from_now
from tests.people import at
from tests.problems import refused, refused_field


def test_an_upload_returns_the_record_a_location_and_a_token(alice):
    answer = alice.post("/v1/documents", json=GOOD)
    assert answer.status == 201
    assert answer.json.keys() == RECORD | {"token"}
    assert answer.headers["Location"].removeprefix(alice.service.url) == at(answer.json)


def test_the_record_has_the_size_and_sha256_of_the_original(alice):
    document = alice.upload(BIG, "application/octet-stream")
    assert document["size"] == len(BIG)
    assert document["sha256"] == hashlib.sha256(BIG).hexdigest()


def test_name_metadata_and_expires_at_are_optional(alice):
    document = alice.upload()
    assert document["expiresAt"] is None
    assert document["metadata"] == {}
    full = {"name": "Über.txt", "metadata": {"case": "7/b"}, "expiresAt": time_from_now(days=1)}
    document = alice.upload(**full)
    assert {name: document[name] for name in full} == full


EXTENSIONS = {
    "application/pdf": {".pdf"},
    "image/png": {".png"},
    "image/jpeg": {".jpg", ".jpeg"},
    "text/plain; charset=utf-8": {".txt"},
    "text/csv": {".csv"},
    "application/json": {".json"},
    "application/x-unknown": {"", ".bin"},
}


def test_the_name_defaults_to_the_id_and_the_types_usual_extension(alice):
    for kind, endings in EXTENSIONS.items():
        document = alice.upload(content_type=kind)
        assert document["name"] in {document["id"] + ending for ending in endings}


def test_the_links_of_an_upload_open_at_once(alice):
    token = alice.upload(b"open me")["token"]
    addresses = {"shortUrl", "viewUrl", "downloadUrl", "contentUrl"}
    assert token.keys() == addresses | {"id", "token", "expiresAt"}
    for link, kind in {
        "viewUrl": "text/html",
        "downloadUrl": "text/html",
        "contentUrl": "text/plain",
    }.items():
        answer = alice.open(token[link])
        assert (answer.status, answer.kind) == (200, kind)


def test_the_token_of_an_upload_lives_7_days(alice):
    life = parse_time(alice.upload()["token"]["expiresAt"]) - parse_time(time_from_now())
    assert life.total_seconds() == pytest.approx(604_800, abs=30)


def test_the_token_field_sets_the_fields_of_the_token(alice):
    shape = {"label": "mine", "permissions": ["view"], "expiresAt": time_from_now(days=1)}
    document = alice.upload(token=shape)
    assert document["token"]["expiresAt"] == shape["expiresAt"]
    (token,) = alice.get(at(document, "/tokens")).json["tokens"]
    assert {name: token[name] for name in shape} == shape


def test_an_upload_with_token_null_creates_no_token(alice):
    document = alice.upload(token=None)
    assert document.get("token") is None
    assert alice.get(at(document, "/tokens")).json["tokens"] == []


def test_an_invalid_field_of_the_token_is_refused_with_its_pointer(new_user):
    for shape in ({"colour": 1}, {"permissions": ["x"]}, {"maxViews": 0}):
        answer = new_user.post("/v1/documents", json=GOOD | {"token": shape})
        (name,) = shape
        errors = refused(answer, 422, "invalid_request", name)["errors"]
        assert errors[0]["pointer"].startswith(f"#/token/{name}")
    assert new_user.get("/v1/documents").json["documents"] == []


def test_a_token_field_that_is_not_an_object_is_refused(alice):
    for token in (False, True, 1, "x", []):
        refused_field(alice.post("/v1/documents", json=GOOD | {"token": token}), "#/token", token)


NO_METADATA = [
    {"a": 1},
    {"a": None},
    {"a": ["b"]},
    {"a": {"b": "c"}},
    {"a": True},
    [],
    "a",
    {str(n): "" for n in range(17)},
    {"a": "x" * 4097},
    {"é" * 2100: ""},
]


def test_metadata_beyond_16_pairs_of_strings_or_4_kib_is_refused(alice):
    for metadata in NO_METADATA:
        answer = alice.post("/v1/documents", json=GOOD | {"metadata": metadata})
        problem = refused(answer, 422, "invalid_request", str(metadata)[:20])
        assert problem["errors"][0]["pointer"].startswith("#/metadata")


def test_metadata_is_returned_as_it_was_sent(alice):
    for metadata in ({str(n): "v" for n in range(16)}, {"a": "é" * 1900}, {}):
        document = alice.upload(metadata=metadata)
        assert alice.get(at(document)).json["metadata"] == metadata


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("plans/2026", {"path": "plans/2026"}),
        ("plans//a?/./b/", {"path": "plans/a_/b"}),
        ("plans/scan.md", {"path": "plans"}),
        ("scan.md", {}),
        ("", {}),
    ],
)
def test_the_path_of_metadata_is_a_folder_whose_names_are_made_safe(alice, sent, kept):
    document = alice.upload(name="scan.md", metadata={"path": sent, "a": "b"})
    assert document["metadata"] == kept | {"a": "b"}
    assert alice.get(at(document)).json["metadata"] == kept | {"a": "b"}
    changed = alice.patch(at(document), json={"name": "scan.md", "metadata": {"path": sent}})
    assert changed.json["metadata"] == kept


@pytest.mark.parametrize("path", ["/plans", "../plans", "a/../b", "a/" * 250 + "b", 5, None, ["a"]])
def test_a_path_that_is_no_folder_is_refused(alice, document, path):
    metadata = {"metadata": {"path": path}}
    refused_field(alice.post("/v1/documents", json=GOOD | metadata), "#/metadata/path")
    refused_field(alice.patch(at(document), json=metadata), "#/metadata/path")


def test_a_path_of_500_characters_is_kept(alice):
    path = "/".join(["x" * 99] * 5)
    assert alice.upload(metadata={"path": path + "y"})["metadata"] == {"path": path + "y"}


def test_a_document_of_any_size_is_returned_unchanged(alice):
    for size in (1, 3, 16_383, 16_384, 16_385, 196_608, 196_609, 4 << 20):
        content = random.Random(size).randbytes(size)
        document = alice.upload(content, "application/octet-stream")
        assert alice.get(at(document, "/content")).body == content, size


@pytest.mark.slow
def test_the_largest_original_is_64_mib(alice):
    largest = 64 << 20
    document = alice.upload(payload="A" * (largest // 3 * 4) + "AA==")
    assert document["size"] == largest
    body = GOOD | {"payload": "A" * (largest // 3 * 4) + "AAA="}
    refused(alice.post("/v1/documents", json=body), 413, "payload_too_large")
