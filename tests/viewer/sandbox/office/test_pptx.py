"""viewer/sandbox/office/pptx.py"""

from tests.viewer.samples import pptx
from viewer.sandbox.office.package import Package
from viewer.sandbox.office.pptx import read


def test_a_slide_shows_its_number_title_and_points():
    html, counts = read(Package(pptx()))

    assert counts == ["1 slide"]
    assert html == (
        '<section class="slide"><p><small>1</small></p>'
        "<h2>Where we stand</h2><p>Point one</p></section>"
    )
