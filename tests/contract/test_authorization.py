"""Authorization: which credential reaches which route, and whose data."""

import pytest

from tests.contract.routes import (
    EVERY,
    KEY,
    OF_DOCUMENT,
    OF_OWNER,
    OF_SESSION,
    OF_TOKEN,
    PUBLIC,
    ROUTES,
    SESSION,
)
from tests.contract.webhooks import create_webhook
from tests.problems import refused

LISTS = ("/v1/documents", "/v1/api-keys", "/v1/auth/sessions", "/v1/tokens", "/v1/webhooks")


@pytest.mark.parametrize("kind", ["session", "key"])
def test_a_session_token_or_key_in_a_url_is_refused(kind, alice, anonymous, document):
    secret = alice.secret if kind == "session" else alice.create_api_key().secret
    for name in ("token", "access_token", "api_key", "key", "X-API-Key"):
        query = f"?{name}={secret}"
        answers = [
            route.call(anonymous, query=query, document=document["id"]) for route in OF_TOKEN
        ]
        answers += [alice.get(f"/v1/documents{query}"), anonymous.get(f"/v1/auth/me{query}")]
        for answer in answers:
            assert answer.status in (400, 401, 422), (name, answer)
            assert secret not in answer.text


def test_an_api_key_on_a_session_route_is_session_required(alice):
    machine = alice.create_api_key()
    session = alice.get("/v1/auth/sessions").json["sessions"][0]["id"]
    for route in [*OF_SESSION, *PUBLIC[:2]]:
        answer = route.call(machine, key=machine.record["id"], session=session)
        refused(answer, 403, "session_required", route)
    assert machine.get("/v1/documents").status == 200


@pytest.mark.parametrize("route", OF_OWNER, ids=str)
def test_an_api_key_without_the_scope_is_refused(route, alice, temporary_document):
    scopes = {"documents:read", "documents:write", "documents:delete", "events:read"}
    ids = {"token": alice.share(temporary_document)["id"], "document": temporary_document["id"]}
    collection = alice.collect(temporary_document)
    ids |= {"collection": collection["id"], "link": alice.share(collection)["id"]}
    for missing in route.scopes:
        without = alice.create_api_key(scopes=sorted(scopes - {missing}))
        answer = route.call(without, **ids)
        refused(answer, 403, "scope_missing")
    only = alice.create_api_key(scopes=route.scopes)
    assert route.call(only, **ids).status in (200, 201, 204)


def test_a_document_token_is_accepted_in_the_query_or_as_bearer(anonymous, document):
    token = document["token"]["token"]
    for route in OF_TOKEN:
        path = route.at(document=document["id"])
        assert anonymous.get(f"{path}?token={token}").status == 200, route
        assert anonymous.with_token(token).get(path).status == 200, route


def test_a_document_token_opens_nothing_else(anonymous, document):
    token = document["token"]["token"]
    ways = {"query": f"?token={token}"}, {"headers": {"Authorization": f"Bearer {token}"}}
    for route in [route for route in ROUTES if route not in OF_TOKEN]:
        for way in ways:
            answer = route.call(anonymous, document=document["id"], **way)
            if route.path.startswith("/v1"):
                assert answer.status == 403, (route, answer)
                assert answer.json["code"] in {"scope_missing", "session_required"}
            else:
                assert answer.status in (200, 403), (route, answer)


def test_the_token_of_another_document_opens_nothing(alice, anonymous, document):
    query = f"?token={alice.upload(b'another')['token']['token']}"
    for route in OF_DOCUMENT:
        for id in (document["id"], "doc_nothing"):
            refused(route.call(anonymous, query=query, document=id), 404, "not_found", route)


@pytest.fixture(scope="module")
def bobs(bob):
    """What Bob has."""
    document = bob.upload(b"what Bob keeps", name="bobs.txt")
    collection = bob.collect(document)
    return {
        "document": document["id"],
        "collection": collection["id"],
        "link": bob.share(collection)["id"],
        "token": bob.share(document)["id"],
        "key": bob.create_api_key().record["id"],
        "session": bob.get("/v1/auth/sessions").json["sessions"][0]["id"],
        "space": bob.post("/v1/spaces", json={"name": "What Bob shares"}).json["id"],
        "user_id": bob.record["id"],
        "webhook": (webhook := create_webhook(bob, events=["webhook.test"]))["id"],
        "delivery": bob.post(f"/v1/webhooks/{webhook['id']}/test").json["id"],
    }


def test_the_resource_of_another_user_answers_like_an_unknown_id(alice, bob, bobs):
    before = bob.get(f"/v1/documents/{bobs['document']}").json
    never = {name: text[:-3] + "000" for name, text in bobs.items()}
    machine = alice.create_api_key()
    for route in [one for one in EVERY if "<" in one.path and SESSION in one.callers]:
        foreign, absent = route.call(alice, **bobs), route.call(alice, **never)
        problem = refused(foreign, 404, "not_found", route)
        assert problem | {"requestId": ""} == absent.json | {"requestId": ""}, route
        if KEY in route.callers:
            refused(route.call(machine, **bobs), 404, "not_found", route)
            wrong = (alice.request(route.method, route.at(**ids), json={"colour": 1})
                     for ids in (bobs, never))  # fmt: skip
            assert len({(one.status, one.json["code"]) for one in wrong}) == 1, route
    assert bob.get(f"/v1/documents/{bobs['document']}").json == before
    assert bob.get("/v1/auth/me").status == 200


def test_a_token_is_reached_only_through_its_own_document(alice, document):
    other = alice.upload()
    path = f"/v1/documents/{other['id']}/tokens/{document['token']['id']}"
    refused(alice.delete(path), 404, "not_found")
    assert alice.open(document["token"]["viewUrl"]).status == 200


def test_a_delivery_is_not_reached_through_the_webhook_of_another_user(new_user, bobs):
    own = f"/v1/webhooks/{create_webhook(new_user)['id']}"
    answer = new_user.post(f"{own}/deliveries/{bobs['delivery']}/redeliver")
    refused(answer, 404, "not_found")


def test_lists_have_nothing_of_another_user(alice, bob, bobs):
    texts = [alice.get(p).text for p in LISTS]
    assert not any(bobs[name] in text for name in bobs for text in texts)
    assert bob.record["email"] not in "".join(texts)


def test_a_conditional_request_does_not_reveal_the_document_of_another_user(bob, document):
    path = f"/v1/documents/{document['id']}/content"
    for headers in ({"If-None-Match": "*"}, {"Range": "bytes=0-1"}, {"Range": "bytes=99-"}):
        refused(bob.get(path, headers=headers), 404, "not_found")
