"""Several documents in one saved file, opened from the disk without a network."""

import hashlib

import pytest

from crypto.password_file import PasswordSeal
from tests.accessible import assert_accessible
from tests.browser.firefox import Page
from viewer.tests.samples import HTML, pdf, png, several

OK = "✓ verified"
FILES = [
    ("notes.md", "text/markdown", b"# Notes"),
    ("sun.png", "image/png", png()),
    ("report.pdf", "application/pdf", pdf("One", "Two")),
    ("page.html", "text/html", HTML),
]


def saved_file(tmp_path, *, seal=None, files=FILES):
    path = tmp_path / "offer.html"
    path.write_bytes(several(files, seal))
    return path


def password():
    return PasswordSeal("word", rounds=1000)


def contents_of(page, path):
    """The contents page, behind the prompt if there is one."""
    page.goto(path.as_uri())
    if not page.query_selector("#password"):
        return page.main_frame
    page.fill("#password", "word")
    page.click("#open")
    return page.wait_for_selector(".opened").content_frame()


def shown(contents):
    """The frame of the document that is open, once its SHA-256 was verified."""
    inner = contents.wait_for_selector("#shown").content_frame()
    inner.wait_for_selector("#check:not(:empty)")
    assert inner.text_content("#check") == OK
    return inner


@pytest.mark.parametrize("seal", [None, password()], ids=["plain", "sealed"])
def test_each_document_is_shown_verified_and_saved_one_at_a_time(page, tmp_path, seal):
    page.context.set_offline(True)
    contents = contents_of(page, saved_file(tmp_path, seal=seal))
    contents.click("li:nth-child(1) a")
    for at, (name, _, data) in enumerate(FILES, 1):
        assert contents.inner_text("#place") == f"{at} of {len(FILES)}"
        inner = shown(contents)
        assert inner.title() == name
        assert inner.evaluate("origin") == "null"
        assert "allow-same-origin" not in contents.get_attribute("#shown", "sandbox")
        assert contents.locator("#shown").count() == 1
        with page.expect_download() as waiting:
            inner.click(".save")
        assert waiting.value.path().read_bytes() == data
        if at < len(FILES):
            contents.click("#next")
    assert not contents.is_visible("#next")
    page.evaluate("history.back()")
    contents.wait_for_selector("#place:has-text('3 of')")
    assert shown(contents).title() == "report.pdf"
    contents.click("#all")
    assert [contents.is_visible(one) for one in ("ol", "#bar")] == [True, False]
    assert page.heard == []


def test_a_browser_without_a_pdf_viewer_opens_the_pdf_from_its_sandboxed_page(page, tmp_path):
    contents = contents_of(page, saved_file(tmp_path))
    contents.click("li:nth-child(3) a")
    with page.expect_popup() as alone:
        shown(contents).click("text=Open the PDF")
    assert alone.value
    assert page.heard == []


def test_what_was_exchanged_left_out_or_doubled_does_not_open(page, tmp_path):
    path = saved_file(tmp_path, seal=password(), files=FILES[:2])
    whole = path.read_text()

    def swapped(html):
        for name in ("header", "pieces"):
            html = html.replace(f'"{name}-1"', '"x"').replace(f'"{name}-2"', f'"{name}-1"')
            html = html.replace('"x"', f'"{name}-2"')
        return html

    before = whole.partition('<script type="application/json" id="header-2"')[0]
    without = before + whole[whole.rindex("<script>") :]
    for altered in (swapped(whole), without):
        path.write_text(altered)
        contents = contents_of(page, path)
        contents.click("li:nth-child(2) a")
        contents.wait_for_selector("#failed")


def test_its_contents_are_read_without_scripts_and_nothing_opens_from_the_network(
    browser, tmp_path
):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 320, "height": 700})
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    path = saved_file(tmp_path)
    page.goto(path.as_uri())
    for name, _, data in FILES:
        row = page.locator("li", has_text=name)
        assert hashlib.sha256(data).hexdigest() in row.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert asked == [path.as_uri()]
    context.close()


def test_axe_finds_nothing(page, tmp_path):
    contents = contents_of(page, saved_file(tmp_path))
    assert_accessible(page)
    contents.click("li:nth-child(1) a")
    shown(contents)
    assert_accessible(page)


@pytest.mark.parametrize("is_sealed", [False, True])
def test_firefox_opens_it_from_the_disk_with_its_pdfs(firefox_with_pdf, tmp_path, is_sealed):
    seal = password() if is_sealed else None
    with Page(firefox_with_pdf) as page:
        page.disconnect()
        page.goto(saved_file(tmp_path, seal=seal, files=FILES[2:]).as_uri())
        if is_sealed:
            page.click("#password")
            page.type("word")
            page.click("#open")
        shown = page.frame() if is_sealed else page
        shown.until("!!document.querySelector('ol a')")
        shown.evaluate("document.querySelector('ol a').click()")
        shown.frame().until("document.querySelector('#check').textContent === '✓ verified'")
        shown.until("!!document.querySelector('#pdf')")
        pdf = Page(firefox_with_pdf, shown._tree()["children"][1]["context"])
        pdf.until("document.querySelectorAll('.page').length === 2")
        assert not [message for message in page.heard if "Policy" in message]
