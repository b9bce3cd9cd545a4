"""Spaces in a browser: the switch, an invitation, a form of another tab; desk and phone."""

import secrets

import pytest

from tests.accessible import assert_accessible
from tests.console.test_spaces import SPACES, id_of, join, space  # noqa: F401

LONG_NAME = "Accounting and controlling of the northern subsidiaries " * 2
FILE = {"name": "hello.txt", "mimeType": "text/plain", "buffer": b"Hello"}


@pytest.fixture
def window(member, space, open_browser):  # noqa: F811
    """A browser of the member, who is in the space."""
    page = open_browser()
    member.enter(page)
    return page


def choose(page, words):
    """Go where the switch in the head leads by these words."""
    page.locator(".where summary").click()
    page.locator(".where").get_by_role("button", name=words).click()
    page.wait_for_load_state()


def test_the_switch_leads_from_one_s_own_documents_to_a_space_and_back(window):
    assert window.locator(".where summary").inner_text().endswith("Accounting")
    choose(window, "My documents")
    assert window.locator(".where summary").inner_text().endswith("My documents")
    choose(window, "Accounting")
    assert window.locator(".where summary").inner_text().endswith("Accounting")


def test_a_file_that_is_dropped_in_a_space_gets_a_link_there(window):
    window.locator("#file").set_input_files(FILE)
    window.get_by_text("stored").first.wait_for()
    window.get_by_role("button", name="Create and copy link").click()
    window.get_by_text("Anyone with it can view and download").wait_for()
    window.reload()
    assert window.get_by_text("by Mia").is_visible()
    choose(window, "My documents")
    assert window.get_by_text("hello.txt").count() == 0


def test_a_file_of_a_tab_that_is_in_another_space_by_now_is_not_stored(window, member):
    choose(window, "My documents")
    other = window.context.new_page()
    other.goto(window.url)
    choose(other, "Accounting")
    window.locator("#file").set_input_files(FILE)
    window.get_by_text("nothing was done").first.wait_for()
    other.reload()
    assert other.get_by_text("hello.txt").count() == 0
    choose(other, "My documents")
    assert other.get_by_text("hello.txt").count() == 0


def test_a_form_of_a_tab_that_is_elsewhere_by_now_does_nothing_and_says_so(window, member):
    window.goto(member.service.url + "/app/collections")
    other = window.context.new_page()
    other.goto(member.service.url + "/app/documents")
    choose(other, "My documents")
    window.get_by_label("Title").fill("Ours")
    window.get_by_role("button", name="Create the collection").click()
    window.get_by_text("nothing was done").wait_for()
    assert_accessible(window)
    assert member.api.get("/v1/collections").json["collections"] == []


def test_somebody_without_an_account_is_invited_by_one_form(window, member, space, open_browser):  # noqa: F811
    email = f"{secrets.token_hex(4)}@example.org"
    window.goto(f"{member.service.url}{SPACES}/{space}")
    window.get_by_label("E-mail address").fill(email)
    window.get_by_role("radio", name="Can read").check()
    window.get_by_role("button", name="Invite").click()
    address = window.locator("#link").inner_text()
    assert_accessible(window)

    invited = open_browser()
    invited.goto(member.service.url + address.partition("/app")[1] + address.partition("/app")[2])
    assert invited.get_by_label("E-mail address").input_value() == email
    invited.get_by_label("Password", exact=True).fill("correct horse battery staple")
    assert_accessible(invited)
    invited.get_by_role("button", name="Create the account").click()
    invited.wait_for_url("**/app/documents")
    assert invited.locator(".where summary").inner_text().endswith("Accounting")
    assert invited.locator("#composer").count() == 0


def test_the_pages_of_spaces_are_accessible_on_desk_and_phone(window, member, space, join):  # noqa: F811
    join(space, "write", "Will")
    join(space, "read", "Rob")
    for path in (SPACES, f"{SPACES}/{space}", "/app/documents", "/app/keys", "/app/activity"):
        window.goto(member.service.url + path)
        assert_accessible(window)
    window.goto(member.service.url + "/app/account")
    window.get_by_role("button", name="To my own account").wait_for()
    assert_accessible(window)


def test_a_long_name_of_a_space_fits_in_the_head(member, open_browser):
    member.submit(member.get(SPACES), SPACES, name=LONG_NAME[:100])
    assert id_of(member)
    page = open_browser()
    member.enter(page)
    page.locator(".where summary").click()
    assert_accessible(page)


def test_a_manager_gives_another_role_in_the_menu_of_a_member(member, space, join, open_browser):  # noqa: F811
    join(space, "read", "Rob")
    page = open_browser(390, has_touch=True, is_mobile=True)
    member.enter(page, f"{SPACES}/{space}")
    row = page.get_by_role("listitem").filter(has_text="Rob")
    row.locator("summary").tap()
    row.get_by_label("Role").select_option("Can write")
    row.get_by_role("button", name="Save").tap()
    row.get_by_text("Can write · since").wait_for()
    row.locator("summary").tap()
    row.get_by_role("button", name="Remove").tap()
    page.get_by_text("no longer in the space").wait_for()
    assert row.count() == 0
