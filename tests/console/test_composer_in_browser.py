"""The card from files to their link: its three states, its jobs counted in clicks, its looks."""

import re
import secrets

import pytest

from tests.accessible import assert_accessible
from tests.console.terms import field, open_pill, say_of
from tests.console.test_uploads_in_browser import CREATE, copied, file, names, said
from tests.console.visitor import Visitor
from tests.waiting import until

THREE = [file("Contract Acme 2026.pdf"), file("Budget 2026.xlsx"), file("Site photo.jpg")]


@pytest.fixture
def open_card(service, open_browser):
    """A function that opens the card for somebody new; `page.api` is the same person there."""

    def opened(width=1280, **options):
        owner = Visitor(service).sign_up(f"{secrets.token_hex(6)}@example.org")
        page = open_browser(width, permissions=["clipboard-read", "clipboard-write"], **options)
        owner.enter(page)
        page.api = owner.api
        return page

    return opened


def choose(page, *files):
    page.locator("#file").set_input_files(list(files))
    until(lambda: page.locator("#uploads .live").count() == len(files))


class Clicks:
    """Counts the clicks on a page, the one into a field that is typed into among them."""

    def __init__(self):
        self.number = 0

    def on(self, control):
        control.click()
        self.number += 1


def test_a_new_person_has_a_copied_link_with_a_password_in_four_clicks(service, open_browser):
    page = open_browser(permissions=["clipboard-read", "clipboard-write"])
    clicks = Clicks()
    page.goto(service.url)
    clicks.on(page.get_by_role("link", name="Sign up"))
    page.wait_for_url("**/app/signup")
    page.locator("[name=email]:focus").wait_for()
    page.keyboard.type(f"{secrets.token_hex(6)}@example.org")
    for _ in ("name", "password"):
        page.keyboard.press("Tab")
    page.keyboard.type("correct horse battery staple")
    page.keyboard.press("Enter")
    page.wait_for_url("**/app/documents")
    with page.expect_file_chooser() as choosing:
        clicks.on(page.get_by_text("Choose files"))
    choosing.value.set_files([THREE[0]])
    clicks.on(page.locator("[data-pill=who] > summary"))
    page.keyboard.type("tulip-harbor-42")  # its field has the focus
    clicks.on(page.get_by_role("button", name=CREATE))
    until(lambda: said(page) == "The link is copied.")
    assert clicks.number <= 4
    assert re.search(r"until Friday, \w+ \d+", page.inner_text(".ready"))
    recipient = open_browser()
    recipient.goto(copied(page))
    recipient.get_by_label("Password").fill("tulip-harbor-42")
    recipient.get_by_role("button", name="Open the document").click()
    recipient.wait_for_load_state()
    assert not recipient.get_by_label("Password", exact=True).count()


def test_three_files_are_behind_one_copied_link_in_four_clicks(open_card, open_browser):
    page = open_card()
    clicks = Clicks()
    with page.expect_file_chooser() as choosing:
        clicks.on(page.get_by_text("Choose files"))
    choosing.value.set_files(THREE)
    clicks.on(page.get_by_role("button", name=CREATE))
    until(lambda: said(page) == "The link is copied.")
    assert clicks.number <= 4
    assert "Anyone with it can view and download 3 files until" in page.inner_text(".ready")
    assert page.inner_text(".ready h2") == "Link copied"
    (collection,) = page.api.get("/v1/collections").json["collections"]
    assert collection["title"] == "Contract Acme 2026.pdf + 2"
    (link,) = page.api.get("/v1/tokens").json["tokens"]
    assert link["collectionId"] == collection["id"]
    recipient = open_browser()
    recipient.goto(copied(page))
    for one in THREE:
        assert recipient.get_by_text(one["name"]).first.is_visible()


def test_the_card_is_the_drop_area_alone_until_there_are_files(open_card):
    page = open_card()
    page.api.upload(b"x", token=None)
    page.reload()
    assert page.locator("#composer").bounding_box()["height"] < 100
    assert not page.locator(".pills").is_visible()
    assert not page.locator(".how").is_visible()
    choose(page, THREE[0])
    assert page.locator(".pills").is_visible()
    assert not page.locator(".how").is_visible()


def test_what_is_sent_next_begins_with_an_empty_card(open_card):
    page = open_card()
    choose(page, *THREE)
    field(page, "Who is it for?").fill("Ana")
    page.get_by_role("button", name=CREATE).click()
    page.get_by_role("link", name="Send something else").click()
    assert not page.locator(".ready").count()
    assert not page.get_by_role("list", name="Uploads").get_by_role("listitem").count()
    choose(page, THREE[1])
    assert say_of(page, "more") == "Name, limit, embedding"


def test_a_file_that_is_dropped_while_the_link_is_shown_turns_the_card_back(open_card):
    page = open_card()
    choose(page, THREE[0])
    page.get_by_role("button", name=CREATE).click()
    page.locator(".ready").wait_for()
    choose(page, THREE[1])
    assert not page.locator(".ready").count()
    assert page.get_by_role("button", name=CREATE).is_visible()


def test_a_file_that_is_taken_out_is_not_sent_along_and_lies_in_the_bin(open_card):
    page = open_card()
    choose(page, *THREE)
    page.get_by_role("button", name="Remove Site photo.jpg").click()
    until(lambda: said(page) == "“Site photo.jpg” is in the bin.")
    assert page.get_by_text("One link for all 2").is_visible()
    page.get_by_role("button", name=CREATE).click()
    until(lambda: said(page) == "The link is copied.")
    (collection,) = page.api.get("/v1/collections").json["collections"]
    assert collection["documentCount"] == 2
    assert "Site photo.jpg" not in names(page)


def test_a_suggested_password_can_be_read_and_hidden(open_card):
    page = open_card()
    choose(page, THREE[0])
    password = field(page, "Password")
    page.get_by_role("button", name="Suggest one").click()
    assert re.fullmatch(r"[a-z]+-[a-z]+-\d\d", password.input_value())
    assert password.get_attribute("type") == "text"
    assert say_of(page, "who") == "Anyone with the password"
    page.get_by_role("button", name="Hide").click()
    assert password.get_attribute("type") == "password"


def test_by_keyboard_alone_a_file_becomes_a_link_that_ends_tomorrow(open_card):
    page = open_card(timezone_id="Asia/Tokyo", locale="en-GB")
    choose(page, THREE[0])
    page.locator("[data-pill=until] > summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # the end that is chosen
    page.keyboard.press("ArrowUp")
    assert say_of(page, "until") == "until tomorrow"
    assert re.search(r"\w+ 23:59", page.locator("label", has_text="until tomorrow").inner_text())
    page.keyboard.press("Escape")
    on_focus = page.evaluate("document.activeElement.closest('[data-pill]').dataset.pill")
    assert on_focus == "until"
    assert not page.locator("[data-pill=until]").evaluate("one => one.open")
    page.get_by_role("button", name=CREATE).focus()
    page.keyboard.press("Enter")
    until(lambda: said(page) == "The link is copied.")
    assert "at 23:59" in page.inner_text(".ready time")
    assert page.evaluate("document.activeElement.dataset.copy") == copied(page)


def test_a_pill_that_holds_a_text_is_typed_into_at_once(open_card):
    page = open_card()
    choose(page, THREE[0])
    typed = {"who": "tulip", "more": "Ana"}
    for kind, text in typed.items():
        page.locator(f"[data-pill={kind}] > summary").focus()
        page.keyboard.press("Enter")
        page.keyboard.type(text)
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.matches('.pill > summary')")
    assert say_of(page, "who") == "Anyone with the password"
    assert say_of(page, "more") == "for Ana"
    page.locator("[data-pill=who] > summary").click()
    page.locator("[data-pill=who] > summary").click()  # closes it again
    assert not page.locator("[data-pill=who]").evaluate("one => one.open")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_each_state_of_the_card_is_accessible_and_fits(open_card, width, scheme):
    page = open_card(width, color_scheme=scheme, reduced_motion="reduce")

    def check():
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    check()
    choose(page, *THREE)
    check()
    for kind in ("who", "may", "until", "more"):
        panel = open_pill(page, kind).locator(".panel")
        box = panel.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        check()
        page.keyboard.press("Escape")
    page.get_by_role("button", name=CREATE).click()
    page.locator(".ready").wait_for()
    check()


def test_without_a_script_several_files_become_one_link_on_the_next_page(open_card):
    page = open_card(java_script_enabled=False)
    page.get_by_label("Drop a file, get a link").set_input_files(THREE)
    open_pill(page, "who").get_by_label("With a password").check()
    field(page, "Password").fill("hunter22")
    page.get_by_role("button", name="Create link").click()
    assert "Your link is ready" in page.inner_text(".ready h2")
    sentence = "Anyone with it and the password can view and download 3 files until"
    assert sentence in page.inner_text(".ready")
    page.get_by_role("link", name="Send something else").click()
    assert not page.locator(".ready").count()
