"""Bodies that are not the JSON of RFC 8259."""

import json

import pytest

from tests.contract.requests import GOOD, JSON, sent
from tests.contract.routes import ROUTES, WITH_BODY
from tests.problems import refused

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
    "a name twice": b'{"name": "a", "name": "b"}',
    "a name twice, once escaped": b'{"name": "a", "n\\u0061me": "a"}',
    "form data": b"name=a&other=b",
}
BODIES = ["POST /v1/auth/register", "POST /v1/api-keys", "PATCH /v1/documents/<document>"]
BODIES += ["POST /v1/documents/<document>/tokens", "POST /v1/documents"]


@pytest.mark.parametrize("route", BODIES)
@pytest.mark.parametrize("what", NOT_JSON)
def test_a_body_that_is_not_json_is_malformed(what, route, caller, document):
    refused(sent(caller, route, NOT_JSON[what], document), 400, "malformed_json")


@pytest.mark.parametrize("what", [w for w in NOT_JSON if NOT_JSON[w].startswith(b'{"name":')])
@pytest.mark.parametrize("before", [True, False])
def test_an_upload_that_is_not_json_is_malformed_on_either_side_of_its_payload(
    what, before, alice, document
):
    bad = NOT_JSON[what].removeprefix(b"{")
    body = b"{" + UPLOADED + b", " + bad if before else b"{" + bad[:-1] + b", " + UPLOADED + b"}"
    refused(sent(alice, "POST /v1/documents", body, document), 400, "malformed_json")


@pytest.mark.parametrize(
    "body",
    [
        b'{"payload": "", "payload": "", "contentType": "text/plain"}',
        b'{"payload": "", "contentType": "text/plain", "payload": ""}',
        b'{"payload": "aGVsbG8=", "p\\u0061yload": "aGVsbG8=", "contentType": "text/plain"}',
        b"{" + UPLOADED + b', "metadata": {"a": "1", "a": "1"}}',
        b"{" + UPLOADED + b', "token": {"label": "a", "label": "b"}}',
    ],
)
def test_a_duplicate_name_is_refused_wherever_it_is(body, alice, document):
    refused(sent(alice, "POST /v1/documents", body, document), 400, "malformed_json")


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
def test_a_byte_order_mark_is_refused(route, caller, document):
    refused(sent(caller, route, b'\xef\xbb\xbf{"name": "a"}', document), 400, "malformed_json")


@pytest.mark.parametrize("route", BODIES)
@pytest.mark.parametrize("top", [b"[]", b"1", b'"text"', b"null", b"true", b'[{"name": "a"}]'])
def test_json_that_is_not_an_object_is_refused(top, route, caller, document):
    assert sent(caller, route, top, document).status in (400, 422)


@pytest.mark.parametrize(
    "kind",
    [None, "", "text/plain", "application/x-www-form-urlencoded", "text/json", "nonsense", "a/b/c"],
)
@pytest.mark.parametrize("route", WITH_BODY, ids=str)
def test_a_content_type_other_than_json_is_415(kind, route, alice, anonymous, document):
    headers = {} if kind is None else {"Content-Type": kind}
    person = alice if route.callers else anonymous
    path = route.at(document=document["id"], key="nothing")
    answer = person.request(route.method, path, data=b'{"a": 1}', headers=headers)
    refused(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_parameters_and_case_of_application_json_are_accepted(kind, alice):
    data = json.dumps(GOOD).encode()
    assert alice.post("/v1/documents", data=data, headers={"Content-Type": kind}).status == 201


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_a_body_where_none_is_expected_causes_no_internal_error(route, alice, anonymous, document):
    caller = alice if route.callers and route.path != "/v1/auth/logout" else anonymous
    for data in (b"\x00\xff", b"[" * 9000):
        assert caller.request(route.method, route.at(), data=data, headers=JSON).status < 500
