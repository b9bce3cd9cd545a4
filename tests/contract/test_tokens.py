"""Document tokens: links that open one document, are listed, changed and taken back."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.formats import checksums, parse_time, time_from_now
from tests.people import Person, at
from tests.problems import refused

RECORD = {
    "id",
    "label",
    "permissions",
    "expiresAt",
    "maxViews",
    "views",
    "hasPassword",
    "allowedOrigins",
    "createdAt",
    "lastUsedAt",
    "revokedAt",
    "maskedToken",
    "documentId",
    "collectionId",
    "recipients",
    "agreementSha256",
    "watermark",
    "hideName",
    "notifyOwner",
    "enabled",
}
SHOWN_ONCE = {"token", "shortUrl", "viewUrl", "downloadUrl", "contentUrl", "embedHtml"}
CALLS = ("view", "download", "content")
ORIGIN = "https://a.example"


@pytest.fixture(scope="module")
def shared(alice):
    return alice.upload(b"shared", "text/plain", token=None)


def ids(records):
    return [record["id"] for record in records]


def seconds_of_life(token):
    return (parse_time(token["expiresAt"]) - parse_time(time_from_now())).total_seconds()


# Create


def test_creating_a_token_returns_its_record_the_token_and_the_links(alice, shared):
    fields = {"label": "auditor", "expiresAt": time_from_now(days=1), "maxViews": 3.0}
    fields |= {"password": "open sesame"}
    answer = alice.post(at(shared, "/tokens"), json=fields)
    token = answer.json
    assert (answer.status, token.keys()) == (201, RECORD | SHOWN_ONCE)
    assert token["id"].startswith("tok_")
    assert (token["label"], token["expiresAt"]) == ("auditor", fields["expiresAt"])
    assert (token["maxViews"], token["hasPassword"]) == (3, True)
    assert re.fullmatch(r"dt_[0-9A-Za-z]{38}", token["token"])
    assert token["token"][-6:] in checksums(token["token"][:-6])
    assert "open sesame" not in answer.text + alice.get(at(shared, "/tokens")).text


def test_every_field_of_a_new_token_is_optional_and_its_links_open(service, alice, shared):
    token = alice.share(shared)
    assert sorted(token["permissions"]) == ["download", "view"]
    assert (token["hasPassword"], token["views"], token["allowedOrigins"]) == (False, 0, [])
    assert [token[n] for n in ("label", "maxViews", "lastUsedAt", "revokedAt")] == [None] * 4
    assert seconds_of_life(token) == pytest.approx(604_800, abs=30)
    for call in CALLS:
        url = f"{service.url}{at(shared)}/{call}?token={token['token']}"
        assert (token[f"{call}Url"], alice.open(url).status) == (url, 200)


def test_settings_set_the_base_of_links_and_the_life_of_tokens(start_service):
    base = "https://documents.example:8443"
    document = start_service(BASE_URL=base, TOKEN_SECONDS=60).register().upload()
    token = document["token"]
    assert token["viewUrl"] == f"{base}{at(document)}/view?token={token['token']}"
    assert seconds_of_life(token) <= 60


WRONG = {
    "label": [5, True, [], {}],
    "permissions": [["edit"], ["view", "x"], "view", [1], {}, []],
    "maxViews": [0, -1, 1.5, "3", True, 10**30],
    "password": [5, True, [], ""],
    "allowedOrigins": [
        "https://a.example",
        ["a.example"],
        ["https://a.example/path"],
        [5],
        ["null"],
        ["https://a.example; script-src *"],
        ["javascript:alert(1)"],
        ["https://a b"],
        ["https://u:p@a.example"],
        ["https://*.example"],
        ["ftp://a.example"],
        [""],
        ["https://a.example?b"],
        ["https://a.example\n"],
        ["https://"],
        ["https://a:99999"],
    ],
    "expiresAt": ["2020-01-01T00:00:00.000Z", "tomorrow"],
    "colour": [1],
    "views": [0],
    "token": ["dt_x"],
}


@pytest.mark.parametrize("field", WRONG)
def test_an_invalid_field_of_a_token_or_its_change_is_refused_with_its_pointer(
    field, alice, shared
):
    link = alice.share(shared)
    nulls = [None] if field in {"permissions", "allowedOrigins"} else []
    for value in WRONG[field]:
        refused_below(alice.post(at(shared, "/tokens"), json={field: value}), field)
    for value in WRONG[field] + nulls:
        refused_below(alice.change(shared, link, **{field: value}), field)


def refused_below(answer, field):
    errors = refused(answer, 422, "invalid_request")["errors"]
    assert errors[0]["pointer"].startswith(f"#/{field}"), answer


# List


def test_the_list_of_tokens_is_masked(alice):
    document = alice.upload()
    token = alice.share(document, label="listed")
    answer = alice.get(at(document, "/tokens"))
    assert answer.json["tokens"][0] == {name: token[name] for name in RECORD}
    assert ids(answer.json["tokens"]) == ids([token, document["token"]])
    assert token["token"] not in answer.text
    bare = token["token"].removeprefix("dt_")
    assert token["maskedToken"] == f"dt_{bare[:4]}…{bare[-4:]}"


def test_a_token_has_its_last_use_and_the_number_of_views(alice):
    document = alice.upload()
    for method in ("GET", "HEAD", "GET"):
        assert alice.open(document["token"]["viewUrl"], method).status == 200
    (token,) = alice.links(document)
    assert token["views"] == 2
    assert parse_time(token["lastUsedAt"]) >= parse_time(token["createdAt"])


@pytest.fixture(scope="module")
def owner(service):
    """Somebody with two documents, and links in every state; `made` has the ids by state."""
    owner = service.register()
    first, second = owner.upload(token=None), owner.upload(token=None)
    gone = owner.upload(token={"label": "of a deleted document"})
    live = owner.share(first, label="live")
    revoked, used = owner.share(second), owner.share(first, maxViews=1)
    limited = owner.share(second, maxViews=2)
    assert [owner.submit(link).status for link in (used, limited)] == [200] * 2
    owner.revoke(second, revoked)
    owner.delete(at(gone))
    owner.made = {
        "": ids([limited, used, revoked, live, gone["token"]]),
        "live": ids([limited, live]),
        "ended": ids([used, revoked, gone["token"]]),
    }
    owner.documents = ids([second, first, second, first, gone])
    return owner


def test_the_links_of_all_documents_are_listed_newest_first_with_their_document(owner):
    answer = owner.get("/v1/tokens")
    listed = answer.json["tokens"]
    assert (ids(listed), answer.json["nextCursor"]) == (owner.made[""], None)
    assert [record["documentId"] for record in listed] == owner.documents
    assert all(record.keys() == RECORD for record in listed)
    assert (listed[3]["label"], listed[4]["label"]) == ("live", None)
    assert listed[4]["revokedAt"]  # with its document


@pytest.mark.parametrize("state", ["", "live", "ended"])
def test_a_state_selects_the_links_that_still_open_or_no_longer(state, owner):
    query = state and f"&state={state}"
    assert ids(owner.get(f"/v1/tokens?limit=100{query}").json["tokens"]) == owner.made[state]
    pages = owner.pages(f"/v1/tokens?limit=1{query}")
    assert [record["id"] for page in pages for record in page] == owner.made[state]


def test_expired_links_and_links_of_expired_documents_have_ended(clocked):
    owner = clocked.register()
    kept = owner.upload(token={"expiresAt": time_from_now(minutes=5)})
    brief = owner.upload(expiresAt=time_from_now(minutes=5), token={"expiresAt": None})
    endless = owner.share(kept, expiresAt=None)
    clocked.set_clock(minutes=6)
    for state, links in (("live", [endless]), ("ended", [brief["token"], kept["token"]])):
        assert ids(owner.get(f"/v1/tokens?state={state}").json["tokens"]) == ids(links)


def test_links_of_another_user_are_not_listed(owner, new_user):
    cursor = owner.get("/v1/tokens?limit=1").json["nextCursor"]
    for query in ("", f"?cursor={cursor}"):
        assert new_user.get(f"/v1/tokens{query}").json["tokens"] == []


@pytest.mark.parametrize("state", ["", "spent", "LIVE"])
def test_an_unknown_state_is_refused(state, owner):
    answer = owner.get(f"/v1/tokens?state={state}")
    assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, "#/state")


# What a token permits


def test_what_a_sentence_glues_to_a_link_is_passed_over(alice, anonymous, shared):
    link = alice.share(shared)
    for glued in (".", ")", ").", ",", "'", ">", "?!"):
        assert anonymous.open(link["viewUrl"] + glued).status == 200, glued
    refused(anonymous.open(link["viewUrl"] + "x"), 401, "not_authenticated")


@pytest.mark.parametrize(
    ("permissions", "statuses"),
    [
        (["view"], (200, 403, 403)),
        (["download"], (403, 200, 200)),
        (["view", "download"], [200] * 3),
    ],
)
def test_a_token_grants_only_its_permissions(permissions, statuses, alice, shared):
    token = alice.share(shared, permissions=permissions)
    assert sorted(token["permissions"]) == sorted(permissions)
    for call, status in zip(CALLS, statuses, strict=True):
        answer = alice.open(token[f"{call}Url"])
        assert answer.status == alice.open(token[f"{call}Url"], "HEAD").status == status, call
        if status == 403:
            refused(answer, 403, "scope_missing")


def test_a_token_works_with_ranges_and_conditional_requests(alice, shared):
    url = alice.share(shared)["contentUrl"]
    tag = alice.open(url).headers["ETag"]
    assert alice.open(url, headers={"If-None-Match": tag}).status == 304
    assert alice.open(url, headers={"Range": "bytes=0-2"}).body == b"sha"


@pytest.mark.parametrize(
    "origins",
    [[], [ORIGIN], ["http://localhost:3000"], [ORIGIN, "http://b.example:8080"], ["*"]],
)
def test_allowed_origins_become_frame_ancestors(origins, alice, shared):
    token = alice.share(shared, allowedOrigins=origins)
    assert token["allowedOrigins"] == origins
    ancestors = alice.open(token["viewUrl"]).policy["frame-ancestors"]
    assert [origin for origin in ancestors if origin != "'self'"] == origins
    assert origins or ancestors == ["'self'"]


def test_a_page_opened_by_its_owner_has_no_credential_in_it_and_is_framed_by_nobody(alice, shared):
    page = alice.get(at(shared, "/view"))
    assert alice.secret not in page.text
    assert page.policy["frame-ancestors"] == ["'self'"]


# Change


def test_a_changed_link_is_answered_with_its_record_without_the_secret(alice, temporary_document):
    link = alice.share(temporary_document, label="draft")
    change = {"label": "final", "permissions": ["view"], "expiresAt": time_from_now(days=30)}
    answer = alice.change(temporary_document, link, **change, allowedOrigins=[ORIGIN])

    assert (answer.status, answer.json.keys()) == (200, RECORD)
    assert answer.json | change == answer.json
    assert link["token"] not in answer.text
    assert answer.json in alice.links(temporary_document)
    assert alice.open(link["viewUrl"]).policy["frame-ancestors"] == [ORIGIN]
    refused(alice.open(link["downloadUrl"]), 403, "scope_missing")


def test_what_is_absent_stays_as_it_is(alice, temporary_document):
    fields = {"label": "kept", "maxViews": 5, "password": "kept", "allowedOrigins": ["*"]}
    link = alice.share(temporary_document, **fields)
    before = {name: link[name] for name in RECORD}
    assert alice.change(temporary_document, link).json == before
    assert alice.change(temporary_document, link, maxViews=6).json == before | {"maxViews": 6}


def test_null_clears_label_expiry_view_limit_and_password(alice, temporary_document):
    link = alice.share(temporary_document, label="a", maxViews=1, password="secret word")
    fields = dict.fromkeys(("label", "expiresAt", "maxViews", "password"))
    record = alice.change(temporary_document, link, **fields).json
    assert {record[name] for name in ("label", "expiresAt", "maxViews")} == {None}
    assert record["hasPassword"] is False
    assert alice.open(link["contentUrl"]).body == b"what Alice may lose"


def test_more_views_open_a_spent_link_again(alice, temporary_document):
    link = alice.share(temporary_document, maxViews=1)
    assert alice.submit(link).status == 200
    refused(alice.submit(link), 410, "token_spent")
    record = alice.change(temporary_document, link, maxViews=2).json
    assert (record["views"], record["maxViews"]) == (1, 2)
    assert alice.submit(link).status == 200
    refused(alice.submit(link), 410, "token_spent")


def test_fewer_views_than_were_used_end_a_link(alice, temporary_document):
    link = alice.share(temporary_document, maxViews=5)
    assert [alice.submit(link).status for _ in range(2)] == [200] * 2
    assert alice.change(temporary_document, link, maxViews=2).status == 200
    refused(alice.open(link["viewUrl"]), 410, "token_spent")


def test_a_later_expiry_opens_an_expired_link_again(clocked):
    owner = clocked.register()
    document = owner.upload(b"shared", token={"expiresAt": time_from_now(minutes=1)})
    link = document["token"]
    clocked.set_clock(minutes=2)
    refused(owner.open(link["contentUrl"]), 410, "token_spent")
    owner.change(document, link, expiresAt=time_from_now(minutes=9))
    assert owner.open(link["contentUrl"]).body == b"shared"


def test_a_changed_password_is_needed_and_the_former_one_opens_nothing(alice, temporary_document):
    link = alice.share(temporary_document, password="the former word")
    alice.change(temporary_document, link, password="the present word")
    words = ("the former word", "the present word")
    assert [alice.submit(link, password=word).status for word in words] == [401, 200]


def test_a_change_is_an_event_that_names_the_fields_that_differ(new_user):
    document = new_user.upload(token=None)
    same = {"label": "same", "maxViews": 3, "permissions": ["view", "download"]}
    link = new_user.share(document, **same)
    new_user.change(document, link, **same)
    new_user.change(document, link, label="secret label", password="secret word", maxViews=4)

    (event,) = new_user.events("&type=token.updated")

    assert event["data"]["documentId"] == document["id"]
    assert event["data"]["tokenId"] == link["id"]
    assert sorted(event["data"]["changed"]) == ["label", "maxViews", "password"]
    assert "secret" not in str(event)


def test_a_link_that_ends_twice_has_two_events_of_its_end(new_user):
    document = new_user.upload(token=None)
    link = new_user.share(document, maxViews=1)
    new_user.submit(link)
    for fields in ({"maxViews": 5}, {"maxViews": 1}, {"label": "ended as before"}):
        new_user.change(document, link, **fields)

    assert new_user.event_types()[2:] == [
        "document.viewed",
        "token.spent",
        "token.updated",
        "token.updated",
        "token.spent",
        "token.updated",
    ]


def test_concurrent_changes_and_views_lose_no_view(alice, temporary_document):
    link = alice.share(temporary_document, maxViews=100)
    assert alice.submit(link).status == 200  # its preview is kept: few are made at once

    def change_and_view(number):
        alice.change(temporary_document, link, label=str(number))
        return alice.submit(link).status

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(change_and_view, range(16))) == [200] * 16
    assert alice.change(temporary_document, link).json["views"] == 17


# The end


def test_a_revoked_token_is_refused_at_once_and_others_still_work(alice, shared):
    token, other = alice.share(shared), alice.share(shared)
    answer = alice.revoke(shared, token)
    assert (answer.status, answer.body) == (204, b"")
    for call in CALLS:
        refused(alice.open(token[f"{call}Url"]), 410, "token_spent")
        assert alice.open(other[f"{call}Url"]).status == 200
    (record,) = [record for record in alice.links(shared) if record["id"] == token["id"]]
    assert parse_time(record["revokedAt"])
    for fields in ({"label": "a"}, {}):
        refused(alice.change(shared, token, **fields), 409, "token_revoked")
    assert alice.revoke(shared, token).status in (204, 404)


def test_tokens_of_a_deleted_document_are_refused(alice):
    document = alice.upload()
    token = alice.share(document)
    alice.delete(at(document))
    for call in CALLS:
        answer = alice.open(token[f"{call}Url"])
        assert answer.status in (401, 404, 410)
        bearer = Person(alice.service).with_token(token["token"])
        assert bearer.get(at(document, f"/{call}")).status == answer.status


def test_a_token_outlives_the_key_that_created_it(alice, shared):
    machine = alice.create_api_key()
    token = machine.share(shared)
    alice.delete(f"/v1/api-keys/{machine.record['id']}")
    assert alice.open(token["viewUrl"]).status == 200
    assert machine.get(at(shared, "/tokens")).status == 401
