"""viewer/formats/words/word_document.py"""

import base64
import io

import mammoth
import pytest

from viewer.content.media_types import OPEN_XML
from viewer.formats.words import word_document
from viewer.formats.words.word_document import render
from viewer.sandbox.messages import RefusedError
from viewer.tests.samples import docx, original, package, parts_of, png, preview_of

WORD = f"{OPEN_XML}wordprocessingml.document"
DRAWING = (
    '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
    'wordprocessingDrawing"><wp:docPr descr="A chart"/>'
    '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData>'
    '<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
    '<a:blip r:embed="rId1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline>'
    "</w:drawing></w:r></w:p>"
)


def html(data):
    ((_, block),) = render(data, {})
    return block.decode()


def test_without_libreoffice_a_word_document_is_shown_as_text():
    shown = preview_of(original(docx(), "report.docx", WORD))
    text = shown.body.decode()

    assert (shown.kind, shown.label) == ("word", "Word document")
    assert "LibreOffice, which shows the pages, is not installed" in shown.note
    assert "<h1>Annual report</h1>" in text
    assert "<strong>did</strong>" in text
    assert "<td><p>42</p></td>" in text
    assert 'href="https://example.org/"' in text


def test_a_damaged_document_has_a_card_that_says_what_to_install():
    shown = preview_of(original(docx()[:400], "report.docx", WORD))

    assert shown.kind == "unknown"
    assert b"LibreOffice, which shows this document, is not installed" in shown.body


def test_a_link_that_runs_a_script_is_no_link():
    assert "javascript:" not in html(docx(None, rId1="javascript:alert(1)"))


def test_an_embedded_map_of_styles_is_not_followed():
    document = io.BytesIO(docx())
    mammoth.embed_style_map(document, "p[style-name='heading 1'] => h6")

    assert "<h1>Annual report</h1>" in html(document.getvalue())


def test_pictures_are_embedded_as_far_as_there_is_room(monkeypatch):
    picture = base64.b64encode(png()).decode()
    parts = parts_of(docx(DRAWING * 2, rId1="media/a.png"))
    types = parts["[Content_Types].xml"].replace(
        b"<Override ", b'<Default Extension="png" ContentType="image/png"/><Override ', 1
    )
    document = package(**parts | {"[Content_Types].xml": types, "word/media/a.png": png()})
    whole = html(document)
    monkeypatch.setattr(word_document, "MAX_PICTURES", len(picture) + 30)

    assert whole.count(picture) == 2
    assert 'alt="A chart"' in whole
    assert html(document).count(picture) == 1


def test_a_document_of_too_many_elements_is_refused(monkeypatch):
    monkeypatch.setattr(word_document, "MAX_TAGS", 5)

    with pytest.raises(RefusedError, match="size"):
        html(docx())
