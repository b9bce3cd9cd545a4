"""The card “Shared with” of a document, in a browser: what was done by each link."""

import pytest

from tests.console.visitor import Visitor

LEAST_PIXELS = 160  # of the width of a sentence, so that no word of it is broken


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
