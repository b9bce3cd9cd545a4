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


def test_a_generic_type_says_nothing_of_a_document():
    generic = ["application/octet-stream", "Application/Octet-Stream; x=y", "", "nonsense"]
    generic += ["binary/octet-stream", "application/force-download"]
    others = ["text/plain", "application/zip", "application/x-anything"]

    assert [one for one in generic + others if is_generic(one)] == generic


def test_only_passive_types_are_shown_inline():
    passive = ["application/pdf", "image/png", "audio/mpeg", "text/plain; a=b"]
    active = ["text/html", "image/svg+xml", "text/xml", "text/javascript"]

    assert [one for one in passive + active if is_shown_inline(one)] == passive
    assert {data_uri_type(one) for one in active} == {"application/octet-stream"}


def test_an_svg_in_an_img_element_keeps_its_type():
    assert data_uri_type("image/svg+xml", is_image=True) == "image/svg+xml"
    assert data_uri_type("application/pdf") == "application/pdf"
