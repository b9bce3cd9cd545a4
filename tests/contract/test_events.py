"""The feed of events: each one once, oldest first, for its owner only."""

import json

import pytest

from tests.formats import parse_time, time_from_now
from tests.people import Person, at
from tests.problems import refused_query
from tests.waiting import until

NAMES = ("secret-name", "secret-label", "secret-payload", "a long password")


@pytest.fixture
def machine(new_user):
    """A new_user's API key."""
    return new_user.create_api_key()


def test_the_events_of_a_document_are_in_order(new_user):
    document = new_user.upload(token={"maxViews": 1, "permissions": ["view"]})
    path = f"/v1/documents/{document['id']}"
    live, dead = new_user.share(document), new_user.share(document)
    new_user.delete(f"{path}/tokens/{dead['id']}")
    new_user.get(f"{path}/view")
    new_user.get(f"{path}/download")
    new_user.get(f"{path}/content")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    opened = Person(new_user.service).post(
        f"{path}/view", data=f"token={document['token']['token']}".encode(), headers=form
    )
    new_user.delete(path)

    assert opened.status == 200
    events = list(new_user.events())
    assert [event["type"] for event in events] == [
        "document.created",
        *["token.created"] * 3,
        "token.revoked",
        "document.viewed",
        *["document.downloaded"] * 2,
        "document.viewed",
        "token.spent",
        "document.deleted",
        "token.revoked",
    ]
    assert {event["data"]["documentId"] for event in events} == {document["id"]}
    assert events[-1]["data"]["tokenId"] == live["id"]
    assert new_user.event_types(f"&documentId={document['id']}") == [e["type"] for e in events]
    assert new_user.event_types("&documentId=doc_nothing") == []


def test_an_event_has_id_type_created_at_and_data(new_user):
    document = new_user.upload(b"12345", "text/plain", token=None)
    (event,) = new_user.get("/v1/events").json["events"]
    assert event.keys() == {"id", "sequence", "type", "createdAt", "data", "hash"}
    assert event["id"].startswith("evt_")
    assert abs(parse_time(event["createdAt"]) - parse_time(time_from_now())).total_seconds() < 60
    assert event["data"] == {
        "documentId": document["id"],
        "contentType": "text/plain",
        "size": 5,
        "expiresAt": None,
        "via": "session",
    }


def test_an_event_names_the_credential_that_caused_it(new_user, machine):
    document = machine.upload()
    Person(new_user.service).with_token(document["token"]["token"]).get(
        f"/v1/documents/{document['id']}/content"
    )
    created, _, downloaded = list(new_user.events())[1:]
    assert (created["data"]["via"], created["data"]["apiKeyId"]) == (
        "api_key",
        machine.record["id"],
    )
    assert (downloaded["data"]["via"], downloaded["data"]["tokenId"]) == (
        "document_token",
        document["token"]["id"],
    )


def test_creating_rotating_and_revoking_a_key_are_one_event_each(new_user):
    old = new_user.create_api_key().record["id"]
    new = new_user.post(f"/v1/api-keys/{old}/rotate", json={"overlapSeconds": 60}).json["id"]
    for _ in range(2):
        assert new_user.delete(f"/v1/api-keys/{new}").status == 204
    created, rotated, revoked = new_user.events()
    assert (created["type"], created["data"]["apiKeyId"]) == ("api_key.created", old)
    assert (rotated["type"], rotated["data"]["apiKeyId"]) == ("api_key.rotated", old)
    assert rotated["data"]["newApiKeyId"] == new
    assert (revoked["type"], revoked["data"]["apiKeyId"]) == ("api_key.revoked", new)


def test_revoking_a_token_twice_is_one_event(new_user):
    document = new_user.upload()
    for _ in range(2):
        new_user.delete(f"/v1/documents/{document['id']}/tokens/{document['token']['id']}")
    assert new_user.event_types("&type=token.revoked") == ["token.revoked"]


def test_head_304_and_ranges_are_no_event_but_the_original_of_an_opened_page_is(new_user):
    document = new_user.upload(bytes(12 << 20), "application/x-any")
    path = f"/v1/documents/{document['id']}"
    page = new_user.open(document["token"]["viewUrl"]).text
    ticket = page.partition("ticket=")[2].partition('"')[0].partition("&")[0]
    assert Person(new_user.service).get(f"{path}/content?ticket={ticket}").status == 200
    for what in ("view", "download", "content"):
        assert new_user.head(f"{path}/{what}").status == 200
    etag = new_user.head(f"{path}/content").headers["ETag"]
    assert new_user.get(f"{path}/content", headers={"If-None-Match": etag}).status == 304
    assert new_user.get(f"{path}/content", headers={"Range": "bytes=5-9"}).status == 206
    first = ["document.created", "token.created", "document.viewed"]
    assert new_user.event_types() == [*first, "document.downloaded"]


def test_a_range_of_the_whole_content_is_a_download(new_user):
    document = new_user.upload(b"whole", token=None)
    new_user.get(f"/v1/documents/{document['id']}/content", headers={"Range": "bytes=0-"})
    assert new_user.event_types() == ["document.created", "document.downloaded"]


def test_a_refused_view_is_no_event(new_user):
    document = new_user.upload(token={"maxViews": 1})
    new_user.open(document["token"]["viewUrl"])
    assert new_user.event_types() == ["document.created", "token.created"]


def test_the_feed_continues_after_any_id(new_user):
    for _ in range(5):
        new_user.upload(token=None)
    ids = [event["id"] for event in new_user.events()]
    assert ids == sorted(ids)
    page = new_user.get(f"/v1/events?after={ids[1]}&limit=2").json
    assert [event["id"] for event in page["events"]] == ids[2:4]
    assert page["nextCursor"] == ids[3]
    assert new_user.get(f"/v1/events?cursor={ids[1]}&limit=2").json == page
    between = ids[2][:-1] + ("0" if ids[2][-1] != "0" else "1")  # an id that never was
    behind = new_user.get(f"/v1/events?after={between}").json["events"]
    assert [event["id"] for event in behind] == [id for id in ids if id > between]
    last = new_user.get(f"/v1/events?after={ids[-1]}").json
    assert last == {"events": [], "nextCursor": None}


def test_the_feed_filters_by_type_and_refuses_an_unknown_type(new_user):
    new_user.upload()
    assert new_user.event_types("&type=token.created") == ["token.created"]
    refused_query(new_user.get("/v1/events?type=document.eaten"))
    refused_query(new_user.get("/v1/events?after=nonsense"))


def test_a_user_sees_only_own_events(new_user, bob):
    document = new_user.upload()
    assert document["id"] not in bob.get("/v1/events?limit=100").text
    assert bob.event_types(f"&documentId={document['id']}") == []


def test_no_event_carries_a_name_a_payload_or_a_secret(new_user):
    machine = new_user.create_api_key(name="secret-name")
    document = machine.upload(
        b"secret-payload",
        name="secret-name",
        metadata={"secret-name": "secret-label"},
        token={"label": "secret-label", "password": "a long password"},
    )
    machine.share(document, label="secret-label", allowedOrigins=["https://secret-name.example"])
    text = json.dumps(list(new_user.events()))
    secrets = [document["token"]["token"], machine.secret, document["sha256"], "http"]
    assert not [one for one in (*NAMES, *secrets) if one in text]


def counts_of_views(person):
    return [event["data"]["count"] for event in person.events("&type=document.viewed")]


@pytest.mark.slow
def test_views_are_written_within_moments_and_survive_sigkill(restarted):
    person = restarted.register()
    document = person.upload(token=None)
    for _ in range(5):
        person.get(at(document, "/view"))
    views = "SELECT count(*) FROM event WHERE type = 'document.viewed' AND owner_id = :id"
    until(lambda: restarted.sql(views, id=person.record["id"]) == [(5,)])
    restarted.kill()
    restarted.start()
    assert person.event_types() == ["document.created", *["document.viewed"] * 5]


@pytest.mark.slow
def test_views_are_written_and_counted_before_the_service_stops(restarted):
    person = restarted.register()
    document = person.upload()
    person.get(at(document, "/view"))
    for _ in range(5):
        person.open(document["token"]["viewUrl"])
    restarted.restart()
    assert counts_of_views(person) == [1, 1, 4]


@pytest.mark.slow
def test_a_crash_loses_no_view_of_a_limited_link_and_only_the_count_of_a_minute(restarted):
    person = restarted.register()
    document = person.upload(token={"maxViews": 9})
    link = document["token"]
    for _ in range(5):
        assert Person(restarted).with_token(link["token"]).post(at(document, "/view")).status == 200
    restarted.kill()
    restarted.start()
    assert counts_of_views(person) == [1]
    assert person.links(document)[0]["views"] == 5


@pytest.mark.slow
def test_a_crash_loses_no_view_of_a_plain_link_that_was_recorded(restarted):
    person = restarted.register()
    document = person.upload()
    for _ in range(5):
        person.open(document["token"]["viewUrl"])
    views = "SELECT views FROM document_token WHERE id = :id"
    until(lambda: restarted.sql(views, id=document["token"]["id"]) == [(5,)])
    restarted.kill()
    restarted.start()
    assert counts_of_views(person) == [1]
    assert person.links(document)[0]["views"] == 5


def test_many_readings_of_a_link_are_two_events(clocked):
    person = clocked.register()
    document = person.upload()
    for _ in range(30):
        assert person.open(document["token"]["viewUrl"]).status == 200
    until(lambda: counts_of_views(person) == [1])
    clocked.set_clock(seconds=61)
    until(lambda: counts_of_views(person) == [1, 29])
    assert person.links(document)[0]["views"] == 30
