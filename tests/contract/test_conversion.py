"""Documents and slides are converted by LibreOffice, once, and shown as pages."""

import re
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from html import unescape

import pytest

from tests.clock import ClockedService
from tests.console.visitor import Visitor
from tests.people import Person
from tests.service import StartError
from tests.waiting import until
from viewer.tests import samples
from viewer.tests.convertible import docx, open_document, stand_in, workbook

WORD = f"{samples.OPEN_XML}wordprocessingml.document"
WORKBOOK = f"{samples.OPEN_XML}spreadsheetml.sheet"
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


@pytest.fixture
def hurry(tmp_path):
    """A file; as long as it is missing, each conversion takes more time than it may."""
    return tmp_path / "program" / "hurry"


@pytest.fixture
def slow(tmp_path, tmp_path_factory, hurry):
    """A service with a clock to set, whose conversions are slow."""
    program = stand_in(tmp_path)
    busy = f"[ -e '{hurry}' ] || {{ ulimit -t 1; while :; do :; done; }}"
    program.write_text(program.read_text().replace("\n", f"\n{busy}\n", 1))
    folder = tmp_path_factory.mktemp("service")
    service = ClockedService(folder, RATE_LIMITS="off", CONVERTER=program)
    yield service
    service.close()


@pytest.mark.slow
def test_a_conversion_that_took_too_long_says_so_and_is_tried_again_later(slow, hurry):
    writer = slow.register()
    document = writer.upload(RTF, "application/rtf")
    assert "LibreOffice took too long" in view(writer, document)
    hurry.touch()
    assert "LibreOffice took too long" in view(writer, document)
    slow.set_clock(minutes=3)
    assert CONVERTED in view(writer, document)


def test_without_a_converter_a_word_document_is_text_and_has_no_list_of_pages(alice):
    document = alice.upload(docx("x"), WORD)
    assert AS_TEXT in view(alice, document)
    assert alice.get(f"/v1/documents/{document['id']}/pages").json["code"] == "not_found"


def test_a_converter_that_does_not_exist_stops_the_start(start_service):
    with pytest.raises(StartError, match="DOCSERVICE_CONVERTER .*; it takes off, or"):
        start_service(CONVERTER="/nowhere/soffice")


def other_view(page):
    """The address that leads to the other view of a workbook; None if there is none."""
    found = re.search(
        r'<a class="button other-view" href="https?://[^/]+([^"]+)">([^<]+)', page.text
    )
    return found and (found[2], unescape(found[1]))


@pytest.fixture
def sales(writer):
    return writer.upload(workbook(), WORKBOOK, name="sales.xlsx")


@pytest.mark.parametrize("embed", ["", "&embed=1"], ids=["page", "frame"])
def test_a_workbook_leads_to_its_pages_and_back_without_a_second_view(writer, sales, embed):
    link = writer.share(sales)
    nobody = Person(writer.service)
    table = nobody.open(link["viewUrl"] + embed)
    words, address = other_view(table)
    pages = nobody.get(address)
    back, returned = other_view(pages)

    assert 'class="worksheet"' in table.text
    assert (words, back) == ("As pages", "As a table")
    assert address.endswith(f"{embed}&as=pages")
    assert "Drawn by LibreOffice as it would be printed" in pages.text
    assert "data-pages=" in pages.text
    assert 'class="worksheet"' in nobody.get(returned).text
    assert writer.views(sales, link) == 1


def test_a_link_with_one_view_leads_to_the_pages_as_well(writer, sales):
    link = writer.share(sales, maxViews=1, password="right one")
    opened = writer.submit(link, "view", password="right one")
    _, address = other_view(opened)

    assert "Drawn by LibreOffice" in Person(writer.service).get(address).text
    assert writer.views(sales, link) == 1


def test_the_pages_of_a_workbook_are_listed_and_drawn(writer, sales):
    listed = writer.get(f"/v1/documents/{sales['id']}/pages").json
    first = writer.get(f"/v1/documents/{sales['id']}/pages/1").json

    assert [page["text"].strip() for page in listed["pages"]] == ["The first page."]
    assert first["picture"].startswith("data:image/")


def test_the_prompt_of_a_link_keeps_which_view_it_leads_to(writer, sales):
    link = writer.share(sales, password="right one")
    nobody = Person(writer.service)
    prompt = nobody.open(link["viewUrl"] + "&as=pages")
    path = link["viewUrl"].removeprefix(writer.service.url).partition("?")[0]
    for password in ("wrong", "right one"):
        query = unescape(re.search(r'<form method="post" action="([^"]+)"', prompt.text)[1])
        prompt = nobody.request("POST", path + query, form={"password": password})

    assert "Drawn by LibreOffice" in prompt.text


def test_a_browser_waits_for_the_pages_of_a_workbook(writer, sales):
    link = writer.share(sales)["viewUrl"]
    _, address = other_view(writer.open(link))
    nobody = Person(writer.service)

    assert nobody.get(address, headers=BROWSER).status == 202
    shown = until(lambda: (got := nobody.get(address, headers=BROWSER)).status == 200 and got)
    assert "Drawn by LibreOffice" in shown.text


def test_a_saved_workbook_is_its_table(writer, sales):
    saved = writer.get(f"/v1/documents/{sales['id']}/download?as=pages")

    assert 'class="worksheet"' in saved.text
    assert other_view(saved) is None


def test_the_owner_sees_the_pages_of_a_workbook_in_the_frame_of_its_page(converting):
    visitor = Visitor(converting).sign_up("sheets@example.com")
    document = visitor.api.upload(workbook(), WORKBOOK, name="sales.xlsx")
    framed = visitor.get(f"/app/documents/{document['id']}/view?embed=1", Accept="text/html")
    _, address = other_view(framed)

    assert "&embed=1&as=pages" in address
    assert "Drawn by LibreOffice" in Person(converting).get(address).text


def test_without_libreoffice_a_workbook_has_one_view(service):
    writer = service.register()
    document = writer.upload(workbook(), WORKBOOK, name="sales.xlsx")
    link = writer.share(document)["viewUrl"]

    assert other_view(writer.open(link)) is None
    assert 'class="worksheet"' in writer.open(link + "&as=pages").text
    assert (
        writer.get(f"/v1/documents/{document['id']}/pages", errors=()).json["code"] == "not_found"
    )


def test_other_documents_are_shown_as_always(writer):
    document = writer.upload(b"# Title\n", "text/markdown")
    page = writer.get(f"/v1/documents/{document['id']}/view?as=pages")

    assert 'class="prose"' in page.text


def test_libreoffice_draws_the_pages_of_a_workbook(with_libreoffice):
    document = with_libreoffice.upload(workbook(), WORKBOOK, name="sales.xlsx")
    page = with_libreoffice.get(f"/v1/documents/{document['id']}/view?as=pages")

    assert "Drawn by LibreOffice" in page.text
    assert ">North</text>" in page.text
