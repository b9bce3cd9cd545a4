"""viewer/rendering/sealed.py"""

import base64
import json
import re
from html import unescape

import pytest

from viewer import download, sealed_download
from viewer.tests.samples import HTML, original


class RecordingSeal:
    """A seal that encrypts nothing and records its calls."""

    piece_bytes = 1000
    tag_bytes = 5

    def __init__(self):
        self.calls = []

    def parameters(self):
        return {"kdf": "none"}

    def seal(self, piece, number, *, last, header):
        self.calls.append((len(piece), number, last, header))
        return piece + b"-tag-"


def sealed(data, **facts):
    seal = RecordingSeal()
    page = sealed_download(original(data, **facts), seal)
    content = b"".join(page.body)
    assert len(content) == page.length
    return content.decode(), seal, page


def header_of(html):
    return re.search(r'id="header">(.*?)</script>', html).group(1)


def plain_of(html):
    lines = re.search(r'id="pieces">\n(.*?)\n</script>', html, re.S).group(1).split("\n")
    return b"".join(base64.b64decode(line, validate=True)[:-5] for line in lines)


def test_the_plaintext_is_the_page_of_download():
    data = bytes(range(256)) * 9
    html, _, _ = sealed(data, name="x.bin")
    facts = json.loads(header_of(html))
    plain = plain_of(html)
    head = plain[: facts["head"]]
    raw = plain[facts["head"] : facts["head"] + facts["original"]]
    page = head + base64.b64encode(raw) + plain[facts["head"] + facts["original"] :]

    assert raw == data
    assert page == b"".join(download(original(data, name="x.bin")).body)


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 1001, 5000])
def test_a_sealed_page_of_any_size_has_one_last_piece(size):
    _, seal, _ = sealed(bytes(size))
    sizes, numbers, lasts, _ = zip(*seal.calls, strict=True)

    assert set(sizes[:-1]) == {1000}
    assert list(numbers) == list(range(len(numbers)))
    assert [number for number, last in zip(numbers, lasts, strict=True) if last] == [numbers[-1]]


def test_every_piece_is_bound_to_the_exact_header():
    html, seal, _ = sealed(b"abc")

    assert {header for *_, header in seal.calls} == {header_of(html).encode()}


def test_a_sealed_file_shows_nothing_of_its_document():
    html, _, page = sealed(
        b"secret words", name="secret.txt", content_type="text/plain", sha256="5ec7e7"
    )

    assert "secret" not in html
    assert "5ec7e7" not in html
    assert "attachment" in page.headers["Content-Disposition"]


def test_a_sealed_html_page_allows_inline_styles():
    assert "style-src 'unsafe-inline'" in unescape(sealed(HTML, content_type="text/html")[0])
