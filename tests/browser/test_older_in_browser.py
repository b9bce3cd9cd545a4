"""The pages in a browser of 2023, light and dark: nothing is naked, dead or an exception."""

import pytest

from crypto.password_file import PasswordSeal
from tests.console.test_touch_in_browser import pages  # noqa: F401
from tests.older import make_older, naked
from viewer import sealed_download
from viewer.tests.samples import every_kind, original

PHONE = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"}
# Press what scripts answer to, but what shows other programs of the device.
PRESS_ALL = """() => {
    window.print = () => {};
    const all = document.querySelectorAll("summary, button[type=button], button[data-do]");
    for (const one of all) if (one.checkVisibility()) one.click();
}"""
DEAD = """() => [...document.querySelectorAll("[unknown_popovertarget]")]
    .filter(one => one.checkVisibility()).map(one => one.outerHTML)"""


@pytest.fixture
def both(browser):
    """A page of the browser of today, light, and one of an older browser in the dark."""
    contexts = [
        browser.new_context(color_scheme="light", **PHONE),
        browser.new_context(color_scheme="dark", bypass_csp=True, **PHONE),
    ]
    today, older = (context.new_page() for context in contexts)
    make_older(older)
    older.heard = []
    older.on("pageerror", lambda error: older.heard.append(f"{error} {error.stack}"))
    yield today, older
    for context in contexts:
        context.close()


def assert_works(both, address):
    today, older = both
    for page in both:
        page.goto(address)
    assert naked(today, older) == [], address
    assert older.evaluate("document.documentElement.scrollWidth") <= 390, address
    older.evaluate(PRESS_ALL)
    assert older.evaluate(DEAD) == [], address
    assert older.heard == [], address


def test_pages_of_people_work_in_an_older_browser(both, service, pages):  # noqa: F811
    owner, inside, outside, links = pages
    for address in [*(service.url + path for path in outside), *links]:
        assert_works(both, address)
    for page in both:
        owner.enter(page)
    for path in inside:
        assert_works(both, service.url + path)


def test_each_kind_of_document_is_shown_by_an_older_browser(both, alice):
    for name, kind, data in every_kind():
        shown = alice.upload(data, kind, name=name)
        assert_works(both, shown["token"]["viewUrl"])


def test_a_sealed_file_is_opened_by_an_older_browser(both, site):
    document = original(b"behind a word", "a.txt", "text/plain")
    sealed = sealed_download(document, PasswordSeal("password", rounds=1000))
    address = site.put("/sealed", sealed, **{"Content-Disposition": "inline"})
    assert_works(both, address)
    _, older = both
    older.fill("#password", "password")
    older.keyboard.press("Enter")

    older.frame_locator(".opened").get_by_text("behind a word").wait_for()
    assert older.heard == []
