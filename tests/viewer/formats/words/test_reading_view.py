"""viewer/formats/words/reading_view.py, open_xml.py, open_document.py: plain reading views"""

import pytest

from tests.viewer import samples
from viewer.formats.words.reading_view import IWORK_NOTE, MISSING, NO_TEXT, NOTE, render
from viewer.sandbox.messages import RefusedError


def read(data):
    """The facts, and the view without the article around it."""
    ((facts, html),) = render(data, {"failed": False})
    return facts, html.decode().partition(">")[2].removesuffix("</article>")


def not_shown(facts):
    """What the note says of what is not shown."""
    assert facts["note"].startswith(NOTE)
    return facts["note"].removeprefix(NOTE).removesuffix(MISSING).strip()


def run(text, properties=""):
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def word(body, **parts):
    """The facts and the view of a Word document with these paragraphs and parts."""
    original = samples.docx(body)
    return read(samples.package(**samples.parts_of(original), **parts))


def slides(content, **parts):
    names = 'xmlns:p="p" xmlns:a="a" xmlns:c="c" xmlns:d="d" xmlns:mc="mc"'
    made = samples.parts_of(samples.pptx())
    made["ppt/slides/slide1.xml"] = f"<p:sld {names}>{content}</p:sld>"
    return read(samples.package(**made, **parts))


def test_the_format_is_detected_in_the_file():
    made = {
        **{samples.docx(): "Word document", samples.pptx(): "Presentation"},
        **{samples.odt(): "Text document", samples.odp(): "Presentation"},
    }
    assert {data: read(data)[0]["label"] for data in made} == made

    other = samples.package(a=b"x"), samples.package(content_dot_xml="<x/>")
    for data in (samples.xlsx(), samples.ods(), *other):
        with pytest.raises(RefusedError, match="zip" if data in other else "sheets"):
            read(data)


def test_a_word_document_shows_headings_text_points_tables_and_links():
    facts, html = read(samples.docx())

    assert html == (
        "<h1>Annual report</h1>"
        "<p>What we did and why it matters to the people who read this far.</p>"
        "<p>• First</p><p>• Second</p>"
        "<table><tbody><tr><td><p>Cell</p></td><td><p>42</p></td></tr></tbody></table>"
        '<p><a target="_blank" href="https://example.org/" rel="noopener noreferrer">'
        "the site</a></p>"
    )
    assert not_shown(facts) == ""


def test_footnotes_follow_the_text():
    note = "<w:footnote><w:p><w:r><w:t>A note</w:t></w:r></w:p></w:footnote>"
    separator = '<w:footnote w:type="separator"><w:p><w:r><w:t>x</w:t></w:r></w:p></w:footnote>'
    notes = f'<w:footnotes xmlns:w="w">{separator}{note}</w:footnotes>'

    shown = word(f"<w:p>{run('Text')}</w:p>", word__footnotes_dot_xml=notes)[1]
    assert shown == "<p>Text</p><p>A note</p>"


def test_hidden_deleted_and_repeated_text_is_not_shown():
    body = (
        f"<w:p>{run('a')}{run('b', '<w:vanish/>')}<w:moveFrom>{run('c')}</w:moveFrom>"
        f"<w:ins>{run('d')}</w:ins></w:p><w:AlternateContent><w:Fallback>{run('e')}</w:Fallback>"
        "</w:AlternateContent>"
    )

    assert word(body)[1] == "<p>ad</p>"


def test_what_is_not_shown_of_a_word_document_is_counted():
    body = f"<w:p>{run('x')}<w:oMath/><w:object/><w:wsp/><w:chart/><w:del>{run('y')}</w:del></w:p>"
    comments = '<w:comments xmlns:w="w"><w:comment/><w:comment/></w:comments>'
    facts, html = word(body, word__comments_dot_xml=comments, word__header1_dot_xml="<x/>")

    assert "Formula, not shown" in html
    assert not_shown(facts) == (
        "1 chart, 2 comments, 1 embedded object, 1 formula, 1 header, 1 shape and "
        "1 tracked deletion are not shown."
    )


def test_a_slide_shows_its_number_title_points_and_tables():
    facts, html = read(samples.pptx())
    table = "<a:tbl><a:tr><a:tc><a:p><a:r><a:t>Cell</a:t></a:r></a:p></a:tc></a:tr></a:tbl>"

    assert facts["facts"] == ("1 slide",)
    assert "<small>1</small></p><h2>Where we stand</h2><p>Point one</p></section>" in html
    assert "<td><p>Cell</p></td>" in slides(table)[1]


def test_what_is_not_shown_of_a_slide_is_counted():
    empty_place = '<p:sp><p:nvSpPr><p:ph type="title"/></p:nvSpPr></p:sp>'
    content = f"<c:chart/><c:chart/><d:relIds/><p:oleObj/><p:sp/><p:cxnSp/>{empty_place}"
    facts, html = slides(content, ppt__notesSlides__notesSlide1_dot_xml="<x/>")

    assert html.count("Chart, not shown") == 2
    assert not_shown(facts) == (
        "2 charts, 1 diagram, 1 embedded object, 2 shapes and 1 speaker note are not shown."
    )


def test_a_form_shows_its_boxes_and_a_font_of_symbols_its_characters():
    box = "<w:fldChar><w:ffData><w:checkBox>{}</w:checkBox></w:ffData></w:fldChar>"
    states = ('<w:default w:val="1"/><w:checked w:val="0"/>', '<w:default w:val="1"/>', "")
    boxes = "".join(box.format(state) for state in states)
    symbols = "".join(
        f'<w:sym w:font="{font}" w:char="{char}"/>'
        for font, char in (
            ("Symbol", "F06D"),
            ("Wingdings", "F0FC"),
            ("Webdings", "F061"),
            ("", "x"),
        )
    )
    facts, html = word(f"<w:p><w:r>{boxes}{symbols}</w:r></w:p>")

    assert html.startswith("<p>☐ ☒ ☐ μ✓<span")
    assert not_shown(facts) == "2 symbols are not shown."


def test_a_document_without_text_says_so():
    table = "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>"

    assert not_shown(word(f"<w:p> </w:p>{table}")[0]) == NO_TEXT


def test_a_document_may_have_its_text_in_a_part_of_another_name():
    parts = samples.parts_of(samples.docx())
    parts["word/document22.xml"] = parts.pop("word/document.xml")
    parts["_rels/.rels"] = '<x><Relationship Id="a" Target="/word/document22.xml"/></x>'

    assert "<h1>Annual report</h1>" in read(samples.package(**parts))[1]


def test_of_a_file_of_iwork_the_picture_of_its_first_page_is_shown():
    for folder, sign in (
        ("", "Index__Document_dot_iwa"),
        ("A.key/", "x__buildVersionHistory_dot_plist"),
    ):
        facts, html = read(samples.package(**{f"{folder}preview.jpg": b"x", sign: b""}))

        assert facts["note"] == f"{IWORK_NOTE} {MISSING}"
        assert html == '<img alt="" src="data:image/jpeg;base64,eA==">'


def test_a_text_document_shows_headings_paragraphs_points_and_notes():
    body = "<t:note-body><t:p>n</t:p></t:note-body>"
    note = f"<t:note><t:note-citation>1</t:note-citation>{body}</t:note>"
    content = f'<t:p>a<t:line-break/><t:a href="https://x">b</t:a>{note}<t:span>c</t:span>d</t:p>'
    shown = read(samples.open_document("text", content))[1]

    assert read(samples.odt())[1] == "<h2>Minutes</h2><p>Two  spaces.</p><p>• Point</p>"
    assert shown.startswith('<p>a<br><a target="_blank" href="https://x"')
    assert shown.endswith("<small> (n)</small>cd</p>")


def test_a_table_of_a_text_document_is_shown_without_the_cells_that_repeat():
    table = (
        "<b:table><b:table-header-rows><b:table-row><b:table-cell><t:p>Costs</t:p></b:table-cell>"
        '<b:table-cell b:number-columns-repeated="9000000"/></b:table-row></b:table-header-rows>'
        "</b:table>"
    )

    assert read(samples.open_document("text", table))[1] == (
        "<table><tbody><tr><td><p>Costs</p></td><td></td></tr></tbody></table>"
    )


def test_descriptions_of_shapes_are_not_part_of_the_text():
    shape = "<d:rect><s:title>Box</s:title><s:desc>A blue box</s:desc><t:p>Inside</t:p></d:rect>"
    shown = read(
        samples.open_document("text", f"<t:p>See <t:title>Minutes</t:title>.</t:p>{shape}")
    )

    assert shown[1] == "<p>See Minutes.</p><p>Inside</p>"


def test_slides_of_open_document_are_sections_and_what_is_not_shown_is_counted():
    frames = "".join(
        f'<d:frame><d:object href="./{name}"/><d:image href="./Replacement"/></d:frame>'
        for name in ("One", "Two", "Three")
    )
    title = '<d:frame d:class="title"><t:p>Plan</t:p></d:frame>'
    content = f"<d:page>{title}{frames}<d:line/><d:notes><t:p>Say this</t:p></d:notes></d:page>"
    parts = {
        "One__content_dot_xml": '<o:x xmlns:office="o"><office:chart/></o:x>',
        "Two__content_dot_xml": "<math/>",
    }
    made = samples.parts_of(samples.open_document("presentation", content))
    facts, html = read(samples.package(**made, **parts))

    assert html.startswith('<section class="slide"><h2>Plan</h2>')
    assert "Say this" not in html
    assert not_shown(facts) == (
        "1 chart, 1 embedded object, 1 formula, 1 shape and 1 speaker note are not shown."
    )


def test_headers_and_deletions_of_a_text_document_are_counted_where_they_hold_a_text():
    deletion = "<t:changed-region><t:deletion><t:p>gone</t:p></t:deletion></t:changed-region>"
    content = f"<t:tracked-changes>{deletion}</t:tracked-changes><t:p>x</t:p>"
    styles = "<x><header><p>Head</p></header><footer><p/></footer></x>"
    made = samples.parts_of(samples.open_document("text", content))
    facts, html = read(samples.package(**made, styles_dot_xml=styles))

    assert not_shown(facts) == "1 header and 1 tracked deletion are not shown."
    assert html == "<p>x</p>"


def test_cells_over_several_columns_and_rows_stay_so():
    wide = '<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr></w:tc>'
    covered = '<a:tc gridSpan="2" rowSpan="3"/><a:tc hMerge="1"/><a:tc vMerge="true"/><a:tc/>'
    spanned = '<b:table-cell b:number-columns-spanned="2" b:number-rows-spanned="x"/>'
    table = f"<b:table><b:table-row>{spanned}<b:covered-table-cell/></b:table-row></b:table>"

    assert '<tr><td colspan="2"></td></tr>' in word(f"<w:tbl><w:tr>{wide}</w:tr></w:tbl>")[1]
    shown = slides(f"<a:tbl><a:tr>{covered}</a:tr></a:tbl>")[1]
    assert '<tr><td colspan="2" rowspan="3"></td><td></td></tr>' in shown
    assert '<tr><td colspan="2"></td></tr>' in read(samples.open_document("text", table))[1]


@pytest.mark.parametrize("make", [samples.docx, samples.odt])
def test_text_is_escaped(make):
    data = samples.parts_of(make())
    hostile = {name: text.replace(b"Minutes", b"&lt;script&gt;") for name, text in data.items()}
    hostile = {name: text.replace(b"Annual", b"&lt;script&gt;") for name, text in hostile.items()}

    assert "&lt;script&gt;" in read(samples.package(**hostile))[1]
