"""viewer/sandbox/office/__init__.py, archive.py"""

import pytest

from tests.viewer import samples
from viewer.sandbox.office import frames, prepare


def read(data):
    prepare(data, {})
    ((facts, html),) = frames(data, {})
    return facts, html.decode()


@pytest.mark.parametrize(
    ("make", "form"),
    [
        (samples.docx, "docx"),
        (samples.xlsx, "xlsx"),
        (samples.pptx, "pptx"),
        (samples.odt, "odt"),
        (samples.ods, "ods"),
        (samples.odp, "odp"),
        (lambda: samples.package(a=b"x"), "zip"),
        (lambda: samples.package(content_dot_xml="<x/>"), "zip"),
    ],
)
def test_what_it_is_is_read_from_the_file(make, form):
    assert read(make())[0]["form"] == form


def test_an_archive_lists_what_is_in_it():
    facts, html = read(samples.package(a_dot_txt=b"a" * 1000, b=b""))

    assert facts["counts"] == ["2 files"]
    assert "<td>a.txt</td>" in html
    assert '<td class="num">1,000</td>' in html


def test_names_in_an_archive_are_text():
    assert "&lt;script&gt;" in read(samples.package(**{"<script>": b""}))[1]
