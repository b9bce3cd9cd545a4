"""viewer/formats/pictures/picture.py"""

import base64
import gzip

import pytest

from viewer.formats.pictures import pictures
from viewer.formats.pictures.picture import audio_video_preview, has_size, image_preview
from viewer.tests.samples import HEIC, SVG, original, picture, preview_of, psd

PUBLIC = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd"'
NESTED = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><svg>&b;</svg>'
TOO_LARGE = "This picture has too many pixels to be shown here. Save it to open it."


def shown(data, content_type="application/octet-stream"):
    return preview_of(original(data, "a", content_type))


@pytest.mark.parametrize(
    ("data", "label", "facts"),
    [
        (picture("TIFF"), "TIFF image", "60 × 40 pixels"),
        (picture("JPEG2000"), "JPEG 2000 image", "60 × 40 pixels"),
        (HEIC, "HEIC image", "64 × 48 pixels"),
        (psd(), "Photoshop image", "6 × 4 pixels"),
        (picture("TIFF", big_tiff=True), "TIFF image", "60 × 40 pixels"),
        (picture("JPEG2000", no_jp2=True), "JPEG 2000 image", "60 × 40 pixels"),
        (picture("ICNS", size=(32, 32)), "Icon", "1,024 × 1,024 pixels"),
        (picture("DDS"), "DDS image", "60 × 40 pixels"),
        (picture("PCX"), "PCX image", "60 × 40 pixels"),
        (picture("SGI"), "SGI image", "60 × 40 pixels"),
        (picture("QOI"), "QOI image", "60 × 40 pixels"),
        (picture("TIFF", mode="LAB"), "TIFF image", "60 × 40 pixels"),
    ],
)
def test_a_picture_is_recognised_by_its_content_and_shown_with_its_size(data, label, facts):
    preview = shown(data)

    assert (preview.kind, preview.label, preview.facts) == ("image", label, (facts,))
    assert b'<div class="stage"' in preview.body
    assert "zoom" in preview.tools


@pytest.mark.parametrize("kind", ["application/octet-stream", "image/svg+xml"])
def test_a_packed_drawing_is_drawn(kind):
    preview = preview_of(original(gzip.compress(SVG), "a.svgz", kind))

    assert (preview.kind, preview.label) == ("image", "SVG image")
    assert b"data:image/svg+xml;base64," + base64.b64encode(SVG) in preview.body


@pytest.mark.parametrize(
    "data", [gzip.compress(b"<html>"), gzip.compress(SVG)[:40]], ids=("page", "cut")
)
def test_what_is_packed_and_no_drawing_has_a_card(data):
    assert preview_of(original(data, "a.svgz")).kind == "unknown"


def test_several_pages_are_shown_one_below_the_other():
    preview = shown(picture("TIFF", "red", "blue"), "image/tiff")

    assert (preview.kind, preview.facts) == ("pictures", ("2 pages",))
    assert preview.body.count(b'<section class="page"') == 2
    assert "pages" in preview.tools


def test_a_note_says_what_is_not_shown(monkeypatch):
    monkeypatch.setattr(pictures, "MAX_PAGES", 1)
    monkeypatch.setattr(pictures, "MAX_SHOWN_OF_MANY", 600)
    options = {"type": "image/tiff"}
    pictures.prepare(b"", options)
    ((facts, _),) = pictures.render(picture("TIFF", "red", "blue"), options)

    assert "Showing 1 of 2 pages" in facts["note"]
    assert "fewer pixels" in facts["note"]
    assert "without its layers" in shown(psd()).note


def test_a_picture_with_too_many_pixels_has_a_card_that_says_so():
    data = picture("PPM").replace(b"60 40", b"60000 40000")

    assert TOO_LARGE in shown(data, "image/x-portable-pixmap").body.decode()


@pytest.mark.parametrize("data", [b"II*\0", b"8BPS\0\1", HEIC[:200]])
def test_a_damaged_picture_has_a_card(data):
    assert shown(data).kind == "unknown"


@pytest.mark.parametrize(
    ("kind", "element", "label"),
    [
        ("audio/x-aiff", "audio", "AIFF audio"),
        ("video/mp4", "video", "MP4 video"),
        ("video/quicktime", "video", "QuickTime video"),
        ("video/x-msvideo", "video", "AVI video"),
    ],
)
def test_the_player_element_carries_the_bytes(kind, element, label):
    preview = audio_video_preview(original(b"x"), kind)

    assert (preview.kind, preview.carrier, preview.label) == (element, element, label)


@pytest.mark.parametrize(
    ("kind", "label"),
    [("image/png", "PNG image"), ("image/svg+xml", "SVG image"), ("image/webp", "WebP image")],
)
def test_the_img_element_carries_the_bytes(kind, label):
    preview = image_preview(original(b"<svg/>"), kind)

    assert (preview.carrier, preview.label, preview.body.decode()) == ("img", label, "")


@pytest.mark.parametrize(
    ("attributes", "sized"),
    [
        ('width="20" height="10"', True),
        ("height = '1.5em' viewBox='0 0 1 1' width='20mm'", True),
        ('style="width:20px;height: 10px"', True),
        ('viewBox="0 0 20 10"', False),
        ('width="100%" height="100%"', False),
        ('width="100 %" height="10"', False),
        ('width="20" stroke-width="3" line-height="2"', False),
        ("", False),
    ],
)
def test_a_drawing_that_has_no_size_takes_the_place_that_it_is_given(attributes, sized):
    drawing = f'<?xml version="1.0"?>\n<svg:svg {attributes}><rect width="9" height="9"/></svg:svg>'
    preview = preview_of(original(drawing.encode(), "a.svg", "image/svg+xml"))

    assert has_size(drawing.encode()) is sized
    assert preview.source == ({} if sized else {"unsized": "yes"})


def test_the_size_of_a_drawing_with_long_attributes_is_read_in_time():
    assert not has_size(b"<svg " + b"width  =  " * 9_000 + b"1" * 90_000 + b">")


@pytest.mark.parametrize(
    "before",
    [
        "",
        "<?xml version='1.0'?>\n<!-- made by -- somebody -->\n<?a b?>",
        f"{PUBLIC}>",
        f'{PUBLIC} [\n<!ENTITY ns_svg "http://www.w3.org/2000/svg">\n<!-- x -->]>\n',
        "<!DOCTYPE svg [<!ATTLIST svg xmlns:xlink CDATA #FIXED 'http://www.w3.org/1999/xlink'>]>",
    ],
)
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_drawing_programs_write_before_a_drawing_is_shown(before, charset):
    data = f"{before}<svg/>".encode(charset)
    assert shown(data, "image/svg+xml").kind == "image"


@pytest.mark.parametrize(
    "data",
    [
        NESTED,
        f"<!-- <svg> -->{NESTED}",
        f"<?a <svg> ?>{NESTED}",
        "<!--" + "x" * 70_000 + f"-->{NESTED}",
        NESTED.replace("[", f"[<!--{'x' * 70_000}-->"),
        NESTED.replace("&a;", "&#38;a;"),
        NESTED.replace('"aaaa"', "'<svg>'"),
        f'<!DOCTYPE x [<!ENTITY a "{"a" * 2000}">]><svg>{"&a;" * 90}</svg>',
        '<!DOCTYPE x [<!ENTITY % a "aaaa"> %a;]><svg/>',
        '<!DOCTYPE x SYSTEM "]>" [<!ENTITY a "a"><!ENTITY b "&a;">]><svg/>',
    ],
)
def test_a_drawing_whose_texts_name_others_or_are_long_has_a_card(data):
    for charset in ("utf-8", "utf-16"):
        preview = shown(data.encode(charset), "image/svg+xml")
        assert "This drawing cannot be shown here." in preview.body.decode()
    assert shown(gzip.compress(data.encode()), "image/svg+xml").kind == "unknown"
