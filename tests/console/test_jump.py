"""Go to a page, a document or a collection by a few letters of its name."""

import re

import pytest

from tests.waiting import until

PLACES = re.compile(r'<li>\s*<a href="([^"]+)">')


@pytest.fixture
def stored(member):
    contract = member.api.upload(b"x", name="Vertrag Müller.txt", token=None)["id"]
    notes = member.api.upload(b"x", name="notes.txt", token=None)["id"]
    body = {"title": "Vertrag and more", "documentIds": [notes]}
    collection = member.api.post("/v1/collections", json=body).json["id"]
    return {"contract": contract, "notes": notes, "collection": collection}


def places(member, words=""):
    page = member.get(f"/app/jump?q={words}")
    assert page.status == 200
    return PLACES.findall(page.text)


def test_words_find_documents_collections_and_pages_in_this_order(member, stored):
    found = places(member, "vertrag")
    assert found == [
        f"/app/documents/{stored['contract']}",
        f"/app/collections/{stored['collection']}",
    ]
    assert places(member, "muller") == found[:1]
    assert places(member, "web") == ["/app/webhooks"]


def test_without_words_the_newest_documents_and_all_pages_are_there(member, stored):
    found = places(member)
    assert found[:3] == [
        f"/app/documents/{stored['notes']}",
        f"/app/documents/{stored['contract']}",
        f"/app/collections/{stored['collection']}",
    ]
    assert len(found) == 3 + 10
    for path in found:
        assert member.get(path).status == 200


def test_a_name_that_nothing_has_is_said(member, stored):
    assert places(member, "zebra") == []
    assert "Nothing has this name." in member.get("/app/jump?q=zebra").text


def test_what_others_have_is_not_found(member, stored, visitor):
    visitor.sign_up("other@example.org")
    assert places(visitor, "vertrag") == []


def test_at_most_eight_documents_are_listed(member):
    for number in range(9):
        member.api.upload(b"x", name=f"report {number}.txt", token=None)
    assert len(places(member, "report")) == 8


@pytest.fixture
def page(member, stored, open_browser):
    page = open_browser()
    member.enter(page, "/app/activity")
    return page


@pytest.mark.browser
def test_a_key_opens_it_above_the_page_and_enter_leads_to_the_first(page, stored):
    page.keyboard.press("Control+k")
    page.locator("dialog.jumping").wait_for()
    page.keyboard.type("mull")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/app/documents/{stored['contract']}")


@pytest.mark.browser
def test_arrows_move_through_what_is_found_and_escape_closes_it(page, stored):
    page.keyboard.press("Control+k")
    page.locator("dialog.jumping").wait_for()
    page.keyboard.insert_text("vertrag")  # at once: one list is loaded
    until(lambda: page.locator(".jump li").count() == 2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    collection = f"/app/collections/{stored['collection']}"
    assert page.evaluate("document.activeElement.pathname") == collection
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.press("Escape")
    page.locator("dialog.jumping").wait_for(state="detached")
    assert page.url.endswith("/app/activity")


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_it_is_accessible_above_a_page(member, stored, open_browser, check, width, colour_scheme):
    page = open_browser(width, color_scheme=colour_scheme)
    member.enter(page, "/app/activity")
    page.keyboard.press("Control+k")
    page.locator("dialog.jumping").wait_for()
    check(page, "jump")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
