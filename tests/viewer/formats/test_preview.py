"""viewer/formats/preview.py"""

from viewer.formats.preview import Preview


def test_the_default_carrier_is_a_link():
    assert Preview("text", "Text").carrier == "a"
    assert not Preview("text", "Text").foreign_style
