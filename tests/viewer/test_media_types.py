"""viewer/media_types.py"""

import pytest

from viewer.media_types import canonical_type, charset, data_uri_type, is_shown_inline, sniff


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
    ("first", "kind"),
    [
        (b"%PDF-1.4", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"RIFF0000WEBP", "image/webp"),
        (b"RIFF0000WAVE", "audio/wav"),
        (b"0000ftypavif", "image/avif"),
        (b"0000ftypisom", "video/mp4"),
        (b"0000ftypheic", "image/heic"),
        (b"II*\0", "image/tiff"),
        (b"8BPS\0\1", "image/vnd.adobe.photoshop"),
        (b"\0\0\1\0\1\0", "image/x-icon"),
        (b"BM\x36\0\0\0\0\0\0\0", "image/bmp"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (bytes(257) + b"ustar", "application/x-tar"),
        (b"BMW and other words", "text/plain"),
        (b"just words", "text/plain"),
        (b"<html><script>", "text/plain"),
        (b"\x00\x01", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_a_type_is_detected_by_the_first_bytes(first, kind):
    assert sniff(first) == kind


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
