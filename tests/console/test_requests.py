"""Requests for files: one form for all, an inbox of what came in, and a count until it is seen."""

import re

import pytest

from tests.console.visitor import Visitor, element_of, field_of, forms_of, words
from tests.contract.test_receiving import send
from tests.forms import field, file
from tests.people import Person

PATH = "/app/requests"


def ask(member, **fields):
    """Request files by the form of the page; return the link as the API records it."""
    fields = {"title": "Tax papers", "label": "Ben"} | fields
    answer = member.make_link(member.get(PATH), PATH, **fields)
    (link, *_) = member.api.get("/v1/tokens").json["tokens"]
    return link | {"token": re.search(r"dt_\w+", answer.text)[0]}


def receive(member, link, name, sender=""):
    parts = [file(name, b"scan")] + [field("from", sender.encode())] * bool(sender)
    answer = send(Person(member.service), link, *parts)
    assert answer.status == 201, answer


def waiting(member, path="/app/account"):
    """The number in the navigation, as a page shows it."""
    found = re.search(r'<b class="count">(\d+\+?)', member.get(path).text)
    return found and found[1]


def test_one_form_makes_the_collection_and_the_link_that_takes_files(member):
    page = member.get(PATH)
    (form,) = (one for one in forms_of(page) if one["action"] == PATH)
    fields = form["fields"] | {"title": "Tax papers", "note": "All of 2026.", "label": "Ben"}
    first, again = (member.follow(member.post(PATH, fields)) for _ in range(2))

    assert "Your link is ready" in words(first)
    assert "Anyone with it can send 20 files to" in words(first)
    assert "Please send me the files for “Tax papers”" in element_of(first, "words")
    assert element_of(first, "words") == element_of(again, "words")
    (collection,) = member.api.get("/v1/collections").json["collections"]
    assert (collection["title"], collection["note"]) == ("Tax papers", "All of 2026.")
    (link,) = member.api.get("/v1/tokens").json["tokens"]
    assert (link["permissions"], link["label"], link["maxViews"]) == (["upload"], "Ben", 20)
    assert link["collectionId"] == collection["id"]


def test_a_refused_request_makes_nothing_and_says_why_at_the_field(member):
    page = member.get(PATH)
    refused = member.submit(page, PATH, title="", label="Ben", maxViews="20x")
    assert refused.status == 422
    assert field_of(refused, "label")["value"] == "Ben"
    assert field_of(refused, "title")["aria-invalid"] == "true"
    refused = member.submit(page, PATH, title="Tax papers", maxViews="201")
    assert field_of(refused, "maxViews")["aria-invalid"] == "true"
    assert member.api.get("/v1/collections").json["collections"] == []
    assert member.api.get("/v1/tokens").json["tokens"] == []


def test_the_terms_of_a_request_count_its_files(member):
    for most, says in ((1, "up to 1 file"), (20, "up to 20 files")):
        link = ask(member, maxViews=str(most))
        page = member.get(f"/app/links/{link['id']}")
        (summary,) = re.findall(r"<summary><span>(up to [^<]*)</span>", page.text)
        assert summary == says


@pytest.mark.parametrize(
    ("typed", "max_bytes"),
    [
        ("", 1 << 30),
        ("5 GB", 5_000_000_000),
        ("1,5gb", 1_500_000_000),
        ("500 MB", 500_000_000),
        ("20", 20_000_000_000),
        ("4000000000", 4_000_000_000),
        ("1 TB", 10**12),
    ],
)
def test_a_request_has_room_for_as_much_as_is_typed(member, typed, max_bytes):
    ask(member, maxBytes=typed)
    (collection,) = member.api.get("/v1/collections").json["collections"]
    assert collection["maxBytes"] == max_bytes


@pytest.mark.parametrize("typed", ["much", "0", "2 TB", "-1 GB", "5 GiB", "1e3 GB", "٣ GB"])
def test_a_room_that_is_no_size_is_refused_at_its_field(member, typed):
    refused = member.submit(member.get(PATH), PATH, title="Tax papers", maxBytes=typed)
    assert refused.status == 422
    field = field_of(refused, "maxBytes")
    assert (field["value"], field["aria-invalid"]) == (typed, "true")
    assert "Write a size of at most 1 TB, as in 5 GB." in words(refused)
    assert member.api.get("/v1/collections").json["collections"] == []


def test_a_request_for_a_collection_changes_its_room_if_another_is_typed(member):
    collection = member.api.post("/v1/collections", json={"title": "Films"}).json
    path = f"/app/collections/{collection['id']}/requests"
    address = f"/v1/collections/{collection['id']}"
    assert field_of(member.get(path), "maxBytes")["value"] == "1.1 GB"

    member.make_link(member.get(path), path)
    assert member.api.get(address).json["maxBytes"] == 1 << 30
    member.make_link(member.get(path), path, maxBytes="20 GB")
    assert member.api.get(address).json["maxBytes"] == 20_000_000_000
    refused = member.submit(member.get(path), path, maxBytes="20 PB")
    assert field_of(refused, "maxBytes")["aria-invalid"] == "true"


def test_what_came_in_is_new_until_the_list_is_looked_at(member):
    link = ask(member)
    assert "Nothing yet" in words(member.get(PATH))
    assert waiting(member) is None
    receive(member, link, "Budget 2026.xlsx", "Ben")
    receive(member, link, "scan.pdf", "Ben")

    assert waiting(member) == "2"
    page = member.get(PATH)
    assert "2 new from Ben , 20" in words(page)
    assert "Budget 2026.xlsx" in page.text
    assert waiting(member) is None
    assert "2 files from Ben , 20" in words(member.get(PATH))
    receive(member, link, "more.pdf")
    assert waiting(member, "/app/documents") == "1"
    assert "1 new, 20" in words(member.get(PATH))


def test_another_site_that_leads_here_marks_nothing_as_seen(member):
    receive(member, ask(member), "scan.pdf")
    member.get(PATH, **{"Sec-Fetch-Site": "cross-site"})
    assert waiting(member) == "1"


def test_what_is_deleted_or_of_others_is_not_counted(member):
    link = ask(member)
    receive(member, link, "scan.pdf")
    stranger = Visitor(member.service).sign_up(f"other-{member.email}")
    assert waiting(stranger) is None
    assert "Tax papers" not in stranger.get(PATH).text
    (document,) = member.api.get("/v1/documents").json["documents"]
    member.post("/app/documents", {"act": "bin", "id": document["id"]})
    assert waiting(member) is None


def test_a_request_whose_link_has_ended_or_whose_collection_is_gone_stays_listed(member):
    link = ask(member)
    member.api.delete(f"/v1/collections/{link['collectionId']}")
    page = words(member.get(PATH))
    assert "A deleted collection" in page
    assert "Copy link" not in page


def test_requests_are_fifty_a_page(member):
    collection = member.api.collect(title="Papers")
    for number in range(51):
        member.api.share(collection, permissions=["upload"], label=f"reader {number}")
    pages = [page.text.count(">requested from ") for page in member.older(PATH)]
    assert pages == [50, 1]
