"""Visitors of the pages for people."""

import secrets

import pytest

from tests.accessible import assert_accessible
from tests.console.visitor import Visitor


@pytest.fixture
def visitor(service):
    """Somebody who is not logged in."""
    return Visitor(service)


@pytest.fixture
def member(service):
    """Somebody with a new account, logged in; `email` is its address."""
    member = Visitor(service)
    member.email = f"{secrets.token_hex(6)}@example.org"
    return member.sign_up(member.email)


@pytest.fixture
def open_browser(browser):
    """A function that opens a new browser window with these options.

    Its page collects in `heard` what breaks the policy or fails in a script, and in `asked` the
    address of each request.
    """
    contexts = []

    def opened(width=1280, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        page = contexts[-1].new_page()
        page.heard, page.asked = [], []
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
        page.on("request", lambda request: page.asked.append(request.url))
        return page

    yield opened
    for context in contexts:
        for page in context.pages:
            heard = getattr(page, "heard", [])
            assert not [one for one in heard if "Security Policy" in one or "error:" in one]
        context.close()


@pytest.fixture
def check():
    """A function that tries a page."""
    return lambda page, _: assert_accessible(page)
