"""A shared collection in a real browser: leafed through without scripts, and in a frame."""

import pytest

from tests.accessible import assert_accessible

NAMES = ("Angebot für die Fertigungsstraße (3. Überarbeitung).md", "عرض السعر.md", "会议纪要.md")


@pytest.fixture
def collection(alice):
    documents = [alice.upload(b"# Text", "text/markdown", name=one, token=None) for one in NAMES]
    title, note = "Offer of 2027 " * 13 + "!", "For Monday.\n\nIn two parts."
    return alice.collect(*documents, title=title, note=note)


def test_axe_finds_nothing_and_nothing_is_cut_off(page, alice, collection):
    page.goto(alice.share(collection, password="hunter22")["shortUrl"])
    assert_accessible(page)
    page.fill("#password", "hunter22")
    for way in ("button", "li:nth-child(2) a"):
        with page.expect_navigation():
            page.click(way)
        assert_accessible(page)


def test_one_leafs_through_and_comes_back_without_a_script(new_page, alice, collection):
    page = new_page(java_script_enabled=False)
    page.goto(alice.share(collection, maxViews=1)["shortUrl"])
    titles = []
    for way in ("button", "li:nth-child(2) a", "[rel=next]", "[rel=prev]", "[rel=up]"):
        with page.expect_navigation():
            page.click(way)
        titles.append(page.title())
    assert titles == [collection["title"], NAMES[1], NAMES[2], NAMES[1], collection["title"]]


def test_in_a_frame_its_documents_open_in_the_frame(page, site, alice, collection):
    link = alice.share(collection, allowedOrigins=[site.elsewhere])
    site.pages["/framing"] = {"Content-Type": "text/html"}, link["embedHtml"].encode()
    page.goto(f"{site.elsewhere}/framing")
    frame = page.frame_locator("iframe")
    frame.locator("li:nth-child(1) a").click()
    frame.locator("[rel=next]").click()
    frame.get_by_text("2 of 3").wait_for()
    assert page.url == f"{site.elsewhere}/framing"
