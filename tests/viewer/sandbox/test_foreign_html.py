"""viewer/sandbox/foreign_html.py"""

import pytest

from viewer.sandbox.foreign_html import cleaned_page, frames, prepare


def test_it_keeps_its_own_look():
    page = cleaned_page(
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
    ],
)
def test_nothing_that_acts_is_left(attack):
    assert "bad" not in cleaned_page(attack).replace("&lt;img onerror=bad&gt;", "")


def test_a_link_opens_beside_and_a_place_inside_stays_inside():
    page = cleaned_page("<a href='https://a.example'>x</a><a class=y href='#z'>x</a>")

    assert '<a href="https://a.example" target="_blank" rel="noopener noreferrer">' in page
    assert '<a class="y" href="#z" rel="noopener noreferrer">' in page


def test_no_body_attribute_ends_its_tag():
    page = cleaned_page("<body style='a:b\"><script>x</script>'><body bgcolor='\"><script>y'>")

    assert "<script" not in page


def test_the_page_names_its_own_charset():
    data, order = "<meta charset=koi8-r>Привет".encode("koi8-r"), {}
    prepare(data, order)
    ((facts, html),) = frames(data, order)

    assert facts == {"encoding": "koi8-r"}
    assert "Привет" in html.decode()
