"""viewer/sandbox/office/docx.py"""

import pytest

from tests.viewer.samples import docx
from viewer.sandbox.office.docx import read
from viewer.sandbox.office.package import Package


def html(body=None, **targets):
    return read(Package(docx(body, **targets)))[0]


@pytest.mark.parametrize(
    "part",
    [
        "<h1>Annual report</h1>",
        "<strong>did</strong>",
        "<ul><li>First</li><li>Second</li></ul>",
        "<table><tr><td><p>Cell</p></td><td><p>42</p></td></tr></table>",
        '<a target="_blank" href="https://example.org/">the site</a>',
    ],
)
def test_a_document_shows_headings_formats_lists_tables_and_links(part):
    assert part in html()


def test_lists_are_nested_by_level():
    def item(level, text):
        return (
            f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/></w:numPr></w:pPr>'
            f"<w:r><w:t>{text}</w:t></w:r></w:p>"
        )

    assert html(item(0, "a") + item(2, "b") + item(0, "c")) == (
        "<ul><li>a</li><ul><ul><li>b</li></ul></ul><li>c</li></ul>"
    )


def test_formats_breaks_and_vertical_positions_are_kept():
    body = (
        '<w:p><w:r><w:rPr><w:i/><w:b w:val="0"/><w:vertAlign w:val="superscript"/></w:rPr>'
        "<w:t>a&lt;b</w:t><w:br/><w:tab/></w:r></w:p>"
    )

    assert html(body) == "<p><sup><em>a&lt;b<br>\u2003</em></sup></p>"


def test_an_internal_link_is_shown_as_text():
    body = '<w:p><w:hyperlink r:id="rId1"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p>'

    assert html(body, rId1="other.xml") == html(body, other="https://x") == "<p>x</p>"


def test_text_in_tracked_changes_and_controls_is_kept():
    assert (
        html(
            "<w:sdt><w:sdtContent><w:p><w:ins><w:r><w:t>x</w:t></w:r></w:ins></w:p></w:sdtContent></w:sdt>"
        )
        == "<p>x</p>"
    )
