"""viewer/sandbox/office/odf.py"""

from tests.viewer import samples
from viewer.sandbox.office.odf import detect_format, read
from viewer.sandbox.office.package import Package


def test_a_text_document_shows_headings_paragraphs_and_lists():
    html, counts = read(Package(samples.odt()))

    assert counts == []
    assert html == "<h2>Minutes</h2><p>Two  spaces.</p><ul><li><p>Point</p></li></ul>"


def test_a_table_in_a_text_document_is_shown():
    cells = "".join(f"<b:table-cell><t:p>{text}</t:p></b:table-cell>" for text in ("Item", "Price"))
    table = f'<b:table b:name="Costs"><b:table-row>{cells}</b:table-row></b:table>'
    html, _ = read(Package(samples.open_document("text", table)))

    assert html == "<h2>Costs</h2><table><tr><th>Item</th><th>Price</th></tr></table>"


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
