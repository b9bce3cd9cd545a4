"""viewer/formats/words/book_chapters.py: what is shown of a book"""

import re

from tests.viewer.samples import CHAPTERS, epub, original, preview_of, xhtml
from viewer.formats.words.book_chapters import NOTE
from viewer.markup.formatting import CUT_NOTE

ENCRYPTION = (
    "<encryption><EncryptedData><CipherData><CipherReference URI='{}'/></CipherData>"
    "</EncryptedData></encryption>"
)


def shown(data):
    return preview_of(original(data, "a.epub", "application/epub+zip"))


def encrypted(path):
    return shown(epub("chapter", **{"META-INF__encryption_dot_xml": ENCRYPTION.format(path)}))


def test_the_chapters_are_shown_in_their_order_with_pictures_title_and_author():
    preview = shown(epub(*CHAPTERS))
    html = preview.body.decode()

    assert (preview.kind, preview.label, preview.note) == ("book", "Book", NOTE)
    assert preview.facts == ("A Book", "Ada")
    assert html.index("It began") < html.index("It ended")
    assert '<img src="data:image/png;base64,' in html
    assert "<title" not in html


def test_the_outline_and_the_links_lead_to_places_in_the_page():
    html = shown(epub(*CHAPTERS)).body.decode()
    targets = re.findall(r'href="#([^"]+)"', html)

    assert targets == ["h-1-top", "h-2-top", "h-1-top"]
    assert all(html.count(f' id="{target}"') == 1 for target in targets)
    assert 'data-depth="0"><a href="#h-2-top">Chapter 2</a>' in html


def test_a_book_of_encrypted_chapters_has_a_card_that_says_so():
    preview = encrypted("b/text/1%20a.xhtml")

    assert "chapter" not in preview.body.decode()
    assert "This book is encrypted (DRM)" in preview.body.decode()


def test_a_book_with_obfuscated_fonts_is_shown():
    assert b"chapter" in encrypted("b/fonts/a.otf").body


def test_what_is_cut_or_not_shown_is_said():
    note = shown(epub(xhtml("<svg><path/></svg><math><mi>x</math>"), "x" * (7 << 20))).note

    assert note == f"{NOTE} 1 drawing and 1 formula are not shown. {CUT_NOTE}"


def test_a_book_without_chapters_is_shown_as_its_list_of_files():
    preview = shown(epub())

    assert (preview.kind, preview.label) == ("archive", "Book")
    assert "toc.ncx" in preview.body.decode()
