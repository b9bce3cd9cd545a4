"""Links that do not open, in a real browser: accessible, on a phone and a desk, light and dark."""

import pytest

from tests.accessible import assert_accessible

DEAD = ["revoked", "used up", "mistyped", "wrong password"]


@pytest.fixture
def open_dead(new_page, alice):
    """Open a dead link as a person would, and return the page."""

    def opened(kind, **options):
        page = new_page(**options)
        document = alice.upload(b"not for long", name="dead.txt")
        terms = {"used up": {"maxViews": 1}, "wrong password": {"password": "hunter22"}}
        link = alice.share(document, **terms.get(kind, {}))
        if kind == "revoked":
            alice.delete(f"/v1/documents/{document['id']}/tokens/{link['id']}")
        page.goto(link["viewUrl"] + ("x" if kind == "mistyped" else ""))
        if kind == "used up":
            with page.expect_navigation():
                page.click("button")
            page.reload()  # sends the form again
        if kind == "wrong password":
            page.fill("#password", "hunter23")
            with page.expect_navigation():
                page.click("button")
        return page

    return opened


@pytest.mark.parametrize("kind", DEAD)
def test_axe_finds_nothing_and_nothing_is_cut_off(open_dead, kind):
    page = open_dead(kind)
    assert_accessible(page)
    assert [one for one in page.heard if "the server responded with a status" not in one] == []


@pytest.mark.parametrize(
    ("kind", "title", "advice"),
    [
        ("revoked", "This link is off", "Ask Alice for a new one."),
        ("used up", "This link is used up", "Ask Alice for a new one."),
        ("mistyped", "This link doesn’t open", "ask the person who sent it to you."),
    ],
)
def test_the_page_says_why_without_a_script(open_dead, kind, title, advice):
    page = open_dead(kind, java_script_enabled=False)

    assert page.inner_text("h1") == title
    assert advice in page.inner_text("main")


def test_a_frame_on_a_site_that_the_link_allows_says_why(page, site, alice):
    document = alice.upload(b"framed", name="framed.txt")
    link = alice.share(document, allowedOrigins=[site.elsewhere])
    alice.delete(f"/v1/documents/{document['id']}/tokens/{link['id']}")
    site.pages["/framing"] = {"Content-Type": "text/html"}, link["embedHtml"].encode()

    page.goto(f"{site.elsewhere}/framing")

    assert page.frame_locator("iframe").locator("h1").inner_text() == "This link is off"
