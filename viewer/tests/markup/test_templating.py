"""viewer/markup/templating.py"""

import pytest
from jinja2 import UndefinedError

from viewer.markup.assets import FOLDER, asset, source_hash
from viewer.markup.templating import render
from viewer.rendering.policy import SCRIPTS, STYLES


@pytest.mark.parametrize("name", [*SCRIPTS, *STYLES, "sealed.css", "sealed.js"])
def test_an_embedded_asset_does_not_end_its_element_or_start_a_comment(name):
    assert "</" not in asset(name)
    assert "<!--" not in asset(name)


def test_an_embedded_asset_is_the_file_as_it_is():
    assert asset("viewer.js").encode() == (FOLDER / "viewer.js").read_bytes()


def test_a_hash_is_a_csp_source_expression():
    assert source_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"


def test_a_missing_template_value_raises():
    with pytest.raises(UndefinedError):
        render("card.html")
