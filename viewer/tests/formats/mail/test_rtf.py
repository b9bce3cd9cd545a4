"""viewer/formats/mail/rtf.py"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.mail.compressed_rtf import MAX_RTF
from viewer.formats.mail.rtf import body, packed_body

WRAPPED = rb"""{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0
{\fonttbl {\f0\fswiss Arial;}{\f1\fcharset204 Arial Cyr;}}
{\colortbl\red0\green0\blue0;}
{\*\generator Exchange;}
{\*\htmltag64 <html>}
{\*\htmltag96 <p class="a\'e9">}\htmlrtf {\htmlrtf0 Caf\'e9 \'26 bar
{\*\htmltag84 &nbsp;}\htmlrtf \'a0\htmlrtf0 {\*\mhtmltag84 <b>}{\*\htmltag84 <b>}\htmlrtf {\b
\htmlrtf0 \u8364 ?5
\htmlrtf }\htmlrtf0 {\*\htmltag92 </b>}{\f1 \'cf\'f0}
\htmlrtf\par}\htmlrtf0 {\*\htmltag104 </p>\par }{\*\htmltag72 </html>}}"""


def packed(rtf):
    return len(rtf).to_bytes(4, "little") * 2 + b"MELA" + b"\0\0\0\0" + rtf


def test_the_html_that_is_wrapped_is_taken_out_as_it_was():
    assert body(WRAPPED) == (
        '<html><p class="aé">Café &amp; bar&nbsp;<b>€5</b>Пр</p>\r\n</html>',
        "",
    )


@pytest.mark.parametrize(
    ("rtf", "text"),
    [
        (rb"{\rtf1\ansi Dear all,\par see\tab you \{now\}.\par}", "Dear all,\r\nsee\tyou {now}."),
        (rb"{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2}", "Привет"),
        (rb"{\rtf1{\fonttbl{\f3\fcharset128 x;}}\f3 \'93\'fa\'96\'7b}", "日本"),
        (rb"{\rtf1\uc2 a\u8364\'80\'80b{\uc0\u8364 c}\u233 xxd}", "a€b€céd"),
        (rb"{\rtf1 \u-10179 ?\u-8704 ?}", "😀"),
        (rb"{\rtf1 a{\pict 0102}{\*\unknown b}{\info{\title c}}\bin3 }}}d}", "ad"),
        (rb"{\rtf1{\field{\*\fldinst HYPERLINK x}{\fldrslt the link}}}", "the link"),
        (rb"{\rtf1\fromtext <b>}", "<b>"),
        (b"{\\rtf1 one\r\ntwo}", "onetwo"),
        (b"}}}{{{", ""),
        (b"", ""),
    ],
)
def test_rtf_that_wraps_no_html_is_text(rtf, text):
    assert body(rtf) == ("", text)


@given(st.text(alphabet="{}\\\\*'u89 fhtmlrg\n", max_size=300), st.booleans())
def test_any_rtf_is_read_without_an_error(text, wraps):
    body(b"{\\rtf1" + (b"\\fromhtml1 " if wraps else b" ") + text.encode())


def test_a_body_that_is_too_long_is_cut_with_a_note():
    long = b"{\\rtf1 " + b"word " * (MAX_RTF // 4) + b"}"
    html, text = packed_body(packed(long))

    assert not html
    assert text.endswith("Save the original to read all of it.")
    html, _ = packed_body(packed(long.replace(b"rtf1 ", b"rtf1\\fromhtml1 ")))
    assert html.endswith("Save the original to read all of it.</p>")


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"{", b"{\\*\\x}", b"\\'e9", b"\\u1 ?", b"\\\\"])
def test_hostile_rtf_takes_seconds_at_most(piece):
    begin = time.process_time()
    body(b"{\\rtf1\\fromhtml1 " + piece * (MAX_RTF // len(piece)))

    assert time.process_time() - begin < 6
