"""viewer/sandbox/office/__init__.py"""

import pytest

from tests.viewer import samples
from viewer.sandbox.office import render


def read(data):
    ((facts, html),) = render(data, {})
    return facts, html.decode()


@pytest.mark.parametrize(
    ("make", "file_format"),
    [
        (samples.docx, "docx"),
        (samples.xlsx, "sheets"),
        (samples.pptx, "pptx"),
        (samples.odt, "odt"),
        (samples.ods, "sheets"),
        (samples.odp, "odp"),
        (lambda: samples.package(a=b"x"), "zip"),
        (lambda: samples.package(content_dot_xml="<x/>"), "zip"),
    ],
)
def test_the_format_is_detected_in_the_file(make, file_format):
    assert read(make())[0]["format"] == file_format
