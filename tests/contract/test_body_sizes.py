"""The limits on the size of a document, of other bodies, and of headers."""

import json
import random

import pytest

from tests.contract.requests import GOOD, JSON
from tests.contract.routes import WITH_BODY
from tests.formats import b64
from tests.problems import refused

LONG = b64(random.Random(1).randbytes(600_000))  # many pieces; no padding
LIMIT = 3 << 20


@pytest.fixture(scope="module")
def small(start_service):
    """Somebody at a service that takes 3 MiB."""
    service = start_service(MAX_DOCUMENT_BYTES=LIMIT, RATE_LIMITS="off")
    return service.register()


def test_a_document_of_exactly_the_limit_is_stored(small):
    assert small.upload(bytes(LIMIT), "application/x-zeros")["size"] == LIMIT


def test_line_ends_in_base64_do_not_count_towards_the_limit(small):
    payload = b64(bytes(LIMIT))
    lines = "\r\n".join(payload[at : at + 76] for at in range(0, len(payload), 76))
    assert small.upload(payload=lines)["size"] == LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("more", [1, 2, 3, 1000, 65_536, 1 << 20, 8 << 20, 60 << 20])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_larger_document_is_413_and_never_a_reset(more, chunked, small):
    body = json.dumps(GOOD | {"payload": b64(bytes(LIMIT + more))}).encode()
    chunks = (body[at : at + 100_000] for at in range(0, len(body), 100_000))
    sending = {"chunks": chunks} if chunked else {"data": body}
    answer = small.post("/v1/documents", headers=JSON, **sending)
    refused(answer, 413, "payload_too_large")
    assert small.get("/v1/documents?limit=1").status == 200


def test_a_document_above_the_limit_is_not_stored(small):
    before = small.get("/v1/documents").json
    body = GOOD | {"payload": b64(bytes(LIMIT + 1))}
    refused(small.post("/v1/documents", json=body), 413, "payload_too_large")
    assert small.get("/v1/documents").json == before


def test_a_large_body_with_expect_100_continue_is_413_before_it_is_sent(small):
    connection = small.begin("POST", "/v1/documents", JSON)
    connection.putheader("Content-Length", str(100 << 20))
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["code"]) == (413, "payload_too_large")
    connection.close()


def test_a_large_body_with_an_unknown_token_is_401(small):
    small = small.with_token("nonsense")
    body = json.dumps(GOOD | {"payload": b64(bytes(LIMIT + 1))}).encode()
    assert small.post("/v1/documents", data=body, headers=JSON).status == 401


@pytest.mark.parametrize("route", [r for r in WITH_BODY if r.path != "/v1/documents"], ids=str)
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_other_than_an_upload_is_413_above_64_kib(
    route, chunked, alice, anonymous, document
):
    caller = alice if route.callers else anonymous
    body = json.dumps(route.body | {"name": "x" * 70_000}).encode()
    path = route.at(document=document["id"])
    sending = {"chunks": [body]} if chunked else {"data": body}
    answer = caller.request(route.method, path, headers=JSON, **sending)
    refused(answer, 413, "payload_too_large")


def test_a_chunked_upload_is_stored(alice):
    body = json.dumps(GOOD | {"payload": LONG}).encode()
    chunks = (body[at : at + 9999] for at in range(0, len(body), 9999))
    answer = alice.post("/v1/documents", chunks=chunks, headers=JSON)
    assert (answer.status, answer.json["size"]) == (201, 600_000)


@pytest.mark.parametrize("length", ["-1", "abc", "1.5", "+5", "0x10", "5, 5", "9" * 30])
def test_an_invalid_content_length_is_refused(length, alice):
    connection = alice.begin("POST", "/v1/documents", JSON | {"Content-Length": length})
    connection.endheaders()
    response = connection.getresponse()
    assert response.status in (400, 413)
    assert response.headers["Content-Type"].startswith("application/problem+json")
    response.read()
    connection.close()


def test_headers_that_are_too_large_are_refused(alice):
    answer = alice.get("/healthz", headers={"X-Much": "a" * 40_000})
    assert answer.status in (200, 400, 431)
