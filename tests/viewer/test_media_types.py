"""viewer/media_types.py"""

import pytest

from viewer.media_types import charset, essence, is_shown_inline, link_type, recognise


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
def test_the_essence(declared, kind):
    assert essence(declared) == kind


@pytest.mark.parametrize("text", ["text/plain; charset=koi8-r", 'text/plain;x=1; CHARSET="koi8-r"'])
def test_the_charset(text):
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
        (b"just words", "text/plain"),
        (b"<html><script>", "text/plain"),
        (b"\x00\x01", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_what_the_first_bytes_speak_of(first, kind):
    assert recognise(first) == kind


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml", "text/xml", "text/javascript"])
def test_what_could_run_is_never_served_inline(kind):
    assert not is_shown_inline(kind)
    assert link_type(kind) == "application/octet-stream"


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "audio/mpeg", "text/plain; a=b"])
def test_what_only_shows_itself_is_served_inline(kind):
    assert is_shown_inline(kind)


def test_an_svg_in_an_image_keeps_its_type():
    assert link_type("image/svg+xml", is_image=True) == "image/svg+xml"
    assert link_type("application/pdf") == "application/pdf"
