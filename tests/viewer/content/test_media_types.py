"""viewer/content/media_types.py"""

import pytest

from viewer.content.media_types import (
    canonical_type,
    charset,
    data_uri_type,
    is_generic,
    is_shown_inline,
)


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("Text/HTML; charset=UTF-8", "text/html"),
        ("image/jpg", "image/jpeg"),
        (" application/pdf ", "application/pdf"),
        ("", "application/octet-stream"),
        ("nonsense", "application/octet-stream"),
        ("text/html\r\nX: y", "application/octet-stream"),
        ('text/html"><script>', "application/octet-stream"),
    ],
)
def test_a_declared_type_is_normalised_or_rejected(declared, kind):
    assert canonical_type(declared) == kind


@pytest.mark.parametrize("text", ["text/plain; charset=koi8-r", 'text/plain;x=1; CHARSET="koi8-r"'])
def test_the_charset_parameter_is_found(text):
    assert charset(text) == "koi8-r"
    assert charset("text/plain") is None


@pytest.mark.parametrize(
    ("declared", "is_so"),
    [
        ("application/octet-stream", True),
        ("Application/Octet-Stream; charset=binary", True),
        ("binary/octet-stream", True),
        ("application/force-download", True),
        ("", True),
        ("nonsense", True),
        ("text/plain", False),
        ("application/zip", False),
        ("application/x-anything", False),
    ],
)
def test_a_generic_type_says_nothing_of_a_document(declared, is_so):
    assert is_generic(declared) == is_so


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml", "text/xml", "text/javascript"])
def test_active_types_are_never_shown_inline(kind):
    assert not is_shown_inline(kind)
    assert data_uri_type(kind) == "application/octet-stream"


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "audio/mpeg", "text/plain; a=b"])
def test_passive_types_are_shown_inline(kind):
    assert is_shown_inline(kind)


def test_an_svg_in_an_img_element_keeps_its_type():
    assert data_uri_type("image/svg+xml", is_image=True) == "image/svg+xml"
    assert data_uri_type("application/pdf") == "application/pdf"
