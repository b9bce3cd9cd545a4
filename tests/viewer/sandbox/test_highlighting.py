"""viewer/sandbox/highlighting.py"""

import re

import pytest

from tests.viewer.samples import CODE
from viewer.sandbox.highlighting import Highlighter


def coloured(code, **clues):
    highlighter = Highlighter()
    highlighter.load("", **clues)
    return highlighter.colour("", code)


@pytest.mark.parametrize("clues", [{"filename": "a.py"}, {"media_type": "text/x-python"}])
def test_a_lexer_is_found_by_name_or_type(clues):
    assert '<span class="tok-k">def</span>' in coloured(CODE.decode(), **clues)


def test_every_line_is_well_formed_by_itself():
    for line in coloured('x = """a\nb\n\nc"""\n', filename="a.py").split("\n"):
        assert line.count("<span") == line.count("</span>")


def test_no_character_is_lost():
    text = re.sub(r"<[^>]+>", "", coloured(CODE.decode(), filename="a.py"))

    assert text.replace("&quot;", '"').replace("&gt;", ">") == CODE.decode()


def test_an_unknown_language_is_plain_text():
    assert coloured("<b>", filename="a.nonsense") == "&lt;b&gt;"


def test_what_deceives_is_shown_in_code_too():
    assert "U+202E" in coloured("# a\u202eb", filename="a.py")
