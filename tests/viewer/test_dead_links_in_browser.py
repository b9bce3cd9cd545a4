"""Links that do not open, in a real browser: accessible, on a phone and a desk, light and dark."""

import pytest

SCREENS = [(scheme, width) for scheme in ("light", "dark") for width in (375, 1280)]
DEAD = ["revoked", "used up", "mistyped", "wrong password"]


@pytest.fixture
def open_dead(browser, alice):
    """Open a dead link as a person would, and return the page."""
    contexts = []

    def opened(kind, **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.heard = []
        page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
        page.on("console", lambda message: page.heard.append(message.text))
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

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize(("scheme", "width"), SCREENS)
@pytest.mark.parametrize("kind", DEAD)
def test_axe_finds_nothing_and_nothing_is_cut_off(open_dead, kind, scheme, width):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    )
    page = open_dead(kind, color_scheme=scheme, viewport={"width": width, "height": 800})

    found = axe.Axe().run(page)

    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert [one for one in page.heard if "the server responded with a status" not in one] == []


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("revoked", "This link was taken back"),
        ("used up", "This link is used up"),
        ("mistyped", "This link doesn’t open"),
    ],
)
def test_the_page_says_why_without_a_script(open_dead, kind, title):
    page = open_dead(kind, java_script_enabled=False)

    assert page.inner_text("h1") == title
    assert "Ask the person" in page.inner_text("main") or "ask the person" in page.inner_text(
        "main"
    )


def test_a_frame_on_a_site_that_the_link_allows_says_why(page, site, alice):
    document = alice.upload(b"framed", name="framed.txt")
    link = alice.share(document, allowedOrigins=[site.elsewhere])
    alice.delete(f"/v1/documents/{document['id']}/tokens/{link['id']}")
    site.pages["/framing"] = {"Content-Type": "text/html"}, link["embedHtml"].encode()

    page.goto(f"{site.elsewhere}/framing")

    assert page.frame_locator("iframe").locator("h1").inner_text() == "This link was taken back"
