"""The limits on bodies and headers, and who may send a body of more than 64 KiB."""

import contextlib
import json

import pytest

from tests.contract.requests import GOOD, JSON, LONG
from tests.contract.routes import WITH_BODY
from tests.formats import b64, unknown_credential
from tests.people import Answer, Person
from tests.problems import refused

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


LONG_BODY = b64(bytes(3 << 20)).encode()


@pytest.fixture
def not_valid(service, alice):
    """Callers whose credentials are not valid, by the code of the error."""
    machine = alice.create_api_key()
    alice.delete(f"/v1/api-keys/{machine.record['id']}")
    return {
        "key_revoked": [
            machine,
            machine.with_api_key("x"),
            machine.with_api_key(unknown_credential(machine.secret)),
        ],
        "not_authenticated": [alice.with_token("x")],
        "session_expired": [alice.with_token("v4.local.x")],
        "ambiguous_credentials": [
            Person(service, alice.credential | alice.create_api_key().credential)
        ],
    }


@pytest.mark.parametrize(
    "field", [("Content-Length", str(len(LONG_BODY))), ("Transfer-Encoding", "chunked")]
)
def test_a_credential_that_is_not_valid_is_answered_before_the_body_is_sent(field, not_valid):
    for code, people in not_valid.items():
        for person in people:
            connection = person.begin("POST", "/v1/documents", [field])
            connection.endheaders()
            with contextlib.closing(connection), connection.getresponse() as response:
                answer = Answer(response, response.read())
                refused(answer, 400 if code == "ambiguous_credentials" else 401, code)
                assert answer.headers["Connection"] == "close"


def test_a_link_sends_no_long_body(alice, document):
    link = alice.with_token(alice.share(document)["token"])
    refused(link.post("/v1/documents", data=LONG_BODY), 403, "scope_missing")


def test_a_valid_session_or_key_sends_a_long_body(alice):
    body = {"payload": LONG_BODY.decode(), "contentType": "a/b"}
    for person in (alice, alice.create_api_key(scopes=["documents:write"])):
        assert person.post("/v1/documents", json=body).json["size"] == 3 << 20
