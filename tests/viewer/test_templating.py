"""viewer/templating.py"""

import pytest
from jinja2 import UndefinedError

from viewer.templating import fragment, script, source_hash, style


def test_style_and_script_carry_no_comments_and_cannot_end_their_element():
    for text in (
        style("viewer.css"),
        style("sealed.css"),
        script("viewer.js"),
        script("sealed.js"),
    ):
        assert "/*" not in text
        assert "</" not in text
        assert "//" not in text
        assert "://" not in text


def test_style_keeps_what_has_meaning():
    assert "padding:24px 16px 32px" in style("viewer.css")
    assert "calc(860px * var(--zoom,1))" in style("viewer.css")
    assert ".stage.actual img{" in style("viewer.css")


def test_a_hash_is_a_source_expression():
    assert source_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"


def test_a_missing_value_is_an_error_and_not_a_hole():
    with pytest.raises(UndefinedError):
        fragment("kinds/card.html")
