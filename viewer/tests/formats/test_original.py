"""viewer/formats/original.py"""

import pytest

from viewer.tests.samples import original


def test_a_document_whose_type_is_not_declared_is_read_once_to_detect_it():
    asked = []
    document = original(b"%PDF-1.7", content_type="application/octet-stream")
    read = document.read
    object.__setattr__(document, "read", lambda *span: asked.append(span) or read(*span))

    assert document.has_pages
    assert document.detected_type == "application/pdf"
    assert asked == [(0, 8)]


@pytest.mark.parametrize("nothing", ["application/octet-stream", "binary/octet-stream", "nonsense"])
def test_the_type_is_detected_only_if_none_is_declared(nothing):
    assert original(b"%PDF-1.7", content_type=nothing).media_type == "application/pdf"
    assert original(b"%PDF-1.7", content_type="Text/CSV; x=y").media_type == "text/csv"


def test_an_empty_document_is_not_read():
    document = original(b"")
    object.__setattr__(document, "read", None)

    assert document.first(10) == b""
    assert list(document.pieces()) == []
