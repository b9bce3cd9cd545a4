"""The viewer in WebKit, the engine of Safari: as wide as a phone and as a desk."""

import subprocess

import pytest
from PIL import Image

from tests.browser.webkit import WebKitPage
from tests.waiting import until
from viewer.tests.samples import pdf, picture, wav

PHONE = 390, 844
DESK = 1280, 800


@pytest.fixture
def page(webkit_browser):
    page = WebKitPage(webkit_browser)
    yield page
    page.goto("about:blank")
    page.set_dark(False)
    page.resize(*DESK)


@pytest.fixture
def phone(page):
    page.resize(*PHONE)
    return page


# From here on up, so that what is met was not drawn yet; each step answers how far the page jumped.
JUMPS = """
    const settled = () => new Promise(done => setTimeout(done, 120));
    const middle = () => document.elementsFromPoint(innerWidth / 2, innerHeight / 2)
        .map(one => one.closest(".page, .code a")).find(Boolean);
    const jumps = [];
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
    until(lambda: edge - 40 < top_of(page, "#p40") < edge + 40)
    assert jumps_from(page, 0.7) == []
    assert page.heard == []


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_pages_of_a_picture_have_their_place_before_they_are_drawn(page, alice, size):
    scan = picture("TIFF", *["teal", "red"] * 20, size=(1200, 500), compression="tiff_deflate")
    page.resize(*size)
    page.goto(alice.upload(scan, "image/tiff", name="scan.tiff")["token"]["viewUrl"])
    go_to_page(page, 30)

    edge = page.evaluate("document.querySelector('.bar').offsetHeight")
    until(lambda: edge - 40 < top_of(page, "#p30") < edge + 40)
    assert jumps_from(page, 0.7) == []
    assert page.heard == []


def test_a_long_text_whose_lines_are_wrapped_does_not_jump_and_shows_the_line_asked_for(
    phone, alice
):
    text = "".join(f"{n}{' some words of a line' * (n % 30)}\n" for n in range(1, 24_001))
    phone.goto(alice.upload(text.encode(), "text/plain", name="a.txt")["token"]["viewUrl"])
    phone.until("!!document.querySelector('#L24000')")
    phone.fill("#goto-line", "21000\n")

    until(lambda: 0 < top_of(phone, "#L21000") < PHONE[1])
    assert jumps_from(phone, 0.6) == []
    assert phone.heard == []


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
    """Return the share of a page's first picture that is grey, neither white nor letters."""
    subprocess.run(["pdftoppm", "-r", "50", "-gray", "-singlefile", printed, printed], check=True)
    with Image.open(f"{printed}.pgm") as paper:
        shades = paper.histogram()
    return sum(shades[150:248]) / sum(shades)


def test_tables_and_code_are_printed_without_the_shadows_of_their_edges(page, alice, tmp_path):
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 12 + "\n```\n" + "1\n" * 12 + "```\n"
    page.goto(alice.upload(table.encode(), "text/markdown", name="a.md")["token"]["viewUrl"])
    page.until("!!document.querySelector('.prose table')")

    assert grey_of(page.print_to(tmp_path / "a.pdf")) < 0.02
