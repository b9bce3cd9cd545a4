"""The viewer in WebKit, the engine of Safari: as wide as a phone and as a desk."""

import socket
from functools import partial
from itertools import chain

import pytest
from pypdfium2 import PdfDocument

from crypto.password_file import PasswordSeal
from tests.browser.test_firefox import CONVERTED, DRAWN, FRAMED, SAMPLES, SHOWN, download_of
from tests.browser.test_firefox import text as says
from tests.browser.test_page_in_browser import WIDE_TABLE
from tests.browser.test_safety_in_browser import (
    batches,
    documents,  # noqa: F401
    iframes,
    uncleaned,
)
from tests.browser.test_source_in_browser import ENCODED, GONE_TO
from tests.browser.webkit import DESK, PHONE, assert_readable, window
from tests.waiting import until
from viewer import download, sealed_download, view
from viewer.formats.original import Original
from viewer.tests.samples import every_kind, mail, original, pdf, picture, wav


@pytest.fixture
def page(webkit_browser):
    with window(webkit_browser) as page:
        yield page


@pytest.fixture
def phone(page):
    page.resize(*PHONE)
    return page


def test_what_ends_as_a_page_is_left_counts_for_no_other(page, site):
    """An image and a request of a script never come, so that leaving the page ends them."""
    site.pages["/left"] = {"Content-Type": "text/html"}, b"<p>words"
    site.pages["/next"] = {"Content-Type": "text/html"}, b"<img src=/none.png>"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        never = f"http://127.0.0.1:{silent.getsockname()[1]}/never"
        page.goto(f"{site.here}/left")
        page.run("new Image().src = arguments[0]; fetch(arguments[0])", never)
        until(lambda: page.asked.count(never) == 2)
        page.goto(f"{site.here}/next")

    assert until(lambda: page.failed) == [(f"{site.here}/none.png", "status 404")]
    assert page.asked == [f"{site.here}/next", f"{site.here}/none.png"]
    assert page.heard == []


# From here on up, so that what is met was not drawn yet; each step answers how far the page jumped.
# What is laid out late keeps its place in the next frame.
JUMPS = """
    const frame = () => new Promise(requestAnimationFrame);
    const settled = () => new Promise(done => setTimeout(done, 120)).then(frame).then(frame);
    const middle = () => document.elementsFromPoint(innerWidth / 2, innerHeight / 2)
        .map(one => one.closest(".page, .code a")).find(Boolean);
    const jumps = [];
    while (!middle()) await settled();
    await settled();
    for (let step = 0; step < 15; step++) {
        const element = middle(), before = element?.getBoundingClientRect().top;
        scrollBy({ top: -200, behavior: "instant" });
        await settled();
        if (element) jumps.push(Math.round(element.getBoundingClientRect().top - before - 200));
    }
    return jumps.filter(jump => Math.abs(jump) > 3);
"""


def jumps_from(page, part):
    """Scroll to this part of the page, then up; return the jumps in pixels."""
    down = f"document.documentElement.scrollHeight * {part}"
    page.run(f"scrollTo({{ top: {down}, behavior: 'instant' }})")
    page.until("document.readyState === 'complete'")
    return page.run(f"return (async () => {{ {JUMPS} }})()")


def top_of(page, selector):
    return page.evaluate(f"document.querySelector('{selector}').getBoundingClientRect().top")


def go_to_page(page, number):
    page.fill("#goto", f"{number}\n")
    page.until(f"!!document.querySelector('#p{number} image, #p{number} img')")


MIXED = pdf(*(f"Chapter {n}" for n in range(1, 61))).replace(b"[0 0 300 200]", b"[0 0 300 420]", 20)


@pytest.mark.parametrize("size", [PHONE, DESK])
@pytest.mark.parametrize("book", [pdf(*(f"Chapter {n}" for n in range(1, 61))), MIXED])
def test_the_page_of_a_pdf_that_is_asked_for_is_shown_and_nothing_jumps(page, alice, size, book):
    page.resize(*size)
    page.goto(alice.upload(book, "application/pdf")["token"]["viewUrl"])
    page.until("document.documentElement.dataset.text === 'all'")
    go_to_page(page, 40)

    edge = page.evaluate("document.querySelector('.bar').offsetHeight")
    until(lambda: edge <= top_of(page, "#p40") < edge + 40)
    assert jumps_from(page, 0.7) == []
    assert page.heard == []


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_pages_of_a_picture_have_their_place_before_they_are_drawn(page, alice, size):
    scan = picture("TIFF", *["teal", "red"] * 20, size=(1200, 500), compression="tiff_deflate")
    page.resize(*size)
    page.goto(alice.upload(scan, "image/tiff", name="scan.tiff")["token"]["viewUrl"])
    go_to_page(page, 30)

    edge = page.evaluate("document.querySelector('.bar').offsetHeight")
    until(lambda: edge <= top_of(page, "#p30") < edge + 40)
    assert jumps_from(page, 0.7) == []
    assert page.heard == []


def test_a_long_text_whose_lines_are_wrapped_shows_the_line_asked_for_and_does_not_jump(
    phone, alice
):
    text = "".join(f"{n}{' some words of a line' * (n % 30)}\n" for n in range(1, 24_001))
    phone.goto(alice.upload(text.encode(), "text/plain", name="a.txt")["token"]["viewUrl"])
    phone.until("!!document.querySelector('#L24000')")
    phone.fill("#goto-line", "21000\n")

    until(lambda: 0 < top_of(phone, "#L21000") < PHONE[1])
    for line in (24_000, 20_001):
        assert phone.find(f"{line}")
        until(lambda at=line: 0 < top_of(phone, f"#L{at}") < PHONE[1])
    assert jumps_from(phone, 0.6) == []
    assert phone.heard == []


@pytest.mark.parametrize("size", [PHONE, DESK])
@pytest.mark.parametrize("line", ["#L20", "#L500"])
def test_a_line_gone_to_stays_as_a_note_above_it_is_removed(page, tmp_path, size, line):
    page.resize(*size)
    page.goto(saved(tmp_path, ENCODED))
    page.until("document.readyState === 'complete'")

    assert 0 <= page.run(f"return ({GONE_TO})(arguments[0])", line) < 40


def test_the_menu_of_a_pdf_is_as_high_as_its_buttons(phone, alice):
    phone.goto(alice.upload(pdf("One", "Two"), "application/pdf")["token"]["viewUrl"])
    phone.until("!!document.querySelector('#p1 image')")
    phone.click("#more-button")

    height = phone.until("document.querySelector('#more').getBoundingClientRect().height")
    assert 150 < height < 300


def test_the_player_of_a_recording_is_within_the_screen(phone, alice):
    phone.goto(alice.upload(wav(), "audio/wav", name="tone.wav")["token"]["viewUrl"])
    phone.until("document.querySelector('audio').duration === 1")

    left, right = phone.run(
        "const box = document.querySelector('audio').getBoundingClientRect();"
        "return [box.left, box.right]"
    )
    assert left >= 0
    assert right <= PHONE[0]


def grey_of(printed):
    """Return the share of a printed page that is grey, neither white nor letters."""
    with PdfDocument(printed) as paper:
        shades = paper[0].render(scale=0.7, grayscale=True).to_pil().convert("L").histogram()
    return sum(shades[150:248]) / sum(shades)


def test_tables_and_code_are_printed_without_the_shadows_of_their_edges(page, alice, tmp_path):
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 12 + "\n```\n" + "1\n" * 12 + "```\n"
    page.goto(alice.upload(table.encode(), "text/markdown", name="a.md")["token"]["viewUrl"])
    page.until("!!document.querySelector('.prose table')")

    assert grey_of(page.print_to(tmp_path / "a.pdf")) < 0.02


def saved(folder, document, password=None):
    """Save a document as one file, sealed if there is a password; return its address."""
    seal = PasswordSeal(password, rounds=1000) if password else None
    page = sealed_download(document, seal) if seal else download(document)
    (folder / "saved.html").write_bytes(b"".join(page.body))
    return (folder / "saved.html").as_uri()


VIEWER = "document.querySelector('iframe')"  # of the browser, in the page that shows a PDF


def test_a_saved_pdf_fills_its_frame(page, tmp_path):
    page.goto(saved(tmp_path, original(pdf("One", "Two"), "a.pdf", "application/pdf")))
    page.until("document.querySelector('.frame.drawn')")
    picture_of_it = "document.querySelector('.saved').getClientRects().length"

    with page.frame(".frame"):
        width, height = page.until(f"{VIEWER} && [{VIEWER}.clientWidth, {VIEWER}.clientHeight]")
    assert width > 1200
    assert height > 400
    assert page.evaluate(picture_of_it) == 0


def test_a_sealed_pdf_fills_its_frame(page, tmp_path):
    document = original(pdf("One", "Two"), "a.pdf", "application/pdf")
    page.goto(saved(tmp_path, document, "password"))
    page.fill("#password", "passwort\n")
    page.until("document.querySelector('#message').textContent.startsWith('Wrong password')")
    page.fill("#password", "password\n")

    with page.frame(".opened"), page.frame(".frame"):
        width = page.until(f"{VIEWER} && {VIEWER}.clientWidth")
    assert width > 1200


LETTERS = {
    "short": "<p>Dear <b>all</b></p>",
    "long": "<p>A paragraph.</p>" * 200,
    "wide": f"<table width=900><tr><td>{'wide ' * 300}</table>",
}
FITTED = "document.querySelector('.frame.told')?.getBoundingClientRect().toJSON()"


@pytest.mark.parametrize("way", ["served", "saved"])
@pytest.mark.parametrize(
    ("kind", "least", "most"), [("short", 20, 100), ("long", 5000, 9000), ("wide", 155, 200)]
)
def test_a_letter_is_as_high_as_its_text_and_as_wide_as_the_phone(
    phone, alice, tmp_path, way, kind, least, most
):
    letter = mail(LETTERS[kind])
    if way == "served":
        phone.goto(alice.upload(letter, "message/rfc822", name="a.eml")["token"]["viewUrl"])
    else:
        phone.goto(saved(tmp_path, original(letter, "a.eml", "message/rfc822")))
    box = phone.until(FITTED)

    assert least < box["height"] < most
    assert box["left"] >= 0
    assert box["right"] <= PHONE[0]
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert phone.heard == []


def pages_of(printed):
    """Return the words of each printed page."""
    with PdfDocument(printed) as paper:
        return [page.get_textpage().get_text_bounded().split() for page in paper]


def test_a_page_of_75_000_words_is_printed_whole(page, alice, tmp_path):
    manual = "".join(f"<p>Paragraph{n} {'of a long manual ' * 18}</p>" for n in range(1376))
    shown = alice.upload(manual.encode(), "text/html", name="manual.html")
    page.goto(shown["token"]["viewUrl"])
    page.until(FITTED)
    words = list(chain(*pages_of(page.print_to(tmp_path / "manual.pdf"))))

    assert len(words) > 75_000
    assert [word for word in words if word.startswith("Paragraph")][-1] == "Paragraph1375"


WIDER = [("text/html", WIDE_TABLE.encode()), ("message/rfc822", mail(WIDE_TABLE))]


@pytest.mark.parametrize(("kind", "data"), WIDER, ids=["page", "letter"])
def test_what_is_wider_than_paper_is_printed_smaller(page, alice, tmp_path, kind, data):
    page.goto(alice.upload(data, kind)["token"]["viewUrl"])
    page.until(FITTED)
    (words,) = pages_of(page.print_to(tmp_path / "wide.pdf"))

    assert {"column1", "column14"} < set(words)


def assert_unharmed(page, listener, address, labels):
    """Wait until the attacks of each frame had time; none did anything to it or the page around."""
    page.goto(address)
    page.until("document.readyState === 'complete'")
    for number, label in enumerate(labels, 1):
        with page.frame(f"iframe:nth-of-type({number})"):
            page.until("document.querySelector('#check')?.textContent")
            if page.evaluate("!!document.querySelector('.frame')"):
                page.until("!!document.querySelector('.frame.told')")
            assert not page.evaluate("'ran' in self"), label

    assert page.evaluate("[location.href, document.title]") == [address, "outside"]
    assert listener.heard == [], labels
    assert page.windows_opened == 0
    assert page.webkit.events_of("saved") == page.webkit.events_of("permission") == []


def test_hostile_documents_do_nothing_in_frames(page, site, listener, documents):  # noqa: F811
    listener.heard.clear()
    framed = partial(view, frame_ancestors=(site.elsewhere,), embed=True)
    for batch in batches(documents):
        shown = [site.put(f"/hostile/{n}", framed(one)) for n, (_, one) in enumerate(batch)]
        assert_unharmed(page, listener, iframes(site, shown), [label for label, _ in batch])


def test_hostile_documents_do_nothing_in_files(page, listener, documents, tmp_path):  # noqa: F811
    """PDF is left out: the browser's own viewer shows it, and its alerts, and loads without end."""
    listener.heard.clear()
    others = [pair for pair in documents if pair[1].content_type != "application/pdf"]
    for batch in batches(others):
        for number, (_, one) in enumerate(batch):
            (tmp_path / f"{number}.html").write_bytes(b"".join(download(one).body))
        frames = "".join(f"<iframe src={number}.html></iframe>" for number in range(len(batch)))
        (tmp_path / "all.html").write_text(f"<title>outside</title>{frames}")
        address = (tmp_path / "all.html").as_uri()
        assert_unharmed(page, listener, address, [label for label, _ in batch])


def test_without_sanitizing_the_policy_alone_stops_every_script_beside_ours(
    page,
    site,
    listener,
    documents,  # noqa: F811
    monkeypatch,
):
    listener.heard.clear()
    monkeypatch.setattr(Original, "run_html_job", uncleaned)
    framed = partial(view, frame_ancestors=(site.elsewhere,), embed=True)
    first = batches(documents)[0]
    shown = [site.put(f"/hostile/{n}", framed(one)) for n, (_, one) in enumerate(first)]
    page.goto(iframes(site, shown))
    for number in range(1, len(shown) + 1):
        with page.frame(f"iframe:nth-of-type({number})"):
            page.until("!!document.querySelector('.frame.told')")

    assert not [path for path in listener.heard if path != "a connection"]


def test_unprotected_attacks_reach_the_listener(page, site, listener, documents):  # noqa: F811
    """The same pages without any protection, so that the silence before would be broken."""
    listener.heard.clear()
    first = batches(documents)[0]
    for number, (_, one) in enumerate(first):
        site.pages[f"/raw/{number}"] = ({"Content-Type": "text/html"}, one.first(one.size))
    page.goto(iframes(site, [f"{site.here}/raw/{number}" for number in range(len(first))]))

    until(lambda: {"/ran", "/frame", "/refresh", "/css", "/srcset"} <= set(listener.heard))


def expect_document(page, name, data):
    """The document is shown, found undamaged by our script, and saved byte for byte."""
    if name in FRAMED:
        with page.frame(".frame"):
            page.until(SHOWN[name])
    else:
        page.until(SHOWN[name])

    assert page.evaluate("document.title") == name
    assert page.until("document.querySelector('#check').textContent") == "✓ verified"
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    assert page.saved_by(".save").read_bytes() == data
    assert page.failed == []


PRINTED = {  # pages, of one or two of each family
    "report.pdf": 2,
    "scan.tiff": 2,
    "sunset.png": 1,
    "notes.txt": 1,
    "README.md": 1,
    "sales.csv": 1,
    "page.html": 1,
    "letter.eml": 1,
    "report.docx": 1,
    "year.xlsx": 3,
    "files.zip": 1,
    "plan.ics": 1,
}


@pytest.mark.parametrize(("size", "dark"), [(PHONE, True), (DESK, False)])
def test_each_kind_is_shown_readable_verified_and_saved_in_a_served_page(page, alice, size, dark):
    page.resize(*size)
    page.set_dark(dark)
    for name, kind, data in SAMPLES:
        page.goto(alice.upload(data, kind, name=name)["token"]["viewUrl"])
        expect_document(page, name, data)
        assert_readable(page, dark=dark)
        assert page.heard == [], name


def test_each_kind_is_printed_whole(page, alice, tmp_path):
    for name, kind, data in SAMPLES:
        if name in PRINTED:
            page.goto(alice.upload(data, kind, name=name)["token"]["viewUrl"])
            if name in FRAMED:
                page.until(FITTED)
            page.until("document.readyState === 'complete'")
            pages = pages_of(page.print_to(tmp_path / "printed.pdf"))
            assert len(pages) == PRINTED[name], name


def test_each_kind_is_shown_verified_and_saved_from_a_file_and_fits_a_screen_that_is_turned(
    page, tmp_path
):
    for number, (name, kind, data) in enumerate(SAMPLES):
        first, second = (PHONE, DESK) if number % 2 else (DESK, PHONE)
        page.resize(*first)
        page.goto(saved(tmp_path, original(data, name, kind)))
        expect_document(page, name, data)
        page.resize(*second)
        assert page.until("document.documentElement.scrollWidth <= innerWidth"), name
        if name != "report.pdf":  # the viewer of the browser says more
            assert page.heard == [], name


NOT_HERE = "This preview does not show the document. Open the file in a browser"
# The buttons that nothing would answer.
DEAD = """[...document.querySelectorAll("button, [data-do]")]
    .filter(one => one.checkVisibility() && !one.form).map(one => one.outerHTML)"""


def test_each_kind_is_shown_from_a_file_without_scripts_or_a_sentence_says_how(phone, tmp_path):
    phone.set_scripts(False)
    try:
        for name, kind, data in SAMPLES:
            phone.goto(saved(tmp_path, original(data, name, kind)))
            phone.until(says(NOT_HERE) if name in FRAMED else SHOWN[name])
            assert phone.evaluate(DEAD) == [], name
            assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0], name
    finally:
        phone.set_scripts(True)


def test_what_libreoffice_converts_is_shown_and_saved(phone, converting, tmp_path):
    writer = converting.register()
    for name, kind, data in CONVERTED:
        document = writer.upload(data, kind, name=name)
        phone.goto(document["token"]["viewUrl"])
        phone.until(DRAWN)
        assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        assert phone.saved_by(".save").read_bytes() == data
        assert phone.heard == phone.failed == [], name
        (tmp_path / "saved.html").write_bytes(download_of(writer, document))
        phone.goto((tmp_path / "saved.html").as_uri())
        phone.until("document.querySelector('.frame.drawn')")
        assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        assert phone.saved_by(".save").read_bytes() == data
        assert [one for one in phone.heard if "Policy" in one] == phone.failed == [], name


def test_a_workbook_that_libreoffice_converts_is_shown(phone, start_service, soffice):
    writer = start_service(RATE_LIMITS="off", CONVERTER=soffice).register()
    ((name, kind, data),) = (one for one in every_kind() if one[0] == "prices.xls")
    phone.goto(writer.upload(data, kind, name=name)["token"]["viewUrl"])

    phone.until("!!document.querySelector('.worksheet td')")
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert phone.heard == phone.failed == []


def test_a_file_with_a_password_says_what_to_do_where_scripts_are_off(phone, tmp_path):
    phone.set_scripts(False)
    try:
        phone.goto(saved(tmp_path, original(b"words", "a.txt", "text/plain"), "password"))

        assert "Open this file in a browser" in phone.evaluate("document.body.innerText")
    finally:
        phone.set_scripts(True)


FIELDS = [
    ("a.pdf", pdf("One", "Two"), "#goto"),
    ("a.txt", b"a line\n" * 200, "#goto-line"),
    ("a.csv", b"a,b\n" + b"1,2\n" * 50, ".filter input"),
]


def test_fields_of_a_phone_are_large_enough_that_it_does_not_zoom_in(phone, alice):
    for name, data, field in FIELDS:
        phone.goto(alice.upload(data, name=name)["token"]["viewUrl"])
        phone.until(f"!!document.querySelector('{field}')")
        style = f"getComputedStyle(document.querySelector('{field}'))"

        assert phone.evaluate(f"parseFloat({style}.fontSize)") >= 16, name
        assert phone.evaluate(f"parseFloat({style}.height)") >= 44, name
