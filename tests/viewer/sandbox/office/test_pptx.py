"""viewer/sandbox/office/pptx.py"""

import io
import zipfile

from tests.viewer.samples import package, pptx
from viewer.sandbox.office.package import Package
from viewer.sandbox.office.pptx import read


def test_a_slide_shows_its_number_title_and_points():
    html, counts = read(Package(pptx()))

    assert counts == ["1 slide"]
    assert html == (
        '<section class="slide"><p><small>1</small></p>'
        "<h2>Where we stand</h2><p>Point one</p></section>"
    )


def slide(content):
    """A presentation of one slide with this content."""
    original = pptx()
    names = 'xmlns:p="p" xmlns:a="a" xmlns:c="c" xmlns:d="d" xmlns:mc="mc"'
    return Package(
        package(
            **{name.replace(".", "_dot_"): data for name, data in entries(original).items()}
            | {"ppt/slides/slide1_dot_xml": f"<p:sld {names}>{content}</p:sld>"}
        )
    )


def entries(data):
    archive = zipfile.ZipFile(io.BytesIO(data))
    return {name: archive.read(name) for name in archive.namelist()}


def test_charts_diagrams_and_objects_are_named_in_their_place_and_counted():
    presentation = slide("<c:chart/><c:chart/><d:relIds/><p:oleObj/>")
    html, _ = read(presentation)

    assert html.count("Chart, not shown") == 2
    assert "Diagram, not shown" in html
    assert presentation.left_out == {"chart": 2, "diagram": 1, "embedded object": 1}


def test_what_is_repeated_for_older_programs_is_shown_once():
    text = "<p:sp><a:p><a:r><a:t>words</a:t></a:r></a:p></p:sp>"
    content = f"<mc:AlternateContent><mc:Choice>{text}</mc:Choice><mc:Fallback>{text}</mc:Fallback>"
    html, _ = read(slide(content + "</mc:AlternateContent>"))

    assert html.count("words") == 1


def test_lines_of_a_text_are_kept():
    text = "<a:p><a:r><a:t>one</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p>"

    assert "<p>one<br>two</p>" in read(slide(f"<p:sp>{text}</p:sp>"))[0]


def test_numbered_points_have_their_numbers():
    def point(text, level=0, form="arabicPeriod", more=""):
        properties = f'<a:pPr lvl="{level}"><a:buAutoNum type="{form}" {more}/></a:pPr>'
        return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"

    inner = point("x", 1, "alphaLcParenR") + point("y", 1, "alphaLcParenR")
    points = point("a") + inner + point("b") + point("z", 1, "romanUcPeriod", 'startAt="4"')
    html, _ = read(slide(f"<p:sp>{points}</p:sp>"))

    labels = [part.partition("<")[0] for part in html.split('"label">')[1:]]
    assert labels == ["1.", "a)", "b)", "2.", "IV."]
