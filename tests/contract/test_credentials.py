"""Who may do what: a credential is good, or the request is refused; it is never ignored."""

import time
from types import SimpleNamespace

import pytest

from tests.contract.routes import (
    GUARDED,
    OF_OWNER,
    OF_SESSION,
    OF_TOKEN,
    PUBLIC,
    ROUTES,
    WITH_BODY,
)
from tests.people import Person, b64, instant, moment, refused, unknown

UPLOAD = {"payload": "", "contentType": "text/plain"}


@pytest.fixture(scope="module")
def spent(service, alice, document):
    """Credentials that were good once, and some that look as if."""
    key, token = alice.key(expiresAt=moment(seconds=1)), alice.share(document)
    outlived = alice.share(document, expiresAt=moment(seconds=1))
    revoked, revoked_token = alice.key(), alice.share(document)
    alice.delete(f"/v1/api-keys/{revoked.record['id']}")
    alice.delete(f"/v1/documents/{document['id']}/tokens/{revoked_token['id']}")
    logged_out = service.log_in(alice.record["email"], alice.password)
    assert logged_out.post("/v1/auth/logout").status == 204
    assert key.get("/v1/documents").status == 200
    time.sleep(max(0, (instant(outlived["expiresAt"]) - instant(moment())).total_seconds() + 0.02))
    session, good = alice.secret, alice.key().secret
    return SimpleNamespace(
        sessions=[logged_out.secret, session[:-1] + ("A" if session[-1] != "A" else "Q"),
                  session + "A", session[:60], "v4.local.", "v4.local.AAAA",
                  session.replace("v4.local.", "v4.public."), "v2.local." + session[9:]],
        keys=[key.secret, revoked.secret, unknown(good)],
        no_keys=["", "nonsense", "pk_live_", good[:-1], good + "0", good.swapcase(),
                 good.replace("pk_live_", "pk_test_"), session, token["token"], "\xe9" * 46],
        tokens=[outlived["token"], revoked_token["token"]],
        no_tokens=[unknown(token["token"]), "dt_", token["token"][:-1], token["token"] + "0"],
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
        "a key as Bearer": f"Bearer {alice.key().secret}",
        **{f"session {n}": f"Bearer {value}" for n, value in enumerate(spent.sessions)},
        **{f"token {n}": f"Bearer {value}" for n, value in enumerate(spent.no_tokens)},
    }
    keys = {f"key {n}": value for n, value in enumerate(spent.keys + spent.no_keys)}
    return {what: {"Authorization": value} for what, value in values.items()} | {
        what: {"X-API-Key": value} for what, value in keys.items()
    }


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_a_credential_that_is_not_good_is_401_on_every_route(route, anyone, document, bad):
    for what, headers in bad.items():
        answer = route.call(anyone, headers=headers, document=document["id"])
        assert answer.status == 401, (what, answer)
        assert answer.headers["WWW-Authenticate"], (what, answer)
        assert answer.kind == "application/problem+json"


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_an_unknown_token_in_the_query_is_401_on_every_route(route, anyone, document, spent):
    for token in spent.no_tokens:
        answer = route.call(anyone, query=f"?token={token}", document=document["id"])
        assert answer.status == 401, (token, answer)
        assert answer.headers["WWW-Authenticate"], (token, answer)


@pytest.mark.parametrize("route", GUARDED, ids=str)
def test_no_credential_where_one_is_needed_is_401(route, anyone, document):
    for ids in ({"document": document["id"]}, {}):
        refused(route.call(anyone, **ids), 401, "not_authenticated")


@pytest.mark.parametrize("route", PUBLIC, ids=str)
def test_no_credential_is_needed_where_none_is_marked(route, anyone):
    assert route.call(anyone).status not in {401, 403} or route.path == "/v1/auth/login"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_spelled_in_any_case(scheme, anyone, alice):
    headers = {"Authorization": f"{scheme} {alice.secret}"}
    assert anyone.get("/v1/auth/me", headers=headers).status == 200


# What a refusal says


def test_unknown_revoked_and_expired_keys_get_one_text(anyone, spent):
    answers = [anyone.get("/v1/documents", headers={"X-API-Key": key}) for key in spent.keys]
    problems = [refused(answer, 401, "key_revoked") for answer in answers]
    assert len({problem["detail"] for problem in problems}) == 1
    assert len({answer.headers["WWW-Authenticate"] for answer in answers}) == 1


@pytest.mark.parametrize("number", [0, 1, 5])
def test_an_ended_or_unknown_session_is_session_expired(number, service, spent):
    sender = Person(service).bearing(spent.sessions[number])
    refused(sender.get("/v1/auth/me"), 401, "session_expired")


@pytest.mark.parametrize("value", ["Basic dTpw", "Token abc", "abc"])
def test_no_known_scheme_is_not_authenticated(value, anyone):
    answer = anyone.get("/v1/documents", headers={"Authorization": value})
    refused(answer, 401, "not_authenticated")


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("route", OF_TOKEN, ids=str)
def test_an_expired_or_revoked_token_is_spent_to_whoever_holds_it(
    number, route, service, document, spent
):
    holder = Person(service).bearing(spent.tokens[number])
    refused(route.call(holder, document=document["id"]), 410, "token_spent")
    link = f"?token={spent.tokens[number]}"
    refused(route.call(Person(service), query=link, document=document["id"]), 410, "token_spent")


@pytest.mark.parametrize("what", ["malformed", "unfit", "another type", "too large"])
@pytest.mark.parametrize("route", [r for r in WITH_BODY if r.callers], ids=str)
def test_authentication_comes_before_parsing(what, route, anyone, document):
    data = {"malformed": b"{", "unfit": b'{"colour": 1}', "another type": b"colour=1"}.get(
        what, b'{"a": "' + b"x" * 200_000 + b'"}'
    )
    headers = {} if what == "another type" else {"Content-Type": "application/json"}
    path = route.at(document=document["id"])
    for credential in ({}, {"X-API-Key": "nonsense"}, {"Authorization": "Bearer nonsense"}):
        answer = anyone.ask(route.method, path, data=data, headers=headers | credential)
        assert answer.status == 401, answer
        assert "colour" not in answer.text
    refused(anyone.ask(route.method, path + "?limit=0", json=[]), 401, "not_authenticated")


@pytest.mark.parametrize("query", ["?limit=0", "?cursor=x", "?colour=red"])
def test_a_stranger_does_not_learn_what_a_valid_query_is(query, anyone):
    refused(anyone.get("/v1/documents" + query), 401, "not_authenticated")


# Two credentials


SESSION, KEY, TOKEN = ("Authorization", "session"), ("X-API-Key", "key"), ("token", "token")
BEARER = ("Authorization", "token")
DOUBLED = [(SESSION, KEY), (SESSION, TOKEN), (KEY, TOKEN), (BEARER, KEY), (BEARER, TOKEN)]
DOUBLED += [(SESSION, SESSION), (KEY, KEY), (TOKEN, TOKEN), (BEARER, BEARER), (SESSION, BEARER)]


@pytest.mark.parametrize(
    "two", DOUBLED, ids=lambda two: " and ".join(f"{one[1]} in {one[0]}" for one in two)
)
def test_two_credentials_in_one_request_are_ambiguous_on_every_route(two, alice, anyone, document):
    token = document["token"]["token"]
    values = {
        ("Authorization", "session"): f"Bearer {alice.secret}",
        ("Authorization", "token"): f"Bearer {token}",
        ("X-API-Key", "key"): alice.key().secret,
    }
    headers = [(one[0], values[one]) for one in two if one in values]
    query = "?" + "&".join(f"token={token}" for one in two if one == TOKEN)
    for route in ROUTES:
        answer = route.call(anyone, headers=headers, query=query, document=document["id"])
        refused(answer, 400, "ambiguous_credentials")


def test_two_credentials_are_refused_though_one_is_bad(alice, spent):
    answer = alice.get("/v1/documents", headers={"X-API-Key": spent.keys[2]})
    assert answer.status in (400, 401)


def test_a_bad_credential_beside_a_good_one_is_told_as_bad(alice):
    bad_key, bad_session = {"X-API-Key": "nonsense"}, {"Authorization": "Bearer nonsense"}
    refused(alice.get("/v1/documents", headers=bad_key), 401, "key_revoked")
    refused(alice.key().get("/v1/documents", headers=bad_session), 401, "not_authenticated")


# A secret in an address


@pytest.mark.parametrize("name", ["token", "access_token", "api_key", "key", "X-API-Key"])
@pytest.mark.parametrize("kind", ["session", "key"])
def test_a_session_token_or_key_in_a_url_is_refused(name, kind, alice, anyone, document):
    secret = alice.secret if kind == "session" else alice.key().secret
    for route in OF_TOKEN:
        answer = route.call(anyone, query=f"?{name}={secret}", document=document["id"])
        assert answer.status in (400, 401, 422), (str(route), answer)
        assert secret not in answer.text
    answer = alice.get(f"/v1/documents?{name}={secret}")
    assert answer.status in (400, 401, 422)
    assert anyone.get(f"/v1/auth/me?{name}={secret}").status in (400, 401, 422)


def test_secrets_in_an_address_are_not_in_the_log(service, anyone, alice, document):
    for secret in (alice.secret, alice.key().secret, document["token"]["token"]):
        anyone.get(f"/v1/documents/{document['id']}/view?token={secret}")
        assert secret not in service.stderr()


# Who is accepted where


@pytest.mark.parametrize("route", [*OF_SESSION, *PUBLIC[:2]], ids=str)
def test_a_key_where_a_session_is_needed_is_session_required(route, alice):
    machine = alice.key()
    ids = {
        "key": machine.record["id"],
        "session": alice.get("/v1/auth/sessions").json["sessions"][0]["id"],
    }
    refused(route.call(machine, **ids), 403, "session_required")
    assert machine.get("/v1/documents").status == 200


@pytest.mark.parametrize("route", OF_OWNER, ids=str)
def test_a_key_is_accepted_by_documents_and_their_tokens(route, alice, disposable):
    token = alice.share(disposable)["id"]
    answer = route.call(alice.key(), document=disposable["id"], token=token)
    assert answer.status in (200, 201, 204)


@pytest.mark.parametrize("route", OF_OWNER, ids=str)
def test_a_key_without_the_scope_is_refused(route, alice, disposable):
    scopes = {"documents:read", "documents:write", "documents:delete", "events:read"}
    token = alice.share(disposable)["id"]
    without = alice.key(scopes=sorted(scopes - {route.scope}))
    answer = route.call(without, document=disposable["id"], token=token)
    refused(answer, 403, "scope_missing")
    only = alice.key(scopes=[route.scope])
    assert route.call(only, document=disposable["id"], token=token).status in (200, 201, 204)


@pytest.mark.parametrize("route", OF_TOKEN, ids=str)
def test_a_document_token_opens_its_document_by_query_or_bearer(route, anyone, document):
    token, path = document["token"]["token"], route.at(document=document["id"])
    assert anyone.get(f"{path}?token={token}").status == 200
    assert anyone.get(path, headers={"Authorization": f"Bearer {token}"}).status == 200


@pytest.mark.parametrize("route", [r for r in ROUTES if r not in OF_TOKEN], ids=str)
def test_a_document_token_opens_nothing_else(route, anyone, document):
    token = document["token"]["token"]
    ways = {"query": f"?token={token}"}, {"headers": {"Authorization": f"Bearer {token}"}}
    for way in ways:
        answer = route.call(anyone, document=document["id"], **way)
        if route.path.startswith("/v1"):
            assert answer.status == 403, answer
            assert answer.json["code"] in {"scope_missing", "session_required"}
        else:
            assert answer.status in (200, 403), answer


def test_a_document_token_is_no_api_key(anyone, document):
    headers = {"X-API-Key": document["token"]["token"]}
    answer = anyone.get(f"/v1/documents/{document['id']}/view", headers=headers)
    assert answer.status == 401


@pytest.mark.parametrize("route", OF_TOKEN, ids=str)
def test_the_token_of_another_document_opens_nothing(route, alice, anyone, document):
    other = alice.upload(b"another")
    query = f"?token={other['token']['token']}"
    refused(route.call(anyone, query=query, document=document["id"]), 404, "not_found")
    refused(route.call(anyone, query=query, document="doc_nothing"), 404, "not_found")


# Another owner's things


@pytest.fixture(scope="module")
def bobs(bob):
    """What Bob has."""
    document = bob.upload(b"what Bob keeps", name="bobs.txt")
    return {
        "document": document["id"],
        "token": bob.share(document)["id"],
        "key": bob.key().record["id"],
        "session": bob.get("/v1/auth/sessions").json["sessions"][0]["id"],
    }


@pytest.mark.parametrize("route", [r for r in GUARDED if "<" in r.path], ids=str)
def test_another_owners_thing_is_as_absent_as_one_that_never_was(route, alice, bob, bobs):
    before = bob.get(f"/v1/documents/{bobs['document']}").json
    never = {name: text[:-3] + "000" for name, text in bobs.items()}
    foreign, absent = route.call(alice, **bobs), route.call(alice, **never)
    problem = refused(foreign, 404, "not_found")
    assert problem | {"requestId": ""} == absent.json | {"requestId": ""}
    if route in OF_OWNER:
        refused(route.call(alice.key(), **bobs), 404, "not_found")
    assert bob.get(f"/v1/documents/{bobs['document']}").json == before
    assert bob.get("/v1/auth/me").status == 200


@pytest.mark.parametrize("route", [r for r in OF_OWNER if "<" in r.path], ids=str)
def test_a_malformed_body_for_another_owners_thing_tells_nothing(route, alice, bobs):
    if route.body is not None:
        never = {name: text[:-3] + "000" for name, text in bobs.items()}
        foreign, absent = (
            alice.ask(route.method, route.at(**ids), json={"colour": 1}) for ids in (bobs, never)
        )
        assert foreign.json | {"requestId": ""} == absent.json | {"requestId": ""}


def test_a_token_is_reached_only_through_its_own_document(alice, document):
    other = alice.upload()
    path = f"/v1/documents/{other['id']}/tokens/{document['token']['id']}"
    refused(alice.delete(path), 404, "not_found")
    assert alice.open(document["token"]["viewUrl"]).status == 200


def test_bobs_token_is_not_reached_through_alices_document(alice, bob, bobs, document):
    refused(
        alice.delete(f"/v1/documents/{document['id']}/tokens/{bobs['token']}"), 404, "not_found"
    )
    (token, _) = bob.get(f"/v1/documents/{bobs['document']}/tokens").json["tokens"]
    assert token["revokedAt"] is None


def test_lists_hold_nothing_of_another_owner(alice, bob, bobs):
    texts = [alice.get(p).text for p in ("/v1/documents", "/v1/api-keys", "/v1/auth/sessions")]
    assert not any(bobs[name] in text for name in bobs for text in texts)
    assert bob.record["email"] not in "".join(texts)


def test_an_upload_names_no_owner(alice):
    answer = alice.post("/v1/documents", json=UPLOAD | {"owner": "usr_0", "id": "doc_0"})
    assert answer.status == 422


def test_nobody_learns_from_a_conditional_read(bob, document):
    path = f"/v1/documents/{document['id']}/content"
    for headers in ({"If-None-Match": "*"}, {"Range": "bytes=0-1"}, {"Range": "bytes=99-"}):
        refused(bob.get(path, headers=headers), 404, "not_found")


def test_a_credential_of_nobody_uploads_nothing(anyone, alice):
    before = alice.get("/v1/documents?limit=1").json["documents"]
    body = UPLOAD | {"payload": b64(bytes(1 << 20))}
    assert anyone.post("/v1/documents", json=body).status == 401
    assert alice.get("/v1/documents?limit=1").json["documents"] == before
