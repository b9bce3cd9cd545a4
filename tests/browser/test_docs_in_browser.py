"""`/docs` and `/` in a real browser: accessible, on a phone and a desk, light and dark."""

import pytest

from tests.accessible import assert_accessible


@pytest.fixture
def open_page(new_page, service):
    """Open a page of the service."""

    def opened(path, **options):
        page = new_page(**options)
        page.goto(service.url + path)
        return page

    return opened


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_axe_finds_nothing_and_nothing_is_cut_off(open_page, path):
    page = open_page(path)
    for name in ("documents_upload", "document_tokens_issue", "NewDocumentToken"):
        page.evaluate("id => { if (document.getElementById(id)) location.hash = id; }", name)
        page.wait_for_function("id => document.getElementById(id)?.open ?? true", arg=name)

    assert_accessible(page)
    assert page.heard == []


def test_the_filter_leaves_the_calls_that_hold_every_word(open_page):
    page = open_page("/docs")
    every_call = page.locator("details:has(.verb):visible").count()
    page.fill("#find", "rotate secret")
    ids = page.eval_on_selector_all(
        "details", "all => all.filter(one => one.checkVisibility()).map(one => one.id)"
    )

    assert "webhooks_rotate_secret" in ids
    assert len(ids) < every_call / 4
    assert page.inner_text("#found") == f"{len(ids)} hold this."
    assert not page.locator("#documents h2").is_visible()
    assert not page.locator("h1").is_visible()  # what is found comes first
    page.fill("#find", "")
    assert page.locator("h1").is_visible()
    assert page.locator("details:has(.verb):visible").count() == every_call


def test_the_button_copies_the_example(open_page):
    page = open_page("/docs#documents_upload", permissions=["clipboard-read", "clipboard-write"])
    page.clock.install(time=0)
    page.clock.pause_at(1)
    box = page.locator("#documents_upload .copied").first
    box.locator("button").click()

    assert page.evaluate("navigator.clipboard.readText()") == box.locator("pre").inner_text()
    assert box.locator("button").inner_text() == "Copied"
    page.clock.run_for(1_500)
    assert box.locator("button").inner_text() == "Copy"


def test_an_address_with_an_id_opens_its_call(open_page):
    page = open_page("/docs#documents_upload")
    assert page.locator("#documents_upload pre").first.is_visible()


def test_the_page_works_without_script(open_page):
    page = open_page("/docs", java_script_enabled=False)
    page.click("#documents_upload summary")

    assert page.locator("#documents_upload pre").first.is_visible()
    assert not page.locator("#find").is_visible()
    assert page.locator(".copied").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_the_groups_are_beside_the_calls_and_the_name_leads_to_the_front_page(open_page, width):
    page = open_page("/docs", viewport={"width": width, "height": 800})
    page.get_by_role("navigation", name="Groups").get_by_role("link", name="Webhooks").click()
    page.locator("#webhooks h2").wait_for()
    assert 0 <= page.locator("#webhooks h2").bounding_box()["y"] < 200
    page.locator("header a").click()
    page.get_by_role("heading", name="Send a document. Take it back on Friday.").wait_for()
