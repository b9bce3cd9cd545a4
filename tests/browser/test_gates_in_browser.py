"""The prompt of a protected link in a real browser."""

import pytest


@pytest.fixture
def link(alice):
    document = alice.upload(b"behind a gate", name="gated.txt")
    return alice.share(document, password="hunter22", maxViews=5)


@pytest.mark.parametrize("address", ["viewUrl", "shortUrl"])
def test_a_reload_or_a_bookmark_of_an_opened_page_is_the_form_again(page, link, address):
    page.goto(link[address])
    for come_back in (page.reload, lambda: page.goto(page.url), page.reload):
        page.fill("#password", "hunter22")
        with page.expect_navigation():
            page.click("button")
        assert page.inner_text(".code").strip() == "behind a gate"
        come_back()
        assert page.inner_text("h1") == "This document has a password"


def test_one_gets_back_to_the_form_from_a_page_that_asks_to_wait(page, start_service):
    alice = start_service().register()
    link = alice.share(alice.upload(), password="hunter22")
    for _ in range(10):
        alice.submit(link, password="no")
    page.goto(link["viewUrl"])
    page.fill("#password", "no")
    with page.expect_navigation():
        page.click("button")
    assert page.inner_text("h1") == "Please wait"
    with page.expect_navigation():
        page.get_by_role("link", name="Try again").click()
    assert page.inner_text("h1") == "This document has a password"
