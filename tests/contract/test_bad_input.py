"""What is not well said is refused with a sentence, and is never a fault."""

import contextlib
import json
import random
import re
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.routes import ROUTES, WITH_BODY
from tests.people import b64, pointed, refused

JSON = {"Content-Type": "application/json"}
GOOD = {"payload": b64(b"hello"), "contentType": "text/plain"}
UPLOADED = b'"payload": "aGVsbG8=", "contentType": "text/plain"'

# What is not JSON

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


def sent(person, route, data, document, headers=JSON):
    method, path = route.split()
    path = path.replace("<document>", document["id"])
    return person.ask(method, path, data=data, headers=headers)


@pytest.fixture
def caller(request, alice, anyone):
    return anyone if "auth" in request.node.callspec.params["route"] else alice


@pytest.mark.parametrize("route", BODIES)
@pytest.mark.parametrize("what", NOT_JSON)
def test_what_is_not_json_is_malformed(what, route, caller, document):
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
def test_no_body_where_one_is_needed_is_malformed(route, caller, document):
    refused(sent(caller, route, b"", document), 400, "malformed_json")


@pytest.mark.parametrize("route", BODIES)
def test_a_byte_order_mark_is_refused(route, caller, document):
    refused(sent(caller, route, b'\xef\xbb\xbf{"name": "a"}', document), 400, "malformed_json")


@pytest.mark.parametrize("route", BODIES)
@pytest.mark.parametrize("top", [b"[]", b"1", b'"text"', b"null", b"true", b'[{"name": "a"}]'])
def test_what_is_no_object_is_refused(top, route, caller, document):
    assert sent(caller, route, top, document).status in (400, 422)


# What is JSON, but not what is asked for


@pytest.mark.parametrize(
    "kind",
    [None, "", "text/plain", "application/x-www-form-urlencoded", "text/json", "nonsense", "a/b/c"],
)
@pytest.mark.parametrize("route", WITH_BODY, ids=str)
def test_what_is_not_application_json_is_refused(kind, route, alice, anyone, document):
    headers = {} if kind is None else {"Content-Type": kind}
    person = alice if route.callers else anyone
    path = route.at(document=document["id"], key="nothing")
    answer = person.ask(route.method, path, data=b'{"a": 1}', headers=headers)
    refused(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_application_json_may_be_spelled_otherwise(kind, alice):
    data = json.dumps(GOOD).encode()
    assert alice.post("/v1/documents", data=data, headers={"Content-Type": kind}).status == 201


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800", "a\udc80b", "\udc00\ud800"])
@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/auth/register", "email"),
        ("/v1/auth/register", "password"),
        ("/v1/auth/register", "name"),
        ("/v1/auth/login", "email"),
        ("/v1/auth/login", "password"),
        ("/v1/api-keys", "name"),
        ("/v1/documents", "name"),
        ("/v1/documents", "contentType"),
        ("/v1/documents", "payload"),
        ("/v1/documents/<document>/tokens", "label"),
        ("/v1/documents/<document>/tokens", "password"),
    ],
)
def test_a_nul_or_lone_surrogate_in_a_string_is_refused(path, field, text, alice, anyone, document):
    good = {"/v1/documents": GOOD, "/v1/api-keys": {}}.get(path, {})
    if "auth" in path:
        good = {"email": "nul@example.org", "password": "long enough"}
    caller = anyone if "auth" in path else alice
    answer = caller.post(path.replace("<document>", document["id"]), json=good | {field: text})
    pointed(answer, f"#/{field}")


@pytest.mark.parametrize("metadata", [{"a\x00": "b"}, {"a": "\ud800"}, {"\udfff": "b"}])
def test_a_nul_or_lone_surrogate_in_a_name_is_refused(metadata, alice):
    assert alice.post("/v1/documents", json=GOOD | {"metadata": metadata}).status == 422
    assert alice.post("/v1/documents", json=GOOD | metadata).status == 422


def test_a_pair_of_surrogates_is_a_character(alice, document):
    body = b"{" + UPLOADED + b', "name": "\\ud83d\\udcc4.txt"}'
    answer = sent(alice, "POST /v1/documents", body, document)
    assert answer.json["name"] == "📄.txt"


WRONG = [0, -1, 1.5, 1e300, True, [], {}, ["a"], {"a": "b"}, [[]], "", " ", "x" * 9000]
FIELDS = {
    "/v1/auth/register": ["email", "password", "name"],
    "/v1/auth/login": ["email", "password"],
    "/v1/auth/password": ["currentPassword", "newPassword"],
    "/v1/api-keys": ["name", "scopes", "expiresAt"],
    "/v1/api-keys/<key>/rotate": ["overlapSeconds"],
    "/v1/documents": ["payload", "contentType", "name", "metadata", "expiresAt", "token"],
    "/v1/documents/<document>/tokens": [
        *("label", "permissions", "expiresAt", "maxViews", "password", "allowedOrigins")
    ],
}
FULL = {
    "/v1/auth/register": {"email": "wrong@example.org", "password": "long enough"},
    "/v1/auth/login": {"email": "wrong@example.org", "password": "long enough"},
    "/v1/auth/password": {"currentPassword": "wrong enough", "newPassword": "long enough"},
    "/v1/documents": GOOD,
}


@pytest.mark.parametrize(
    ("path", "field"), [(path, field) for path, fields in FIELDS.items() for field in fields]
)
def test_a_value_of_a_wrong_type_is_pointed_at(path, field, alice, anyone, document):
    caller = anyone if path in {"/v1/auth/register", "/v1/auth/login"} else alice
    for value in WRONG:
        key = "nothing" if "rotate" in path else ""
        full = path.replace("<document>", document["id"]).replace("<key>", key)
        answer = caller.post(full, json=FULL.get(path, {}) | {field: value})
        assert answer.status in (201, 401, 404, 409, 413, 422), (value, answer)
        if answer.status == 422:
            assert answer.json["errors"][0]["pointer"].startswith(f"#/{field}"), (value, answer)
        if isinstance(value, (bool, float)):
            assert answer.status in (404, 422), (value, answer)


# Base64

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
def test_bad_base64_is_pointed_at(what, alice, newcomer):
    detail = pointed(
        newcomer.post("/v1/documents", json=GOOD | {"payload": BAD_BASE64[what]}), "#/payload"
    )
    assert len(detail) > 10
    assert newcomer.get("/v1/documents").json["documents"] == []


@pytest.mark.parametrize("place", [3, 70_000, 500_001, 799_999])
def test_bad_base64_is_told_with_its_place(place, alice):
    payload = LONG[:place] + "*" + LONG[place + 1 :]
    detail = pointed(alice.post("/v1/documents", json=GOOD | {"payload": payload}), "#/payload")
    numbers = {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", detail)}
    assert numbers & {place, place + 1}, detail


@pytest.mark.parametrize("value", [None, 5, True, ["aGVsbG8="], {"a": "b"}, 1.5])
@pytest.mark.parametrize("first", [True, False])
def test_a_payload_of_a_wrong_type_is_pointed_at(value, first, alice):
    rest = {"contentType": "text/plain"}
    body = {"payload": value} | rest if first else rest | {"payload": value}
    pointed(alice.post("/v1/documents", json=body), "#/payload")


@pytest.mark.parametrize("field", ["payload", "contentType"])
def test_a_missing_field_is_pointed_at(field, alice):
    body = {name: value for name, value in GOOD.items() if name != field}
    pointed(alice.post("/v1/documents", json=body), f"#/{field}")


@pytest.mark.parametrize("space", [" ", "\n", "\r\n", "\t", " \n \t"])
def test_ascii_white_space_is_passed_over(space, alice):
    payload = space + space.join(LONG[at : at + 76] for at in range(0, len(LONG), 76)) + space
    document = alice.upload(payload=payload)
    assert document["size"] == 600_000
    spread = alice.upload(payload=space.join(b64(b"hello")))
    assert alice.get(f"/v1/documents/{spread['id']}/content").body == b"hello"


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
def test_an_upload_is_read_as_json_is(body, alice, document):
    uploaded = sent(alice, "POST /v1/documents", body, document).json
    assert alice.get(f"/v1/documents/{uploaded['id']}/content").body == b"hello"


def test_escapes_in_a_long_payload_are_read_as_json_is(alice, document):
    payload = LONG.replace("/", "\\/").replace("A", "\\u0041")
    body = f'{{"contentType": "text/plain", "payload": "{payload}"}}'.encode()
    uploaded = sent(alice, "POST /v1/documents", body, document).json
    assert b64(alice.get(f"/v1/documents/{uploaded['id']}/content").body) == LONG


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.binary(max_size=300), names=st.permutations(["payload", "contentType", "name"]))
def test_any_bytes_come_back_in_any_order_of_fields(content, names, alice):
    fields = {"payload": b64(content), "contentType": "application/x-any", "name": "any"}
    answer = alice.post("/v1/documents", json={name: fields[name] for name in names})
    assert alice.get(f"/v1/documents/{answer.json['id']}/content").body == content


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
NAMES = st.sampled_from(sorted({name for fields in FIELDS.values() for name in fields}))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=st.dictionaries(NAMES, VALUES, max_size=5), route=st.sampled_from(WITH_BODY))
def test_no_body_is_ever_a_fault(body, route, alice, anyone, document):
    path = route.at(document=document["id"])
    caller = alice if route.callers else anyone
    assert caller.ask(route.method, path, json=body).status < 500


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_a_body_where_none_is_needed_is_never_a_fault(route, alice, anyone, document):
    caller = alice if route.callers and route.path != "/v1/auth/logout" else anyone
    for data in (b"\x00\xff", b"[" * 9000):
        assert caller.ask(route.method, route.at(), data=data, headers=JSON).status < 500


# Media types


@pytest.mark.parametrize(
    "kind",
    [
        *("", " ", "pdf", "text/", "/plain", "/", "text//plain", "text/plain/more", "*"),
        *("text /plain", "text/ plain", "text/pl ain", "text/plain, text/html", "text/pläin"),
        *("text/plain; charset", "text/plain; charset=", "text/plain; =utf-8", "text/plain; a b"),
        *("text/plain\r\nX-Other: 1", "text/plain\n", 'text/plain; a="b', 'text/plain; a="b"c'),
        *("text/plain; a=b;c", "te(x)t/plain", "text/plain; a=b\x7f", "text/" + "p" * 251),
        *(None, 1, True, [], ["text/plain"], {}),
    ],
)
def test_a_bad_media_type_is_pointed_at(kind, alice):
    pointed(alice.post("/v1/documents", json=GOOD | {"contentType": kind}), "#/contentType")


@pytest.mark.parametrize(
    "kind",
    [
        *("text/plain", "application/vnd.api+json", "text/plain; charset=utf-8", "x/y"),
        *('text/plain;charset="utf-8"', 'multipart/x; boundary="a;b\\"c"', "text/plain;a=1 ; b=2"),
        *("audio/x-aiff", "text/" + "p" * 250, "!#$%&'*+-.^_`|~/1"),
    ],
)
def test_a_media_type_of_rfc_9110_comes_back(kind, alice):
    document = alice.upload(content_type=kind)
    assert document["contentType"] == kind
    answer = alice.get(f"/v1/documents/{document['id']}/content")
    assert answer.headers["Content-Type"] == kind


# Sizes

LIMIT = 3 << 20


@pytest.fixture(scope="module")
def small(start_service):
    """Somebody at a service that takes 3 MiB."""
    service = start_service(MAX_DOCUMENT_BYTES=LIMIT, RATE_LIMITS="off")
    return service.register()


def test_a_document_of_exactly_the_limit_is_taken(small):
    assert small.upload(bytes(LIMIT), "application/x-zeros")["size"] == LIMIT


def test_a_document_of_the_limit_is_taken_with_line_ends_too(small):
    payload = b64(bytes(LIMIT))
    lines = "\r\n".join(payload[at : at + 76] for at in range(0, len(payload), 76))
    assert small.upload(payload=lines)["size"] == LIMIT


@pytest.mark.parametrize("more", [1, 2, 3, 1000, 65_536, 1 << 20, 8 << 20, 60 << 20])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_larger_document_is_413_and_never_a_reset(more, chunked, small):
    body = json.dumps(GOOD | {"payload": b64(bytes(LIMIT + more))}).encode()
    chunks = (body[at : at + 100_000] for at in range(0, len(body), 100_000))
    sending = {"chunks": chunks} if chunked else {"data": body}
    answer = small.post("/v1/documents", headers=JSON, **sending)
    refused(answer, 413, "payload_too_large")
    assert small.get("/v1/documents?limit=1").status == 200


def test_a_larger_document_is_nowhere_to_be_found(small):
    before = small.get("/v1/documents").json
    body = GOOD | {"payload": b64(bytes(LIMIT + 1))}
    refused(small.post("/v1/documents", json=body), 413, "payload_too_large")
    assert small.get("/v1/documents").json == before


def test_a_large_body_that_asks_first_is_413_before_it_is_sent(small):
    connection = small.begin("POST", "/v1/documents", JSON)
    connection.putheader("Content-Length", str(100 << 20))
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["code"]) == (413, "payload_too_large")
    connection.close()


def test_a_large_body_of_a_stranger_is_401(small):
    small = small.bearing("nonsense")
    body = json.dumps(GOOD | {"payload": b64(bytes(LIMIT + 1))}).encode()
    assert small.post("/v1/documents", data=body, headers=JSON).status == 401


@pytest.mark.parametrize("route", [r for r in WITH_BODY if r.path != "/v1/documents"], ids=str)
@pytest.mark.parametrize("chunked", [False, True])
def test_other_bodies_end_at_64_kib(route, chunked, alice, anyone, document):
    caller = alice if route.callers else anyone
    body = json.dumps(route.body | {"name": "x" * 70_000}).encode()
    path = route.at(document=document["id"])
    sending = {"chunks": [body]} if chunked else {"data": body}
    answer = caller.ask(route.method, path, headers=JSON, **sending)
    refused(answer, 413, "payload_too_large")


def test_a_chunked_upload_is_taken(alice):
    body = json.dumps(GOOD | {"payload": LONG}).encode()
    chunks = (body[at : at + 9999] for at in range(0, len(body), 9999))
    answer = alice.post("/v1/documents", chunks=chunks, headers=JSON)
    assert (answer.status, answer.json["size"]) == (201, 600_000)


@pytest.mark.parametrize("length", ["-1", "abc", "1.5", "+5", "0x10", "5, 5", "9" * 30])
def test_a_bad_content_length_is_refused(length, alice):
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


# Below HTTP


@pytest.mark.parametrize(
    "sent_bytes",
    [
        b"nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n",
        b"POST /v1/documents HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n",
        b"POST /v1/documents HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /v1/documents HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_what_is_hardly_http_is_answered_as_any_error(sent_bytes, service):
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(sent_bytes)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    assert 400 <= status < 600
    assert status not in {500, 502, 503}
    assert b"application/problem+json" in head
    assert b"x-request-id" in head.lower()
    assert json.loads(body)["status"] == status


def test_what_is_left_of_a_refused_body_is_no_new_request(service, anyone):
    with contextlib.closing(anyone.connect()) as connection:
        for path in ("/v1/documents", "/v1/nothing", "/v1/auth/login"):
            body = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 2000
            connection.request("POST", path, body, JSON)
            refusal = connection.getresponse()
            assert refusal.read()
            assert refusal.status in (400, 401, 404, 413)
            connection.request("GET", "/v1/auth/me")
            assert json.loads(connection.getresponse().read())["status"] == 401
