"""viewer/kinds/office.py"""

import pytest

from tests.viewer import samples
from viewer.kinds.office import preview
from viewer.sandbox.process import ChildFailed


def shown(data):
    return preview(samples.original(data), "x/y")


def test_a_reading_view_says_that_it_is_one():
    document = shown(samples.docx())

    assert (document.label, document.facts) == ("Word document", ())
    assert document.note.startswith("Reading view")
    assert document.body.startswith('<article class="prose"><h1>')


def test_a_sheet_is_broad_and_counted():
    sheet = shown(samples.xlsx())

    assert sheet.facts == ("1 sheet",)
    assert sheet.body.startswith('<article class="prose broad">')


def test_an_archive_needs_no_excuse():
    assert shown(samples.package(a=b"x")).note == ""


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip"])
def test_what_cannot_be_read_is_a_failure(data):
    with pytest.raises(ChildFailed):
        shown(data)
