"""The list of the links to all documents of a user."""

from urllib.parse import urlencode

import pytest

from tests.clock import ClockedService
from tests.contract.test_changed_links import FORM, RECORD
from tests.formats import time_from_now
from tests.people import Person


def links(person, query=""):
    return person.get(f"/v1/tokens{query}").json["tokens"]


def ids(records):
    return [one["id"] for one in records]


@pytest.fixture(scope="module")
def owner(service):
    """Somebody with two documents, and links in every state; `made` has the ids by state."""
    owner = service.register()
    first, second = owner.upload(token=None), owner.upload(token=None)
    gone = owner.upload(token={"label": "of a deleted document"})
    live = owner.share(first, label="live")
    revoked, used = owner.share(second), owner.share(first, maxViews=1)
    limited = owner.share(second, maxViews=2)
    for link, document in ((used, first), (limited, second)):
        data = urlencode({"token": link["token"]}).encode()
        opened = Person(service).post(
            f"/v1/documents/{document['id']}/view", data=data, headers=FORM
        )
        assert opened.status == 200
    owner.delete(f"/v1/documents/{second['id']}/tokens/{revoked['id']}")
    owner.delete(f"/v1/documents/{gone['id']}")
    owner.made = {
        "": ids([limited, used, revoked, live, gone["token"]]),
        "live": ids([limited, live]),
        "ended": ids([used, revoked, gone["token"]]),
    }
    owner.documents = [one["id"] for one in (second, first, second, first, gone)]
    return owner


def test_the_links_of_all_documents_are_listed_newest_first_with_their_document(owner):
    answer = owner.get("/v1/tokens")

    assert answer.json["nextCursor"] is None
    listed = answer.json["tokens"]
    assert ids(listed) == owner.made[""]
    assert [one["documentId"] for one in listed] == owner.documents
    assert all(one.keys() == RECORD | {"documentId"} for one in listed)
    assert listed[3]["label"] == "live"


@pytest.mark.parametrize("state", ["live", "ended"])
def test_a_state_selects_the_links_that_still_open_or_no_longer(state, owner):
    assert ids(links(owner, f"?state={state}")) == owner.made[state]


def test_a_link_of_a_deleted_document_is_listed_as_revoked_without_its_label(owner):
    *_, gone = links(owner)

    assert gone["label"] is None
    assert gone["revokedAt"]


@pytest.mark.parametrize("state", ["", "live", "ended"])
def test_pages_of_links_together_have_each_once(state, owner):
    found, query = [], ""
    while query is not None:
        page = owner.get(f"/v1/tokens?limit=1{state and '&state=' + state}{query}").json
        found += ids(page["tokens"])
        query = page["nextCursor"] and f"&cursor={page['nextCursor']}"

    assert found == owner.made[state]


@pytest.mark.slow
def test_expired_links_and_links_of_expired_documents_have_ended(tmp_path):
    service = ClockedService(tmp_path)
    try:
        owner = service.register()
        kept = owner.upload(token={"expiresAt": time_from_now(hours=1)})
        brief = owner.upload(expiresAt=time_from_now(hours=1), token={"expiresAt": None})
        endless = owner.share(kept, expiresAt=None)
        service.set_clock(hours=2)

        assert ids(links(owner, "?state=live")) == [endless["id"]]
        assert ids(links(owner, "?state=ended")) == [brief["token"]["id"], kept["token"]["id"]]
    finally:
        service.close()


def test_links_of_another_user_are_not_listed(owner, new_user):
    assert links(new_user) == []
    cursor = owner.get("/v1/tokens?limit=1").json["nextCursor"]
    assert links(new_user, f"?cursor={cursor}") == []


@pytest.mark.parametrize("state", ["", "spent", "LIVE"])
def test_an_unknown_state_is_refused(state, owner):
    answer = owner.get(f"/v1/tokens?state={state}")
    assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, "#/state")
