"""viewer/formats/text/highlighting.py"""

import re

import pytest
from pygments.lexers import find_lexer_class_for_filename

from viewer.formats.text import highlighting
from viewer.formats.text.highlighting import Highlighter
from viewer.rendering.registry import CODE as FORMAT
from viewer.tests.samples import CODE, original, preview_of


def highlighted(code, **clues):
    highlighter = Highlighter()
    highlighter.load("", **clues)
    return highlighter.highlight("", code)


@pytest.mark.parametrize("clues", [{"filename": "a.py"}, {"media_type": "text/x-python"}])
def test_a_lexer_is_found_by_file_name_or_media_type(clues):
    assert "<b>def</b>" in highlighted(CODE.decode(), **clues)


def test_every_highlighted_line_is_well_formed():
    for line in highlighted('x = """a\nb\n\nc"""\n', filename="a.py").split("\n"):
        assert line.count("<u>") == line.count("</u>")


def test_tokens_of_one_type_are_one_element_with_the_blanks_between_them():
    assert highlighted('x = "a\\n"  # b\nif not [1, 2, "c"]:', filename="a.py") == (
        'x = <u>"a\\n"</u>  <i># b</i>\n<b>if not</b> [<i class=m>1, 2</i>, <u>"c"</u>]:'
    )


def test_highlighting_keeps_every_character():
    text = re.sub(r"<[^>]+>", "", highlighted(CODE.decode(), filename="a.py"))

    assert text.replace("&quot;", '"') == CODE.decode()


@pytest.mark.parametrize(
    ("name", "code"), [("a.swift", b"var s: NSString"), ("a.asy", b"x"), ("a.mm", b"NSString *s;")]
)
def test_a_lexer_that_imports_a_table_while_it_runs_has_it_imported_before(name, code):
    shown = FORMAT.preview(original(code, name, "text/plain"), "text/plain")

    assert shown.kind == "code"
    assert shown.label != "Plain text"


@pytest.mark.parametrize("name", ["a.geojson", "a.har", "a.js.map"])
def test_json_is_found_by_the_name_of_the_file(name):
    assert preview_of(original(b"{}", name)).label == "JSON"


@pytest.mark.parametrize("name", ["Dockerfile", "a.sh", "a.diff", "a.py", "a.json"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\n\n\n"])
def test_every_line_is_shown_however_a_file_ends(name, end):
    shown = preview_of(original(b"#x\n\n# y" + end, name))

    assert (shown.note, shown.facts) == ("", (f"{3 + max(0, len(end) - 1)} lines",))


def test_an_unknown_language_is_not_highlighted():
    assert highlighted("<b>", filename="a.nonsense") == "&lt;b>"


def test_invisible_characters_are_visible_in_code():
    assert "U+202E" in highlighted("# a\u202eb", filename="a.py")


def test_colours_end_in_time_and_no_character_is_lost(monkeypatch):
    monkeypatch.setattr(highlighting, "SECONDS", 0)
    highlighter = Highlighter()
    highlighter.load("", filename="a.py")
    html = highlighter.highlight("", "x = 1\nif x:\n    y = '<'\n")

    assert html == "x = 1\nif x:\n    y = '&lt;'\n"


def test_a_process_that_was_preloaded_compiles_no_pattern_of_file_names(monkeypatch):
    compiled = {}
    names_of_module = find_lexer_class_for_filename.__globals__  # it looks like another module
    monkeypatch.setitem(names_of_module, "_pattern_cache", compiled)
    highlighting.preload()
    before = set(compiled)
    assert "*.py" in before
    assert "<b>def</b>" in highlighted(CODE.decode(), filename="a.py")
    assert set(compiled) == before
