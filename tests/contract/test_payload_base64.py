"""The base64 of an upload: RFC 4648, section 4, in canonical form, with white space allowed."""

import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.requests import GOOD, sent
from tests.formats import b64
from tests.problems import refused_field

LONG = b64(random.Random(1).randbytes(600_000))  # many pieces; no padding
BAD_BASE64 = {
    "a stray character": "aGVs*G8=",
    "a stray character at the start": "!aGVsbG8=",
    "a stray character at the end": "aGVsbG8=!",
    "a stray character far inside": LONG[:500_001] + "*" + LONG[500_002:],
    "a missing character far inside": LONG[:300_000] + LONG[300_001:],
    "missing padding": "aGVsbG8",
    "half the padding": "aGVsbA=",
    "padding that is not needed": "aGVsbG8h=",
    "padding alone": "====",
    "padding inside": "aGVs=bG8",
    "two in one": "aGVsbG8=aGVsbG8=",
    "padding inside a long one": LONG[:400_000] + "aGVsbG8=" + LONG[400_000:],
    "one character": "a",
    "five characters": "aGVsb",
    "non-canonical last bits": "aGVsbG9=",
    "non-canonical last bits before two": "aGVsbB==",
    "non-canonical last bits of a long one": LONG + "aGVsbG9=",
    "a data: prefix": "data:text/plain;base64,aGVsbG8=",
    "the URL-safe alphabet, -": "aGVs-G8=",
    "the URL-safe alphabet, _": "aGVs_G8=",
    "non-ASCII": "aGVsbGé=",
    "full-width": "ａGVsbG8=",
    "a no-break space": "aGVs\xa0bG8=",
    "a line separator": "aGVs\u2028bG8=",
    "an emoji": "📄",
    "a dot": "aGVs.G8=",
    "percent": "aGVsbG8%3D",
    "hexadecimal": "\\x68",
    "a backslash": "aGVs\\bG8=",
}


@pytest.mark.parametrize("what", BAD_BASE64)
def test_invalid_base64_is_refused_and_nothing_is_stored(what, alice, new_user):
    detail = refused_field(
        new_user.post("/v1/documents", json=GOOD | {"payload": BAD_BASE64[what]}), "#/payload"
    )
    assert len(detail) > 10
    assert new_user.get("/v1/documents").json["documents"] == []


@pytest.mark.parametrize("place", [3, 70_000, 500_001, 799_999])
def test_invalid_base64_is_refused_with_its_position(place, alice):
    payload = LONG[:place] + "*" + LONG[place + 1 :]
    detail = refused_field(
        alice.post("/v1/documents", json=GOOD | {"payload": payload}), "#/payload"
    )
    numbers = {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", detail)}
    assert numbers & {place, place + 1}, detail


@pytest.mark.parametrize("value", [None, 5, True, ["aGVsbG8="], {"a": "b"}, 1.5])
@pytest.mark.parametrize("first", [True, False])
def test_a_payload_that_is_not_a_string_is_refused(value, first, alice):
    rest = {"contentType": "text/plain"}
    body = {"payload": value} | rest if first else rest | {"payload": value}
    refused_field(alice.post("/v1/documents", json=body), "#/payload")


@pytest.mark.parametrize("space", [" ", "\n", "\r\n", "\t", " \n \t"])
def test_ascii_white_space_in_base64_is_ignored(space, alice):
    payload = space + space.join(LONG[at : at + 76] for at in range(0, len(LONG), 76)) + space
    document = alice.upload(payload=payload)
    assert document["size"] == 600_000
    spread = alice.upload(payload=space.join(b64(b"hello")))
    assert alice.get(f"/v1/documents/{spread['id']}/content").body == b"hello"


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "spaces-far-inside"}])
def test_white_space_far_inside_a_very_long_payload_is_ignored(key, alice):
    body = GOOD | {"payload": f"{5 * LONG}\n{LONG}"}
    uploaded = alice.post("/v1/documents", json=body, headers=key).json
    assert b64(alice.get(f"/v1/documents/{uploaded['id']}/content").body) == 6 * LONG


@pytest.mark.parametrize("payload", ["", " ", "\n"])
def test_an_empty_payload_is_a_document_of_0_bytes(payload, alice):
    document = alice.upload(payload=payload)
    assert document["size"] == 0
    assert alice.get(f"/v1/documents/{document['id']}/content").body == b""


@pytest.mark.parametrize(
    "body",
    [
        rb'{"payload": "aGVsbG8\u003d", "contentType": "text\/plain"}',
        rb'{"contentType": "text/plain", "p\u0061yload": "\u0061GVsbG8="}',
        b' \n{\t"payload" :\r"aGVsbG8=" , "contentType": "text/plain" } \n',
        b'{"metadata": {"payload": "other"}, "payload": "aGVsbG8=", "contentType": "text/plain"}',
        b'{"name": "\\"payload\\": \\"x", "contentType": "text/plain", "payload": "aGVsbG8="}',
    ],
)
def test_an_upload_may_use_any_json_escapes(body, alice, document):
    uploaded = sent(alice, "POST /v1/documents", body, document).json
    assert alice.get(f"/v1/documents/{uploaded['id']}/content").body == b"hello"


def test_escapes_in_a_long_payload_are_decoded(alice, document):
    payload = LONG.replace("/", "\\/").replace("A", "\\u0041")
    body = f'{{"contentType": "text/plain", "payload": "{payload}"}}'.encode()
    uploaded = sent(alice, "POST /v1/documents", body, document).json
    assert b64(alice.get(f"/v1/documents/{uploaded['id']}/content").body) == LONG


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.binary(max_size=300), names=st.permutations(["payload", "contentType", "name"]))
def test_any_content_is_returned_for_any_order_of_fields(content, names, alice):
    fields = {"payload": b64(content), "contentType": "application/x-any", "name": "any"}
    answer = alice.post("/v1/documents", json={name: fields[name] for name in names})
    assert alice.get(f"/v1/documents/{answer.json['id']}/content").body == content
