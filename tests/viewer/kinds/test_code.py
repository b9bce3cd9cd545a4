"""viewer/kinds/code.py"""

import pytest

from tests.viewer.samples import CODE, JSON, original
from viewer.kinds.code import LIMIT, is_code, preview


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
def test_code_is_known_by_type_or_name(kind, name):
    assert is_code(kind, name)


@pytest.mark.parametrize(("kind", "name"), [("text/plain", "a.txt"), ("application/x-foo", "a.py")])
def test_and_the_rest_is_not(kind, name):
    assert not is_code(kind, name)


def test_it_names_the_language_and_counts_lines():
    shown = preview(original(CODE, "a.py", "text/x-python"), "text/x-python")

    assert (shown.label, shown.facts) == ("Python", ("5 lines",))
    assert 'id="L5"' in shown.body


def test_json_is_laid_out_whatever_its_name():
    shown = preview(original(JSON, "a", "application/ld+json"), "application/ld+json")

    assert (shown.label, shown.facts) == ("JSON", ("11 lines",))


def test_above_the_limit_it_is_plain():
    shown = preview(original(b"x=1\n" * (LIMIT // 4 + 1), "a.py", "text/x-python"), "text/x-python")

    assert shown.kind == "code"
    assert "tok-" not in shown.body
