"""viewer/formats/fonts/"""

import io
import re

import pybase64
import pytest
from PIL import Image

from tests.viewer.samples import FONT, original, preview_of
from viewer.formats.fonts import specimen


def test_a_font_is_shown_by_its_name_and_a_specimen():
    preview = preview_of(original(FONT, "a.ttf"))
    html = preview.body.decode()

    assert (preview.kind, preview.label) == ("font", "Font")
    assert preview.facts[0].endswith(" glyphs")
    assert "<h2>Aileron" in html
    assert 'alt="The quick brown fox jumps over the lazy dog."' in html
    assert 'alt="ABCDEFGHIJKLMNOPQRSTUVWXYZ"' in html


def test_a_specimen_is_drawn_in_black_on_a_transparent_ground():
    html = preview_of(original(FONT, "a.ttf")).body.decode()
    source, width = re.search(r'base64,([^"]+)" width="(\d+)"', html).groups()
    image = Image.open(io.BytesIO(pybase64.b64decode(source)))

    assert image.width == pytest.approx(2 * int(width), abs=1)
    assert image.convert("RGBA").getextrema() == ((0, 0), (0, 0), (0, 0), (0, 255))


def test_letters_that_a_font_lacks_are_not_drawn():
    html = preview_of(original(FONT, "a.ttf")).body.decode()

    assert "한" not in html
    assert "ก" not in html


def test_a_font_without_an_alphabet_shows_the_first_characters_that_it_has(monkeypatch):
    monkeypatch.setattr(specimen, "ALPHABETS", ("ก ข ค ง จ ฉ ช",))
    ((_, html),) = specimen.render(FONT, {})

    assert 'alt="! &quot; # $ %' in html.decode()
    assert "\xa0" not in html.decode()


def test_the_font_itself_is_not_in_the_page():
    assert FONT[200:260] not in preview_of(original(FONT, "a.ttf")).body
    assert not original(FONT, "a.ttf").shows_original


@pytest.mark.parametrize("data", [FONT[:300], b"\0\1\0\0\0\xff" + bytes(99), b"wOF2" + bytes(99)])
def test_what_is_no_font_has_a_card(data):
    assert preview_of(original(data, "a.ttf")).kind == "unknown"
