"""viewer/formats/card.py"""

from viewer.formats.card import preview
from viewer.tests.samples import original


def test_the_card_shows_type_size_and_first_bytes():
    body = preview(original(b"<b>\0" * 300, "x"), "x/y").body.decode()

    assert "<dd>x/y</dd>" in body
    assert "1.2 KB" in body
    assert "First 1024 bytes" in body
    assert (
        "00000000  3c 62 3e 00 3c 62 3e 00  3c 62 3e 00 3c 62 3e 00  &lt;b&gt;·&lt;b&gt;·" in body
    )
    assert body.count("\n000") == 63


def test_the_card_of_an_empty_document_has_no_bytes():
    assert "<details>" not in preview(original(b""), "x/y").body.decode()
