"""viewer/formats/web/foreign_html.py"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.web.foreign_html import prepare, render, sanitize_page, without_addresses


def test_the_styles_of_a_page_are_kept():
    page = sanitize_page(
        "<html><head><style>h1{color:red}</style></head>"
        "<body bgcolor=#eee><h1 style='margin:0'>x</h1>"
    )

    assert "<style>h1{color:red}</style>" in page
    assert '<body style="background:#eee">' in page
    assert '<h1 style="margin:0">x</h1>' in page


@pytest.mark.parametrize(
    "attack",
    [
        "<script>bad</script>",
        "<iframe src=//bad></iframe>",
        "<img src=https://bad/x srcset=//bad onerror=bad()>",
        "<link rel=preconnect href=//bad><meta http-equiv=refresh content='0;url=//bad'>",
        "<base href=//bad><form action=//bad><input formaction=//bad></form>",
        "<object data=//bad></object><embed src=//bad><svg><image href=//bad /></svg>",
        "<a href=javascript:bad>x</a><a href='data:text/html,bad'>x</a><a ping=//bad>x</a>",
        "<table background=//bad><td background=//bad>",
        "<math><mtext><mglyph><style><img onerror=bad>",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;i onerror=bad&gt;'>",
        "<math><style><img onerror=bad></style><mi href=//bad xlink:href=//bad>x</mi></math>",
        "<math><annotation-xml encoding=text/html><style><img src=//bad></style>",
    ],
)
def test_active_content_is_removed(attack):
    assert "bad" not in sanitize_page(attack).replace("&lt;img onerror=bad&gt;", "")


def test_formulas_are_kept_without_their_source():
    formula = '<math display="block"><mfrac><mn>1</mn><mi>a</mi></mfrac>%s</math>'

    assert formula % "" in sanitize_page(formula % "<annotation>1 over a</annotation>")


def test_links_open_in_a_new_tab_and_anchors_stay_in_the_page():
    page = sanitize_page("<a href='https://a.example'>x</a><a class=y href='#z'>x</a>")

    assert '<a href="https://a.example" target="_blank" rel="noopener noreferrer">' in page
    assert '<a class="y" href="about:srcdoc#z" rel="noopener noreferrer">' in page


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("<html lang='ar' dir=RTL><body>", 'dir="rtl" lang="ar"'),
        ("<html dir=ltr><body class=x dir='rtl'>", 'dir="rtl"'),
        ("<html dir='x\"y'><body lang='<b>' data-dir=rtl>", ""),
    ],
)
def test_the_direction_and_the_language_of_a_page_are_kept(page, kept):
    assert sanitize_page(page).endswith(f"<body {kept}>".replace(" >", ">"))


def test_no_body_attribute_ends_the_body_tag():
    page = sanitize_page("<body style='a:b\"><script>x</script>'><body bgcolor='\"><script>y'>")

    assert "<script" not in page


@pytest.mark.parametrize(
    "page",
    [
        "<style>@import 'https://bad';b{background:url(https://bad)}</style>",
        "<style>a<b{c:url(https://bad)}</style>",
        "<p style='background:url(&quot;https://bad&quot;)'>x",
        "<body style='background:u&#114;l(https://bad)'>x",
    ],
)
def test_the_styles_of_a_page_name_no_address_to_load(page):
    assert not re.search(r"url|@import", sanitize_page(page))
    assert "removed" in sanitize_page(page)


def test_the_charset_of_the_meta_element_is_used():
    data = "<meta charset=koi8-r>Привет".encode("koi8-r")
    options = {}
    prepare(data, options)
    ((_, html),) = render(data, options)

    assert "Привет" in html.decode()


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


@given(st.text("url(\\72 6c\"'@import;x)/*{}\n"))
def test_cleaned_styles_are_clean(css):
    clean = without_addresses(css)

    assert without_addresses(clean) == clean
