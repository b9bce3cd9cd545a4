"""viewer/formats/web/foreign_html.py: its stylesheets"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.formats.web.foreign_html import without_addresses


@pytest.mark.parametrize(
    "css",
    [
        "@import 'x';",
        "@IMPORT url(x);",
        "@\\69mport 'x';",
        "a{b:url(x)}",
        "a{b:URL( 'x' )}",
        "a{b:u\\72l(x)}",
        "a{b:u\\72 l(x)}",
        "a{b:\\000075\r\nrl(x)}",
        "a{b:u\\rl(x)}",
        "a{b:1.url(x)}",
        "a{b:/**/url(x)}",
        "a{b:image-set('x' 1x)}",
        "a{b:-webkit-image-set(url(x) 1x)}",
        "a{b:src('x')}",
        "a{b:url(data:text/html;base64,AAAA)}",
        "a{b:url(data:image/svg+xml;base64,AAAA)}",
    ],
)
def test_what_loads_gets_a_name_that_no_browser_knows(css):
    clean = without_addresses(css)

    assert "removed" in clean
    assert without_addresses(clean) == clean


@pytest.mark.parametrize(
    "css",
    [
        "a:hover{color:rgb(1,2,3);width:calc(1px + 2%)}",
        "@media (min-width:1px){a{b:c}}",
        "a{b:url(data:image/png;base64,AAAA)}",
        "a{b:url( 'data:image/png;base64,AAA=' )}",
        "a::after{content:'\\2014'}",
    ],
)
def test_other_styles_and_embedded_pictures_are_kept(css):
    assert without_addresses(css) == css


@settings(deadline=None)
@given(st.text("url(\\72 6c\"'@import;x)/*{}\n"))
def test_cleaned_styles_are_clean(css):
    clean = without_addresses(css)

    assert without_addresses(clean) == clean
