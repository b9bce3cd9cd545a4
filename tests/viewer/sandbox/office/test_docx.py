"""viewer/sandbox/office/docx.py, numbering.py"""

import pytest

from tests.viewer.samples import docx, package
from viewer.sandbox.office.docx import read
from viewer.sandbox.office.numbering import letters, roman
from viewer.sandbox.office.package import Package

NUMBERING = (
    '<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/>'
    "</w:lvl>"
    '<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
    '<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0">'
    '<w:startOverride w:val="5"/></w:lvlOverride></w:num></w:numbering>'
)


def numbered(*items, **parts):
    """A document of paragraphs (list id, level, text) of these lists; parts are added."""
    body = "".join(
        f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{id}"/></w:numPr></w:pPr>'
        f"<w:r><w:t>{text}</w:t></w:r></w:p>"
        for id, level, text in items
    )
    document = f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>'
    return package(word__document_dot_xml=document, word__numbering_dot_xml=NUMBERING, **parts)


def labelled(label, text):
    return f'<li><span class="label">{label}</span> {text}</li>'


def test_numbers_of_lists_are_written_as_word_counts_them():
    items = [(1, 0, "a"), (1, 1, "b"), (1, 1, "c"), (1, 0, "d"), (1, 1, "e"), (1, 2, "f")]
    shown = read(Package(numbered(*items)))[0]

    assert shown == (
        f"<ol>{labelled('1.', 'a')}<ol>{labelled('1.a)', 'b')}{labelled('1.b)', 'c')}</ol>"
        f"{labelled('2.', 'd')}<ol>{labelled('2.a)', 'e')}<ul><li>f</li></ul></ol></ol>"
    )


def test_a_list_goes_on_or_begins_again_as_it_says():
    shown = read(Package(numbered((1, 0, "a"), (1, 0, "b"), (2, 0, "c"), (2, 0, "d"))))[0]

    assert [part.partition("<")[0] for part in shown.split('"label">')[1:]] == [
        "1.",
        "2.",
        "5.",
        "6.",
    ]


def test_a_list_of_id_zero_is_a_paragraph():
    assert read(Package(numbered((0, 0, "a"))))[0] == "<p>a</p>"


@pytest.mark.parametrize(
    ("number", "written"), [(1, "a"), (26, "z"), (27, "aa"), (53, "aaa"), (4, "d")]
)
def test_letters_are_repeated_after_z(number, written):
    assert letters(number) == written


@pytest.mark.parametrize(("number", "written"), [(4, "iv"), (1994, "mcmxciv"), (88, "lxxxviii")])
def test_roman_numbers_are_written(number, written):
    assert roman(number) == written


def drawing(content):
    names = 'xmlns:c="c" xmlns:a="a" xmlns:x="x"'
    return f"<w:p><w:r><w:drawing {names}>{content}</w:drawing></w:r></w:p>"


def test_what_cannot_be_shown_is_named_in_its_place_and_counted():
    body = (
        drawing("<c:chart/>")
        + drawing("<x:relIds/>")
        + drawing('<a:blip xmlns:r="r" r:embed="rId1"/>')
    )
    document = Package(docx(body, rId1="media/plan.emf"))
    shown, _ = read(document)

    for noun in ("Chart", "Diagram", "Picture"):
        assert f'<span class="broken">{noun}, not shown</span>' in shown
    assert document.left_out == {"chart": 1, "diagram": 1, "picture": 1}


def test_the_text_of_text_boxes_and_formulas_is_shown():
    box = drawing("<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>")
    formula = '<w:p xmlns:m="m"><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></w:p>'

    assert "<p>boxed</p>" in html(box)
    assert html(formula) == "<p>E=mc</p>"


def math(content):
    """The HTML of a formula; elements of the namespace m."""
    return html(f'<w:p xmlns:m="m"><m:oMath>{content}</m:oMath></w:p>')


def term(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (
            f"<m:f><m:fPr><m:type m:val='x'/></m:fPr><m:num>{term('a+1')}</m:num>"
            f"<m:den>{term('2.5')}</m:den></m:f>",
            "(a+1)/2.5",
        ),
        (
            f"<m:sSup><m:e>{term('10')}</m:e><m:sup>{term('-6')}</m:sup></m:sSup>",
            "10<sup>-6</sup>",
        ),
        (f"<m:rad><m:deg>{term('3')}</m:deg><m:e>{term('x')}</m:e></m:rad>", "<sup>3</sup>√x"),
        (
            "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>"
            f"<m:sub>{term('i')}</m:sub><m:e>{term('x')}</m:e></m:nary>",
            "∑<sub>i</sub> x",
        ),
        (f"<m:d><m:e>{term('a')}</m:e><m:e>{term('b')}</m:e></m:d>", "(a|b)"),
        (f"<m:func><m:fName>{term('sin')}</m:fName><m:e>{term('x')}</m:e></m:func>", "sin x"),
        (f"<m:m><m:mr><m:e>{term('1')}</m:e><m:e>{term('2')}</m:e></m:mr></m:m>", "1, 2"),
    ],
)
def test_a_formula_is_written_on_one_line(content, shown):
    assert math(content) == f"<p>{shown}</p>"


def test_merged_cells_of_a_table_are_one():
    def cell(text, properties):
        return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"

    begins, goes_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = (
        cell("a", begins) + cell("b", '<w:gridSpan w:val="2"/>'),
        cell("", goes_on) + cell("c", begins) + cell("d", ""),
        cell("e", "") + cell("", goes_on) + cell("f", ""),
    )
    table = "".join(f"<w:tr>{row}</w:tr>" for row in rows)

    assert html(f"<w:tbl>{table}</w:tbl>") == (
        '<table><tr><td rowspan="2"><p>a</p></td><td colspan="2"><p>b</p></td></tr>'
        '<tr><td rowspan="2"><p>c</p></td><td><p>d</p></td></tr>'
        "<tr><td><p>e</p></td><td><p>f</p></td></tr></table>"
    )


def test_hidden_text_is_not_shown():
    run = "<w:r><w:rPr><w:vanish{}/></w:rPr><w:t>{}</w:t></w:r>"
    text = run.format("", "secret") + run.format(' w:val="0"', "open")

    assert html(f"<w:p>{text}</w:p>") == "<p>open</p>"


def test_footnotes_follow_the_text():
    footnotes = (
        '<w:footnotes xmlns:w="w"><w:footnote w:id="2"><w:p><w:r><w:t>said</w:t></w:r></w:p>'
        "</w:footnote></w:footnotes>"
    )
    body = (
        '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>x</w:t><w:footnoteReference w:id="2"/>'
        "</w:r></w:p></w:body></w:document>"
    )
    data = package(word__document_dot_xml=body, word__footnotes_dot_xml=footnotes)

    assert read(Package(data))[0] == "<p>x<sup>1</sup></p><hr><ol><li><p>said</p></li></ol>"


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
