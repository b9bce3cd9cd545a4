"""The card “Shared with” of a document, in a browser: what was done by each link."""

import pytest

from tests.console.visitor import Visitor

LEAST_PIXELS = 160  # of the width of a sentence, so that no word of it is broken
SECONDS = 15  # after which the page looks again


@pytest.fixture
def document(member, service):
    """A document that somebody has opened by its link, which is for an address."""
    document = member.api.upload(b"x", name="Contract.txt", token=None)
    link = member.api.share(document, label="ana.silva@subsidiary.example.org")
    Visitor(service).get(link["viewUrl"].removeprefix(service.url))
    return document


@pytest.mark.parametrize("width", [1280, 390])
def test_what_was_done_has_the_width_of_the_card(member, document, open_browser, width):
    page = open_browser(width)
    member.enter(page, f"/app/documents/{document['id']}")
    line = page.locator(".timeline li > span").first
    line.wait_for()
    assert "opened it" in line.inner_text()
    assert line.bounding_box()["width"] >= LEAST_PIXELS
    name = page.locator(".person > summary b > bdi").bounding_box()
    state = page.locator(".person > summary .dim").bounding_box()
    copy = page.locator(".people").get_by_role("button", name="Copy").bounding_box()
    assert name["x"] + name["width"] <= copy["x"]
    assert state["y"] >= copy["y"] + copy["height"] / 2  # below the word on the button


def test_what_was_done_is_shown_at_once_only_for_the_only_link(member, document, open_browser):
    page = open_browser()
    member.enter(page, f"/app/documents/{document['id']}")
    assert page.locator(".person[open]").count() == 1
    member.api.share(document, label="Ben")
    page.reload()
    assert page.locator(".person").count() == 2
    assert page.locator(".person[open]").count() == 0


def open_once(link, service):
    Visitor(service).get(link["viewUrl"].removeprefix(service.url))


def test_an_opening_is_shown_while_the_page_stays_open(member, service, open_browser):
    document = member.api.upload(b"x", name="Contract.txt", token=None)
    link = member.api.share(document, label="Ana")
    page = open_browser()
    page.clock.install()
    member.enter(page, f"/app/documents/{document['id']}")
    page.get_by_text("not opened yet").wait_for()
    assert page.locator(".person[open]").count() == 1
    open_once(link, service)
    page.clock.run_for(SECONDS * 1000 + 500)
    page.get_by_text("Opened just now").wait_for()
    assert page.locator(".person[open]").count() == 1


def test_a_page_that_is_forgotten_asks_no_more_after_half_an_hour(member, open_browser):
    document = member.api.upload(b"x", name="Contract.txt", token=None)
    member.api.share(document)
    page = open_browser()
    page.clock.install()
    member.enter(page, f"/app/documents/{document['id']}")
    page.get_by_text("not opened yet").wait_for()
    page.clock.fast_forward("31:00")
    page.asked.clear()
    page.clock.run_for(SECONDS * 4000)
    assert not [address for address in page.asked if address.endswith(document["id"])]
