"""viewer/markup/templating.py"""

import re

import pytest
from jinja2 import UndefinedError

from viewer.markup.templating import FOLDER, asset, render, source_hash
from viewer.rendering.policy import SCRIPTS, STYLES


@pytest.mark.parametrize("name", [*SCRIPTS, *STYLES, "sealed.css", "sealed.js"])
def test_an_embedded_asset_does_not_end_its_element_or_start_a_comment(name):
    assert "</" not in asset(name)
    assert "<!--" not in asset(name)


@pytest.mark.parametrize("name", [*SCRIPTS, "sealed.js", "contents.js", "console/console.js"])
def test_a_script_loses_spaces_and_comments_but_nothing_in_strings(name):
    source = re.sub(r"^\s*//.*| // .*", "", (FOLDER / name).read_text(), flags=re.M)

    assert not re.search(r"\$\{[^}`]*`", source)  # a template in another is not told from code
    assert all(text in asset(name) for text in re.findall(r'`[^`]*`|"[^"\n]*"', source))
    assert re.sub(r"\s", "", source) == re.sub(r"\s", "", asset(name))


def test_a_hash_is_a_csp_source_expression():
    assert source_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"


def test_a_missing_template_value_raises():
    with pytest.raises(UndefinedError):
        render("card.html")
