"""The page in Firefox: served, and opened from a file without a network."""

import json

import pytest

from crypto.password_file import PasswordSeal
from tests.browser.firefox import Page
from tests.browser.test_ranges_in_browser import (
    AT_ONCE,
    CLICKS,
    LOADED,
    LONG,
    WORDS,
)
from tests.waiting import until
from viewer import download, sealed_download, view
from viewer.tests.samples import every_kind, original, pdf

# Counts the turns that a timer gets while rows are sorted.
TURNS = """
window.turns = 0;
const turn = () => {
  if (document.querySelector(".grid")?.hasAttribute("aria-busy")) window.turns++;
  setTimeout(turn);
};
turn();
"""


def text(words):
    return f"document.body.innerText.includes({json.dumps(words)})"


def picture(width):
    return f"document.querySelector('main img').naturalWidth === {width}"


SHOWN = {  # what holds as soon as a person sees or hears the document
    "report.pdf": "!!document.querySelector('#p1 image, .saved img')",
    "sunset.png": picture(240),
    "logo.svg": "document.querySelector('main img').getBoundingClientRect().width > 100",
    "scan.tiff": picture(60),
    "notes.txt": text("and another, with é and <tags>."),
    "README.md": text("said somebody"),
    "sum.py": text("def add(a: int, b: int = 1) -> int:"),
    "data.json": text("1e400"),
    "sales.csv": text("2026-01-28"),
    "page.html": text("A page with a link"),
    "letter.eml": text("Dear all"),
    "tone.wav": "document.querySelector('audio').duration === 1",
    "clip.webm": "document.querySelector('video').videoWidth === 64",
    "report.docx": text("why it matters to the people"),
    "sheet.xlsx": text("North"),
    "year.xlsx": text("Summer"),
    "talk.pptx": text("LibreOffice, which shows this document, is not installed"),
    "files.zip": text("b/c.txt"),
    "photo.heic": picture(64),
    "poster.psd": picture(6),
    "sales.tsv": text("2026-01-28"),
    "plain.eml": text("see the attachment"),
    "files.tar.gz": text("notes"),
    "logo.svgz": "document.querySelector('main img').getBoundingClientRect().width > 100",
    "mystery.bin": text("There is no preview for this type."),
    "sales.ipynb": text("KeyError"),
    "plan.ics": text("Planning, first part"),
    "ada.vcf": text("Main Street 1"),
    "empty.txt": text("This document is empty."),
}
FRAMED = ("page.html", "letter.eml")
SAMPLES = [one for one in every_kind() if one[0] in SHOWN]
CONVERTED = [one for one in every_kind() if one[0] in {"talk.pptx", "minutes.odt", "contract.rtf"}]
DRAWN = "!!document.querySelector('#p1 image, .saved img')"


@pytest.fixture
def page(firefox):
    with Page(firefox) as page:
        yield page


def opened(page, tmp_path, made):
    """Save a rendered page and open it from disk, without a network."""
    (tmp_path / "file.html").write_bytes(b"".join(made.body))
    page.disconnect()
    page.goto(address := (tmp_path / "file.html").as_uri())
    return address


def expect_document(page, name, data):
    """The document is shown, found undamaged by our script, and saved byte for byte."""
    inner = page.frame() if name in FRAMED else page
    inner.until(SHOWN[name])

    assert page.evaluate("document.title") == name
    assert page.until("document.querySelector('#check').textContent") == "✓ verified"
    assert page.saved_by(".save").read_bytes() == data
    assert page.heard == []


def download_of(person, document):
    """The document as one file, made by the service."""
    return person.get(f"/v1/documents/{document['id']}/download").body


def asked_outside(page, own):
    """What the page asked for beyond the addresses that begin so, and what it holds."""
    return [one for one in page.asked if not one.startswith((own, "data:", "blob:"))]


def test_firefox_shows_verifies_and_saves_each_kind_in_a_served_page(page, service, alice):
    for name, kind, data in SAMPLES:
        page.goto(alice.upload(data, kind, name=name)["token"]["viewUrl"])
        expect_document(page, name, data)
        assert asked_outside(page, service.url) == [], name
        page.firefox.events.clear()


def test_firefox_shows_verifies_and_saves_each_kind_from_a_file(page, tmp_path):
    for name, kind, data in SAMPLES:
        address = opened(page, tmp_path, download(original(data, name, kind)))
        expect_document(page, name, data)
        assert asked_outside(page, address) == [], name
        page.firefox.events.clear()


def test_firefox_shows_what_libreoffice_converts_and_saves_it(page, converting, tmp_path):
    writer = converting.register()
    for name, kind, data in CONVERTED:
        document = writer.upload(data, kind, name=name)
        page.goto(document["token"]["viewUrl"])
        page.until(DRAWN)
        assert page.saved_by(".save").read_bytes() == data
        assert page.heard == [], name
        page.firefox.events.clear()
        (tmp_path / "file.html").write_bytes(download_of(writer, document))
        page.goto((tmp_path / "file.html").as_uri())
        page.until(DRAWN)
        assert page.saved_by(".save").read_bytes() == data
        assert page.heard == [], name
        page.firefox.events.clear()


def test_firefox_shows_a_workbook_that_libreoffice_converts(page, start_service, soffice):
    writer = start_service(RATE_LIMITS="off", CONVERTER=soffice).register()
    ((name, kind, data),) = (one for one in every_kind() if one[0] == "prices.xls")
    page.goto(writer.upload(data, kind, name=name)["token"]["viewUrl"])

    page.until("!!document.querySelector('.worksheet td')")
    assert page.heard == []


def test_firefox_draws_the_pages_of_a_pdf_as_they_come_into_view(page, alice):
    book = pdf(*(f"Chapter {n}" for n in range(1, 41)))
    page.goto(alice.upload(book, "application/pdf")["token"]["viewUrl"])
    page.until("!!document.querySelector('#p1 image')")
    assert not page.evaluate("!!document.querySelector('#p40 image')")
    page.evaluate("document.querySelector('#p40').scrollIntoView()")

    page.until("!!document.querySelector('#p40 image')")
    assert page.heard == []


def test_the_pdf_viewer_of_firefox_shows_a_saved_file_offline(firefox_with_pdf, tmp_path):
    with Page(firefox_with_pdf) as page:
        document = original(pdf("One", "Two"), "a.pdf", "application/pdf")
        address = opened(page, tmp_path, download(document))
        page.frame().until("!!document.querySelector('.page[data-loaded]')")

        assert page.frame().evaluate("document.querySelectorAll('.page').length") == 2
        assert not [message for message in page.heard if "Policy" in message]
        assert asked_outside(page, address) == []


def test_firefox_opens_a_sealed_file_with_its_password_only(page, tmp_path):
    document = original(b"behind a word", "a.txt", "text/plain")
    address = opened(
        page, tmp_path, sealed_download(document, PasswordSeal("password", rounds=1000))
    )
    page.click("#password")
    page.type("passwort")
    page.click("#open")
    page.until("document.querySelector('#message').textContent.startsWith('Wrong password')")
    page.until("!document.querySelector('#open').disabled")
    page.evaluate("document.querySelector('#password').value = ''")
    page.click("#password")
    page.type("password")
    page.click("#open")
    inner = page.frame()

    inner.until(text("behind a word"))
    inner.until("document.querySelector('#check').textContent === '✓ verified'")
    assert inner.saved_by(".save").read_bytes() == b"behind a word"
    assert page.heard == []
    assert asked_outside(page, address) == []


def test_firefox_reports_a_damaged_copy(page, tmp_path):
    opened(page, tmp_path, download(original(b"words", "a.txt", "text/plain", sha256="00" * 32)))

    page.until("document.querySelector('#check').textContent.includes('damaged')")


def test_a_breach_of_the_policy_and_a_request_would_be_noticed(page, site):
    made = view(original(b"words", "a.txt", "text/plain"))
    site.pages["/asked.png"] = ({"Content-Type": "image/png"}, b"")
    for path, headers in (("/breach", made.headers), ("/request", {"Content-Type": "text/html"})):
        hostile = f"<img src='{site.here}/asked.png'><script>console.log(1)</script>"
        site.pages[path] = (headers, hostile.encode())
        page.goto(site.here + path)

    until(lambda: page.evaluate("1") and page.heard[-1:] == ["1"])
    heard = "\n".join(page.heard)

    assert "blocked an inline script" in heard
    assert f"blocked the loading of a resource (img-src) at {site.here}/asked.png" in heard
    assert page.asked.count(f"{site.here}/asked.png") == 1


def test_text_of_a_pdf_is_found_and_marked_and_its_pages_are_turned(page, alice):
    document = alice.upload(pdf("One", "Two", "Two again"), "application/pdf")
    page.goto(document["token"]["viewUrl"])
    page.until("document.documentElement.dataset.text === 'all'")
    page.evaluate("viewer.actions['/']()")
    page.type("two")
    page.until("document.querySelector('#found').textContent === '1 of 2'")
    page.until("document.querySelector('#p2 .now')?.getBBox().width > 10")
    page.evaluate("viewer.actions.r()")
    shape = "document.querySelector('#p2 svg').getAttribute('viewBox')"
    assert page.evaluate(shape) == "0 0 200 300"
    assert page.heard == []


def test_a_table_that_the_page_does_not_hold_is_loaded_in_ranges_to_its_last_row(page, alice):
    rows = 190_000  # 9 MiB
    table = b"id,word\n" + b"".join(b"%d,%040d\n" % (n, n % 7) for n in range(rows))
    page.goto(alice.upload(table, "text/csv", name="a.csv")["token"]["viewUrl"])
    page.until("document.querySelector('.filter [role=status]').textContent === '190,000 rows'")
    page.evaluate("document.querySelector('.grid').scrollTop = 1e9")
    last = "[...document.querySelectorAll('tbody tr:not(.space)')].at(-1)"

    page.until(f"{last}.cells[0].textContent === '190000'")
    page.until(f"{last}.getBoundingClientRect().bottom < innerHeight")
    assert page.evaluate(f"{last}.cells[1].textContent") == "189999"
    left = "cells[2].getBoundingClientRect().left"
    assert page.evaluate(f"{last}.{left} === document.querySelector('thead tr').{left}")
    assert page.heard == []


@pytest.mark.parametrize("kind", ["served", "saved"])
def test_firefox_answers_while_a_long_table_is_sorted_and_takes_the_last_click(
    firefox, page, site, tmp_path, kind
):
    script = f"() => {{ {TURNS} {AT_ONCE} }}"
    firefox.call("script.addPreloadScript", functionDeclaration=script, contexts=[page.context])
    document = original(LONG.encode(), "a.csv", "text/csv")
    if kind == "served":
        site.pages["/original"] = {"Content-Type": "text/csv", **LOADED}, LONG.encode()
        page.goto(site.put("/shown", view(document, content_url=f"{site.here}/original?ticket=t")))
    else:
        opened(page, tmp_path, download(document))
    page.until("document.querySelector('.filter [role=status]').textContent === '120,000 rows'")
    rows = "[...document.querySelectorAll('tbody tr:not(.space)')]"
    page.until(f"{rows}.at(-1).cells[0].textContent === '{WORDS}'")
    page.until(f"{rows}.at(-1).getBoundingClientRect().bottom < innerHeight")
    assert page.evaluate(f"{rows}.length") <= 120
    page.evaluate(f"({CLICKS})(['kind', 'word', 'word'])")
    page.until("window.busy.length === 2")
    page.until("!document.querySelector('.grid').hasAttribute('aria-busy')")

    assert page.evaluate("window.busy") == [True, True]
    assert page.evaluate("window.turns") > 20
    assert page.evaluate("document.querySelector('[aria-sort=descending]').textContent") == "word"
    last = 1 + (WORDS - 1) * pow(7919, -1, WORDS) % WORDS
    page.until(f"{rows}[0].cells[0].textContent === '{last}'")
    left = "cells[3].getBoundingClientRect().left"
    assert page.evaluate(f"{rows}[0].{left} === document.querySelector('thead tr').{left}")
    assert page.heard == []
