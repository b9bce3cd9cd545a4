"""viewer/kinds/office.py"""

import pytest

from tests.viewer import samples
from viewer.kinds.office import preview
from viewer.sandbox.process import SandboxError


def shown(data):
    return preview(samples.original(data), "x/y")


def test_an_office_preview_has_a_note_that_the_layout_may_differ():
    document = shown(samples.docx())

    assert (document.label, document.facts) == ("Word document", ())
    assert document.note.startswith("Reading view")
    assert document.body.decode().startswith('<article class="prose"><h1>')


@pytest.mark.parametrize("make", [samples.xlsx, samples.ods])
def test_a_workbook_with_another_type_is_shown_as_a_spreadsheet(make):
    assert shown(make()).kind == "sheets"


def test_another_zip_is_shown_as_an_archive():
    assert shown(samples.package(a=b"x")).kind == "archive"


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip"])
def test_an_unreadable_office_file_raises(data):
    with pytest.raises(SandboxError):
        shown(data)
