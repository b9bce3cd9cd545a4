"""viewer/content/type_names.py"""

import pytest

from viewer.content.type_names import type_in_words


@pytest.mark.parametrize(
    ("media_type", "name", "words"),
    [
        ("application/vnd.rar", "a", "RAR archive"),
        ("application/octet-stream", "film.WMV", "Windows Media video"),
        ("application/octet-stream", "a.7z", "7z archive"),
        ("application/x-ole-storage", "leaflet.pub", "Publisher document"),
        ("application/x-ole-storage", "a", "Office file of before 2007, or another compound file"),
        ("application/octet-stream", "a.xyz", "XYZ file"),
        ("application/octet-stream", "a.<b>", "File of unknown type"),
        ("application/octet-stream", "a", "File of unknown type"),
        ("video/x-anything", "a.wmv", "WMV file"),
        ("image/x-xcf", "a.pub", "GIMP image"),
        ("not a type", "a.docx", "Word document"),
    ],
)
def test_a_type_is_said_in_words(media_type, name, words):
    assert type_in_words(media_type, name) == words
