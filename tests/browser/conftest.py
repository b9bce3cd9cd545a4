"""Fixtures: a page of the browser, and a web server for pages."""

import contextlib

import pytest

from tests.site import Site


@pytest.fixture
def new_page(browser):
    """Opens a page in a context of its own; `heard` collects console messages and script errors."""
    with contextlib.ExitStack() as contexts:

        def opened(**options):
            page = contexts.enter_context(browser.new_context(**options)).new_page()
            page.heard = []
            page.on("console", lambda message: page.heard.append(message.text))
            page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
            return page

        yield opened


@pytest.fixture
def page(new_page):
    return new_page(accept_downloads=True)


@pytest.fixture(scope="session")
def site():
    with Site() as server:
        yield server
