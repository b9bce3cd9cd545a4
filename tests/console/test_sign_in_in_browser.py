"""The pages of logins elsewhere, in a browser: each fits, and axe-core finds nothing."""

import secrets

import pytest

from tests.accessible import assert_accessible
from tests.console.visitor import Visitor
from tests.provider import Provider
from tests.service import QuickService

LONG_NAME = "x" * 60


@pytest.fixture(scope="module")
def provider():
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    settings = provider.settings(BASE_URL="http://localhost:8000", OIDC_NAME=LONG_NAME)
    service = QuickService(tmp_path_factory.mktemp("service"), **settings)
    yield service
    service.close()


@pytest.fixture
def linked(service, provider):
    """Somebody whose account has another login, by which they have logged in."""
    provider.person["sub"] = secrets.token_hex(4)
    member = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
    start = member.get("/app/oidc?add=yes", **{"Sec-Fetch-Site": "same-origin"})
    member.get(f"/app/oidc/callback?{provider.log_in_at(start.headers['Location'])}")
    visitor = Visitor(service)
    start = visitor.get("/app/oidc")
    visitor.get(f"/app/oidc/callback?{provider.log_in_at(start.headers['Location'])}")
    return visitor


def test_the_pages_before_a_login_are_accessible(open_browser, service):
    page = open_browser()
    for path in ("/app/login", "/app/signup?invite=x", "/app/oidc/callback?state=x"):
        page.goto(service.url + path)
        assert_accessible(page)


def test_settings_and_the_page_after_a_logout_are_accessible(open_browser, linked):
    page = open_browser()
    linked.enter(page, "/app/account")
    assert page.locator("#logins").is_visible()
    assert_accessible(page)
    page.locator(".me summary").click()
    page.get_by_role("button", name="Log out", exact=True).click()
    page.get_by_text("You are logged out here").wait_for()
    assert_accessible(page)


def test_a_click_on_the_login_page_leads_to_the_provider(open_browser, service, provider):
    page = open_browser()
    page.goto(f"{service.url}/app/login")
    page.get_by_role("link", name=f"Log in with {LONG_NAME}").click()
    page.wait_for_url(f"{provider.issuer}/**")


def test_a_click_in_settings_begins_to_add_a_login(open_browser, linked, provider):
    page = open_browser()
    linked.enter(page, "/app/account")
    page.get_by_role("link", name="Add another login").click()
    page.wait_for_url(f"{provider.issuer}/**")
