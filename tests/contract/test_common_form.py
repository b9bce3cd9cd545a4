"""What all answers have in common: problems, request ids, headers, times and ids."""

import re

import pytest

from tests.contract.routes import GETS, ROUTES
from tests.formats import parse_time, time_from_now
from tests.problems import refused_field

ERRORS = {
    400: {"method": "POST", "path": "/v1/api-keys", "data": b"{"},
    404: {"method": "GET", "path": "/v1/documents/nothing"},
    405: {"method": "PUT", "path": "/v1/documents"},
    415: {"method": "POST", "path": "/v1/documents", "data": b"{}"},
    422: {"method": "POST", "path": "/v1/documents", "json": {}},
}


@pytest.mark.parametrize("status", ERRORS)
def test_the_detail_of_a_problem_is_one_sentence_without_internals(status, alice):
    headers = {"Content-Type": "application/json"} if status == 400 else {}
    answer = alice.request(**ERRORS[status], headers=headers)
    assert answer.status == status
    detail = answer.json["detail"]
    assert re.fullmatch(r".{10,}\.|.{10,}…", detail), detail
    assert not re.search(r"Traceback|SELECT|sqlite|\.py\b|werkzeug|marshmallow", answer.text)
    assert alice.secret not in answer.text


def test_every_invalid_field_of_a_body_has_a_pointer(alice):
    body = {"payload": "", "contentType": "nonsense", "colour": "red"}
    answer = alice.post("/v1/documents", json=body)
    refused_field(answer, "#/contentType")
    refused_field(answer, "#/colour")


def test_a_pointer_to_a_nested_field_is_escaped(alice):
    body = {"payload": "", "contentType": "text/plain", "metadata": {"a/b~c": 5}}
    answer = alice.post("/v1/documents", json=body)
    assert answer.status == 422
    assert answer.json["errors"][0]["pointer"] in {"#/metadata/a~1b~0c", "#/metadata"}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/healthz"),
        ("GET", "/"),
        ("GET", "/v1/documents"),
        ("GET", "/v1/nothing"),
        ("PUT", "/v1/documents"),
        ("POST", "/v1/auth/logout"),
        ("POST", "/v1/auth/login"),
    ],
)
def test_every_answer_has_a_request_id_or_repeats_the_clients(method, path, anonymous, new_user):
    for caller in (anonymous, new_user):
        for own in ("a", "My.own_id-1".ljust(64, "Z")):
            answer = caller.request(method, path, headers={"X-Request-Id": own})
            assert answer.headers.get_all("X-Request-Id") == [own]
            assert answer.status < 400 or answer.json["requestId"] == own
        assert re.fullmatch(r"[\w.-]{1,64}", caller.request(method, path).headers["X-Request-Id"])


def test_an_invalid_request_id_is_replaced(anonymous):
    for unfit in ("", "a" * 65, "a b", "a,b", "<script>", "\xe9", '"a"'):
        answer = anonymous.get("/healthz", headers={"X-Request-Id": unfit})
        assert answer.headers["X-Request-Id"] not in {unfit, unfit.strip()}
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", answer.headers["X-Request-Id"]), unfit


def test_every_answer_has_the_security_headers_and_is_not_stored_by_caches(
    anonymous, alice, document
):
    public = {"/docs", "/", "/openapi.json", "/favicon.ico", "/apple-touch-icon.png"}
    for route in ROUTES:
        caller = alice if route.method == "GET" and route.callers else anonymous
        answer = route.call(caller, document=document["id"])
        assert answer.headers.get_all("X-Content-Type-Options") == ["nosniff"], route
        assert answer.headers.get_all("Referrer-Policy") == ["no-referrer"], route
        if not (route.path.endswith("/content") or route.path in public):
            assert answer.headers["Cache-Control"] == "private, no-store", route


def test_every_html_answer_has_a_content_security_policy(alice, anonymous, document):
    for route in GETS:
        answer = route.call(alice if route.callers else anonymous, document=document["id"])
        if answer.kind == "text/html":
            script = answer.policy.get("script-src", answer.policy["default-src"])
            assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & set(script)
            assert answer.policy.get("base-uri", ["'none'"]) in (["'none'"], ["'self'"]), route


def test_json_is_utf_8(alice):
    answer = alice.post("/v1/api-keys", json={"name": "Zoë’s 📄"})
    assert answer.kind == "application/json"
    assert answer.json["name"] == "Zoë’s 📄"


def test_times_are_rfc_3339_utc_with_milliseconds(alice, document):
    records = [document, alice.share(document), alice.create_api_key().record, alice.record]
    for record in records:  # some from when the tests began
        age = parse_time(time_from_now()) - parse_time(record["createdAt"])
        assert abs(age.total_seconds()) < 3600
    assert parse_time(document["token"]["expiresAt"])


def test_ids_are_opaque_strings_with_a_prefix(alice, document):
    sessions = alice.get("/v1/auth/sessions").json["sessions"]
    ids = {
        "usr": alice.record["id"],
        "ses": sessions[0]["id"],
        "key": alice.create_api_key().record["id"],
        "doc": document["id"],
        "tok": document["token"]["id"],
    }
    for prefix, name in ids.items():
        assert re.fullmatch(prefix + r"_[0-9A-Za-z-]{10,}", name)
