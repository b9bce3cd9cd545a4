"""The pages for people in WebKit, the engine of Safari, on a phone: light and dark."""

import pytest

from tests.browser.webkit import PHONE, assert_readable, window
from tests.console.test_touch_in_browser import pages  # noqa: F401
from tests.people import PASSWORD
from tests.waiting import until

# WebKitGTK is built without manifests; Safari knows the directive.
NO_MANIFESTS = "SECURITY ERROR Unrecognized Content-Security-Policy directive 'manifest-src'."


@pytest.fixture
def phone(webkit_browser):
    with window(webkit_browser, PHONE) as page:
        yield page


def says(words):
    return f"document.querySelector('main')?.innerText.includes('{words}')"


def assert_well(page):
    """The page is as wide as the screen, and nothing in it was refused or failed."""
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0], page.url
    assert [one for one in page.heard if one != NO_MANIFESTS] == [], page.url
    assert page.failed == [], page.url


def press(page, selector):
    """Press what the fixed bar may cover until it is scrolled to the middle."""
    page.run(f"document.querySelector(`{selector}`).scrollIntoView({{ block: 'center' }})")
    page.click(selector)


def log_in(page, service, owner):
    """Give the browser the session of a visitor."""
    page.goto(f"{service.url}/app/login")
    for name, value in owner.cookies.items():
        page.webkit.call("POST", "/cookie", {"cookie": {"name": name, "value": value}})


def test_a_document_is_stored_shared_copied_opened_and_its_link_turned_off(
    phone, service, tmp_path
):
    phone.goto(f"{service.url}/app/signup")
    phone.fill("main [name=email]", "on@iphone.example")
    phone.fill("main [name=password]", PASSWORD)
    assert_well(phone)
    phone.click("main form button")
    phone.until("location.pathname === '/app/documents' && document.readyState === 'complete'")
    (tmp_path / "offer.md").write_text("# We\n\nWe agree.")
    phone.choose("#file", tmp_path / "offer.md")
    phone.until("document.querySelector('#uploads .live').textContent === 'stored'")
    press(phone, "[data-pill=who] > summary")
    phone.fill("[data-pill=who] [name=password]", "open sesame")
    assert_well(phone)

    press(phone, ".terms .first")
    link = phone.until("document.querySelector('.ready [data-copy]')?.dataset.copy")
    assert phone.copied() == link
    press(phone, ".ready [data-copy='open sesame']")
    until(lambda: phone.copied() == "open sesame")
    press(phone, ".ready .first")
    until(lambda: phone.copied() == link)
    assert_well(phone)
    settings = phone.evaluate("document.querySelector('.ready a[href^=\"/app/links/\"]').href")

    phone.goto(link)
    phone.fill("#password", "open sesame\n")
    phone.until(says("We agree."))
    phone.goto(settings)
    press(phone, "[role=switch]")
    phone.until("document.querySelector('[role=switch]').ariaChecked === 'false'")
    assert_well(phone)
    phone.goto(link)
    assert phone.evaluate(says("This link is off"))


def test_each_page_fits_the_phone_and_is_readable_in_the_dark(phone, service, pages):  # noqa: F811
    owner, inside, outside, links = pages
    phone.set_dark(True)
    log_in(phone, service, owner)
    for address in [*(service.url + path for path in inside), *links]:
        phone.goto(address)
        assert_readable(phone, dark=True)
        assert_well(phone)
    phone.webkit.call("DELETE", "/cookie")
    for path in outside:
        phone.goto(service.url + path)
        assert_readable(phone, dark=True)
        assert_well(phone)
