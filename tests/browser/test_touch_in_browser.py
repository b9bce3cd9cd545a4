"""The viewer and saved files under a finger: fields, targets, and the way to another program."""

import pytest

from crypto.password_file import PasswordSeal
from tests.console.test_touch_in_browser import SMALL_FIELDS, SMALL_TARGETS
from tests.waiting import until
from viewer import download, sealed_download, view
from viewer.rendering.page import Neighbours
from viewer.tests.samples import every_kind, original, pdf, several

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
NEIGHBOURS = Neighbours(2, 3, "/before", "/after", "/all")
DOCUMENTS = [original(data, name, kind) for name, kind, data in every_kind()]
# Stands for the sheet by which a device shares; Chromium has none on Linux.
SHEET = """
    Navigator.prototype.canShare = () => true;
    Navigator.prototype.share = async given => { globalThis.given = given; };
"""
GIVEN = """async () => {
    const [file] = given.files;
    return [file.name, file.type, await file.text()];
}"""


@pytest.fixture
def phone(new_page):
    return new_page(**PHONE, accept_downloads=True, reduced_motion="reduce")


def shared(page):
    """Wait until the sheet gets a file; return its name, type and text."""
    until(lambda: page.evaluate("Boolean(globalThis.given)"))
    return page.evaluate(GIVEN)


def open_all(page):
    """Open what the page keeps shut until it is touched."""
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    if page.locator("#more-button").count():
        page.get_by_role("button", name="Find", exact=True).click()
        page.locator("#more-button").click()


def small(page):
    return page.evaluate(SMALL_FIELDS) + page.evaluate(SMALL_TARGETS)


@pytest.mark.parametrize("shown", [{}, {"embed": True}, {"neighbours": NEIGHBOURS}])
def test_a_thumb_hits_each_target_of_each_kind_in_a_served_page(phone, site, shown):
    phone.add_init_script(SHEET)
    found = {}
    for document in DOCUMENTS:
        phone.goto(site.put("/shown", view(document, other_view_url="/other", **shown)))
        open_all(phone)
        if missed := small(phone):
            found[document.name] = missed
        width = phone.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, document.name

    assert found == {}


def test_a_thumb_hits_each_target_of_each_kind_in_a_saved_file(phone, tmp_path):
    found = {}
    for document in DOCUMENTS:
        (tmp_path / "saved.html").write_bytes(b"".join(download(document).body))
        phone.goto((tmp_path / "saved.html").as_uri())
        open_all(phone)
        if missed := small(phone):
            found[document.name] = missed

    assert found == {}


def test_a_thumb_hits_each_target_of_a_file_with_a_password_and_of_one_with_several_documents(
    phone, tmp_path
):
    sealed = sealed_download(DOCUMENTS[0], PasswordSeal("password", rounds=1000))
    files = [("a.pdf", "application/pdf", pdf("One")), ("b.txt", "text/plain", b"b")]
    for held in b"".join(sealed.body), several(files):
        (tmp_path / "saved.html").write_bytes(held)
        phone.goto((tmp_path / "saved.html").as_uri())
        assert small(phone) == []
    phone.locator("ol a").first.click()
    phone.locator("#next").wait_for()

    assert small(phone) == []


def test_the_original_is_handed_to_the_sheet_by_which_a_device_shares(phone, site):
    phone.add_init_script(SHEET)
    phone.goto(site.put("/shown", view(original(b"some words", "a.txt", "text/plain"))))
    phone.get_by_role("button", name="Share the original").click()

    assert shared(phone) == ["a.txt", "text/plain", "some words"]


def test_an_original_that_the_page_does_not_hold_is_loaded_before_it_is_shared(phone, alice):
    phone.add_init_script(SHEET)
    words = "a line of some words\n" * 420_000
    stored = alice.upload(words.encode(), "text/plain", name="long.txt")
    phone.goto(stored["token"]["viewUrl"])
    assert phone.evaluate("document.documentElement.dataset.content")
    phone.get_by_role("button", name="Share the original").click()

    assert shared(phone) == ["long.txt", "text/plain", words]


def test_where_the_sheet_wants_another_press_the_button_says_so(phone, alice):
    late = """
        Navigator.prototype.share = async given => {
            if (!globalThis.isSecond) {
                globalThis.isSecond = true;
                throw new DOMException("too late", "NotAllowedError");
            }
            globalThis.given = given;
        };
    """
    phone.add_init_script(SHEET + late)
    stored = alice.upload(b"a line\n" * 1_300_000, "text/plain", name="long.txt")
    phone.goto(stored["token"]["viewUrl"])
    share = phone.get_by_role("button", name="Share the original")
    share.click()
    phone.get_by_text("Share now").click()
    until(lambda: phone.evaluate("Boolean(globalThis.given)"))

    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_may_not_be_shared_is_saved(phone, site):
    refusing = """Navigator.prototype.share = async () => {
        throw new DOMException("not this type", "NotAllowedError");
    };"""
    phone.add_init_script(SHEET + refusing)
    phone.goto(site.put("/shown", view(original(b"some words", "a.txt", "text/plain"))))
    with phone.expect_download() as saved:
        phone.get_by_role("button", name="Share the original").click()

    assert saved.value.suggested_filename == "a.txt"


def test_nothing_offers_to_share_where_it_cannot_be_done_or_nothing_may_be_saved(phone, site):
    document = original(b"some words", "a.txt", "text/plain")
    phone.goto(site.put("/shown", view(document)))
    assert not phone.locator("#share").is_visible()

    phone.add_init_script(SHEET)
    phone.goto(site.put("/shown", view(document, may_save=False)))
    assert not phone.locator("#share").is_visible()
