"""A phone with a touch screen: menus come up from its lower edge, large enough for a thumb."""

import pytest

from tests.console.terms import open_pill
from tests.console.test_flows_in_browser import is_on_top
from tests.console.test_uploads_in_browser import CREATE, file, said
from tests.waiting import until

WIDTH, HEIGHT = 390, 844
LEAST_PIXELS = 44  # of what a thumb meets


@pytest.fixture
def phone(member, open_browser):
    document = member.api.upload(b"x", name="Contract.txt")
    page = open_browser(WIDTH, has_touch=True, is_mobile=True, device_scale_factor=2)
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.member = member
    page.here = f"/app/documents/{document['id']}"
    return page


def open_sheet(page, menu):
    """Open a menu with a finger, and return its sheet."""
    menu.locator("summary").tap()
    sheet = menu.locator("summary + div")
    sheet.wait_for()
    return sheet


def assert_is_sheet(sheet):
    box = sheet.bounding_box()
    assert (box["x"], box["width"]) == (0, WIDTH)
    assert box["y"] > 0
    assert box["y"] + box["height"] == pytest.approx(HEIGHT, abs=1)
    acts = sheet.locator("a, button").all()
    assert acts
    for act in acts:
        act.scroll_into_view_if_needed()
        assert is_on_top(act), act.inner_text()
        assert act.bounding_box()["height"] >= LEAST_PIXELS, act.inner_text()


def test_each_menu_is_a_sheet_whose_acts_a_thumb_meets(phone):
    menus = {
        phone.here: "main .menu[class=menu]",
        "/app/documents": ".filters .menu",
        "/app/account": "header .menu",
    }
    for path, css in menus.items():
        phone.member.enter(phone, path)
        menu = phone.locator(css).first
        assert_is_sheet(open_sheet(phone, menu))
        phone.touchscreen.tap(WIDTH / 2, 90)  # beside it
        until(lambda menu=menu: not menu.evaluate("one => one.open"))


def test_the_acts_of_a_row_fold_into_a_sheet(phone):
    phone.member.enter(phone)
    menu = phone.locator(".list .menu").first
    sheet = open_sheet(phone, menu)
    assert_is_sheet(sheet)
    assert sheet.locator("a, button").all_inner_texts() == ["Copy link", "Share"]
    sheet.get_by_role("link", name="Share").tap()
    phone.wait_for_url(f"**{phone.here}#new")


def test_the_acts_of_a_row_fold_when_a_window_is_made_narrow(member, open_browser):
    member.api.upload(b"x", name="Contract.txt")
    page = open_browser()
    member.enter(page)
    assert page.locator(".acts-of-row").count() == 1
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.locator(".list .menu").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == WIDTH


def test_the_notice_that_files_are_stored_leaves_the_button_free_that_comes_next(phone):
    phone.member.enter(phone)
    phone.locator("#file").set_input_files([file("Offer.pdf")])
    until(lambda: said(phone) == "1 file stored.")
    notice = phone.locator("#say").bounding_box()
    for panel in ("who", "may", "until", "more"):
        open_pill(phone, panel)
        button = phone.get_by_role("button", name=CREATE).bounding_box()
        is_below = notice["y"] + notice["height"] <= button["y"]
        is_above = button["y"] + button["height"] <= notice["y"]
        assert is_below or is_above, panel
        phone.keyboard.press("Escape")


def test_the_search_names_its_key_where_there_is_a_keyboard(phone, open_browser):
    desk = open_browser(1280)
    shown = {}
    for name, page in {"phone": phone, "desk": desk}.items():
        phone.member.enter(page)
        shown[name] = page.get_by_role("searchbox").get_attribute("placeholder")
    assert shown == {"phone": "Search", "desk": "Search ( / )"}


def test_a_password_is_shown_and_suggested_beside_its_field(phone):
    phone.member.enter(phone)
    phone.locator("#file").set_input_files([file("Offer.pdf")])
    maker = open_pill(phone, "who").locator(".maker")
    field = maker.get_by_label("Password").bounding_box()
    assert field["width"] >= 120
    for name in ("Show", "Suggest one"):
        button = maker.get_by_role("button", name=name).bounding_box()
        middle = button["y"] + button["height"] / 2
        assert field["y"] <= middle <= field["y"] + field["height"], name


def test_the_word_beside_the_switch_of_a_new_link_turns_it_off(phone):
    (link,) = phone.member.api.get("/v1/tokens").json["tokens"]
    phone.member.enter(phone, f"/app/documents?made={link['id']}")
    phone.locator(".ready").get_by_text("Active", exact=True).tap()
    phone.locator(".ready h2", has_text="Your link is off").wait_for()
    assert phone.member.api.get(f"/v1/tokens/{link['id']}").json["enabled"] is False


@pytest.mark.parametrize("path", ["/app/links", "document"])
def test_a_name_of_any_length_takes_two_lines_at_most_and_is_said_whole(path, phone):
    name = "Widerspruchsverfahren" * 10
    (link,) = phone.member.api.get("/v1/tokens").json["tokens"]
    phone.member.api.patch(f"/v1/tokens/{link['id']}", json={"label": name})
    phone.member.enter(phone, phone.here if path == "document" else path)
    shown = phone.locator("bdi[title]").filter(has_text=name)
    lines = "one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)"
    assert shown.evaluate(lines) == pytest.approx(2, abs=0.1)
    assert shown.get_attribute("title") == name
    assert phone.evaluate("document.documentElement.scrollWidth") == WIDTH
