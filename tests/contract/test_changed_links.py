"""Links that are changed without being sent anew."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest

from tests.clock import ClockedService
from tests.contract.event_feed import events_of
from tests.formats import time_from_now
from tests.people import Person
from tests.problems import refused, refused_field

RECORD = {
    *("id", "label", "permissions", "expiresAt", "maxViews", "views", "hasPassword"),
    *("allowedOrigins", "createdAt", "lastUsedAt", "revokedAt", "maskedToken"),
}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def change(person, document, link, **fields):
    return person.patch(f"/v1/documents/{document['id']}/tokens/{link['id']}", json=fields)


def opened(person, document, link, **fields):
    data = urlencode({"token": link["token"], **fields}).encode()
    return person.post(f"/v1/documents/{document['id']}/view", data=data, headers=FORM)


def test_a_changed_link_is_answered_with_its_record_without_the_secret(alice, temporary_document):
    link = alice.share(temporary_document, label="draft")
    later = time_from_now(days=30)

    answer = change(
        alice, temporary_document, link, label="final", permissions=["view"], expiresAt=later
    )

    assert answer.status == 200
    assert answer.json.keys() == RECORD
    assert (answer.json["label"], answer.json["permissions"]) == ("final", ["view"])
    assert answer.json["expiresAt"] == later
    assert link["token"] not in answer.text
    listed = alice.get(f"/v1/documents/{temporary_document['id']}/tokens").json["tokens"]
    assert answer.json in listed


def test_what_is_absent_stays_as_it_is(alice, temporary_document):
    link = alice.share(
        temporary_document, label="kept", maxViews=5, password="kept", allowedOrigins=["*"]
    )
    before = {name: link[name] for name in RECORD}

    assert change(alice, temporary_document, link).json == before
    answer = change(alice, temporary_document, link, maxViews=6)

    assert answer.json == before | {"maxViews": 6}


def test_null_clears_label_expiry_view_limit_and_password(alice, anonymous, temporary_document):
    link = alice.share(temporary_document, label="a", maxViews=1, password="secret word")
    fields = dict.fromkeys(("label", "expiresAt", "maxViews", "password"))

    record = change(alice, temporary_document, link, **fields).json

    assert {record[name] for name in ("label", "expiresAt", "maxViews")} == {None}
    assert record["hasPassword"] is False
    assert "what Alice may lose" in anonymous.open(link["contentUrl"]).text


@pytest.mark.parametrize("field", ["permissions", "allowedOrigins"])
def test_null_is_refused_where_a_list_is_needed(field, alice, temporary_document):
    link = alice.share(temporary_document)
    refused_field(change(alice, temporary_document, link, **{field: None}), f"#/{field}")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("label", 5), ("permissions", []), ("permissions", ["edit"]), ("maxViews", 0)],
        *[("password", ""), ("allowedOrigins", ["https://a.example/path"]), ("colour", 1)],
        *[("expiresAt", "2020-01-01T00:00:00.000Z"), ("views", 0), ("token", "dt_x")],
    ],
)
def test_an_invalid_or_unknown_field_of_a_change_is_refused(
    field, value, alice, temporary_document
):
    answer = change(alice, temporary_document, alice.share(temporary_document), **{field: value})
    errors = refused(answer, 422, "invalid_request")["errors"]
    assert errors[0]["pointer"].startswith(f"#/{field}")


def test_a_revoked_link_cannot_be_changed(alice, temporary_document):
    link = alice.share(temporary_document)
    alice.delete(f"/v1/documents/{temporary_document['id']}/tokens/{link['id']}")

    refused(change(alice, temporary_document, link, label="a"), 409, "token_revoked")
    refused(change(alice, temporary_document, link), 409, "token_revoked")


def test_a_change_takes_effect_for_who_has_the_link(alice, anonymous, temporary_document):
    link = alice.share(temporary_document)
    change(alice, temporary_document, link, permissions=["view"], allowedOrigins=["https://a.b"])

    assert anonymous.open(link["viewUrl"]).policy["frame-ancestors"] == ["https://a.b"]
    refused(anonymous.open(link["downloadUrl"]), 403, "scope_missing")


def test_more_views_open_a_spent_link_again(alice, anonymous, temporary_document):
    link = alice.share(temporary_document, maxViews=1)
    assert opened(anonymous, temporary_document, link).status == 200
    refused(opened(anonymous, temporary_document, link), 410, "token_spent")

    record = change(alice, temporary_document, link, maxViews=2).json

    assert (record["views"], record["maxViews"]) == (1, 2)
    assert opened(anonymous, temporary_document, link).status == 200
    refused(opened(anonymous, temporary_document, link), 410, "token_spent")


def test_fewer_views_than_were_used_end_a_link(alice, anonymous, temporary_document):
    link = alice.share(temporary_document, maxViews=5)
    for _ in range(2):
        assert opened(anonymous, temporary_document, link).status == 200

    assert change(alice, temporary_document, link, maxViews=2).status == 200

    refused(anonymous.open(link["viewUrl"]), 410, "token_spent")


@pytest.mark.slow
def test_a_later_expiry_opens_an_expired_link_again(tmp_path):
    service = ClockedService(tmp_path)
    try:
        alice = service.register()
        document = alice.upload(b"shared")
        link = document["token"]
        service.set_clock(days=8)
        alice = service.log_in(alice.record["email"])
        refused(alice.open(link["contentUrl"]), 410, "token_spent")

        change(alice, document, link, expiresAt=time_from_now(days=9))

        assert alice.open(link["contentUrl"]).body == b"shared"
    finally:
        service.close()


def test_a_changed_password_is_needed_and_the_former_one_opens_nothing(
    alice, anonymous, temporary_document
):
    link = alice.share(temporary_document, password="the former word")
    change(alice, temporary_document, link, password="the present word")

    def answer(password):
        return opened(anonymous, temporary_document, link, password=password).status

    assert (answer("the former word"), answer("the present word")) == (401, 200)


@pytest.fixture
def film(alice):
    """A document whose page loads the original by a ticket."""
    return alice.upload(bytes(9 << 20), "video/mp4", name="film.mp4")


def ticket_of(page):
    return re.search(r'(/v1/documents/[^"]*ticket=v4\.local\.[\w.-]+)', page.text)[1]


@pytest.mark.parametrize("narrower", [{"password": "new"}, {"permissions": ["download"]}])
def test_opened_pages_load_nothing_after_a_new_password_or_without_view(
    narrower, alice, anonymous, film
):
    link = alice.share(film)
    path = ticket_of(anonymous.open(link["viewUrl"]))
    change(alice, film, link, **narrower)

    refused(anonymous.get(path), 401, "not_authenticated")


def test_opened_pages_go_on_after_any_other_change(alice, anonymous, film):
    link = alice.share(film, password="the word", maxViews=5)
    path = ticket_of(opened(anonymous, film, link, password="the word"))
    change(alice, film, link, label="a", maxViews=1, expiresAt=None, permissions=["view"])

    assert anonymous.get(path, headers={"Range": "bytes=0-9"}).status == 206


def test_a_change_is_an_event_that_names_the_fields_that_differ(new_user):
    document = new_user.upload(token=None)
    link = new_user.share(document, label="same", maxViews=3)
    change(new_user, document, link, label="same", maxViews=3, permissions=["view", "download"])
    change(new_user, document, link, label="secret label", password="secret word", maxViews=4)

    (event,) = [one for one in events_of(new_user) if one["type"] == "token.updated"]

    assert event["data"]["documentId"] == document["id"]
    assert event["data"]["tokenId"] == link["id"]
    assert sorted(event["data"]["changed"]) == ["label", "maxViews", "password"]
    assert "secret" not in str(event)


def test_a_link_that_ends_twice_has_two_events_of_its_end(new_user):
    document = new_user.upload(token=None)
    link = new_user.share(document, maxViews=1)
    stranger = Person(new_user.service)
    opened(stranger, document, link)
    change(new_user, document, link, maxViews=5)
    change(new_user, document, link, maxViews=1)
    change(new_user, document, link, label="ended as before")

    types = [event["type"] for event in events_of(new_user)]

    assert types[2:] == [
        *("document.viewed", "token.spent", "token.updated"),
        *("token.updated", "token.spent", "token.updated"),
    ]


def test_concurrent_changes_and_views_lose_no_view(alice, anonymous, temporary_document):
    link = alice.share(temporary_document, maxViews=100)

    def one(number):
        change(alice, temporary_document, link, label=str(number))
        return opened(anonymous, temporary_document, link).status

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(16))) == [200] * 16
    assert change(alice, temporary_document, link).json["views"] == 16


def test_the_label_and_the_password_of_a_changed_link_are_sealed(
    service, alice, temporary_document
):
    link = alice.share(temporary_document)
    change(alice, temporary_document, link, label="label-in-clear", password="password-in-clear")

    stored = b"".join(service.files().values())
    assert b"in-clear" not in stored
