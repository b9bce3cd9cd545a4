"""A document that is too large to be shown, in a real browser."""

import pytest

from tests.forms import FORM, body, field, file

pytestmark = pytest.mark.slow
SIZE = (256 << 20) + 1


@pytest.fixture(scope="module")
def large(start_service):
    """A PDF above 256 MiB."""
    alice = start_service(RATE_LIMITS="off", MAX_DOCUMENT_BYTES=SIZE).register()
    parts = (file("plan.pdf", b"%PDF-1.7\n" + bytes(SIZE - 9)), field("token", b"{}"))
    answer = alice.post("/v1/documents", data=body(*parts), headers={"Content-Type": FORM})
    assert answer.status == 201
    return answer.json


def test_what_is_too_large_to_be_parsed_is_a_card_and_saved_as_it_is(page, large):
    page.goto(large["token"]["viewUrl"])
    assert page.text_content(".card h2") == "Too large to be shown here. Save it to open it."
    with page.expect_download() as saving:
        page.click("a[aria-label='Save original']")
    saved = saving.value.path()
    assert saving.value.suggested_filename == "plan.pdf"
    assert saved.stat().st_size == SIZE
    with saved.open("rb") as content:
        assert content.read(9) == b"%PDF-1.7\n"
    assert large["token"]["downloadUrl"] is None
