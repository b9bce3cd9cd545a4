"""The feed: every fact told once, oldest first, to its owner only."""

import json
import time

import pytest

from tests.people import Person, in_query, instant, moment, refused, until

NAMES = ("secret-name", "secret-label", "secret-payload", "a long password")


def feed(person, query=""):
    """Every event of a person's, page by page."""
    after = ""
    while after is not None:
        page = person.get(f"/v1/events?limit=3{query}{after and '&after=' + after}").json
        yield from page["events"]
        after = page["nextCursor"]


def told(person, query=""):
    return [event["type"] for event in feed(person, query)]


@pytest.fixture
def machine(newcomer):
    """A newcomer's API key."""
    return newcomer.key()


def test_what_happens_to_a_document_is_told_in_order(newcomer):
    document = newcomer.upload(token={"maxViews": 1, "permissions": ["view"]})
    path = f"/v1/documents/{document['id']}"
    live, dead = newcomer.share(document), newcomer.share(document)
    newcomer.delete(f"{path}/tokens/{dead['id']}")
    newcomer.get(f"{path}/view")
    newcomer.get(f"{path}/download")
    newcomer.get(f"{path}/content")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    opened = Person(newcomer.service).post(
        f"{path}/view", data=f"token={document['token']['token']}".encode(), headers=form
    )
    newcomer.delete(path)

    assert opened.status == 200
    events = list(feed(newcomer))
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
    assert told(newcomer, f"&documentId={document['id']}") == [e["type"] for e in events]
    assert told(newcomer, "&documentId=doc_nothing") == []


def test_an_event_has_id_type_created_at_and_data(newcomer):
    document = newcomer.upload(b"12345", "text/plain", token=None)
    (event,) = newcomer.get("/v1/events").json["events"]
    assert event.keys() == {"id", "type", "createdAt", "data"}
    assert event["id"].startswith("evt_")
    assert abs(instant(event["createdAt"]) - instant(moment())).total_seconds() < 60
    assert event["data"] == {
        "documentId": document["id"],
        "contentType": "text/plain",
        "size": 5,
        "expiresAt": None,
        "via": "session",
    }


def test_an_event_tells_by_which_credential_it_came_about(newcomer, machine):
    document = machine.upload()
    Person(newcomer.service).bearing(document["token"]["token"]).get(
        f"/v1/documents/{document['id']}/content"
    )
    created, _, downloaded = list(feed(newcomer))[1:]
    assert (created["data"]["via"], created["data"]["apiKeyId"]) == (
        "api_key",
        machine.record["id"],
    )
    assert (downloaded["data"]["via"], downloaded["data"]["tokenId"]) == (
        "document_token",
        document["token"]["id"],
    )


def test_creating_rotating_and_revoking_a_key_is_told_and_a_second_revoking_is_not(newcomer):
    old = newcomer.key().record["id"]
    new = newcomer.post(f"/v1/api-keys/{old}/rotate", json={"overlapSeconds": 60}).json["id"]
    for _ in range(2):
        assert newcomer.delete(f"/v1/api-keys/{new}").status == 204
    created, rotated, revoked = feed(newcomer)
    assert (created["type"], created["data"]["apiKeyId"]) == ("api_key.created", old)
    assert (rotated["type"], rotated["data"]["apiKeyId"]) == ("api_key.rotated", old)
    assert rotated["data"]["newApiKeyId"] == new
    assert (revoked["type"], revoked["data"]["apiKeyId"]) == ("api_key.revoked", new)


def test_revoking_a_token_twice_is_told_once(newcomer):
    document = newcomer.upload()
    for _ in range(2):
        newcomer.delete(f"/v1/documents/{document['id']}/tokens/{document['token']['id']}")
    assert told(newcomer, "&type=token.revoked") == ["token.revoked"]


def test_a_head_a_304_a_part_and_the_parts_of_an_opened_page_are_no_readings(newcomer):
    document = newcomer.upload(bytes(12 << 20), "application/x-any")
    path = f"/v1/documents/{document['id']}"
    page = newcomer.open(document["token"]["viewUrl"]).text
    ticket = page.partition("ticket=")[2].partition('"')[0].partition("&")[0]
    assert Person(newcomer.service).get(f"{path}/content?ticket={ticket}").status == 200
    for what in ("view", "download", "content"):
        assert newcomer.head(f"{path}/{what}").status == 200
    etag = newcomer.head(f"{path}/content").headers["ETag"]
    assert newcomer.get(f"{path}/content", headers={"If-None-Match": etag}).status == 304
    assert newcomer.get(f"{path}/content", headers={"Range": "bytes=5-9"}).status == 206
    assert told(newcomer) == ["document.created", "token.created", "document.viewed"]


def test_a_range_that_is_the_whole_is_a_download(newcomer):
    document = newcomer.upload(b"whole", token=None)
    newcomer.get(f"/v1/documents/{document['id']}/content", headers={"Range": "bytes=0-"})
    assert told(newcomer) == ["document.created", "document.downloaded"]


def test_a_refused_opening_is_no_reading(newcomer):
    document = newcomer.upload(token={"maxViews": 1})
    newcomer.open(document["token"]["viewUrl"])
    assert told(newcomer) == ["document.created", "token.created"]


def test_after_any_id_the_feed_goes_on_behind_it(newcomer):
    for _ in range(5):
        newcomer.upload(token=None)
    ids = [event["id"] for event in feed(newcomer)]
    assert ids == sorted(ids)
    page = newcomer.get(f"/v1/events?after={ids[1]}&limit=2").json
    assert [event["id"] for event in page["events"]] == ids[2:4]
    assert page["nextCursor"] == ids[3]
    assert newcomer.get(f"/v1/events?cursor={ids[1]}&limit=2").json == page
    between = ids[2][:-1] + ("0" if ids[2][-1] != "0" else "1")  # an id that never was
    behind = newcomer.get(f"/v1/events?after={between}").json["events"]
    assert [event["id"] for event in behind] == [id for id in ids if id > between]
    last = newcomer.get(f"/v1/events?after={ids[-1]}").json
    assert last == {"events": [], "nextCursor": None}


def test_the_feed_filters_by_type_and_refuses_an_unknown_one(newcomer):
    newcomer.upload()
    assert told(newcomer, "&type=token.created") == ["token.created"]
    in_query(newcomer.get("/v1/events?type=document.eaten"))
    in_query(newcomer.get("/v1/events?after=nonsense"))


def test_events_are_their_owners_only(newcomer, bob):
    document = newcomer.upload()
    assert document["id"] not in bob.get("/v1/events?limit=100").text
    assert told(bob, f"&documentId={document['id']}") == []


def test_a_key_reads_events_with_its_scope_and_not_without(newcomer, machine):
    assert machine.get("/v1/events").status == 200
    refused(newcomer.key(scopes=["documents:read"]).get("/v1/events"), 403, "scope_missing")


def test_no_event_carries_a_name_a_payload_or_a_secret(newcomer):
    machine = newcomer.key(name="secret-name")
    document = machine.upload(
        b"secret-payload",
        name="secret-name",
        metadata={"secret-name": "secret-label"},
        token={"label": "secret-label", "password": "a long password"},
    )
    machine.share(document, label="secret-label", allowedOrigins=["https://secret-name.example"])
    text = json.dumps(list(feed(newcomer)))
    secrets = [document["token"]["token"], machine.secret, document["sha256"], "http"]
    assert not [one for one in (*NAMES, *secrets) if one in text]


def test_an_expired_document_and_its_tokens_are_told_once(newcomer, start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document = person.upload(expiresAt=moment(seconds=1), token={"expiresAt": moment(hours=1)})
    until(lambda: person.get(f"/v1/documents/{document['id']}").status == 404)
    for _ in range(2):  # the sweeper works at the start
        service.restart()
        until(lambda: "document.expired" in told(person))
    begun, ended = ["document.created", "token.created"], ["document.expired", "token.revoked"]
    assert told(person) == begun + ended


def test_a_reading_is_told_in_a_moment_also_over_kill_9(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document = person.upload(token=None)
    for _ in range(5):
        person.get(f"/v1/documents/{document['id']}/view")
    time.sleep(0.5)
    service.kill()
    service.start()
    assert told(person) == ["document.created", *["document.viewed"] * 5]


def test_a_reading_is_told_also_over_a_stop_at_once(start_service):
    service = start_service(RATE_LIMITS="off")
    person = service.register()
    document = person.upload(token=None)
    person.get(f"/v1/documents/{document['id']}/view")
    service.restart()
    assert told(person) == ["document.created", "document.viewed"]
