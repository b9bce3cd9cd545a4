"""The page in Chromium: served, embedded, and opened from a file."""

import base64
import hashlib
import io
import os
import re
import shutil

import pytest
from PIL import Image
from pypdfium2 import PdfDocument

from crypto.password_file import PasswordSeal
from tests.accessible import assert_accessible
from tests.waiting import until
from viewer import ShownDocument, download, sealed_download, view
from viewer.formats.web.foreign_html import iframe
from viewer.markup.escaping import escape_page
from viewer.sandbox.messages import shown_as
from viewer.tests.samples import (
    MARKDOWN,
    budget,
    every_kind,
    mail,
    mail_with_picture,
    original,
    picture,
    png,
    wav,
    xlsx,
)

OK = "✓ verified"
PHONE = {"width": 390, "height": 800}


def opened(page, tmp_path, made, name="file.html"):
    """Save a rendered page and open it from disk."""
    (tmp_path / name).write_bytes(b"".join(made.body))
    page.goto((tmp_path / name).as_uri())
    return page


def digest_line(page):
    """Wait for the result of the digest check in the footer."""
    return until(lambda: page.text_content("#check"))


def saved(page, click):
    with page.expect_download() as waiting:
        click()
    return waiting.value


LINES = """one => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return text.getClientRects().length;
}"""
WIDE = "wide.md", "text/markdown", b"|".join([b"unbreakable"] * 30) + b"\n" + b"-|" * 30
ELEMENTS = """[...document.querySelectorAll("*")].map(one => one.tagName + [...one.attributes].map(
    ({name, value}) => name + (["class", "role", "type"].includes(name) ? value : "")))"""


def test_every_kind_opens_verified_with_all_tools_on_a_phone_and_axe_finds_nothing(
    new_page, tmp_path
):
    """It logs nothing, and does not scroll sideways. Axe sees each page of elements that no page
    before it had.
    """
    page, known = new_page(viewport=PHONE, has_touch=True), set()
    for name, kind, data in [*every_kind(), WIDE]:
        opened(page, tmp_path, download(original(data, name, kind)))
        assert (page.title(), digest_line(page), page.heard) == (name, OK, [])
        elements = set(page.evaluate(ELEMENTS))
        if elements - known or name == WIDE[0]:
            assert_accessible(page, iframes=False)
        known |= elements
        page.evaluate("document.querySelectorAll('#count').forEach(one => one.append(',158'))")
        boxes = [one.bounding_box() for one in page.locator(".tools .js:not(.wide)").all()]
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], name
        assert all(box["x"] + box["width"] <= PHONE["width"] for box in boxes), name


@pytest.mark.parametrize(
    ("name", "size"),
    [("none.bin", 0), ("one.bin", 1), ("odd.bin", 100_003), ("<!-- <script> 'n' \"q\" é.txt", 5)],
)
def test_saving_restores_name_and_bytes(page, tmp_path, name, size):
    data = os.urandom(size)
    opened(page, tmp_path, download(original(data, name)))
    file = saved(page, lambda: page.click("#original"))

    assert file.path().read_bytes() == data
    assert file.suggested_filename == name.translate(dict.fromkeys(map(ord, '<>"'), "_"))


def test_save_works_in_the_sandbox_of_a_served_page(page, site):
    data = os.urandom(5000)
    page.goto(site.put("/saved", view(original(data, "a.bin"))))

    assert digest_line(page) == OK
    assert saved(page, lambda: page.click("#original")).path().read_bytes() == data


def test_without_permission_to_save_a_document_is_shown_but_not_saved(page, site):
    for name, kind, data in (("a.png", "image/png", png()), ("a.txt", "text/plain", b"words")):
        page.goto(site.put("/looked", view(original(data, name, kind), may_save=False)))
        page.keyboard.press("s")
        page.wait_for_timeout(200)

        assert not page.locator(".save").count()
        assert page.heard == []


def test_a_file_of_fifty_mebibytes_opens_verified(page, tmp_path):
    data = os.urandom(1 << 20) * 50
    opened(page, tmp_path, download(original(data, "large.bin")))

    assert digest_line(page) == OK
    assert (
        hashlib.sha256(saved(page, lambda: page.keyboard.press("s")).path().read_bytes()).digest()
        == hashlib.sha256(data).digest()
    )


def test_a_damaged_copy_is_reported(page, tmp_path):
    made = download(original(b"words", "a.txt", "text/plain", sha256="00" * 32))

    assert "damaged" in digest_line(opened(page, tmp_path, made))


def test_the_digest_needs_no_webcrypto(page, tmp_path):
    for size in (0, 1, 55, 56, 63, 64, 65, 119, 120, 5000):
        page.add_init_script("Object.defineProperty(globalThis, 'crypto', {value: {}})")
        opened(page, tmp_path, download(original(os.urandom(size), "x.bin")))

        assert digest_line(page) == OK


def test_without_scripts_the_document_is_shown_and_saved(new_page, tmp_path):
    page = new_page(java_script_enabled=False, accept_downloads=True)
    opened(page, tmp_path, download(original(b"some words", "a.txt", "text/plain")))

    assert "some words" in page.text_content("main")
    assert "10 bytes" in page.text_content("footer")
    assert not page.is_visible("[data-do=p]")
    assert saved(page, lambda: page.click("#original")).path().read_bytes() == b"some words"


LONG_PAGE = (
    b"<style>h2{break-before:page}</style><a href='#s9'>go</a>"
    + b"".join(b"<h2 id=s%d>Section %d</h2>" % (n, n) for n in range(1, 10))
    + b"<p style='height:200vh'>"
)


def test_a_contents_link_of_an_html_page_leads_to_its_place(page, tmp_path, site):
    document = original(LONG_PAGE, "a.html", "text/html")
    page.goto(site.put("/contents", view(document)))
    for _ in ("served", "saved"):
        inner = page.frames[1]
        inner.click("a")
        inner.wait_for_function("scrollY > 0")

        assert "Section 9" in inner.text_content("body")
        opened(page, tmp_path, download(document))


BEGINS_RIGHT = """selector => {
  const text = document.querySelector(selector).firstChild, range = document.createRange()
  const [first, last] = [0, text.length - 1].map(at => {
    range.setStart(text, at)
    range.setEnd(text, at + 1)
    return range.getBoundingClientRect().left
  })
  return first > last
}"""


def test_a_text_from_right_to_left_begins_on_the_right(page, site):
    text = "שלום עולם."
    shown = {
        ".prose h1": ("a.md", f"# {text}".encode()),
        ".letter td": ("a.eml", f"Subject: {text}\n\nx".encode()),
    }
    for selector, (name, data) in shown.items():
        page.goto(site.put(f"/{name}", view(original(data, name))))
        assert page.evaluate(BEGINS_RIGHT, selector), name


def test_every_page_of_an_html_page_is_printed(page, site):
    page.goto(site.put("/printed", view(original(LONG_PAGE, "a.html", "text/html"))))

    assert page.pdf().count(b"/Type /Page\n") >= 10
    assert not page.locator(".paper").is_visible()
    assert page.heard == []


COLUMNS = "".join(f"<td>column{n}" for n in range(1, 15))
WIDE_TABLE = f"<table width=1400><tr>{COLUMNS}</table><p>last"


@pytest.mark.parametrize("name", ["wide.html", "wide.eml"])
def test_what_is_wider_than_paper_is_printed_smaller(page, site, name):
    wide = mail(WIDE_TABLE) if name.endswith("eml") else WIDE_TABLE.encode()
    page.goto(site.put(f"/{name}", view(original(wide, name))))
    with PdfDocument(page.pdf()) as printed:
        (words,) = (paper.get_textpage().get_text_bounded().split() for paper in printed)

    assert {"column1", "column14"} < set(words)
    assert not page.locator(".paper").is_visible() or name.endswith("eml")


def test_long_texts_of_a_wide_table_are_printed_wide_enough_to_read(page, site):
    row = ",".join("a fox and a wolf " * 20 if n in (5, 11) else f"A {n}" for n in range(20))
    table = "\n".join([",".join(map(str, range(20)))] + [row] * 30).encode()
    page.goto(site.put("/wide-table", view(original(table, "a.csv", "text/csv"))))

    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") < 12


def test_a_printed_copy_holds_nothing_that_runs_loads_or_sends(page, tmp_path, monkeypatch):
    """Also if sanitizing in the child process fails to remove it."""
    hostile = (
        b"<body><script>document.title='ran'</script><iframe src=x></iframe><meta charset=x>"
        b"<form action=x><input></form><object data=x></object><base href=x><link href=x>"
        b"<img src=x onerror=document.title='ran'><a href='javascript:1'>x</a><p>words"
    )
    made = shown_as("HTML", foreign_style=True), iframe(escape_page(hostile), "x")
    monkeypatch.setattr(ShownDocument, "run_html_job", lambda *_, **__: made)
    opened(page, tmp_path, download(original(b"x", "a.html", "text/html")))
    page.pdf()
    copy = page.locator(".paper > div").evaluate("host => host.shadowRoot.innerHTML")

    assert "words" in copy
    assert not re.search("script|iframe|meta|form|object|base|link|onerror", copy)
    assert page.title() == "a.html"


def letter_page(style):
    """A page with a mail of one line, which has this style; all such mails are of one size."""
    letter = mail(f"<p>A line.</p><style>{style.ljust(400)}</style>")
    return view(original(letter, "a.eml", "message/rfc822"))


def test_a_mail_that_names_its_pages_begins_below_its_headers(page, site):
    page.goto(site.put("/words", letter_page("p{page:WordSection1}")))

    assert page.pdf().count(b"/Type /Page\n") == 1


def test_a_mail_is_as_high_as_its_text_and_its_attachments_follow(page, site):
    page.goto(site.put("/short", letter_page("")))
    until(lambda: 40 < page.locator(".frame").bounding_box()["height"] < 200)

    assert page.locator("[aria-label='Save numbers.csv']").bounding_box()["y"] < 700
    assert page.heard == []


@pytest.mark.parametrize("width", [640, 920])
def test_a_mail_that_is_too_wide_is_made_smaller_until_it_fits(page, site, width):
    page.set_viewport_size({"width": 390, "height": 800})
    letter = mail(f"<table width={width}><tr><td width={width}>A newsletter</table>")
    page.goto(site.put("/wide", view(original(letter, "a.eml", "message/rfc822"))))
    root = "document.documentElement"
    fits = f"innerWidth > {width} && {root}.scrollWidth <= {root}.clientWidth"
    until(lambda: page.frames[1].evaluate(fits))
    assert page.evaluate(f"{root}.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 800})

    until(lambda: page.locator(".frame").bounding_box()["width"] > 890)
    assert page.heard == []


def test_words_in_the_columns_of_a_mail_stay_whole_on_a_phone(page, site):
    page.set_viewport_size(PHONE)
    table = f"<table><tr>{'<td>Unbreakable' * 8}</table>"
    page.goto(site.put("/columns", view(original(mail(table), "a.eml"))))

    assert page.frames[1].eval_on_selector("td", "cell => cell.offsetHeight") < 40


def test_the_styles_of_a_mail_change_nothing_outside_its_frame(page, site):
    everywhere = (
        "position:fixed!important;inset:0!important;z-index:9999!important;opacity:1!important;"
        "visibility:visible!important;pointer-events:auto!important;background:red!important"
    )
    pictures = []
    for name, style in (("plain", ""), ("hostile", f":host,*,x-body{{{everywhere}}}")):
        page.goto(site.put(f"/{name}", letter_page(style)))
        page.wait_for_selector("#check[data-ok=yes]", state="attached")
        pictures.append(page.locator(".bar").screenshot())
        assert page.evaluate("Boolean(document.elementFromPoint(640, 20).closest('.bar'))")

    assert pictures[0] == pictures[1]


def test_an_attachment_opens_and_is_saved_byte_for_byte(page, site):
    data = bytes(range(256)) * 40
    letter = mail_with_picture("<p>x", **{"notes.txt": b"some words", "a b.bin": data})
    page.goto(site.put("/letter", view(original(letter, "a.eml", "message/rfc822"))))
    file = saved(page, lambda: page.click("[aria-label='Save a b.bin']"))
    page.click("text=notes.txt >> nth=0")

    assert file.suggested_filename == "a b.bin"
    assert file.path().read_bytes() == data
    page.wait_for_selector("text=some words", state="visible")
    assert page.heard == []


def test_buttons_and_keys_work(page, tmp_path):
    opened(page, tmp_path, download(original(b"a\nb\n", "a.txt", "text/plain")))
    page.keyboard.press("+")
    page.keyboard.press("w")
    page.click("[data-do=t]")

    assert page.text_content("#zoom") == "110%"
    assert page.get_attribute("html", "data-wrap") == "off"
    assert page.get_attribute("html", "data-theme") == "dark"
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.click("#help button")
    assert not page.is_visible("#help")


def shown_width(page):
    return page.locator(".stage img").evaluate("picture => picture.getBoundingClientRect().width")


@pytest.mark.parametrize(
    ("name", "kind", "data"),
    [
        ("a.png", "image/png", png(2400, 1600)),
        ("a.tif", "image/tiff", picture("TIFF", size=(2400, 1600))),
    ],
)
def test_a_picture_is_zoomed_and_moved_by_buttons_keys_wheel_and_drag(
    page, tmp_path, name, kind, data
):
    opened(page, tmp_path, download(original(data, name, kind)))
    page.wait_for_function("document.querySelector('#zoom').textContent !== '100%'")
    fitted = shown_width(page)

    assert fitted < 1300
    assert "2400 × 1600 pixels" in page.text_content(".what p").replace(",", "")
    page.click("[data-do='+']")
    assert shown_width(page) == pytest.approx(fitted * 1.25, rel=0.01)
    page.keyboard.press("f")
    page.keyboard.press("0")
    assert shown_width(page) == pytest.approx(fitted, rel=0.01)
    page.keyboard.press("f")
    assert shown_width(page) == pytest.approx(2400, rel=0.01)
    assert page.text_content("#zoom") == "100%"
    page.mouse.move(640, 400)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("parseInt(document.querySelector('#zoom').textContent) > 110")
    left = page.evaluate("document.querySelector('.stage').scrollLeft")
    page.mouse.down()
    page.mouse.move(540, 400, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "left => Math.abs(document.querySelector('.stage').scrollLeft - left - 100) <= 3", arg=left
    )

    assert page.heard == []


@pytest.mark.parametrize(
    ("name", "kind", "data", "scroller"),
    [
        ("a.csv", "text/csv", b"a,b\n" * 500, ".grid"),
        ("a.txt", "text/plain", b"a\n" * 500, "html"),
        ("a.md", "text/markdown", b"a\n\n" * 500, "html"),
    ],
)
def test_keys_scroll_what_is_on_the_screen_without_a_click(page, site, name, kind, data, scroller):
    page.goto(site.put("/keys", view(original(data, name, kind))))
    page.keyboard.press("PageDown")
    page.wait_for_function("s => document.querySelector(s).scrollTop > 100", arg=scroller)


def test_keys_scroll_an_html_page_without_a_click(page, site):
    page.goto(site.put("/keys", view(original(b"<p>x" * 500, "a.html", "text/html"))))
    page.keyboard.press("PageDown")  # gives the frame the focus, which takes a moment

    def scrolls():
        page.keyboard.press("PageDown")
        return page.frames[1].evaluate("scrollY > 100")

    until(scrolls)


@pytest.mark.parametrize(("name", "kind"), [("a.txt", "text/plain"), ("a.png", "image/png")])
def test_save_is_the_first_button_in_the_order_of_tab(page, site, name, kind):
    page.goto(site.put("/tab", view(original(png(), name, kind))))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.matches('.save')")


@pytest.fixture
def page_with_clipboard(launch_chromium):
    """A page of the browser with windows, which alone has a clipboard."""
    chromium = shutil.which("chromium") or pytest.skip("no chromium with a clipboard")
    with launch_chromium(executable_path=chromium) as browser:
        yield browser.new_context(permissions=["clipboard-read"]).new_page()


def test_text_code_and_digest_are_copied(page_with_clipboard, site):
    page = page_with_clipboard
    document = original(b"one\n  two\n", "a.txt", "text/plain")
    page.goto(site.put("/copied", view(document)))
    for action, text in (
        (lambda: page.keyboard.press("c"), "one\n  two"),
        (lambda: page.click(".copied .copy"), "one\n  two"),
        (lambda: page.click("footer .copy"), document.sha256),
    ):
        action()
        assert clipboard(page, site).strip() == text


def clipboard(page, site):
    """What is on the clipboard: pasted, because reading it needs an origin."""
    site.pages["/paste"] = ({"Content-Type": "text/html"}, b"<textarea></textarea>")
    other = page.context.new_page()
    other.goto(site.here + "/paste")
    other.focus("textarea")
    other.keyboard.press("Control+v")
    text = other.input_value("textarea")
    other.close()
    return text


def workbook():
    return xlsx(names=("Spring", "Summer", "Autumn"))


SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def shown_sheets(page):
    return [one.get_attribute("id") for one in page.locator(".worksheet:visible").all()]


def test_the_sheets_of_a_workbook_are_tabs_for_mouse_and_keyboard(page, tmp_path):
    opened(page, tmp_path, download(original(workbook(), "a.xlsx", SHEETS)))
    selected = page.get_by_role("tab", selected=True)

    assert shown_sheets(page) == ["sheet-1"]
    page.get_by_role("tab", name="Summer").click()
    assert (shown_sheets(page), selected.text_content()) == (["sheet-2"], "Summer")
    for key, sheet in (("ArrowRight", 3), ("ArrowRight", 1), ("End", 3), ("ArrowLeft", 2)):
        page.keyboard.press(key)
        assert shown_sheets(page) == [f"sheet-{sheet}"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "grid"
    assert page.heard == []


def test_the_letters_of_a_sheet_stay_in_view(page, tmp_path):
    opened(page, tmp_path, download(original(budget(), "a.xlsx", SHEETS)))
    head = page.locator("#sheet-1 thead th", has_text="A")
    above = head.bounding_box()["y"]
    page.locator("#sheet-1 .grid").evaluate("grid => grid.scrollTop = 500")

    assert page.locator("#sheet-1 td", has_text="Budget").bounding_box()["y"] < 0
    assert head.bounding_box()["y"] == above


def test_an_address_can_name_a_sheet(page, tmp_path):
    opened(page, tmp_path, download(original(workbook(), "a.xlsx", SHEETS)))
    page.goto(page.url + "#sheet-2")

    until(lambda: shown_sheets(page) == ["sheet-2"])


def test_without_scripts_all_sheets_are_shown_below_their_links(new_page, tmp_path):
    page = new_page(java_script_enabled=False)
    opened(page, tmp_path, download(original(workbook(), "a.xlsx", SHEETS)))

    assert len(shown_sheets(page)) == 3
    page.click("a[href='#sheet-3']")
    page.wait_for_url("**#sheet-3")


@pytest.mark.parametrize(
    ("name", "kind", "data"),
    [
        ("notes.md", "text/markdown", MARKDOWN),
        ("sun.png", "image/png", png()),
        ("tone.wav", "audio/wav", wav()),
    ],
)
def test_a_sealed_file_opens_offline_with_its_password_only(page, tmp_path, name, kind, data):
    rounds = {} if name == "notes.md" else {"rounds": 1000}
    seal = PasswordSeal("pässword", **rounds)
    opened(page, tmp_path, sealed_download(original(data, name, kind), seal))
    page.fill("#password", "password")
    page.click("#open")
    page.wait_for_selector("#message:has-text('Wrong password')")
    page.fill("#password", " pa\u0308ssword\xa0")  # as it comes when it is copied from a mail
    page.keyboard.press("Enter")
    inner = page.wait_for_selector(".opened").content_frame()
    inner.wait_for_selector("#check:not(:empty)")

    assert inner.title() == name
    assert inner.text_content("#check") == OK
    assert saved(page, lambda: inner.click(".save")).path().read_bytes() == data
    assert page.heard == []


def test_a_sealed_file_that_was_changed_does_not_open(page, tmp_path):
    made = sealed_download(
        original(b"words" * 400_000, "a.txt", "text/plain"), PasswordSeal("p", rounds=1000)
    )
    html = b"".join(made.body)
    start = html.index(b'id="pieces">\n') + len(b'id="pieces">\n')
    first, second, *rest = html[start:].split(b"\n")
    (tmp_path / "x.html").write_bytes(html[:start] + b"\n".join([second, first, *rest]))
    page.goto((tmp_path / "x.html").as_uri())
    page.fill("#password", "p")
    page.click("#open")
    page.wait_for_selector("#message:has-text('damaged')")


def test_a_large_original_is_played_from_its_content_url(page, site):
    tone = wav(600)
    path = "/content/tone"
    site.pages[path] = (
        {
            "Content-Type": "audio/wav",
            "Accept-Ranges": "bytes",
            "Cross-Origin-Resource-Policy": "cross-origin",
        },
        tone,
    )
    address = site.here + path
    page.goto(site.put("/large", view(original(tone, "t.wav", "audio/wav"), content_url=address)))

    assert len(tone) > 8 << 20
    until(lambda: page.locator("audio").evaluate("a => Math.round(a.duration)") == 600)
    assert page.get_attribute(".save", "href") == address
    assert page.heard == []


def framed(page, site, made, path):
    """Show the page in an iframe of another origin, which keeps the messages posted to it."""
    source = site.put(path, made)
    outside = (
        "<script>window.said=[];addEventListener('message',e=>{said.push(e.data);"
        "if(e.data.height)document.querySelector('iframe').style.height=e.data.height+'px'})</script>"
        f"<iframe src='{source}' style='width:600px;height:400px'></iframe>"
    )
    site.pages["/outside"] = ({"Content-Type": "text/html"}, outside.encode())
    page.goto(site.elsewhere + "/outside")


def types(page):
    """The types of the messages that the outer page has got."""
    return {message["type"] for message in page.evaluate("said")}


def test_a_parent_page_receives_ready_and_size(page, site):
    document = original(b"x", "a.txt", "text/plain")
    framed(page, site, view(document, frame_ancestors=(site.elsewhere,), embed=True), "/framed")

    until(lambda: types(page) == {"ready", "size"})
    assert {message["source"] for message in page.evaluate("said")} == {"document-viewer"}
    assert not page.frames[1].is_visible("footer")


@pytest.mark.parametrize(
    "name", ["report.pdf", "sunset.png", "README.md", "sales.csv", "page.html"]
)
def test_an_iframe_that_follows_the_size_stops_growing(page, site, name):
    (document,) = (original(data, name, kind) for n, kind, data in every_kind() if n == name)
    framed(page, site, view(document, frame_ancestors=("*",), embed=True), "/growing")

    def has_settled():
        count = page.evaluate("said.length")
        page.wait_for_timeout(500)
        return page.evaluate("said.length") == count

    until(lambda: "ready" in types(page))
    until(has_settled)
    assert page.evaluate("said.length") <= 5
    assert page.locator("iframe").bounding_box()["height"] >= 300


@pytest.mark.parametrize("kind", ["image/png", "image/svg+xml", "video/mp4"])
def test_what_the_browser_cannot_read_has_a_sentence(page, tmp_path, kind):
    data = b"\0no video" if kind == "video/mp4" else b"<p>no picture"
    opened(page, tmp_path, download(original(data, "a", kind)))

    assert "can\u2019t show the file" in page.wait_for_selector("#unreadable").text_content()


def test_a_recording_that_the_browser_cannot_play_is_not_called_damaged(page, tmp_path):
    opened(page, tmp_path, download(original(b"FORM\0\0\0\4AIFF", "a.aiff")))

    note = page.wait_for_selector("#unreadable").text_content()
    assert note.startswith("This browser can\u2019t play this type of recording.")


def test_a_video_of_which_only_the_sound_plays_says_so(page, tmp_path):
    opened(page, tmp_path, download(original(b"\0no video", "a.mp4", "video/mp4")))
    page.wait_for_selector("#unreadable:has-text('damaged')")
    sound = f"data:audio/wav;base64,{base64.b64encode(wav()).decode()}"
    page.locator("video").evaluate("(video, sound) => { video.src = sound; }", sound)

    page.wait_for_selector("#unreadable:has-text('plays the sound of this video')")
    assert page.locator("#unreadable").count() == 1


def test_a_tiny_picture_is_enlarged_by_a_whole_number(page, tmp_path):
    for name, data, width in (("a.png", png(16, 10), 256), ("a.png", png(200, 90), 200)):
        opened(page, tmp_path, download(original(data, name)))
        page.wait_for_function("document.querySelector('#original').naturalWidth")

        until(lambda: page.locator("#original").bounding_box()["width"] == width)  # noqa: B023


@pytest.mark.parametrize(
    "size", ['viewBox="0 0 800 400"', 'viewBox="0 0 800 400" width="100%" height="100%"', ""]
)
def test_a_drawing_without_a_size_is_shown_whole(page, tmp_path, size):
    mark = '<rect x="750" y="350" width="50" height="50" fill="red"/>'
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{mark}</svg>'
    opened(page, tmp_path, download(original(drawing.encode(), "a.svg", "image/svg+xml")))
    page.wait_for_function("document.querySelector('#original').naturalWidth")
    shot = Image.open(io.BytesIO(page.locator("#original").screenshot())).convert("RGB")

    assert (255, 0, 0) in {colour for _, colour in shot.getcolors(1 << 24)}
    assert "pixels" not in page.text_content(".what p")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert shown_width(page) > 300


def test_a_parent_page_receives_an_error_for_an_unreadable_image(page, site):
    broken = original(b"\x89PNG\r\n\x1a\nnonsense", "a.png", "image/png")
    framed(page, site, view(broken, frame_ancestors=("*",)), "/broken")

    until(lambda: "error" in types(page))


def test_on_a_phone_a_number_in_a_table_of_markdown_stays_beside_its_unit(new_page, tmp_path):
    table = """
| Rent in Leipzig, with the cellar | 2026 | 2027 | Change |
|---|--:|--:|--:|
| Office at the station | 31 200 € | 15 600 € | −50 % |"""
    page = new_page(viewport=PHONE)
    opened(page, tmp_path, download(original(table.encode(), "budget.md", "text/markdown")))
    for number in page.locator("td.right").all():
        assert number.evaluate(LINES) == 1
    code = opened(page, tmp_path, download(original(b"```\nx = 1\n```", "a.md", "text/markdown")))
    button = code.locator(".copied > button").bounding_box()
    line = code.locator(".copied code").bounding_box()
    assert button["y"] + button["height"] <= line["y"]
