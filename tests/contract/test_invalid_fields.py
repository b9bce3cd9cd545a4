"""Fields of a request that are missing, unknown, or of the wrong type or form."""

from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.requests import GOOD, sent
from tests.contract.routes import WITH_BODY
from tests.problems import refused_field

UPLOADED = b'"payload": "aGVsbG8=", "contentType": "text/plain"'


STRINGS = {
    "/v1/auth/register": ("email", "password", "name"),
    "/v1/auth/login": ("email", "password"),
    "/v1/api-keys": ("name",),
    "/v1/documents": ("name", "contentType", "payload"),
    "/v1/documents/<document>/tokens": ("label", "password"),
}


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800", "a\udc80b", "\udc00\ud800"])
def test_a_nul_or_lone_surrogate_in_a_string_is_refused(text, alice, anonymous, document):
    for path, fields in STRINGS.items():
        caller = anonymous if "auth" in path else alice
        for field in fields:
            body = FULL.get(path, {}) | {field: text}
            answer = caller.post(path.replace("<document>", document["id"]), json=body)
            refused_field(answer, f"#/{field}", path)


@pytest.mark.parametrize("metadata", [{"a\x00": "b"}, {"a": "\ud800"}, {"\udfff": "b"}])
def test_a_nul_or_lone_surrogate_in_a_field_name_is_refused(metadata, alice):
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
        "label",
        "permissions",
        "expiresAt",
        "maxViews",
        "password",
        "allowedOrigins",
    ],
}
FULL = {
    "/v1/auth/register": {"email": "wrong@example.org", "password": "long enough"},
    "/v1/auth/login": {"email": "wrong@example.org", "password": "long enough"},
    "/v1/auth/password": {"currentPassword": "wrong enough", "newPassword": "long enough"},
    "/v1/documents": GOOD,
}


@pytest.mark.parametrize("path", FIELDS)
def test_a_value_of_a_wrong_type_is_refused_with_its_pointer_and_what_to_send(
    path, alice, anonymous, document
):
    caller = anonymous if path in {"/v1/auth/register", "/v1/auth/login"} else alice
    full = path.replace("<document>", document["id"]).replace("<key>", "nothing")
    for field, value in product(FIELDS[path], WRONG):
        answer = caller.post(full, json=FULL.get(path, {}) | {field: value})
        assert answer.status in (201, 401, 404, 409, 413, 422), (field, value, answer)
        if answer.status == 422:
            first = answer.json["errors"][0]
            assert first["pointer"].startswith(f"#/{field}"), (value, answer)
            assert not first["detail"].startswith("Not"), (value, answer)
        if isinstance(value, (bool, float)):
            assert answer.status in (404, 422), (field, value, answer)


def test_a_missing_field_is_refused(alice, anonymous):
    for path, body in FULL.items():
        caller = anonymous if path in {"/v1/auth/register", "/v1/auth/login"} else alice
        for field in body:
            beside = {name: value for name, value in body.items() if name != field}
            refused_field(caller.post(path, json=beside), f"#/{field}", path)


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


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(body=st.dictionaries(NAMES, VALUES, max_size=5), route=st.sampled_from(WITH_BODY))
def test_no_json_body_causes_an_internal_error(body, route, alice, anonymous, document):
    path = route.at(document=document["id"])
    caller = alice if route.callers else anonymous
    assert caller.request(route.method, path, json=body).status < 500


NO_MEDIA_TYPES = [
    "",
    " ",
    "pdf",
    "text/",
    "/plain",
    "/",
    "text//plain",
    "text/plain/more",
    "*",
    "text /plain",
    "text/ plain",
    "text/pl ain",
    "text/plain, text/html",
    "text/pläin",
    "text/plain; charset",
    "text/plain; charset=",
    "text/plain; =utf-8",
    "text/plain; a b",
    "text/plain\r\nX-Other: 1",
    "text/plain\n",
    'text/plain; a="b',
    'text/plain; a="b"c',
    "text/plain; a=b;c",
    "te(x)t/plain",
    "text/plain; a=b\x7f",
    "text/" + "p" * 251,
    None,
    1,
    True,
    [],
    ["text/plain"],
    {},
]


def test_an_invalid_media_type_is_refused(alice):
    for kind in NO_MEDIA_TYPES:
        answer = alice.post("/v1/documents", json=GOOD | {"contentType": kind})
        refused_field(answer, "#/contentType", kind)


MEDIA_TYPES = [
    "text/plain",
    "application/vnd.api+json",
    "text/plain; charset=utf-8",
    "x/y",
    'text/plain;charset="utf-8"',
    'multipart/x; boundary="a;b\\"c"',
    "text/plain;a=1 ; b=2",
    "audio/x-aiff",
    "text/" + "p" * 250,
    "!#$%&'*+-.^_`|~/1",
]


def test_a_media_type_of_rfc_9110_is_returned_as_it_was_sent(alice):
    for kind in MEDIA_TYPES:
        document = alice.upload(content_type=kind)
        assert document["contentType"] == kind
        answer = alice.get(f"/v1/documents/{document['id']}/content")
        assert answer.headers["Content-Type"] == kind


def test_an_unknown_field_is_refused(alice, anonymous, document):
    for route in WITH_BODY:
        caller = alice if route.callers else anonymous
        key = alice.create_api_key().record["id"] if "<key>" in route.path else ""
        path = route.at(document=document["id"], key=key)
        answer = caller.request(route.method, path, json=route.body | {"colour": 1})
        refused_field(answer, "#/colour", route)
