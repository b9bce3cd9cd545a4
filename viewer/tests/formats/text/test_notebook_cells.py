"""viewer/formats/text/notebook_cells.py"""

import json
import re

import pytest

from viewer.formats.text.notebook_cells import prepare, render
from viewer.tests.samples import NOTEBOOK, original, preview_of

PNG = "iVBORw0KGgo="


def to_html(*cells, **more):
    data = json.dumps({"cells": cells, **more}).encode()
    prepare(data, {})
    ((_, html),) = render(data, {})
    return html.decode()


def output(data, **more):
    return to_html({"cell_type": "code", "outputs": [{"data": data, **more}]})


def test_texts_code_and_outputs_are_shown():
    shown = preview_of(original(NOTEBOOK, "a.ipynb", "application/x-ipynb+json"))
    html = shown.body.decode()

    assert (shown.kind, shown.facts) == ("notebook", ("python", "2 cells"))
    assert "Sales<a" in html
    assert "<b>def</b>" in html
    assert "<code>one\ntwo\n\n</code>" in html
    assert "<td>4</td>" in html
    assert "<code>KeyError: 'x'\n</code>" in html


@pytest.mark.parametrize("kind", ["application/x-ipynb+json", "text/plain"])
def test_a_notebook_is_known_by_its_type_or_its_name(kind):
    assert preview_of(original(NOTEBOOK, "a.ipynb", kind)).kind == "notebook"


def test_what_is_no_notebook_is_shown_as_its_source():
    for data in (b"{}", b"[1]", b'{"worksheets": []}', b'{"cells": 1}', b"nonsense"):
        assert preview_of(original(data, "a", "application/x-ipynb+json")).kind == "code"


def test_a_picture_comes_before_html_and_html_before_text():
    everything = {"image/png": [PNG], "text/html": "<b>x</b>", "text/plain": "y"}

    assert f'src="data:image/png;base64,{PNG}" alt="Output"' in output(everything)
    assert "<b>x</b>" in output({"text/html": "<b>x</b>", "text/plain": "y"})
    assert ">y\n</code>" in output({"text/plain": "y"})


def test_attached_pictures_are_shown():
    cell = {"cell_type": "markdown", "source": "![x](attachment:a.png)"}
    html = to_html({**cell, "attachments": {"a.png": {"image/png": PNG}}})

    assert f'src="data:image/png;base64,{PNG}"' in html
    assert "<img" not in to_html(cell)


def test_the_html_of_an_output_is_sanitized():
    html = output({"text/html": "<script>x</script><p onclick=y><iframe src=z></iframe>a</p>"})

    assert not re.search("script|onclick|iframe", html)
