"""The page of a link that takes files, in a browser: with and without script, desk and phone."""

import pytest

from tests.accessible import assert_accessible

FILES = [
    {"name": name, "mimeType": "text/plain", "buffer": b"content of " + name.encode()}
    for name in ("one.txt", "two.txt")
]


@pytest.fixture
def link(alice):
    terms = {"title": "Papers", "note": "One a day.", "token": {"permissions": ["upload"]}}
    return alice.post("/v1/collections", json=terms).json["token"]


@pytest.fixture
def visit(new_page, link):
    """Open the link with these options, and return the page."""

    def visited(**options):
        page = new_page(**options)
        page.goto(link["shortUrl"])
        return page

    return visited


def test_several_files_are_sent_by_one_form_and_each_has_a_receipt(visit):
    page = visit()
    page.set_input_files("#file", FILES)
    page.fill("#from", "Mia")
    page.click("form .button")
    page.locator(".receipt").nth(1).wait_for()
    shown = page.inner_text("#receipts")
    assert shown.count("It has arrived. You can close this page.") == 2
    assert shown.index("one.txt") < shown.index("two.txt")
    assert "18 more files" in page.inner_text("#left")
    assert page.heard == []


def test_a_file_that_is_dropped_is_sent_and_one_that_waits_can_be_cancelled(visit, alice):
    page = visit()
    drop = """() => {
      const files = new DataTransfer();
      for (const name of ["one.txt", "two.txt"]) files.items.add(new File(["x"], name));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
      document.querySelector("#queue li:nth-child(2) button").click();
    }"""
    page.evaluate(drop)
    page.locator(".receipt").wait_for()
    assert "two.txt" not in page.inner_text("main")
    assert page.locator("#queue li").count() == 0


def test_what_is_refused_stands_beside_the_file(visit, alice, link):
    page = visit()
    alice.delete(f"/v1/tokens/{link['id']}")
    page.set_input_files("#file", FILES[:1])
    page.click("form .button")
    wrong = page.locator("#queue .wrong")
    wrong.wait_for()
    assert "was revoked" in wrong.inner_text()


def test_without_script_one_file_after_another_is_sent(visit):
    page = visit(java_script_enabled=False)
    for number, file in enumerate(FILES):
        page.set_input_files("#file", [file])
        page.click("form .button")
        assert page.inner_text("h1 >> nth=0") == "It has arrived. You can close this page."
        assert file["name"] in page.inner_text(".receipt")
        assert f"{19 - number} more files" in page.inner_text("#left")


def test_axe_finds_nothing_and_nothing_is_cut_off(visit):
    page = visit()
    page.set_input_files("#file", FILES[:1])
    page.click("form .button")
    page.locator(".receipt").wait_for()
    assert_accessible(page)
