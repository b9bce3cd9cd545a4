"""“Mail me when it is opened” in a browser: on the turned card, by mouse and keyboard."""

import pytest

from tests.accessible import assert_accessible
from tests.console.terms import open_pill, say_of
from tests.console.test_uploads_in_browser import CREATE, file, said
from tests.console.visitor import Visitor
from tests.waiting import until

WORDS = "Mail me when it is opened"
ASKED = "A mail is on its way. It leads to the button that switches the notices on."


@pytest.fixture
def owner(mailing, email):
    return Visitor(mailing).sign_up(f"owner-{email}")


def test_the_turned_card_has_the_switch_and_stays_when_it_is_pressed(owner, open_browser):
    page = open_browser(permissions=["clipboard-read", "clipboard-write"])
    owner.enter(page)
    page.locator("#file").set_input_files([file("Offer.pdf")])
    page.get_by_role("button", name=CREATE).click()
    until(lambda: said(page) == "The link is copied.")
    switch = page.get_by_role("switch", name=WORDS)
    assert switch.get_attribute("aria-checked") == "false"

    page.locator(".ready").get_by_text(WORDS).click()  # the words belong to the switch
    until(lambda: said(page) == ASKED)  # the page takes `done` out of its address at once
    assert page.inner_text(".ready h2") == "Your link is ready"
    assert switch.get_attribute("aria-checked") == "true"
    assert_accessible(page)

    switch.focus()
    page.keyboard.press("Space")
    until(lambda: said(page) == "Saved.")
    assert switch.get_attribute("aria-checked") == "false"


def test_where_each_file_gets_a_link_one_switch_holds_for_all_of_them(owner, open_browser):
    page = open_browser(permissions=["clipboard-read", "clipboard-write"])
    owner.enter(page)
    page.locator("#file").set_input_files([file("Offer.pdf"), file("Plan.pdf")])
    page.get_by_role("radio", name="A link for each").check()
    page.get_by_role("button", name=CREATE).click()
    until(lambda: said(page) == "The links are copied.")
    switch = page.get_by_role("switch", name=WORDS)
    switch.click()
    until(lambda: said(page) == ASKED)
    assert page.inner_text(".ready h2") == "Your 2 links are ready"
    assert switch.get_attribute("aria-checked") == "true"
    links = owner.api.get("/v1/tokens").json["tokens"]
    assert [link["notifyOwner"] for link in links] == [True, True]
    assert_accessible(page)


def test_the_terms_say_that_the_link_mails(owner, open_browser):
    document = owner.api.upload(token=None)
    link = owner.api.share(document)
    page = open_browser()
    owner.enter(page, f"/app/links/{link['id']}")
    form = page.locator(f"form[action='/app/links/{link['id']}']")
    open_pill(form, "more").get_by_label(WORDS).check()
    assert "mails me" in say_of(form, "more")
    form.get_by_role("button", name="Save the terms").click()
    until(lambda: said(page) == ASKED)
    assert page.get_by_role("switch", name=WORDS).get_attribute("aria-checked") == "true"
    assert_accessible(page)
