"""What a browser does with a list of many documents: the days of its zone, and a typed page."""

from datetime import UTC, datetime, timedelta

from tests.console.test_flows_in_browser import follow, follow_by_key
from tests.console.visitor import Visitor


def test_a_day_and_a_month_are_those_of_the_browsers_zone(open_browser, member):
    member.api.upload(b"x", name="a.txt", token=None)
    page = open_browser(timezone_id="Pacific/Kiritimati")  # 14 hours before UTC
    member.enter(page)
    there = datetime.now(UTC) + timedelta(hours=14)
    menu = page.locator(".filters .menu", has_text="Any time")
    menu.locator("summary").click()
    menu.get_by_label("Day").fill(f"{there - timedelta(days=1):%Y-%m-%d}")
    follow(menu.get_by_role("button", name="Show the day"))
    assert page.get_by_text("Nothing found.").is_visible()
    follow(page.get_by_role("link", name="Show all documents"))
    menu.locator("summary").click()
    menu.get_by_label("Day").fill(f"{there:%Y-%m-%d}")
    follow(menu.get_by_role("button", name="Show the day"))
    assert page.get_by_role("link", name="a.txt").is_visible()
    assert "offset=-840" in page.url


def test_a_search_stays_in_the_month_that_is_chosen(open_browser, member):
    for name in ("a.txt", "b.txt"):
        member.api.upload(b"x", name=name, token=None)
    page = open_browser()
    member.enter(page)
    menu = page.locator(".filters .menu").last
    menu.locator("summary").click()
    follow(menu.get_by_role("button", name="Show the month"))
    month = page.url.partition("when=")[2][:7]
    with page.expect_response(lambda answer: "name=b" in answer.url):
        page.get_by_label("Search by name").fill("b")
    page.wait_for_url("**name=b**")
    assert f"when={month}" in page.url
    assert page.get_by_text("1 of 2 documents").is_visible()


def test_the_number_of_a_page_is_typed_by_keyboard(open_browser, service):
    member = Visitor(service).sign_up("many@pages.example")
    for number in range(101):
        member.api.upload(b"x", name=f"{number:03}.txt", token=None)
    page = open_browser(390)
    member.enter(page)
    number = page.get_by_role("textbox", name="Page")
    number.focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("3")
    follow_by_key(page)
    assert page.url.endswith("/app/documents?page=3")
    assert page.get_by_role("link", name="000.txt").is_visible()
    assert number.input_value() == "3"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
