"""What a recipient does with a link in WebKit, the engine of Safari, on a phone and embedded."""

import contextlib
from zipfile import ZipFile

import pytest

from crypto.password_file import PasswordSeal
from tests.browser.test_service_in_browser import LISTENING
from tests.browser.webkit import PHONE, assert_readable, window
from viewer.tests.samples import CSV, budget, mail, pdf, several

MESSAGE = "document.querySelector('[role=alert]')?.textContent.includes('not the password')"

# As a person does; the driver cannot type into a frame of another site.
SEND_PASSWORD = """
    const field = document.querySelector("#password");
    field.value = "hunter22";
    field.form.requestSubmit();
"""


@pytest.fixture
def phone(webkit_browser):
    with window(webkit_browser, PHONE) as page:
        yield page


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def text(words):
    return f"document.querySelector('main')?.innerText.includes('{words}')"


def test_a_link_with_a_password_and_an_agreement_is_opened_and_its_document_saved(phone, alice):
    document = alice.upload(b"behind a word", name="w.txt")
    terms = {"password": "hunter22", "agreement": "I keep this to myself."}
    phone.goto(alice.share(document, **terms)["shortUrl"])
    assert phone.evaluate(text("I keep this to myself."))
    assert fits(phone)
    phone.fill("#name", "Ana Silva")
    phone.click("[name=accept]")
    phone.fill("#password", "hunter23\n")
    phone.until(MESSAGE)
    phone.click("[name=accept]")
    phone.fill("#password", "hunter22\n")
    phone.until(text("behind a word"))

    assert fits(phone)
    assert phone.saved_by(".save").read_bytes() == b"behind a word"
    assert phone.heard == []


def test_a_file_is_sent_to_a_request(phone, alice, tmp_path):
    terms = {"title": "Papers", "token": {"permissions": ["upload"]}}
    link = alice.post("/v1/collections", json=terms).json["token"]
    (tmp_path / "one.txt").write_bytes(b"content of one")
    phone.goto(link["shortUrl"])
    phone.choose("#file", tmp_path / "one.txt")
    phone.until("document.querySelector('#queue bdi')?.textContent === 'one.txt'")
    phone.click("form button.button")
    phone.until("document.querySelector('#receipts bdi')?.textContent === 'one.txt'")

    assert fits(phone)
    assert phone.heard == []


# Each time that the page is drawn, what is framed could say another height.
DRAWN_OFTEN = """
    return new Promise(done => {
        const draw = left => left ? requestAnimationFrame(() => draw(left - 1)) : done();
        draw(20);
    });
"""
NOT_FOCUSED = "SECURITY ERROR Blocked autofocusing on a form control in a cross-origin subframe."


@pytest.mark.parametrize(("name", "data"), [("sales.csv", CSV), ("year.xlsx", budget())])
def test_what_is_embedded_needs_no_cookies_and_keeps_its_height(
    phone, site, service, alice, name, data
):
    link = alice.share(
        alice.upload(data, name=name), allowedOrigins=[site.elsewhere], password="hunter22"
    )
    script = f'<script src="{service.url}/embed.js" data-url="{link["viewUrl"]}"></script>'
    site.show(f"<!doctype html><body>{LISTENING}{script}")
    phone.set_third_party_cookies(False)
    phone.goto(site.elsewhere)
    with phone.frame():
        phone.until("!!document.querySelector('#password')")
        phone.run(SEND_PASSWORD)
        phone.until("document.querySelector('#check')?.textContent === '✓ verified'")
        phone.until("!!document.querySelector('.grid td, .worksheet td')")
    height = "document.querySelector('iframe').offsetHeight"
    phone.until("heard.includes('ready')")
    first = phone.evaluate(height)
    phone.run(DRAWN_OFTEN)

    assert phone.evaluate(height) == first > 150
    assert phone.evaluate("heard.filter(one => one === 'size').length") <= 1
    assert phone.heard == [NOT_FOCUSED]


FILES = [
    ("notes.md", "text/markdown", b"# Notes of the day"),
    ("letter.eml", "message/rfc822", mail("<p>Dear <b>all</b></p>")),
    ("report.pdf", "application/pdf", pdf("One", "Two")),
    ("sales.csv", "text/csv", CSV),
]
VERIFIED = "document.querySelector('#check')?.textContent === '✓ verified'"


def test_a_collection_is_leafed_through_in_the_dark_and_saved_as_files_and_as_one(phone, alice):
    documents = [alice.upload(data, kind, name=name) for name, kind, data in FILES]
    link = alice.share(alice.collect(*documents, title="Offer"))
    phone.set_dark(True)
    phone.goto(link["shortUrl"])
    for name, *_ in FILES:
        assert_readable(phone, dark=True)
        assert fits(phone)
        phone.click("[rel=next]" if name != "notes.md" else "li:nth-child(1) a")
        phone.until(f"document.title === '{name}'")
        phone.until(VERIFIED)
    phone.click("[rel=up]")
    phone.until("document.title === 'Offer'")

    with ZipFile(phone.saved_by("a.button[download]")) as packed:
        assert [packed.read(name) for name, *_ in FILES] == [data for *_, data in FILES]
    assert b"Offer" in phone.saved_by("a.dim[download]").read_bytes()
    assert phone.heard == phone.failed == []


@pytest.mark.parametrize("password", [None, "word"])
def test_a_saved_collection_shows_each_of_its_documents(phone, tmp_path, password):
    seal = PasswordSeal(password, rounds=1000) if password else None
    (tmp_path / "offer.html").write_bytes(several(FILES, seal))
    phone.goto((tmp_path / "offer.html").as_uri())
    with contextlib.ExitStack() as frames:
        if password:
            phone.fill("#password", "word\n")
            frames.enter_context(phone.frame(".opened"))
        phone.until("!!document.querySelector('li a')")
        assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        phone.click("li:nth-child(1) a")
        for name, _, data in FILES:
            phone.until("document.querySelector('#shown')?.getBoundingClientRect().height > 100")
            with phone.frame("#shown"):
                phone.until(f"document.title === '{name}'")
                phone.until(VERIFIED)
                assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
                assert phone.saved_by(".save").read_bytes() == data
            if name != "sales.csv":
                phone.click("#next")
    assert [one for one in phone.heard if "Policy" in one] == phone.failed == []
