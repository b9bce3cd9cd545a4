"""Who may send a body of more than 64 KiB: the owner of a valid credential, checked in the head."""

import contextlib

import pytest

from tests.formats import b64, unknown_credential
from tests.people import Answer, Person
from tests.problems import refused

LONG = b64(bytes(3 << 20)).encode()


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
    "field", [("Content-Length", str(len(LONG))), ("Transfer-Encoding", "chunked")]
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


def test_a_client_that_sends_the_whole_body_first_reads_the_refusal(not_valid):
    for person in not_valid["key_revoked"]:
        refused(person.post("/v1/documents", data=LONG), 401, "key_revoked")


def test_a_link_sends_no_long_body(alice, document):
    link = alice.with_token(alice.share(document)["token"])
    refused(link.post("/v1/documents", data=LONG), 403, "scope_missing")


def test_a_valid_session_or_key_sends_a_long_body(alice):
    body = {"payload": LONG.decode(), "contentType": "a/b"}
    for person in (alice, alice.create_api_key(scopes=["documents:write"])):
        assert person.post("/v1/documents", json=body).json["size"] == 3 << 20
