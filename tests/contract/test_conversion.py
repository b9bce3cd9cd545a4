"""Documents and slides are converted by LibreOffice, once, and shown as pages."""

import re
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from tests.console.visitor import Visitor
from tests.people import Person
from tests.service import StartError
from tests.waiting import until
from viewer.tests import samples
from viewer.tests.convertible import docx, open_document

WORD = f"{samples.OPEN_XML}wordprocessingml.document"
RTF = rb"{\rtf1\ansi The first page.\page The second page.}"
AS_TEXT = "Only its text, tables and pictures are shown"
CONVERTED = "Converted by LibreOffice"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def writer(converting):
    return converting.register()


@pytest.fixture(scope="module")
def with_libreoffice(start_service, soffice):
    """Somebody at a service that converts with the real LibreOffice."""
    return start_service(RATE_LIMITS="off", CONVERTER=soffice).register()


def view(person, document):
    return person.get(f"/v1/documents/{document['id']}/view").text


def kept(service):
    """The ids of the previews that are kept."""
    return {id for (id,) in service.sql("SELECT id FROM preview")}


def test_a_document_is_shown_as_pages_and_listed_as_those_of_a_pdf(with_libreoffice):
    writer = with_libreoffice
    document = writer.upload(RTF, "application/rtf", name="letter.rtf")
    page = view(writer, document)
    listed = writer.get(f"/v1/documents/{document['id']}/pages").json
    second = writer.get(f"/v1/documents/{document['id']}/pages/2").json

    assert CONVERTED in page
    assert "RTF document" in page
    assert "data-pages=" in page
    assert [one["text"].strip() for one in listed["pages"]] == [
        "The first page.",
        "The second page.",
    ]
    assert second["picture"].startswith("data:image/")


def test_each_format_is_converted(with_libreoffice):
    text = open_document("<text:p>x</text:p>"), "application/vnd.oasis.opendocument.text"
    for data, content_type in ((docx("x"), WORD), text, (RTF, "application/msword")):
        document = with_libreoffice.upload(data, content_type)
        assert CONVERTED in view(with_libreoffice, document), content_type


def test_a_saved_file_holds_the_pdf_and_the_original(writer):
    document = writer.upload(RTF, "application/rtf")
    saved = writer.get(f"/v1/documents/{document['id']}/download").text
    assert b64encode(b"%PDF-").decode()[:6] in saved.split('id="copy">')[1]
    assert CONVERTED in saved
    assert b64encode(RTF).decode() in saved


def test_a_link_that_permits_to_view_only_gives_the_pages_and_not_the_original(writer):
    document = writer.upload(RTF, "application/rtf")
    page = writer.open(writer.share(document, permissions=["view"])["viewUrl"]).text
    pages = re.search(r'data-pages="([^"]+)"', page)[1]
    assert b64encode(RTF).decode() not in page
    assert writer.open(pages).status == 200
    assert writer.open(pages.replace("/pages", "/content")).json["code"] == "scope_missing"


def test_a_conversion_is_made_once_and_kept(converting, writer):
    document = writer.upload(RTF, "application/rtf")
    before = kept(converting)
    with ThreadPoolExecutor(2) as threads:
        pages = list(threads.map(lambda _: view(writer, document), range(2)))
    made = kept(converting) - before

    assert all(CONVERTED in page for page in pages)
    assert len(made) == 2  # the PDF, and its first page
    view(writer, document)
    assert kept(converting) - before == made


def test_a_browser_is_shown_that_it_is_being_converted_until_it_is(writer):
    document = writer.upload(RTF, "application/rtf")
    link = writer.share(document)["viewUrl"]
    first = writer.open(link, headers=BROWSER)

    assert (first.status, first.headers["Refresh"]) == (202, "2")
    assert "Being prepared" in first.text
    shown = until(lambda: (got := writer.open(link, headers=BROWSER)).status == 200 and got)
    assert CONVERTED in shown.text
    listed, *_ = writer.get(f"/v1/documents/{document['id']}/tokens").json["tokens"]
    assert listed["views"] == 1


@pytest.mark.parametrize("framed", [{"Sec-Fetch-Dest": "iframe"}, {}], ids=["https", "http"])
def test_the_frame_of_the_pages_for_people_asks_again_without_the_cookie(converting, framed):
    visitor = Visitor(converting).sign_up(f"frame{len(framed)}@example.com")
    document = visitor.api.upload(RTF, "application/rtf")
    browser = {"Accept": "text/html", **framed}
    first = visitor.get(f"/app/documents/{document['id']}/view?embed=1", **browser)
    seconds, _, address = first.headers["Refresh"].partition("; url=")
    nobody = Person(converting)

    assert (first.status, seconds) == (202, "2")
    assert address.startswith(f"/v1/documents/{document['id']}/view?embed=1&ticket=")
    again = {**browser, "Sec-Fetch-Dest": "iframe"}
    shown = until(lambda: (got := nobody.get(address, headers=again)).status == 200 and got)
    assert CONVERTED in shown.text
    opened = visitor.get(f"/app/documents/{document['id']}/view?embed=1", **browser)
    policy = "Content-Security-Policy"
    ends = [got.headers[policy].split("frame-ancestors")[1] for got in (opened, shown)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("call", "terms", "proof"),
    [
        ("view", {"password": "right one"}, {"password": "right one"}),
        ("short", {"maxViews": 1}, {}),
        ("short", {"agreement": "Yes."}, {"name": "Ana", "accept": sha256(b"Yes.").hexdigest()}),
        ("view", {"watermark": True, "permissions": ["view"]}, {}),
    ],
    ids=["password", "limit", "agreement", "watermark"],
)
def test_what_a_form_opens_is_counted_once_and_a_ticket_leads_to_it(writer, call, terms, proof):
    document = writer.upload(RTF, "application/rtf")
    link = writer.share(document, **terms)
    first = writer.submit(link, call, BROWSER, **proof)
    seconds, _, address = first.headers["Refresh"].partition("; url=")

    assert (first.status, seconds) == (202, "2")
    assert writer.views(document, link) == 1
    assert address.startswith(f"/v1/documents/{document['id']}/view?ticket=")
    nobody = Person(writer.service)
    shown = until(lambda: (got := nobody.get(address, headers=BROWSER)).status == 200 and got)
    assert CONVERTED in shown.text
    assert writer.views(document, link) == 1
    writer.revoke(document, link)  # before which all views are recorded
    ours = f"&documentId={document['id']}&type=document.viewed"
    assert [event["data"]["count"] for event in writer.events(ours)] == [1]
    own = writer.get(f"/v1/documents/{document['id']}/pages/1").json["picture"]
    assert (own in shown.text) != ("watermark" in terms)


def test_a_form_that_a_program_sends_waits(writer):
    link = writer.share(writer.upload(RTF, "application/rtf"), password="right one")
    shown = writer.submit(link, password="right one")
    assert (shown.status, CONVERTED in shown.text) == (200, True)


def test_a_frame_by_token_is_told_and_a_script_waits(writer):
    document = writer.upload(RTF, "application/rtf")
    script = {"Accept": "text/html", "Sec-Fetch-Dest": "empty"}
    shown = writer.get(f"/v1/documents/{document['id']}/view", headers=script)
    assert (shown.status, CONVERTED in shown.text) == (200, True)
    other = writer.share(writer.upload(RTF, "application/rtf"))["viewUrl"]
    framed = {"Accept": "text/html", "Sec-Fetch-Dest": "iframe"}
    assert writer.open(other, headers=framed).status == 202
    assert CONVERTED in writer.open(other).text  # other tests count what is kept


def test_the_kept_pdf_is_sealed_and_dropped_with_the_document(converting, writer):
    document = writer.upload(RTF, "application/rtf")
    before = kept(converting)
    view(writer, document)
    assert kept(converting) > before
    assert not any(b"%PDF-" in stored for stored in converting.files().values())
    writer.delete(f"/v1/documents/{document['id']}")
    assert not kept(converting) - before


def test_where_the_conversion_fails_there_is_a_reading_view(with_libreoffice):
    writer = with_libreoffice
    damaged = samples.package(**{"word/document.xml": b"<w:document/>"})
    document = writer.upload(damaged, WORD)
    assert CONVERTED not in view(writer, document)
    assert writer.get(f"/v1/documents/{document['id']}/pages").json["code"] == "not_found"


def test_without_a_converter_a_word_document_is_text_and_has_no_list_of_pages(alice):
    document = alice.upload(docx("x"), WORD)
    assert AS_TEXT in view(alice, document)
    assert alice.get(f"/v1/documents/{document['id']}/pages").json["code"] == "not_found"


def test_a_converter_that_does_not_exist_stops_the_start(start_service):
    with pytest.raises(StartError, match="DOCSERVICE_CONVERTER is '/nowhere/soffice'"):
        start_service(CONVERTER="/nowhere/soffice")
