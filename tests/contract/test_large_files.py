"""Documents above what an HTML file holds: the original alone is saved."""

import io
from zipfile import ZipFile

import pytest

from tests.console.visitor import Visitor
from tests.contract.requests import AS_PAGE
from tests.people import at
from tests.problems import refused

LARGE = bytes(2000)


@pytest.fixture(scope="module")
def service(start_service):
    """A service that has taken documents larger than an HTML file may be now."""
    service = start_service(RATE_LIMITS="off", MAX_DOCUMENT_BYTES=2000)
    service.alice = Visitor(service).sign_up("large@example.org")
    service.large = service.alice.api.upload(LARGE, "application/pdf", name="plan.pdf")
    service.small = service.alice.api.upload(bytes(1000), name="small.bin")
    service.settings["MAX_DOCUMENT_BYTES"] = 1000
    service.restart()
    return service


@pytest.fixture
def alice(service):
    return service.alice.api


def by(link, path="/s/download"):
    return f"{path}?token={link['token']}"


def test_the_html_file_of_a_large_document_is_refused_and_the_content_named(service, alice):
    link = alice.share(service.large)
    for answer in (
        alice.get(at(service.large, "/download")),
        alice.head(at(service.large, "/download")),
        alice.post(at(service.large, "/download"), json={"password": "word"}),
        alice.open(service.url + by(link)),
        alice.open(service.url + by(link), "POST", json={"password": "word"}),
        alice.open(service.url + by(link, at(service.large, "/download"))),
    ):
        if answer.body:
            refused(answer, 413, "payload_too_large")
            assert answer.json["detail"] == (
                "This document has 2,000 bytes; an HTML file holds 1,000. "
                "Save the original: …/content."
            )
        assert answer.status == 413
    assert alice.get(at(service.small, "/download")).status == 200
    assert alice.get(at(service.large, "/content")).body == LARGE
    assert "document.downloaded" not in alice.event_types(f"&documentId={service.large['id']}")[:3]


def test_an_answer_has_no_download_url_where_there_is_no_file(service, alice):
    collection = alice.collect(service.large)
    for target in (service.large, collection):
        link = alice.share(target)
        assert link["downloadUrl"] is None
        assert link["contentUrl"].startswith(service.url)
    assert service.large["token"]["downloadUrl"] is not None  # when it was one
    together = alice.collect(service.small, title="Two", token={})
    assert together["token"]["downloadUrl"] is not None
    assert alice.upload(bytes(1000))["token"]["downloadUrl"] is not None


def test_a_browser_is_led_from_the_file_to_the_original(service, alice):
    link = alice.share(service.large)
    page = alice.open(service.url + by(link), headers=AS_PAGE)
    assert page.status == 413
    assert f'href="/s/content?token={link["token"]}">Save it' in page.text
    assert alice.open(f"{service.url}/s/content?token={link['token']}").body == LARGE


def test_behind_a_prompt_the_form_saves_the_original(service, alice):
    link = alice.share(service.large, password="hunter22", maxViews=1, permissions=["download"])
    asked = alice.open(service.url + by(link), headers=AS_PAGE)
    assert (asked.status, "Save the document" in asked.text) == (200, True)
    form = {"password": "hunter22"}
    saved = alice.open(service.url + by(link), "POST", form=form, headers=AS_PAGE)
    assert (saved.status, saved.body, saved.kind) == (200, LARGE, "application/pdf")
    assert saved.headers["Content-Disposition"].startswith('attachment; filename="plan.pdf"')
    again = alice.open(service.url + by(link), "POST", form=form, headers=AS_PAGE)
    assert again.status == 410
    assert alice.views(service.large, link) == 1


def test_behind_a_prompt_the_form_saves_the_originals_of_a_collection(service, alice):
    collection = alice.collect(service.large, service.small)
    link = alice.share(collection, password="hunter22", permissions=["download"])
    form = {"password": "hunter22"}
    saved = alice.open(service.url + by(link), "POST", form=form, headers=AS_PAGE)
    names = ZipFile(io.BytesIO(saved.body)).namelist()
    assert names == ["plan.pdf", "small.bin", "SHA256SUMS"]
    assert alice.event_types(f"&collectionId={collection['id']}")[-1] == "collection.downloaded"


def test_the_pages_of_its_owner_offer_the_original_alone(service, alice):
    page = service.alice.get(f"/app/documents/{service.large['id']}").text
    small = service.alice.get(f"/app/documents/{service.small['id']}").text
    offers = ("Save the original", "Save as one HTML file", "Save with a passphrase", 'id="sealed"')
    assert [offer in page for offer in offers] == [True, False, False, False]
    assert [offer in small for offer in offers] == [True] * 4


@pytest.mark.parametrize(
    ("document", "terms", "path"),
    [
        ("large", {}, "/s/content?"),
        ("large", {"password": "hunter22"}, "/s/download?"),
        ("small", {}, "/s/download?"),
    ],
)
def test_a_link_to_save_only_is_copied_with_an_address_that_saves(
    service, alice, document, terms, path
):
    link = alice.share(getattr(service, document), permissions=["download"], **terms)
    copied = service.alice.get(f"/app/links/{link['id']}").text
    assert path in copied
