"""viewer/formats/words/unconverted.py, and when a reading view is shown"""

from dataclasses import replace

import pytest

from tests.viewer import samples
from tests.viewer.outlook_sample import compound_file
from tests.viewer.samples import preview_of
from viewer.rendering.registry import READING
from viewer.sandbox.process import SandboxError

XLS_START = b"\x09\x08\x10\0\0\x06\5\0" + bytes(12)


def shown(data):
    return READING.preview(samples.original(data), "x/y")


def test_a_reading_view_says_what_it_is_and_what_would_show_the_pages():
    document = shown(samples.docx())
    failed = READING.preview(replace(samples.original(samples.docx()), converter=object()), "x/y")

    assert (document.label, document.facts) == ("Word document", ())
    assert document.note.startswith("Reading view")
    assert document.note.endswith("LibreOffice on the server would show its pages.")
    assert failed.note.endswith("LibreOffice could not show its pages.")
    assert document.body.decode().startswith('<article class="prose"><h1>')


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip"])
def test_an_unreadable_office_file_raises(data):
    with pytest.raises(SandboxError):
        shown(data)


@pytest.mark.parametrize(
    ("content_type", "documents"),
    [
        ("application/msword", "Word 97–2003 documents"),
        ("application/vnd.ms-powerpoint", "PowerPoint 97–2003 presentations"),
        ("application/octet-stream", "compound files, as of older office programs"),
        ("application/rtf", "RTF documents"),
        ("image/vnd.djvu", "DjVu pages"),
    ],
)
def test_a_document_that_needs_a_converter_has_a_card_that_says_so(content_type, documents):
    starts = {"application/rtf": samples.RTF, "image/vnd.djvu": b"AT&TFORM"}
    data = starts.get(content_type, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") + bytes(504)
    card = preview_of(samples.original(data, "a", content_type)).body.decode()

    assert f"This service has no converter for {documents}." in card


OPEN = samples.package(**{"META-INF__manifest_dot_xml": b"<m><encryption-data/></m>"})
WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + b"\xec\xa5" + bytes(9) + b"\1"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.xlsx", compound_file({"EncryptedPackage": b"x" * 99, "EncryptionInfo": b"y"})),
        ("a.xls", compound_file({"Workbook": XLS_START + b"\x2f\0\2\0\0\0"})),
        *((f"a.{extension}", OPEN) for extension in ("odt", "ods", "odp")),
        ("a.doc", WORD),
        (
            "a.ppt",
            compound_file({"Current User": b"\0\0\xf6\x0f\x20\0\0\0\x14\0\0\0\xdf\xc4\xd1\xf3"}),
        ),
    ],
)
def test_the_card_says_that_a_document_is_locked_with_a_password(name, data):
    made = preview_of(samples.original(data, name))

    assert "This document is locked with a password." in made.body.decode()
