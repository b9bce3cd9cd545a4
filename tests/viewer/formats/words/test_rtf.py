"""viewer/formats/words/rtf.py"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.formats.words import rtf


def read(data):
    options = {}
    rtf.prepare(data, options)
    ((facts, html),) = rtf.render(data, options)
    return facts, html.decode()


def html(body):
    return read(b"{\\rtf1\\ansi\\ansicpg1252 " + body + b"}")[1]


def test_the_text_of_rtf_is_read_without_formats():
    shown = {
        rb"one\par two": "<p>one</p><p>two</p>",
        rb"{\b bold} \i it\i0 alic": "<p>bold italic</p>",
        rb"a\line b\tab c": "<p>a<br>b\u2003c</p>",
        rb"\'e9\'80 \u8364? \u-10179?\u-8704?": "<p>é€ € \U0001f600</p>",
        rb"\uc2\u233ab\uc0\u233 x": "<p>ééx</p>",
        rb"{\listtext 1.\tab}First\par": "<p>1.\u2003First</p>",
        rb"{\listtext\u61623 ?\tab}First\par": "<p>•\u2003First</p>",
        rb"a\~b \{c\} \\ \ldblquote d\rdblquote": "<p>a\u00a0b {c} \\ “d”</p>",
        rb"{\fonttbl{\f0 Arial;}}{\*\generator X;}{\info{\title T}}text": "<p>text</p>",
        rb'{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}': "<p>link</p>",
        rb"\trowd\intbl a\cell b\cell\row\pard after": "<p>a\u2003b\u2003</p><p>after</p>",
        rb"<script>x</script>": "<p>&lt;script&gt;x&lt;/script&gt;</p>",
    }

    assert {body: html(body) for body in shown} == shown


def test_the_code_page_of_the_document_is_used():
    assert "Привет" in read(b"{\\rtf1\\ansicpg1251 " + "Привет".encode("cp1251") + b"}")[1]


def test_the_code_page_of_a_font_is_used_for_its_texts():
    fonts = (
        rb"{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fnil\fcharset128{\*\falt MS ????} Gothic;}"
        rb"{\f12\fswiss\fcharset204 Arial Cyr;}{\f13\fcharset2 Symbol;}}"
    )
    body = rb"\f0 caf\'e9 {\f1\'93\'fa{\b\'96\'7b}} {\f12\'cf\'f0\'e8} \'e9 \f13 x"

    assert html(fonts + body) == "<p>café 日本 При é x</p>"


def test_pictures_are_counted_once():
    picture = b"{\\*\\shppict{\\pict\\pngblip\n00ff}}{\\nonshppict{\\pict\\wmetafile8 00ff}}"
    facts, shown = read(b"{\\rtf1 " + picture + b"{\\pict 00ff}x}")

    assert shown == "<p>x</p>"
    assert facts["left_out"] == {"picture": 2}


@pytest.mark.parametrize("piece", [b"x\\line ", b"x\\cell\\row ", b"{\\b x}\\par "])
def test_the_number_of_elements_is_limited(piece):
    facts, shown = read(b"{\\rtf1 " + piece * 200_000)

    assert facts["cut"]
    assert shown.count("<") < 150_000


@pytest.mark.parametrize("data", [b"", b"words", b"{\\rt", b"\\rtf1"])
def test_other_text_is_refused(data):
    with pytest.raises(ValueError, match="not RTF"):
        read(data)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [b"{", b"}", b"\\par ", b"\\cell ", b"\\row ", b"\\intbl ", b"\\u-10179 ", b"\\'e9"]
            + [b"\\*", b"\\pict", b"\\pngblip ", b"\\b ", b"\\uc9 ", b"\\bin5 ", b"<b>", b"\\"]
        )
        | st.binary(max_size=6)
    )
)
def test_any_rtf_is_read_without_active_content(pieces):
    facts, shown = read(b"{\\rtf1 " + b"".join(pieces))

    assert set(facts) == {"left_out", "cut"}
    assert "<script" not in shown
