"""What holds for every call."""

import re
import threading

import pytest

from tests.contract.routes import GETS, GUARDED, OF_OWNER, ROUTES, WITH_BODY
from tests.people import b64, in_query, instant, moment, pointed, refused

# Base and methods


@pytest.mark.parametrize("path", ["/nothing", "/v1", "/v1/", "/v1/nothing", "/v2/documents", "//"])
def test_an_unknown_path_is_404(path, anyone, alice):
    refused(anyone.get(path), 404, "not_found")
    refused(alice.post(path, json={}), 404, "not_found")


@pytest.mark.parametrize("route", [r for r in ROUTES if r.path != "/"], ids=str)
def test_a_trailing_slash_is_404(route, alice):
    refused(alice.ask(route.method, route.at() + "/"), 404, "not_found")


@pytest.mark.parametrize("path", ["//v1/documents", "/v1//documents", "/V1/documents"])
def test_another_spelling_of_a_path_is_404_and_no_redirect(path, alice):
    refused(alice.get(path), 404, "not_found")


def methods_of(path):
    """What a path answers; the POST that opens a link with a password is not described here."""
    methods = {route.method for route in ROUTES if route.path == path}
    methods |= {"HEAD"} if "GET" in methods else set()
    return methods | ({"POST"} if path.endswith(("/view", "/download")) else set())


METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
OTHERS = [
    (method, route)
    for route in {route.path: route for route in ROUTES}.values()
    for method in METHODS
    if method not in methods_of(route.path)
]


@pytest.mark.parametrize(("method", "route"), OTHERS, ids=lambda value: str(value).split()[-1])
def test_another_method_is_405_with_allow(method, route, anyone):
    answer = anyone.ask(method, route.at())
    assert answer.status == 405
    assert answer.kind == "application/problem+json"
    allowed = {name.strip() for name in answer.headers["Allow"].split(",")}
    assert allowed | {"POST"} == methods_of(route.path) | {"POST"}
    assert method not in allowed


@pytest.mark.parametrize("route", GETS, ids=str)
def test_head_is_wherever_get_is(route, alice, anyone, document, webhook):
    caller = alice if route.callers else anyone
    path = route.at(document=document["id"], webhook=webhook["id"])
    got, head = caller.get(path), caller.head(path)
    assert (head.status, head.body) == (200, b"")
    for name in ("Content-Type", "Content-Disposition", "ETag", "Cache-Control"):
        assert head.headers[name] == got.headers[name]


def test_head_of_nothing_is_404_without_a_body(alice):
    answer = alice.head("/v1/documents/doc_nothing")
    assert (answer.status, answer.body) == (404, b"")


# Errors


def test_an_error_has_type_title_status_detail_code_and_request_id(anyone):
    problem = refused(anyone.get("/v1/documents"), 401, "not_authenticated")
    assert isinstance(problem["type"], str)
    assert isinstance(problem["title"], str)


ERRORS = {
    400: {"method": "POST", "path": "/v1/api-keys", "data": b"{"},
    404: {"method": "GET", "path": "/v1/documents/nothing"},
    405: {"method": "PUT", "path": "/v1/documents"},
    415: {"method": "POST", "path": "/v1/documents", "data": b"{}"},
    422: {"method": "POST", "path": "/v1/documents", "json": {}},
}


@pytest.mark.parametrize("status", ERRORS)
def test_detail_is_one_sentence_without_secrets_traces_sql_or_paths(status, alice):
    headers = {"Content-Type": "application/json"} if status == 400 else {}
    answer = alice.ask(**ERRORS[status], headers=headers)
    assert answer.status == status
    detail = answer.json["detail"]
    assert re.fullmatch(r".{10,}\.|.{10,}…", detail), detail
    assert not re.search(r"Traceback|SELECT|sqlite|\.py\b|werkzeug|marshmallow", answer.text)
    assert alice.secret not in answer.text


def test_a_bad_body_is_told_with_pointers(alice):
    body = {"payload": "", "contentType": "nonsense", "colour": "red"}
    answer = alice.post("/v1/documents", json=body)
    pointed(answer, "#/contentType")
    pointed(answer, "#/colour")


def test_a_pointer_reaches_into_a_body_and_is_escaped(alice):
    body = {"payload": "", "contentType": "text/plain", "metadata": {"a/b~c": 5}}
    answer = alice.post("/v1/documents", json=body)
    assert answer.status == 422
    assert answer.json["errors"][0]["pointer"] in {"#/metadata/a~1b~0c", "#/metadata"}


def test_a_bad_query_is_told_as_in_query(alice):
    in_query(alice.get("/v1/documents?limit=0"))


# Request id


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
def test_every_answer_has_a_request_id_and_a_callers_own_is_kept(method, path, anyone, newcomer):
    for caller in (anyone, newcomer):
        answer = caller.ask(method, path, headers={"X-Request-Id": "My.own_id-1"})
        assert answer.headers.get_all("X-Request-Id") == ["My.own_id-1"]
        assert re.fullmatch(r"[\w.-]{1,64}", caller.ask(method, path).headers["X-Request-Id"])


@pytest.mark.parametrize("own", ["a", "a" * 64, "A-Z_0.9"])
def test_a_callers_request_id_is_in_the_error_too(own, anyone):
    answer = anyone.get("/v1/nothing", headers={"X-Request-Id": own})
    assert refused(answer, 404, "not_found")["requestId"] == own


@pytest.mark.parametrize("unfit", ["", "a" * 65, "a b", "a,b", "<script>", "\xe9", '"a"'])
def test_an_unfit_request_id_is_replaced(unfit, anyone):
    answer = anyone.get("/healthz", headers={"X-Request-Id": unfit})
    assert answer.headers["X-Request-Id"] not in {unfit, unfit.strip()}
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", answer.headers["X-Request-Id"])


# Caching and safety headers


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_caching_is_private_no_store_and_safety_headers_are_on_everything(
    route, anyone, alice, document
):
    caller = alice if route.method == "GET" and route.callers else anyone
    answer = route.call(caller, document=document["id"])
    assert answer.headers.get_all("X-Content-Type-Options") == ["nosniff"]
    assert answer.headers.get_all("Referrer-Policy") == ["no-referrer"]
    if not (route.path.endswith("/content") or route.path in {"/docs", "/", "/openapi.json"}):
        assert answer.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("route", GETS, ids=str)
def test_every_html_answer_has_a_policy(route, alice, anyone, document):
    answer = route.call(alice if route.callers else anyone, document=document["id"])
    if answer.kind == "text/html":
        script = answer.policy.get("script-src", answer.policy["default-src"])
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & set(script)
        assert answer.policy.get("base-uri", ["'none'"]) in (["'none'"], ["'self'"])


def test_json_is_utf_8(alice):
    answer = alice.post("/v1/api-keys", json={"name": "Zoë’s 📄"})
    assert answer.kind == "application/json"
    assert answer.json["name"] == "Zoë’s 📄"


# Times and ids


def test_times_are_rfc_3339_utc_with_milliseconds(alice, document):
    records = [document, alice.share(document), alice.key().record, alice.record]
    for record in records:
        assert abs(instant(record["createdAt"]) - instant(moment())).total_seconds() < 600
    assert instant(document["token"]["expiresAt"])


def test_ids_are_opaque_strings_with_a_prefix(alice, document):
    sessions = alice.get("/v1/auth/sessions").json["sessions"]
    ids = {
        "usr": alice.record["id"],
        "ses": sessions[0]["id"],
        "key": alice.key().record["id"],
        "doc": document["id"],
        "tok": document["token"]["id"],
    }
    for prefix, name in ids.items():
        assert re.fullmatch(prefix + r"_[0-9A-Za-z-]{10,}", name)


# Lists

LISTS = {
    "documents": lambda person, _: person.upload(b"")["id"],
    "apiKeys": lambda person, _: person.key().record["id"],
    "tokens": lambda person, document: person.share(document)["id"],
}
PATHS = {"documents": "/v1/documents", "apiKeys": "/v1/api-keys", "sessions": "/v1/auth/sessions"}


@pytest.fixture(scope="module")
def lister(service):
    """Somebody with five things in every list, by name the newest first."""
    person = service.register()
    shared = person.upload(token=None)
    paths = PATHS | {"tokens": f"/v1/documents/{shared['id']}/tokens"}
    made = {name: [make(person, shared) for _ in range(5)][::-1] for name, make in LISTS.items()}
    made["documents"].append(shared["id"])
    for _ in range(3):
        service.log_in(person.record["email"])
    return person, paths, made


def pages(person, path, limit):
    """Every page of a list."""
    cursor = ""
    while cursor is not None:
        answer = person.get(f"{path}?limit={limit}" + (f"&cursor={cursor}" if cursor else ""))
        assert answer.status == 200, answer
        (name,) = answer.json.keys() - {"nextCursor"}
        yield answer.json[name]
        cursor = answer.json["nextCursor"]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_named_newest_first_and_sorts_by_id(name, lister):
    person, paths, made = lister
    answer = person.get(paths[name])
    assert answer.json.keys() == {name, "nextCursor"}
    assert answer.json["nextCursor"] is None
    ids = [record["id"] for record in answer.json[name]]
    assert ids == made[name] == sorted(ids, reverse=True)


@pytest.mark.parametrize("name", ["documents", "apiKeys", "tokens", "sessions"])
@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_pages_hold_everything_once(name, limit, lister):
    person, paths, _ = lister
    whole = person.get(paths[name]).json[name]
    paged = list(pages(person, paths[name], limit))
    assert [record["id"] for page in paged for record in page] == [r["id"] for r in whole]
    assert all(len(page) == limit for page in paged[:-1])
    assert paged[-1]


def test_pages_stand_still_while_things_come_and_go(newcomer):
    ids = [newcomer.upload(b"")["id"] for _ in range(4)]
    first = newcomer.get("/v1/documents?limit=2").json
    newcomer.upload(b"")
    newcomer.delete(f"/v1/documents/{ids[2]}")
    second = newcomer.get(f"/v1/documents?limit=2&cursor={first['nextCursor']}").json
    assert [d["id"] for d in second["documents"]] == [ids[1], ids[0]]


def test_the_default_limit_is_50(newcomer):
    for _ in range(51):
        newcomer.upload(b"", token=None)
    answer = newcomer.get("/v1/documents").json
    assert len(answer["documents"]) == 50
    assert answer["nextCursor"]
    assert len(newcomer.get("/v1/documents?limit=100").json["documents"]) == 51


BAD_QUERIES = [
    *[f"limit={limit}" for limit in ("0", "101", "-1", "abc", "", "1.5", "1e1", "9" * 5000)],
    *[f"cursor={cursor}" for cursor in ("nonsense", "%00", "%FF", "0", "%E2%82%AC", "a" * 3000)],
    "unknown=1",
    "limit=1&limit=2",
]


@pytest.mark.parametrize("query", BAD_QUERIES, ids=lambda query: query[:20])
@pytest.mark.parametrize("name", ["documents", "apiKeys", "tokens", "sessions"])
def test_a_bad_limit_cursor_or_unknown_query_is_refused(query, name, lister):
    person, paths, _ = lister
    in_query(person.get(f"{paths[name]}?{query}"))


def test_a_cursor_of_another_person_opens_nothing_of_theirs(lister, newcomer):
    person, *_ = lister
    cursor = person.get("/v1/documents?limit=1").json["nextCursor"]
    answer = newcomer.get(f"/v1/documents?cursor={cursor}")
    assert answer.status == 422 or answer.json["documents"] == []


# Retries

CREATE = {
    "/v1/documents": {"payload": b64(b"once"), "contentType": "text/plain"},
    "/v1/api-keys": {"name": "once"},
    "/v1/documents/<document>/tokens": {"label": "once"},
    "/v1/api-keys/<key>/rotate": {"overlapSeconds": 60},
}


@pytest.fixture
def creating(alice, document):
    """Send a POST that creates, with an idempotency key."""
    key = alice.key().record["id"]

    def create(path, body, name, person=alice):
        path = path.replace("<document>", document["id"]).replace("<key>", key)
        return person.post(path, json=body, headers={"Idempotency-Key": name})

    return create


@pytest.mark.parametrize("path", CREATE)
def test_the_same_key_and_body_answer_what_was_answered_first(path, creating):
    name = f"again {path}".replace(" ", "-")
    first, again = creating(path, CREATE[path], name), creating(path, CREATE[path], name)
    assert (first.status, again.status) == (201, 201)
    assert again.json == first.json
    assert again.headers["Location"] == first.headers["Location"]
    assert first.headers["Idempotency-Replayed"] is None
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]


def test_a_registration_can_be_sent_again(anyone):
    body = {"email": "again@example.org", "password": "long enough"}
    headers = {"Idempotency-Key": "registration"}
    first, again = (anyone.post("/v1/auth/register", json=body, headers=headers) for _ in "12")
    assert (first.status, again.status) == (201, 201)
    assert again.json == first.json


def test_the_same_key_creates_once(creating, newcomer):
    for _ in range(3):
        creating("/v1/documents", CREATE["/v1/documents"], "only-once", newcomer)
    assert len(newcomer.get("/v1/documents").json["documents"]) == 1


@pytest.mark.parametrize("path", CREATE)
def test_the_same_key_with_another_body_is_a_mismatch(path, creating):
    name = f"mismatch-{path}"
    assert creating(path, CREATE[path], name).status == 201
    other = (
        {"payload": b64(b"twice"), "contentType": "text/plain"}
        if "payload" in str(CREATE[path])
        else {}
    )
    refused(creating(path, other, name), 422, "idempotency_mismatch")


def test_a_replayed_answer_is_for_its_caller_alone(creating, alice, bob):
    body = CREATE["/v1/documents"]
    mine = creating("/v1/documents", body, "shared-name", alice)
    theirs = creating("/v1/documents", body, "shared-name", bob)
    assert (theirs.status, theirs.headers["Idempotency-Replayed"]) == (201, None)
    assert theirs.json["id"] != mine.json["id"]


def test_a_key_on_another_path_replays_nothing(creating):
    creating("/v1/documents", CREATE["/v1/documents"], "another-path")
    answer = creating("/v1/api-keys", CREATE["/v1/api-keys"], "another-path")
    assert answer.status in (201, 422)
    assert answer.status == 422 or answer.json["id"].startswith("key_")


@pytest.mark.parametrize("name", ["!", "~" * 255, "7f9c-4e/5:a=\"'"])
def test_a_key_is_1_to_255_visible_ascii(name, creating):
    assert creating("/v1/documents", CREATE["/v1/documents"], name).status == 201


@pytest.mark.parametrize("name", ["", "a" * 256, "a b", "\xe9", "a\tb", "\x7f"])
def test_any_other_key_is_refused(name, creating):
    assert creating("/v1/documents", CREATE["/v1/documents"], name).status in (400, 422)


def test_a_key_is_sent_once(alice):
    headers = [("Idempotency-Key", "one"), ("Idempotency-Key", "two")]
    answer = alice.post("/v1/documents", json=CREATE["/v1/documents"], headers=headers)
    assert answer.status in (400, 422)


def test_while_the_first_runs_the_others_are_told_or_get_its_answer(creating, newcomer):
    body = {"payload": b64(bytes(2 << 20)), "contentType": "text/plain"}
    answers = []

    def upload():
        answers.append(creating("/v1/documents", body, "at-once", newcomer))

    threads = [threading.Thread(target=upload) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in answers} <= {201, 409}
    for answer in answers:
        if answer.status == 409:
            refused(answer, 409, "idempotency_in_progress")
    assert len({answer.json["id"] for answer in answers if answer.status == 201}) == 1
    assert len(newcomer.get("/v1/documents").json["documents"]) == 1


def test_a_one_time_secret_is_never_kept_in_clear(service, creating):
    key = creating("/v1/api-keys", {"name": "kept"}, "secret-key").json["key"]
    token = creating("/v1/documents", CREATE["/v1/documents"], "secret-token").json["token"]
    for path, stored in service.files().items():
        for secret in (key, token["token"], token["token"].removeprefix("dt_")):
            assert secret.encode() not in stored, path.name


# Every route at once


@pytest.mark.parametrize("route", OF_OWNER, ids=str)
def test_a_thing_that_never_was_is_404(route, alice):
    if "<" in route.path:
        for name in ("nothing", "doc_" + "0" * 26, "%00", "..%2f..%2fetc", "é".encode().hex()):
            answer = route.call(alice, document=name, token=name)
            refused(answer, 404, "not_found")


@pytest.mark.parametrize("route", GUARDED, ids=str)
def test_an_unknown_query_is_never_a_fault(route, alice, document, webhook):
    if route.method == "GET":
        ids = {"document": document["id"], "webhook": webhook["id"]}
        answer = route.call(alice, query="?colour=red", **ids)
        assert answer.status in (200, 422)


@pytest.mark.parametrize("route", WITH_BODY, ids=str)
def test_an_unknown_field_is_refused_not_ignored(route, alice, anyone, document):
    caller = alice if route.callers else anyone
    key = alice.key().record["id"] if "<key>" in route.path else ""
    path = route.at(document=document["id"], key=key)
    pointed(caller.ask(route.method, path, json=route.body | {"colour": 1}), "#/colour")
