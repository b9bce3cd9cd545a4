"""PDFs in Chromium: served by the running service, and as a saved file."""

import re
import shutil
from functools import partial

import pytest

from crypto.password_file import PasswordSeal
from tests.viewer.samples import encrypted_pdf, linked_pdf, original, pdf
from tests.waiting import until
from viewer import download, sealed_download

FORTY = pdf(*(f"Chapter {n}" for n in range(1, 41)))


def upload(alice, data):
    return alice.upload(data, "application/pdf", name="book.pdf")["token"]["viewUrl"]


@pytest.fixture(scope="module")
def book(alice):
    return upload(alice, FORTY)


def picture(page, number):
    """The picture of a page, once it is there."""
    return page.wait_for_selector(f"#p{number} image", state="attached")


def test_pages_are_drawn_as_they_come_into_view(page, book):
    page.goto(book)
    picture(page, 1)
    assert page.locator("#p1 image").evaluate("one => one.getBBox().width") == 300
    assert page.text_content("#p1 text").strip() == "Chapter 1"
    assert page.text_content("#count") == "/ 40"
    assert not page.locator("#p40 image").count()

    page.locator("#p40").scroll_into_view_if_needed()
    picture(page, 40)
    assert not page.locator("#p20 image").count()
    assert page.heard == []


def test_a_page_number_leads_to_the_page(page, book):
    page.goto(book)
    page.fill("#goto", "33")
    page.press("#goto", "Enter")
    picture(page, 33)

    assert page.locator("#p33").evaluate("one => Math.abs(one.getBoundingClientRect().top) < 200")
    assert page.input_value("#goto") == "33"


def test_the_first_page_is_the_present_one_where_several_fit_on_the_screen(page, book):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(book)
    picture(page, 2)

    assert page.input_value("#goto") == "1"


def test_keys_go_to_the_next_page_and_to_the_number(page, book):
    page.goto(book)
    page.keyboard.press("j")
    page.wait_for_selector("#goto")
    assert page.input_value("#goto") == "2"
    page.keyboard.press("g")
    assert page.evaluate_handle("document.activeElement").get_attribute("id") == "goto"


def test_text_of_pages_that_are_not_drawn_is_found(page, book):
    page.goto(book)
    page.wait_for_selector("html[data-text=all]")

    assert not page.locator("#p37 image").count()
    assert page.evaluate("window.find('Chapter 37')")


def test_a_link_and_the_outline_lead_to_their_pages(page, alice):
    page.goto(upload(alice, linked_pdf(2, "https://example.invalid/")))
    page.focus("#p1 a")
    page.keyboard.press("Enter")
    page.wait_for_url("**#p2")

    page.click("#outline summary")
    page.click("#outline a")
    assert page.url.endswith("#p2")
    outside = page.locator("#p1 a").nth(1)
    assert outside.get_attribute("target") == "_blank"
    assert outside.get_attribute("rel") == "noopener noreferrer"
    assert page.heard == []


def test_a_link_and_the_outline_lead_to_the_place_on_a_page(page, alice):
    page.set_viewport_size({"width": 390, "height": 200})
    page.goto(upload(alice, linked_pdf(2, view="XYZ 0 40 0")))
    place = "one => Math.abs(one.getBoundingClientRect().top + .8 * one.offsetHeight - 72) < 2"
    for press in (lambda: page.focus("#p1 a"), lambda: page.focus("#outline a")):
        page.evaluate("scrollTo(0, 0)")
        page.evaluate("document.querySelector('#outline').open = true")
        press()
        page.keyboard.press("Enter")
        until(lambda: page.locator("#p2").evaluate(place))
    assert page.url.endswith("#p2")


def test_the_whole_document_is_printed(page, book):
    page.goto(book)
    page.evaluate("void (print = () => document.documentElement.classList.add('printed'))")
    page.click("[data-do=p]")
    page.wait_for_selector("html.printed")

    assert page.locator(".page image").count() == 40
    assert len(re.findall(rb"/Type /Page\n", page.pdf())) == 40


def test_the_password_of_a_pdf_is_asked_for(page, alice):
    page.goto(upload(alice, encrypted_pdf("open sesame")))
    page.fill("#pdf-password", "wrong")
    page.press("#pdf-password", "Enter")
    page.wait_for_selector("#unlock-message:has-text('password')")

    page.fill("#pdf-password", "open sesame")
    page.click("#unlock-button")
    picture(page, 1)
    assert page.text_content("#p1 text") == "Secret"
    assert page.locator(".page").count() == 1


def test_an_opened_pdf_is_saved_as_a_file_that_shows_its_pages(page, alice, tmp_path):
    page.goto(upload(alice, encrypted_pdf("open sesame")))
    page.fill("#pdf-password", "open sesame")
    page.press("#pdf-password", "Enter")
    with page.expect_download() as saved:
        page.click("text=Save as one HTML file")

    assert saved.value.suggested_filename == "book.pdf.html"
    saved.value.save_as(tmp_path / "saved.html")
    page.goto("about:blank")  # ends what the served page still loads
    page.heard.clear()
    page.context.set_offline(True)
    page.goto((tmp_path / "saved.html").as_uri())
    assert page.get_attribute(".saved img", "alt").strip() == "Secret"
    assert page.heard == []


def test_a_link_that_permits_to_view_only_offers_no_file(page, alice):
    document = alice.upload(encrypted_pdf("open sesame"), "application/pdf", name="book.pdf")
    page.goto(alice.share(document, permissions=["view"])["viewUrl"])
    page.fill("#pdf-password", "open sesame")
    page.press("#pdf-password", "Enter")
    picture(page, 1)

    assert not page.locator("text=Save as one HTML file").count()


@pytest.fixture(scope="module")
def browser_with_pdf_viewer(launch_chromium):
    """The whole Chromium: the one without windows has no PDF viewer."""
    program = shutil.which("chromium")
    if not program:
        pytest.skip("no whole Chromium on this machine")
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu"]
    browser = launch_chromium(executable_path=program, headless=False, args=arguments)
    yield browser
    browser.close()


def viewers_in(page):
    """The numbers of pages in the browser's PDF viewers, of each that shows something."""
    page.wait_for_timeout(10)  # the list of frames is renewed meanwhile
    ask = "document.querySelector('pdf-viewer')?.shadowRoot?.querySelector('#toolbar')?.docLength"
    frames = [one for one in page.frames if one.url.startswith("chrome-extension://")]
    return [count for one in frames if (count := one.evaluate(ask))]


def test_the_pdf_viewer_of_the_browser_shows_a_saved_file_and_the_pdf_asks_for_nothing(
    browser_with_pdf_viewer, site, tmp_path
):
    asks = [f"/OpenAction<</S/{action}({site.here}/asked)>>" for action in ("URI/URI", "GoToR/F")]
    asks.append(f"/OpenAction<</S/JavaScript/JS(app.launchURL\\('{site.here}/asked'\\))>>")
    for catalog in ["", *asks]:
        document = original(pdf("One", "Two", catalog=catalog), "a.pdf", "application/pdf")
        (tmp_path / "a.html").write_bytes(b"".join(download(document).body))
        page = browser_with_pdf_viewer.new_page()
        page.goto((tmp_path / "a.html").as_uri())
        until(partial(lambda page: viewers_in(page) == [2], page))
        page.close()
    assert "/asked" not in site.asked


def test_the_pdf_viewer_of_the_browser_shows_a_file_under_a_password(
    browser_with_pdf_viewer, tmp_path
):
    document = original(pdf("One", "Two"), "a.pdf", "application/pdf")
    made = sealed_download(document, PasswordSeal("word", rounds=1000))
    (tmp_path / "a.html").write_bytes(b"".join(made.body))
    page = browser_with_pdf_viewer.new_page()
    page.goto((tmp_path / "a.html").as_uri())
    page.fill("#password", "word")
    page.click("#open")

    until(lambda: viewers_in(page) == [2])
    page.close()


def test_a_browser_without_a_pdf_viewer_shows_the_first_page_and_opens_the_pdf(page, tmp_path):
    file = tmp_path / "book.html"
    file.write_bytes(b"".join(download(original(FORTY, "book.pdf", "application/pdf")).body))
    page.context.set_offline(True)
    page.goto(file.as_uri())

    assert page.get_attribute(".saved img", "alt").strip() == "Chapter 1"
    assert "the first of 40 pages" in page.text_content(".saved")
    assert not page.locator("iframe").count()
    with page.expect_popup():
        page.click("text=Open the PDF")
    assert page.heard == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_pdf_is_accessible(page, alice, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for data in (linked_pdf(2, "https://example.invalid/"), encrypted_pdf("x")):
        page.goto(upload(alice, data))
        if page.locator("#outline").count():
            picture(page, 2)
            page.click("#outline summary")

        found = axe.Axe().run(page, options={"iframes": False})
        assert found.violations_count == 0, found.generate_report()
