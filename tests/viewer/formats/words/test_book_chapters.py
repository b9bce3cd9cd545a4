"""viewer/formats/words/book_chapters.py"""

import pytest

from tests.viewer.samples import epub, xhtml
from viewer.formats.words.book_chapters import MAX_BOOK_TAGS, render
from viewer.markup.formatting import CUT_NOTE

NAV = """<html xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="landmarks"><ol>
<li><a href="x">No</a></li></ol></nav><nav epub:type="toc"><ol><li><span>Part</span><ol>
<li><a href="text/2%20a.xhtml">T&eacute;a <b>two</b></a></li></ol></li>
<li><a href="text/1%20a.xhtml#x">One</a></li></ol></nav></body></html>"""
OPF = """<package><manifest><item id="n" href="nav.xhtml" properties="nav"/>
<item id="c1" href="text/1%20a.xhtml"/><item id="c2" href="text/2%20a.xhtml"/>
</manifest><spine><itemref idref="c2"/><itemref idref="c1"/></spine></package>"""


def rendered(*chapters, **parts):
    ((facts, html),) = render(epub(*chapters, **parts), {})
    return facts, html.decode()


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("<a href='#x'>to</a>", '<a href="#h-1-x">to</a>'),
        ("<a name='x'></a>", '<a id="h-1-x"'),
        ("<a href='gone.xhtml'>to</a>", '<section class="chapter" id="h-1"><a '),
        ("<aside id='n'>1</aside>", '<aside id="h-1-n">1</aside>'),
        ("<a href='https://a.example'>to</a>", '<a href="https://a.example"'),
        ("<svg><image xlink:href='../pictures/a.png'/></svg>", 'src="data:image/png;base64,'),
        ("<img alt='a map' src='map.svg'/>", '<img alt="a map">'),
        ("<style>p{}</style><script/>text", '<section class="chapter" id="h-1">text</section>'),
        ("<p class='bar'>&eacute;", "<p>é</p>"),
    ],
)
def test_a_chapter_is_html_with_its_own_links_and_pictures(body, html):
    assert html in rendered(xhtml(body))[1]


def test_a_chapter_keeps_its_direction_and_language():
    chapter = xhtml("x").replace("<html>", "<html xml:lang='ar' lang='ar' dir='rtl'>")

    assert '<section class="chapter" id="h-1" dir="rtl" lang="ar">' in rendered(chapter)[1]


def test_nothing_after_an_empty_element_becomes_part_of_it():
    assert "</a>after" in rendered(xhtml("<a id='x'/>after"))[1]


@pytest.mark.parametrize(
    ("written", "html"),
    [
        (
            "<m:math m:display='block'><m:mi>&alpha;</m:mi></m:math>",
            '<math display="block"><mi>α</mi></math>',
        ),
        (
            "<math><mfenced open='['><mi>a</mi><mi>b</mi><mspace/></mfenced></math>",
            "<math><mrow><mo>[</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo>,</mo><mspace></mspace><mo>)</mo></mrow></math>",
        ),
        (
            "<math><semantics><mi onclick='x' href='http://a'>x</mi><annotation>y</annotation></semantics></math>",
            "<math><semantics><mi>x</mi></semantics></math>",
        ),
        (
            "<math><mtext>&lt;b&gt;</mtext><script>z</script><mglyph src='q'/></math>",
            "<math><mtext>&lt;b&gt;</mtext></math>",
        ),
    ],
)
def test_a_formula_is_what_browsers_draw(written, html):
    assert html in rendered(xhtml(f"<p>{written}</p>"))[1]


def test_a_picture_may_be_a_chapter():
    opf = OPF.replace("text/2%20a.xhtml", "pictures/a.png")
    html = rendered(xhtml("one"), b__b_dot_opf=opf)[1]

    assert '<section class="chapter" id="h-1"><img alt="" src="data:image/png;base64,' in html


def test_the_navigation_document_is_the_outline_and_the_spine_is_the_order():
    _, html = rendered(xhtml("one"), xhtml("two"), b__b_dot_opf=OPF, b__nav_dot_xhtml=NAV)

    assert '<li data-depth="1"><a href="#h-1">Téa two</a></li>\n<li data-depth="0">' in html
    assert '<a href="#h-2-x">One</a>' in html
    assert html.index(">two<") < html.index(">one<")


def test_a_broken_outline_leaves_the_chapters():
    _, html = rendered("one", "two", b__toc_dot_ncx="<ncx><navMap>")

    assert 'id="outline"' not in html
    assert "one" in html


def test_a_chapter_that_is_listed_twice_is_shown_once():
    assert rendered("one", spine='<itemref idref="c1"/>' * 2)[1].count("one") == 1


def test_the_tags_of_all_chapters_together_are_limited():
    most = MAX_BOOK_TAGS // 3
    within, html = rendered(*[xhtml("<hr>" * most)] * 3)
    beyond, cut = rendered(*[xhtml("<hr>" * (most + 1))] * 4)

    assert (CUT_NOTE in within["note"], html.count("<hr>")) == (False, MAX_BOOK_TAGS)
    assert (CUT_NOTE in beyond["note"], cut.count("<section")) == (True, 3)
    assert MAX_BOOK_TAGS - 3 <= cut.count("<hr>") <= MAX_BOOK_TAGS


@pytest.mark.parametrize(
    "parts",
    [
        {"b__b_dot_opf": "<!DOCTYPE x [<!ENTITY y 'z'>]><package/>"},
        {"META-INF__container_dot_xml": "<container/>"},
    ],
)
def test_what_is_no_book_is_refused(parts):
    with pytest.raises(ValueError, match=r"DTD|no chapters"):
        rendered("one", **parts)
