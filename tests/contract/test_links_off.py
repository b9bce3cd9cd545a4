"""Links that their owner turns off, and on again."""

import pytest

from tests.forms import FORM, body, file
from tests.people import at
from tests.problems import refused

HTML = {"Accept": "text/html"}


@pytest.fixture
def owner(service):
    return service.register()


@pytest.fixture
def document(owner):
    return owner.upload(b"# Hello", "text/markdown", token=None)


@pytest.fixture
def link(owner, document):
    return owner.share(document)


def turn(owner, link, *, on):
    answer = owner.patch(f"/v1/tokens/{link['id']}", json={"enabled": on})
    assert answer.status == 200, answer
    return answer.json


def test_every_record_of_a_link_says_whether_it_is_on(owner, document, link):
    assert link["enabled"] is True
    assert turn(owner, link, on=False)["enabled"] is False
    assert owner.links(document)[0]["enabled"] is False
    assert owner.get(f"/v1/tokens/{link['id']}").json["enabled"] is False
    assert owner.get("/v1/tokens").json["tokens"][0]["enabled"] is False
    assert turn(owner, link, on=True)["enabled"] is True


def test_a_link_is_turned_off_and_on_below_its_document_and_its_collection(owner, document):
    for target in (document, owner.collect(document)):
        link = owner.share(target)
        for on in (False, True):
            assert owner.change(target, link, enabled=on).json["enabled"] is on


def test_a_link_that_is_off_answers_410_and_opens_again_at_the_same_address(owner, link):
    turn(owner, link, on=False)
    for call in ("shortUrl", "viewUrl", "downloadUrl", "contentUrl"):
        refused(owner.open(link[call]), 410, "token_spent")
    turn(owner, link, on=True)
    for call in ("shortUrl", "viewUrl", "downloadUrl", "contentUrl"):
        assert owner.open(link[call]).status == 200


def test_a_person_reads_that_the_sender_turned_the_link_off(owner, document):
    site = "https://a.example"
    link = owner.share(document, allowedOrigins=[site])
    turn(owner, link, on=False)
    page = owner.open(link["shortUrl"], headers=HTML)
    assert (page.status, page.kind) == (410, "text/html")
    assert "This link is off" in page.text
    assert "The sender turned it off." in page.text
    assert page.policy["frame-ancestors"] == [site]


def test_counted_views_and_openings_are_kept_while_a_link_is_off(owner, document):
    link = owner.share(document, maxViews=3, agreement="I keep it.")
    proof = {"name": "Ana", "accept": link["agreementSha256"]}
    assert owner.open(link["viewUrl"], "POST", json=proof).status == 200
    turn(owner, link, on=False)
    refused(owner.open(link["viewUrl"], "POST", json=proof), 410, "token_spent")
    openings = at(document, f"/tokens/{link['id']}/openings")
    assert len(owner.get(openings).json["openings"]) == 1
    assert turn(owner, link, on=True)["views"] == 1
    assert owner.open(link["viewUrl"], "POST", json=proof).status == 200
    assert len(owner.get(openings).json["openings"]) == 2


def test_a_page_that_is_open_loads_nothing_while_its_link_is_off(owner, document):
    link = owner.share(owner.collect(document), password="hunter22")
    opened = owner.open(link["shortUrl"], "POST", json={"password": "hunter22"}).json
    loads = opened["documents"][0]["contentUrl"]
    assert owner.open(loads).status == 200
    turn(owner, link, on=False)
    refused(owner.open(loads), 410, "token_spent")
    turn(owner, link, on=True)
    assert owner.open(loads).status == 200


def test_a_collection_is_neither_shown_nor_saved_by_a_link_that_is_off(owner, document):
    link = owner.share(owner.collect(document))
    addresses = [link[name] for name in ("shortUrl", "viewUrl", "downloadUrl", "contentUrl")]
    member = f"{owner.service.url}{at(document, '/view')}?token={link['token']}"
    turn(owner, link, on=False)
    for address in (*addresses, member):
        refused(owner.open(address), 410, "token_spent")
    turn(owner, link, on=True)
    for address in (*addresses, member):
        assert owner.open(address).status == 200


def test_a_link_that_is_off_takes_no_files(owner):
    link = owner.share(owner.collect(), permissions=["upload"])
    turn(owner, link, on=False)

    def send():
        data = body(file("a.txt"))
        return owner.open(link["shortUrl"], "POST", data=data, headers={"Content-Type": FORM})

    refused(send(), 410, "token_spent")
    turn(owner, link, on=True)
    assert send().status == 201


def test_a_link_that_is_off_is_listed_as_ended(owner, link):
    def listed(state):
        return [one["id"] for one in owner.get(f"/v1/tokens?state={state}").json["tokens"]]

    turn(owner, link, on=False)
    assert (listed("live"), listed("ended")) == ([], [link["id"]])
    turn(owner, link, on=True)
    assert (listed("live"), listed("ended")) == ([link["id"]], [])


def test_each_change_is_an_event_and_no_change_is_none(owner, link):
    for on in (False, False, True, True):
        turn(owner, link, on=on)
    changes = [one["data"] for one in owner.events() if one["type"] == "token.updated"]
    assert [one["changed"] for one in changes] == [["enabled"], ["enabled"]]
    assert [one["enabled"] for one in changes] == [False, True]
    assert {one["tokenId"] for one in changes} == {link["id"]}


def test_a_link_that_was_revoked_is_not_turned_on(owner, document, link):
    turn(owner, link, on=False)
    owner.revoke(document, link)
    refused(owner.patch(f"/v1/tokens/{link['id']}", json={"enabled": True}), 409, "token_revoked")


@pytest.mark.parametrize("value", [None, "no", 0])
def test_a_link_is_on_or_off_and_nothing_else(owner, link, value):
    answer = owner.patch(f"/v1/tokens/{link['id']}", json={"enabled": value})
    refused(answer, 422, "invalid_request")


def test_a_link_that_leads_elsewhere_meanwhile_is_still_off(owner, link):
    other = owner.upload(token=None)
    turn(owner, link, on=False)
    moved = owner.patch(f"/v1/tokens/{link['id']}", json={"documentId": other["id"]}).json
    assert (moved["documentId"], moved["enabled"]) == (other["id"], False)
    refused(owner.open(link["shortUrl"]), 410, "token_spent")


def test_a_link_that_is_off_keeps_its_place_among_those_of_the_account(start_service):
    service = start_service(QUOTA_LINKS="1")
    owner = service.register()
    document = owner.upload(token=None)
    turn(owner, owner.share(document), on=False)
    refused(owner.post(at(document, "/tokens"), json={}), 403, "quota_exceeded")


@pytest.mark.sqlite_only("the statement is for the file")
def test_who_turns_a_link_on_outside_of_the_service_opens_nothing(owner, link, service):
    turn(owner, link, on=False)
    service.sql("UPDATE document_token SET disabled_at = NULL WHERE id = :id", id=link["id"])
    assert owner.open(link["shortUrl"]).status == 401
