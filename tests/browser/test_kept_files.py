"""Saved files of former years, kept as they were made: `kept/make.py` made them.

Each opens from the disk, without a network and without the service.
"""

from pathlib import Path

import pytest

from tests.browser.firefox import Page
from tests.browser.kept.make import COLLECTION, DOCUMENTS, PASSWORD
from tests.waiting import until

FOLDERS = sorted((Path(__file__).parent / "kept").glob("20??-??*"))
OK = "✓ verified"
TEXTS = {
    "minutes.md": ["We agreed on three things."],
    "letter.txt": ["Grüße aus Zürich", "Привет", "مرحبا", "你好"],
    "sum.py": ["return one + other"],
    "prices.csv": ["Apples", "Pears"],
    "settings.json": ["colours", "green"],
    "report.pdf": ["2 pages"],
    "page.html": ["A page with a link and a place."],
    "message.eml": ["see the attachment."],
    "picture.png": ["240"],
    "sound.wav": ["WAV"],
}
DRAWN = {
    "report.pdf": "[...document.images].some(image => image.naturalWidth > 100)",
    "picture.png": "[...document.images].some(image => image.naturalWidth === 240)",
    "sound.wav": "document.querySelector('audio').duration === 1",
}
of_each_time = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def open_offline(page, path):
    page.context.set_offline(True)
    page.goto(path.as_uri())


def open_sealed(page, path):
    """Give the password, and return the frame of the page that it opens."""
    open_offline(page, path)
    page.fill("#password", PASSWORD)
    page.click("#open")
    return page.wait_for_selector(".opened").content_frame()


def frames_below(frame):
    return [frame, *(one for child in frame.child_frames for one in frames_below(child))]


def assert_shown(frame, name):
    """The original was compared with its SHA-256, and what it says or shows is on the page."""
    assert until(lambda: frame.text_content("#check")) == OK

    def missing():
        seen = " ".join(one.evaluate("document.body.innerText") for one in frames_below(frame))
        return [text for text in TEXTS[name] if text not in seen]

    assert until(lambda: not missing())
    assert until(lambda: frame.evaluate(DRAWN.get(name, "true")))


@of_each_time
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_file_that_was_saved_then_still_opens(page, folder, name):
    open_offline(page, folder / f"{name}.html")

    assert page.title() == name
    assert_shown(page.main_frame, name)
    assert page.heard == []


@of_each_time
def test_a_file_that_was_sealed_then_still_opens_by_its_password(page, folder):
    assert_shown(open_sealed(page, folder / "sealed.html"), "minutes.md")
    assert page.heard == []


@of_each_time
def test_a_collection_that_was_sealed_then_still_opens_by_its_password(page, folder):
    contents = open_sealed(page, folder / "sealed-collection.html")
    contents.click("li:nth-child(1) a")
    for at, name in enumerate(COLLECTION, 1):
        assert contents.inner_text("#place") == f"{at} of {len(COLLECTION)}"
        assert_shown(contents.wait_for_selector("#shown").content_frame(), name)
        if at < len(COLLECTION):
            contents.click("#next")
    assert page.heard == []


@of_each_time
def test_firefox_opens_the_files_of_then_as_well(firefox, folder):
    with Page(firefox) as page:
        page.disconnect()
        for name in DOCUMENTS:
            page.goto((folder / f"{name}.html").as_uri())
            page.until(f"document.querySelector('#check').textContent === '{OK}'")
