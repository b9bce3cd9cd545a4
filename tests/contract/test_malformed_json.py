"""Bodies that are not the JSON of RFC 8259, and the base64 of an upload (RFC 4648, section 4)."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.requests import GOOD, JSON, LONG, sent
from tests.contract.routes import ROUTES, WITH_BODY
from tests.formats import b64
from tests.problems import refused, refused_field

UPLOADED = b'"payload": "aGVsbG8=", "contentType": "text/plain"'
NOT_JSON = {
    "white space": b" \n",
    "cut": b'{"name": "a"',
    "cut in a string": b'{"name": "a',
    "cut in an escape": b'{"name": "\\u12',
    "more than one": b'{"name": "a"} {}',
    "a comma too many": b'{"name": "a",}',
    "a comma too few": b'{"name": "a" "other": 1}',
    "no quotes": b'{name: "a"}',
    "other quotes": b"{'name': 'a'}",
    "a comment": b'{"name": "a" /* b */}',
    "a word": b'{"name": nothing}',
    "NaN": b'{"name": NaN}',
    "Infinity": b'{"name": Infinity}',
    "-Infinity": b'{"name": -Infinity}',
    "a leading zero": b'{"name": 01}',
    "a leading plus": b'{"name": +1}',
    "a bare fraction": b'{"name": .5}',
    "hexadecimal": b'{"name": 0x10}',
    "5,000 digits": b'{"name": ' + b"9" * 5000 + b"}",
    "deep arrays": b'{"name": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    "deep objects": b'{"name":' * 6_000 + b"1" + b"}" * 6_000,
    "unclosed arrays": b"[" * 60_000,
    "a line end in a string": b'{"name": "a\nb"}',
    "a bad escape": b'{"name": "\\x41"}',
    "a NUL between": b'{"name":\x00"a"}',
    "a raw NUL": b'{"name": "a\x00b"}',
    "UTF-16": '{"name": "a"}'.encode("utf-16"),
    "UTF-16 without a mark": '{"name": "a"}'.encode("utf-16-le"),
    "UTF-32": '{"name": "a"}'.encode("utf-32"),
    "Latin-1": '{"name": "é"}'.encode("latin-1"),
    "a raw lone surrogate": b'{"name": "\xed\xa0\x80"}',
    "an overlong sequence": b'{"name": "\xc0\xaf"}',
    "a byte order mark": b'\xef\xbb\xbf{"name": "a"}',
    "a name twice": b'{"name": "a", "name": "b"}',
    "a name twice, once escaped": b'{"name": "a", "n\\u0061me": "a"}',
    "form data": b"name=a&other=b",
}
BODIES = ["POST /v1/auth/register", "POST /v1/api-keys", "PATCH /v1/documents/<document>"]
BODIES += ["POST /v1/documents/<document>/tokens", "POST /v1/documents"]


@pytest.mark.parametrize("route", BODIES)
def test_a_body_that_is_not_json_is_malformed(route, caller, document):
    for what, body in NOT_JSON.items():
        refused(sent(caller, route, body, document), 400, "malformed_json", what)


@pytest.mark.parametrize("before", [True, False])
def test_an_upload_that_is_not_json_is_malformed_on_either_side_of_its_payload(
    before, alice, document
):
    for what, whole in NOT_JSON.items():
        if whole.startswith(b'{"name":'):
            bad = whole.removeprefix(b"{")
            after = b"{" + bad[:-1] + b", " + UPLOADED + b"}"
            body = b"{" + UPLOADED + b", " + bad if before else after
            answer = sent(alice, "POST /v1/documents", body, document)
            refused(answer, 400, "malformed_json", what)


DOUBLED = [
    b'{"payload": "", "payload": "", "contentType": "text/plain"}',
    b'{"payload": "", "contentType": "text/plain", "payload": ""}',
    b'{"payload": "aGVsbG8=", "p\\u0061yload": "aGVsbG8=", "contentType": "text/plain"}',
    b"{" + UPLOADED + b', "metadata": {"a": "1", "a": "1"}}',
    b"{" + UPLOADED + b', "token": {"label": "a", "label": "b"}}',
]


def test_a_duplicate_name_is_refused_wherever_it_is(alice, document):
    for body in DOUBLED:
        answer = sent(alice, "POST /v1/documents", body, document)
        refused(answer, 400, "malformed_json", body)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_is_refused_in_an_upload_of_any_size(opening, alice, document):
    closing = {b"[": b"]", b'{"a":': b"}"}[opening]
    deep = opening * 100_000 + b"1" + closing * 100_000
    for body in (deep, b'{"metadata": ' + deep + b", " + UPLOADED + b"}"):
        answer = sent(alice, "POST /v1/documents", body, document)
        assert answer.status in (400, 413), answer


@pytest.mark.parametrize("route", ["POST /v1/auth/register", "POST /v1/documents"])
def test_an_empty_body_is_malformed(route, caller, document):
    refused(sent(caller, route, b"", document), 400, "malformed_json")


@pytest.mark.parametrize("route", BODIES)
def test_json_that_is_not_an_object_is_refused(route, caller, document):
    for top in (b"[]", b"1", b'"text"', b"null", b"true", b'[{"name": "a"}]'):
        assert sent(caller, route, top, document).status in (400, 422), top


@pytest.mark.parametrize(
    "kind",
    [None, "", "text/plain", "application/x-www-form-urlencoded", "text/json", "nonsense", "a/b/c"],
)
def test_a_content_type_other_than_json_is_415(kind, alice, anonymous, document):
    headers = {} if kind is None else {"Content-Type": kind}
    for route in WITH_BODY:
        person = alice if route.callers else anonymous
        path = route.at(document=document["id"], key="nothing")
        answer = person.request(route.method, path, data=b'{"a": 1}', headers=headers)
        refused(answer, 415, "unsupported_media_type", route)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_parameters_and_case_of_application_json_are_accepted(kind, alice):
    data = json.dumps(GOOD).encode()
    assert alice.post("/v1/documents", data=data, headers={"Content-Type": kind}).status == 201


@pytest.mark.parametrize("data", [b"\x00\xff", b"[" * 9000], ids=len)
def test_a_body_where_none_is_expected_causes_no_internal_error(data, alice, anonymous):
    for route in ROUTES:
        caller = alice if route.callers and route.path != "/v1/auth/logout" else anonymous
        answer = caller.request(route.method, route.at(), data=data, headers=JSON)
        assert answer.status < 500, route


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


def test_invalid_base64_is_refused_and_nothing_is_stored(new_user):
    for what, payload in BAD_BASE64.items():
        answer = new_user.post("/v1/documents", json=GOOD | {"payload": payload})
        assert len(refused_field(answer, "#/payload", what)) > 10, what
    assert new_user.get("/v1/documents").json["documents"] == []


def test_invalid_base64_is_refused_with_its_position(alice):
    for place in (3, 70_000, 500_001, 799_999):
        payload = LONG[:place] + "*" + LONG[place + 1 :]
        answer = alice.post("/v1/documents", json=GOOD | {"payload": payload})
        detail = refused_field(answer, "#/payload", place)
        numbers = {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", detail)}
        assert numbers & {place, place + 1}, detail


def test_a_payload_that_is_not_a_string_is_refused(alice):
    rest = {"contentType": "text/plain"}
    for value in (None, 5, True, ["aGVsbG8="], {"a": "b"}, 1.5):
        for body in ({"payload": value} | rest, rest | {"payload": value}):
            refused_field(alice.post("/v1/documents", json=body), "#/payload", body)


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


def test_an_empty_payload_is_a_document_of_0_bytes(alice):
    for payload in ("", " ", "\n"):
        document = alice.upload(payload=payload)
        assert document["size"] == 0
        assert alice.get(f"/v1/documents/{document['id']}/content").body == b""


ESCAPED = [
    rb'{"payload": "aGVsbG8\u003d", "contentType": "text\/plain"}',
    rb'{"contentType": "text/plain", "p\u0061yload": "\u0061GVsbG8="}',
    b' \n{\t"payload" :\r"aGVsbG8=" , "contentType": "text/plain" } \n',
    b'{"metadata": {"payload": "other"}, "payload": "aGVsbG8=", "contentType": "text/plain"}',
    b'{"name": "\\"payload\\": \\"x", "contentType": "text/plain", "payload": "aGVsbG8="}',
]


def test_an_upload_may_use_any_json_escapes(alice, document):
    for body in ESCAPED:
        uploaded = sent(alice, "POST /v1/documents", body, document).json
        assert alice.get(f"/v1/documents/{uploaded['id']}/content").body == b"hello", body


def test_escapes_in_a_long_payload_are_decoded(alice, document):
    payload = LONG.replace("/", "\\/").replace("A", "\\u0041")
    body = f'{{"contentType": "text/plain", "payload": "{payload}"}}'.encode()
    uploaded = sent(alice, "POST /v1/documents", body, document).json
    assert b64(alice.get(f"/v1/documents/{uploaded['id']}/content").body) == LONG


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(content=st.binary(max_size=300), names=st.permutations(["payload", "contentType", "name"]))
def test_any_content_is_returned_for_any_order_of_fields(content, names, alice):
    fields = {"payload": b64(content), "contentType": "application/x-any", "name": "any"}
    answer = alice.post("/v1/documents", json={name: fields[name] for name in names})
    assert alice.get(f"/v1/documents/{answer.json['id']}/content").body == content
