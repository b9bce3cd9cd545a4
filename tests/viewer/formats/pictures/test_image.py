"""viewer/formats/pictures/image.py"""

import pytest

from tests.viewer.samples import original
from viewer.formats.pictures.picture import image_preview as preview


@pytest.mark.parametrize(
    ("kind", "label"),
    [("image/png", "PNG image"), ("image/svg+xml", "SVG image"), ("image/webp", "WebP image")],
)
def test_the_img_element_carries_the_bytes(kind, label):
    shown = preview(original(b"x"), kind)

    assert (shown.carrier, shown.label, shown.body.decode()) == ("img", label, "")
