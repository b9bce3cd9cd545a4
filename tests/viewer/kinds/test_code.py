"""viewer/kinds/code.py"""

import pytest

from tests.viewer.samples import CODE, JSON, original
from viewer.kinds.code import MAX_SIZE, is_code, preview


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("application/json", ""),
        ("application/vnd.api+json", ""),
        ("text/x-c", ""),
        ("text/css", ""),
        ("text/plain", "a.PY"),
        ("text/plain", "Dockerfile"),
    ],
)
def test_code_is_detected_by_type_or_name(kind, name):
    assert is_code(kind, name)


@pytest.mark.parametrize(("kind", "name"), [("text/plain", "a.txt"), ("application/x-foo", "a.py")])
def test_other_types_and_names_are_not_code(kind, name):
    assert not is_code(kind, name)


def test_a_code_preview_names_the_language_and_counts_lines():
    shown = preview(original(CODE, "a.py", "text/x-python"), "text/x-python")

    assert (shown.label, shown.facts) == ("Python", ("5 lines",))
    assert 'id="L5"' in shown.body.decode()


def test_json_is_indented_for_any_file_name():
    shown = preview(original(JSON, "a", "application/ld+json"), "application/ld+json")

    assert (shown.label, shown.facts) == ("JSON", ("11 lines",))


def test_code_above_the_size_limit_is_not_highlighted():
    shown = preview(
        original(b"x=1\n" * (MAX_SIZE // 4 + 1), "a.py", "text/x-python"), "text/x-python"
    )

    assert shown.kind == "code"
    assert "tok-" not in shown.body.decode()
