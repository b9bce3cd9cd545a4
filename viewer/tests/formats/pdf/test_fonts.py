"""viewer/formats/pdf/fonts.py"""

import subprocess
import sys
from pathlib import Path

import pytest

from viewer.formats.pdf.fonts import _copy
from viewer.sandbox import version
from viewer.sandbox.version import east_asian_font

FONTS = sorted(version.FONTS.rglob("DejaVuSans.ttf"))
DRAWN = """
import sys
from pathlib import Path
import pypdfium2
from viewer.tests.samples import pdf_without_its_font
from viewer.formats.pdf.fonts import use_font
kept = [use_font(Path(path)) for path in sys.argv[1:]]
page = pypdfium2.PdfDocument(pdf_without_its_font("Ω"))[0]
print(len(set(page.render().to_pil().getdata())))
"""


def colours_drawn(*paths):
    root = Path(__file__).parents[4]
    command = [sys.executable, "-c", DRAWN, *map(str, paths)]
    return int(subprocess.run(command, cwd=root, capture_output=True, check=True).stdout)


@pytest.mark.skipif(not FONTS, reason="the font DejaVu is not installed")
def test_text_of_a_japanese_font_that_the_pdf_lacks_is_drawn_with_the_font_of_the_system():
    assert colours_drawn(FONTS[0]) > 2


def test_only_the_whole_font_is_handed_out_and_only_if_it_fits():
    assert _copy(b"font", 1, None, 9) == 0
    assert _copy(b"font", 0, None, 0) == 4


def test_the_font_is_found_below_the_folder_of_the_systems_fonts(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "FONTS", tmp_path)
    assert east_asian_font.__wrapped__() is None
    (tmp_path / "droid").mkdir()
    (tmp_path / "droid" / version.EAST_ASIAN).touch()

    assert east_asian_font.__wrapped__() == tmp_path / "droid" / version.EAST_ASIAN
