"""Authentication: a credential is valid, or the request is refused; it is never ignored."""

from types import SimpleNamespace

import pytest

from tests.contract.routes import (
    EVERY,
    OF_TOKEN,
    ROUTES,
    WITH_BODY,
)
from tests.formats import b64, unknown_credential
from tests.people import Person
from tests.problems import refused

UPLOAD = {"payload": "", "contentType": "text/plain"}


@pytest.fixture(scope="module")
def spent(service, alice, document):
    """Credentials that were good once, and some that look as if; test_clock.py has expired ones."""
    revoked, token = alice.create_api_key(), alice.share(document)
    revoked_token = alice.share(document)
    alice.delete(f"/v1/api-keys/{revoked.record['id']}")
    alice.revoke(document, revoked_token)
    logged_out = service.log_in(alice.record["email"], alice.password)
    assert logged_out.post("/v1/auth/logout").status == 204
    session, good = alice.secret, alice.create_api_key().secret
    return SimpleNamespace(
        sessions=[logged_out.secret, session[:-1] + ("A" if session[-1] != "A" else "Q"),
                  session + "A", session[:60], "v4.local.", "v4.local.AAAA",
                  session.replace("v4.local.", "v4.public."), "v2.local." + session[9:]],
        keys=[revoked.secret, unknown_credential(good)],
        no_keys=["", "nonsense", "pk_live_", good[:-1], good + "0", good.swapcase(),
                 good.replace("pk_live_", "pk_test_"), session, token["token"], "\xe9" * 46],
        token=revoked_token["token"],
        no_tokens=[unknown_credential(token["token"]), "dt_", token["token"][:-1],
                   token["token"] + "0"],
    )  # fmt: skip


@pytest.fixture(scope="module")
def bad(spent, alice):
    """Every kind of credential that is not good, by what is wrong with it, as it is sent."""
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
    return (
        {what: {"headers": {"Authorization": value}} for what, value in values.items()}
        | {what: {"headers": {"X-API-Key": value}} for what, value in keys.items()}
        | {f"in the query, {one}": {"query": f"?token={one}"} for one in spent.no_tokens}
    )


EACH_KIND = list({route.callers: route for route in ROUTES}.values())  # by who may call


def assert_unknown(sent, what, routes, anonymous, document):
    for route in routes:
        answer = route.call(anonymous, document=document["id"], **sent)
        assert answer.status == 401, (what, route, answer)
        assert answer.headers["WWW-Authenticate"], (what, route, answer)
        assert answer.kind == "application/problem+json", (what, route)


@pytest.mark.parametrize("what", ["session 0", "token 0", "key 0", "in the query, dt_"])
def test_an_invalid_credential_is_401_on_every_route(anonymous, document, bad, what):
    assert_unknown(bad[what], what, EVERY, anonymous, document)


def test_every_kind_of_invalid_credential_is_401(anonymous, document, bad):
    for what, sent in bad.items():
        assert_unknown(sent, what, EACH_KIND, anonymous, document)


def test_a_missing_credential_is_401(anonymous, document):
    for route in [route for route in EVERY if route.callers]:
        for ids in ({"document": document["id"]}, {}):
            refused(route.call(anonymous, **ids), 401, "not_authenticated", route)


def test_the_scheme_bearer_is_case_insensitive(anonymous, alice):
    for scheme in ("Bearer", "bearer", "BEARER"):
        headers = {"Authorization": f"{scheme} {alice.secret}"}
        assert anonymous.get("/v1/auth/me", headers=headers).status == 200, scheme


def test_unknown_and_revoked_keys_get_the_same_answer(anonymous, spent):
    answers = [anonymous.get("/v1/documents", headers={"X-API-Key": key}) for key in spent.keys]
    problems = [refused(answer, 401, "key_revoked") for answer in answers]
    assert len({problem["detail"] for problem in problems}) == 1
    assert len({answer.headers["WWW-Authenticate"] for answer in answers}) == 1


def test_an_ended_or_unknown_session_is_session_expired(service, spent):
    for number in (0, 1, 5):
        sender = Person(service).with_token(spent.sessions[number])
        refused(sender.get("/v1/auth/me"), 401, "session_expired", number)


def test_an_unknown_scheme_is_not_authenticated(anonymous):
    for value in ("Basic dTpw", "Token abc", "abc"):
        answer = anonymous.get("/v1/documents", headers={"Authorization": value})
        refused(answer, 401, "not_authenticated", value)


def test_a_revoked_token_is_410(service, document, spent):
    for route in OF_TOKEN:
        holder = Person(service).with_token(spent.token)
        for person, query in ((holder, ""), (Person(service), f"?token={spent.token}")):
            answer = route.call(person, query=query, document=document["id"])
            refused(answer, 410, "token_spent", route)


@pytest.mark.parametrize("what", ["malformed", "unfit", "another type", "too large"])
def test_authentication_comes_before_parsing(what, anonymous, document):
    data = {"malformed": b"{", "unfit": b'{"colour": 1}', "another type": b"colour=1"}.get(
        what, b'{"a": "' + b"x" * 200_000 + b'"}'
    )
    headers = {} if what == "another type" else {"Content-Type": "application/json"}
    for route in [route for route in WITH_BODY if route.callers]:
        path = route.at(document=document["id"])
        for credential in ({}, {"X-API-Key": "nonsense"}, {"Authorization": "Bearer nonsense"}):
            answer = anonymous.request(route.method, path, data=data, headers=headers | credential)
            assert answer.status == 401, (route, answer)
            assert "colour" not in answer.text
        answer = anonymous.request(route.method, path + "?limit=0", json=[])
        refused(answer, 401, "not_authenticated", route)


def test_the_query_is_not_validated_before_authentication(anonymous):
    for query in ("?limit=0", "?cursor=x", "?colour=red"):
        refused(anonymous.get("/v1/documents" + query), 401, "not_authenticated", query)


SESSION, KEY, TOKEN = ("Authorization", "session"), ("X-API-Key", "key"), ("token", "token")
BEARER = ("Authorization", "token")
DOUBLED = [(SESSION, KEY), (SESSION, TOKEN), (KEY, TOKEN), (BEARER, KEY), (BEARER, TOKEN)]
DOUBLED += [(SESSION, SESSION), (KEY, KEY), (TOKEN, TOKEN), (BEARER, BEARER), (SESSION, BEARER)]


def test_two_credentials_in_one_request_are_ambiguous_on_every_route(alice, anonymous, document):
    token = document["token"]["token"]
    values = {
        ("Authorization", "session"): f"Bearer {alice.secret}",
        ("Authorization", "token"): f"Bearer {token}",
        ("X-API-Key", "key"): alice.create_api_key().secret,
    }
    for two in DOUBLED:
        headers = [(one[0], values[one]) for one in two if one in values]
        query = "?" + "&".join(f"token={token}" for one in two if one == TOKEN)
        for route in ROUTES if two == DOUBLED[0] else EACH_KIND:
            answer = route.call(anonymous, headers=headers, query=query, document=document["id"])
            refused(answer, 400, "ambiguous_credentials", (two, route))


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
