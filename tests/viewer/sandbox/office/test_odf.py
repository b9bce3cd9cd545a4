"""viewer/sandbox/office/odf.py"""

from tests.viewer import samples
from viewer.sandbox.office.odf import detect_format, read
from viewer.sandbox.office.package import Package


def test_a_text_document_shows_headings_paragraphs_and_lists():
    html, counts = read(Package(samples.odt()))

    assert counts == []
    assert html == "<h2>Minutes</h2><p>Two  spaces.</p><ul><li><p>Point</p></li></ul>"


def test_a_table_is_shown_with_its_header_its_merged_cells_and_what_is_in_them():
    point = "<t:list><t:list-item><t:p>Point</t:p></t:list-item></t:list>"
    table = (
        '<b:table b:name="Table1"><b:table-header-rows><b:table-row>'
        '<b:table-cell b:number-columns-spanned="2"><t:p>Costs</t:p></b:table-cell>'
        "<b:covered-table-cell/></b:table-row></b:table-header-rows>"
        f"<b:table-row><b:table-cell>{point}</b:table-cell>"
        '<b:table-cell b:number-columns-repeated="9000000"/></b:table-row></b:table>'
    )
    html, _ = read(Package(samples.open_document("text", table)))

    assert html == (
        '<table><tr><th colspan="2"><p>Costs</p></th></tr>'
        f"<tr><td><ul><li><p>Point</p></li></ul></td>{'<td></td>' * 50}</tr></table>"
    )


def test_descriptions_of_shapes_are_not_part_of_the_text():
    shape = "<d:rect><s:title>Box</s:title><s:desc>A blue box</s:desc><t:p>Inside</t:p></d:rect>"
    content = f"<t:p>See <t:title>Minutes</t:title>.</t:p>{shape}<t:p>{shape}</t:p>"
    html, _ = read(Package(samples.open_document("text", content)))

    assert html == "<p>See Minutes.</p><p>Inside</p><p><p>Inside</p></p>"


def test_a_presentation_shows_a_section_for_each_slide():
    html, counts = read(Package(samples.odp()))

    assert (html, counts) == ('<section class="slide"><p>Welcome</p></section>', ["1 slide"])


def test_links_and_breaks_are_kept_and_notes_are_left_out():
    content = '<t:p>a<t:line-break/><t:a href="https://x">b</t:a><t:note>n</t:note><t:span>c</t:span>d</t:p>'
    package = Package(samples.open_document("text", content))

    assert read(package)[0] == '<p>a<br><a target="_blank" href="https://x">b</a>cd</p>'


def test_other_packages_are_no_open_document():
    assert detect_format(Package(samples.package(content_dot_xml="<x/>"))) is None
    assert detect_format(Package(samples.package(x="y"))) is None


def styled(content, styles, **parts):
    """A text document with these automatic styles."""
    names = 'xmlns:o="o" xmlns:t="t" xmlns:d="d" xmlns:x="x" xmlns:f="f"'
    whole = (
        f"<o:document-content {names}><o:automatic-styles>{styles}</o:automatic-styles>"
        f"<o:body><o:text>{content}</o:text></o:body></o:document-content>"
    )
    return Package(samples.package(content_dot_xml=whole, **parts))


def test_numbered_lists_have_the_form_and_the_first_number_of_their_level():
    styles = (
        '<t:list-style t:name="L1"><t:list-level-style-number t:level="1" t:num-format="1"'
        ' t:start-value="3"/><t:list-level-style-number t:level="2" t:num-format="a"/>'
        '<t:list-level-style-bullet t:level="3"/></t:list-style>'
    )
    inner = "<t:list><t:list-item><t:p>c</t:p></t:list-item></t:list>"
    middle = f"<t:list><t:list-item><t:p>b</t:p>{inner}</t:list-item></t:list>"
    content = f'<t:list t:style-name="L1"><t:list-item><t:p>a</t:p>{middle}</t:list-item></t:list>'

    assert read(styled(content, styles))[0] == (
        '<ol start="3" type="1"><li><p>a</p><ol start="1" type="a"><li><p>b</p>'
        "<ul><li><p>c</p></li></ul></li></ol></li></ol>"
    )


def test_bold_and_italic_text_is_shown_as_such():
    styles = (
        '<t:style t:name="T1" t:family="text"><t:text-properties f:font-weight="bold"'
        ' f:font-style="italic"/></t:style>'
    )
    html, _ = read(styled('<t:p>a<t:span t:style-name="T1">b</t:span></t:p>', styles))

    assert html == "<p>a<em><strong>b</strong></em></p>"


def test_objects_are_named_in_their_place_and_counted():
    frames = "".join(
        f'<d:frame><d:object x:href="./{name}"/><d:image x:href="./Replacement"/></d:frame>'
        for name in ("One", "Two", "Three")
    )
    parts = {
        "One__content_dot_xml": '<o:x xmlns:office="o"><office:chart/></o:x>',
        "Two__content_dot_xml": "<math/>",
    }
    document = styled(frames, "", **parts)
    html, _ = read(document)

    assert "Chart, not shown" in html
    assert document.left_out == {"chart": 1, "formula": 1, "embedded object": 1}
