"""Authentication: a credential is valid, or the request is refused; it is never ignored."""

from types import SimpleNamespace

import pytest

from tests.contract.routes import (
    GUARDED,
    OF_TOKEN,
    PUBLIC,
    ROUTES,
    WITH_BODY,
)
from tests.formats import b64, time_from_now, unknown_credential
from tests.people import Person
from tests.problems import refused
from tests.waiting import until_expired

UPLOAD = {"payload": "", "contentType": "text/plain"}


@pytest.fixture(scope="module")
def spent(service, alice, document):
    """Credentials that were good once, and some that look as if."""
    key = alice.create_api_key(expiresAt=time_from_now(seconds=3))
    outlived = alice.share(document, expiresAt=time_from_now(seconds=3))
    token = alice.share(document)
    revoked, revoked_token = alice.create_api_key(), alice.share(document)
    alice.delete(f"/v1/api-keys/{revoked.record['id']}")
    alice.delete(f"/v1/documents/{document['id']}/tokens/{revoked_token['id']}")
    logged_out = service.log_in(alice.record["email"], alice.password)
    assert logged_out.post("/v1/auth/logout").status == 204
    until_expired(lambda: key.get("/v1/documents"), key.record["expiresAt"])
    until_expired(lambda: alice.open(outlived["contentUrl"]), outlived["expiresAt"])
    session, good = alice.secret, alice.create_api_key().secret
    return SimpleNamespace(
        sessions=[logged_out.secret, session[:-1] + ("A" if session[-1] != "A" else "Q"),
                  session + "A", session[:60], "v4.local.", "v4.local.AAAA",
                  session.replace("v4.local.", "v4.public."), "v2.local." + session[9:]],
        keys=[key.secret, revoked.secret, unknown_credential(good)],
        no_keys=["", "nonsense", "pk_live_", good[:-1], good + "0", good.swapcase(),
                 good.replace("pk_live_", "pk_test_"), session, token["token"], "\xe9" * 46],
        tokens=[outlived["token"], revoked_token["token"]],
        no_tokens=[unknown_credential(token["token"]), "dt_", token["token"][:-1],
                   token["token"] + "0"],
    )  # fmt: skip


@pytest.fixture(scope="module")
def bad(spent, alice):
    """Every kind of credential that is not good, by what is wrong with it."""
    values = {
        "no scheme": alice.secret,
        "nothing": "",
        "Bearer alone": "Bearer",
        "Bearer and a space": "Bearer ",
        "nonsense": "Bearer nonsense",
        "two words": f"Bearer {alice.secret} x",
        "a comma": f"Bearer {alice.secret},",
        "Latin-1": "Bearer \xe9",
        "Basic": "Basic dTpw",
        "an unknown scheme": f"Token {alice.secret}",
        "a key as Bearer": f"Bearer {alice.create_api_key().secret}",
        **{f"session {n}": f"Bearer {value}" for n, value in enumerate(spent.sessions)},
        **{f"token {n}": f"Bearer {value}" for n, value in enumerate(spent.no_tokens)},
    }
    keys = {f"key {n}": value for n, value in enumerate(spent.keys + spent.no_keys)}
    return {what: {"Authorization": value} for what, value in values.items()} | {
        what: {"X-API-Key": value} for what, value in keys.items()
    }


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_an_invalid_credential_is_401_on_every_route(route, anonymous, document, bad):
    for what, headers in bad.items():
        answer = route.call(anonymous, headers=headers, document=document["id"])
        assert answer.status == 401, (what, answer)
        assert answer.headers["WWW-Authenticate"], (what, answer)
        assert answer.kind == "application/problem+json"


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_an_unknown_token_in_the_query_is_401_on_every_route(route, anonymous, document, spent):
    for token in spent.no_tokens:
        answer = route.call(anonymous, query=f"?token={token}", document=document["id"])
        assert answer.status == 401, (token, answer)
        assert answer.headers["WWW-Authenticate"], (token, answer)


@pytest.mark.parametrize("route", GUARDED, ids=str)
def test_a_missing_credential_is_401(route, anonymous, document):
    for ids in ({"document": document["id"]}, {}):
        refused(route.call(anonymous, **ids), 401, "not_authenticated")


@pytest.mark.parametrize("route", PUBLIC, ids=str)
def test_a_public_route_needs_no_credential(route, anonymous):
    assert route.call(anonymous).status not in {401, 403} or route.path == "/v1/auth/login"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_bearer_is_case_insensitive(scheme, anonymous, alice):
    headers = {"Authorization": f"{scheme} {alice.secret}"}
    assert anonymous.get("/v1/auth/me", headers=headers).status == 200


def test_unknown_revoked_and_expired_keys_get_the_same_answer(anonymous, spent):
    answers = [anonymous.get("/v1/documents", headers={"X-API-Key": key}) for key in spent.keys]
    problems = [refused(answer, 401, "key_revoked") for answer in answers]
    assert len({problem["detail"] for problem in problems}) == 1
    assert len({answer.headers["WWW-Authenticate"] for answer in answers}) == 1


@pytest.mark.parametrize("number", [0, 1, 5])
def test_an_ended_or_unknown_session_is_session_expired(number, service, spent):
    sender = Person(service).with_token(spent.sessions[number])
    refused(sender.get("/v1/auth/me"), 401, "session_expired")


@pytest.mark.parametrize("value", ["Basic dTpw", "Token abc", "abc"])
def test_an_unknown_scheme_is_not_authenticated(value, anonymous):
    answer = anonymous.get("/v1/documents", headers={"Authorization": value})
    refused(answer, 401, "not_authenticated")


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("route", OF_TOKEN, ids=str)
def test_an_expired_or_revoked_token_is_410(number, route, service, document, spent):
    holder = Person(service).with_token(spent.tokens[number])
    refused(route.call(holder, document=document["id"]), 410, "token_spent")
    link = f"?token={spent.tokens[number]}"
    refused(route.call(Person(service), query=link, document=document["id"]), 410, "token_spent")


@pytest.mark.parametrize("what", ["malformed", "unfit", "another type", "too large"])
@pytest.mark.parametrize("route", [r for r in WITH_BODY if r.callers], ids=str)
def test_authentication_comes_before_parsing(what, route, anonymous, document):
    data = {"malformed": b"{", "unfit": b'{"colour": 1}', "another type": b"colour=1"}.get(
        what, b'{"a": "' + b"x" * 200_000 + b'"}'
    )
    headers = {} if what == "another type" else {"Content-Type": "application/json"}
    path = route.at(document=document["id"])
    for credential in ({}, {"X-API-Key": "nonsense"}, {"Authorization": "Bearer nonsense"}):
        answer = anonymous.request(route.method, path, data=data, headers=headers | credential)
        assert answer.status == 401, answer
        assert "colour" not in answer.text
    refused(anonymous.request(route.method, path + "?limit=0", json=[]), 401, "not_authenticated")


@pytest.mark.parametrize("query", ["?limit=0", "?cursor=x", "?colour=red"])
def test_the_query_is_not_validated_before_authentication(query, anonymous):
    refused(anonymous.get("/v1/documents" + query), 401, "not_authenticated")


SESSION, KEY, TOKEN = ("Authorization", "session"), ("X-API-Key", "key"), ("token", "token")
BEARER = ("Authorization", "token")
DOUBLED = [(SESSION, KEY), (SESSION, TOKEN), (KEY, TOKEN), (BEARER, KEY), (BEARER, TOKEN)]
DOUBLED += [(SESSION, SESSION), (KEY, KEY), (TOKEN, TOKEN), (BEARER, BEARER), (SESSION, BEARER)]


@pytest.mark.parametrize(
    "two", DOUBLED, ids=lambda two: " and ".join(f"{one[1]} in {one[0]}" for one in two)
)
def test_two_credentials_in_one_request_are_ambiguous_on_every_route(
    two, alice, anonymous, document
):
    token = document["token"]["token"]
    values = {
        ("Authorization", "session"): f"Bearer {alice.secret}",
        ("Authorization", "token"): f"Bearer {token}",
        ("X-API-Key", "key"): alice.create_api_key().secret,
    }
    headers = [(one[0], values[one]) for one in two if one in values]
    query = "?" + "&".join(f"token={token}" for one in two if one == TOKEN)
    for route in ROUTES:
        answer = route.call(anonymous, headers=headers, query=query, document=document["id"])
        refused(answer, 400, "ambiguous_credentials")


def test_an_invalid_credential_beside_a_valid_one_is_refused(alice):
    bad_key, bad_session = {"X-API-Key": "nonsense"}, {"Authorization": "Bearer nonsense"}
    refused(alice.get("/v1/documents", headers=bad_key), 401, "key_revoked")
    refused(
        alice.create_api_key().get("/v1/documents", headers=bad_session), 401, "not_authenticated"
    )


def test_an_unauthenticated_upload_stores_nothing(anonymous, alice):
    before = alice.get("/v1/documents?limit=1").json["documents"]
    body = UPLOAD | {"payload": b64(bytes(1 << 20))}
    assert anonymous.post("/v1/documents", json=body).status == 401
    assert alice.get("/v1/documents?limit=1").json["documents"] == before
