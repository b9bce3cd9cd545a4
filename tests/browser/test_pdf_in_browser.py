"""PDFs in Chromium: served by the running service, and as a saved file."""

import re
import shutil
from functools import partial

import pytest

from crypto.password_file import PasswordSeal
from tests.accessible import assert_accessible
from tests.lasting_browser import LastingBrowser
from tests.waiting import until
from viewer import download, sealed_download
from viewer.tests.samples import encrypted_pdf, filled_form, linked_pdf, original, pdf, several

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


def test_a_page_that_is_not_drawn_has_its_own_size_also_when_turned(page, alice):
    start, end = FORTY.rsplit(b"0 0 300 200", 1)
    page.goto(upload(alice, start + b"0 0 600 050" + end))
    for box in ("0 0 600 50", "0 0 50 600"):
        page.wait_for_selector(f"#p40 svg[viewBox='{box}']", state="attached")
        page.click("[data-do=r]")
    assert page.get_attribute("#p39 svg", "viewBox") == "0 0 300 200"
    assert not page.locator("#p40 image").count()


def test_a_page_number_leads_to_the_page(page, book):
    page.goto(book)
    page.fill("#goto", "33")
    page.press("#goto", "Enter")
    picture(page, 33)

    assert page.locator("#p33").evaluate("one => Math.abs(one.getBoundingClientRect().top) < 200")
    assert page.input_value("#goto") == "33"


def test_rotating_and_fitting_keep_the_page_where_several_fit_on_the_screen(page, book):
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(book)
    page.fill("#goto", "33")
    page.press("#goto", "Enter")
    page.evaluate("document.activeElement.blur()")
    for key, number in [("r", 33), ("r", 33), ("f", 33), ("f", 33), ("j", 34)]:
        page.keyboard.press(key)
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        assert page.input_value("#goto") == str(number), key


def test_all_tools_fit_on_a_narrow_screen(page, alice):
    page.set_viewport_size({"width": 320, "height": 568})
    page.goto(upload(alice, pdf(*["x"] * 1158)))
    page.fill("#goto", "1158")
    sizes = "one => [one.scrollWidth, one.clientWidth]"
    for one in (".tools", "#goto"):
        needed, room = page.locator(one).evaluate(sizes)
        assert needed <= room, one


def test_an_address_with_a_page_leads_to_the_page(page, book):
    page.goto(f"{book}#p33")
    picture(page, 33)
    until(lambda: page.input_value("#goto") == "33")


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


def find(page, text, found):
    """Type a text into the field for finding, until this is said of what was found."""
    page.keyboard.press("Control+f")
    page.fill("#find input", text)
    page.wait_for_selector(f"#found:text-is('{found}')")


def test_who_finds_waits_for_text_alone_and_what_is_in_view(page, alice):
    long = upload(alice, pdf(*(f"Chapter {n}" for n in range(1, 701))))
    first, held, asked = re.compile(r"/pages\?.*cursor=1$"), [], []
    page.route(first, lambda route, _: held.append(route))
    with page.expect_request(first):
        page.goto(long)
    page.keyboard.press("Control+f")
    page.fill("#find input", "chapter 60")
    page.on("request", lambda request: asked.append(request.url))
    held[0].continue_()
    page.wait_for_selector("#found:text-is('1 of 11')")
    picture(page, 62)

    last = max(n for n, url in enumerate(asked) if "cursor=" in url)
    drawn = {int(found[1]) for url in asked[:last] if (found := re.search(r"/pages/(\d+)", url))}
    assert {60} <= drawn - set(range(10)) <= {59, 60, 61}


def test_text_is_found_on_all_pages_counted_and_marked(page, book):
    page.goto(book)
    page.wait_for_selector("html[data-text=all]")
    find(page, "chapter 3", "1 of 11")
    page.wait_for_selector("#p3 .hit.now", state="attached")
    for key, said, number in [
        ("Enter", "2 of 11", 30),
        ("Shift+Enter", "1 of 11", 3),
        ("Shift+Enter", "11 of 11", 39),
        ("F3", "1 of 11", 3),
    ]:
        page.keyboard.press(key)
        page.wait_for_selector(f"#found:text-is('{said}')")
        page.wait_for_selector(f"#p{number} .hit.now", state="attached")
        until(lambda: page.locator(".hit.now").evaluate(IN_VIEW))
    page.keyboard.press("Escape")
    assert not page.locator("#find, .hit").filter(visible=True).count()
    assert page.heard == []


IN_VIEW = (
    "one => { const b = one.getBoundingClientRect(); return b.top > 0 && b.bottom < innerHeight; }"
)


BOXES = """selectors => selectors.map(selector => {
    const { x, width, height } = document.querySelector(selector).getBBox();
    return { x, width, height };
})"""  # at one moment: marks are drawn anew with their page


def test_a_mark_lies_on_the_text_that_was_found(page, book):
    page.goto(book)
    find(page, "HAP", "1 of 40")
    page.wait_for_selector("#p1 .hit.now", state="attached")
    mark, whole = page.evaluate(BOXES, ["#p1 .hit.now", "#p1 text"])

    assert whole["x"] < mark["x"]
    assert whole["width"] / 5 < mark["width"] < whole["width"] / 2
    assert abs(mark["height"] - whole["height"]) < whole["height"] / 2


def test_text_is_found_without_its_accents_and_over_the_end_of_a_line(page, alice):
    lines = "20 TL T* (Caf\xe9 au lait in docu-) Tj T* (mentary \\(1\\)) Tj T* (and the end."
    data = pdf(f"x) Tj {lines}").replace(b"/Helvetica", b"/Helvetica/Encoding/WinAnsiEncoding")
    page.goto(upload(alice, data))
    for text in ("cafe au", "documentary", "(1", "the end."):
        find(page, text, "1 of 1")
        page.wait_for_selector(".hit.now", state="attached")
    find(page, "nothing", "Not found")


def test_the_value_of_a_form_field_is_found(page, alice):
    page.goto(upload(alice, filled_form()))
    find(page, "WWWWWWWW", "1 of 1")
    page.wait_for_selector(".hit.now", state="attached")


def test_a_second_control_f_is_left_to_the_browser(page, book):
    page.goto(book)
    page.keyboard.press("Control+f")
    page.evaluate("addEventListener('keydown', e => { document.title = e.defaultPrevented })")
    page.keyboard.press("Control+f")

    assert page.title() == "false"


def test_pages_are_turned_with_their_text_and_their_marks(page, book):
    page.goto(book)
    find(page, "chapter 2", "1 of 11")
    page.wait_for_selector("#p2 .hit.now", state="attached")
    page.keyboard.press("Escape")
    page.evaluate("viewer.go(1)")  # whether or not the search has led there
    for shape in ("0 0 200 300", "0 0 300 200", "0 0 200 300", "0 0 300 200"):
        page.keyboard.press("r")
        for number in (1, 2, 40):
            assert page.get_attribute(f"#p{number} svg", "viewBox") == shape
        assert page.evaluate(INSIDE), shape
    until(lambda: page.input_value("#goto") == "2")


HELD = """
const Real = IntersectionObserver;
const held = globalThis.held = []; // what observers report, while it is held
globalThis.IntersectionObserver = class extends Real {
  constructor(report, options) {
    super(entries => { held.isOn ? held.push(() => report(entries)) : report(entries); }, options);
  }
};
"""
GO_BEFORE_THE_REPORT = """async number => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  held.isOn = true;
  viewer.go(0);
  scrollBy({ top: 100, behavior: "instant" });
  while (!held.length) await frame();
  await frame(); // each observer reports for itself
  viewer.go(number - 1);
  for (const report of held) report();
  return viewer.pages.current + 1;
}"""


@pytest.mark.parametrize("number", [2, 8])
def test_a_report_of_where_the_reader_was_does_not_undo_where_a_key_led(page, book, number):
    page.add_init_script(HELD)
    page.goto(f"{book}#p2")
    picture(page, 2)
    until(lambda: page.input_value("#goto") == "2")

    assert page.evaluate(GO_BEFORE_THE_REPORT, number) == number


INSIDE = """() => {
  const box = one => document.querySelector(one).getBoundingClientRect();
  const outer = box("#p2"), inner = box("#p2 text"), picture = box("#p2 image");
  return inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top
    && inner.bottom <= outer.bottom && Math.abs(picture.width - outer.width) < 2;
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_is_fitted_to_the_window_or_to_its_width(page, book, width):
    page.set_viewport_size({"width": width, "height": 500})
    page.goto(book)
    page.keyboard.press("f")
    first = page.locator("#p1").bounding_box()
    assert first["height"] <= 500 - page.locator(".bar").bounding_box()["height"]
    assert first["height"] > 200 or first["width"] > width - 40
    page.keyboard.press("f")
    assert page.locator("#p1").bounding_box()["width"] > width - 50
    page.set_viewport_size({"width": width - 60, "height": 500})
    until(lambda: page.locator("#p1").bounding_box()["width"] < width - 60)
    page.keyboard.press("+")
    until(lambda: page.locator("#p1").bounding_box()["width"] > width - 60)


def test_small_pictures_of_the_pages_lead_to_them(page, book):
    page.goto(book)
    page.click("#thumbnails summary")
    page.wait_for_selector("#thumbnails li:nth-child(3) image[href^=data]", state="attached")
    assert not page.locator("#thumbnails li:nth-child(40) image[href]").count()

    page.locator("#thumbnails li:nth-child(38) a").click()
    page.wait_for_selector("#thumbnails li:nth-child(38) image[href^=data]", state="attached")
    page.wait_for_selector("#thumbnails li:nth-child(38) a[aria-current=page]")
    assert page.input_value("#goto") == "38"
    assert page.heard == []


def test_one_page_has_no_list_of_pages(page, alice):
    page.goto(upload(alice, pdf("One")))
    picture(page, 1)
    assert not page.locator(".sides").count()


def test_an_enlarged_page_is_drawn_again_sharply(page, book):
    page.set_viewport_size({"width": 390, "height": 700})
    page.goto(book)
    page.wait_for_selector("#p2[data-drawn='2']")
    page.evaluate("viewer.zoom(3)")
    page.wait_for_selector("#p1[data-drawn='4']")

    width = """async one => {
      const picture = Object.assign(new Image(), { src: one.href.baseVal });
      await picture.decode();
      return picture.width;
    }"""
    assert page.locator("#p1 image").evaluate(width) == 1200
    assert not page.locator("#p30[data-drawn]").count()


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_has_all_tools_at_hand_and_the_others_in_a_menu(page, book, width):
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(book)
    for name in ("/", "-", "+"):
        assert page.locator(f"[data-do='{name}']").bounding_box()["height"] >= 44
    more = page.locator("#more-button").bounding_box()
    assert more["x"] + more["width"] <= width
    for name in "frtp":
        assert not page.locator(f"[data-do={name}]").is_visible()
    page.click("#more-button")
    for name in "frtp":
        assert page.locator(f"[data-do={name}]").bounding_box()["height"] >= 44
    page.click("[data-do=r]")
    assert page.get_attribute("#p1 svg", "viewBox") == "0 0 200 300"
    assert not page.locator("#more").is_visible()


def test_a_link_and_the_outline_lead_to_their_pages(page, alice):
    page.goto(upload(alice, linked_pdf(2, "https://example.invalid/", title="<b>\\001One")))
    page.focus("#p1 a")
    page.keyboard.press("Enter")
    page.wait_for_url("**#p2")

    page.click("#outline summary")
    assert page.text_content("#outline a") == "<b> One"
    page.click("#outline a")
    assert page.url.endswith("#p2")
    outside = page.locator("#p1 a").nth(1)
    assert outside.get_attribute("target") == "_blank"
    assert outside.get_attribute("rel") == "noopener noreferrer"
    assert page.heard == []


def test_a_link_and_the_outline_lead_to_the_place_on_a_page(page, alice):
    page.set_viewport_size({"width": 390, "height": 200})
    page.goto(upload(alice, linked_pdf(2, view="XYZ 0 40 0")))
    below_bar = page.locator(".bar").bounding_box()["height"] + 16
    place = f"one => one.getBoundingClientRect().top + .8 * one.offsetHeight - {below_bar}"
    for press in (lambda: page.focus("#p1 a"), lambda: page.focus("#outline a")):
        page.evaluate("scrollTo(0, 0)")
        page.evaluate("document.querySelector('#outline').open = true")
        press()
        page.keyboard.press("Enter")
        until(lambda: abs(page.locator("#p2").evaluate(place)) < 2)
    assert page.url.endswith("#p2")


def test_the_whole_document_is_printed(page, book):
    page.goto(book)
    page.evaluate("void (print = () => document.documentElement.classList.add('printed'))")
    page.click("[data-do=p]")
    page.wait_for_selector("html.printed")

    assert page.locator(".page[data-drawn='4'] image").count() == 40
    assert len(re.findall(rb"/Type /Page\n", page.pdf())) == 40


def test_the_password_of_a_pdf_is_asked_for(page, alice):
    page.goto(upload(alice, encrypted_pdf("open sesame")))
    page.fill("#pdf-password", "wrong")
    page.press("#pdf-password", "Enter")
    page.wait_for_selector("#unlock-message:has-text('This is not its password. Try again.')")
    assert not page.is_visible("#goto")

    page.fill("#pdf-password", "open sesame")
    page.click("#unlock-button")
    picture(page, 1)
    assert page.is_visible("#goto")
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
    launch = partial(launch_chromium, executable_path=program, headless=False, args=arguments)
    browser = LastingBrowser(launch)
    yield browser.new_context()
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
    for catalog in asks:
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


def test_the_pdf_viewer_of_the_browser_shows_one_of_several_where_its_page_leaves_room(
    browser_with_pdf_viewer, tmp_path
):
    listed = [("a.pdf", "application/pdf", pdf("One", "Two")), ("b.txt", "text/plain", b"text")]
    page = browser_with_pdf_viewer.new_page()
    (tmp_path / "a.html").write_bytes(several(listed))
    page.goto((tmp_path / "a.html").as_uri())
    page.click("li:nth-child(1) a")
    until(lambda: viewers_in(page) == [2])
    place = page.frame_locator("#shown").locator("main > .frame").bounding_box()
    assert page.locator("#pdf").bounding_box() == pytest.approx(place, abs=1)
    page.click("#next")
    assert page.locator("#pdf").count() == 0
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


def test_the_first_page_stays_where_the_viewer_of_the_browser_draws_nothing(page, tmp_path):
    """As where a plug-in is blocked; the browser of the tests says that it has one."""
    says = "Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => true })"
    page.add_init_script(says)
    (tmp_path / "book.html").write_bytes(
        b"".join(download(original(FORTY, "book.pdf", "application/pdf")).body)
    )
    page.goto((tmp_path / "book.html").as_uri())

    assert page.locator("iframe.frame").count() == 1
    assert not page.locator("iframe.drawn").count()
    assert page.is_visible(".saved img")
    assert page.get_by_role("link", name="Save original").is_visible()


def test_a_pdf_is_accessible(page, alice):
    for data in (linked_pdf(2, "https://example.invalid/"), encrypted_pdf("x")):
        page.goto(upload(alice, data))
        if page.locator("#p1").count():
            picture(page, 2)
            page.click("#outline summary")
            find(page, "One", "1 of 1")
        assert_accessible(page, iframes=False)
