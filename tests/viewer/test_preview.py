"""viewer/preview.py"""

from viewer.preview import Preview


def test_bytes_stand_in_a_link_unless_an_element_shows_them():
    assert Preview("text", "Text").carrier == "a"
    assert not Preview("text", "Text").foreign_style
