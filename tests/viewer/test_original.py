"""viewer/original.py"""

import pytest

from tests.viewer.samples import original


def test_first_reads_no_further_than_it_was_asked():
    asked = []
    document = original(b"0123456789")
    object.__setattr__(
        document, "read", lambda start, stop: asked.append((start, stop)) or [b"0123"]
    )

    assert document.first(4) == b"0123"
    assert asked == [(0, 4)]


def test_first_of_a_short_document_is_all_of_it():
    assert original(b"abc").first(4096) == b"abc"


@pytest.mark.parametrize("nothing", ["application/octet-stream", "binary/octet-stream", "nonsense"])
def test_content_speaks_only_where_the_sender_said_nothing(nothing):
    assert original(b"%PDF-1.7", content_type=nothing).kind() == "application/pdf"
    assert original(b"%PDF-1.7", content_type="Text/CSV; x=y").kind() == "text/csv"


def test_an_empty_document_is_never_read():
    document = original(b"")
    object.__setattr__(document, "read", None)

    assert document.first(10) == b""
    assert list(document.pieces()) == []


def test_the_record_has_the_names_of_the_contract():
    assert set(original(b"").record()) == {
        "id",
        "name",
        "contentType",
        "size",
        "sha256",
        "createdAt",
    }
