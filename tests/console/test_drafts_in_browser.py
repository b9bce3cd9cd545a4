"""What was typed outlasts the session that ended meanwhile, and a password the card of its link."""

import re
import secrets

import pytest

from tests.console.terms import open_pill
from tests.console.test_composer_in_browser import choose
from tests.console.test_uploads_in_browser import CREATE, file
from tests.console.visitor import Visitor
from tests.people import PASSWORD
from tests.waiting import until

BACK = re.compile(r"//[^/]+/app/requests$")
NOTE = "By Monday, please: all receipts."


@pytest.fixture
def somebody(service, open_browser):
    """Somebody at the page of requests; `page.email` is their address."""
    email = f"{secrets.token_hex(6)}@example.org"
    owner = Visitor(service).sign_up(email)
    page = open_browser(permissions=["clipboard-read", "clipboard-write"])
    owner.enter(page, "/app/requests")
    page.email = email
    return page


def log_in(page, email):
    page.fill("[name=email]", email)
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()


def type_a_request(page):
    page.fill("[name=title]", "Receipts for 2026")
    page.fill("[name=note]", NOTE)
    page.context.clear_cookies()
    page.get_by_role("button", name="Create the link").click()
    page.wait_for_url("**/app/login?next=/app/requests")


def test_what_was_typed_is_back_after_the_session_ended(somebody):
    type_a_request(somebody)
    assert "You’re not logged in any more" in somebody.inner_text("main")
    log_in(somebody, somebody.email)
    somebody.wait_for_url(BACK)
    assert somebody.input_value("[name=note]") == NOTE
    assert somebody.input_value("[name=title]") == "Receipts for 2026"
    assert "What you typed is here again." in somebody.inner_text("#say")
    somebody.get_by_role("button", name="Create the link").click()
    somebody.get_by_text("Your link is ready").wait_for()
    somebody.goto(somebody.url.partition("/app")[0] + "/app/requests")
    assert somebody.input_value("[name=note]") == ""


def test_a_wrong_password_between_loses_nothing(somebody):
    type_a_request(somebody)
    somebody.fill("[name=email]", somebody.email)
    somebody.fill("[name=password]", "wrong")
    somebody.get_by_role("button", name="Log in", exact=True).click()
    somebody.locator("[aria-invalid]").first.wait_for()
    log_in(somebody, somebody.email)
    somebody.wait_for_url(BACK)
    assert somebody.input_value("[name=note]") == NOTE


def test_nobody_else_gets_what_was_typed(somebody, service):
    type_a_request(somebody)
    other = f"{secrets.token_hex(6)}@example.org"
    Visitor(service).sign_up(other)
    log_in(somebody, other)
    somebody.wait_for_url(BACK)
    assert somebody.input_value("[name=note]") == ""
    assert somebody.evaluate("sessionStorage.length") == 0


def test_no_password_is_kept(somebody, service):
    somebody.goto(service.url + "/app/account")
    somebody.locator("details:has([name=currentPassword]) > summary").click()
    somebody.fill("[name=currentPassword]", "my secret words")
    somebody.fill("[name=newPassword]", "my other secret words")
    somebody.context.clear_cookies()
    somebody.locator("form[action='/app/account/password'] button").click()
    somebody.wait_for_url("**/app/login?next=/app/account")
    kept = somebody.evaluate("JSON.stringify(Object.entries(sessionStorage))")
    assert "secret words" not in kept


def test_the_card_of_a_link_shows_its_password_until_it_is_left(somebody, service):
    somebody.goto(service.url + "/app/documents")
    choose(somebody, file("a.txt"))
    open_pill(somebody, "who")
    somebody.get_by_role("button", name="Suggest one").click()
    password = somebody.locator(".drop [name=password]").input_value()
    somebody.keyboard.press("Escape")
    somebody.get_by_role("button", name=CREATE).click()
    button = somebody.get_by_role("button", name="Copy password")
    button.wait_for()
    assert password in somebody.inner_text(".ready")
    button.click()
    until(lambda: somebody.evaluate("navigator.clipboard.readText()") == password)
    somebody.reload()
    assert password not in somebody.content()
